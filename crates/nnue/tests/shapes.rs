//! Nets of other shapes than this build's, against the net's formula written out.

use fastrand::Rng;
use megatherium_board::{Board, Square};
use megatherium_nnue::layout::{QA, QB, SCALE, View, output_bucket};
use megatherium_nnue::{Accumulators, Architecture, NetError, Network, WeightError, Weights};

fn noise(shape: Architecture) -> Weights {
    let mut random = Rng::with_seed(3);
    let mut weights = Weights::zero(shape);
    let (input, bias) = (&mut weights.input, &mut weights.input_bias);
    for value in input.iter_mut().chain(bias) {
        *value = random.i16(-60..=60);
    }
    weights.output.iter_mut().for_each(|value| *value = random.i16(-100..=100));
    weights.output_bias.iter_mut().for_each(|value| *value = random.i32(-999..=999));
    weights
}

/// The score of a position, computed neuron by neuron.
fn reference(weights: &Weights, board: &Board) -> i64 {
    let hidden = weights.architecture.hidden as usize;
    let bucket = output_bucket(board.occupied().count());
    let mover = board.side_to_move();
    let mut sum = 0_i64;
    for (row, side) in [mover, !mover].into_iter().enumerate() {
        let map = &weights.architecture.king_bucket_map;
        let view = View::with_buckets(side, board.king(side), map);
        for neuron in 0..hidden {
            let inputs = board.occupied().into_iter().map(|square: Square| {
                let input = view.input(board.piece_on(square).unwrap(), square);
                i64::from(weights.input[input * hidden + neuron])
            });
            let value = inputs.sum::<i64>() + i64::from(weights.input_bias[neuron]);
            let weight = weights.output[(2 * bucket + row) * hidden + neuron];
            sum += value.clamp(0, i64::from(QA)).pow(2) * i64::from(weight);
        }
    }
    let value = sum / i64::from(QA) + i64::from(weights.output_bias[bucket]);
    (value * i64::from(SCALE) / i64::from(QA * QB)).clamp(-20_000, 20_000)
}

#[test]
fn smaller_nets_keep_their_scores_and_their_name() {
    let ours = Architecture::OURS;
    let halved = ours.king_bucket_map.map(|bucket| bucket.min(1));
    let coarse = Architecture {
        hidden: 64,
        king_buckets: 1 + u8::from(ours.king_buckets > 1),
        king_bucket_map: halved,
        ..ours
    };
    let one_bucket = Architecture::one_bucket(ours.hidden);
    for shape in [Architecture::one_bucket(32), coarse, one_bucket, ours] {
        let weights = noise(shape);
        let file = weights.to_bytes();
        assert_eq!(file.len(), shape.file_size());
        let network = Network::from_bytes(&file).unwrap();
        assert_eq!(network.to_bytes(), file);
        assert_eq!(network.checksum(), weights.checksum());
        assert_eq!(Weights::from_bytes(&file).unwrap(), weights);
        let mut random = Rng::with_seed(4);
        for _ in 0..8 {
            let mut board = Board::startpos();
            let mut accumulators = Accumulators::new(&network, &board);
            for _ in 0..150 {
                let moves = board.legal_moves();
                // Kings that walk see all buckets.
                let kings: Vec<_> = moves
                    .iter()
                    .filter(|mv| mv.from() == board.king(board.side_to_move()))
                    .collect();
                let Some(&mv) = (if kings.is_empty() || random.bool() {
                    moves.get(random.usize(..moves.len().max(1)))
                } else {
                    Some(kings[random.usize(..kings.len())])
                }) else {
                    break;
                };
                accumulators.push(&board, mv);
                board.make(mv);
                let expected = reference(&weights, &board);
                assert_eq!(i64::from(network.evaluate(&board)), expected, "{}", board.fen());
                assert_eq!(i64::from(accumulators.evaluate(&network, &board)), expected);
            }
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let ours = Architecture::OURS;
    let wider = Architecture { hidden: ours.hidden + 32, ..ours };
    // Split by the file instead of what ours splits by.
    let mut other = Architecture { king_buckets: 2, ..ours };
    other.king_bucket_map = std::array::from_fn(|square| (square % 8 % 2) as u8);
    for shape in [wider, other] {
        assert!(shape.is_sound());
        let weights = Weights::zero(shape);
        assert_eq!(Network::new(&weights).unwrap_err(), WeightError::Shape(shape));
        let error = Network::from_bytes(&weights.to_bytes()).unwrap_err();
        assert_eq!(error, NetError::Architecture(Box::new(shape)));
        assert!(error.to_string().contains("this build needs"), "{error}");
        assert_eq!(Weights::from_bytes(&weights.to_bytes()).unwrap(), weights);
    }
    // Shapes that no net can have: a bucket without a square, a bucket that is not there.
    let unused = Architecture { king_buckets: ours.king_buckets + 1, ..ours };
    let mut missing = ours;
    missing.king_bucket_map[0] = ours.king_buckets;
    for shape in [unused, missing, Architecture { hidden: 33, ..ours }] {
        assert!(!shape.is_sound());
    }
}
