//! The trainer: positions a second by width. The rate is the elements-per-second of the report; it
//! also prints positions per second of processor time, which other load does not distort.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use fastrand::Rng;
use megatherium_board::Board;
use megatherium_nnue::Architecture;
use megatherium_train::sample::Sample;
use megatherium_train::trainer::{AdamW, Model, Moments, Target, Trainer};
use std::time::Duration;

const BATCH: usize = 16_384;

/// Positions of random games, as many pieces on the board as there come.
fn samples(count: usize) -> Vec<Sample> {
    let mut random = Rng::with_seed(1);
    let mut board = Board::startpos();
    let mut samples = Vec::with_capacity(count);
    while samples.len() < count {
        let moves = board.legal_moves();
        if moves.is_empty() || random.usize(..120) == 0 {
            board = Board::startpos();
            continue;
        }
        board.make(moves[random.usize(..moves.len())]);
        samples.push(Sample::of_board(
            &board,
            random.usize(..1001) as i16 - 500,
            random.usize(..3) as u8,
        ));
    }
    samples
}

/// Processor time of all threads so far.
#[cfg(unix)]
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Elsewhere the wall clock stands for it.
#[cfg(not(unix))]
fn processor_time() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

fn steps(criterion: &mut Criterion) {
    let samples = samples(8 * BATCH);
    let mut order: Vec<u32> = (0..samples.len() as u32).collect();
    Rng::with_seed(2).shuffle(&mut order);
    let pieces: usize = samples.iter().map(Sample::count).sum();
    println!("{:.1} pieces a position", pieces as f64 / samples.len() as f64);
    let mut group = criterion.benchmark_group("train");
    group.throughput(Throughput::Elements(BATCH as u64)).sample_size(20);
    let shapes = [256, 512].map(Architecture::one_bucket).into_iter();
    for shape in shapes.chain([Architecture::five_buckets(512)]) {
        let name = format!("{} neurons, {} king buckets", shape.hidden, shape.king_buckets);
        let target = Target { mix: 0.3, outlook: 0.0, scale: 400.0, exponent: 2.0 };
        let model = Model::random(shape, 3);
        let mut trainer = Trainer::new(model, Moments::new(shape), AdamW::default(), target);
        let mut batches = order.chunks_exact(BATCH).cycle();
        let before = processor_time();
        let learnt: usize = batches
            .by_ref()
            .take(10)
            .map(|order| {
                trainer.step(&samples, order, 1e-3);
                order.len()
            })
            .sum();
        let seconds = processor_time().saturating_sub(before).as_secs_f64();
        println!("{name}: {:.0} positions a second of processor time", learnt as f64 / seconds);
        group.bench_function(BenchmarkId::new("step", name), |bencher| {
            bencher.iter(|| batches.next().map(|order| trainer.step(&samples, order, 1e-3)));
        });
    }
    group.finish();
}

criterion_group!(benches, steps);
criterion_main!(benches);
