//! Whole training runs: they learn, they can be interrupted, they repeat.

mod common;

use megatherium_nnue::layout::KING_BUCKETS;
use megatherium_nnue::{HIDDEN, Network};
use megatherium_train::data::{Filter, Writer};
use megatherium_train::dataset::{Dataset, is_held_out, samples};
use megatherium_train::trainer::{AdamW, Event, Settings, State, Target, run};
use megatherium_train::verify::{difference, model_scores, network_scores};
use std::convert::Infallible;

const SETTINGS: Settings = Settings {
    hidden: 32,
    king_buckets: true,
    epochs: 4,
    batch: 512,
    rate: 3e-3,
    last_rate: 1e-5,
    warmup: 10,
    adam: AdamW { first_decay: 0.9, second_decay: 0.999, epsilon: 1e-8, weight_decay: 0.01 },
    target: Target { mix: 0.1, outlook: 0.0, scale: 400.0, exponent: 2.0 },
    seed: 9,
};

fn dataset(count: usize) -> Dataset {
    let directory = tempfile::tempdir().unwrap();
    let paths = [directory.path().join("first.data"), directory.path().join("second.data")];
    let games = common::games(count, 1);
    for (path, games) in paths.iter().zip(games.chunks(count.div_ceil(2))) {
        let (mut writer, _) = Writer::append(path).unwrap();
        for game in games {
            writer.write(game).unwrap();
        }
    }
    let dataset = Dataset::load(&paths, &Filter::default(), 200, |_| true).unwrap();
    assert_eq!(dataset.games, count as u64);

    // Exactly the positions of the games, in order, each on its side.
    let (mut training, mut validation) = (Vec::new(), Vec::new());
    for game in &games {
        let side = if is_held_out(game, 200) { &mut validation } else { &mut training };
        side.extend(samples(game, &Filter::default()));
    }
    assert_eq!(dataset.training, training);
    assert_eq!(dataset.validation, validation);
    let share = validation.len() as f64 / (training.len() + validation.len()) as f64;
    assert!((0.1..0.3).contains(&share), "{share}");
    dataset
}

/// Trains from a state and collects the validation losses.
fn train(settings: &Settings, dataset: &Dataset, state: State) -> (State, Vec<f64>) {
    let mut losses = Vec::new();
    let result = run(settings, dataset, state, |event| {
        if let Event::Report(report) = event {
            losses.extend(report.validation_loss);
        }
        Ok::<(), Infallible>(())
    });
    let Ok(state) = result;
    (state, losses)
}

#[test]
fn a_run_repeats_and_resumes_bit_for_bit() {
    let dataset = dataset(100);
    let (whole, losses) = train(&SETTINGS, &dataset, State::new(&SETTINGS));
    assert_eq!(whole.epoch, 4);
    assert_eq!(losses.len(), 4);
    assert_eq!(train(&SETTINGS, &dataset, State::new(&SETTINGS)), (whole.clone(), losses.clone()));

    // Stop after the second epoch, go through a file, go on.
    let mut saved = Vec::new();
    let stopped = run(&SETTINGS, &dataset, State::new(&SETTINGS), |event| match event {
        Event::Epoch(state) if state.epoch == 2 => {
            saved = state.to_bytes(5);
            Err(())
        }
        _ => Ok(()),
    });
    assert!(stopped.is_err());
    let resumed = State::from_bytes(&saved, Some(5)).unwrap();
    assert_eq!(train(&SETTINGS, &dataset, resumed), (whole.clone(), losses[2..].to_vec()));

    let other = Settings { seed: 10, ..SETTINGS };
    assert_ne!(train(&other, &dataset, State::new(&other)).0, whole);
}

#[test]
fn a_run_learns_and_quantises_well() {
    let dataset = dataset(400);
    let settings =
        Settings { hidden: HIDDEN as u16, king_buckets: KING_BUCKETS > 1, epochs: 6, ..SETTINGS };
    let (state, losses) = train(&settings, &dataset, State::new(&settings));
    let (first, last) = (losses[0], losses[losses.len() - 1]);
    assert!(last < 0.5 * first, "the held-out loss went from {first} to {last}");

    let network = Network::new(&state.model.quantise().unwrap()).unwrap();
    let floating = model_scores(&state.model.rounded(), &dataset.validation);
    let found = difference(&floating, &network_scores(&network, &dataset.validation));
    assert!(found.positions > 2000 && found.mean < 1.0, "{found:?}");

    // It agrees with its teacher about who is better, nearly always.
    let teacher: Vec<f64> =
        dataset.validation.iter().map(|sample| f64::from(sample.score())).collect();
    let agreement = difference(&floating, &teacher);
    assert!(agreement.correlation > 0.9 && agreement.same_side > 0.85, "{agreement:?}");
}
