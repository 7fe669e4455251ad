//! The identity behind every scaling number: time-to-depth speed-up = NPS ratio ÷ node overhead.
//!
//! More threads search more nodes a second, but also more nodes: part of the work is done twice.
//! The first factor is about the machine, the second about the algorithm, and only the second can
//! be measured without the machine.

use std::collections::BTreeMap;

/// Two searches of one position to one depth, as logarithms of ratios (N threads over one).
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Factors {
    /// ln of the time of one thread over that of N.
    pub speed_up: f64,
    /// ln of the nodes per second of N threads over those of one.
    pub nps: f64,
    /// ln of the nodes of N threads over those of one.
    pub overhead: f64,
}

impl Factors {
    /// From nodes and seconds of one thread and of several.
    pub fn new((nodes_1, seconds_1): (f64, f64), (nodes_n, seconds_n): (f64, f64)) -> Factors {
        Factors {
            speed_up: (seconds_1 / seconds_n).ln(),
            nps: ((nodes_n / seconds_n) / (nodes_1 / seconds_1)).ln(),
            overhead: (nodes_n / nodes_1).ln(),
        }
    }

    /// The mean over several depths or runs. The identity survives, because it is linear in the
    /// logarithms.
    pub fn mean(all: &[Factors]) -> Factors {
        let count = all.len().max(1) as f64;
        let mean = |part: fn(&Factors) -> f64| all.iter().map(part).sum::<f64>() / count;
        Factors {
            speed_up: mean(|f| f.speed_up),
            nps: mean(|f| f.nps),
            overhead: mean(|f| f.overhead),
        }
    }

    /// The error of the identity: 0 up to rounding, unless the bookkeeping is wrong.
    pub fn residue(&self) -> f64 {
        self.speed_up - (self.nps - self.overhead)
    }
}

/// The factors of each position, averaged over its repeats.
pub fn by_position(repeats: impl Iterator<Item = (usize, Option<Factors>)>) -> Vec<Factors> {
    let mut positions = BTreeMap::<usize, Vec<Factors>>::new();
    for (position, factors) in repeats.filter_map(|(position, factors)| Some((position, factors?)))
    {
        positions.entry(position).or_default().push(factors);
    }
    positions.values().map(|repeats| Factors::mean(repeats)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_identity_holds_for_one_pair_and_for_means() {
        let one = Factors::new((1e6, 1.0), (1.3e6, 0.7));
        assert!((one.speed_up.exp() - 1.0 / 0.7).abs() < 1e-12);
        assert!((one.overhead.exp() - 1.3).abs() < 1e-12);
        assert!((one.nps.exp() - 1.3 / 0.7).abs() < 1e-12);
        assert!(one.residue().abs() < 1e-12);
        let two = Factors::new((5e5, 0.4), (2e6, 0.9));
        assert!(Factors::mean(&[one, two]).residue().abs() < 1e-12);
    }

    #[test]
    fn a_node_counted_twice_shows() {
        let wrong = Factors { overhead: 0.5, ..Factors::new((1e6, 1.0), (1e6, 0.5)) };
        assert!(wrong.residue() > 0.4);
    }
}
