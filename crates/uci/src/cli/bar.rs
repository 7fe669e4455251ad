//! The progress of a measurement on the terminal, and Ctrl-C to end it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use megatherium_lab::observer::Observer;

/// A bar on standard error, shown only if that is a terminal.
pub(super) struct Bar {
    bar: ProgressBar,
    stop: Arc<AtomicBool>,
}

impl Bar {
    /// A bar that ends the measurement on Ctrl-C; a second Ctrl-C ends the program.
    pub(super) fn new() -> Result<Bar, ctrlc::Error> {
        let stop = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop);
        ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        })?;
        let bar = ProgressBar::new(1);
        let template = "{elapsed_precise} {prefix} {wide_bar} {percent:>3} % {msg} (left: {eta})";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Ok(Bar { bar, stop })
    }

    /// Takes the bar off the screen.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Bar {
    fn begin(&self, title: &str, steps: u64) {
        self.bar.reset();
        self.bar.set_length(steps.max(1));
        self.bar.set_prefix(title.to_owned());
        self.bar.set_message("");
    }

    fn step(&self, steps: u64, message: &str) {
        self.bar.inc(steps);
        if !message.is_empty() {
            self.bar.set_message(message.to_owned());
        }
    }

    fn stop(&self) -> &AtomicBool {
        &self.stop
    }
}
