//! The order of the fields in the data word, and what it is worth.

use super::keys::hashed;
use crate::entry::{Bound, Data, Entry};
use crate::protocol::{Protocol, Xor};

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 += 1;
        hashed(self.0)
    }

    /// A number around 0, of this size on average, large ones seldom: the way evaluations in centipawns are
    /// distributed.
    fn around_zero(&mut self, size: f64) -> i16 {
        let uniform = (self.next() >> 11) as f64 / (1u64 << 53) as f64;
        let size = -size * (1.0 - uniform).ln();
        if self.next().is_multiple_of(2) { size as i16 } else { -size as i16 }
    }

    /// An entry such as a search stores: two in five without a move, the others with one of a few hundred;
    /// shallow ones far more often than deep ones; a score near the evaluation.
    fn entry(&mut self) -> Entry {
        let mv = if self.next() % 5 < 2 { 0 } else { (self.next() % 64 * 64 + self.next() % 16) as u16 };
        let eval = self.around_zero(80.0);
        let score = eval.saturating_add(self.around_zero(40.0));
        let depth = (self.next() | 1 << 20).trailing_zeros() as u8;
        let bound = if self.next().is_multiple_of(2) { Bound::Upper } else { Bound::Lower };
        Entry { mv, score, eval, depth, pv: false, bound }
    }
}

/// The same entry with its fields in the order in which they are declared, the move on top.
fn in_declared_order(entry: Entry) -> u64 {
    let [mv, score, eval] = [entry.mv, entry.score as u16, entry.eval as u16].map(u64::from);
    mv << 48 | score << 32 | eval << 16 | u64::from(entry.depth + 1) << 9 | entry.bound as u64
}

/// A torn pair of two random entries of one cluster is dead unless the key it belongs to is of the same
/// cluster. How often is it not, with 16 MiB?
#[test]
fn torn_pairs_seldom_belong_to_their_cluster() {
    let clusters = 16 << 14;
    let pairs = 4_000_000;
    let mut random = Random(1);
    let (mut shipped, mut declared) = (0u32, 0u32);
    for _ in 0..pairs {
        let (one, other) = (random.entry(), random.entry());
        let key = random.next();
        let stays = |tear: u64| Xor::cluster_of(key ^ tear, clusters) == Xor::cluster_of(key, clusters);
        shipped += u32::from(stays(Data::pack(one, 0).payload() ^ Data::pack(other, 0).payload()));
        declared += u32::from(stays(in_declared_order(one) ^ in_declared_order(other)));
    }
    println!(
        "of {pairs} torn pairs stay in their cluster: {shipped} as shipped, {declared} with the move on top"
    );
    assert!(declared > 100 * shipped, "{declared} against {shipped}");
}
