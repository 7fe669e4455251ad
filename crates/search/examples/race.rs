//! The whole pool at work, to be run under `ThreadSanitizer` (the command is in
//! `docs/reliability.md`): searches with several threads are started, stopped, pondered, and their
//! table and threads changed in between.

#![forbid(unsafe_code)]

use std::sync::Arc;

use megatherium_board::Board;
use megatherium_search::{Engine, Limits, Root, Silent};

fn main() {
    let searches = std::env::args().nth(1).and_then(|number| number.parse().ok()).unwrap_or(60);
    let mut engine = Engine::new(4, 1).expect("an engine");
    let mut nodes = 0;
    for search in 0..searches {
        let root = || Root::new(Board::startpos());
        match search % 4 {
            0 => nodes += engine.search(root(), Limits::nodes(20_000), Silent).nodes,
            1 => {
                engine.start(
                    root(),
                    Limits { infinite: true, ..Limits::default() },
                    Arc::new(Silent),
                );
                std::thread::yield_now();
                engine.stop();
            }
            2 => {
                engine.start(root(), Limits { ponder: true, ..Limits::depth(5) }, Arc::new(Silent));
                engine.ponder_hit();
            }
            _ => {
                engine.set_hash(1 + search % 3).expect("memory");
                engine.set_threads(2 + search % 5).expect("threads");
                engine.new_game();
            }
        }
        engine.wait();
    }
    println!("{searches} searches, {nodes} nodes in those that were counted");
}
