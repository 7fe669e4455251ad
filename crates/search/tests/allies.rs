//! What a search tells its allies, and which of their answers it accepts.

use std::sync::Arc;
use std::time::Duration;

use megatherium_board::{Board, Move};
use megatherium_nnue::Network;
use megatherium_search::report::ScoreBound;
use megatherium_search::score::mate_in;
use megatherium_search::{
    Allies, Bound, Engine, Entry, Limits, Options, Progress, Report, Root, SearchTable, Silent,
    Verdict,
};
use megatherium_tt::Hit;
use parking_lot::Mutex;

/// Allies that follow a script and take notes.
#[derive(Default)]
struct Scripted {
    seats_before: usize,
    only_vote: bool,
    verdicts: Vec<Verdict>,
    incoming: Mutex<Vec<(u64, Entry)>>,
    iterations: Mutex<Vec<Verdict>>,
    end_at: Option<u64>,
    completed: Mutex<Vec<Verdict>>,
    stored: Mutex<Vec<(u64, Entry)>>,
    elected: Mutex<Vec<(Option<Verdict>, Progress)>>,
    forgotten: Mutex<u32>,
}

impl Allies for Scripted {
    fn begin(&self, _: &Limits, _: &Options) {}

    fn seats_before(&self) -> usize {
        self.seats_before
    }

    fn least_depth(&self) -> i32 {
        if self.only_vote { i32::MAX } else { 3 }
    }

    fn stored(&self, _: usize, key: u64, entry: Entry) {
        self.stored.lock().push((key, entry));
    }

    fn poll(&self, progress: Progress, table: &SearchTable) -> bool {
        for (key, entry) in self.incoming.lock().drain(..) {
            table.store(key, entry);
        }
        self.end_at.is_none_or(|nodes| progress.nodes < nodes)
    }

    fn others(&self) -> usize {
        3
    }

    fn completed(&self, iteration: Verdict) {
        self.completed.lock().push(iteration);
    }

    fn next_completed(&self) -> Option<Verdict> {
        self.iterations.lock().pop()
    }

    fn nodes(&self) -> u64 {
        1_000_000
    }

    fn tb_hits(&self) -> u64 {
        7
    }

    fn overhead(&self) -> Duration {
        Duration::ZERO
    }

    fn gather(&self) -> Vec<Verdict> {
        self.verdicts.clone()
    }

    fn elected(&self, verdict: Option<&Verdict>, total: Progress) {
        self.elected.lock().push((verdict.cloned(), total));
    }

    fn forgotten(&self, _: &Network) {
        *self.forgotten.lock() += 1;
    }
}

fn engine(allies: &Arc<Scripted>) -> Engine {
    let mut engine = Engine::new(1, 1).unwrap();
    engine.set_allies(Arc::clone(allies) as Arc<dyn Allies>);
    engine
}

fn verdict(moves: &[&str], score: i32) -> Verdict {
    let mut board = Board::startpos();
    let pv = moves.iter().map(|word| {
        let mv = board.parse_uci(word).unwrap();
        board.make(mv);
        mv
    });
    Verdict { pv: pv.collect(), score, bound: ScoreBound::Exact, depth: 4, seldepth: 40 }
}

#[test]
fn deep_entries_are_handed_over_and_the_search_is_the_same() {
    let mut alone = Engine::new(1, 1).unwrap();
    let expected = alone.search(Root::new(Board::startpos()), Limits::depth(8), Silent);
    let allies = Arc::new(Scripted::default());
    let outcome = engine(&allies).search(Root::new(Board::startpos()), Limits::depth(8), Silent);
    assert_eq!((outcome.best, outcome.nodes), (expected.best, expected.nodes + 1_000_000));
    let stored = allies.stored.lock();
    assert!(stored.len() > 20 && stored.iter().all(|(_, entry)| entry.depth >= 3));
    let depths: Vec<i32> = allies.completed.lock().iter().map(|verdict| verdict.depth).collect();
    assert_eq!(depths, [1, 2, 3, 4, 5, 6, 7, 8], "every iteration is told once");
    let elected = allies.elected.lock();
    let [(Some(verdict), total)] = elected.as_slice() else { panic!("{elected:?}") };
    assert_eq!((verdict.pv[0], total.nodes), (expected.best.unwrap(), expected.nodes));
}

/// The first of every four processes searches all depths, the others are up to three ahead, unless
/// they exchange no entries.
#[test]
fn processes_are_spread_over_depths() {
    let depths_of = |allies: Scripted, skip_depths: bool| {
        let allies = Arc::new(allies);
        let mut engine = engine(&allies);
        engine.options.teamwork.skip_depths = skip_depths;
        engine.search(Root::new(Board::startpos()), Limits::depth(9), Silent);
        let completed = allies.completed.lock();
        completed.iter().map(|verdict| verdict.depth).collect::<Vec<_>>()
    };
    let depths = |seats_before, skip_depths| {
        depths_of(Scripted { seats_before, ..Scripted::default() }, skip_depths)
    };
    let all: Vec<i32> = (1..=9).collect();
    let voter = Scripted { seats_before: 3, only_vote: true, ..Scripted::default() };
    assert_eq!(depths_of(voter, true), all, "nothing is exchanged");
    for rank in [0, 4, 8] {
        assert_eq!(depths(rank, true), all, "rank {rank}");
        assert_eq!(depths(rank + 1, true), [2, 4, 6, 8, 9], "rank {rank} + 1");
        assert_eq!(depths(rank + 2, true), [3, 6, 9], "rank {rank} + 2");
        assert_eq!(depths(rank + 3, true), [4, 8, 9], "rank {rank} + 3");
        assert_eq!(depths(rank + 3, false), all, "rank {rank} + 3, without the rule");
    }
}

#[test]
fn entries_of_others_are_found_in_the_table() {
    let key = 0x1234_5678_9abc_def0;
    let entry = Entry { mv: 77, score: 5, eval: 6, depth: 60, pv: false, bound: Bound::Lower };
    let allies = Arc::new(Scripted { incoming: vec![(key, entry)].into(), ..Scripted::default() });
    let mut engine = engine(&allies);
    engine.search(Root::new(Board::startpos()), Limits::depth(7), Silent);
    assert_eq!(engine.table().peek(key).map(Hit::get), Some(entry));
    engine.new_game();
    assert_eq!(*allies.forgotten.lock(), 1);
}

#[test]
fn a_better_verdict_is_followed_and_an_illegal_one_is_not() {
    let best = |verdicts: Vec<Verdict>, limits: Limits| {
        let allies = Arc::new(Scripted { verdicts, ..Scripted::default() });
        engine(&allies).search(Root::new(Board::startpos()), limits, Silent).best
    };
    let own = best(Vec::new(), Limits::depth(4));
    let mate = verdict(&["a2a3", "a7a6"], mate_in(5));
    assert_eq!(best(vec![mate.clone()], Limits::depth(4)), Some(mate.pv[0]));

    // With several lines shown the leader's choice is the one that is played.
    let allies = Arc::new(Scripted { verdicts: vec![mate.clone()], ..Scripted::default() });
    let mut several = engine(&allies);
    several.options.multi_pv = 2;
    let outcome = several.search(Root::new(Board::startpos()), Limits::depth(4), Silent);
    assert_ne!(outcome.best, Some(mate.pv[0]));

    let mut illegal = mate.clone();
    illegal.pv[1] = illegal.pv[0];
    let nonsense = Verdict { pv: vec![Move::from_raw(0xffff).unwrap()], ..mate.clone() };
    let empty = Verdict { pv: Vec::new(), ..mate.clone() };
    assert_eq!(best(vec![illegal, nonsense, empty], Limits::depth(4)), own);

    let only = Board::startpos().parse_uci("h2h4").unwrap();
    let limits = Limits { search_moves: vec![only], ..Limits::depth(4) };
    assert_eq!(best(vec![mate], limits), Some(only), "not among the moves asked for");
}

/// What is shown of a line that another process has found is what that process says.
#[test]
fn a_verdict_is_shown_as_it_came() {
    let found = Verdict { bound: ScoreBound::Lower, ..verdict(&["a2a3", "a7a6"], mate_in(5)) };
    let allies = Arc::new(Scripted { verdicts: vec![found], ..Scripted::default() });
    let shown = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&shown);
    let sink = move |report: Report<'_>| {
        if let Report::Info(info) = report {
            heard.lock().push((info.score, info.bound, info.depth, info.seldepth));
        }
    };
    let outcome = engine(&allies).search(Root::new(Board::startpos()), Limits::depth(4), sink);
    assert_eq!((outcome.score, outcome.depth), (mate_in(5), 4));
    assert_eq!(shown.lock().last(), Some(&(mate_in(5), ScoreBound::Lower, 4, 40)));
}

/// Threads are counted over all processes: those with odd numbers are ahead.
#[test]
fn every_other_thread_is_ahead() {
    let first = |seats_before| {
        let allies = Arc::new(Scripted { seats_before, only_vote: true, ..Scripted::default() });
        let mut engine = engine(&allies);
        engine.options.teamwork.ahead = 3;
        engine.search(Root::new(Board::startpos()), Limits::depth(6), Silent);
        allies.completed.lock()[0].depth
    };
    assert_eq!([0, 1, 2, 3, 4, 5].map(first), [1, 4, 1, 4, 1, 4]);
}

/// The windows of eight threads differ, each by a point.
#[test]
fn windows_are_wider_by_the_number_of_the_thread() {
    let plain = |wider| {
        let mut engine = Engine::new(1, 1).unwrap();
        engine.options.params.aspiration_delta += wider;
        engine.search(Root::new(Board::startpos()), Limits::depth(9), Silent).nodes
    };
    let seated = |seats_before| {
        let allies = Arc::new(Scripted { seats_before, only_vote: true, ..Scripted::default() });
        let mut engine = engine(&allies);
        engine.options.teamwork.jitter = false;
        engine.search(Root::new(Board::startpos()), Limits::depth(9), Silent).nodes - 1_000_000
    };
    assert_ne!(plain(0), plain(7));
    assert_eq!([0, 1, 7, 8, 15].map(seated), [0, 1, 7, 0, 7].map(plain));
}

#[test]
fn an_iteration_of_others_is_taken_over_if_it_can_be_played() {
    let search = |iteration: Verdict| {
        let iterations = vec![iteration].into();
        let allies = Arc::new(Scripted { iterations, end_at: Some(20_000), ..Scripted::default() });
        engine(&allies).search(Root::new(Board::startpos()), Limits::default(), Silent)
    };
    let deep = Verdict { depth: 100, ..verdict(&["a2a3", "a7a6"], 5) };
    let outcome = search(deep.clone());
    assert_eq!((outcome.best, outcome.ponder), (Some(deep.pv[0]), Some(deep.pv[1])));
    assert!(outcome.depth >= 100, "{outcome:?}");
    let illegal = Verdict { pv: vec![deep.pv[0]; 2], ..deep };
    assert!(search(illegal).depth < 100);
}

#[test]
fn allies_can_end_a_search() {
    let allies = Arc::new(Scripted { end_at: Some(5000), ..Scripted::default() });
    engine(&allies).search(Root::new(Board::startpos()), Limits::default(), Silent);
    let nodes = allies.elected.lock()[0].1.nodes;
    assert!((5000..6000).contains(&nodes), "{nodes}");
}

/// What is reported counts the allies' work, too.
#[test]
fn the_hits_of_allies_are_reported() {
    let allies = Arc::new(Scripted::default());
    let hits = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&hits);
    let sink = move |report: Report<'_>| {
        if let Report::Info(info) = report {
            heard.lock().push(info.tb_hits);
        }
    };
    engine(&allies).search(Root::new(Board::startpos()), Limits::depth(3), sink);
    let hits = hits.lock();
    assert!(!hits.is_empty() && hits.iter().all(|&hits| hits == 7), "{hits:?}");
}
