//! `datagen`: self-play on all cores into one data file, until it is large enough or interrupted.

use super::{Failure, at, counted, load_network};
use clap::Args;
use clap::builder::RangedU64ValueParser;
use clap::value_parser;
use megatherium_board::{Board, position_file};
use megatherium_cli::progress::Progress;
use megatherium_nnue::Network;
use megatherium_search::Engine;
use megatherium_search::smp::STACK_BYTES;
use megatherium_train::data::{DataError, Game, Resumed, Writer};
use megatherium_train::harvest::Choice;
use megatherium_train::selfplay::{Rules, game_seed, play_and_harvest};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Arguments of `datagen`.
#[derive(Args, Debug)]
pub struct DatagenArgs {
    /// Data file to append to; compressed if its name ends in .xz
    out: PathBuf,
    /// Stop when the file has this many positions
    #[arg(long, default_value_t = 10_000_000)]
    positions: u64,
    /// Start no new iteration after this many nodes
    #[arg(long, default_value_t = Rules::default().soft_nodes, value_parser = value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,
    /// Random moves at the start of a game (half of the games have one more)
    #[arg(long, default_value_t = Rules::default().random_plies, value_parser = RangedU64ValueParser::<usize>::new().range(0..=64))]
    random_plies: usize,
    /// Reject openings with a score beyond this many centipawns, for either side
    #[arg(long, default_value_t = Rules::default().max_start_score, value_parser = value_parser!(i32).range(1..=10_000))]
    start_score: i32,
    /// End a game as won when four scores in a row are beyond this many centipawns
    #[arg(long, default_value_t = Rules::default().adjudication.win.score, value_parser = value_parser!(i32).range(1..=10_000))]
    win_score: i32,
    /// Start from the positions of this file, one FEN or EPD a line
    #[arg(long)]
    book: Option<PathBuf>,
    /// Play with this net instead of the embedded one
    #[arg(long)]
    net: Option<PathBuf>,
    /// Games at a time [default: one per core]
    #[arg(long, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: Option<usize>,
    /// Hash table of each game in MiB
    #[arg(long, default_value_t = 8, value_parser = RangedU64ValueParser::<usize>::new().range(1..=65_536))]
    hash: usize,
    /// Also write nodes of the search tree that were searched at least this deep
    #[arg(long, value_parser = value_parser!(u8).range(1..=64))]
    tree_depth: Option<u8>,
    /// How many in a hundred of these nodes, drawn at random
    #[arg(long, requires = "tree_depth", default_value_t = 25, value_parser = value_parser!(u8).range(1..=100))]
    tree_percent: u8,
    /// Seed of the run; runs with different seeds play different games
    #[arg(long, default_value_t = 1)]
    seed: u32,
}

/// Plays games and appends them to the file. Each is written as soon as it is over, so the program
/// can be killed at any moment; Ctrl-C lets the games under way end first.
pub fn datagen(args: &DatagenArgs) -> Result<(), Failure> {
    let network = match &args.net {
        Some(path) => Arc::new(load_network(path)?),
        None => Network::embedded(),
    };
    let mut rules = Rules {
        soft_nodes: args.nodes,
        hard_nodes: args.nodes.saturating_mul(8),
        random_plies: args.random_plies,
        max_start_score: args.start_score,
        book: args.book.as_deref().map_or(Ok(Vec::new()), read_book)?,
        ..Rules::default()
    };
    rules.adjudication.win.score = args.win_score;
    let choice =
        args.tree_depth.map(|least_depth| Choice { least_depth, percent: args.tree_percent });
    let threads =
        args.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let engines = (0..threads)
        .map(|_| Engine::here(args.hash))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| error.to_string())?;
    let (writer, resumed) = Writer::append(&args.out).map_err(|error| at(&args.out)(&error))?;
    if resumed.games > 0 {
        say!("resuming after {} games with {} positions", resumed.games, resumed.plies);
    }
    let net = network.checksum() as u32;
    let output = Output::new(writer, resumed, args.positions).map_err(|error| error.to_string())?;
    // A resumed run continues with the number of the next game, so it plays new ones.
    let number = AtomicU64::new(resumed.games);
    let work = |mut engine: Engine| {
        engine.set_network(Arc::clone(&network));
        while output.wants_more() {
            let seed = game_seed(args.seed, number.fetch_add(1, Ordering::Relaxed));
            let (game, nodes) = play_and_harvest(&mut engine, &rules, net, seed, choice);
            nodes.iter().chain([&game]).for_each(|record| output.write(record));
        }
    };
    let work = &work;
    std::thread::scope(|scope| {
        let mut engines = engines.into_iter();
        let first = engines.next();
        for engine in engines {
            let builder = std::thread::Builder::new().stack_size(STACK_BYTES);
            // If a thread cannot be started, the others play its games.
            let _ = builder.spawn_scoped(scope, move || work(engine));
        }
        first.into_iter().for_each(work);
    });
    let summary = output.finish().map_err(|error| at(&args.out)(&error))?;
    say!("{}: {summary}", args.out.display());
    Ok(())
}

/// The data file and the progress, shared by the threads that play.
struct Output {
    writer: Mutex<Result<Writer, DataError>>,
    /// Set when the file is large enough or cannot be written.
    done: AtomicBool,
    wanted: u64,
    games: AtomicU64,
    positions: AtomicU64,
    progress: Progress,
}

impl Output {
    fn new(writer: Writer, resumed: Resumed, wanted: u64) -> io::Result<Output> {
        let progress = Progress::new("positions")?;
        progress.begin("positions", wanted);
        progress.resume(resumed.plies);
        Ok(Output {
            writer: Mutex::new(Ok(writer)),
            done: AtomicBool::new(resumed.plies >= wanted),
            wanted,
            games: AtomicU64::new(resumed.games),
            positions: AtomicU64::new(resumed.plies),
            progress,
        })
    }

    fn wants_more(&self) -> bool {
        !self.done.load(Ordering::Relaxed) && !self.progress.stopped()
    }

    fn write(&self, game: &Game) {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let Ok(open) = &mut *writer else { return };
        if let Err(error) = open.write(game) {
            self.done.store(true, Ordering::Relaxed);
            *writer = Err(error);
            return;
        }
        drop(writer);
        let plies = game.plies.len() as u64;
        let games = self.games.fetch_add(1, Ordering::Relaxed) + 1;
        let positions = self.positions.fetch_add(plies, Ordering::Relaxed) + plies;
        if positions >= self.wanted {
            self.done.store(true, Ordering::Relaxed);
        }
        self.progress.step(plies, &format!("in {games} games"));
    }

    /// Closes the file and says what is in it.
    fn finish(self) -> Result<String, DataError> {
        self.progress.clear();
        self.writer.into_inner().unwrap_or_else(PoisonError::into_inner)?.finish()?;
        let (games, positions) = (self.games.into_inner(), self.positions.into_inner());
        let stopped = if positions < self.wanted {
            format!(", stopped before {}; the same command continues", self.wanted)
        } else {
            String::new()
        };
        let (games, positions) = (counted(games, "game"), counted(positions, "position"));
        Ok(format!("{games} with {positions}{stopped}"))
    }
}

/// The positions of an opening book.
fn read_book(path: &Path) -> Result<Vec<Board>, Failure> {
    let positions = position_file::read(path).map_err(|error| error.to_string())?;
    Ok(positions.into_iter().map(|position| position.board).collect())
}
