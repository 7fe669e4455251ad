//! `datagen`: self-play on all cores into one data file, until enough or interrupted.

use super::{Failure, at};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use megatherium_board::Board;
use megatherium_nnue::Network;
use megatherium_search::Engine;
use megatherium_train::data::Writer;
use megatherium_train::random::Random;
use megatherium_train::selfplay::{Rules, play};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// Arguments of `datagen`.
#[derive(Args, Debug)]
pub struct DatagenArgs {
    /// Data file to append to; an interrupted run goes on where it was
    out: PathBuf,
    /// Positions to have in the file in the end, counting all of them
    #[arg(long, default_value_t = 10_000_000)]
    positions: u64,
    /// Begin no new iteration after this many nodes
    #[arg(long, default_value_t = Rules::default().soft_nodes)]
    nodes: u64,
    /// Random moves at the start of a game (or one more)
    #[arg(long, default_value_t = Rules::default().random_plies)]
    random_plies: usize,
    /// Start from the positions of this file, one FEN or EPD a line
    #[arg(long)]
    book: Option<PathBuf>,
    /// Play with this net instead of the embedded one
    #[arg(long)]
    net: Option<PathBuf>,
    /// Games played at the same time; as many as there are cores by default
    #[arg(long)]
    threads: Option<usize>,
    /// Hash table of each game in MiB
    #[arg(long, default_value_t = 8)]
    hash: usize,
    /// Another seed gives other games
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Plays games and writes them down. Each is on disk as soon as it is over: the program can be ended at any moment.
pub fn datagen(args: &DatagenArgs) -> Result<(), Failure> {
    let network = match &args.net {
        Some(path) => {
            let bytes = std::fs::read(path).map_err(|error| at(path)(&error))?;
            Arc::new(Network::from_bytes(&bytes).map_err(|error| at(path)(&error))?)
        }
        None => Network::embedded(),
    };
    let rules = Rules {
        soft_nodes: args.nodes,
        hard_nodes: args.nodes.saturating_mul(8),
        random_plies: args.random_plies,
        book: args.book.as_ref().map_or(Ok(Vec::new()), read_book)?,
        ..Rules::default()
    };
    let (writer, resumed) = Writer::append(&args.out).map_err(|error| at(&args.out)(&error))?;
    if resumed.games > 0 {
        println!("{} games with {} positions are there already", resumed.games, resumed.plies);
    }
    let bar = ProgressBar::new(args.positions).with_position(resumed.plies).with_style(
        ProgressStyle::with_template(
            "{bar:40} {human_pos}/{human_len} positions, {per_sec}, {eta} left {msg}",
        )
        .unwrap_or_else(|_| ProgressStyle::default_bar()),
    );
    bar.reset_eta();
    let threads = args.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let engines = (0..threads.max(1))
        .map(|_| Engine::new(1, args.hash))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| Failure::from(error.to_string()))?;
    let net = network.checksum() as u32;
    // The number of a game decides its seed, so a resumed run plays new ones.
    let number = AtomicU64::new(resumed.games);
    let seeds = Random::new(args.seed).next_u64();
    let writer = Mutex::new(writer);
    let written = AtomicU64::new(resumed.plies);
    let failure = Mutex::new(None);
    std::thread::scope(|scope| {
        for mut engine in engines {
            engine.set_network(Arc::clone(&network));
            let (rules, number, writer, written, failure, bar) =
                (&rules, &number, &writer, &written, &failure, &bar);
            scope.spawn(move || {
                while written.load(Ordering::Relaxed) < args.positions {
                    let seed = seeds.wrapping_add(number.fetch_add(1, Ordering::Relaxed));
                    let game = play(&mut engine, rules, net, seed);
                    let result =
                        writer.lock().unwrap_or_else(std::sync::PoisonError::into_inner).write(&game);
                    if let Err(error) = result {
                        // Nothing more can be written: let the others finish too.
                        written.store(u64::MAX, Ordering::Relaxed);
                        *failure.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(error);
                        return;
                    }
                    written.fetch_add(game.plies.len() as u64, Ordering::Relaxed);
                    bar.inc(game.plies.len() as u64);
                    bar.set_message(format!("({} games)", number.load(Ordering::Relaxed)));
                }
            });
        }
    });
    bar.finish();
    match failure.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        Some(error) => Err(at(&args.out)(&error)),
        None => Ok(()),
    }
}

fn read_book(path: &PathBuf) -> Result<Vec<Board>, Failure> {
    let text = std::fs::read_to_string(path).map_err(|error| at(path)(&error))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let boards = lines.map(|(number, line)| {
        // An EPD line has operations where a FEN has clocks: four fields say it all.
        let fields: Vec<&str> = line.split_whitespace().take(4).collect();
        Board::from_fen(&fields.join(" "))
            .map_err(|error| Failure::from(format!("{}, line {}: {error}", path.display(), number + 1)))
    });
    let boards = boards.collect::<Result<Vec<_>, _>>()?;
    if boards.is_empty() {
        Err(Failure::from(format!("{}: no positions", path.display())))
    } else {
        Ok(boards)
    }
}
