//! A position in 28 bytes.

use megatherium_board::{Board, Color, Piece, PieceType, Square};

/// A position, packed.
///
/// ```text
/// offset  size  field
///      0     8  occupied squares, a1 = bit 0
///      8    16  a nibble for each occupied square in order, low nibble first:
///               0–5 White's pawn … king, 6–11 Black's, 12 and 13 White's and Black's rook
///               that may still castle
///     24     1  bit 7 set when Black is to move, bits 0–3 the file of a possible en passant
///               capture, or 8
///     25     1  halfmove clock
///     26     2  fullmove number
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PackedBoard(pub [u8; PackedBoard::SIZE]);

const NO_FILE: u8 = 8;
const CASTLING_ROOK: u8 = 12;
const BLACK_TO_MOVE: u8 = 0x80;

impl PackedBoard {
    /// Bytes of a packed position.
    pub const SIZE: usize = 28;

    /// Packs a position. Positions with more than 32 pieces do not fit.
    pub fn pack(board: &Board) -> Option<PackedBoard> {
        let occupied = board.occupied();
        if occupied.count() > 32 {
            return None;
        }
        // Shredder-FEN names the files of the castling rooks: "HAha".
        let fen = board.shredder_fen();
        let rights = fen.split(' ').nth(2).unwrap_or("-");
        let may_castle = |piece: Piece, square: Square| {
            let letter = (b'A' + square.file()) as char;
            let (letter, home) = match piece.color() {
                Color::White => (letter, 0),
                Color::Black => (letter.to_ascii_lowercase(), 7),
            };
            piece.piece_type() == PieceType::Rook
                && square.rank() == home
                && rights.contains(letter)
        };
        let mut bytes = [0; Self::SIZE];
        bytes[..8].copy_from_slice(&occupied.0.to_le_bytes());
        let pieces =
            occupied.into_iter().filter_map(|square| Some((board.piece_on(square)?, square)));
        for (number, (piece, square)) in pieces.enumerate() {
            let code = if may_castle(piece, square) {
                CASTLING_ROOK + piece.color().index() as u8
            } else {
                piece.index() as u8
            };
            bytes[8 + number / 2] |= code << (4 * (number % 2));
        }
        let mover = if board.side_to_move() == Color::Black { BLACK_TO_MOVE } else { 0 };
        bytes[24] = mover | board.en_passant().map_or(NO_FILE, Square::file);
        bytes[25] = board.halfmove_clock().min(255) as u8;
        bytes[26..]
            .copy_from_slice(&(board.fullmove_number().min(u16::MAX as u32) as u16).to_le_bytes());
        Some(PackedBoard(bytes))
    }

    /// The position; `None` if the bytes are not a legal one.
    pub fn unpack(&self) -> Option<Board> {
        Board::from_fen(&self.fen()?).ok()
    }

    /// The position as Shredder-FEN.
    fn fen(&self) -> Option<String> {
        let bytes = &self.0;
        let occupied = u64::from_le_bytes(std::array::from_fn(|i| bytes[i]));
        if occupied.count_ones() > 32 {
            return None;
        }
        // FEN may say `11` for two empty squares.
        let mut letters = ['1'; 64];
        let mut rights = [String::new(), String::new()];
        let squares = (0..64).filter(|square| occupied >> square & 1 != 0);
        for (number, square) in squares.enumerate() {
            let code = bytes[8 + number / 2] >> (4 * (number % 2)) & 15;
            let (color, kind) = match code {
                0..12 => (code / 6, code % 6),
                12 | 13 => {
                    let file = b'A' + (square % 8) as u8;
                    rights[(code - CASTLING_ROOK) as usize].push(file as char);
                    (code - CASTLING_ROOK, PieceType::Rook as u8)
                }
                _ => return None,
            };
            let letter = b"PNBRQK"[kind as usize] as char;
            letters[square] = if color == 0 { letter } else { letter.to_ascii_lowercase() };
        }
        let mut fen = String::with_capacity(90);
        for rank in (0..8).rev() {
            fen.extend(&letters[8 * rank..8 * rank + 8]);
            fen.push(if rank > 0 { '/' } else { ' ' });
        }
        let black = bytes[24] & BLACK_TO_MOVE != 0;
        fen.push_str(if black { "b " } else { "w " });
        fen.push_str(&rights[0]);
        fen.push_str(&rights[1].to_ascii_lowercase());
        fen.push_str(if rights.iter().all(String::is_empty) { "- " } else { " " });
        match bytes[24] & 15 {
            file @ 0..8 => {
                fen.push((b'a' + file) as char);
                fen.push(if black { '3' } else { '6' });
            }
            NO_FILE => fen.push('-'),
            _ => return None,
        }
        let fullmove = u16::from_le_bytes([bytes[26], bytes[27]]);
        Some(format!("{fen} {} {fullmove}", bytes[25]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_survive_packing() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 3 17",
            "8/2p5/3p4/KP5r/1R3pPk/8/4P3/8 b - g3 0 1",
            "rkrqnbbn/pppppppp/8/8/8/8/PPPPPPPP/RKRQNBBN w CAca - 0 1",
            "rkrqnbbn/pppppppp/8/8/8/8/PPPPPPPP/RKRQNBBN b Ca - 0 300",
            "4k3/8/8/8/8/8/8/4K2R w K - 99 120",
            "6k1/8/8/8/8/8/8/K6R w - - 99 120",
        ] {
            let board = Board::from_fen(fen).unwrap();
            let packed = PackedBoard::pack(&board).unwrap();
            let unpacked = packed.unpack().unwrap();
            assert_eq!(unpacked.shredder_fen(), board.shredder_fen());
            assert_eq!(unpacked.key(), board.key());
            assert_eq!(PackedBoard::pack(&unpacked).unwrap(), packed);
        }
    }

    #[test]
    fn nonsense_is_refused_without_a_panic() {
        let good = PackedBoard::pack(&Board::startpos()).unwrap();
        assert!(PackedBoard([0; PackedBoard::SIZE]).unpack().is_none());
        assert!(PackedBoard([0xFF; PackedBoard::SIZE]).unpack().is_none());
        let mut random = fastrand::Rng::with_seed(1);
        for _ in 0..20_000 {
            let mut bytes = good;
            for _ in 0..=random.usize(..3) {
                bytes.0[random.usize(..PackedBoard::SIZE)] ^= 1 << random.usize(..8);
            }
            // Whatever comes out is a position that packs again, or nothing.
            if let Some(board) = bytes.unpack() {
                assert!(PackedBoard::pack(&board).is_some());
            }
        }
    }
}
