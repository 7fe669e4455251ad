//! The conversation: one thread reads lines and owns the engine.
//!
//! It never waits for a search to finish, so every command takes effect at once. Changes to what a
//! search uses (table, threads, net) are queued, and applied when a later command finds the search
//! finished; `go` stops the search first. While tablebases are loaded, on a thread of their own,
//! most lines wait.

mod changes;
mod limits;
mod loading;
pub mod options;
pub mod parameters;
mod partner;

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use megatherium_board::perft::divide;
use megatherium_board::{Board, MoveError};
use megatherium_search::{Engine, EngineError, Root, bench};

use crate::command::{Command, Go, Position};
use crate::format::Style;
use crate::input::MAX_LINE;
use crate::output::Output;
use crate::parse::{Parsed, Quoted, parse};
use crate::speaker::Speaker;
use crate::task::{self, Perft, Task};
use crate::{human, memory, version};
use changes::Change;
use loading::Loading;
use options::parse_option;
pub use partner::Partner;

/// Prefix of a line that is not an answer.
const REMARK: &str = "info string ";

/// What runs in the background while the reader listens.
#[derive(Debug)]
enum Running {
    /// A search.
    Search {
        /// Set by the search when it answers.
        answered: Arc<AtomicBool>,
        /// It has a limit, which ends it unless it is pondering or infinite.
        limited: bool,
        /// It answers only after `stop`.
        infinite: bool,
        /// It waits for `ponderhit` or `stop`.
        pondering: bool,
    },
    /// A bench or perft.
    Task(Task),
}

/// The UCI shell.
pub struct Shell {
    engine: Engine,
    output: Arc<Output>,
    /// The position of the next `go`.
    root: Root,
    style: Style,
    limit_strength: bool,
    elo: u32,
    debug: bool,
    running: Option<Running>,
    /// Changes that wait for the search to end.
    queue: VecDeque<Change>,
    /// Tablebases being loaded.
    loading: Loading,
    partner: Option<Box<dyn Partner>>,
}

impl Shell {
    /// A shell around a new engine with the default options.
    pub fn new(output: Arc<Output>) -> Result<Shell, EngineError> {
        let mut shell = Shell {
            engine: Engine::new(1, 1)?,
            output,
            root: Root::new(Board::startpos()),
            style: Style::default(),
            limit_strength: false,
            elo: 0,
            debug: false,
            running: None,
            queue: VecDeque::new(),
            loading: Loading::default(),
            partner: None,
        };
        // If the default table cannot be allocated, this small one stays.
        options::apply_defaults(&mut shell);
        Ok(shell)
    }

    /// Adds a partner that follows the conversation.
    pub fn set_partner(&mut self, partner: Box<dyn Partner>) {
        self.partner = Some(partner);
    }

    /// The engine, read-only.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The engine, to change it without a UCI conversation.
    pub fn engine_mut(&mut self) -> &mut Engine {
        &mut self.engine
    }

    /// Writes the greeting shown on a terminal.
    pub fn write_greeting(&self, out: &mut String) {
        let engine = &self.engine;
        version::write_greeting(out, engine.threads(), engine.hash_mebibytes(), engine.network());
    }

    /// Refuses a line that is too long. If it begins with `go`, the GUI waits for a `bestmove` and
    /// gets one.
    fn refuse_long(&mut self, start: &str) {
        let word = start.split_ascii_whitespace().next().unwrap_or_default();
        let problem =
            format!("a line of more than {MAX_LINE} bytes, {}, was skipped", Quoted(word));
        match parse(start).command {
            Some(Command::Go(_)) => self.go(&Go::default(), Some(problem)),
            _ => self.output.error(problem),
        }
    }

    /// Executes one line. Breaks at `quit`.
    pub fn obey(&mut self, line: &str) -> ControlFlow<()> {
        self.settle();
        let Parsed { command, problems } = parse(line);
        let mut problem = (!problems.is_empty()).then(|| problems.to_string());
        // Executing these may find further errors. All errors of a line go into one error line.
        let may_fail = matches!(
            command,
            Some(Command::Go(_) | Command::SetOption { .. } | Command::Position(_))
        );
        if !may_fail {
            self.complain(problem.take(), Ok(()));
        }
        let Some(command) = command else { return ControlFlow::Continue(()) };
        match command {
            Command::Uci => self.output.with(|out| {
                version::write_id(out);
                options::write_listing(out);
                if cfg!(feature = "tune") {
                    parameters::write_listing(out);
                }
                if let Some(partner) = &self.partner {
                    partner.write_options(out);
                }
                out.push_str("uciok\n");
            }),
            Command::Debug(on) => self.debug = on,
            Command::IsReady => {
                let idle = !self.is_searching();
                if let Some(partner) = self.partner.as_mut().filter(|_| idle) {
                    partner.ready();
                }
                self.output.line("readyok");
            }
            Command::SetOption { name, value } => {
                let waited = self.loading.is_active();
                let partner = self.partner.as_mut();
                let result = match partner.and_then(|partner| partner.set_option(name, value)) {
                    Some(result) => result,
                    None => match parse_option(name, value) {
                        Ok(assignment) => assignment.apply(self),
                        Err(error) => parameters::set(&mut self.engine.options.params, name, value)
                            .unwrap_or_else(|| Err(error.to_string())),
                    },
                };
                if self.loading.is_active() && !waited {
                    self.loading.remember(problem);
                } else {
                    self.complain(problem, result);
                }
            }
            Command::Register => self.output.info("no registration is needed"),
            Command::NewGame => {
                let result = self.change(Change::NewGame);
                self.complain(None, result);
            }
            Command::Position(position) => {
                let result = self.position(&position);
                self.complain(problem, result);
            }
            Command::Go(go) => self.go(&go, problem),
            Command::Stop => self.stop(),
            Command::PonderHit => self.ponder_hit(),
            Command::Quit => return ControlFlow::Break(()),
            Command::Display => {
                self.output.with(|out| human::write_position(out, &self.root, self.style));
            }
            Command::Flip => {
                self.root = Root::new(human::flipped(&self.root.board));
                self.tell_position(|board| format!("position fen {}", board.fen()));
            }
            Command::Eval => self.output.with(|out| {
                human::write_evaluation(out, &self.root.board, self.engine.network());
            }),
            Command::Bench { depth, threads, hash } => self.bench(depth, threads, hash),
            Command::TableStats => {
                // Before the output is locked: the partner may be about to write to it.
                let traffic = self.partner.as_ref().map(|partner| partner.traffic());
                self.output.with(|out| {
                    human::write_table(out, &self.engine);
                    out.extend(traffic);
                });
            }
            Command::Help => self.output.with(human::write_help),
            Command::Version => {
                self.output.with(|out| version::write_version(out, self.engine.network()));
            }
        }
        ControlFlow::Continue(())
    }

    /// Prints the errors of a line: those of the parser and that of the execution.
    fn complain(&self, problem: Option<String>, result: Result<(), String>) {
        let problems: Vec<String> = problem.into_iter().chain(result.err()).collect();
        if !problems.is_empty() {
            self.output.error(problems.join("; "));
        }
    }

    /// Sets up a position; if anything is wrong with it, the previous one stays.
    fn position(&mut self, position: &Position<'_>) -> Result<(), String> {
        self.root = root_of(position)?;
        self.tell_position(|_| position.to_string());
        if self.debug {
            let board = &self.root.board;
            self.output.info(format_args!("position {} key {:016x}", board.fen(), board.key()));
        }
        Ok(())
    }

    fn tell_position(&mut self, command: impl Fn(&Board) -> String) {
        if let Some(partner) = &mut self.partner {
            partner.position(command(&self.root.board));
        }
    }

    /// Starts a search (or a perft). One that is running is stopped, and answers first.
    ///
    /// `problem` is what was wrong with the arguments. The search starts anyway: every `go` is
    /// answered.
    fn go(&mut self, go: &Go<'_>, problem: Option<String>) {
        self.end_running();
        self.settle();
        let board = self.root.board;
        if let (Some(depth), None) = (go.perft, &problem) {
            let (output, threads) = (Arc::clone(&self.output), self.engine.threads());
            let chess960 = self.style.chess960;
            return self.start_task(move |stop| {
                let perft = Perft { board: &board, depth, chess960, remark: REMARK };
                let divide = |board: &Board, depth| divide(board, depth, threads, stop);
                perft.run(divide, |line| output.line(line));
            });
        }
        let (limits, problem) = limits::read(go, &board, problem);
        if let Some(problem) = &problem {
            self.output.error(problem);
        }
        if self.debug {
            self.output.info(format_args!("search with {limits:?}"));
        }
        let answered = Arc::new(AtomicBool::new(false));
        self.running = Some(Running::Search {
            answered: Arc::clone(&answered),
            limited: go.is_limited() || problem.is_some(),
            infinite: limits.infinite,
            pondering: limits.ponder,
        });
        let speaker = Speaker::new(Arc::clone(&self.output), board, self.style, answered);
        self.engine.start(self.root.clone(), limits, Arc::new(speaker));
    }

    fn bench(&mut self, depth: Option<u32>, threads: Option<usize>, hash: Option<usize>) {
        self.end_running();
        self.settle();
        let output = Arc::clone(&self.output);
        let depth = depth.unwrap_or(bench::DEFAULT_DEPTH);
        let (threads, hash) = (threads.unwrap_or(1), hash.unwrap_or(bench::DEFAULT_HASH));
        if let Some(shortage) = memory::too_many_threads(threads, hash) {
            return self.output.error(format_args!("bench {hash} {threads} {depth}: {shortage}"));
        }
        self.start_task(move |stop| match Engine::new(threads, hash) {
            Ok(mut engine) => {
                task::run_bench(&mut engine, depth, REMARK, stop, |line| output.line(line));
            }
            Err(error) => output.error(format_args!("bench: {error}")),
        });
    }

    fn start_task(&mut self, work: impl FnOnce(&AtomicBool) + Send + 'static) {
        match Task::start(work) {
            Ok(task) => self.running = Some(Running::Task(task)),
            Err(error) => self.output.error(format_args!("cannot start a thread: {error}")),
        }
    }

    /// Stops what is running. If nothing is, the answer was sent before `stop` arrived: no error.
    fn stop(&self) {
        match &self.running {
            Some(Running::Task(task)) => task.stop(),
            Some(Running::Search { .. }) => self.engine.stop(),
            None => {}
        }
    }

    fn ponder_hit(&mut self) {
        if let Some(Running::Search { pondering, .. }) = &mut self.running {
            *pondering = false;
            self.engine.ponder_hit();
        }
    }

    /// Whether a search has not answered yet.
    fn is_searching(&self) -> bool {
        match &self.running {
            Some(Running::Search { answered, .. }) => !answered.load(Ordering::Acquire),
            _ => false,
        }
    }

    /// Stops what is running and waits until it has answered.
    fn end_running(&mut self) {
        self.stop();
        match self.running.take() {
            Some(Running::Task(task)) => task.join(),
            Some(Running::Search { .. }) => self.engine.wait(),
            None => {}
        }
    }

    /// At the end of the input: waits for searches with a limit and for tasks, stops the rest.
    fn finish_running(&mut self) {
        match self.running.take() {
            Some(Running::Task(task)) => task.join(),
            Some(Running::Search { limited, infinite, pondering, .. }) => {
                if !limited || infinite || pondering {
                    self.engine.stop();
                }
                self.engine.wait();
            }
            None => {}
        }
    }
}

/// The position of a `position` command, with the game that led to it; or what is wrong with it.
pub fn root_of(position: &Position<'_>) -> Result<Root, String> {
    let board = match position.fen {
        None => Board::startpos(),
        Some(fen) => Board::from_fen(fen)
            .map_err(|error| format!("position fen {}: {error}", Quoted(fen)))?,
    };
    let mut root = Root::new(board);
    for (index, word) in position.moves.split_ascii_whitespace().enumerate() {
        let mv = read_move(&root.board, word)
            .map_err(|error| format!("position: move {} {} is {error}", index + 1, Quoted(word)))?;
        root.play(mv);
    }
    Ok(root)
}

/// Reads a move; the promoted piece may be a capital letter, as some programs write it.
fn read_move(board: &Board, word: &str) -> Result<megatherium_board::Move, MoveError> {
    match board.parse_uci(word) {
        Err(MoveError::Malformed) if word.len() <= 5 => board.parse_uci(&word.to_ascii_lowercase()),
        result => result,
    }
}
