//! Our board against the two crates that could have replaced it: `cargo bench --bench board`.
//!
//! The boards take turns at every task, and the fastest round of each counts. Where the system
//! reports it, time is the thread's processor time. So a busy machine slows all boards alike, and
//! the ratios hold although the nanoseconds vary. The boards must agree on what they count.

mod unmake;

use std::hint::black_box;

use cozy_chess as cozy;
use megatherium_benches::ratio::{Contest, Contestant};
use megatherium_board::{Board, Color, Move, MoveList};

/// Openings, middle games and endings of ordinary play.
const POSITIONS: [&str; 16] = [
    "r1bq1rk1/2pnbppp/p2p1n2/1p2p3/3PP3/1BP2N1P/PP3PP1/RNBQR1K1 w - - 1 11",
    "r2q1rk1/3nbppp/p2pbn2/1p2p3/4P1P1/1NN1BP2/PPPQ3P/2KR1B1R w - - 0 12",
    "rnb2rk1/p1p1qpp1/1p2p2p/3n4/3P4/2N1PN2/PP3PPP/R2QKB1R w KQ - 0 10",
    "r1bq1rk1/pppnn1bp/3p2p1/3Ppp2/2P1P3/2NN4/PP2BPPP/R1BQ1RK1 w - - 0 11",
    "r1bqkb1r/3n1ppp/p1n1p3/1pppP3/3P1P2/2N1BN2/PPPQ2PP/R3KB1R w KQkq - 0 9",
    "r2qkbnr/pp1n1pp1/2p1p2p/7P/3P4/3Q1NN1/PPP2PP1/R1B1K2R w KQkq - 0 11",
    "r2q1rk1/ppp1bppp/1nn1b3/4p3/8/P1NP1NP1/1P2PPBP/R1BQ1RK1 w - - 1 10",
    "r1b2rk1/ppq2ppp/2n1pn2/2p5/2BP4/P1P1PN2/5PPP/R1BQ1RK1 w - - 1 11",
    "r1bq1rk1/pp2ppbp/2n3p1/2p5/2BPP3/2P1B3/P3NPPP/R2Q1RK1 b - - 5 10",
    "r1bqr1k1/bpp2pp1/p1np1n1p/4p3/P1B1P3/2PP1N1P/1P1N1PP1/R1BQR1K1 w - - 2 11",
    "r2qkb1r/pb1n1ppp/2p1pn2/1p6/3P4/2NBPN2/PP3PPP/R1BQ1RK1 b kq - 3 9",
    "2rq1rk1/pp1bppbp/2np1np1/8/3NP3/1BN1BP2/PPPQ2PP/2KR3R b - - 4 11",
    "3r2k1/1p3pp1/p1n1p2p/q1p5/P1P5/2NP1QP1/1P3P1P/3R2K1 w - - 0 24",
    "8/5pk1/4p1p1/3pP2p/1p1P1P1P/1P1K2P1/1P6/8 b - - 0 40",
    "6k1/5p2/6p1/1r5p/3R4/6PP/5PK1/8 w - - 4 41",
    "8/8/4kpp1/3p1b2/p6P/2B5/6P1/6K1 b - - 0 47",
];

/// Boards of the three kinds for the same position.
struct Trio {
    ours: Board,
    chess: chess::Board,
    cozy: cozy::Board,
}

fn trios() -> Vec<Trio> {
    let trio = |fen: &&str| Trio {
        ours: Board::from_fen(fen).expect("a bench position"),
        chess: fen.parse().expect("a bench position"),
        cozy: cozy::Board::from_fen(fen, false).expect("a bench position"),
    };
    POSITIONS.iter().map(trio).collect()
}

/// Positions met two plies on, which is what a search sees more of than of well-formed beginnings.
fn met_in_search() -> Vec<Trio> {
    let mut met = Vec::new();
    for trio in trios() {
        for first in trio.ours.legal_moves().iter().step_by(2) {
            let second = after(&trio, *first);
            for mv in second.ours.legal_moves().iter().step_by(4) {
                met.push(after(&second, *mv));
            }
        }
    }
    met
}

fn after(trio: &Trio, mv: Move) -> Trio {
    let mut ours = trio.ours;
    ours.make(mv);
    let mut cozy = trio.cozy.clone();
    cozy.play_unchecked(to_cozy(mv));
    Trio { ours, chess: trio.chess.make_move_new(to_chess(&trio.ours, mv)), cozy }
}

fn to_cozy(mv: Move) -> cozy::Move {
    cozy::Move {
        from: cozy::Square::index(mv.from().index()),
        to: cozy::Square::index(mv.to().index()),
        promotion: mv.promotion().map(|piece_type| cozy::Piece::index(piece_type.index())),
    }
}

fn to_chess(board: &Board, mv: Move) -> chess::ChessMove {
    let text = board.uci(mv, false).to_string();
    text.parse().expect("a UCI move")
}

fn make_and_hash_ours(board: &Board, depth: u32, keys: &mut u64) -> u64 {
    let mut nodes = 0;
    for mv in &board.legal_moves() {
        let mut next = *board;
        next.make(*mv);
        *keys ^= next.key();
        nodes += 1 + if depth > 1 { make_and_hash_ours(&next, depth - 1, keys) } else { 0 };
    }
    nodes
}

fn make_and_hash_chess(board: &chess::Board, depth: u32, keys: &mut u64) -> u64 {
    let mut nodes = 0;
    for mv in chess::MoveGen::new_legal(board) {
        let next = board.make_move_new(mv);
        *keys ^= next.get_hash();
        nodes += 1 + if depth > 1 { make_and_hash_chess(&next, depth - 1, keys) } else { 0 };
    }
    nodes
}

fn make_and_hash_cozy(board: &cozy::Board, depth: u32, keys: &mut u64) -> u64 {
    let mut nodes = 0;
    board.generate_moves(|moves| {
        for mv in moves {
            let mut next = board.clone();
            next.play_unchecked(mv);
            *keys ^= next.hash();
            nodes += 1 + if depth > 1 { make_and_hash_cozy(&next, depth - 1, keys) } else { 0 };
        }
        false
    });
    nodes
}

/// What a search does all the time: every legal move made, every key read.
fn make_and_hash() {
    let trios = trios();
    Contest::new("make + hash at every node, depth 3")
        .enter(Contestant::new("ours", || {
            let mut keys = 0;
            let nodes = trios.iter().map(|trio| make_and_hash_ours(&trio.ours, 3, &mut keys)).sum();
            black_box(keys);
            nodes
        }))
        .enter(Contestant::new("chess", || {
            let mut keys = 0;
            let nodes =
                trios.iter().map(|trio| make_and_hash_chess(&trio.chess, 3, &mut keys)).sum();
            black_box(keys);
            nodes
        }))
        .enter(Contestant::new("cozy-chess", || {
            let mut keys = 0;
            let nodes = trios.iter().map(|trio| make_and_hash_cozy(&trio.cozy, 3, &mut keys)).sum();
            black_box(keys);
            nodes
        }))
        .run();
}

/// A list of the captures. The other two have no such stage: they generate all moves and mask the
/// targets, as their documentation shows. Their masks miss en passant and promotions without
/// capture, so our count leaves those out too. Each kind of board has an array of its own: a board
/// that was just made is in the cache.
fn captures() {
    let met = met_in_search();
    let ours: Vec<Board> = met.iter().map(|trio| trio.ours).collect();
    let chess: Vec<chess::Board> = met.iter().map(|trio| trio.chess).collect();
    let cozy: Vec<cozy::Board> = met.iter().map(|trio| trio.cozy.clone()).collect();
    let mut surplus = 0;
    for board in &ours {
        let mut list = MoveList::new();
        board.captures(&mut list);
        surplus += list.iter().filter(|mv| board.piece_on(mv.to()).is_none()).count() as u64;
    }
    Contest::new("captures only")
        .per(met.len() as u64)
        .enter(Contestant::new("ours", || {
            let mut list = MoveList::new();
            let mut moves = 0;
            for board in &ours {
                list.clear();
                board.captures(&mut list);
                moves += black_box(list.as_slice()).len() as u64;
            }
            moves - surplus
        }))
        .enter(Contestant::new("chess", || {
            let mut list = Vec::with_capacity(256);
            let mut moves = 0;
            for board in &chess {
                list.clear();
                let mut generator = chess::MoveGen::new_legal(board);
                generator.set_iterator_mask(*board.color_combined(!board.side_to_move()));
                list.extend(&mut generator);
                moves += black_box(list.as_slice()).len() as u64;
            }
            moves
        }))
        .enter(Contestant::new("cozy-chess", || {
            let mut list = Vec::with_capacity(256);
            let mut moves = 0;
            for board in &cozy {
                list.clear();
                let enemies = board.colors(!board.side_to_move());
                board.generate_moves(|mut set| {
                    set.to &= enemies;
                    list.extend(set);
                    false
                });
                moves += black_box(list.as_slice()).len() as u64;
            }
            moves
        }))
        .run();
}

/// Moves as they come out of a table: half of the position itself, half of another.
fn legality() {
    let met = met_in_search();
    let mut questions = Vec::new();
    for (index, trio) in met.iter().enumerate() {
        let stranger = &met[(index * 31 + 7) % met.len()].ours;
        let own = trio.ours.legal_moves();
        let strange = stranger.legal_moves();
        let ordinary = |mv: &&Move| !mv.is_castling() && !mv.is_en_passant() && !mv.is_promotion();
        for mv in
            own.iter().step_by(4).filter(ordinary).chain(strange.iter().step_by(4).filter(ordinary))
        {
            questions.push((trio, *mv, to_chess(stranger, *mv), to_cozy(*mv)));
        }
    }
    // The three encode castling and en passant differently, so such moves are left out. On the rest
    // they must agree, or the contest stops.
    questions.retain(|(trio, mv, _, _)| {
        let king = trio.ours.king(trio.ours.side_to_move()) == mv.from();
        !king && trio.ours.en_passant() != Some(mv.to())
    });
    Contest::new("is_legal")
        .per(questions.len() as u64)
        .enter(Contestant::new("ours", || {
            questions.iter().map(|(trio, mv, _, _)| u64::from(trio.ours.is_legal(*mv))).sum()
        }))
        .enter(Contestant::new("chess", || {
            questions.iter().map(|(trio, _, mv, _)| u64::from(trio.chess.legal(*mv))).sum()
        }))
        .enter(Contestant::new("cozy-chess", || {
            questions.iter().map(|(trio, _, _, mv)| u64::from(trio.cozy.is_legal(*mv))).sum()
        }))
        .run();
}

/// What the others do not have, in nanoseconds.
fn the_rest() {
    let met = met_in_search();
    let moves: Vec<(Board, Move)> = met
        .iter()
        .flat_map(|trio| {
            trio.ours.legal_moves().into_iter().step_by(3).map(move |mv| (trio.ours, mv))
        })
        .collect();
    let captures: Vec<(Board, Move)> =
        moves.iter().copied().filter(|(board, mv)| board.is_capture(*mv)).collect();
    let each = |name: &'static str, work: &dyn Fn(&Board, Move) -> u64, over: &[(Board, Move)]| {
        Contest::new(name)
            .per(over.len() as u64)
            .enter(Contestant::new("ours", || {
                over.iter().map(|(board, mv)| work(board, *mv)).sum()
            }))
            .run();
    };
    each("key_after", &|board, mv| board.key_after(mv) & 1, &moves);
    each("gives_check", &|board, mv| u64::from(board.gives_check(mv)), &moves);
    each("see_ge, captures", &|board, mv| u64::from(board.see_ge(mv, 0)), &captures);
    each(
        "threats of both sides",
        &|board, _| {
            u64::from((board.threats(Color::White).rook ^ board.threats(Color::Black).rook).count())
        },
        &moves,
    );
}

fn main() {
    make_and_hash();
    captures();
    legality();
    the_rest();
    unmake::compare(&met_in_search().iter().map(|trio| trio.ours).collect::<Vec<_>>());
}
