//! How the threads of a search work together.

use std::fmt;
use std::str::FromStr;

/// Rules for searches on several threads. With one thread none of them has an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Teamwork {
    /// A thread whose iteration another one has completed takes over the result and goes on with
    /// the next.
    pub take_over: bool,
    /// Plies by which helpers with odd numbers are ahead of the others.
    pub ahead: i32,
    /// Helpers mark the positions of their principal variations in the table.
    pub helpers_mark_pv: bool,
    /// Helpers vary the reductions of late moves a little.
    pub jitter: bool,
    /// Helpers start with wider windows, by number.
    pub windows_by_id: bool,
    /// One correction history for all threads instead of one each.
    pub shared_corrections: bool,
    /// One set of move histories for all threads instead of one each.
    pub shared_histories: bool,
}

/// Why a rule could not be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TeamworkError(String);

impl fmt::Display for TeamworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Teamwork::NAMES.join(", ");
        write!(f, "{:?} is not name=number with a name of {names}", self.0)
    }
}

impl std::error::Error for TeamworkError {}

/// Rules as `name=number` between commas, the others as shipped; 0 and 1 are off and on.
impl FromStr for Teamwork {
    type Err = TeamworkError;

    fn from_str(text: &str) -> Result<Teamwork, TeamworkError> {
        let mut team = Teamwork::default();
        for rule in text.split(',') {
            let wrong = || TeamworkError(rule.to_owned());
            let (name, value) = rule.split_once('=').ok_or_else(wrong)?;
            let number: i32 = value.trim().parse().map_err(|_| wrong())?;
            let flag = match number {
                0 => Ok(false),
                1 => Ok(true),
                _ => Err(wrong()),
            };
            match name.trim() {
                "ahead" if (0..=8).contains(&number) => team.ahead = number,
                "take_over" => team.take_over = flag?,
                "helpers_mark_pv" => team.helpers_mark_pv = flag?,
                "jitter" => team.jitter = flag?,
                "windows_by_id" => team.windows_by_id = flag?,
                "shared_corrections" => team.shared_corrections = flag?,
                "shared_histories" => team.shared_histories = flag?,
                _ => return Err(wrong()),
            }
        }
        Ok(team)
    }
}

impl Teamwork {
    /// The names of the rules.
    pub const NAMES: &[&str] = &[
        "ahead",
        "take_over",
        "helpers_mark_pv",
        "jitter",
        "windows_by_id",
        "shared_corrections",
        "shared_histories",
    ];
}

impl Default for Teamwork {
    fn default() -> Self {
        Teamwork {
            take_over: false,
            ahead: 0,
            helpers_mark_pv: true,
            jitter: true,
            windows_by_id: true,
            shared_corrections: false,
            shared_histories: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_name() {
        for name in Teamwork::NAMES {
            let [off, on] = ["0", "1"].map(|value| format!("{name}={value}").parse::<Teamwork>());
            assert_ne!(off.unwrap(), on.unwrap(), "{name}");
        }
        let both: Teamwork = "take_over=1,jitter=0".parse().unwrap();
        assert_eq!(both, Teamwork { take_over: true, jitter: false, ..Teamwork::default() });
        for wrong in ["", "jitter", "jitter=2", "jitter=yes", "luck=1", "ahead=-1", "ahead=1,"] {
            assert!(wrong.parse::<Teamwork>().is_err(), "{wrong:?}");
        }
    }
}
