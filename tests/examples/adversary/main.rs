//! A hostile tester that runs for any length of time.
//!
//! ```sh
//! cargo run --release -p megatherium-tests --example adversary -- [--minutes 60] [--cases N]
//!     [--seed N] [--jobs 2] [--class NAME] [--state FILE] [--replay CLASS:NUMBER]
//! ```
//!
//! Case number n of each class comes from the seed and n alone. `--state` names a file that is
//! written after every round and read at the start: an interrupted run resumes there. A case that
//! fails is shrunk to its shortest conversation and printed; the exit code is then 1.

#![forbid(unsafe_code)]

// It limits memory, closes descriptors and sends signals as Unix does.
#[cfg(unix)]
mod progress;
#[cfg(unix)]
mod tester;

fn main() -> std::process::ExitCode {
    #[cfg(unix)]
    return tester::main();
    #[cfg(not(unix))]
    {
        eprintln!("the hostile tester needs a Unix system");
        std::process::ExitCode::FAILURE
    }
}
