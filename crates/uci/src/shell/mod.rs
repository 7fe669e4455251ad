//! The conversation: one thread reads lines and owns the engine.
//!
//! It never waits for a search to end by itself, so every command takes effect at once. A change of
//! what a search uses (table, threads, net) is queued and made when a later command finds the
//! search over; `go` stops the search first.

mod changes;
mod limits;
pub mod options;
mod partner;

use std::io::BufRead;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use megatherium_board::{Board, MoveError};
use megatherium_search::{Engine, EngineError, Root, bench};

use crate::command::{Command, Go, Position};
use crate::format::Style;
use crate::input::{Line, Lines, MAX_LINE};
use crate::output::Output;
use crate::parse::{Parsed, Quoted, parse};
use crate::speaker::Speaker;
use crate::task::{self, Task};
use crate::{human, memory, version};
use changes::Change;
use options::parse_option;
pub use partner::Partner;

/// Begins a line that is no answer.
const REMARK: &str = "info string ";

/// What is going on besides reading.
#[derive(Debug)]
enum Running {
    /// The engine searches.
    Search {
        /// Set by the search when it answers.
        answered: Arc<AtomicBool>,
        /// It ends by itself once it is neither pondering nor infinite.
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
    queue: Vec<Change>,
    /// Folders of the loaded tablebases.
    tablebase_path: String,
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
            queue: Vec::new(),
            tablebase_path: String::new(),
            partner: None,
        };
        // With too little memory for the default table the engine plays with this small one.
        options::apply_defaults(&mut shell);
        Ok(shell)
    }

    /// Lets somebody hear what the shell is told.
    pub fn set_partner(&mut self, partner: Box<dyn Partner>) {
        self.partner = Some(partner);
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The engine, for whoever uses the shell without a conversation.
    pub fn engine_mut(&mut self) -> &mut Engine {
        &mut self.engine
    }

    /// Writes what somebody at a terminal wants to know first.
    pub fn write_greeting(&self, out: &mut String) {
        let engine = &self.engine;
        version::write_greeting(out, engine.threads(), engine.hash_mebibytes(), engine.network());
    }

    /// Reads and obeys until `quit` or the end of the input.
    pub fn run(&mut self, input: impl BufRead) {
        let mut lines = Lines::new(input);
        while let Some(line) = lines.next_line() {
            match line {
                Line::Text(text) => {
                    self.output.log_input(&text);
                    if self.obey(&text).is_break() {
                        self.end_running();
                        return;
                    }
                }
                Line::TooLong(start) => self.refuse_long(&start),
            }
        }
        self.finish_running();
        self.settle();
    }

    /// A line that is too long is not carried out. But if it wanted to be a `go` somebody waits for
    /// a `bestmove`.
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
        // Some commands may find more that is wrong; everything wrong with a line is one error
        // line.
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
                let partner = self.partner.as_mut();
                let result = match partner.and_then(|partner| partner.set_option(name, value)) {
                    Some(result) => result,
                    None => match parse_option(name, value) {
                        Ok(assignment) => assignment.apply(self),
                        Err(error) => Err(error.to_string()),
                    },
                };
                self.complain(problem, result);
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
            Command::TableStats => self.output.with(|out| human::write_table(out, &self.engine)),
            Command::Help => self.output.with(human::write_help),
            Command::Version => {
                self.output.with(|out| version::write_version(out, self.engine.network()));
            }
        }
        ControlFlow::Continue(())
    }

    /// Says what is wrong with a line: what the parser found and what its execution found.
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
    /// `problem` is what was wrong with the arguments. A search is started nevertheless: every `go`
    /// gets its answer.
    fn go(&mut self, go: &Go<'_>, problem: Option<String>) {
        self.end_running();
        self.settle();
        let board = self.root.board;
        if let (Some(depth), None) = (go.perft, &problem) {
            let (output, threads) = (Arc::clone(&self.output), self.engine.threads());
            let chess960 = self.style.chess960;
            return self.start_task(move |stop| {
                task::run_perft(&output, &board, depth, threads, chess960, REMARK, stop);
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
        if let Some(shortage) =
            memory::too_many_threads(threads).or_else(|| memory::too_large_table(hash, 0))
        {
            return self.output.error(format_args!("bench {hash} {threads} {depth}: {shortage}"));
        }
        self.start_task(move |stop| match Engine::new(threads, hash) {
            Ok(mut engine) => task::run_bench(&output, &mut engine, depth, REMARK, stop),
            Err(error) => output.error(format_args!("bench: {error}")),
        });
    }

    fn start_task(&mut self, work: impl FnOnce(&AtomicBool) + Send + 'static) {
        match Task::start(work) {
            Ok(task) => self.running = Some(Running::Task(task)),
            Err(error) => self.output.error(format_args!("cannot start a thread: {error}")),
        }
    }

    /// Tells whatever is running to end. Without anything running there is nothing to say: the
    /// answer may have crossed the `stop` on its way.
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

    /// The end of the input: work that ends by itself may, the rest is stopped.
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
