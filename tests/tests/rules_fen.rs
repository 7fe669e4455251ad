//! FEN: what is read, what is refused and why, and that nothing panics.

mod rules_support;

use megatherium_board::epd::Epd;
use megatherium_board::{Board, Color, PieceType};
use proptest::prelude::*;
use rules_support::{Rng, any_start, random_positions};

#[test]
fn four_five_and_six_fields() {
    for (fen, written) in [
        ("4k3/8/8/8/8/8/8/4K3 w - -", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
        ("4k3/8/8/8/8/8/8/4K3 b - - 17", "4k3/8/8/8/8/8/8/4K3 b - - 17 1"),
        ("  4k3/8/8/8/8/8/8/4K3\tw  -  -  3   9 \r\n", "4k3/8/8/8/8/8/8/4K3 w - - 3 9"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 0", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
        ("4k3/8/44/8/17/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"),
        // En passant is kept only if the capture is legal.
        ("4k3/8/8/8/4P3/8/8/4K3 b - e3 0 1", "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1"),
        ("4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", "4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1"),
        ("8/8/8/K2pP2r/8/8/8/7k w - d6 0 1", "8/8/8/K2pP2r/8/8/8/7k w - - 0 1"),
        // The order of castling rights is free.
        ("r3k2r/8/8/8/8/8/8/R3K2R w qkQK - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"),
    ] {
        let board = Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        assert_eq!(board.fen(), written);
        assert_eq!(written.parse(), Ok(board));
    }
}

#[test]
fn castling_as_fen_x_fen_and_shredder_fen() {
    for (fen, x_fen, shredder, chess960) in [
        ("r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", "KQkq", "HAha", false),
        ("1r2k1r1/8/8/8/8/8/8/1R2K1R1 w KQkq - 0 1", "KQkq", "GBgb", true),
        // K and k are the outermost rooks; an inner one is named by its file.
        ("4k1rr/8/8/8/8/8/8/4K1RR w Kg - 0 1", "Kg", "Hg", true),
        ("rr2k3/8/8/8/8/8/8/RR2K3 w Qb - 0 1", "Qb", "Ab", true),
        ("rr2k3/8/8/8/8/8/8/RR2K3 w Bq - 0 1", "Bq", "Ba", true),
        ("4k3/8/8/8/8/8/8/1K5R w K - 0 1", "K", "H", true),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", "-", "-", false),
    ] {
        let board = Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        let castling = |fen: String| fen.split(' ').nth(2).unwrap_or_default().to_owned();
        assert_eq!(castling(board.fen()), x_fen, "{fen}");
        assert_eq!(castling(board.shredder_fen()), shredder, "{fen}");
        assert_eq!(board.is_chess960(), chess960, "{fen}");
        for text in [board.fen(), board.shredder_fen()] {
            assert_eq!(text.parse(), Ok(board), "{text}");
        }
    }
}

#[test]
fn errors_say_what_and_where() {
    for (fen, message) in [
        ("", "pieces, column 1: the text ends before this field"),
        ("   ", "pieces, column 1: the text ends before this field"),
        ("8/8/8/8/8/8/8/8", "side to move, column 16: the text ends before this field"),
        ("4k3/8/8/8/8/8/8/4K3", "side to move, column 20: the text ends before this field"),
        ("4k3/8/8/8/8/8/8/4K3 w", "castling, column 22: the text ends before this field"),
        ("4k3/8/8/8/8/8/8/4K3 w -", "en passant, column 24: the text ends before this field"),
        (
            "4k3/8/8/8/8/8/8/4K3 w - - 0 1 x",
            "fullmove number, column 31: text after the last field",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 W - - 0 1",
            "side to move, column 21: the side to move is neither w nor b",
        ),
        ("4k3/8/8/8/8/8/8/4K3 w - - x 1", "halfmove clock, column 27: not a number"),
        ("4k3/8/8/8/8/8/8/4K3 w - - -1 1", "halfmove clock, column 27: not a number"),
        ("4k3/8/8/8/8/8/8/4K3 w - - +1 1", "halfmove clock, column 27: not a number"),
        (
            "4k3/8/8/8/8/8/8/4K3 w - - 0 70000",
            "fullmove number, column 29: the number is too large",
        ),
        (
            "4k3/8/8/8/8/8/8/4X3 w - - 0 1",
            "pieces, column 18: 'X' is neither a piece nor a number from 1 to 8",
        ),
        (
            "4k3/8/8/8/8/8/é/4K3 w - - 0 1",
            "pieces, column 15: 'é' is neither a piece nor a number from 1 to 8",
        ),
        (
            "4k3/8/8/8/8/8/0/4K3 w - - 0 1",
            "pieces, column 15: '0' is neither a piece nor a number from 1 to 8",
        ),
        ("4k4/8/8/8/8/8/8/4K3 w - - 0 1", "pieces, column 3: rank 8 has more than 8 squares"),
        ("4k3N/8/8/8/8/8/8/4K3 w - - 0 1", "pieces, column 4: rank 8 has more than 8 squares"),
        ("4k3/7/8/8/8/8/8/4K3 w - - 0 1", "pieces, column 6: rank 7 has only 7 squares"),
        ("4k3/8/8/8/8/8/8/4K2 w - - 0 1", "pieces, column 20: rank 1 has only 7 squares"),
        ("4k3/8/8/8/8/8/4K3 w - - 0 1", "pieces, column 18: only 7 ranks"),
        ("4k3/8/8/8/8/8/8/4K3/8 w - - 0 1", "pieces, column 20: more than 8 ranks"),
        ("4k3/8/8/8/8/8/8/4KP2 w - - 0 1", "pieces, column 19: a pawn cannot stand on f1"),
        ("p3k3/8/8/8/8/8/8/4K3 w - - 0 1", "pieces, column 1: a pawn cannot stand on a8"),
        ("4k3/8/8/8/8/8/8/8 w - - 0 1", "pieces, column 1: White has 0 kings instead of one"),
        ("4k2k/8/8/8/8/8/8/4K3 w - - 0 1", "pieces, column 1: Black has 2 kings instead of one"),
        (
            "4k3/8/8/8/8/N7/PPPPPPPP/RNBQKBNR w KQ - 0 1",
            "pieces, column 1: White has 17 men, more than 16",
        ),
        (
            "4k3/8/8/8/8/8/8/4RK2 w - - 0 1",
            "side to move, column 22: Black is in check but not to move",
        ),
        (
            "8/8/8/3kK3/8/8/8/8 w - - 0 1",
            "side to move, column 20: Black is in check but not to move",
        ),
        ("4k3/8/8/8/8/8/8/4K3 w x - 0 1", "castling, column 23: 'x' is not a castling right"),
        ("4k3/8/8/8/8/8/8/4K3 w -- - 0 1", "castling, column 23: '-' is not a castling right"),
        (
            "4k3/8/8/8/8/8/8/4K2R w KQ - 0 1",
            "castling, column 25: no king and rook stand on the back rank for the right 'Q'",
        ),
        (
            "4k3/8/8/8/8/8/4K3/R6R w KQ - 0 1",
            "castling, column 25: no king and rook stand on the back rank for the right 'K'",
        ),
        (
            "4k2r/8/8/8/8/8/8/4K2R w Kg - 0 1",
            "castling, column 26: no king and rook stand on the back rank for the right 'g'",
        ),
        (
            "4k3/8/8/8/8/8/8/4K1RR w KG - 0 1",
            "castling, column 26: 'G' gives a second castling right on the same wing",
        ),
        (
            "4k3/8/8/8/8/8/8/4K2R w KK - 0 1",
            "castling, column 25: 'K' gives a second castling right on the same wing",
        ),
        ("4k3/8/8/8/8/8/8/4K3 w - e9 0 1", "en passant, column 25: neither a square nor -"),
        ("4k3/8/8/8/8/8/8/4K3 w - 3 0 1", "en passant, column 25: neither a square nor -"),
        ("4k3/8/8/8/4P3/8/8/4K3 w - e3 0 1", "en passant, column 27: the square must be on rank 6"),
        ("4k3/8/8/4p3/8/8/8/4K3 b - e6 0 1", "en passant, column 27: the square must be on rank 3"),
        (
            "4k3/8/8/8/8/8/8/4K3 b - e3 0 1",
            "en passant, column 25: there is no pawn to capture on e4",
        ),
        (
            "4k3/8/8/8/4P3/4N3/8/4K3 b - e3 0 1",
            "en passant, column 29: the pawn cannot have come over e3, which is occupied",
        ),
        (
            "4k3/8/8/8/4P3/8/4N3/4K3 b - e3 0 1",
            "en passant, column 29: the pawn cannot have come over e2, which is occupied",
        ),
    ] {
        match Board::from_fen(fen) {
            Ok(board) => panic!("{fen} was read as {board:?}"),
            Err(error) => assert_eq!(error.to_string(), message, "{fen}"),
        }
    }
}

/// What every accepted position must keep to, and that all can be done with it that a search does.
fn assert_searchable(board: &Board) {
    let us = board.side_to_move();
    for color in Color::ALL {
        assert_eq!(board.pieces_of(color, PieceType::King).count(), 1);
        assert!(board.colors(color).count() <= 16);
    }
    let edges = megatherium_board::Bitboard::rank(0) | megatherium_board::Bitboard::rank(7);
    assert!(!board.pieces(PieceType::Pawn).intersects(edges));
    assert!(!board.is_attacked(board.king(!us), us, board.occupied()));
    assert_eq!(Board::from_fen(&board.fen()).as_ref(), Ok(board));
    assert_eq!(Board::from_fen(&board.shredder_fen()).as_ref(), Ok(board));
    for mv in &board.legal_moves() {
        assert!(board.is_legal(*mv));
        let mut next = *board;
        next.make(*mv);
        assert_eq!(next.keys(), next.compute_keys());
        assert_eq!(next.key(), board.key_after(*mv));
        assert_eq!(next.in_check(), board.gives_check(*mv));
        assert!(
            !next.is_attacked(next.king(us), !us, next.occupied()),
            "{mv:?} leaves the king in {board:?}"
        );
        board.see_ge(*mv, 0);
    }
}

/// Changes a text in a few places, with letters that FENs are made of and some that they are not.
fn mutate(text: &str, random: &mut Rng) -> String {
    const LETTERS: &str = "pnbrqkPNBRQK12345678/-wbKQkqaAhHeE36 90x\té♔\u{0}\"";
    let letters: Vec<char> = LETTERS.chars().collect();
    let mut text: Vec<char> = text.chars().collect();
    for _ in 0..=random.usize(..4) {
        let at = random.usize(..=text.len());
        let letter = letters[random.usize(..letters.len())];
        match random.usize(..5) {
            0 => text.insert(at, letter),
            1 if at < text.len() => drop(text.remove(at)),
            2 if at + 1 < text.len() => text.swap(at, at + 1),
            3 => {
                let end = (at + random.usize(..8)).min(text.len());
                let copy = text[at..end].to_vec();
                let to = random.usize(..=text.len());
                text.splice(to..to, copy);
            }
            _ if at < text.len() => text[at] = letter,
            _ => text.push(letter),
        }
    }
    text.into_iter().collect()
}

#[test]
fn a_hundred_thousand_mutated_fens() {
    let mut accepted = 0;
    random_positions(31, 100_000, any_start, |board, random| {
        let fen = if random.usize(..2) == 0 { board.fen() } else { board.shredder_fen() };
        let text = mutate(&fen, random);
        // Reading it as EPD must not panic either.
        let _ = text.parse::<Epd>();
        match Board::from_fen(&text) {
            Ok(board) => {
                accepted += 1;
                assert_searchable(&board);
            }
            Err(error) => {
                let columns = text.chars().count();
                assert!((1..=columns + 1).contains(&error.column), "{error} in {text:?}");
            }
        }
    });
    assert!((5_000..95_000).contains(&accepted), "{accepted} accepted");
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,100}") {
        let _ = Board::from_fen(&text);
        let _ = text.parse::<Epd>();
        let start = Board::startpos();
        let _ = start.parse_uci(&text);
        let _ = start.parse_san(&text);
    }

    #[test]
    fn any_operations_are_read_or_refused(text in "[a-zA-Z0-9 ;\"é-]{0,60}") {
        if let Ok(epd) = format!("4k3/8/8/8/8/8/4P3/4K3 w - - {text}").parse::<Epd>() {
            let written = epd.to_string();
            prop_assert_eq!(written.parse::<Epd>().ok(), Some(epd), "{}", written);
        }
    }

    #[test]
    fn any_short_move_is_read_or_refused(text in "[a-hA-H1-9NBRQKOPx=+#()é:.-]{0,8}") {
        let board = Board::from_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1").unwrap();
        for mv in [board.parse_uci(&text), board.parse_san(&text)].into_iter().flatten() {
            prop_assert!(board.is_legal(mv));
        }
    }
}
