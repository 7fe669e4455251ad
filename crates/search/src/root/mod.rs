//! The root of the tree: deepening it iteration by iteration, and answering at the end.

mod deepening;
mod ending;
mod line;
mod overtaking;
pub mod strength;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

pub use ending::{Ending, LastSearch};

use self::ending::Conclusion;
use crate::crowding::thread_time;
use crate::report::Report;
use crate::tree::{Job, Search, Worker};

/// One thread's part in a search. Thread 0 leads: it reports, watches the clock, and answers.
///
/// A thread that panics is left out: what it had learnt is suspect and forgotten, and the others'
/// results still make an answer.
pub fn run(id: usize, job: &Job, ending: &Ending, worker: &mut Worker) {
    let conclusion = match catch_unwind(AssertUnwindSafe(|| think(id, job, worker))) {
        Ok(conclusion) => conclusion,
        Err(panic) => {
            worker.forget();
            let what = message(&*panic);
            job.report(Report::Error(&format!(
                "search thread {id} failed and is left out: {what}"
            )));
            Conclusion::none(id)
        }
    };
    if id == 0 {
        ending.answer(job, conclusion);
    } else {
        ending.conclude(conclusion);
    }
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

/// Searches until a limit is reached.
fn think(id: usize, job: &Job, worker: &mut Worker) -> Conclusion {
    // Under a baton everything from here to the return is one thread's turn, or several.
    let _turns = job.baton.as_ref().map(|baton| baton.join(id));
    let ran_before = thread_time();
    let mut search = Search::new(id, job, worker);
    if search.root_moves.is_empty() {
        if id == 0 {
            // At once: under `go infinite` the answer comes only after `stop`.
            ending::unsearched(job).report(job);
        }
        return Conclusion::none(id);
    }
    search.deepen();
    if id == 0 {
        search.ensure_answer();
        // The others need not go on.
        job.control.finish(job.id);
    }
    let conclusion = Conclusion::of(search);
    // Threads that take turns wait for each other, not for a processor.
    if job.baton.is_none()
        && let (Some(before), Some(now)) = (ran_before, thread_time())
    {
        worker.crowding.learn(job.started.elapsed(), now.saturating_sub(before));
    }
    conclusion
}
