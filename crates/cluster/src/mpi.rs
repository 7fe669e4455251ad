//! The network of a cluster: MPI. The only file that knows it.
//!
//! Two operations of MPI are used: a buffered send, which copies the message and returns, and a
//! probe that does not wait. One thread makes all the calls. There are no collectives and no
//! one-sided operations, because in those one dead rank stops all others.

use std::error::Error;
use std::io::{self, BufReader};
use std::sync::Arc;

use ::mpi::Threading;
use ::mpi::topology::SimpleCommunicator;
use ::mpi::traits::{Communicator as _, Destination as _, Equivalence as _, Source as _};
use megatherium_cli::progress::survive_file_size_limit;
use megatherium_cli::stdio::Patient;
use megatherium_uci::output::Output;

use crate::follower::follow;
use crate::leader::lead;
use crate::message::LONGEST;
use crate::station::{ENVELOPE, Timing, WINDOW};
use crate::wire::Wire;

/// Room in the send buffer beside full windows, per rank: acknowledgements, and what MPI adds.
const SPARE: usize = 1 << 20;

struct World(SimpleCommunicator);

impl Wire for World {
    fn rank(&self) -> usize {
        self.0.rank() as usize
    }

    fn ranks(&self) -> usize {
        self.0.size() as usize
    }

    fn send(&mut self, to: usize, bytes: &[u8]) {
        self.0.process_at_rank(to as i32).buffered_send(bytes);
    }

    fn receive(&mut self) -> Option<(usize, Vec<u8>)> {
        let (message, status) = self.0.any_process().immediate_matched_probe()?;
        let mut bytes = vec![0; status.count(u8::equivalent_datatype()).max(0) as usize];
        message.matched_receive_into(&mut bytes[..]);
        Some((status.source_rank() as usize, bytes))
    }
}

/// Takes part as the rank that MPI says: leads as rank 0, follows as any other.
pub fn run() -> Result<(), Box<dyn Error>> {
    survive_file_size_limit()?;
    let (mut universe, threading) = ::mpi::initialize_with_threading(Threading::Funneled)
        .ok_or("MPI has been started twice")?;
    if threading < Threading::Funneled {
        return Err("this MPI does not support threads".into());
    }
    let wire = World(universe.world());
    let window = WINDOW as usize * (LONGEST + ENVELOPE) + SPARE;
    universe.set_buffer_size(wire.ranks() * window);
    let clean = if wire.rank() == 0 {
        let input = BufReader::new(Patient(io::stdin()));
        lead(wire, input, Arc::new(Output::stdout()), Timing::default())?
    } else {
        follow(wire)?
    };
    if !clean {
        // The end of MPI waits for all ranks, and one of them is gone.
        std::process::exit(0);
    }
    Ok(())
}
