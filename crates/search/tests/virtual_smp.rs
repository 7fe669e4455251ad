//! Virtual SMP: a reproducible search on several threads.

#![forbid(unsafe_code)]

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use megatherium_board::{Board, Move};
use megatherium_search::{
    Engine, Limits, Report, Root, Sink, TakeOver, Teamwork, VirtualSmp, bench,
};
use parking_lot::Mutex;

const MIDDLEGAME: &str = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";

const TACTICAL: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// Depth, nodes, score and moves of a report.
type Line = (u32, u64, i32, Vec<Move>);

/// Everything a search reports except times, and the nodes of every thread.
#[derive(Debug, PartialEq, Eq)]
struct Tree {
    nodes_by_thread: Vec<u64>,
    best: Option<Move>,
    score: i32,
    depth: u32,
    /// Every report.
    lines: Vec<Line>,
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<Line>>>);

impl Sink for Lines {
    fn report(&self, report: Report<'_>) {
        if let Report::Info(info) = report {
            self.0.lock().push((info.depth, info.nodes, info.score, info.pv.clone()));
        }
    }
}

fn tree(engine: &mut Engine, fen: &str, limits: Limits, settings: VirtualSmp) -> Tree {
    engine.options.virtual_smp = Some(settings);
    engine.new_game();
    let lines = Lines::default();
    let outcome = engine.search(Root::new(Board::from_fen(fen).unwrap()), limits, lines.clone());
    Tree {
        nodes_by_thread: engine.nodes_by_thread(),
        best: outcome.best,
        score: outcome.score,
        depth: outcome.depth,
        lines: std::mem::take(&mut lines.0.lock()),
    }
}

/// Every rule of teamwork changes what four threads do, reproducibly, and nothing for one thread.
#[test]
fn rules_of_teamwork_are_for_several_threads() {
    let settings = VirtualSmp::default();
    // Clocks that count nodes, for the rule about time: threads that agree save half of it. Only
    // whole iterations can be saved, so there are several clocks.
    let limits = [100, 150, 200].map(|clock| Limits {
        clock: [Some(Duration::from_millis(clock)); 2],
        ..Limits::default()
    });
    for threads in [1, 4] {
        let search = |rule: &str| {
            let mut engine = Engine::new(threads, 4).unwrap();
            engine.options.nodes_per_millisecond = Some(1000);
            engine.options.params.time_agreed = 50;
            // Clocks this short would be kept in reserve.
            engine.options.params.time_reserve = 0;
            if !rule.is_empty() {
                engine.options.teamwork = rule.parse().unwrap();
            }
            // Threads may agree all the time in one position.
            [MIDDLEGAME, TACTICAL]
                .map(|fen| limits.clone().map(|limits| tree(&mut engine, fen, limits, settings)))
        };
        let shipped = search("");
        for rule in Teamwork::RULES {
            for value in rule.range.clone().take(3) {
                let rule = format!("{}={value}", rule.name);
                let is_shipped = rule.parse::<Teamwork>().unwrap() == Teamwork::default();
                let same = is_shipped || threads == 1;
                assert_eq!(search(&rule) == shipped, same, "{rule}, {threads} threads");
            }
        }
    }
}

/// The leader reports iterations in order up to the depth asked for, whoever completed them. After
/// that only the line of the thread that the vote elects may follow.
#[test]
fn iterations_that_were_taken_over_are_reported() {
    for take_over in [TakeOver::First, TakeOver::Agreed] {
        for skip_depths in [false, true] {
            let mut engine = Engine::new(8, 4).unwrap();
            engine.options.teamwork.take_over = take_over;
            engine.options.teamwork.skip_depths = skip_depths;
            iterations_are_reported(&mut engine);
        }
    }
}

fn iterations_are_reported(engine: &mut Engine) {
    let tree = tree(engine, MIDDLEGAME, Limits::depth(11), VirtualSmp::default());
    let depths: Vec<u32> = tree.lines.iter().map(|line| line.0).collect();
    let end = depths.iter().position(|&depth| depth == 11).expect("the depth asked for");
    assert!(depths[..=end].is_sorted_by(|a, b| a < b), "{depths:?}");
    assert!(depths[end + 1..].len() <= 1 && depths.iter().all(|&depth| depth <= 11), "{depths:?}");
    assert_eq!(tree.best, tree.lines.last().and_then(|line| line.3.first().copied()));
}

#[test]
fn four_threads_search_the_same_tree_twice() {
    let settings = VirtualSmp::default();
    let mut engine = Engine::new(4, 4).unwrap();
    let first = tree(&mut engine, MIDDLEGAME, Limits::depth(11), settings);
    assert_eq!(first.nodes_by_thread.len(), 4);
    assert!(first.nodes_by_thread.iter().all(|&nodes| nodes > 1000), "{first:?}");
    assert_eq!(
        first,
        tree(&mut engine, MIDDLEGAME, Limits::depth(11), settings),
        "in the same engine"
    );
    let mut another = Engine::new(4, 4).unwrap();
    assert_eq!(
        first,
        tree(&mut another, MIDDLEGAME, Limits::depth(11), settings),
        "in another engine"
    );
    let seed = VirtualSmp { seed: 2, ..settings };
    assert_ne!(
        first,
        tree(&mut engine, MIDDLEGAME, Limits::depth(11), seed),
        "another seed, another tree"
    );
    let quantum = VirtualSmp { quantum: 16, ..settings };
    assert_ne!(
        first,
        tree(&mut engine, MIDDLEGAME, Limits::depth(11), quantum),
        "other turns, another tree"
    );
}

/// Load and more threads than cores do not change the tree.
#[test]
fn load_makes_no_difference() {
    let run = || {
        let mut engine = Engine::new(24, 4).unwrap();
        tree(&mut engine, MIDDLEGAME, Limits::depth(7), VirtualSmp { seed: 5, quantum: 8 })
    };
    let alone = run();
    let together: Vec<Tree> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..3).map(|_| scope.spawn(run)).collect();
        handles.into_iter().map(|handle| handle.join().unwrap()).collect()
    });
    for tree in &together {
        assert_eq!(tree, &alone);
    }
}

/// Turns have the same mean length, so the threads share a node budget evenly.
#[test]
fn node_budgets_are_met_and_shared() {
    let mut engine = Engine::new(8, 4).unwrap();
    let limits = || Limits::nodes(80_000);
    let first = tree(&mut engine, MIDDLEGAME, limits(), VirtualSmp::default());
    assert_eq!(first, tree(&mut engine, MIDDLEGAME, limits(), VirtualSmp::default()));
    let total: u64 = first.nodes_by_thread.iter().sum();
    assert!((80_000..81_000).contains(&total), "{total}");
    assert!(first.nodes_by_thread.iter().all(|nodes| (8_000..12_000).contains(nodes)), "{first:?}");
}

/// A single thread always holds the baton: the same search as without one.
#[test]
fn one_thread_is_the_plain_search() {
    let mut engine = Engine::new(1, 4).unwrap();
    let under_a_baton = tree(&mut engine, MIDDLEGAME, Limits::depth(8), VirtualSmp::default());
    engine.options.virtual_smp = None;
    engine.new_game();
    let root = Root::new(Board::from_fen(MIDDLEGAME).unwrap());
    let outcome = engine.search(root, Limits::depth(8), Lines::default());
    assert_eq!(vec![outcome.nodes], under_a_baton.nodes_by_thread);
    assert_eq!((outcome.best, outcome.score), (under_a_baton.best, under_a_baton.score));
}

/// A thread that panics in its turn leaves the ring; the others go on and answer.
#[test]
fn a_thread_that_fails_does_not_keep_the_baton() {
    for failing in [0, 2] {
        let mut engine = Engine::new(3, 1).unwrap();
        engine.options.failing_thread = Some(failing);
        // The hook that prints panics is the test harness's; what matters is the answer.
        let answer = tree(&mut engine, MIDDLEGAME, Limits::nodes(20_000), VirtualSmp::default());
        assert!(answer.best.is_some());
    }
}

/// A stop reaches a search although most of its threads sleep.
#[test]
fn a_virtual_search_can_be_stopped() {
    let mut engine = Engine::new(16, 1).unwrap();
    engine.options.virtual_smp = Some(VirtualSmp::default());
    engine.start(
        Root::new(Board::startpos()),
        Limits { infinite: true, ..Limits::default() },
        Arc::new(Lines::default()),
    );
    engine.stop();
    engine.wait();
}

/// The bench of four threads under the baton has a signature, like that of one thread.
#[test]
fn the_virtual_bench_has_a_signature() {
    let signature = |seed| {
        let mut engine = Engine::new(4, 1).unwrap();
        engine.options.virtual_smp = Some(VirtualSmp { seed, ..VirtualSmp::default() });
        let result = bench::run_on(&mut engine, 5, &AtomicBool::new(false), &mut |_| {});
        assert!(result.complete);
        (result.nodes, result.checksum)
    };
    assert_eq!(signature(1), signature(1));
    assert_ne!(signature(1), signature(2));
}

/// Several lines are searched by each thread itself: another's one line cannot stand for them.
#[test]
fn several_lines_are_not_taken_over() {
    let mut engine = Engine::new(4, 4).unwrap();
    engine.options.multi_pv = 3;
    engine.options.teamwork.take_over = TakeOver::First;
    let tree = tree(&mut engine, MIDDLEGAME, Limits::depth(8), VirtualSmp::default());
    for depth in 1..=8 {
        let of_depth = tree.lines.iter().filter(|line| line.0 == depth);
        let mut firsts: Vec<u16> = of_depth.map(|line| line.3[0].raw()).collect();
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts.len(), 3, "depth {depth}: {:?}", tree.lines);
    }
}
