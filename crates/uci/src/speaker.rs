//! Turns the reports of a search into lines.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use megatherium_board::Board;
use megatherium_search::{Report, ScoreBound, Sink};

use crate::format::{self, Style};
use crate::output::Output;

/// Prints the reports of one search. The style is fixed when the search starts; an option changed
/// later applies to the next search.
#[derive(Debug)]
pub struct Speaker {
    output: Arc<Output>,
    root: Board,
    style: Style,
    /// Whether a score has been shown.
    scored: AtomicBool,
    answered: Arc<AtomicBool>,
}

impl Speaker {
    /// A speaker for a search of `root`. `answered` is set just before the answer is written, so it
    /// is set for anyone who has read the answer.
    pub fn new(output: Arc<Output>, root: Board, style: Style, answered: Arc<AtomicBool>) -> Self {
        Speaker { output, root, style, scored: AtomicBool::new(false), answered }
    }
}

impl Sink for Speaker {
    fn report(&self, report: Report<'_>) {
        match report {
            Report::Info(info) => {
                if info.bound == ScoreBound::Exact {
                    self.scored.store(true, Ordering::Relaxed);
                }
                self.output.with(|out| format::info(out, info, &self.root, self.style));
            }
            Report::CurrentMove { depth, mv, number } => {
                self.output.with(|out| {
                    format::current_move(out, depth, mv, number, &self.root, self.style);
                });
            }
            // The message of a panic may have several lines.
            Report::Error(message) => self.output.error(message.replace(['\n', '\r'], " ")),
            Report::Done(outcome) => {
                self.answered.store(true, Ordering::Release);
                self.output.with(|out| {
                    if !self.scored.load(Ordering::Relaxed) {
                        format::bare_score(out, outcome, self.style);
                    }
                    format::best_move(out, outcome, &self.root, self.style);
                });
            }
        }
    }
}
