//! One search on two ranks, without MPI: both run in this process and talk through channels. A
//! network of your own needs no more than this implementation of `Transport`.
//!
//! `cargo run --release -p megatherium-cluster --example two_ranks`

use megatherium_cluster::{Timing, Transport, follow, lead};
use megatherium_search::EngineError;
use megatherium_uci::output::Output;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// The end of a wire between two ranks.
struct Wire {
    rank: usize,
    to_other: Sender<Vec<u8>>,
    from_other: Receiver<Vec<u8>>,
}

impl Transport for Wire {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        2
    }

    fn send(&mut self, _to: usize, bytes: &[u8]) {
        // A rank that has gone hears nothing. The protocol notices that it is silent.
        let _ = self.to_other.send(bytes.to_vec());
    }

    fn receive(&mut self) -> Option<(usize, Vec<u8>)> {
        self.from_other.try_recv().ok().map(|bytes| (1 - self.rank, bytes))
    }
}

fn main() -> Result<(), EngineError> {
    let (to_follower, from_leader) = channel();
    let (to_leader, from_follower) = channel();
    let first = Wire { rank: 0, to_other: to_follower, from_other: from_follower };
    let second = Wire { rank: 1, to_other: to_leader, from_other: from_leader };
    // `isready` waits until the other rank has the same settings. At the end of the input the
    // search may end by itself.
    let commands = "setoption name Hash value 64
isready
position startpos moves e2e4 e7e5 g1f3
go movetime 2000
";
    let follower = thread::spawn(move || follow(second, Timing::default()));
    let alive = lead(first, commands.as_bytes(), Arc::new(Output::stdout()), Timing::default())?;
    follower.join().expect("the follower does not panic")?;
    println!("all ranks alive at the end: {alive}");
    Ok(())
}
