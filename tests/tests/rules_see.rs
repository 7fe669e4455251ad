//! Static exchange evaluation against an exchange that is played out on a plain array of squares.

mod rules_support;

use megatherium_board::{Board, Color, Move, Piece, PieceType, SEE_VALUES, Square};
use rules_support::{any_start, random_positions};

type Grid = [Option<Piece>; 64];

const ROOK: [(i32, i32); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
const BISHOP: [(i32, i32); 4] = [(1, 1), (-1, 1), (1, -1), (-1, -1)];
const KNIGHT: [(i32, i32); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

fn step(square: usize, (df, dr): (i32, i32)) -> Option<usize> {
    let (file, rank) = (square as i32 % 8 + df, square as i32 / 8 + dr);
    ((0..8).contains(&file) && (0..8).contains(&rank)).then_some((rank * 8 + file) as usize)
}

/// The first occupied square in a direction.
fn look(grid: &Grid, from: usize, direction: (i32, i32)) -> Option<usize> {
    let mut square = step(from, direction)?;
    while grid[square].is_none() {
        square = step(square, direction)?;
    }
    Some(square)
}

/// Squares of `color`'s sliders that attack `target`.
fn sliders(grid: &Grid, target: usize, color: Color) -> Vec<usize> {
    let along = |directions: [(i32, i32); 4], slider: PieceType| {
        directions
            .into_iter()
            .filter_map(|direction| look(grid, target, direction))
            .filter(|square| {
                [slider, PieceType::Queen]
                    .iter()
                    .any(|kind| grid[*square] == Some(Piece::new(color, *kind)))
            })
            .collect::<Vec<_>>()
    };
    [along(ROOK, PieceType::Rook), along(BISHOP, PieceType::Bishop)].concat()
}

fn attackers(grid: &Grid, target: usize, color: Color) -> Vec<usize> {
    let stands = |square: usize, kind| grid[square] == Some(Piece::new(color, kind));
    let mut found = sliders(grid, target, color);
    found.extend(
        KNIGHT
            .iter()
            .filter_map(|jump| step(target, *jump))
            .filter(|s| stands(*s, PieceType::Knight)),
    );
    let around = ROOK.iter().chain(&BISHOP).filter_map(|one| step(target, *one));
    found.extend(around.filter(|square| stands(*square, PieceType::King)));
    let behind = if color == Color::White { -1 } else { 1 };
    let pawns = [(-1, behind), (1, behind)].into_iter().filter_map(|one| step(target, one));
    found.extend(pawns.filter(|square| stands(*square, PieceType::Pawn)));
    found
}

/// May the piece capture on `target`: does it open no line to its king, and if it is the king, is
/// it safe there?
fn may_capture(grid: &Grid, from: usize, target: usize) -> bool {
    let Some(piece) = grid[from] else {
        return false;
    };
    let color = piece.color();
    let mut after = *grid;
    after[target] = after[from].take();
    if piece.piece_type() == PieceType::King {
        return attackers(&after, target, !color).is_empty();
    }
    let king =
        grid.iter().position(|stands| *stands == Some(Piece::new(color, PieceType::King))).unwrap();
    let before = sliders(grid, king, !color);
    sliders(&after, king, !color).iter().all(|slider| before.contains(slider))
}

fn value(piece: Piece) -> i32 {
    SEE_VALUES[piece.piece_type().index()]
}

/// What `color` gains at best by capturing on `target` or leaving it.
fn exchange(grid: &Grid, target: usize, color: Color) -> i32 {
    let mut able = attackers(grid, target, color);
    able.retain(|from| may_capture(grid, *from, target));
    let cheapest = able.into_iter().min_by_key(|from| (grid[*from].map(Piece::piece_type), *from));
    let (Some(from), Some(victim)) = (cheapest, grid[target]) else {
        return 0;
    };
    let mut after = *grid;
    after[target] = after[from].take();
    (value(victim) - exchange(&after, target, !color)).max(0)
}

/// The exact outcome of a move.
fn outcome(board: &Board, mv: Move) -> i32 {
    if mv.is_castling() {
        return 0;
    }
    let mut grid: Grid = core::array::from_fn(|square| board.piece_on(Square::from_index(square)));
    let mut gain = 0;
    for (piece, square) in board.changes(mv).removed() {
        grid[square.index()] = None;
        if piece.color() != board.side_to_move() {
            gain += value(*piece);
        }
    }
    for (piece, square) in board.changes(mv).added() {
        grid[square.index()] = Some(*piece);
        if mv.is_promotion() {
            gain += value(*piece) - SEE_VALUES[PieceType::Pawn.index()];
        }
    }
    gain - exchange(&grid, mv.to().index(), !board.side_to_move())
}

#[test]
fn thresholds_are_exact() {
    let mut compared = 0u64;
    let mut losing = 0u64;
    random_positions(11, 20_000, any_start, |board, _| {
        for mv in &board.legal_moves() {
            let exact = outcome(board, *mv);
            for threshold in [exact - 1, exact, exact + 1, -500, -100, 0, 1, 100, 325] {
                assert_eq!(
                    board.see_ge(*mv, threshold),
                    exact >= threshold,
                    "{mv:?} is worth {exact}, threshold {threshold}, in {board:?}"
                );
            }
            compared += 1;
            losing += u64::from(exact < 0);
        }
    });
    assert!(compared > 300_000 && losing > 10_000, "{compared} moves, {losing} lose");
}

#[test]
fn known_exchanges() {
    for (fen, uci, worth) in [
        ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5", 100),
        ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5", -225),
        // The defending knight is pinned to its king, so the pawn is free.
        ("4k3/8/2n5/1B2p3/8/5N2/8/4K3 w - - 0 1", "f3e5", 100),
        // The queen that has arrived stands between the white rook and the one that would pin it.
        ("4r1k1/2q5/8/4P3/8/8/4R3/4K3 b - - 0 1", "c7e5", -375),
        // A pinned rook takes the piece that pins it.
        ("4k3/4r3/8/8/8/8/4Q3/4K3 w - - 0 1", "e2e5", -975),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", 100),
        ("3r3k/2P5/8/8/8/8/8/K7 w - - 0 1", "c7d8q", 500 + 875),
        ("3rk3/2P5/8/8/8/8/8/K7 w - - 0 1", "c7d8q", 500 + 875 - 975),
        // A king may not take what is defended.
        ("8/8/8/4k3/4p3/8/6B1/K3R3 w - - 0 1", "g2e4", 100),
        ("8/8/8/4k3/4p3/8/6B1/K7 w - - 0 1", "g2e4", -225),
    ] {
        let board = Board::from_fen(fen).unwrap();
        let mv = board.parse_uci(uci).unwrap();
        assert_eq!(outcome(&board, mv), worth, "{uci} in {fen}");
        assert!(board.see_ge(mv, worth) && !board.see_ge(mv, worth + 1), "{uci} in {fen}");
    }
    let quiet = Board::startpos();
    let mv = quiet.parse_uci("e2e4").unwrap();
    assert!(quiet.see_ge(mv, 0) && !quiet.see_ge(mv, 1));
    assert!(quiet.see_ge(mv, i32::MIN) && !quiet.see_ge(mv, i32::MAX));
}
