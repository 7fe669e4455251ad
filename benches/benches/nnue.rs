//! The net: what an evaluation costs along a search path, and the inner loops by width and
//! instruction set.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use megatherium_board::{Board, Move};
use megatherium_nnue::simd::{Row, Simd};
use megatherium_nnue::{Accumulators, Network};
use std::hint::black_box;

/// A game's worth of positions with the move played in each, the same every time.
fn game() -> Vec<(Board, Move)> {
    let mut board =
        Board::from_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
            .unwrap();
    let mut random = fastrand::Rng::with_seed(12345);
    let mut positions = Vec::new();
    for _ in 0..60 {
        let Some(&mv) = random.choice(board.legal_moves().iter()) else { break };
        positions.push((board, mv));
        board.make(mv);
    }
    positions
}

fn evaluation(criterion: &mut Criterion) {
    let network = Network::embedded();
    let game = game();
    let mut group = criterion.benchmark_group("nnue");
    let board = game[20].0;
    group.bench_function("evaluate from nothing", |bencher| {
        bencher.iter(|| network.evaluate(black_box(&board)));
    });
    // Down the game and back up: the time is that of 60 pushes, makes, evaluations and pops.
    for simd in Simd::available() {
        let network = Network::clone(&network).with_simd(simd);
        group.bench_function(BenchmarkId::new("path of 60 evaluations", simd.name()), |bencher| {
            let mut accumulators = Accumulators::new(&network, &game[0].0);
            bencher.iter(|| {
                let mut sum = 0;
                for (board, mv) in &game {
                    accumulators.push(board, *mv);
                    let mut after = *board;
                    after.make(*mv);
                    sum += accumulators.evaluate(&network, &after);
                }
                for _ in &game {
                    accumulators.pop();
                }
                sum
            });
        });
    }
    group.finish();
}

fn kernels<const N: usize>(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group(format!("nnue {N} neurons"));
    let rows: Vec<Row<N>> = (0..768).map(|row| Row([row as i16 % 31 - 15; N])).collect();
    let from = Row([100; N]);
    for simd in Simd::available() {
        // One evaluation's arithmetic: two updates by a capture and two dot products.
        group.bench_function(BenchmarkId::new("update and output", simd.name()), |bencher| {
            let mut to = [Row::<N>::ZERO; 2];
            bencher.iter(|| {
                for side in &mut to {
                    simd.apply(black_box(&from), side, [&rows[7]], [&rows[500], &rows[77]]);
                }
                simd.screlu_dot(&to[0], &rows[3]) + simd.screlu_dot(&to[1], &rows[5])
            });
        });
    }
    group.finish();
}

criterion_group!(benches, evaluation, kernels::<128>, kernels::<256>, kernels::<512>);
criterion_main!(benches);
