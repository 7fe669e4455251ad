//! The built-in positions.
//!
//! 128 positions from games the engine played against itself, one per game,
//! from the opening to the endgame, none of them decided: `cargo run --release -p megatherium-lab
//! --example make_positions` makes the file.

use megatherium_board::Board;
use megatherium_board::epd::Epd;

const SUITE: &str = include_str!("../data/positions.epd");

/// `count` positions, evenly spread over the suite; all of it if it has fewer.
pub fn suite(count: usize) -> Vec<Board> {
    spread(&all(), count)
}

/// Every position of the suite.
pub fn all() -> Vec<Board> {
    SUITE
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.parse::<Epd>().expect("the suite is valid").board)
        .collect()
}

/// `count` items evenly spread over a slice; all of them if there are fewer.
pub fn spread<T: Clone>(items: &[T], count: usize) -> Vec<T> {
    let count = count.min(items.len());
    (0..count).map(|index| items[index * items.len() / count].clone()).collect()
}

/// A checksum of a list of positions.
pub fn checksum(boards: &[Board]) -> u64 {
    boards.iter().fold(0, |sum: u64, board| sum.rotate_left(5).wrapping_mul(3) ^ board.key())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_suite_is_varied() {
        let all = all();
        assert_eq!(all.len(), 128);
        let keys: BTreeSet<u64> = all.iter().map(Board::key).collect();
        assert_eq!(keys.len(), all.len(), "no position twice");
        assert!(all.iter().all(|board| board.legal_moves().len() > 3));
        let men = |range: std::ops::RangeInclusive<u32>| {
            all.iter().filter(|board| range.contains(&board.occupied().count())).count()
        };
        assert!(men(26..=32) >= 20 && men(15..=25) >= 20 && men(4..=14) >= 15);
        let black = all.iter().filter(|board| !board.side_to_move().is_white()).count();
        assert!((32..=96).contains(&black));
    }

    #[test]
    fn a_part_of_it_is_spread_out() {
        assert_eq!(spread(&[1, 2, 3, 4, 5, 6], 3), [1, 3, 5]);
        assert_eq!(spread(&[1, 2], 9), [1, 2]);
        assert_eq!(suite(16).len(), 16);
    }
}
