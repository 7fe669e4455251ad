//! The engine binary. Everything is in the library, where the tests can reach it.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    megatherium::cli::main()
}
