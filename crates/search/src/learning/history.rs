//! Move histories: how often a move was good, by context.
//!
//! All entries move towards a limit with "gravity": a bonus counts less the more the entry already
//! agrees with it, so recent experience outweighs old, and nothing overflows.

use std::collections::TryReserveError;
use std::sync::atomic::{AtomicI16, Ordering};

use megatherium_board::{Bitboard, Board, Color, Move, Piece, PieceType, Square};

use super::table;

/// Largest magnitude of a history entry.
pub const HISTORY_LIMIT: i32 = 16_384;

/// Number of (piece, destination) pairs: what continuation and pawn histories know of a move.
pub const PIECE_TO: usize = 12 * 64;

/// Slots of the pawn history; pawn structures are hashed to them.
const PAWN_SLOTS: usize = 512;

/// A history score. A relaxed atomic, so that threads can share it; on one thread it is an ordinary
/// number, and an update that another thread overwrites is lost.
#[derive(Debug, Default)]
pub struct Entry(AtomicI16);

impl Entry {
    /// The score, within ±[`HISTORY_LIMIT`].
    #[inline]
    pub fn get(&self) -> i32 {
        i32::from(self.0.load(Ordering::Relaxed))
    }

    /// Moves the entry towards ±limit by `bonus`, less the closer it already is.
    #[inline]
    pub fn update(&self, bonus: i32) {
        let bonus = bonus.clamp(-HISTORY_LIMIT, HISTORY_LIMIT);
        let value = self.get();
        let value = value + bonus - value * bonus.abs() / HISTORY_LIMIT;
        self.0.store(value as i16, Ordering::Relaxed);
    }

    fn clear(&self) {
        self.0.store(0, Ordering::Relaxed);
    }
}

/// (piece, destination) as one index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceTo(u16);

impl PieceTo {
    /// `piece` arriving on `to`.
    #[inline]
    pub fn new(piece: Piece, to: Square) -> PieceTo {
        PieceTo((piece.index() * 64 + to.index()) as u16)
    }

    /// As an array index.
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Kinds of moves that later ones follow differently: captures and evasions are often forced.
const KINDS: usize = 4;

/// A move as the histories of later moves know it: (piece, destination) and its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Played {
    piece_to: PieceTo,
    kind: u8,
}

impl Played {
    /// `mv` played on `board`.
    #[inline]
    pub fn new(board: &Board, mv: Move) -> Played {
        let kind = 2 * u8::from(board.in_check()) + u8::from(board.is_noisy(mv));
        Played { piece_to: PieceTo::new(board.moved(mv), mv.to()), kind }
    }

    /// Without its kind.
    #[inline]
    pub fn piece_to(self) -> PieceTo {
        self.piece_to
    }

    /// As a context of later moves.
    #[inline]
    pub fn context(self) -> Context {
        Context(u16::from(self.kind) * PIECE_TO as u16 + self.piece_to.0)
    }
}

/// A row of the continuation history: what was played before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context(u16);

impl Context {
    /// No move, or a null move: nothing is learned from it.
    pub const NONE: Context = Context((KINDS * PIECE_TO) as u16);
}

/// The histories of all moves in one context.
pub struct Row([Entry; PIECE_TO]);

impl Row {
    /// How good a move was in this context.
    #[inline]
    pub fn get(&self, mv: PieceTo) -> i32 {
        self.0[mv.index()].get()
    }
}

impl Default for Row {
    fn default() -> Self {
        Row(std::array::from_fn(|_| Entry::default()))
    }
}

/// Everything a thread, or several that share it, remember between searches of one game.
pub struct Histories {
    /// Quiet moves by side, from, to, and whether those squares are attacked.
    quiet: Box<[Entry; 2 * 4 * 4096]>,
    /// Captures by moving piece, destination and captured type.
    capture: Box<[Entry; PIECE_TO * 6]>,
    /// Quiet moves by what was played one, two, four and six plies before. The last row is that of
    /// [`Context::NONE`]: all zeros.
    continuation: Box<[Row; KINDS * PIECE_TO + 1]>,
    /// Quiet moves by pawn structure.
    pawn: Box<[Row; PAWN_SLOTS]>,
}

/// A place in the butterfly history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuietIndex(u16);

impl QuietIndex {
    /// The place of a quiet move of `side` while the opponent attacks `threats`.
    #[inline]
    pub fn new(side: Color, mv: Move, threats: Bitboard) -> QuietIndex {
        let from_hit = usize::from(threats.contains(mv.from()));
        let to_hit = usize::from(threats.contains(mv.to()));
        let context = (side.index() * 2 + from_hit) * 2 + to_hit;
        // The squares as they stand in the move.
        QuietIndex((context * 4096) as u16 | (mv.raw() % 4096))
    }
}

/// A place in the capture history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaptureIndex(u16);

impl CaptureIndex {
    /// The place of a capture or promotion.
    #[inline]
    pub fn new(board: &Board, mv: Move) -> CaptureIndex {
        let piece_to = PieceTo::new(board.moved(mv), mv.to());
        // A promotion without capture shares the (otherwise unused) slots of a captured king.
        let captured = board.captured(mv).unwrap_or(PieceType::King);
        CaptureIndex((piece_to.index() * 6 + captured.index()) as u16)
    }
}

#[inline]
fn pawn_slot(board: &Board) -> usize {
    board.pawn_key() as usize % PAWN_SLOTS
}

impl Histories {
    /// Histories of zeros. Fails if the memory cannot be allocated.
    pub fn new() -> Result<Histories, TryReserveError> {
        Ok(Histories { quiet: table()?, capture: table()?, continuation: table()?, pawn: table()? })
    }

    /// Resets all entries to zero.
    pub fn clear(&self) {
        self.quiet.iter().for_each(Entry::clear);
        self.capture.iter().for_each(Entry::clear);
        for row in self.continuation.iter().chain(self.pawn.iter()) {
            row.0.iter().for_each(Entry::clear);
        }
    }

    /// The same for the only owner: plain stores, which the compiler makes wide.
    pub fn clear_own(&mut self) {
        fn clear(entries: &mut [Entry]) {
            for entry in entries {
                *entry.0.get_mut() = 0;
            }
        }
        clear(&mut *self.quiet);
        clear(&mut *self.capture);
        for row in self.continuation.iter_mut().chain(self.pawn.iter_mut()) {
            clear(&mut row.0);
        }
    }

    /// How good a quiet move was for this side, given the squares the opponent attacks.
    #[inline]
    pub fn quiet(&self, side: Color, mv: Move, threats: Bitboard) -> i32 {
        self.quiet[usize::from(QuietIndex::new(side, mv, threats).0)].get()
    }

    /// How good a capture (or promotion) was.
    #[inline]
    pub fn capture(&self, board: &Board, mv: Move) -> i32 {
        self.capture[usize::from(CaptureIndex::new(board, mv).0)].get()
    }

    /// How good moves were as answers (or follow-ups) to an earlier one.
    #[inline]
    pub fn after(&self, earlier: Context) -> &Row {
        &self.continuation[usize::from(earlier.0)]
    }

    /// How good quiet moves were with this pawn structure.
    #[inline]
    pub fn with_pawns(&self, board: &Board) -> &Row {
        &self.pawn[pawn_slot(board)]
    }

    /// Learns from a quiet move, given the squares the opponent attacks.
    pub fn update_quiet(&self, board: &Board, mv: Move, threats: Bitboard, bonus: i32) {
        self.update_butterfly(QuietIndex::new(board.side_to_move(), mv, threats), bonus);
    }

    /// Learns from a quiet move with this pawn structure.
    pub fn update_pawn(&self, board: &Board, mv: Move, bonus: i32) {
        self.pawn[pawn_slot(board)].0[PieceTo::new(board.moved(mv), mv.to()).index()].update(bonus);
    }

    /// Learns from a quiet move whose place is known.
    pub fn update_butterfly(&self, index: QuietIndex, bonus: i32) {
        self.quiet[usize::from(index.0)].update(bonus);
    }

    /// Learns from a capture or promotion.
    pub fn update_capture(&self, index: CaptureIndex, bonus: i32) {
        self.capture[usize::from(index.0)].update(bonus);
    }

    /// Learns that `mv` was good or bad after `earlier`.
    pub fn update_continuation(&self, earlier: Context, mv: PieceTo, bonus: i32) {
        if earlier != Context::NONE {
            self.continuation[usize::from(earlier.0)].0[mv.index()].update(bonus);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gravity_keeps_entries_in_range_and_forgets() {
        let entry = Entry::default();
        for _ in 0..1000 {
            entry.update(3000);
        }
        assert!(entry.get() > HISTORY_LIMIT - 3000 && entry.get() <= HISTORY_LIMIT);
        entry.update(-3000);
        let once_bad = entry.get();
        assert!(
            once_bad < HISTORY_LIMIT - 3000,
            "a refutation counts more against an inflated entry"
        );
        for _ in 0..1000 {
            entry.update(i32::MIN / 2);
        }
        assert_eq!(entry.get(), -HISTORY_LIMIT);
    }

    #[test]
    fn threatened_squares_have_their_own_entries() {
        let board = Board::startpos();
        let mv = board.parse_uci("g1f3").unwrap();
        let histories = Histories::new().unwrap();
        histories.update_quiet(&board, mv, Bitboard(0), 500);
        assert_eq!(histories.quiet(Color::White, mv, Bitboard(0)), 500);
        assert_eq!(histories.quiet(Color::White, mv, mv.to().bitboard()), 0);
        assert_eq!(histories.quiet(Color::Black, mv, Bitboard(0)), 0);
    }

    #[test]
    fn both_ways_of_clearing_leave_nothing() {
        let clear: [fn(&mut Histories); 2] = [|own| own.clear(), Histories::clear_own];
        for clear in clear {
            let mut histories = Histories::new().unwrap();
            let entries = |histories: &Histories| {
                let rows = histories.continuation.iter().chain(histories.pawn.iter());
                let in_rows: i64 = rows.flat_map(|row| &row.0).map(|e| i64::from(e.get())).sum();
                let flat = histories.quiet.iter().chain(histories.capture.iter());
                in_rows + flat.map(|entry| i64::from(entry.get())).sum::<i64>()
            };
            for last in [true, false] {
                let at = |len: usize| if last { len - 1 } else { 0 };
                histories.quiet[at(2 * 4 * 4096)].update(500);
                histories.capture[at(PIECE_TO * 6)].update(500);
                histories.continuation[at(KINDS * PIECE_TO)].0[at(PIECE_TO)].update(500);
                histories.pawn[at(PAWN_SLOTS)].0[at(PIECE_TO)].update(500);
            }
            assert_eq!(entries(&histories), 8 * 500);
            clear(&mut histories);
            assert_eq!(entries(&histories), 0);
        }
    }

    #[test]
    fn captures_and_evasions_have_their_own_answers() {
        let played = |fen: &str, mv: &str| {
            let board = Board::from_fen(fen).unwrap();
            Played::new(&board, board.parse_uci(mv).unwrap())
        };
        let quiet = played("4k3/8/8/8/8/4R3/8/4K3 b - - 0 1", "e8d7");
        let moves = [
            played("4k3/8/8/8/8/8/8/4K3 b - - 0 1", "e8d7"),
            played("4k3/3P4/8/8/8/8/8/K7 b - - 0 1", "e8d7"),
            quiet,
        ];
        // All three are (king, d7): a quiet move, a capture out of check, an evasion.
        assert!(moves.iter().all(|played| played.piece_to() == quiet.piece_to()));
        let histories = Histories::new().unwrap();
        let answer =
            PieceTo::new(Piece::new(Color::White, PieceType::Rook), Square::from_index(60));
        for (bonus, played) in [100, 200, 300].into_iter().zip(moves) {
            histories.update_continuation(played.context(), answer, bonus);
        }
        let learnt = moves.map(|played| histories.after(played.context()).get(answer));
        assert_eq!(learnt, [100, 200, 300]);
    }
}
