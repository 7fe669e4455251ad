//! Progress of long commands, and Ctrl-C.

use std::fmt;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::stdio;

/// Progress of a command: a bar if standard error is a terminal, else a line a minute there.
#[derive(Debug)]
pub struct Progress {
    bar: Arc<ProgressBar>,
    stop: Arc<AtomicBool>,
}

/// How often the clock on the bar moves, and how often the time for a line is checked.
const TICK: Duration = Duration::from_millis(200);

impl Progress {
    /// Shows `stage` at once. Ctrl-C sets the stop flag, as [`interrupt`] says.
    pub fn new(stage: &str) -> io::Result<Progress> {
        let stop = interrupt()?;
        let bar = Arc::new(ProgressBar::new(1));
        // The two spaces at the end are for the `^C` that a terminal shows: with it the line must
        // not wrap, or the bar could not be removed.
        let template = "{elapsed_precise} {prefix} {wide_bar} {pos}/{len} {msg} (left: {left})  ";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.with_key("left", write_left));
        }
        let weak = Arc::downgrade(&bar);
        let tick = move || {
            if io::stderr().is_terminal() {
                tick(&weak);
            } else {
                speak(&weak, Duration::from_mins(1), |line| {
                    let _ = writeln!(io::stderr(), "{line}");
                });
            }
        };
        // Without this thread the bar still moves with every step.
        let _ = thread::Builder::new().name("progress".to_owned()).spawn(tick);
        let progress = Progress { bar, stop };
        progress.begin(stage, 1);
        Ok(progress)
    }

    /// Starts a stage of `steps` steps.
    pub fn begin(&self, stage: &str, steps: u64) {
        self.bar.reset();
        self.bar.set_length(steps.max(1));
        self.bar.set_message("");
        self.bar.set_prefix(stage.to_owned());
        self.bar.tick();
    }

    /// Marks steps as done by an earlier run; they do not count for the estimate of the time left.
    pub fn resume(&self, steps: u64) {
        self.bar.set_position(steps);
        self.bar.reset_eta();
    }

    /// Advances by `steps`, at most to the end of the stage. `message`, unless empty, replaces the
    /// result shown so far.
    pub fn step(&self, steps: u64, message: &str) {
        if !message.is_empty() {
            self.bar.set_message(message.to_owned());
        }
        let left = self.bar.length().unwrap_or(0).saturating_sub(self.bar.position());
        self.bar.inc(steps.min(left));
    }

    /// Prints a line on standard output, above the bar.
    pub fn line(&self, text: impl fmt::Display) {
        self.bar.suspend(|| stdio::line(text));
    }

    /// The flag that Ctrl-C sets.
    pub fn stop(&self) -> &Arc<AtomicBool> {
        &self.stop
    }

    /// Whether the user has pressed Ctrl-C.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Removes the bar from the screen.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// Writes the estimate of the time left; before the first step there is none.
fn write_left(state: &ProgressState, out: &mut dyn fmt::Write) {
    let _ = match state.pos() {
        0 => write!(out, "?"),
        _ => write!(out, "{:#}", HumanDuration(state.eta())),
    };
}

/// A second signal within this time is the first one again: `timeout` sends it to the program and
/// then to its group.
const REPEATED: Duration = Duration::from_millis(500);

/// A flag that the first Ctrl-C sets; the second ends the program, unless it comes at once.
pub fn interrupt() -> io::Result<Arc<AtomicBool>> {
    let (stop, ending) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&ending))?;
        flag::register(signal, Arc::clone(&stop))?;
    }
    let seen = Arc::clone(&stop);
    let arm = move || {
        while !seen.load(Ordering::Relaxed) {
            thread::sleep(TICK);
        }
        thread::sleep(REPEATED);
        ending.store(true, Ordering::Relaxed);
    };
    // Without this thread the program ends after the first signal as it should, only not sooner.
    let _ = thread::Builder::new().name("interrupt".to_owned()).spawn(arm);
    Ok(stop)
}

/// Makes a file that grows beyond the limit (`ulimit -f`) an error of the write. By default the
/// system sends a signal that ends the program.
pub fn survive_file_size_limit() -> io::Result<()> {
    #[cfg(unix)]
    flag::register(signal_hook::consts::SIGXFSZ, Arc::default())?;
    Ok(())
}

fn tick(bar: &Weak<ProgressBar>) {
    while let Some(bar) = bar.upgrade().filter(|bar| !bar.is_finished()) {
        bar.tick();
        drop(bar);
        thread::sleep(TICK);
    }
}

/// Reports the progress at intervals.
fn speak(bar: &Weak<ProgressBar>, every: Duration, mut say: impl FnMut(String)) {
    let mut last = Instant::now();
    while let Some(bar) = bar.upgrade().filter(|bar| !bar.is_finished()) {
        if last.elapsed() >= every {
            last = Instant::now();
            let (stage, at, of) = (bar.prefix(), bar.position(), bar.length().unwrap_or(1));
            say(format!("{stage} {at}/{of} {}", bar.message()).trim_end().to_owned());
        }
        drop(bar);
        thread::sleep(TICK.min(every));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_in_a_pipe_name_the_stage_and_end_with_the_work() {
        let bar = Arc::new(ProgressBar::new(120));
        bar.set_prefix("games");
        bar.set_message("+1");
        bar.set_position(7);
        let (weak, mut lines) = (Arc::downgrade(&bar), Vec::new());
        speak(&weak, Duration::from_millis(1), |line| {
            lines.push(line);
            if lines.len() == 2 {
                bar.finish_and_clear();
            }
        });
        assert_eq!(lines, ["games 7/120 +1", "games 7/120 +1"]);
    }
}
