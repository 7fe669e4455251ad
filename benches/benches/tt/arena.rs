//! Everything that is measured on one size of table.

use crate::Plan;
use crate::drive::{AHEAD, Audit, USES, Workload, audit};
use crate::keys::Universe;
use crate::latency::chain;
use crate::pages::{self, Footprint};
use crate::race::{Best, Lane, race};
use crate::report::{self, Cell, Goal, Memory, Row};
use crate::tables::Contender;
use crate::tables::limit::{KeysOnly, Limit, Touch};
use crate::tables::maps::{DashMap, Papaya, Scc};
use crate::tables::megatherium::Megatherium;
use crate::tables::one_word::OneWord;
use crate::tables::seqlock::Seqlock;
use crate::tables::striped::Striped;

/// One size, with the limit and the table that all others are compared with.
pub struct Arena {
    mebibytes: usize,
    universe: Universe,
    plan: Plan,
    limit: Limit,
    table: Megatherium,
}

impl Arena {
    /// Builds and loads the limit and the table.
    pub fn new(mebibytes: usize, plan: Plan) -> Self {
        let universe = Universe::half_of(mebibytes);
        let arena = Self {
            mebibytes,
            universe,
            plan,
            limit: Limit::build(mebibytes, universe),
            table: Megatherium::build(mebibytes, universe),
        };
        arena.limit.load(universe);
        arena.table.load(universe);
        report::size(mebibytes, universe, &arena.table.pages());
        arena
    }

    fn lane<'a, T: Contender>(&self, table: &'a T, ahead: usize) -> Lane<'a> {
        Lane::new(table, self.universe, ahead)
    }

    fn workload(&self, (threads, store_every): (usize, u32)) -> Workload {
        Workload { threads, store_every, ahead: 0, operations: self.plan.operations }
    }

    /// The comparison with the limit and with the other tables.
    pub fn compare(&self) -> Vec<Goal> {
        let touch = Touch::build(self.mebibytes, self.universe);
        touch.load(self.universe);
        let mut rows = self.rows(&[
            self.lane(&self.limit, AHEAD),
            self.lane(&self.table, AHEAD),
            self.lane(&self.limit, 0),
            self.lane(&self.table, 0),
            self.lane(&touch, AHEAD),
            self.lane(&KeysOnly, 0),
        ]);
        drop(touch);
        let mut memory = Vec::new();
        let mut goals = vec![Goal::of_limit(self.mebibytes, &rows[1])];
        if !(self.plan.skip_large_rivals && self.mebibytes > 64) {
            self.rival::<Striped>(true, &mut rows, &mut memory);
            self.rival::<Seqlock>(true, &mut rows, &mut memory);
            self.rival::<OneWord>(true, &mut rows, &mut memory);
            self.rival::<DashMap>(false, &mut rows, &mut memory);
            goals.push(Goal::of_dashmap(self.mebibytes, &rows[rows.len() - 1]));
            self.rival::<Scc>(false, &mut rows, &mut memory);
            self.rival::<Papaya>(false, &mut rows, &mut memory);
        }
        report::comparison(&rows);
        // A table of one mebibyte fits into what the allocator has left over: its footprint says
        // nothing.
        if self.mebibytes > 1 {
            report::memory(&memory);
        }
        goals
    }

    /// Builds a rival, races it against the limit and the table, and drops it again.
    fn rival<R: Contender>(&self, prefetch: bool, rows: &mut Vec<Row>, memory: &mut Vec<Memory>) {
        let before = Footprint::now();
        let rival = R::build(self.mebibytes, self.universe);
        rival.load(self.universe);
        let footprint = Footprint::now().since(before);
        let Audit { probes, wrong_values, false_hits } =
            audit(&rival, self.universe, 16 * self.plan.operations);
        let mut lanes = vec![
            self.lane(&self.limit, AHEAD),
            self.lane(&self.table, AHEAD),
            self.lane(&rival, 0),
        ];
        if prefetch {
            lanes.push(self.lane(&rival, AHEAD));
        }
        rows.extend(self.rows(&lanes).into_iter().skip(2));
        memory.push(Memory {
            label: R::NAME,
            bytes_per_entry: footprint.resident as f64 / self.universe.len as f64,
            huge_share: footprint.huge_share(),
            wrong_values,
            false_hits,
            probes,
        });
    }

    /// Races the lanes in all four uses. The first lane must be the limit, the second the table.
    fn rows(&self, lanes: &[Lane]) -> Vec<Row> {
        let races = USES.map(|uses| race(lanes, self.workload(uses), self.plan.rounds));
        (0..lanes.len())
            .map(|lane| Row {
                label: lanes[lane].label.clone(),
                cells: races.each_ref().map(|bests: &Vec<Best>| Cell {
                    best: bests[lane].clone(),
                    of_limit: bests[lane].nanos / bests[0].nanos,
                    of_table: bests[lane].nanos / bests[1].nanos,
                }),
            })
            .collect()
    }

    /// How far ahead a prefetch has to be.
    pub fn distances(&self) {
        let distances = [0, 1, 2, 4, 8, 16, 32];
        let limits = distances.map(|ahead| self.lane(&self.limit, ahead));
        let tables = distances.map(|ahead| self.lane(&self.table, ahead));
        let lanes: Vec<Lane> = limits.into_iter().chain(tables).collect();
        let bests = race(&lanes, self.workload((1, 10)), self.plan.rounds);
        let (limits, tables) = bests.split_at(distances.len());
        report::distances(&distances, limits, tables);
    }

    /// What huge pages bring. A table of one mebibyte is smaller than one of them.
    pub fn pages(&self) {
        if self.mebibytes < 2 {
            return;
        }
        // Forbidden while they run as well, or the system would put huge pages underneath after a
        // while.
        if !pages::forbid(true) {
            println!("Huge pages cannot be forbidden here: no comparison without them.\n");
            return;
        }
        let before = Footprint::now();
        let limit = Limit::build(self.mebibytes, self.universe);
        let table = Megatherium::build(self.mebibytes, self.universe);
        limit.load(self.universe);
        table.load(self.universe);
        let small_pages = Footprint::now().since(before);
        let lanes = [
            self.lane(&self.limit, AHEAD),
            self.lane(&limit, AHEAD),
            self.lane(&self.limit, 0),
            self.lane(&limit, 0),
            self.lane(&self.table, AHEAD),
            self.lane(&table, AHEAD),
            self.lane(&self.table, 0),
            self.lane(&table, 0),
        ];
        let bests = race(&lanes, self.workload((1, 10)), self.plan.rounds);
        let large = self.chains(&self.table, false, 0);
        let small = self.chains(&table, false, 0);
        report::pages(&bests, large, small, small_pages);
        pages::forbid(false);
    }

    /// What one probe costs that the next one waits for, and how much of it a prefetch hides.
    pub fn chain(&self) {
        let rows: Vec<_> = [0, 25, 50, 100]
            .into_iter()
            .map(|work| {
                [
                    self.chains(&KeysOnly, false, work),
                    self.chains(&self.table, false, work),
                    self.chains(&self.table, true, work),
                ]
            })
            .collect();
        report::chain(&rows);
    }

    /// The fastest of several chains.
    fn chains<T: Contender>(&self, table: &T, prefetch: bool, work: u32) -> f64 {
        (0..self.plan.rounds as u64)
            .map(|seed| chain(table, self.universe, prefetch, work, self.plan.operations / 5, seed))
            .fold(f64::INFINITY, f64::min)
    }
}
