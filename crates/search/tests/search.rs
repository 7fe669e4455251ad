//! The search as a whole: mates, draws, limits, threads.

#![forbid(unsafe_code)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use megatherium_board::{Board, Move};
use megatherium_search::score::{self, mate_in, mated_in};
use megatherium_search::{Engine, Info, Limits, Outcome, Report, Root, ScoreBound, Silent, Sink};
use parking_lot::Mutex;

fn board(fen: &str) -> Board {
    Board::from_fen(fen).unwrap()
}

fn search(fen: &str, limits: Limits) -> Outcome {
    Engine::new(1, 4).unwrap().search(Root::new(board(fen)), limits, Silent)
}

fn uci(fen: &str, mv: Option<Move>) -> String {
    mv.map_or("(none)".into(), |mv| board(fen).uci(mv, false).to_string())
}

/// Keeps every line of analysis.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<Info>>>);

impl Sink for Lines {
    fn report(&self, report: Report<'_>) {
        if let Report::Info(info) = report {
            self.0.lock().push(info.clone());
        }
    }
}

#[test]
fn finds_short_mates_with_exact_distance() {
    for (fen, best, distance) in [
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "d1d8", 1),
        ("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4", "h5f7", 1),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", "a1a6", 3usize),
        ("2bqkbn1/2pppp2/np2N3/r3P1p1/p2N2B1/5Q2/PPPPKPP1/RNB2r2 w - - 0 1", "f3f7", 3),
    ] {
        let limits = Limits { mate: Some(distance.div_ceil(2) as u32), ..Limits::nodes(1_000_000) };
        let outcome = search(fen, limits);
        assert_eq!(outcome.score, mate_in(distance), "{fen}");
        assert_eq!(uci(fen, outcome.best), best, "{fen}");
    }
}

#[test]
fn sees_that_it_is_mated() {
    let lost = "7k/8/6K1/8/8/8/8/5R2 b - - 0 1";
    assert_eq!(search(lost, Limits::depth(8)).score, mated_in(4));
}

#[test]
fn game_over_at_the_root() {
    let mate = search("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", Limits::depth(5));
    assert_eq!((mate.best, mate.score), (None, mated_in(0)));
    let stalemate = search("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Limits::depth(5));
    assert_eq!((stalemate.best, stalemate.score), (None, score::DRAW));
}

/// Once, at the start, whatever the number of threads.
#[test]
fn a_finished_game_is_reported() {
    for (fen, wdl) in [
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", [0, 0, 1000]),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", [0, 1000, 0]),
    ] {
        let lines = Lines::default();
        let root = Root::new(board(fen));
        Engine::new(3, 1).unwrap().search(root, Limits::depth(5), lines.clone());
        let lines = lines.0.lock();
        let [info] = lines.as_slice() else { panic!("{lines:?}") };
        assert_eq!((info.depth, info.pv.len(), info.wdl), (0, 0, wdl));
    }
}

#[test]
fn knows_the_fifty_move_rule() {
    // A queen up, but the next ply ends the game.
    let drawn = search("7k/8/8/3Q4/8/8/8/K7 w - - 99 80", Limits::depth(6));
    assert!(drawn.score.abs() <= 1, "{}", drawn.score);
    let won = search("7k/8/8/3Q4/8/8/8/K7 w - - 10 80", Limits::depth(6));
    assert!(won.score > 300, "{}", won.score);
}

#[test]
fn repetition_is_a_draw_and_the_better_side_avoids_it() {
    let mut root = Root::new(board("7k/8/8/3Q4/8/8/8/K7 w - - 0 1"));
    for mv in ["d5d4", "h8g8", "d4d5", "g8h8", "d5d4", "h8g8"] {
        let mv = root.board.parse_uci(mv).unwrap();
        root.play(mv);
    }
    let outcome = Engine::new(1, 4).unwrap().search(root.clone(), Limits::depth(8), Silent);
    assert!(outcome.score > 300);
    assert_ne!(root.board.uci(outcome.best.unwrap(), false).to_string(), "d4d5");
}

#[test]
fn one_thread_is_deterministic() {
    let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let mut engine = Engine::new(1, 2).unwrap();
    let mut game = || {
        engine.new_game();
        let mut root = Root::new(board(fen));
        let mut log = Vec::new();
        for _ in 0..4 {
            let outcome = engine.search(root.clone(), Limits::depth(9), Silent);
            log.push((outcome.nodes, outcome.best, outcome.score));
            root.play(outcome.best.unwrap());
        }
        log
    };
    assert_eq!(game(), game());
}

/// A game's worth of searches, forgetting in between, with a thread and without.
#[test]
fn an_engine_without_threads_searches_the_same() {
    let answers = |mut engine: Engine| {
        let mut root = Root::new(Board::startpos());
        let mut found = Vec::new();
        for ply in 0..8 {
            if ply == 4 {
                engine.new_game();
            }
            let outcome = engine.search(root.clone(), Limits::nodes(3000), Silent);
            found.push((outcome.best, outcome.score, outcome.nodes));
            root.play(outcome.best.unwrap());
        }
        assert!(!engine.is_searching());
        found
    };
    let here = answers(Engine::here(1).unwrap());
    assert_eq!(here, answers(Engine::new(1, 1).unwrap()));
    let mut engine = Engine::here(1).unwrap();
    engine.set_threads(2).unwrap();
    assert_eq!(engine.threads(), 2, "threads can be started later");
    assert!(engine.search(Root::new(Board::startpos()), Limits::depth(4), Silent).best.is_some());
}

#[test]
fn node_limit_is_exact_with_one_thread_and_close_with_more() {
    let fen = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";
    assert_eq!(search(fen, Limits::nodes(10_000)).nodes, 10_000);
    let outcome =
        Engine::new(3, 4).unwrap().search(Root::new(board(fen)), Limits::nodes(60_000), Silent);
    assert!((60_000..63_000).contains(&outcome.nodes), "{}", outcome.nodes);
}

#[test]
fn search_moves_are_respected() {
    let fen = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1";
    let only = board(fen).parse_uci("g2g3").unwrap();
    let limits = Limits { search_moves: vec![only], ..Limits::depth(6) };
    assert_eq!(search(fen, limits).best, Some(only));
}

#[test]
fn several_lines_are_distinct_sorted_and_legal() {
    let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    let lines = Lines::default();
    let mut engine = Engine::new(1, 4).unwrap();
    engine.options.multi_pv = 5;
    engine.search(Root::new(board(fen)), Limits::depth(8), lines.clone());
    let lines = lines.0.lock();
    let last: Vec<&Info> = lines.iter().filter(|info| info.depth == 8).collect();
    assert_eq!(last.iter().map(|info| info.multipv).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    for pair in last.windows(2) {
        assert!(pair[0].score >= pair[1].score && pair[0].pv[0] != pair[1].pv[0]);
    }
    check_legal(fen, &lines);
}

fn check_legal(fen: &str, lines: &[Info]) {
    for info in lines {
        let mut board = board(fen);
        assert!(!info.pv.is_empty());
        for &mv in &info.pv {
            assert!(board.is_legal(mv), "{mv:?} in {:?} of {fen}", info.pv);
            board.make(mv);
        }
    }
}

#[test]
fn every_reported_line_is_legal() {
    for fen in [
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 4 8",
        "8/8/1p1r1k2/p1pPN1p1/P3KnP1/1P6/8/3R4 b - - 40 47",
        "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1",
    ] {
        for threads in [1, 3] {
            let lines = Lines::default();
            let mut engine = Engine::new(threads, 1).unwrap();
            engine.search(Root::new(board(fen)), Limits::depth(12), lines.clone());
            let lines = lines.0.lock();
            check_legal(fen, &lines);
            assert!(lines.iter().any(|info| info.bound == ScoreBound::Exact));
        }
    }
}

#[test]
fn infinite_waits_for_stop_without_working() {
    let mut engine = Engine::new(2, 1).unwrap();
    let done = Arc::new(Mutex::new(false));
    let flag = Arc::clone(&done);
    let sink = move |report: Report<'_>| {
        if let Report::Done(_) = report {
            *flag.lock() = true;
        }
    };
    // Mate in one: the search is exhausted at once.
    let root = Root::new(board("7k/8/6K1/8/8/8/8/5R2 w - - 0 1"));
    let limits = Limits { infinite: true, depth: Some(3), ..Limits::default() };
    engine.start(root, limits, Arc::new(sink));
    std::thread::sleep(Duration::from_millis(100));
    assert!(!*done.lock() && engine.is_searching());
    engine.stop();
    engine.wait();
    assert!(*done.lock());
}

#[test]
fn ponder_hit_starts_the_clock() {
    let mut engine = Engine::new(1, 1).unwrap();
    let limits = Limits {
        ponder: true,
        clock: [Some(Duration::from_millis(400)), Some(Duration::from_millis(400))],
        ..Limits::default()
    };
    engine.start(Root::new(Board::startpos()), limits, Arc::new(Silent));
    std::thread::sleep(Duration::from_millis(500));
    assert!(engine.is_searching(), "pondering ignores the clock");
    let hit = Instant::now();
    engine.ponder_hit();
    engine.wait();
    assert!(hit.elapsed() < Duration::from_secs(10));
}

#[test]
fn go_and_stop_a_thousand_times() {
    let mut engine = Engine::new(2, 1).unwrap();
    let answers = Arc::new(Mutex::new(0));
    for cycle in 0..1000u64 {
        let count = Arc::clone(&answers);
        let sink = move |report: Report<'_>| {
            if let Report::Done(outcome) = report {
                assert!(outcome.best.is_some());
                *count.lock() += 1;
            }
        };
        engine.start(
            Root::new(Board::startpos()),
            Limits { infinite: true, ..Limits::default() },
            Arc::new(sink),
        );
        if cycle % 3 == 0 {
            std::thread::sleep(Duration::from_micros(cycle));
        }
        engine.stop();
        engine.wait();
        assert_eq!(*answers.lock(), cycle + 1);
    }
}

#[test]
fn threads_and_hash_change_between_searches() {
    let mut engine = Engine::new(1, 1).unwrap();
    for (threads, mebibytes) in [(2, 3), (4, 1), (1, 8), (3, 2)] {
        engine.set_threads(threads).unwrap();
        engine.set_hash(mebibytes).unwrap();
        assert_eq!((engine.threads(), engine.hash_mebibytes()), (threads, mebibytes));
        let outcome = engine.search(Root::new(Board::startpos()), Limits::depth(6), Silent);
        assert!(outcome.best.is_some());
    }
    assert!(engine.set_hash(usize::MAX >> 20).is_err());
    assert_eq!(engine.hash_mebibytes(), 2, "the old table stays");
}

/// A thread that panics is excluded and reported. The answer still comes, even if it was the leader
/// or the only thread.
#[test]
fn a_failing_thread_does_not_silence_the_engine() {
    for (threads, failing) in [(1, 0), (2, 0), (2, 1), (3, 2)] {
        let mut engine = Engine::new(threads, 1).unwrap();
        engine.options.failing_thread = Some(failing);
        let errors = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&errors);
        let sink = move |report: Report<'_>| {
            if let Report::Error(error) = report {
                log.lock().push(error.to_string());
            }
        };
        let root = Root::new(Board::startpos());
        let outcome = engine.search(root.clone(), Limits::nodes(30_000), sink);
        assert!(root.board.is_legal(outcome.best.unwrap()));
        let errors = errors.lock();
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert!(errors[0].contains(&format!("thread {failing}")));
        assert!(errors[0].ends_with(": injected fault"), "{}", errors[0]);
        // The next search works again. The vote may elect a helper that is not so far, but the
        // leader reports every depth.
        engine.options.failing_thread = None;
        let lines = Lines::default();
        engine.search(root, Limits::depth(6), lines.clone());
        assert!(lines.0.lock().iter().any(|info| info.depth >= 6));
    }
}

/// Thirty queens: a node limit is exact even before the first root move is finished, and depth 1
/// ends without a limit.
#[test]
fn limits_hold_from_the_first_node_and_quiescence_is_bounded() {
    let fen = "qqqqkqqq/qqqqqqqq/8/8/8/8/QQQQQQQQ/QQQQKQQQ w - - 0 1";
    for nodes in [1, 2, 100, 3000] {
        let outcome = search(fen, Limits::nodes(nodes));
        assert_eq!(outcome.nodes, nodes);
        assert!(outcome.best.is_some_and(|mv| board(fen).is_legal(mv)));
    }
    assert!(search(fen, Limits::depth(1)).nodes < 1_000_000);
    // One node is enough to play a mate: the moves are ranked by the rules.
    let mate = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1";
    assert_eq!(uci(mate, search(mate, Limits::nodes(1)).best), "d1d8");
    // Or to take a queen, and not to leave one hanging.
    let queen = "4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1";
    assert_eq!(uci(queen, search(queen, Limits::nodes(1)).best), "e4d5");
    let tempting = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5Q2/PPPP1PPP/RNB1KBNR w KQkq - 0 1";
    let best = search(tempting, Limits::nodes(1)).best.unwrap();
    assert!(board(tempting).see_ge(best, 0), "it hangs: {}", uci(tempting, Some(best)));
}

/// A root move that ends the game is scored by the rules at every depth and by every thread: the
/// stalemating h4-h5 is never played for a win.
#[test]
fn stalemate_is_seen_at_depth_one() {
    let fen = "2R5/6k1/6B1/6P1/7P/8/3B3K/8 w - - 0 1";
    let mut engine = Engine::new(2, 1).unwrap();
    for tries in 0..60 {
        engine.new_game();
        let outcome = engine.search(Root::new(board(fen)), Limits::nodes(100), Silent);
        assert_ne!(uci(fen, outcome.best), "h4h5", "try {tries}, {}", outcome.score);
    }
}

/// Who ponders thinks on the opponent's time: the own clock does not end it.
#[test]
fn pondering_goes_on_beyond_the_own_clock() {
    let mut engine = Engine::new(1, 1).unwrap();
    let lines = Lines::default();
    let limits =
        Limits { ponder: true, clock: [Some(Duration::from_millis(1)); 2], ..Limits::default() };
    engine.start(Root::new(Board::startpos()), limits, Arc::new(lines.clone()));
    let began = Instant::now();
    while lines.0.lock().last().is_none_or(|info| info.depth < 10) {
        assert!(began.elapsed() < Duration::from_mins(1), "it has ended");
        std::thread::sleep(Duration::from_millis(1));
    }
    engine.stop();
    engine.wait();
}

/// Only a lower bound on the time, so load does not matter.
#[test]
fn a_ponder_hit_restarts_the_clock() {
    let mut engine = Engine::new(1, 1).unwrap();
    let limits = Limits { ponder: true, ..Limits::move_time(Duration::from_millis(400)) };
    engine.start(Root::new(Board::startpos()), limits, Arc::new(Silent));
    std::thread::sleep(Duration::from_millis(600));
    let hit = Instant::now();
    engine.ponder_hit();
    engine.wait();
    assert!(hit.elapsed() >= Duration::from_millis(350), "{:?}", hit.elapsed());
}

/// A forced move is played after a short look; a free choice is not cut short by that rule.
#[test]
fn a_forced_move_takes_little_of_a_long_clock() {
    let clock = [Some(Duration::from_hours(1)); 2];
    let forced = "7k/6pp/8/8/8/8/q7/K7 w - - 0 1";
    let outcome = search(forced, Limits { clock, ..Limits::nodes(2_000_000) });
    assert!(outcome.depth == 8 && outcome.nodes < 100_000, "{outcome:?}");
    let free = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";
    let outcome = search(free, Limits { clock, ..Limits::nodes(100_000) });
    assert_eq!(outcome.nodes, 100_000, "two and a half minutes are not over");
}

#[test]
fn one_thread_reports_every_depth_once() {
    let lines = Lines::default();
    let root = Root::new(Board::startpos());
    Engine::new(1, 1).unwrap().search(root, Limits::depth(6), lines.clone());
    let lines = lines.0.lock();
    let exact = lines.iter().filter(|info| info.bound == ScoreBound::Exact);
    assert_eq!(exact.map(|info| info.depth).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6]);
}

/// An iteration that a limit ends does not count.
#[test]
fn the_depth_is_that_of_the_last_finished_iteration() {
    let fen = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";
    let depth = search(fen, Limits::nodes(20_000)).depth;
    assert!(search(fen, Limits::depth(depth)).nodes <= 20_000);
    assert!(search(fen, Limits::depth(depth + 1)).nodes > 20_000);
}

/// Two kings: every iteration takes a few nodes, so the deepest is soon done.
#[test]
fn the_last_iteration_is_the_deepest_possible() {
    let kings = "8/8/4k3/8/8/4K3/8/8 w - - 0 1";
    for limits in [Limits::default(), Limits::depth(1000), Limits::depth(u32::MAX)] {
        assert_eq!(search(kings, limits).depth as usize, score::MAX_PLY - 1);
    }
    assert_eq!(search(kings, Limits::depth(0)).depth, 1);
}

/// An engine that is dropped ends its search; otherwise this test would not end.
#[test]
fn a_dropped_engine_ends_its_search() {
    let mut engine = Engine::new(2, 1).unwrap();
    let limits = Limits { infinite: true, ..Limits::default() };
    engine.start(Root::new(Board::startpos()), limits, Arc::new(Silent));
    drop(engine);
}
