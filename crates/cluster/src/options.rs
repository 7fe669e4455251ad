//! The UCI options of a cluster, and the commands that followers need.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use megatherium_uci::options::parse_option;
use megatherium_uci::shell::Partner;

use crate::bridge::{Bridge, Event, GRACE};
use crate::sharing::{DEPTHS, Share};

/// Options that followers take over. The others concern the conversation or the clock.
const FOLLOWED: [&str; 7] = [
    "Threads",
    "Hash",
    "SyzygyPath",
    "SyzygyProbeDepth",
    "SyzygyProbeLimit",
    "Syzygy50MoveRule",
    "EvalFile",
];

/// Largest `Cluster Grace` in milliseconds.
const MAX_GRACE: u64 = 1000;

/// Extends the shell of rank 0.
pub struct ClusterOptions {
    bridge: Arc<Bridge>,
    /// Longest wait for the others at `isready`.
    timeout: Duration,
}

impl ClusterOptions {
    /// Reports to the leader through `bridge`.
    pub fn new(bridge: Arc<Bridge>, timeout: Duration) -> ClusterOptions {
        ClusterOptions { bridge, timeout }
    }
}

impl Partner for ClusterOptions {
    fn write_options(&self, out: &mut String) {
        out.push_str("option name Cluster Share type combo default auto var auto var off");
        for depth in DEPTHS {
            let _ = write!(out, " var {depth}");
        }
        out.push('\n');
        let range = format!("default {} min 0 max {MAX_GRACE}", GRACE.as_millis());
        let _ = writeln!(out, "option name Cluster Grace type spin {range}");
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> Option<Result<(), String>> {
        let words: Vec<_> = name.split_ascii_whitespace().map(str::to_ascii_lowercase).collect();
        let value = value.map(str::trim_ascii);
        match words.join(" ").as_str() {
            "cluster share" => {
                let share = share(value.unwrap_or_default()).ok_or_else(|| {
                    let (first, last) = (DEPTHS.start(), DEPTHS.end());
                    let values = format!("'auto', 'off' or a depth in {first}..{last}");
                    format!("option Cluster Share: the value is {values}")
                });
                Some(share.map(|share| self.bridge.set_share(share)))
            }
            "cluster grace" => {
                let grace = value.and_then(|value| value.parse().ok());
                let grace = grace.filter(|&grace| grace <= MAX_GRACE).ok_or_else(|| {
                    let values = format!("a number of milliseconds in 0..{MAX_GRACE}");
                    format!("option Cluster Grace: the value is {values}")
                });
                Some(grace.map(|grace| self.bridge.set_grace(Duration::from_millis(grace))))
            }
            _ => {
                if let (Ok(assignment), Some(value)) = (parse_option(name, value), value)
                    && FOLLOWED.contains(&assignment.option.name)
                {
                    let name = assignment.option.name;
                    let line = format!("setoption name {name} value {value}");
                    self.bridge.event(Event::Option(name, line));
                }
                None
            }
        }
    }

    fn traffic(&self) -> String {
        let (sender, receiver) = channel();
        self.bridge.event(Event::Traffic(sender));
        receiver.recv_timeout(self.timeout).unwrap_or_default()
    }

    fn position(&mut self, command: String) {
        self.bridge.event(Event::Position(command));
    }

    fn ready(&mut self) {
        let (sender, receiver) = channel();
        self.bridge.event(Event::Ready(sender));
        // A follower that is not ready by then joins later.
        let _ = receiver.recv_timeout(self.timeout);
    }
}

fn share(value: &str) -> Option<Share> {
    match value.to_ascii_lowercase().as_str() {
        "auto" => Some(Share::Auto),
        "off" => Some(Share::Off),
        number => number.parse().ok().filter(|depth| DEPTHS.contains(depth)).map(Share::From),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_options_are_taken_and_checked() {
        let (bridge, events) = Bridge::new(0, 1);
        let bridge = Arc::new(bridge);
        let mut options = ClusterOptions::new(Arc::clone(&bridge), Duration::ZERO);
        assert_eq!(options.set_option("cluster  SHARE", Some(" 7 ")), Some(Ok(())));
        assert_eq!(bridge.share(), Share::From(7));
        assert_eq!(options.set_option("Cluster Share", Some("Off")), Some(Ok(())));
        assert_eq!(bridge.share(), Share::Off);
        for wrong in [None, Some("1"), Some("21"), Some("much")] {
            assert!(
                matches!(options.set_option("Cluster Share", wrong), Some(Err(_))),
                "{wrong:?}"
            );
            assert!(matches!(options.set_option("Cluster Grace", Some("1001")), Some(Err(_))));
        }
        assert_eq!(options.set_option("Hash", Some("64")), None);
        assert_eq!(options.set_option("MultiPV", Some("3")), None);
        assert_eq!(options.set_option("Hash", Some("nonsense")), None);
        let forwarded: Vec<Event> = events.try_iter().collect();
        let [Event::Option("Hash", line)] = forwarded.as_slice() else { panic!("{forwarded:?}") };
        assert_eq!(line, "setoption name Hash value 64");
    }
}
