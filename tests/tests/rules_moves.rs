//! What the board says about moves, held against what happens when they are made.

mod rules_support;

use std::collections::HashSet;

use megatherium_board::{
    Bitboard, Board, Color, Move, MoveList, Piece, PieceType, Square, attacks,
};
use rules_support::{any_start, chess960_start, open_start, random_positions, standard_start};

/// The sets, the mailbox, the keys, checkers and pins must be those of a board set up from the FEN.
fn assert_consistent(board: &Board) {
    let fresh =
        Board::from_fen(&board.shredder_fen()).unwrap_or_else(|error| panic!("{board:?}: {error}"));
    assert_eq!(board.keys(), board.compute_keys(), "keys of {board:?}");
    assert_eq!(board.keys(), fresh.keys(), "keys of {board:?}");
    assert_eq!(board.checkers(), fresh.checkers(), "checkers of {board:?}");
    for color in Color::ALL {
        assert_eq!(board.pinned(color), fresh.pinned(color), "pins of {board:?}");
    }
    let mut sets = [Bitboard::EMPTY; 12];
    for square in Square::all() {
        if let Some(piece) = board.piece_on(square) {
            sets[piece.index()] |= square.bitboard();
        }
    }
    for piece in Piece::ALL {
        assert_eq!(
            board.pieces_of(piece.color(), piece.piece_type()),
            sets[piece.index()],
            "{board:?}"
        );
    }
}

#[test]
fn all_65536_encodings() {
    let judge = |board: &Board| {
        let legal: HashSet<u16> = board.legal_moves().iter().map(|mv| mv.raw()).collect();
        assert_eq!(legal.len(), board.legal_moves().len(), "a move twice in {board:?}");
        for raw in 0..=u16::MAX {
            let says = Move::from_raw(raw).is_some_and(|mv| board.is_legal(mv));
            assert_eq!(says, legal.contains(&raw), "{raw:016b} in {board:?}");
        }
    };
    random_positions(1, 1_500, standard_start, |board, _| judge(board));
    random_positions(2, 1_000, chess960_start, |board, _| judge(board));
    random_positions(3, 1_500, open_start, |board, _| judge(board));
}

#[test]
fn stages_divide_the_legal_moves() {
    random_positions(4, 50_000, any_start, |board, _| {
        let (mut noisy, mut quiet) = (MoveList::new(), MoveList::new());
        board.captures(&mut noisy);
        board.quiets(&mut quiet);
        for mv in &noisy {
            assert!(board.is_noisy(*mv), "{mv:?} in {board:?}");
        }
        for mv in &quiet {
            assert!(!board.is_noisy(*mv), "{mv:?} in {board:?}");
        }
        let mut both: Vec<u16> = noisy.iter().chain(&quiet).map(|mv| mv.raw()).collect();
        let mut all: Vec<u16> = board.legal_moves().iter().map(|mv| mv.raw()).collect();
        both.sort_unstable();
        all.sort_unstable();
        assert_eq!(both, all, "{board:?}");
        assert_eq!(board.count_legal_moves() as usize, all.len());
        assert_eq!(board.has_legal_move(), !all.is_empty());
    });
}

#[test]
fn what_is_said_before_a_move_is_true_after_it() {
    random_positions(5, 20_000, any_start, |board, random| {
        let checks = board.checks();
        for mv in &board.legal_moves() {
            let mut after = *board;
            after.make(*mv);
            assert_eq!(board.key_after(*mv), after.key(), "key after {mv:?} in {board:?}");
            assert_eq!(after.keys(), after.compute_keys(), "keys after {mv:?} in {board:?}");
            assert_eq!(board.gives_check(*mv), after.in_check(), "check by {mv:?} in {board:?}");
            assert_eq!(checks.given_by(board, *mv), after.in_check(), "{mv:?} in {board:?}");

            let mut placement: Vec<_> =
                Square::all().map(|square| board.piece_on(square)).collect();
            let changes = board.changes(*mv);
            for (piece, square) in changes.removed() {
                assert_eq!(placement[square.index()].take(), Some(*piece), "{mv:?} in {board:?}");
            }
            for (piece, square) in changes.added() {
                assert_eq!(placement[square.index()].replace(*piece), None, "{mv:?} in {board:?}");
            }
            assert!(
                Square::all().all(|square| after.piece_on(square) == placement[square.index()])
            );

            let captured = board.captured(*mv);
            assert_eq!(captured.is_some(), board.is_capture(*mv));
            let lost = board.colors(!board.side_to_move()).count()
                - after.colors(!board.side_to_move()).count();
            assert_eq!(u32::from(captured.is_some()), lost, "{mv:?} in {board:?}");

            let zeroing = captured.is_some() || board.moved(*mv).piece_type() == PieceType::Pawn;
            assert_eq!(
                after.halfmove_clock(),
                if zeroing { 0 } else { board.halfmove_clock() + 1 }
            );
            let black = u32::from(board.side_to_move() == Color::Black);
            assert_eq!(after.fullmove_number(), board.fullmove_number() + black);
            if random.usize(..16) == 0 {
                assert_consistent(&after);
            }
        }
    });
}

/// An en passant capture takes two pawns from where they stood: either may have been in the way.
#[test]
fn en_passant_uncovers_checks() {
    for (fen, text) in [
        ("6k1/8/8/3pP3/8/8/B7/4K3 w - d6 0 1", "e5d6"),
        ("8/8/8/R2pP2k/8/8/8/4K3 w - d6 0 1", "e5d6"),
        ("4k3/8/7b/8/4pP2/8/8/2K5 b - f3 0 1", "e4f3"),
        ("4k3/8/8/8/K3pP1r/8/8/8 b - f3 0 1", "e4f3"),
        ("7k/8/8/3pP3/8/8/1B6/4K3 w - d6 0 1", "e5d6"),
    ] {
        let board = Board::from_fen(fen).unwrap();
        let mv = board.parse_uci(text).unwrap();
        assert!(mv.is_en_passant(), "{fen}");
        assert!(board.after(mv).in_check(), "{fen}");
        assert!(board.gives_check(mv) && board.checks().given_by(&board, mv), "{fen}");
    }
}

#[test]
fn quiet_checks_are_the_quiet_moves_that_check() {
    random_positions(7, 50_000, any_start, |board, _| {
        let (mut checks, mut quiets) = (MoveList::new(), MoveList::new());
        board.quiet_checks(&board.checks(), &mut checks);
        board.quiets(&mut quiets);
        quiets.retain(|mv| board.gives_check(mv) && !mv.is_castling());
        assert_eq!(checks.as_slice(), quiets.as_slice(), "{board:?}");
    });
}

#[test]
fn passing_the_move() {
    random_positions(6, 20_000, any_start, |board, _| {
        if board.in_check() {
            return;
        }
        let mut after = *board;
        after.make_null();
        assert_eq!(after.key(), board.key_after_null());
        assert_eq!((after.en_passant(), after.reversible_plies()), (None, 0));
        assert_consistent(&after);
    });
}

#[test]
fn attacks_and_threats() {
    random_positions(7, 5_000, any_start, |board, _| {
        let occupied = board.occupied();
        for color in Color::ALL {
            let by = |kinds: &[PieceType]| {
                let mut attacked = Bitboard::EMPTY;
                for piece_type in kinds {
                    for square in board.pieces_of(color, *piece_type) {
                        attacked |= attacks::of(*piece_type, color, square, occupied);
                    }
                }
                attacked
            };
            let threats = board.threats(color);
            let minors = [PieceType::Pawn, PieceType::Knight, PieceType::Bishop];
            assert_eq!(threats.pawn, by(&minors[..1]));
            assert_eq!(threats.minor, by(&minors));
            assert_eq!(threats.rook, by(&minors) | by(&[PieceType::Rook]));
            assert_eq!(board.threats(color).all, by(&PieceType::ALL));
            for square in Square::all() {
                let attackers = board.attackers_to(square, occupied) & board.colors(color);
                assert_eq!(attackers.any(), board.threats(color).all.contains(square));
                assert_eq!(attackers.any(), board.is_attacked(square, color, occupied));
            }
        }
    });
}

/// A man is pinned if taking it off the board gives check to its own king.
#[test]
fn pins_of_both_sides() {
    random_positions(9, 20_000, any_start, |board, _| {
        for color in Color::ALL {
            let king = board.king(color);
            let checkers = |occupied| board.attackers_to(king, occupied) & board.colors(!color);
            let before = checkers(board.occupied());
            let pinned: Bitboard = board
                .colors(color)
                .into_iter()
                .filter(|man| (checkers(board.occupied() ^ man.bitboard()) & !before).any())
                .collect();
            assert_eq!(board.pinned(color), pinned, "pins of {color:?} in {board:?}");
        }
    });
}

#[test]
fn pieces_are_all_but_king_and_pawns() {
    random_positions(10, 20_000, open_start, |board, _| {
        for color in Color::ALL {
            let pieces = Square::all().filter_map(|square| board.piece_on(square)).any(|piece| {
                let kind = piece.piece_type();
                piece.color() == color && kind != PieceType::King && kind != PieceType::Pawn
            });
            assert_eq!(board.has_non_pawn_material(color), pieces, "{color:?} in {board:?}");
        }
    });
}

/// A key of a part of the placement changes if, and only if, that part does.
#[test]
fn keys_of_parts() {
    use PieceType::{Bishop, King, Knight, Pawn};
    random_positions(12, 5_000, any_start, |board, _| {
        for mv in &board.legal_moves() {
            let after = board.after(*mv);
            let part = |belongs: &dyn Fn(Piece) -> bool| {
                let of = |board: &Board| {
                    Square::all()
                        .map(|square| board.piece_on(square).filter(|piece| belongs(*piece)))
                        .collect::<Vec<_>>()
                };
                of(board) != of(&after)
            };
            let pawns = part(&|piece| piece.piece_type() == Pawn);
            assert_eq!(board.pawn_key() != after.pawn_key(), pawns, "{mv:?} in {board:?}");
            let minor = part(&|piece| matches!(piece.piece_type(), Knight | Bishop | King));
            assert_eq!(board.minor_key() != after.minor_key(), minor, "{mv:?} in {board:?}");
            for color in Color::ALL {
                let rest = part(&|piece| piece.color() == color && piece.piece_type() != Pawn);
                let changed = board.non_pawn_key(color) != after.non_pawn_key(color);
                assert_eq!(changed, rest, "{color:?} after {mv:?} in {board:?}");
            }
        }
    });
}

#[test]
fn uci_and_san_read_back() {
    random_positions(8, 3_000, any_start, |board, _| {
        for mv in &board.legal_moves() {
            for chess960 in [false, true] {
                let text = board.uci(*mv, chess960).to_string();
                assert_eq!(board.parse_uci(&text), Ok(*mv), "{text} in {board:?}");
            }
            let text = board.san(*mv);
            assert_eq!(board.parse_san(&text), Ok(*mv), "{text} in {board:?}");
        }
    });
}

#[test]
fn castling_is_written_two_ways() {
    let standard = Board::from_fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1").unwrap();
    for (text, king_takes_rook) in [("e1g1", "e1h1"), ("e1c1", "e1a1")] {
        let mv = standard.parse_uci(text).unwrap();
        assert!(mv.is_castling());
        assert_eq!(standard.parse_uci(king_takes_rook), Ok(mv));
        assert_eq!(standard.uci(mv, false).to_string(), text);
        assert_eq!(standard.uci(mv, true).to_string(), king_takes_rook);
    }
    // With the king on f1, f1g1 is a step of the king, and only f1h1 castles.
    let shuffled = Board::from_fen("4k3/8/8/8/8/8/8/R4K1R w HA - 0 1").unwrap();
    assert!(!shuffled.parse_uci("f1g1").unwrap().is_castling());
    let castles = shuffled.parse_uci("f1h1").unwrap();
    assert!(castles.is_castling());
    assert_eq!(shuffled.uci(castles, false).to_string(), "f1h1");
    for text in ["e1g1", "f1d1", "f1c1"] {
        assert!(shuffled.parse_uci(text).is_err(), "{text}");
    }
    // A rook on e1 that goes to g1 does not castle.
    let rook = Board::from_fen("3k4/8/8/8/8/8/K7/4R3 w - - 0 1").unwrap();
    assert!(!rook.parse_uci("e1g1").unwrap().is_castling());
}
