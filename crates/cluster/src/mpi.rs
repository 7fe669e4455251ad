//! The network of a cluster: MPI. The only file that knows it.
//!
//! Two operations of MPI are used: a send and a probe, neither of which waits. The main thread
//! makes all the calls; the protocol runs on a thread of its own and exchanges packets with the
//! main thread through channels. There are no collectives and no one-sided operations, because in
//! those one dead rank stops all others. For the same reason there is no blocking send: Open MPI
//! over TCP never returns from a send to a rank that has died, not even from a buffered one.

use std::cell::Cell;
use std::error::Error;
use std::io::{self, BufReader};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use ::mpi::Threading;
use ::mpi::request;
use ::mpi::topology::SimpleCommunicator;
use ::mpi::traits::{Communicator as _, Destination as _, Equivalence as _, Source as _};
use megatherium_cli::progress::survive_file_size_limit;
use megatherium_cli::stdio::Patient;
use megatherium_search::EngineError;
use megatherium_uci::output::Output;

use crate::endpoint::Timing;
use crate::follower::follow;
use crate::leader::lead;
use crate::transport::Transport;

/// A rank whose send takes longer than this counts as blocked.
const SEND_TIMEOUT: Duration = Duration::from_millis(20);

/// Between two tests of a send under way.
const SEND_POLL: Duration = Duration::from_micros(50);

/// The rank that a message goes to or comes from, and its bytes.
type Packet = (usize, Vec<u8>);

/// The rank's end of the channels.
struct ChannelTransport {
    rank: usize,
    ranks: usize,
    outgoing: Sender<Packet>,
    incoming: Receiver<Packet>,
    /// How long the main thread waits between two probes, in nanoseconds.
    poll_interval: Arc<AtomicU64>,
}

impl Transport for ChannelTransport {
    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.ranks
    }

    fn send(&mut self, to: usize, bytes: &[u8]) {
        // The main thread outlives this one.
        let _ = self.outgoing.send((to, bytes.to_vec()));
    }

    fn receive(&mut self) -> Option<Packet> {
        self.incoming.try_recv().ok()
    }

    fn set_poll_interval(&mut self, poll_interval: Duration) {
        self.poll_interval.store(poll_interval.as_nanos() as u64, Ordering::Relaxed);
    }
}

/// The main thread's end of the channels, and MPI.
struct MpiLoop {
    world: SimpleCommunicator,
    outgoing: Receiver<Packet>,
    incoming: Sender<Packet>,
    poll_interval: Arc<AtomicU64>,
    /// By rank: a send to it has timed out and is still incomplete.
    is_blocked: Vec<Cell<bool>>,
}

impl MpiLoop {
    /// Passes on what has arrived, then what the rank wants to send. Returns false when the rank
    /// has hung up.
    fn round(&self) -> bool {
        self.receive();
        let poll_interval = Duration::from_nanos(self.poll_interval.load(Ordering::Relaxed));
        match self.outgoing.recv_timeout(poll_interval) {
            Ok(first) => {
                let rest = self.outgoing.try_iter();
                self.send(&std::iter::once(first).chain(rest).collect::<Vec<_>>());
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return false,
        }
        true
    }

    fn receive(&self) {
        while let Some((message, status)) = self.world.any_process().immediate_matched_probe() {
            let mut bytes = vec![0; status.count(u8::equivalent_datatype()).max(0) as usize];
            message.matched_receive_into(&mut bytes[..]);
            let _ = self.incoming.send((status.source_rank() as usize, bytes));
        }
    }

    /// Sends packets, and returns when all requests are complete.
    ///
    /// MPI borrows a packet until its request is complete, and a request to a dead rank never is.
    /// Such a call does not return: it keeps serving the other ranks from inside. Meanwhile packets
    /// to the blocked rank are dropped, as a network may, so calls nest at most once per dead rank.
    fn send(&self, packets: &[Packet]) {
        request::scope(|scope| {
            let mut leaving: Vec<_> = packets
                .iter()
                .filter(|(to, _)| !self.is_blocked[*to].get())
                .map(|(to, bytes)| {
                    let rank = self.world.process_at_rank(*to as i32);
                    (&self.is_blocked[*to], rank.immediate_send(scope, &bytes[..]))
                })
                .collect();
            let start = Instant::now();
            loop {
                let mut left = Vec::with_capacity(leaving.len());
                for (is_blocked, request) in leaving {
                    is_blocked.set(false);
                    left.extend(request.test().err().map(|request| (is_blocked, request)));
                }
                leaving = left;
                if leaving.is_empty() {
                    return;
                }
                if start.elapsed() < SEND_TIMEOUT {
                    self.receive();
                    thread::sleep(SEND_POLL);
                } else {
                    for (is_blocked, _) in &leaving {
                        is_blocked.set(true);
                    }
                    if !self.round() {
                        exit_without_finalize();
                    }
                }
            }
        });
    }
}

/// Ends the process without MPI's own end, which waits for all ranks, and without the main thread:
/// after the death of a rank, Open MPI over TCP sometimes never returns from any call.
fn exit_without_finalize() -> ! {
    std::process::exit(0)
}

/// Takes part as the rank that MPI says: leads as rank 0, follows as any other.
pub fn run() -> Result<(), Box<dyn Error>> {
    survive_file_size_limit()?;
    let (universe, threading) = ::mpi::initialize_with_threading(Threading::Funneled)
        .ok_or("MPI has been started twice")?;
    if threading < Threading::Funneled {
        return Err("this MPI does not support threads".into());
    }
    let world = universe.world();
    let (rank, ranks) = (world.rank() as usize, world.size() as usize);
    let (to_network, outgoing) = channel();
    let (to_rank, incoming) = channel();
    let poll_interval = Arc::<AtomicU64>::default();
    let transport = ChannelTransport {
        rank,
        ranks,
        outgoing: to_network,
        incoming,
        poll_interval: Arc::clone(&poll_interval),
    };
    let is_blocked = vec![Cell::new(false); ranks];
    let network = MpiLoop { world, outgoing, incoming: to_rank, poll_interval, is_blocked };
    let worker = thread::Builder::new().name(format!("rank {rank}")).spawn(move || {
        let clean = if rank == 0 {
            let input = BufReader::new(Patient(io::stdin()));
            lead(transport, input, Arc::new(Output::stdout()), Timing::default())
        } else {
            follow(transport, Timing::default())
        }?;
        if !clean {
            exit_without_finalize();
        }
        Ok::<(), EngineError>(())
    })?;
    while network.round() {}
    worker.join().map_err(|_| "the thread of this rank has panicked")??;
    Ok(())
}
