//! What a cluster asks of a network.

use std::time::Duration;

/// A rank's access to the other ranks. No call waits for anybody.
///
/// Messages may be lost or reordered: the protocol tolerates both, although MPI does neither.
pub trait Transport {
    /// The number of this rank, from 0.
    fn rank(&self) -> usize;

    /// How many ranks there are.
    fn ranks(&self) -> usize;

    /// Posts a message.
    fn send(&mut self, to: usize, bytes: &[u8]);

    /// The next message that has arrived, and its sender.
    fn receive(&mut self) -> Option<(usize, Vec<u8>)>;

    /// The protocol polls at this interval: a transport with a thread of its own need not poll more
    /// often.
    fn set_poll_interval(&mut self, _interval: Duration) {}

    /// Whether this rank is still alive: false only in tests that let ranks die.
    fn is_open(&self) -> bool {
        true
    }
}
