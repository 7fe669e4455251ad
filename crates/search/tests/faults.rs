//! Faults: corrupted table memory, forged entries, a panicking sink. The search goes on and plays
//! legal moves.

#![forbid(unsafe_code)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use fastrand::Rng;
use megatherium_board::Board;
use megatherium_search::score::MATE;
use megatherium_search::{
    Bound, Engine, Entry, Info, Limits, Replacement, Report, Root, Sink, table_key,
};
use megatherium_tt::Table;

const POSITIONS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
    "4k3/8/8/8/8/8/4P3/4K3 w - - 80 90",
    "1rkrbbqn/pppppppp/8/8/8/8/PPPPPPPP/1RKRBBQN w DBdb - 0 1",
];

/// Checks every report of a search: lines are legal, scores are in range. Counts answers.
struct Checker {
    root: Board,
    answers: Arc<AtomicU64>,
    errors: Arc<AtomicU64>,
}

impl Sink for Checker {
    fn report(&self, report: Report<'_>) {
        match report {
            Report::Info(Info { pv, score, .. }) => {
                let mut board = self.root;
                for &mv in pv {
                    assert!(board.is_legal(mv), "{mv:?} in {}", board.fen());
                    board.make(mv);
                }
                assert!(score.abs() <= MATE, "a score of {score}");
            }
            Report::Done(outcome) => {
                let best = outcome.best.expect("there are legal moves");
                assert!(self.root.is_legal(best));
                let mut after = self.root;
                after.make(best);
                assert!(outcome.ponder.is_none_or(|reply| after.is_legal(reply)));
                self.answers.fetch_add(1, Ordering::Relaxed);
            }
            Report::Error(error) => {
                eprintln!("{error}");
                self.errors.fetch_add(1, Ordering::Relaxed);
            }
            Report::CurrentMove { .. } => {}
        }
    }
}

/// Searches every position while `saboteur` attacks the table without pause; returns the number of
/// attacks.
fn search_under(
    threads: usize,
    nodes: u64,
    mut saboteur: impl FnMut(&Table<Entry, Replacement>, &Board),
) -> u64 {
    let mut engine = Engine::new(threads, 1).unwrap();
    let (answers, errors) = (Arc::<AtomicU64>::default(), Arc::<AtomicU64>::default());
    let mut strikes = 0;
    for fen in POSITIONS {
        let root = Board::from_fen(fen).unwrap();
        let checker = Checker { root, answers: Arc::clone(&answers), errors: Arc::clone(&errors) };
        // Some attacks before the search begins, then until it ends.
        for _ in 0..1000 {
            saboteur(engine.table(), &root);
        }
        engine.start(Root::new(root), Limits::nodes(nodes), Arc::new(checker));
        strikes += 1000;
        while engine.is_searching() {
            saboteur(engine.table(), &root);
            strikes += 1;
        }
        engine.wait();
    }
    assert_eq!(answers.load(Ordering::Relaxed), POSITIONS.len() as u64);
    assert_eq!(errors.load(Ordering::Relaxed), 0, "a thread failed");
    strikes
}

/// Flips random bits of the table's memory as fast as one thread can.
fn flipping_bits(nodes: u64) {
    let mut random = Rng::with_seed(0x5eed);
    for threads in [1, 2, 4] {
        let flips = search_under(threads, nodes, |table, _| table.flip_bit(random.u64(..)));
        println!(
            "{threads} threads: {flips} bits flipped under {} searches of {nodes} nodes",
            POSITIONS.len()
        );
        assert!(flips > 10_000);
    }
}

#[test]
fn bits_of_the_table_flip_during_a_search() {
    flipping_bits(20_000);
}

/// `cargo test --release -p megatherium-search --test faults -- --ignored --nocapture`
#[test]
#[ignore = "long: a minute"]
fn bits_of_the_table_flip_during_long_searches() {
    flipping_bits(2_000_000);
}

/// Worse than any memory fault: correctly sealed entries with random contents, for positions that
/// the search will visit. Its evaluation may be nonsense, but its moves are legal.
fn lies(nodes: u64) {
    let mut random = Rng::with_seed(0x1135);
    for threads in [1, 2] {
        let told = search_under(threads, nodes, |table, root| {
            let mut board = *root;
            for _ in 0..random.u8(..6) {
                let Some(&mv) = random.choice(board.legal_moves().iter()) else { break };
                board.make(mv);
                let bits = random.u64(..);
                let entry = Entry {
                    mv: bits as u16,
                    score: (bits >> 16) as i16,
                    eval: (bits >> 32) as i16,
                    depth: (bits >> 48) as u8 & 127,
                    pv: bits >> 55 & 1 != 0,
                    bound: [Bound::None, Bound::Upper, Bound::Lower, Bound::Exact]
                        [(bits >> 56) as usize & 3],
                };
                table.store(table_key(&board), entry);
            }
        });
        println!(
            "{threads} threads: lied to {told} times under {} searches of {nodes} nodes",
            POSITIONS.len()
        );
    }
}

#[test]
fn a_table_full_of_lies_makes_no_illegal_move() {
    lies(20_000);
}

/// `cargo test --release -p megatherium-search --test faults -- --ignored --nocapture`
#[test]
#[ignore = "long: a minute"]
fn a_table_full_of_lies_makes_no_illegal_move_for_long() {
    lies(2_000_000);
}

/// Finds a mate although bits keep flipping: enough entries survive verification.
#[test]
fn a_mate_is_found_on_failing_memory() {
    let mut engine = Engine::new(2, 1).unwrap();
    let root = Board::from_fen("2bqkbn1/2pppp2/np2N3/r3P1p1/p2N2B1/5Q2/PPPPKPP1/RNB2r2 w - - 0 1")
        .unwrap();
    let found = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&found);
    let sink = move |report: Report<'_>| {
        if let Report::Done(outcome) = report {
            seen.store(outcome.score == MATE - 3, Ordering::Relaxed);
        }
    };
    let limits = Limits { mate: Some(2), ..Limits::nodes(2_000_000) };
    engine.start(Root::new(root), limits, Arc::new(sink));
    let mut random = Rng::with_seed(0x3a7e);
    while engine.is_searching() {
        engine.table().flip_bit(random.u64(..));
    }
    engine.wait();
    assert!(found.load(Ordering::Relaxed));
}

/// A sink that panics loses its reports, not the search: the caller gets the outcome, and the
/// engine can search again.
#[test]
fn a_panicking_sink_does_not_stop_the_engine() {
    for threads in [1, 2, 4] {
        let mut engine = Engine::new(threads, 1).unwrap();
        // A helper's report of its own panic meets the same sink.
        for (limits, failing) in [
            (Limits::nodes(1), None),
            (Limits::nodes(5000), None),
            (Limits::depth(5), None),
            (Limits::depth(5), Some(threads - 1)),
        ] {
            engine.options.failing_thread = failing;
            let root = Root::new(Board::startpos());
            let reports = Arc::<AtomicU64>::default();
            let heard = Arc::clone(&reports);
            let sink = move |_: Report<'_>| {
                heard.fetch_add(1, Ordering::Relaxed);
                panic!("a sink that panics");
            };
            let outcome = engine.search(root.clone(), limits, sink);
            assert!(root.board.is_legal(outcome.best.unwrap()));
            assert!(reports.load(Ordering::Relaxed) > 0);
            assert!(!engine.is_searching());
        }
    }
}
