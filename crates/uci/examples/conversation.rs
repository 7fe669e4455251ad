//! A whole UCI engine inside another program: commands from memory, answers to any writer. Here
//! they go to standard output with a mark in front.
//!
//! `cargo run --release -p megatherium-uci --example conversation`

use megatherium_search::EngineError;
use megatherium_uci::output::Output;
use megatherium_uci::shell::Shell;
use std::io::{self, Write};
use std::sync::Arc;

/// What the engine says. Each write is one or more whole lines.
struct Heard;

impl Write for Heard {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for line in String::from_utf8_lossy(bytes).lines() {
            println!("engine: {line}");
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stdout().flush()
    }
}

fn main() -> Result<(), EngineError> {
    // A wrong line costs an error line and nothing else: the position before it stays. At the end
    // of the input the search may end by itself.
    let commands = "setoption name Threads value 2
position startpos moves e2e4 c7c5
position startpos moves e2e4 e2e4
d
go depth 8
";
    let output = Arc::new(Output::new(Box::new(Heard)));
    Shell::new(output)?.run(commands.as_bytes());
    Ok(())
}
