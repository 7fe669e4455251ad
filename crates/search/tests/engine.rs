//! The engine between searches: what can be changed, what is forgotten, what can be asked.

#![forbid(unsafe_code)]

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use megatherium_board::{Board, Move};
use megatherium_nnue::Network;
use megatherium_search::{
    Bound, Engine, Entry, Limits, NumaPolicy, Replacement, Root, Silent, VirtualSmp,
    memory_of_threads, table_key,
};

fn search(engine: &mut Engine, limits: Limits) -> (u64, Option<Move>, i32) {
    let outcome = engine.search(Root::new(Board::startpos()), limits, Silent);
    (outcome.nodes, outcome.best, outcome.score)
}

/// Whether the table knows the start position.
fn is_known(engine: &Engine) -> bool {
    engine.table().peek(table_key(&Board::startpos())).is_some()
}

/// 3 MiB each, and 6 for every 32.
#[test]
fn threads_take_memory() {
    assert_eq!([0, 1, 32, 33].map(memory_of_threads), [0, 9, 102, 111]);
}

#[test]
fn what_failed_is_said() {
    let error = Engine::new(1, 1).unwrap().set_hash(usize::MAX >> 20).unwrap_err();
    assert!(error.to_string().starts_with("hash table: "), "{error}");
}

#[test]
fn tables_of_all_sizes() {
    let mut engine = Engine::new(1, 2).unwrap();
    engine.set_hash_without_huge_pages(3).unwrap();
    assert_eq!(engine.hash_mebibytes(), 3);
    engine.shrink_table(5).unwrap();
    let five = engine.table().capacity();
    engine.disable_table().unwrap();
    assert_eq!((engine.hash_mebibytes(), engine.table().capacity()), (0, five / 5));
}

#[test]
fn another_policy_has_a_table_of_its_own() {
    let mut engine = Engine::new(1, 1).unwrap();
    search(&mut engine, Limits::depth(3));
    let mut kept = |replacement| {
        assert!(is_known(&engine));
        engine.set_replacement(replacement).unwrap();
        assert!(!is_known(&engine));
        for depth in [9, 2] {
            let entry = Entry { mv: 5, depth, bound: Bound::Exact, ..Entry::default() };
            engine.table().store(table_key(&Board::startpos()), entry);
        }
        engine.table().peek(table_key(&Board::startpos())).map(|known| known.get().depth)
    };
    assert_eq!(kept(Replacement::DepthPreferred), Some(9));
    assert_eq!(kept(Replacement::Always), Some(2));
}

#[test]
fn a_search_can_be_asked_about_afterwards() {
    let mut engine = Engine::new(1, 1).unwrap();
    let (nodes, best, score) = search(&mut engine, Limits::depth(6));
    assert_eq!(engine.nodes_by_thread(), [nodes]);
    let ballots = engine.ballots();
    assert_eq!(ballots.len(), 1);
    assert_eq!((Some(ballots[0].mv), ballots[0].score, ballots[0].depth), (best, score, 6));
    let stats = engine.table_stats();
    assert!(stats.table.probes > 100 && stats.net.evaluations > 100, "{stats:?}");
    assert!(is_known(&engine));
    engine.clear_hash();
    assert!(!is_known(&engine) && engine.table().hashfull() == 0);
}

#[test]
fn another_net_is_used_from_then_on() {
    let mut engine = Engine::new(1, 1).unwrap();
    let shipped = search(&mut engine, Limits::depth(6));
    let another = Arc::new(megatherium_nnue::constructed::network());
    engine.set_network(Arc::clone(&another));
    engine.new_game();
    assert!(Arc::ptr_eq(engine.network(), &another));
    assert_ne!(search(&mut engine, Limits::depth(6)), shipped);
    engine.set_network(Network::embedded());
    engine.new_game();
    assert_eq!(search(&mut engine, Limits::depth(6)), shipped);
}

/// What threads have learnt in the game is kept unless there are other threads.
#[test]
fn nothing_is_forgotten_without_need() {
    for threads in [1, 2] {
        let second = |change: &dyn Fn(&mut Engine)| {
            let mut engine = Engine::new(threads, 1).unwrap();
            engine.options.virtual_smp = Some(VirtualSmp::default());
            search(&mut engine, Limits::depth(7));
            engine.clear_hash();
            change(&mut engine);
            search(&mut engine, Limits::depth(7))
        };
        let unchanged = second(&|_| {});
        assert_eq!(second(&|engine| engine.set_threads(threads).unwrap()), unchanged);
        assert_eq!(second(&|engine| engine.set_numa_policy(NumaPolicy::Auto).unwrap()), unchanged);
        assert_ne!(second(&Engine::new_game), unchanged);
        // One thread has nobody to share its histories with.
        let apart = second(&|engine| engine.options.teamwork.shared_histories = false);
        assert_eq!(apart == unchanged, threads == 1);
    }
}

#[test]
fn threads_can_be_bound() {
    let mut engine = Engine::new(1, 1).unwrap();
    assert_eq!(engine.placement().to_string(), "threads are not bound");
    engine.set_numa_policy("0".parse().unwrap()).unwrap();
    assert_eq!(engine.placement().to_string(), "1 thread on processors 0");
    engine.set_threads(2).unwrap();
    assert_eq!(engine.placement().to_string(), "2 threads on processors 0");
    engine.set_numa_policy(NumaPolicy::None).unwrap();
    assert_eq!(
        (engine.placement().to_string().as_str(), engine.threads()),
        ("threads are not bound", 2)
    );
}

/// Otherwise this test would not end.
#[test]
fn a_search_can_be_ended_from_outside_and_only_then_ends_early() {
    let mut engine = Engine::new(1, 1).unwrap();
    let root = || Root::new(Board::startpos());
    let infinite = Limits { infinite: true, ..Limits::default() };
    let outcome = engine.search_until(root(), infinite, &AtomicBool::new(true));
    assert!(outcome.best.is_some());
    let outcome = engine.search_until(root(), Limits::nodes(60_000), &AtomicBool::new(false));
    assert_eq!(outcome.nodes, 60_000);
}
