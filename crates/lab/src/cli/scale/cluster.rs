//! `megatherium scale --cluster`: what several machines are worth.

use clap::Args;
use fastrand::Rng;
use megatherium_board::Board;
use megatherium_cli::JobResult;
use megatherium_search::{Engine, Teamwork, VirtualSmp};

use super::ScaleArgs;
use super::measure::random_openings;
use crate::crew::share_out;
use crate::error::LabError;
use crate::game::{Budget, Player, play_pair};
use crate::journal::Journal;
use crate::machine::processors;
use crate::observer::Observer;
use crate::pentanomial::Pentanomial;
use crate::positions;
use crate::report::{Cell, Highlight, Report, Section, Table};
use crate::stats::geometric;
use crate::virtual_cluster::{self, Cluster, Link, Point};

#[derive(Args, Debug)]
pub(super) struct ClusterArgs {
    /// Cluster: numbers of ranks; games are played by the last one
    #[arg(long, value_name = "N,N,…", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..=64))]
    ranks: Vec<u64>,
    /// Cluster: delays of the exchange in nodes, of which a thousand are about a millisecond, or as
    /// a share of the search, like 1%
    #[arg(long, value_name = "NODES,…", value_delimiter = ',', value_parser = delay)]
    delays: Vec<Delay>,
    /// Cluster: minimum depths of exchanged entries
    #[arg(long, value_name = "DEPTH,…", value_delimiter = ',', value_parser = clap::value_parser!(i32).range(0..=20))]
    share: Vec<i32>,
    /// Cluster: nodes of each rank per move in games
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(100..=1_000_000_000))]
    move_nodes: Option<u64>,
}

/// How long an entry travels.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Delay {
    /// In nodes of a rank.
    Nodes(u64),
    /// In percent of the nodes of a search.
    Percent(f64),
}

impl Delay {
    /// The delay in a search of `nodes` nodes, in nodes of a rank.
    fn of(self, nodes: u64) -> u64 {
        match self {
            Delay::Nodes(delay) => delay,
            Delay::Percent(percent) => (percent / 100.0 * nodes as f64).round() as u64,
        }
    }
}

fn delay(text: &str) -> Result<Delay, String> {
    let delay = match text.strip_suffix('%') {
        Some(percent) => percent.parse().ok().filter(|percent| (0.0..=1000.0).contains(percent)),
        None => None,
    };
    let nodes = || text.parse().ok().filter(|nodes| (0..=1_000_000_000).contains(nodes));
    delay
        .map(Delay::Percent)
        .or_else(|| nodes().map(Delay::Nodes))
        .ok_or_else(|| "a number of nodes up to 1000000000, or a percentage up to 1000%".to_owned())
}

impl ClusterArgs {
    /// Whether an option that only a cluster has was given, and which.
    pub(super) fn given(&self) -> Option<&'static str> {
        let given = [
            ("--ranks", !self.ranks.is_empty()),
            ("--delays", !self.delays.is_empty()),
            ("--share", !self.share.is_empty()),
            ("--move-nodes", self.move_nodes.is_some()),
        ];
        given.into_iter().find_map(|(name, given)| given.then_some(name))
    }
}

/// Time to depth by ranks and delay, then games against one thread.
pub(super) fn run(args: &ScaleArgs, report: &mut Report, observer: &dyn Observer) -> JobResult {
    let own = &args.cluster_args;
    let default: &[u64] = if args.quick { &[2, 4] } else { &[2, 4, 8, 16] };
    let ranks = if own.ranks.is_empty() { default } else { &own.ranks };
    let delays = if own.delays.is_empty() {
        &[0, 100, 1000, 10_000].map(Delay::Nodes)[..]
    } else {
        &own.delays
    };
    let depths: &[i32] = if own.share.is_empty() { &[4] } else { &own.share };
    let links = |nodes: u64| {
        let pairs =
            depths.iter().flat_map(|&depth| delays.iter().map(move |&delay| (depth, delay)));
        pairs.map(move |(depth, delay)| Link::Exchange { depth, delay: delay.of(nodes) })
    };
    let nodes = args.nodes.unwrap_or(if args.quick { 20_000 } else { 150_000 });
    let move_nodes = own.move_nodes.unwrap_or(if args.quick { 1000 } else { 5000 });
    let (turns, team) = (args.turns(), args.team.unwrap_or_default());
    let settings = virtual_cluster::Settings {
        ranks: ranks.iter().map(|&ranks| ranks as usize).collect(),
        links: links(nodes).collect(),
        positions: args.boards(if args.quick { 8 } else { 64 })?,
        nodes,
        mebibytes: args.hash.map_or(16, |hash| hash as usize),
        team,
        turns,
    };
    let games = Games {
        ranks: settings.ranks.last().copied().unwrap_or(1),
        // A vote alone completes no depth sooner, but it wins games.
        links: std::iter::once(Link::Vote).chain(links(move_nodes)).collect(),
        pairs: args.pairs.map_or(if args.quick { 4 } else { 100 }, |pairs| pairs as usize),
        nodes: move_nodes,
        mebibytes: settings.mebibytes,
        team,
        turns,
    };
    let journal = args.journal(
        report,
        &format!(
            "virtual ranks, {} nodes, {} MiB, {turns:?}, positions {:016x}, {team:?}",
            settings.nodes,
            settings.mebibytes,
            positions::checksum(&settings.positions),
        ),
    )?;
    for (name, value) in [
        ("nodes per position, about", settings.nodes.to_string()),
        ("nodes per move and rank", games.nodes.to_string()),
        ("hash per rank", format!("{} MiB", settings.mebibytes)),
        ("seed", turns.seed.to_string()),
        ("nodes per turn", turns.quantum.to_string()),
    ] {
        report.facts.push((name.to_owned(), value));
    }
    let points = virtual_cluster::run(&settings, &journal, observer)?;
    if points.iter().any(|point| !point.logs.is_empty()) {
        report.sections.push(depth_section(&points));
    }
    if observer.stopped() {
        return Ok(());
    }
    let matches = games.play(&journal, observer)?;
    if matches.iter().any(|(_, result)| result.count() > 0) {
        for (arm, result) in matches.iter().filter(|(_, result)| result.has_interval()) {
            let meaning = format!("Elo, {} against one thread: {}", games.ranks, name(*arm));
            report.highlights.push(Highlight::new(result.elo(), 0, "", meaning));
        }
        report.sections.push(games_section(&games, &matches));
    }
    Ok(())
}

fn name(link: Option<Link>) -> String {
    match link {
        None => "threads with one table".to_owned(),
        Some(Link::Vote) => "ranks, vote only".to_owned(),
        Some(Link::Exchange { depth, delay }) => {
            format!("ranks, depth {depth} and more, delay {delay}")
        }
    }
}

fn depth_section(points: &[Point]) -> Section {
    // Paired by position: the luck of a position is the same in both.
    let of_threads = |point: &Point| {
        let threads = points
            .iter()
            .find(|other| other.ranks == point.ranks && other.link.is_none())
            .filter(|threads| threads.logs.len() == point.logs.len() && !point.logs.is_empty())?;
        let pairs = point.logs.iter().zip(&threads.logs);
        Some(geometric(&pairs.map(|(own, other)| own - other).collect::<Vec<_>>()))
    };
    let table = Table::of(
        points,
        &[
            ("ranks", &|point| point.ranks.into()),
            ("link", &|point| Cell::Text(name(point.link))),
            ("positions", &|point| point.logs.len().into()),
            ("time-to-depth speed-up", &|point| Cell::Estimate(point.speed_up(), 2)),
            ("of threads", &|point| {
                of_threads(point).map_or(Cell::Missing, |share| Cell::Estimate(share, 2))
            }),
        ],
    );
    let text = "Ranks of one thread with a table each. Nodes of rank 0 to the depth that one \
                thread reaches, geometric means over positions with 95 % bootstrap intervals; the \
                last column compares with as many threads that share one table, position by \
                position. A delay is the nodes a rank searches while an entry travels. Ranks that \
                only vote complete no depth sooner than one. The same command gives the same \
                numbers on every machine.";
    Section { table, ..Section::new("cluster-depth", "Virtual ranks: time to depth", text) }
}

/// Games of a cluster against one thread.
struct Games {
    ranks: usize,
    links: Vec<Link>,
    pairs: usize,
    nodes: u64,
    mebibytes: usize,
    team: Teamwork,
    turns: VirtualSmp,
}

type Arm = (Option<Link>, Pentanomial);

impl Games {
    /// Plays every opening with every link, and with threads. Openings are the outer loop, so that
    /// an early end leaves all arms with as many games.
    fn play(&self, journal: &Journal, observer: &dyn Observer) -> Result<Vec<Arm>, LabError> {
        let openings = random_openings(self.turns.seed, self.pairs, observer)?;
        let Some(openings) = openings else { return Ok(Vec::new()) };
        let arms: Vec<Option<Link>> = self.links.iter().copied().map(Some).chain([None]).collect();
        let pairs: Vec<(usize, usize)> = (0..openings.len())
            .flat_map(|opening| (0..arms.len()).map(move |arm| (opening, arm)))
            .collect();
        observer.begin(&format!("pairs of games, {} ranks", self.ranks), pairs.len() as u64);
        let results = share_out(&pairs, processors(), observer, |_, &(opening, arm)| {
            let (ranks, nodes) = (self.ranks, self.nodes);
            let name = format!("pair {opening}, {ranks} ranks, {nodes} nodes, {:?}", arms[arm]);
            let seed = Rng::with_seed(self.turns.seed ^ (opening as u64) << 20).u64(..);
            let result = journal
                .recall_or(&name, || self.pair(&openings[opening], arms[arm], seed, observer))?;
            observer.step(1, "");
            Ok(result)
        })?;
        let of = |arm: usize| {
            let mine = pairs.iter().zip(&results).filter(move |((_, of), _)| *of == arm);
            Pentanomial::of(mine.filter_map(|(_, result)| *result))
        };
        Ok(arms.iter().enumerate().map(|(index, &arm)| (arm, of(index))).collect())
    }

    /// Half points of the cluster or threads in the two games of a pair.
    fn pair(
        &self,
        opening: &Board,
        arm: Option<Link>,
        seed: u64,
        observer: &dyn Observer,
    ) -> Result<Option<usize>, LabError> {
        let turns = VirtualSmp { seed, ..self.turns };
        let mut single = Engine::new(1, self.mebibytes)?;
        let (mut many, nodes): (Box<dyn Player>, u64) = if let Some(link) = arm {
            (
                Box::new(Cluster::new(self.ranks, self.mebibytes, link, self.team, turns)?),
                self.nodes,
            )
        } else {
            let mut engine = Engine::new(self.ranks, self.ranks * self.mebibytes)?;
            engine.options.virtual_smp = Some(turns);
            engine.options.teamwork = self.team;
            (Box::new(engine), self.nodes * self.ranks as u64)
        };
        let budgets = [Budget::Nodes(nodes), Budget::Nodes(self.nodes)];
        play_pair(opening, [&mut *many, &mut single], budgets, observer.stop(), |_, _| {})
    }
}

fn games_section(games: &Games, matches: &[Arm]) -> Section {
    let table = Table::of(
        matches,
        &[
            ("link", &|(arm, _)| Cell::Text(name(*arm))),
            ("pairs", &|(_, result)| Cell::Count(result.count())),
            ("score, %", &|(_, result)| Cell::Number(100.0 * result.score(), 1)),
            ("Elo", &|(_, result)| Cell::Estimate(result.elo(), 0)),
        ],
    );
    let text = format!(
        "{} ranks against one thread, {} nodes a move for each rank and for the thread. Random \
         openings, both colours, 95 % intervals.",
        games.ranks, games.nodes
    );
    Section { table, ..Section::new("cluster-games", "Virtual ranks: games", text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_nodes_or_shares_of_the_search() {
        assert_eq!(delay("1500").map(|delay| delay.of(7)), Ok(1500));
        assert_eq!(delay("1%").map(|delay| delay.of(150_000)), Ok(1500));
        assert_eq!(delay("0.5%").map(|delay| delay.of(5000)), Ok(25));
        for wrong in ["", "%", "-1", "1.5", "1001%", "-1%", "NaN%", "1000000001", "1 %"] {
            assert!(delay(wrong).is_err(), "{wrong}");
        }
    }
}
