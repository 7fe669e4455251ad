//! One copy of the net for each memory node.

use std::sync::{Arc, OnceLock};

use megatherium_nnue::Network;

/// A net, and its copies on other memory nodes. Every thread reads it at every node of the tree, so
/// it should be in local memory.
///
/// A copy is made by the first thread that asks for it. That thread is bound to its node, and
/// memory belongs to the node of the thread that writes to it first.
pub struct Replicas {
    original: Arc<Network>,
    /// Copies for the second node and later ones.
    copies: Box<[OnceLock<Box<Network>>]>,
}

impl Replicas {
    /// A net for `nodes` memory nodes.
    pub fn new(original: Arc<Network>, nodes: usize) -> Replicas {
        Replicas { original, copies: (1..nodes).map(|_| OnceLock::new()).collect() }
    }

    /// The net as it was given.
    pub fn original(&self) -> &Arc<Network> {
        &self.original
    }

    /// The net for the threads of a node.
    pub fn of(&self, node: usize) -> &Network {
        match node.checked_sub(1).and_then(|index| self.copies.get(index)) {
            Some(copy) => copy.get_or_init(|| Box::new(Network::clone(&self.original))),
            None => &self.original,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_has_one_net_and_one_node_has_no_copy() {
        let shared = Network::embedded();
        let net: &Network = &shared;
        let alone = Replicas::new(Arc::clone(&shared), 1);
        assert!(std::ptr::eq(alone.of(0), net) && std::ptr::eq(alone.of(3), net));
        let three = Replicas::new(Arc::clone(&shared), 3);
        assert!(std::ptr::eq(three.of(0), net));
        assert!(std::ptr::eq(three.of(1), three.of(1)), "one copy for all threads of a node");
        assert!(!std::ptr::eq(three.of(1), three.of(2)) && !std::ptr::eq(three.of(1), net));
        assert_eq!(three.of(2).checksum(), net.checksum());
    }
}
