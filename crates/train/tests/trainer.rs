//! The trainer's arithmetic: right gradients, the ability to learn, the same numbers every time.

use fastrand::Rng;
use megatherium_board::Board;
use megatherium_board::referee::Outcome;
use megatherium_nnue::Architecture;
use megatherium_nnue::layout::{FIVE_BUCKETS, INPUTS_PER_BUCKET, OUTPUT_BUCKETS};
use megatherium_train::data::{Ending, Filter, Game, PackedBoard, Ply};
use megatherium_train::dataset;
use megatherium_train::sample::{PIECES, Sample};
use megatherium_train::trainer::{
    AdamW, Entry, Lanes, Model, Moments, TILE, Target, Tile, Trainer, Workspace, unpack,
};

const TARGET: Target = Target { mix: 0.4, outlook: 0.0, scale: 400.0, exponent: 2.0 };

const fn shape(tiles: usize) -> Architecture {
    Architecture::five_buckets((tiles * TILE) as u16)
}

/// A target is made of the result, the score, and the scores that followed.
#[test]
fn a_target_is_a_mixture_of_three() {
    let board = Board::startpos();
    let mut plies = Vec::new();
    let mut after = board;
    for score in [0, -2000, 2000] {
        let mv = after.legal_moves()[0];
        after.make(mv);
        plies.push(Ply { mv, score });
    }
    let start = PackedBoard::pack(&board).unwrap();
    let (outcome, ending) = (Outcome::White, Ending::Played);
    let game = Game { start, outcome, ending, net: 0, plies };
    let first = dataset::samples(&game, &Filter::NONE)[0];
    let target = |mix, outlook| {
        let [least, most] = Target { mix, outlook, ..TARGET }.of(&first);
        assert_eq!(least.to_bits(), most.to_bits(), "a game's position has one target");
        least
    };
    // The score is even, and White goes on to win.
    let is = |found: f32, expected: f32| (found - expected).abs() < 1e-6;
    assert!(is(target(1.0, 0.0), 1.0) && is(target(0.0, 0.0), 0.5));
    let later = target(0.0, 1.0);
    assert!(later > 0.99);
    let half = f32::midpoint(later, 0.5);
    assert!(is(target(0.0, 0.5), half));
    assert!(is(target(0.5, 0.5), f32::midpoint(1.0, half)));
}

/// The sample of a search-tree node with White to move, by who the result favours.
fn node(outcome: Outcome, score: i16) -> Sample {
    let board = Board::startpos();
    let plies = vec![Ply { mv: board.legal_moves()[0], score }];
    let start = PackedBoard::pack(&board).unwrap();
    let game = Game { start, outcome, ending: Ending::Tree, net: 0, plies };
    dataset::samples(&game, &Filter::NONE)[0]
}

/// A bound is an error on one side only.
#[test]
fn a_node_of_a_tree_is_a_range() {
    let target = |outcome| TARGET.of(&node(outcome, 400));
    let score = 1.0 / (1.0 + (-1.0_f32).exp());
    let expected = [
        (Outcome::White, [score, 1.0]),
        (Outcome::Black, [0.0, score]),
        (Outcome::Draw, [score, score]),
    ];
    for (outcome, range) in expected {
        let found = target(outcome);
        assert!(found.iter().zip(range).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?}");
    }
    // A net that says "even" is wrong about two of them.
    let mut trainer =
        Trainer::new(Model::zero(shape(1)), Moments::new(shape(1)), AdamW::default(), TARGET);
    let mut loss = |outcome, score| trainer.loss(&[node(outcome, score)]);
    let wrong = f64::from(score - 0.5).powi(2);
    assert!((loss(Outcome::White, 400) - wrong).abs() < 1e-6);
    assert!((loss(Outcome::Draw, 400) - wrong).abs() < 1e-6);
    assert!((loss(Outcome::Black, -400) - wrong).abs() < 1e-6);
    assert!(loss(Outcome::Black, 400).abs() < 1e-9 && loss(Outcome::White, -400).abs() < 1e-9);
}

/// Positions of random games with random scores and results.
fn samples(count: usize, seed: u64) -> Vec<Sample> {
    let mut random = Rng::with_seed(seed);
    let mut board = Board::startpos();
    let mut samples = Vec::with_capacity(count);
    while samples.len() < count {
        let moves = board.legal_moves();
        if moves.is_empty() || random.usize(..80) == 0 {
            board = Board::startpos();
            continue;
        }
        board.make(moves[random.usize(..moves.len())]);
        if random.usize(..3) == 0 {
            let score = random.usize(..1201) as i16 - 600;
            samples.push(Sample::of_board(&board, score, random.usize(..3) as u8));
        }
    }
    samples
}

fn batch(samples: &[Sample]) -> Vec<Entry> {
    let order: Vec<u32> = (0..samples.len() as u32).collect();
    let mut batch = Vec::new();
    unpack(&mut batch, samples, &order, TARGET, &FIVE_BUCKETS);
    batch
}

/// The mean loss, written out densely in double precision.
fn reference_loss(model: &Model, samples: &[Sample], exponent: f32) -> f64 {
    let shared = |tile: &Tile, input: u16, lane: usize| {
        tile.shared
            .get(input as usize % INPUTS_PER_BUCKET)
            .map_or(0.0, |row| f64::from(row.0[lane]))
    };
    let mut total = 0.0;
    for sample in samples {
        let mut inputs = [[0; PIECES]; 2];
        let count = sample.inputs(&mut inputs, &FIVE_BUCKETS);
        let bucket = sample.bucket();
        let mut output = f64::from(model.output_bias[bucket]);
        for tile in &model.tiles {
            for lane in 0..TILE {
                for (side, inputs) in inputs.iter().enumerate() {
                    let mut sum = f64::from(tile.input_bias.0[lane]);
                    for &input in &inputs[..count] {
                        sum += f64::from(tile.input[input as usize].0[lane]);
                        sum += shared(tile, input, lane);
                    }
                    output +=
                        sum.clamp(0.0, 1.0).powi(2) * f64::from(tile.output[bucket][side].0[lane]);
                }
            }
        }
        let expected = 1.0 / (1.0 + (-output).exp());
        let [least, most] = TARGET.of(sample).map(f64::from);
        total += (expected - expected.clamp(least, most)).abs().powf(f64::from(exponent));
    }
    total / samples.len() as f64
}

/// Every kind of weight, as a way to reach one of them.
fn weight<'a>(model: &'a mut Model, kind: usize, at: &mut Rng, inputs: &[u16]) -> &'a mut f32 {
    let lane = at.usize(..TILE);
    let tile = at.usize(..model.tiles.len());
    let bucket = at.usize(..OUTPUT_BUCKETS);
    let tile = &mut model.tiles[tile];
    match kind {
        0 => &mut tile.input[inputs[at.usize(..inputs.len())] as usize].0[lane],
        1 => &mut tile.input_bias.0[lane],
        2 => &mut tile.output[bucket][0].0[lane],
        3 => &mut tile.output[bucket][1].0[lane],
        4 => {
            let input = inputs[at.usize(..inputs.len())] as usize;
            &mut tile.shared[input % INPUTS_PER_BUCKET].0[lane]
        }
        _ => &mut model.output_bias[bucket],
    }
}

#[test]
fn gradients_agree_with_finite_differences() {
    for exponent in [2.0, 2.5] {
        check_gradients(exponent);
    }
}

fn check_gradients(exponent: f32) {
    let samples = samples(60, 1);
    let batch = batch(&samples);
    let mut model = Model::random(shape(2), 2);
    // Larger weights than those a run starts with, so that the gradients are not lost in rounding.
    for tile in &mut model.tiles {
        for Lanes(lanes) in tile.lanes_mut() {
            for weight in lanes {
                *weight *= 5.0;
            }
        }
    }
    let mut gradient = Model::zero(model.architecture);
    let loss = Workspace::new(exponent).gradient(&model.merged(), &batch, &mut gradient);
    gradient.tiles.iter_mut().for_each(Tile::share_slopes);
    assert!((loss - reference_loss(&model, &samples, exponent)).abs() < 1e-6);

    let used: Vec<u16> = batch.iter().flat_map(|entry| entry.inputs(0).to_vec()).collect();
    let mut random = Rng::with_seed(3);
    let mut checked = [0; 6];
    for number in 0..300 {
        let kind = number % 6;
        let at = Rng::with_seed(random.u64(..));
        let step = 1e-4_f32;
        let moved = |sign: f32| {
            let mut nearby = model.clone();
            let weight = weight(&mut nearby, kind, &mut at.clone(), &used);
            let before = *weight;
            *weight += sign * step;
            let step = f64::from(*weight) - f64::from(before);
            (reference_loss(&nearby, &samples, exponent), step)
        };
        let ((above, up), (below, down)) = (moved(1.0), moved(-1.0));
        let expected = (above - below) / (up - down);
        let found = f64::from(*weight(&mut gradient, kind, &mut at.clone(), &used));
        let allowed = 1e-6 + 0.01 * expected.abs();
        assert!((found - expected).abs() < allowed, "kind {kind}: {found} instead of {expected}");
        checked[kind] += u32::from(expected.abs() > 1e-5);
    }
    assert!(checked.iter().all(|&count| count > 10), "too few gradients of any size: {checked:?}");
}

#[test]
fn a_small_net_learns_a_few_positions_by_heart() {
    let samples = samples(64, 4);
    let order: Vec<u32> = (0..64).collect();
    let adam = AdamW { weight_decay: 0.0, ..AdamW::default() };
    let mut trainer =
        Trainer::new(Model::random(shape(1), 5), Moments::new(shape(1)), adam, TARGET);
    let before = trainer.loss(&samples);
    for _ in 0..400 {
        trainer.step(&samples, &order, 0.01);
    }
    let after = trainer.loss(&samples);
    assert!(before > 0.02 && after < 1e-4, "from {before} to {after}");
    assert_eq!(trainer.moments().steps, 400);
}

#[test]
fn training_does_not_depend_on_the_number_of_threads() {
    let samples = samples(5000, 6);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut trainer = Trainer::new(
                Model::random(shape(4), 7),
                Moments::new(shape(4)),
                AdamW::default(),
                TARGET,
            );
            let order: Vec<u32> = (0..5000).rev().collect();
            let losses: Vec<f64> =
                order.chunks(1300).map(|order| trainer.step(&samples, order, 1e-3)).collect();
            (losses, trainer.model().clone(), trainer.moments().clone())
        })
    };
    let alone = run(1);
    assert_eq!(alone, run(2));
    assert_eq!(alone, run(5));
}
