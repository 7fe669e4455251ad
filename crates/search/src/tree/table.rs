//! The search's use of the transposition table: keys, lookups, stores.

use megatherium_board::{Board, Move};

use super::entry::{Bound, Entry};
use super::search::Search;
use crate::score::{NONE, Score, from_table, to_table};

/// The halfmove clock from which on it is part of the table key.
const CLOCK_IN_KEY_FROM: u32 = 60;

/// The key a position has in the table.
///
/// Close to the 50-move rule the same placement can be won with the clock at 70 and drawn with the
/// clock at 96, so there the clock, in steps of eight, becomes part of the key.
#[inline]
pub fn table_key(board: &Board) -> u64 {
    board.key() ^ clock_key(board.halfmove_clock())
}

/// What a halfmove clock contributes to the key.
#[inline]
fn clock_key(clock: u32) -> u64 {
    if clock < CLOCK_IN_KEY_FROM {
        return 0;
    }
    // An odd multiplier spreads the step number over the word.
    u64::from((clock - CLOCK_IN_KEY_FROM) / 8 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Whether a score with this bound decides a search with the window `(alpha, beta)`.
#[inline]
pub(super) fn decides(bound: Bound, score: Score, alpha: Score, beta: Score) -> bool {
    match bound {
        Bound::Exact => true,
        Bound::Lower => score >= beta,
        Bound::Upper => score <= alpha,
        Bound::None => false,
    }
}

/// What the table knows about a position, made safe to use: the move is legal, the score relative
/// to the root.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recall {
    /// Whether the position was in the table.
    pub found: bool,
    /// The best move.
    pub mv: Option<Move>,
    /// That move is a capture or promotion.
    pub noisy: bool,
    /// The score, or [`NONE`].
    pub score: Score,
    /// The bound of the score.
    pub bound: Bound,
    /// The depth it was searched to; -1 without a score.
    pub depth: i32,
    /// The raw static evaluation, or [`NONE`].
    pub eval: Score,
    /// The position has been on a principal variation.
    pub pv: bool,
}

impl Recall {
    /// A miss.
    pub const NOTHING: Recall = Recall {
        found: false,
        mv: None,
        noisy: false,
        score: NONE,
        bound: Bound::None,
        depth: -1,
        eval: NONE,
        pv: false,
    };

    fn new(entry: Entry, board: &Board, ply: usize) -> Recall {
        let mv = Move::from_raw(entry.mv).filter(|&mv| board.is_legal(mv));
        let scored = entry.bound != Bound::None;
        Recall {
            found: true,
            mv,
            noisy: mv.is_some_and(|mv| board.is_noisy(mv)),
            score: if scored { from_table(entry.score, ply, board.halfmove_clock()) } else { NONE },
            bound: entry.bound,
            depth: if scored { i32::from(entry.depth) } else { -1 },
            eval: Score::from(entry.eval),
            pv: entry.pv,
        }
    }

    /// Whether the score sharpens a static evaluation: it is exact, or a bound on its other side.
    #[inline]
    pub fn sharpens(&self, eval: Score) -> bool {
        decides(self.bound, self.score, eval - 1, eval + 1)
    }
}

/// The result of a node, to be stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Finding {
    /// The best move, if one stands out.
    pub mv: Option<Move>,
    /// The score, relative to the root, or [`NONE`].
    pub score: Score,
    /// The bound of the score.
    pub bound: Bound,
    /// The depth it was searched to.
    pub depth: i32,
    /// The raw static evaluation, or [`NONE`].
    pub eval: Score,
    /// The position is or was on a principal variation.
    pub pv: bool,
}

impl Search<'_> {
    /// Looks a position up.
    #[inline]
    pub(super) fn recall(&mut self, key: u64, board: &Board, ply: usize) -> Recall {
        let entry = self.job.table.probe_with(key, &mut self.stats.table);
        entry.map_or(Recall::NOTHING, |hit| Recall::new(hit.get(), board, ply))
    }

    /// Stores the result of a position at `ply`.
    #[inline]
    pub(super) fn store(&mut self, key: u64, ply: usize, finding: Finding) {
        let entry = Entry {
            mv: finding.mv.map_or(0, Move::raw),
            score: to_table(finding.score, ply),
            eval: finding.eval as i16,
            depth: finding.depth.clamp(0, 127) as u8,
            pv: finding.pv && self.marks_pv,
            bound: finding.bound,
        };
        self.job.table.store_with(key, entry, &mut self.stats.table);
        if finding.depth >= self.share_from {
            self.share(key, entry);
        }
    }

    /// Shares a stored entry with the allies.
    #[cold]
    fn share(&self, key: u64, entry: Entry) {
        if let Some(allies) = &self.job.allies {
            allies.stored(self.id, key, entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_enters_the_key_only_near_the_limit() {
        let at = |clock: u32| {
            let fen = format!("4k3/8/8/8/8/8/3R4/4K3 w - - {clock} 60");
            table_key(&Board::from_fen(&fen).unwrap())
        };
        assert_eq!(at(0), at(CLOCK_IN_KEY_FROM - 1));
        assert_ne!(at(0), at(CLOCK_IN_KEY_FROM));
        assert_eq!(at(CLOCK_IN_KEY_FROM), at(CLOCK_IN_KEY_FROM + 7));
        assert_ne!(at(CLOCK_IN_KEY_FROM), at(CLOCK_IN_KEY_FROM + 8));
        assert_ne!(at(90), at(99));
    }

    #[test]
    fn a_bound_decides_only_on_its_own_side() {
        for (bound, decided) in [
            (Bound::Exact, [true; 3]),
            (Bound::Lower, [false, false, true]),
            (Bound::Upper, [true, false, false]),
            (Bound::None, [false; 3]),
        ] {
            // Below, inside and above the window (10, 20).
            assert_eq!([10, 15, 20].map(|score| decides(bound, score, 10, 20)), decided);
        }
    }
}
