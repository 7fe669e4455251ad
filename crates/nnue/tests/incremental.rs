//! The accumulators against evaluation from scratch, on long random games.

use std::sync::Arc;

use fastrand::Rng;
use megatherium_board::{Board, Move, MoveList};
use megatherium_nnue::layout::View;
use megatherium_nnue::simd::Simd;
use megatherium_nnue::{Accumulators, Architecture, Network, Weights, constructed};

/// A legal move, special ones preferred so that every kind of update is met often.
fn choose(random: &mut Rng, board: &Board) -> Option<Move> {
    let moves = board.legal_moves();
    let special: Vec<Move> = moves
        .iter()
        .copied()
        .filter(|mv| mv.is_castling() || mv.is_en_passant() || mv.is_promotion())
        .collect();
    let preferred = if special.is_empty() || random.u8(..3) == 0 { &moves } else { &special[..] };
    random.choice(preferred).copied()
}

const STARTS: [&str; 8] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
    // Chess960 starting positions: kings on b, f, c.
    "rkrqnbbn/pppppppp/8/8/8/8/PPPPPPPP/RKRQNBBN w CAca - 0 1",
    "bqnbrkrn/pppppppp/8/8/8/8/PPPPPPPP/BQNBRKRN w GEge - 0 1",
    "brkrnqbn/pppppppp/8/8/8/8/PPPPPPPP/BRKRNQBN w DBdb - 0 1",
];

/// A net of noise: unlike the constructed one it tells every input apart.
fn noise() -> Network {
    let mut random = Rng::with_seed(77);
    let mut weights = Weights::zero(Architecture::OURS);
    let mut fill = |values: &mut [i16], limit: i16| {
        for value in values {
            *value = random.i16(-limit..=limit);
        }
    };
    fill(&mut weights.input, 60);
    fill(&mut weights.input_bias, 60);
    fill(&mut weights.output, 100);
    Network::new(&weights).unwrap()
}

#[test]
fn updates_equal_refreshes_and_replace_them_wherever_they_can() {
    let network = noise();
    let mut random = Rng::with_seed(2024);
    let (mut castlings, mut en_passants, mut promotions, mut crossings) = (0, 0, 0, [0_u64; 2]);
    for game in 0..160 {
        let mut board = Board::from_fen(STARTS[game % STARTS.len()]).unwrap();
        let mut accumulators = Accumulators::new(&network, &board);
        let (mut moves, mut crossed) = (0, 0);
        for _ in 0..200 {
            let Some(mv) = choose(&mut random, &board) else { break };
            castlings += u32::from(mv.is_castling());
            en_passants += u32::from(mv.is_en_passant());
            promotions += u32::from(mv.is_promotion());
            moves += 1;
            let mover = board.side_to_move();
            let view = View::new(mover, board.king(mover));
            accumulators.push(&board, mv);
            board.make(mv);
            if view != View::new(mover, board.king(mover)) {
                crossed += 1;
                crossings[mover.index()] += 1;
            }
            assert_eq!(
                accumulators.evaluate(&network, &board),
                network.evaluate(&board),
                "{}",
                board.fen()
            );
        }
        // Two sums at the root and one for each changed view are refreshed; all others are updates.
        let counters = accumulators.counters();
        assert_eq!(counters.evaluations, moves);
        assert_eq!(counters.refreshes, 2 + crossed);
        assert_eq!(counters.updates, 2 * moves - crossed);
    }
    println!(
        "{castlings} castlings, {en_passants} en passant, {promotions} promotions, {crossings:?} crossings"
    );
    assert!(castlings > 20 && en_passants > 20 && promotions > 20);
    assert!(crossings.iter().all(|&count| count > 20));
}

#[test]
fn lazy_updates_over_a_tree_equal_refreshes() {
    // A random walk through the tree, up and down, evaluating only now and then, with null moves.
    let network = noise();
    let mut random = Rng::with_seed(5);
    for start in STARTS {
        let mut path = vec![Board::from_fen(start).unwrap()];
        let mut accumulators = Accumulators::new(&network, &path[0]);
        for _ in 0..4000 {
            let board = path[path.len() - 1];
            match random.u8(..8) {
                0..=3 => {
                    if let Some(mv) = choose(&mut random, &board) {
                        accumulators.push(&board, mv);
                        let mut next = board;
                        next.make(mv);
                        path.push(next);
                    }
                }
                4 if !board.in_check() => {
                    accumulators.push_null();
                    let mut next = board;
                    next.make_null();
                    path.push(next);
                }
                5 | 6 if path.len() > 1 => {
                    accumulators.pop();
                    path.pop();
                }
                _ => assert_eq!(accumulators.evaluate(&network, &board), network.evaluate(&board)),
            }
        }
    }
}

#[test]
fn a_path_may_be_longer_than_the_stack_was_made() {
    let network = noise();
    let mut board = Board::from_fen("8/8/4k3/8/8/3K4/8/8 w - - 0 1").unwrap();
    let mut accumulators = Accumulators::new(&network, &board);
    for number in 0..1000 {
        let moves: MoveList = board.legal_moves();
        let mv = moves[number % moves.len()];
        accumulators.push(&board, mv);
        board.make(mv);
    }
    assert_eq!(accumulators.evaluate(&network, &board), network.evaluate(&board));
}

#[test]
fn a_reset_may_change_the_network() {
    let (first, second) = (noise(), constructed::network());
    let board = Board::from_fen(STARTS[1]).unwrap();
    let mut accumulators = Accumulators::new(&first, &board);
    accumulators.evaluate(&first, &board);
    accumulators.reset(&second, &board);
    assert_eq!(accumulators.evaluate(&second, &board), second.evaluate(&board));
}

#[test]
fn every_instruction_set_gives_the_same_scores() {
    let network = noise();
    for simd in Simd::available() {
        let other = network.clone().with_simd(simd);
        let mut random = Rng::with_seed(9);
        for start in STARTS {
            let mut board = Board::from_fen(start).unwrap();
            let mut accumulators = Accumulators::new(&other, &board);
            for _ in 0..100 {
                let Some(mv) = choose(&mut random, &board) else { break };
                accumulators.push(&board, mv);
                board.make(mv);
                let expected = network.clone().with_simd(Simd::PORTABLE).evaluate(&board);
                assert_eq!(accumulators.evaluate(&other, &board), expected, "{}", simd.name());
            }
        }
    }
}

/// The same position with the colours exchanged, made from its FEN.
fn colours_exchanged(board: &Board) -> Board {
    let fen = board.fen();
    let mut fields = fen.split(' ');
    let exchange = |c: char| {
        if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }
    };
    let ranks: Vec<&str> = fields.next().unwrap().split('/').rev().collect();
    let placement: String = ranks.join("/").chars().map(exchange).collect();
    let mover = if fields.next() == Some("w") { "b" } else { "w" };
    Board::from_fen(&format!("{placement} {mover} - - 0 1")).unwrap()
}

#[test]
fn evaluation_is_symmetric_in_the_colours() {
    let mut random = Rng::with_seed(31);
    for network in [Arc::new(noise()), Arc::new(constructed::network()), Network::embedded()] {
        for start in STARTS {
            let mut board = Board::from_fen(start).unwrap();
            for _ in 0..100 {
                let Some(mv) = choose(&mut random, &board) else { break };
                board.make(mv);
                let exchanged = colours_exchanged(&board);
                assert_ne!(board.side_to_move(), exchanged.side_to_move());
                assert_eq!(
                    network.evaluate(&board),
                    network.evaluate(&exchanged),
                    "{}",
                    board.fen()
                );
            }
        }
    }
}
