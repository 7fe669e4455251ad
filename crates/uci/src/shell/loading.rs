//! Loads tablebases on a separate thread.
//!
//! Validating the files of a large set takes seconds, minutes on a slow disk, and the reader must
//! stay responsive meanwhile. Most commands are queued until the tables are loaded: a search must
//! use the tables that were set before it, and `isready` asks whether they are ready. Two commands
//! are not queued, `stop` and `quit`. They first release the queue: the searches they are meant to
//! end start, with the tables loaded before, and answer at once. After a `stop` only `isready`
//! stays queued.

use std::collections::VecDeque;
use std::fmt::Display;
use std::io::BufRead;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use megatherium_search::{Inventory, TablebaseError};

use super::Shell;
use crate::command::Command;
use crate::input::{Line, Lines, MAX_LINE};
use crate::memory;
use crate::parse::{Quoted, parse};

/// Memory that must be free before the probing library is started: it ends the process if it cannot
/// allocate its lists, which are smaller than this.
const PROBER_BYTES: usize = 4 << 20;

/// Tablebases that are being loaded, and the lines that wait for them.
#[derive(Debug, Default)]
pub(super) struct Loading {
    /// The path as the GUI wrote it; `None` if nothing is being loaded.
    path: Option<String>,
    /// What else was wrong with the line that named the path.
    problem: Option<String>,
    /// Work that no thread has taken yet.
    order: Option<Order>,
    /// Set at `quit`: cancels the loading.
    cancelled: Arc<AtomicBool>,
    /// Queued lines, and the memory they take.
    held: VecDeque<Line<'static>>,
    bytes: usize,
}

/// An inventory to be taken.
#[derive(Debug)]
struct Order {
    path: String,
    known: Inventory,
    cancelled: Arc<AtomicBool>,
}

impl Order {
    /// Reads the files. A panic is caught: the reader would wait forever.
    fn carry_out(&self) -> Result<Inventory, TablebaseError> {
        let take = || Inventory::take(&self.path, &self.known, &self.cancelled);
        catch_unwind(AssertUnwindSafe(take))
            .unwrap_or_else(|_| Err(TablebaseError::Unusable(self.path.clone())))
    }
}

impl Loading {
    pub(super) fn is_active(&self) -> bool {
        self.path.is_some()
    }

    /// Keeps the parser's problems with the line that began the loading: all problems of a line go
    /// into one error line, and those of the loading are not known yet.
    pub(super) fn remember(&mut self, problem: Option<String>) {
        self.problem = problem;
    }

    fn hold(&mut self, line: Line<'static>) {
        self.bytes += line.weight();
        self.held.push_back(line);
    }

    fn hold_first(&mut self, line: Line<'static>) {
        self.bytes += line.weight();
        self.held.push_front(line);
    }

    fn next_held(&mut self) -> Option<Line<'static>> {
        let line = self.held.pop_front()?;
        self.bytes -= line.weight();
        Some(line)
    }
}

/// The shell, shared by the reader and the thread that loads.
struct Shared {
    shell: Mutex<Shell>,
    /// Notified when nothing is being loaded any more.
    loaded: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Shell> {
        self.shell.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until nothing is being loaded.
    fn wait<'a>(&self, shell: MutexGuard<'a, Shell>) -> MutexGuard<'a, Shell> {
        self.loaded
            .wait_while(shell, |shell| shell.loading.is_active())
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives an order to a new thread. If none can be started, or memory is short, the reader
    /// carries it out itself.
    ///
    /// The thread is never joined: a disk that does not respond may block it forever, and must not
    /// keep the engine from exiting.
    fn start(self: &Arc<Self>, shell: &mut Shell) {
        if shell.loading.order.is_none() {
            return;
        }
        let shared = Arc::clone(self);
        let thread = thread::Builder::new().name("tablebases".to_owned());
        let crowded = memory::too_many_threads(1, 0).is_some();
        if crowded || thread.spawn(move || shared.load()).is_err() {
            shell.load_here();
        }
    }

    /// The loop of the loading thread.
    fn load(&self) {
        loop {
            let Some(order) = self.lock().loading.order.take() else { break };
            let result = order.carry_out();
            let mut shell = self.lock();
            if order.cancelled.load(Ordering::Relaxed) {
                return;
            }
            shell.finish_loading(result);
        }
        self.loaded.notify_all();
    }
}

impl Shell {
    /// Reads and obeys until `quit` or the end of the input.
    pub fn run(self, input: impl BufRead) {
        let shared = Arc::new(Shared { shell: Mutex::new(self), loaded: Condvar::new() });
        let mut lines = Lines::new(input);
        while let Some(line) = lines.next_line() {
            let mut shell = shared.lock();
            if shell.loading.bytes > MAX_LINE {
                shell = shared.wait(shell);
            }
            if let Line::Text(text) = &line {
                shell.output.log_input(text);
            }
            if shell.hear(line).is_break() {
                shell.loading.cancelled.store(true, Ordering::Relaxed);
                shell.end_running();
                return;
            }
            shared.start(&mut shell);
        }
        let mut shell = shared.wait(shared.lock());
        shell.finish_running();
        shell.settle();
        shell.load_here();
    }

    /// Executes a line, or queues it until the tablebases are loaded. Breaks at `quit`.
    fn hear(&mut self, line: Line<'_>) -> ControlFlow<()> {
        if self.must_wait(&line) {
            let command = match &line {
                Line::Text(text) => parse(text).command,
                Line::TooLong(_) => None,
            };
            match command {
                Some(Command::Quit) => self.release(true),
                Some(Command::Stop) => self.release(false),
                _ => {
                    self.loading.hold(line.into_owned());
                    return ControlFlow::Continue(());
                }
            }
        }
        self.obey_line(&line)
    }

    /// Whether this line must wait until tablebases are loaded. Applies the queued changes first.
    /// `go` and `bench` end a search, so for them these include changes that waited for its end: a
    /// search must not start before the tables that were set before it are loaded.
    fn must_wait(&mut self, line: &Line<'_>) -> bool {
        self.settle();
        let (Line::Text(text) | Line::TooLong(text)) = line;
        let ends_search =
            matches!(parse(text).command, Some(Command::Go(_) | Command::Bench { .. }));
        if ends_search && !self.queue.is_empty() {
            self.end_running();
            self.settle();
        }
        self.loading.is_active()
    }

    fn obey_line(&mut self, line: &Line<'_>) -> ControlFlow<()> {
        match line {
            Line::Text(text) => self.obey(text),
            Line::TooLong(start) => {
                self.refuse_long(start);
                ControlFlow::Continue(())
            }
        }
    }

    /// Executes the queued lines with the tables loaded before; `isready` only if asked to.
    fn release(&mut self, questions_too: bool) {
        let mut questions = Vec::new();
        while let Some(line) = self.loading.next_held() {
            match &line {
                Line::Text(text)
                    if !questions_too && matches!(parse(text).command, Some(Command::IsReady)) =>
                {
                    questions.push(line);
                }
                // `quit` is never held back.
                line => {
                    let _ = self.obey_line(line);
                }
            }
        }
        for line in questions {
            self.loading.hold(line);
        }
    }

    /// Begins to load the tablebases on `path`. Nothing is being loaded yet.
    pub(super) fn begin_loading(&mut self, path: String) {
        self.loading.order = Some(Order {
            path: path.clone(),
            known: self.engine.tablebases().inventory().clone(),
            cancelled: Arc::clone(&self.loading.cancelled),
        });
        self.loading.path = Some(path);
    }

    /// Installs the tables or reports the error, then executes the queued lines. One of those lines
    /// may start another load; the lines after it stay queued.
    fn finish_loading(&mut self, result: Result<Inventory, TablebaseError>) {
        let path = self.loading.path.take().unwrap_or_default();
        let problem = self.loading.problem.take();
        // A search that runs now has been stopped: `go` is held back, or released by a `stop`.
        self.engine.wait();
        let result = self.use_tablebases(&path, result);
        self.complain(problem, result);
        self.settle();
        while let Some(line) = self.loading.next_held() {
            if self.must_wait(&line) {
                self.loading.hold_first(line);
                break;
            }
            let _ = self.obey_line(&line);
        }
    }

    /// A set that is in use already, unchanged, is not mentioned: GUIs send the same path again for
    /// every game.
    fn use_tablebases(
        &mut self,
        path: &str,
        result: Result<Inventory, TablebaseError>,
    ) -> Result<(), String> {
        let known = result.as_ref().is_ok_and(|new| new == self.engine.tablebases().inventory());
        let refusal = |error: &dyn Display| format!("SyzygyPath {}: {error}", Quoted(path));
        let inventory = result.map_err(|error| refusal(&error))?;
        if !known && let Some(shortage) = memory::too_little_for(PROBER_BYTES) {
            return Err(refusal(&shortage));
        }
        self.engine.set_tablebases(inventory).map_err(|error| refusal(&error))?;
        if !known && !path.is_empty() {
            let men = self.engine.tablebases().max_men();
            self.output.info(format_args!("tablebases with up to {men} men in {}", Quoted(path)));
        }
        Ok(())
    }

    /// Carries out what is left to load, on this thread.
    fn load_here(&mut self) {
        while let Some(order) = self.loading.order.take() {
            let result = order.carry_out();
            self.finish_loading(result);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};

    use super::*;
    use crate::output::Output;

    /// What the shell has said.
    #[derive(Clone, Default)]
    struct Said(Arc<Mutex<Vec<u8>>>);

    impl Write for Said {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Said {
        /// The first words of the lines said since this was last asked, without reports of a
        /// search.
        fn take(&self) -> Vec<String> {
            let text = String::from_utf8(std::mem::take(&mut self.0.lock().unwrap())).unwrap();
            let lines = text.lines().filter(|line| !line.starts_with("info depth"));
            lines.map(|line| line.split(": tablebases").next().unwrap().to_owned()).collect()
        }
    }

    const NOWHERE: &str = "info string error: SyzygyPath '/nowhere'";

    /// A shell that waits for tablebases: no thread takes the order, until the test does.
    fn waiting() -> (Shell, Said) {
        let said = Said::default();
        let mut shell = Shell::new(Arc::new(Output::new(Box::new(said.clone())))).unwrap();
        said.take();
        hear(&mut shell, "setoption name SyzygyPath value /nowhere");
        assert!(shell.loading.is_active());
        (shell, said)
    }

    fn hear(shell: &mut Shell, text: &str) {
        assert!(shell.hear(Line::Text(text.into())).is_continue());
    }

    #[test]
    fn lines_wait_in_order_until_the_tablebases_are_loaded() {
        let (mut shell, said) = waiting();
        hear(&mut shell, "isready");
        hear(&mut shell, "setoption name SyzygyPath value /elsewhere");
        hear(&mut shell, "isready");
        hear(&mut shell, "nonsense");
        assert!(shell.hear(Line::TooLong("go depth 1 xxx".into())).is_continue());
        assert_eq!(said.take(), [] as [&str; 0]);
        shell.load_here();
        shell.engine.wait();
        let lines = said.take();
        assert_eq!(lines[..2], [NOWHERE, "readyok"]);
        assert_eq!(lines[2..4], ["info string error: SyzygyPath '/elsewhere'", "readyok"]);
        assert!(lines[4].contains("nonsense") && lines[5].contains("was skipped"), "{lines:?}");
        assert!(lines.len() == 7 && lines[6].starts_with("bestmove "), "{lines:?}");
        assert_eq!((shell.loading.is_active(), shell.loading.bytes), (false, 0));
    }

    #[test]
    fn quit_does_not_wait() {
        let (mut shell, said) = waiting();
        for line in ["isready", "go infinite", "go depth 30"] {
            hear(&mut shell, line);
        }
        assert!(shell.hear(Line::Text("quit".into())).is_break());
        shell.end_running();
        let lines = said.take();
        assert!(lines.len() == 3 && lines[0] == "readyok", "{lines:?}");
        assert!(lines[1..].iter().all(|line| line.starts_with("bestmove ")), "every go: {lines:?}");
    }

    /// The search that `stop` is meant for starts and answers at once. `isready` stays queued.
    #[test]
    fn a_stopped_search_does_not_wait() {
        let (mut shell, said) = waiting();
        for line in ["isready", "position startpos moves e2e4", "go infinite", "stop"] {
            hear(&mut shell, line);
        }
        shell.engine.wait();
        let lines = said.take();
        assert!(lines.len() == 1 && lines[0].starts_with("bestmove "), "{lines:?}");
        assert!(shell.loading.is_active());
        hear(&mut shell, "stop");
        assert_eq!(said.take(), [] as [&str; 0]);
        shell.load_here();
        assert_eq!(said.take(), [NOWHERE, "readyok"]);
    }

    /// Everything wrong with a line is one error, although half of it is known only later.
    #[test]
    fn a_bad_line_with_a_bad_path_is_one_error() {
        let (mut shell, said) = waiting();
        shell.load_here();
        said.take();
        hear(&mut shell, "joho setoption name SyzygyPath value /nowhere");
        assert_eq!(said.take(), [] as [&str; 0]);
        shell.load_here();
        let lines = said.take();
        assert!(lines.len() == 1 && lines[0].contains("joho"), "{lines:?}");
        assert!(lines[0].contains("SyzygyPath '/nowhere'"), "{lines:?}");
    }

    /// A path that is set during a search is loaded after it, and what is set meanwhile after that.
    #[test]
    fn a_search_comes_first() {
        let (mut shell, said) = waiting();
        shell.load_here();
        said.take();
        for line in ["go infinite", "setoption name SyzygyPath value /nowhere", "isready"] {
            hear(&mut shell, line);
        }
        assert_eq!(said.take(), ["readyok"], "nothing has been ordered yet");
        hear(&mut shell, "stop");
        shell.engine.wait();
        said.take();
        hear(&mut shell, "isready");
        assert_eq!(said.take(), [] as [&str; 0]);
        shell.load_here();
        assert_eq!(said.take(), [NOWHERE, "readyok"]);
    }

    /// A `go` that ends a search waits for the tables that were set during it, when it arrives and
    /// when it is taken from the lines held back. The engine would wait for it for ever otherwise.
    #[test]
    fn the_next_search_waits_for_tables_set_during_the_last() {
        let (mut shell, said) = waiting();
        shell.load_here();
        said.take();
        let lines = ["go infinite", "setoption name SyzygyPath value /nowhere", "go ponder"];
        for line in lines {
            hear(&mut shell, line);
        }
        let before = said.take();
        assert!(before.len() == 1 && before[0].starts_with("bestmove "), "{before:?}");
        // All of it once more, held back behind the `go ponder`.
        for line in lines {
            hear(&mut shell, line);
        }
        shell.load_here();
        let lines = said.take();
        let errors = lines.iter().filter(|line| *line == NOWHERE).count();
        let answers = lines.iter().filter(|line| line.starts_with("bestmove ")).count();
        assert_eq!((errors, answers, lines.len()), (2, 2, 4), "{lines:?}");
        assert!(shell.is_searching(), "the last one ponders");
        hear(&mut shell, "stop");
        shell.engine.wait();
        assert_eq!(said.take().len(), 1);
    }
}
