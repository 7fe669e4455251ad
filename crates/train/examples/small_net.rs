//! From nothing to a net in a minute: a few games of the engine against itself, and a net of 32
//! neurons that learns their scores. It is far too small to play; its loss falls.
//!
//! `cargo run --release -p megatherium-train --example small_net`

use megatherium_search::Engine;
use megatherium_train::data::Filter;
use megatherium_train::dataset::{Dataset, is_held_out, samples};
use megatherium_train::selfplay::{self, Rules};
use megatherium_train::trainer::{self, AdamW, Event, Settings, State, Target};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut engine = Engine::new(1, 2)?; // threads, MiB
    let rules = Rules { soft_nodes: 200, hard_nodes: 1600, ..Rules::default() };
    let mut dataset = Dataset::default();
    for number in 0..60 {
        let game = selfplay::play(&mut engine, &rules, 0, selfplay::game_seed(1, number));
        // Whole games are held out: positions of one game resemble each other.
        let held_out = is_held_out(&game, 100);
        let part = if held_out { &mut dataset.validation } else { &mut dataset.training };
        part.extend(samples(&game, &Filter::default()));
    }
    println!("{} positions, {} held out", dataset.training.len(), dataset.validation.len());
    let settings = Settings {
        hidden: 32,
        king_buckets: false,
        epochs: 8,
        batch: 64,
        rate: 5e-3,
        last_rate: 5e-4,
        warmup: 10,
        adam: AdamW::default(),
        target: Target { mix: 0.1, outlook: 0.0, scale: 400.0, exponent: 2.0 },
        seed: 1,
    };
    let trained = trainer::run(&settings, &dataset, State::new(&settings), |event| {
        if let Event::Report(report) = event
            && let Some(held_out) = report.validation_loss
        {
            let (epoch, learnt) = (report.epoch, report.training_loss);
            println!("epoch {epoch}: loss {learnt:.5}, held out {held_out:.5}");
        }
        Ok::<(), Box<dyn Error>>(())
    })?;
    let weights = trained.model.quantise()?;
    println!("{} weights of 16 bits in the first layer", weights.input.len());
    Ok(())
}
