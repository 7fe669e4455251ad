//! Which processors and which memory a thread uses on a machine with several memory nodes.
//!
//! A large machine has several nodes: processors with memory of their own. Memory of another node
//! is slower, and a thread that the system moves to another node leaves its memory behind. So there
//! each thread is bound to the processors of one node before it touches its memory for the first
//! time. On a machine with one node nothing happens.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io;
use std::path::Path;
use std::str::FromStr;

/// Where Linux describes its nodes.
const SYSTEM: &str = "/sys/devices/system/node";

/// Numbers of processors.
pub type Processors = BTreeSet<usize>;

/// How threads are placed: the UCI option `NumaPolicy`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum NumaPolicy {
    /// Bind threads if there are several nodes and too many threads for one.
    #[default]
    Auto,
    /// Leave everything to the system.
    None,
    /// Bind threads to these nodes, whatever the system says.
    Nodes(Vec<Processors>),
}

/// Why a policy could not be understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NumaError {
    /// Not a list of processors.
    Form(String),
    /// A processor in two nodes.
    Twice(usize),
    /// A processor this process cannot use.
    Missing(usize),
}

impl fmt::Display for NumaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NumaError::Form(text) => write!(
                f,
                "{text:?} is neither 'auto' nor 'none' nor a list of processors such as 0-7:8-15"
            ),
            NumaError::Twice(processor) => write!(f, "processor {processor} is in two nodes"),
            NumaError::Missing(processor) => {
                write!(f, "processor {processor} is not available to this process")
            }
        }
    }
}

impl std::error::Error for NumaError {}

/// A list of processors as Linux writes it: numbers and ranges between commas.
fn processors(text: &str) -> Option<Processors> {
    let mut all = Processors::new();
    for part in text.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (usize, usize) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        // A typo must not fill the memory.
        if first > last || last > 1 << 16 {
            return None;
        }
        all.extend(first..=last);
    }
    Some(all)
}

/// Writes processors as [`processors`] reads them.
struct List<'a>(&'a Processors);

impl fmt::Display for List<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut ranges: Vec<(usize, usize)> = Vec::new();
        for &processor in self.0 {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == processor => *last = processor,
                _ => ranges.push((processor, processor)),
            }
        }
        for (index, (first, last)) in ranges.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}{first}")?;
            if first != last {
                write!(f, "-{last}")?;
            }
        }
        Ok(())
    }
}

impl FromStr for NumaPolicy {
    type Err = NumaError;

    fn from_str(text: &str) -> Result<NumaPolicy, NumaError> {
        let text = text.trim();
        if text.eq_ignore_ascii_case("auto") {
            return Ok(NumaPolicy::Auto);
        }
        if text.eq_ignore_ascii_case("none") {
            return Ok(NumaPolicy::None);
        }
        let nodes: Option<Vec<Processors>> = text.split(':').map(processors).collect();
        let nodes = nodes.ok_or_else(|| NumaError::Form(text.to_owned()))?;
        let mut seen = Processors::new();
        match nodes.iter().flatten().find(|&&processor| !seen.insert(processor)) {
            Some(&processor) => Err(NumaError::Twice(processor)),
            None => Ok(NumaPolicy::Nodes(nodes)),
        }
    }
}

/// The nodes of a machine, each with its processors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    nodes: Vec<Processors>,
    /// The system's numbers of the nodes.
    numbers: Vec<usize>,
}

impl Topology {
    /// The nodes of this machine with the processors this process may use; none where the system
    /// does not say.
    pub fn of_system() -> Topology {
        let mut topology = Topology::read(Path::new(SYSTEM)).unwrap_or_default();
        if let Some(available) = available() {
            topology.restrict(&available);
        }
        topology
    }

    /// Reads a folder like `/sys/devices/system/node`: `online` lists the nodes, `node3/cpulist`
    /// the processors of node 3. Nodes that have only memory are left out.
    pub fn read(folder: &Path) -> io::Result<Topology> {
        let list = |path: &str| {
            let text = fs::read_to_string(folder.join(path))?;
            if text.trim().is_empty() {
                return Ok(Processors::new());
            }
            processors(&text).ok_or_else(|| io::Error::other(format!("{path}: {text:?}")))
        };
        let mut topology = Topology::default();
        for number in list("online")? {
            let node = list(&format!("node{number}/cpulist"))?;
            if !node.is_empty() {
                topology.nodes.push(node);
                topology.numbers.push(number);
            }
        }
        Ok(topology)
    }

    /// Leaves out processors that are not `available`, and nodes that then have none.
    pub fn restrict(&mut self, available: &Processors) {
        let nodes = std::mem::take(&mut self.nodes);
        let numbers = std::mem::take(&mut self.numbers);
        for (mut node, number) in nodes.into_iter().zip(numbers) {
            node.retain(|processor| available.contains(processor));
            if !node.is_empty() {
                self.nodes.push(node);
                self.numbers.push(number);
            }
        }
    }

    /// The system's numbers of the nodes that have any of these processors.
    fn numbers_of(&self, processors: &[Processors]) -> Vec<usize> {
        let is_used = |node: &Processors| processors.iter().any(|used| !used.is_disjoint(node));
        let used = self.nodes.iter().zip(&self.numbers).filter(|(node, _)| is_used(node));
        used.map(|(_, &number)| number).collect()
    }
}

/// Which node each thread of a pool belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// The nodes; empty if nothing is bound.
    nodes: Vec<Processors>,
    /// The node of each thread.
    seats: Vec<usize>,
    /// The system's numbers of the nodes.
    numbers: Vec<usize>,
}

impl Placement {
    /// Shares `threads` out over the nodes, in proportion to their processors.
    pub fn new(policy: &NumaPolicy, topology: &Topology, threads: usize) -> Placement {
        let nodes = match policy {
            NumaPolicy::Nodes(nodes) => nodes,
            NumaPolicy::Auto if Self::is_worth_binding(topology, threads) => &topology.nodes,
            NumaPolicy::Auto | NumaPolicy::None => return Placement::default(),
        };
        let mut taken = vec![0; nodes.len()];
        let mut seats = Vec::new();
        for _ in 0..threads {
            // The node that would be the least crowded; the first of equals.
            let crowd = |node: usize| (taken[node] + 1) as f64 / nodes[node].len() as f64;
            let least = (0..nodes.len()).min_by(|&a, &b| crowd(a).total_cmp(&crowd(b)));
            let node = least.unwrap_or(0);
            taken[node] += 1;
            seats.push(node);
        }
        Placement { nodes: nodes.clone(), seats, numbers: topology.numbers_of(nodes) }
    }

    /// A few threads fit into one node, and the scheduler knows better which node is free: other
    /// processes may be running.
    fn is_worth_binding(topology: &Topology, threads: usize) -> bool {
        let largest = topology.nodes.iter().map(BTreeSet::len).max().unwrap_or(0);
        topology.nodes.len() > 1 && 2 * threads > largest
    }

    /// The node of a thread; 0 if nothing is bound.
    pub fn node_of(&self, thread: usize) -> usize {
        self.seats.get(thread).copied().unwrap_or(0)
    }

    /// How many nodes there are to keep copies of read-only data on.
    pub fn nodes(&self) -> usize {
        self.nodes.len().max(1)
    }

    /// System numbers of the nodes to interleave shared memory over; empty if there is only one.
    pub fn memory_nodes(&self) -> &[usize] {
        if self.numbers.len() > 1 { &self.numbers } else { &[] }
    }

    /// Binds the calling thread, which is number `thread`, to its node. If the system refuses, the
    /// thread stays unbound: slower, but correct.
    pub fn bind(&self, thread: usize) {
        if let Some(node) = self.seats.get(thread).and_then(|&seat| self.nodes.get(seat)) {
            bind_to(node);
        }
    }
}

/// How many threads are on which processors, for `info string`.
impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.nodes.is_empty() {
            return f.write_str("threads are not bound");
        }
        for (index, node) in self.nodes.iter().enumerate() {
            let threads = self.seats.iter().filter(|&&seat| seat == index).count();
            let (comma, s) =
                (if index == 0 { "" } else { "; " }, if threads == 1 { "" } else { "s" });
            write!(f, "{comma}{threads} thread{s} on processors {}", List(node))?;
        }
        Ok(())
    }
}

impl NumaPolicy {
    /// Refuses processors that this process cannot use, where the system says which it can.
    pub fn check(&self) -> Result<(), NumaError> {
        let (NumaPolicy::Nodes(nodes), Some(available)) = (self, available()) else {
            return Ok(());
        };
        let missing = nodes.iter().flatten().find(|&processor| !available.contains(processor));
        missing.map_or(Ok(()), |&processor| Err(NumaError::Missing(processor)))
    }
}

/// The processors this process may use.
#[cfg(target_os = "linux")]
fn available() -> Option<Processors> {
    use rustix::thread::{CpuSet, sched_getaffinity};
    // Of the process, not of this thread, which may be bound already.
    let set = sched_getaffinity(Some(rustix::process::getpid())).ok()?;
    Some((0..CpuSet::MAX_CPU).filter(|&processor| set.is_set(processor)).collect())
}

#[cfg(not(target_os = "linux"))]
fn available() -> Option<Processors> {
    None
}

#[cfg(target_os = "linux")]
fn bind_to(node: &Processors) {
    use rustix::thread::{CpuSet, sched_setaffinity};
    let mut set = CpuSet::new();
    // The kernel's interface knows more processors than this type; a node beyond it stays unbound.
    for &processor in node.iter().filter(|&&processor| processor < CpuSet::MAX_CPU) {
        set.set(processor);
    }
    if set.count() > 0 {
        let _ = sched_setaffinity(None, &set);
    }
}

#[cfg(not(target_os = "linux"))]
fn bind_to(_: &Processors) {}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(text: &str) -> NumaPolicy {
        text.parse().unwrap()
    }

    /// A machine with two sockets and hyper-threads, and a node of memory without processors.
    fn two_sockets(folder: &Path) -> Topology {
        for (file, text) in [
            ("online", "0-2\n"),
            ("node0/cpulist", "0-15,32-47\n"),
            ("node1/cpulist", "16-31,48-63\n"),
            ("node2/cpulist", "\n"),
        ] {
            let path = folder.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Topology::read(folder).unwrap()
    }

    fn counts(placement: &Placement, threads: usize) -> Vec<usize> {
        let mut counts = vec![0; placement.nodes()];
        (0..threads).for_each(|thread| counts[placement.node_of(thread)] += 1);
        counts
    }

    #[test]
    fn policies_are_written_as_elsewhere() {
        assert_eq!(policy(" Auto "), NumaPolicy::Auto);
        assert_eq!(policy("none"), NumaPolicy::None);
        let NumaPolicy::Nodes(nodes) = policy("0-15,128-143:16-31") else { panic!() };
        assert_eq!((nodes[0].len(), nodes[1].len()), (32, 16));
        assert!(nodes[0].contains(&143) && nodes[1].contains(&31));
        assert_eq!(List(&nodes[0]).to_string(), "0-15,128-143");
        assert_eq!("0-3:3-5".parse::<NumaPolicy>(), Err(NumaError::Twice(3)));
        assert!("65536".parse::<NumaPolicy>().is_ok());
        assert!(matches!("65537".parse::<NumaPolicy>(), Err(NumaError::Form(_))));
        for wrong in ["", "all", "0-", "3-1", "0::1", "0-99999999999", "1;2"] {
            assert!(matches!(wrong.parse::<NumaPolicy>(), Err(NumaError::Form(_))), "{wrong:?}");
        }
    }

    #[test]
    fn errors_name_what_is_wrong() {
        assert_eq!(NumaError::Twice(3).to_string(), "processor 3 is in two nodes");
        let missing = NumaError::Missing(7).to_string();
        assert_eq!(missing, "processor 7 is not available to this process");
        assert!(NumaError::Form("x".to_owned()).to_string().contains("\"x\" is neither 'auto'"));
    }

    /// What the system says is used, as far as this process may.
    #[cfg(target_os = "linux")]
    #[test]
    fn the_system_is_asked() {
        let topology = Topology::of_system();
        assert_eq!(topology.nodes.len(), topology.numbers.len());
        if Path::new(SYSTEM).join("node0").exists() {
            let available = available().unwrap();
            assert!(!topology.nodes.is_empty());
            assert!(topology.nodes.iter().flatten().all(|processor| available.contains(processor)));
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn processors_of_others_are_refused() {
        let all = available().unwrap();
        assert_eq!(NumaPolicy::Nodes(vec![all]).check(), Ok(()));
        assert_eq!(policy("65536").check(), Err(NumaError::Missing(65_536)));
        assert_eq!(NumaPolicy::Auto.check(), Ok(()));
    }

    /// A thread is bound to the processors of its node; one without a node stays where it is.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_thread_is_bound_to_its_node() {
        use rustix::thread::{CpuSet, sched_getaffinity};
        let all = available().unwrap();
        let last = Processors::from([*all.last().unwrap()]);
        // The type does not know the second of these processors.
        let beyond = Processors::from([*all.last().unwrap(), CpuSet::MAX_CPU]);
        let placement = Placement {
            nodes: vec![last.clone(), all.clone(), beyond],
            seats: vec![0, 1, 2],
            numbers: vec![0, 1, 2],
        };
        let bound: [Processors; 4] = [0, 1, 2, 3].map(|thread| {
            let placement = placement.clone();
            let bind = move || {
                placement.bind(thread);
                let set = sched_getaffinity(None).unwrap();
                (0..CpuSet::MAX_CPU).filter(|&processor| set.is_set(processor)).collect()
            };
            std::thread::spawn(bind).join().unwrap()
        });
        assert_eq!(bound, [last.clone(), all.clone(), last, all]);
    }

    #[test]
    fn a_topology_is_read_from_files() {
        let folder = tempfile::tempdir().unwrap();
        let topology = two_sockets(folder.path());
        assert_eq!(topology.nodes.iter().map(BTreeSet::len).collect::<Vec<_>>(), [32, 32]);
        let mut container = topology.clone();
        container.restrict(&(0..8).collect());
        assert_eq!(container.nodes, [(0..8).collect::<Processors>()]);
        assert!(Topology::read(&folder.path().join("node0")).is_err());
        fs::write(folder.path().join("node1/cpulist"), "many\n").unwrap();
        assert!(Topology::read(folder.path()).is_err());
    }

    #[test]
    fn threads_are_shared_out_by_processors() {
        let folder = tempfile::tempdir().unwrap();
        let topology = two_sockets(folder.path());
        let place = |policy: &NumaPolicy, threads| Placement::new(policy, &topology, threads);
        assert_eq!(counts(&place(&NumaPolicy::Auto, 64), 64), [32, 32]);
        assert_eq!(counts(&place(&NumaPolicy::Auto, 33), 33), [17, 16]);
        let uneven = place(&policy("0-5:6-7"), 8);
        assert_eq!(counts(&uneven, 8), [6, 2]);
        assert_eq!(uneven.to_string(), "6 threads on processors 0-5; 2 threads on processors 6-7");
        assert_eq!(counts(&place(&policy("3"), 5), 5), [5]);
        assert_eq!(counts(&place(&policy("0-5:6-7"), 2), 2), [2, 0], "2 of 6 is less than 1 of 2");
        assert_eq!(counts(&place(&NumaPolicy::Auto, 17), 17), [9, 8], "more than half of a node");
    }

    /// Shared memory is interleaved over the nodes that threads are on.
    #[test]
    fn shared_memory_is_spread_over_the_nodes_in_use() {
        let folder = tempfile::tempdir().unwrap();
        let two = two_sockets(folder.path());
        let nodes = |policy: NumaPolicy, topology: &Topology, threads: usize| {
            Placement::new(&policy, topology, threads).memory_nodes().to_vec()
        };
        assert_eq!(nodes(NumaPolicy::Auto, &two, 64), [0, 1]);
        assert_eq!(nodes(policy("0-3:40-41:60"), &two, 8), [0, 1]);
        assert!(nodes(NumaPolicy::Auto, &two, 16).is_empty());
        assert!(nodes(NumaPolicy::None, &two, 64).is_empty());
        assert!(nodes(policy("0-3:40-41"), &two, 8).is_empty(), "both lists are of node 0");
        let mut upper = two.clone();
        upper.restrict(&(16..32).collect());
        assert_eq!(upper.numbers_of(&[(0..64).collect()]), [1], "numbers stay with their nodes");
    }

    /// One node, few threads, or policy `none`: nothing is bound, and nothing is copied.
    #[test]
    fn mostly_there_is_nothing_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let two = two_sockets(folder.path());
        let one = Topology { nodes: vec![(0..64).collect()], numbers: vec![0] };
        for placement in [
            Placement::new(&NumaPolicy::Auto, &one, 64),
            Placement::new(&NumaPolicy::Auto, &two, 16),
            Placement::new(&NumaPolicy::None, &two, 64),
            Placement::new(&NumaPolicy::Auto, &Topology::default(), 64),
        ] {
            assert_eq!(placement, Placement::default());
            assert_eq!((placement.nodes(), placement.node_of(7)), (1, 0));
            assert_eq!(placement.to_string(), "threads are not bound");
        }
    }
}
