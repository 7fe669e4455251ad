//! The board against two independent ones, in random games: `chess` for standard chess,
//! `cozy-chess` for Chess960. In every position they must agree on the legal moves, on checkers and
//! pins, on the end of the game, and on which positions are the same (keys, as equivalence
//! classes).
//!
//! `cargo test -p megatherium-tests --test differential --release -- --ignored --nocapture` plays
//! millions.

mod rules_support;

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use chess::{BoardBuilder, BoardStatus, ChessMove, MoveGen};
use cozy_chess as cozy;
use megatherium_board::{Board, Color, Move, PieceType, Square};
use rules_support::{Rng, chess960_start, open_start, random_move, standard_start};

/// Two ways to name positions that must give the same name to the same positions, and only to them.
#[derive(Default)]
struct Classes {
    forth: HashMap<u64, u64>,
    back: HashMap<u64, u64>,
}

impl Classes {
    fn check(&mut self, ours: u64, theirs: u64, board: &Board) {
        // Bounded memory: forgetting only loses comparisons with positions long ago.
        if self.forth.len() > 1_000_000 {
            *self = Self::default();
        }
        for (map, key, value) in [(&mut self.forth, ours, theirs), (&mut self.back, theirs, ours)] {
            match map.entry(key) {
                Entry::Vacant(place) => {
                    place.insert(value);
                }
                Entry::Occupied(place) => {
                    assert_eq!(*place.get(), value, "key classes differ at {board:?}");
                }
            }
        }
    }
}

fn sorted(moves: impl IntoIterator<Item = (usize, usize, usize)>) -> Vec<(usize, usize, usize)> {
    let mut moves: Vec<_> = moves.into_iter().collect();
    moves.sort_unstable();
    moves
}

/// Where the king goes, in standard castling.
fn king_target(mv: Move) -> Square {
    Square::new(if mv.to() > mv.from() { 6 } else { 2 }, mv.from().rank())
}

fn to_chess(mv: Move) -> ChessMove {
    let to = if mv.is_castling() { king_target(mv) } else { mv.to() };
    let promotion = mv.promotion().map(|piece_type| chess::ALL_PIECES[piece_type.index()]);
    ChessMove::new(chess::ALL_SQUARES[mv.from().index()], chess::ALL_SQUARES[to.index()], promotion)
}

fn chess_name(mv: ChessMove) -> (usize, usize, usize) {
    let promotion = mv.get_promotion().map_or(0, |piece| piece.to_index());
    (mv.get_source().to_index(), mv.get_dest().to_index(), promotion)
}

/// The hash of `chess` with its en passant square taken away when no such capture is legal: it
/// keeps the square whenever an enemy pawn stands beside, pinned or not.
fn chess_class(theirs: &chess::Board, en_passant_is_legal: bool) -> u64 {
    if theirs.en_passant().is_none() || en_passant_is_legal {
        return theirs.get_hash();
    }
    let mut builder = BoardBuilder::from(*theirs);
    builder.en_passant(None);
    chess::Board::try_from(&builder).unwrap().get_hash()
}

fn agree_with_chess(ours: &Board, theirs: &chess::Board, classes: &mut Classes) {
    let our_moves = sorted(ours.legal_moves().iter().map(|mv| chess_name(to_chess(*mv))));
    let their_list: Vec<ChessMove> = MoveGen::new_legal(theirs).collect();
    assert_eq!(our_moves, sorted(their_list.iter().map(|mv| chess_name(*mv))), "moves of {ours:?}");

    let us = ours.side_to_move();
    let own = *theirs.color_combined(theirs.side_to_move());
    assert_eq!(ours.checkers().0, theirs.checkers().0, "checkers of {ours:?}");
    assert_eq!(ours.pinned(us).0, (*theirs.pinned() & own).0, "pins of {ours:?}");
    let status = match (ours.has_legal_move(), ours.in_check()) {
        (true, _) => BoardStatus::Ongoing,
        (false, true) => BoardStatus::Checkmate,
        (false, false) => BoardStatus::Stalemate,
    };
    assert_eq!(status, theirs.status(), "status of {ours:?}");

    let en_passant_is_legal = theirs.en_passant().is_some_and(|pawn| {
        their_list.iter().any(|mv| {
            let (from, to) = (mv.get_source(), mv.get_dest());
            theirs.piece_on(from) == Some(chess::Piece::Pawn)
                && to.get_file() == pawn.get_file()
                && from.get_file() != to.get_file()
                && theirs.piece_on(to).is_none()
        })
    });
    assert_eq!(ours.en_passant().is_some(), en_passant_is_legal, "en passant of {ours:?}");
    classes.check(ours.key(), chess_class(theirs, en_passant_is_legal), ours);
}

/// Plays `count` positions against `chess`, also through a null move now and then.
fn play_against_chess(seed: u64, count: usize) -> usize {
    let mut random = Rng::with_seed(seed);
    let mut classes = Classes::default();
    let mut seen = 0;
    while seen < count {
        let mut ours = match random.usize(..4) {
            0 => open_start(&mut random),
            _ => standard_start(&mut random),
        };
        let mut theirs: chess::Board = ours.fen().parse().unwrap();
        for _ in 0..250 {
            agree_with_chess(&ours, &theirs, &mut classes);
            seen += 1;
            if random.usize(..8) == 0 && !ours.in_check() {
                let mut passed = ours;
                passed.make_null();
                assert_eq!(passed.key(), ours.key_after_null());
                agree_with_chess(&passed, &theirs.null_move().unwrap(), &mut classes);
                seen += 1;
            }
            let Some(mv) = random_move(&ours, &mut random) else {
                break;
            };
            theirs = theirs.make_move_new(to_chess(mv));
            ours.make(mv);
        }
    }
    seen
}

fn to_cozy(mv: Move) -> cozy::Move {
    cozy::Move {
        from: cozy::Square::index(mv.from().index()),
        to: cozy::Square::index(mv.to().index()),
        promotion: mv.promotion().map(|piece_type| cozy::Piece::index(piece_type.index())),
    }
}

fn agree_with_cozy(ours: &Board, theirs: &cozy::Board, classes: &mut Classes, random: &mut Rng) {
    let name = |mv: cozy::Move| {
        (mv.from as usize, mv.to as usize, mv.promotion.map_or(0, |piece| piece as usize))
    };
    let our_moves = sorted(ours.legal_moves().iter().map(|mv| name(to_cozy(*mv))));
    let mut their_list = Vec::new();
    theirs.generate_moves(|set| {
        their_list.extend(set);
        false
    });
    assert_eq!(our_moves, sorted(their_list.iter().map(|mv| name(*mv))), "moves of {ours:?}");

    let us = ours.side_to_move();
    assert_eq!(ours.checkers().0, theirs.checkers().0, "checkers of {ours:?}");
    let own = theirs.colors(theirs.side_to_move());
    assert_eq!(ours.pinned(us).0, (theirs.pinned() & own).0, "pins of {ours:?}");
    // cozy-chess stops its clock at 100.
    assert_eq!(
        ours.halfmove_clock().min(100),
        u32::from(theirs.halfmove_clock()),
        "clock of {ours:?}"
    );

    for _ in 0..4 {
        let Some(mv) = Move::from_raw(random.u16(..) & 0x0FFF) else {
            continue;
        };
        // An ordinary move by its squares, judged by both; what is special about it is left out of
        // the question.
        let pawn = ours.pieces_of(us, PieceType::Pawn).contains(mv.from());
        let special = pawn && (ours.en_passant() == Some(mv.to()) || mv.to().rank() % 7 == 0);
        if !special && !ours.castling_rooks().contains(mv.to()) {
            assert_eq!(ours.is_legal(mv), theirs.is_legal(to_cozy(mv)), "{mv} in {ours:?}");
        }
    }

    // cozy-chess hashes the file of every double step; only a legal capture makes a difference to
    // the game.
    let captured = theirs.en_passant().filter(|file| {
        let rank = if us == Color::White { cozy::Rank::Sixth } else { cozy::Rank::Third };
        let target = cozy::Square::new(*file, rank);
        their_list.iter().any(|mv| {
            mv.to == target
                && theirs.piece_on(mv.from) == Some(cozy::Piece::Pawn)
                && mv.from.file() != mv.to.file()
        })
    });
    assert_eq!(
        ours.en_passant().map(Square::file),
        captured.map(|file| file as u8),
        "en passant of {ours:?}"
    );
    let file = captured.map_or(0, |file| (file as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    classes.check(ours.key(), theirs.hash_without_ep() ^ file, ours);
}

fn play_against_cozy(seed: u64, count: usize) -> usize {
    let mut random = Rng::with_seed(seed);
    let mut classes = Classes::default();
    let mut seen = 0;
    while seen < count {
        let mut ours = chess960_start(&mut random);
        let mut theirs = cozy::Board::from_fen(&ours.shredder_fen(), true).unwrap();
        for _ in 0..250 {
            agree_with_cozy(&ours, &theirs, &mut classes, &mut random);
            seen += 1;
            let Some(mv) = random_move(&ours, &mut random) else {
                break;
            };
            theirs.play_unchecked(to_cozy(mv));
            ours.make(mv);
            if seen % 16 == 0 {
                for fen in [ours.fen(), ours.shredder_fen()] {
                    assert_eq!(Board::from_fen(&fen).unwrap().fen(), ours.fen(), "{fen}");
                }
            }
        }
    }
    seen
}

/// Shares the work among the processors and adds up the positions.
fn on_all_threads(count: usize, play: fn(u64, usize) -> usize) -> usize {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads as u64)
            .map(|seed| scope.spawn(move || play(seed + 1, count.div_ceil(threads))))
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).sum()
    })
}

#[test]
fn random_games_against_chess() {
    assert!(play_against_chess(2026, 100_000) >= 100_000);
}

#[test]
fn random_chess960_games_against_cozy_chess() {
    assert!(play_against_cozy(960, 100_000) >= 100_000);
}

#[test]
#[ignore = "five million positions"]
fn millions_against_chess() {
    let seen = on_all_threads(5_000_000, play_against_chess);
    println!("{seen} positions against chess, 0 mismatches");
    assert!(seen >= 5_000_000);
}

#[test]
#[ignore = "two million positions"]
fn millions_against_cozy_chess() {
    let seen = on_all_threads(2_000_000, play_against_cozy);
    println!("{seen} Chess960 positions against cozy-chess, 0 mismatches");
    assert!(seen >= 2_000_000);
}
