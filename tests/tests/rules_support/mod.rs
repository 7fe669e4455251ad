//! What the tests of the rules share: random games, starting positions, and the files outside the
//! repository.

#![allow(dead_code, reason = "every test binary takes its own part of this module")]

use std::path::PathBuf;

pub use fastrand::Rng;
use megatherium_board::{Board, Move};

/// A random move, with a liking for those that random play makes too rarely: castling, promotion,
/// en passant.
pub fn random_move(board: &Board, random: &mut Rng) -> Option<Move> {
    let moves = board.legal_moves();
    if random.usize(..4) == 0 {
        let rare: Vec<Move> = moves
            .iter()
            .copied()
            .filter(|mv| mv.is_castling() || mv.is_promotion() || mv.is_en_passant())
            .collect();
        if let Some(mv) = random.choice(&rare) {
            return Some(*mv);
        }
    }
    random.choice(moves.as_slice()).copied()
}

/// Plays random games from `start` and shows every position of them, until `count` positions have
/// been seen.
pub fn random_positions(
    seed: u64,
    count: usize,
    mut start: impl FnMut(&mut Rng) -> Board,
    mut show: impl FnMut(&Board, &mut Rng),
) {
    let mut random = Rng::with_seed(seed);
    let mut seen = 0;
    while seen < count {
        let mut board = start(&mut random);
        for _ in 0..300 {
            show(&board, &mut random);
            seen += 1;
            let Some(mv) = random_move(&board, &mut random) else {
                break;
            };
            if seen >= count || board.halfmove_clock() >= 100 {
                break;
            }
            board.make(mv);
        }
    }
}

/// Positions that random games start from: the usual one and some where the special moves are near.
pub fn standard_start(random: &mut Rng) -> Board {
    const STARTS: [&str; 8] = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1",
        "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
    ];
    Board::from_fen(STARTS[random.usize(..STARTS.len())]).unwrap()
}

/// The back rank of one of the 960 starting positions: bishops on squares of both colours, the king
/// between the rooks.
fn back_rank(random: &mut Rng) -> [char; 8] {
    let mut rank = ['.'; 8];
    rank[2 * random.usize(..4)] = 'B';
    rank[2 * random.usize(..4) + 1] = 'B';
    for piece in ['Q', 'N', 'N'] {
        let free: Vec<usize> = (0..8).filter(|file| rank[*file] == '.').collect();
        rank[free[random.usize(..free.len())]] = piece;
    }
    let free: Vec<usize> = (0..8).filter(|file| rank[*file] == '.').collect();
    for (file, piece) in free.into_iter().zip(['R', 'K', 'R']) {
        rank[file] = piece;
    }
    rank
}

/// A starting position of Chess960, or of double Chess960, where the sides differ.
pub fn chess960_start(random: &mut Rng) -> Board {
    let white = back_rank(random);
    let black = if random.usize(..2) == 0 { white } else { back_rank(random) };
    let files = |rank: [char; 8]| -> Vec<char> {
        (0..8u8)
            .rev()
            .filter(|file| rank[*file as usize] == 'R')
            .map(|file| (b'A' + file) as char)
            .collect()
    };
    let pieces = |rank: [char; 8]| rank.into_iter().collect::<String>();
    let fen = format!(
        "{}/pppppppp/8/8/8/8/PPPPPPPP/{} w {}{} - 0 1",
        pieces(black).to_lowercase(),
        pieces(white),
        files(white).into_iter().collect::<String>(),
        files(black).into_iter().collect::<String>().to_lowercase(),
    );
    Board::from_fen(&fen).unwrap()
}

/// Few pieces and nothing between them: many checks, pins, promotions and castlings.
pub fn open_start(random: &mut Rng) -> Board {
    loop {
        let mut squares = [const { None }; 64];
        let pieces: &[char] =
            &['K', 'k', 'Q', 'q', 'R', 'r', 'B', 'b', 'N', 'n', 'P', 'p', 'P', 'p', 'R', 'r'];
        let count = 4 + random.usize(..pieces.len() - 3);
        for piece in &pieces[..count] {
            let square = random.usize(..64);
            let edge = !(8..56).contains(&square);
            if squares[square].is_none() && !(edge && piece.eq_ignore_ascii_case(&'p')) {
                squares[square] = Some(*piece);
            }
        }
        let ranks: Vec<String> = (0..8)
            .rev()
            .map(|rank| (0..8).map(|file| squares[rank * 8 + file].unwrap_or('1')).collect())
            .collect();
        let side = if random.usize(..2) == 0 { 'w' } else { 'b' };
        if let Ok(board) = Board::from_fen(&format!("{} {side} - - 0 1", ranks.join("/"))) {
            return board;
        }
    }
}

/// Any of the three.
pub fn any_start(random: &mut Rng) -> Board {
    match random.usize(..3) {
        0 => standard_start(random),
        1 => chess960_start(random),
        _ => open_start(random),
    }
}

/// The text of a file of the folder beside the repository that holds suites too large for it.
/// `None`, and a line that says so, when there is no such file.
pub fn shared(name: &str) -> Option<String> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared").join(name);
    let text = std::fs::read_to_string(&path).ok();
    if text.is_none() {
        println!("skipped: no {name} beside the repository");
    }
    text
}
