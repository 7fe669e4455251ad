//! Static exchange evaluation: what a capture wins after all recaptures on its square.

use crate::attacks;
use crate::{Bitboard, Board, Color, Move, PieceType, Square};

/// What the pieces are worth in an exchange, by [`PieceType::index`]. The king counts nothing: it
/// is never taken.
pub const SEE_VALUES: [i32; 6] = [100, 325, 325, 500, 975, 0];

impl Board {
    /// Whether a legal move wins at least `threshold` in the exchange on its target square.
    ///
    /// After the move, the sides capture on the square in turns with their least valuable piece,
    /// and each may stop when going on would lose. X-ray attackers join in. A piece that is at that
    /// moment pinned to its king stays away; a king captures only what is no longer defended.
    /// Promotions count for the move itself, not for those that follow.
    ///
    /// ```
    /// use megatherium_board::Board;
    /// let board = Board::from_fen("4k3/8/3p4/4p3/8/5N2/8/4K3 w - - 0 1").unwrap();
    /// let takes = board.parse_uci("f3e5").unwrap(); // a knight for a pawn
    /// assert!(!board.see_ge(takes, 0) && board.see_ge(takes, 100 - 325));
    /// ```
    pub fn see_ge(&self, mv: Move, threshold: i32) -> bool {
        if mv.is_castling() {
            return threshold <= 0;
        }
        let (from, to) = (mv.from(), mv.to());
        let mut arrived = self.piece_from(mv).map_or(PieceType::Pawn, crate::Piece::piece_type);
        let mut gain = self.captured(mv).map_or(0, |taken| SEE_VALUES[taken.index()]);
        let mut occupied = self.occupied() & !from.bitboard() | to.bitboard();
        if let Some(promoted) = mv.promotion() {
            arrived = promoted;
            gain += SEE_VALUES[promoted.index()] - SEE_VALUES[PieceType::Pawn.index()];
        } else if mv.is_en_passant() {
            occupied ^= to.en_passant_partner().bitboard();
        }

        // What is left over the threshold if the enemy stops now, then if it takes the piece for
        // nothing.
        let mut balance = gain.saturating_sub(threshold);
        if balance < 0 {
            return false;
        }
        balance -= SEE_VALUES[arrived.index()];
        if balance >= 0 {
            return true;
        }

        let diagonal = self.pieces(PieceType::Bishop) | self.pieces(PieceType::Queen);
        let orthogonal = self.pieces(PieceType::Rook) | self.pieces(PieceType::Queen);
        let mut attackers = self.attackers_to(to, occupied);
        let mut side = !self.side_to_move;
        loop {
            // `side` has to capture or it fails: `balance` is negative from the view of who moved
            // last.
            attackers &= occupied;
            let mut own = attackers & self.colors(side);
            if own.any() {
                own &= !self.held_back(side, to, occupied);
            }
            let Some((piece_type, square)) = self.cheapest(own) else {
                return side != self.side_to_move;
            };
            if piece_type == PieceType::King {
                // Without the king's own square: it does not block sliders behind it.
                let defended = self.attackers_to(to, occupied ^ square.bitboard()) & occupied;
                let defended = defended.intersects(self.colors(!side));
                return (side == self.side_to_move) != defended;
            }
            // From now on seen by `side`: it has what the other lost, and risks the piece it
            // captures with.
            balance = -balance - 1 - SEE_VALUES[piece_type.index()];
            if balance >= 0 {
                return side == self.side_to_move;
            }
            occupied ^= square.bitboard();
            if matches!(piece_type, PieceType::Pawn | PieceType::Bishop | PieceType::Queen) {
                attackers |= attacks::bishop(to, occupied) & diagonal;
            }
            if matches!(piece_type, PieceType::Rook | PieceType::Queen) {
                attackers |= attacks::rook(to, occupied) & orthogonal;
            }
            side = !side;
        }
    }

    /// The least valuable piece of a set, if the set is not empty.
    #[inline]
    fn cheapest(&self, set: Bitboard) -> Option<(PieceType, Square)> {
        for piece_type in PieceType::ALL {
            if let Some(square) = (set & self.pieces(piece_type)).first() {
                return Some((piece_type, square));
            }
        }
        None
    }

    /// Pinned pieces of `color`: each is the only blocker on `occupied` between its king and an
    /// enemy slider. A slider on the target of the exchange pins nothing that could capture there.
    /// The piece on the target is itself a blocker, so behind it nothing is pinned.
    #[inline]
    fn held_back(&self, color: Color, target: Square, occupied: Bitboard) -> Bitboard {
        let king = self.king(color);
        let snipers = (attacks::bishop_rays(king) & self.diagonal_sliders(!color)
            | attacks::rook_rays(king) & self.orthogonal_sliders(!color))
            & occupied
            & !target.bitboard();
        let mut held = Bitboard::EMPTY;
        for sniper in snipers {
            let blockers = attacks::between(king, sniper) & occupied;
            if !blockers.more_than_one() {
                held |= blockers;
            }
        }
        held
    }
}
