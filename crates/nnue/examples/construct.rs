//! Writes the constructed net to a file: `cargo run -p megatherium-nnue --example construct --
//! OUT.nnue`.

use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(path) = std::env::args_os().nth(1) else {
        eprintln!("usage: construct OUT.nnue");
        return ExitCode::FAILURE;
    };
    let network = megatherium_nnue::constructed::network();
    match std::fs::write(&path, network.to_bytes()) {
        Ok(()) => {
            println!(
                "{}: {:016x}, {}",
                path.display(),
                network.checksum(),
                megatherium_nnue::Architecture::OURS
            );
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{}: {error}", path.display());
            ExitCode::FAILURE
        }
    }
}
