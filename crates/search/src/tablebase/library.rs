//! The probing library behind the types of this crate.

use megatherium_board::{Bitboard, Board, Color, Move, PieceType, Square, attacks};
use pyrrhic_rs::{DtzProbeValue, EngineAdapter, TableBases, WdlProbeResult};

use super::{RootMove, TablebaseError, Wdl};

/// Gives the probing library our attack tables.
#[derive(Clone)]
struct Adapter;

fn square(index: u64) -> Square {
    Square::from_index(index as usize & 63)
}

impl EngineAdapter for Adapter {
    fn pawn_attacks(color: pyrrhic_rs::Color, from: u64) -> u64 {
        let color = if color == pyrrhic_rs::Color::White { Color::White } else { Color::Black };
        attacks::pawn(color, square(from)).0
    }
    fn knight_attacks(from: u64) -> u64 {
        attacks::knight(square(from)).0
    }
    fn bishop_attacks(from: u64, occupied: u64) -> u64 {
        attacks::bishop(square(from), Bitboard(occupied)).0
    }
    fn rook_attacks(from: u64, occupied: u64) -> u64 {
        attacks::rook(square(from), Bitboard(occupied)).0
    }
    fn queen_attacks(from: u64, occupied: u64) -> u64 {
        attacks::queen(square(from), Bitboard(occupied)).0
    }
    fn king_attacks(from: u64) -> u64 {
        attacks::king(square(from)).0
    }
}

/// The tables of a path. The library holds one set per process.
pub(super) struct Tables(TableBases<Adapter>);

impl Tables {
    pub(super) fn open(path: &str) -> Result<Tables, TablebaseError> {
        match TableBases::new(path) {
            Ok(tables) => Ok(Tables(tables)),
            Err(pyrrhic_rs::TBError::AlreadyInitialized) => Err(TablebaseError::InUse),
            Err(_) => Err(TablebaseError::Unusable(path.to_owned())),
        }
    }

    /// The result of a position, if it is in the tables.
    pub(super) fn wdl(&self, board: &Board) -> Option<Wdl> {
        let [white, black, kings, queens, rooks, bishops, knights, pawns] = bitboards(board);
        let white_to_move = board.side_to_move() == Color::White;
        let result = self.0.probe_wdl(
            white,
            black,
            kings,
            queens,
            rooks,
            bishops,
            knights,
            pawns,
            en_passant(board),
            white_to_move,
        );
        result.ok().map(wdl)
    }

    /// All legal moves with their results, if the tables have the position.
    pub(super) fn root(&self, board: &Board) -> Option<Vec<RootMove>> {
        let [white, black, kings, queens, rooks, bishops, knights, pawns] = bitboards(board);
        let probed = self.0.probe_root(
            white,
            black,
            kings,
            queens,
            rooks,
            bishops,
            knights,
            pawns,
            board.halfmove_clock(),
            en_passant(board),
            board.side_to_move() == Color::White,
        );
        let probed = probed.ok()?;
        let known = |value: &DtzProbeValue| {
            let DtzProbeValue::DtzResult(result) = value else { return None };
            let mv = find_move(board, *result)?;
            Some(RootMove { mv, wdl: wdl(result.wdl), dtz: u32::from(result.dtz) })
        };
        probed.moves[..probed.num_moves].iter().map(known).collect()
    }
}

fn wdl(result: WdlProbeResult) -> Wdl {
    match result {
        WdlProbeResult::Loss => Wdl::Loss,
        WdlProbeResult::BlessedLoss => Wdl::BlessedLoss,
        WdlProbeResult::Draw => Wdl::Draw,
        WdlProbeResult::CursedWin => Wdl::CursedWin,
        WdlProbeResult::Win => Wdl::Win,
    }
}

fn bitboards(board: &Board) -> [u64; 8] {
    let of = |piece| board.pieces(piece).0;
    [
        board.colors(Color::White).0,
        board.colors(Color::Black).0,
        of(PieceType::King),
        of(PieceType::Queen),
        of(PieceType::Rook),
        of(PieceType::Bishop),
        of(PieceType::Knight),
        of(PieceType::Pawn),
    ]
}

fn en_passant(board: &Board) -> u32 {
    board.en_passant().map_or(0, |square| square.index() as u32)
}

fn find_move(board: &Board, result: pyrrhic_rs::DtzResult) -> Option<Move> {
    let promotion = match result.promotion {
        pyrrhic_rs::Piece::Knight => Some(PieceType::Knight),
        pyrrhic_rs::Piece::Bishop => Some(PieceType::Bishop),
        pyrrhic_rs::Piece::Rook => Some(PieceType::Rook),
        pyrrhic_rs::Piece::Queen => Some(PieceType::Queen),
        pyrrhic_rs::Piece::Pawn | pyrrhic_rs::Piece::King => None,
    };
    let (from, to) = (square(u64::from(result.from_square)), square(u64::from(result.to_square)));
    board
        .legal_moves()
        .iter()
        .copied()
        .find(|mv| mv.from() == from && mv.to() == to && mv.promotion() == promotion)
}
