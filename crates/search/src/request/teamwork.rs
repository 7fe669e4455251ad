//! How the threads of a search work together.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Rules for searches on several threads. With one thread none of them has an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Teamwork {
    /// When a thread takes over the result of an iteration that another thread has completed.
    pub take_over: TakeOver,
    /// Helpers skip a depth that at least half of the threads have reached.
    pub skip_depths: bool,
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
    /// One set of move histories for a group of threads instead of one each.
    pub shared_histories: bool,
}

/// When a thread gives up an iteration that another has completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakeOver {
    /// Never: every thread completes its iterations itself.
    Never,
    /// At once: the first to complete an iteration counts.
    First,
    /// If it has the same best move so far, or if most threads have completed the iteration. A
    /// thread that is failing low, or has found a better move, continues: it may have seen what the
    /// first one missed.
    Agreed,
}

/// Why a rule could not be set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TeamworkError(String);

impl fmt::Display for TeamworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not RULE=NUMBER; the rules are ", self.0)?;
        for (index, (name, range)) in Teamwork::RULES.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            let name = name.replace('_', "-");
            write!(f, "{comma}{name} ({} to {})", range.start(), range.end())?;
        }
        Ok(())
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
            // As search parameters are: printed with `-`, taken with `_` too.
            let name = &*name.trim().replace('-', "_");
            let known = |(rule, range): &(&str, RangeInclusive<i32>)| {
                *rule == name && range.contains(&number)
            };
            if !Teamwork::RULES.iter().any(known) {
                return Err(wrong());
            }
            let on = number == 1;
            match name {
                "ahead" => team.ahead = number,
                "take_over" => {
                    team.take_over =
                        [TakeOver::Never, TakeOver::First, TakeOver::Agreed][number as usize];
                }
                "skip_depths" => team.skip_depths = on,
                "helpers_mark_pv" => team.helpers_mark_pv = on,
                "jitter" => team.jitter = on,
                "windows_by_id" => team.windows_by_id = on,
                "shared_corrections" => team.shared_corrections = on,
                "shared_histories" => team.shared_histories = on,
                _ => return Err(wrong()),
            }
        }
        Ok(team)
    }
}

impl Teamwork {
    /// The names of the rules, and the numbers that each can have.
    pub const RULES: &[(&str, RangeInclusive<i32>)] = &[
        ("take_over", 0..=2),
        ("skip_depths", 0..=1),
        ("ahead", 0..=8),
        ("helpers_mark_pv", 0..=1),
        ("jitter", 0..=1),
        ("windows_by_id", 0..=1),
        ("shared_corrections", 0..=1),
        ("shared_histories", 0..=1),
    ];
}

impl Teamwork {
    /// Plain Lazy SMP: the threads share the table and nothing else.
    pub const PLAIN: Teamwork = Teamwork {
        take_over: TakeOver::Never,
        skip_depths: false,
        ahead: 0,
        helpers_mark_pv: true,
        jitter: true,
        windows_by_id: true,
        shared_corrections: false,
        shared_histories: false,
    };
}

impl Default for Teamwork {
    fn default() -> Self {
        Teamwork {
            take_over: TakeOver::Agreed,
            skip_depths: true,
            shared_histories: true,
            ..Teamwork::PLAIN
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_name_and_a_range() {
        for (name, range) in Teamwork::RULES {
            let parse = |value: i32| format!("{name}={value}").parse::<Teamwork>();
            let mut seen = Vec::new();
            for value in range.clone() {
                let team = parse(value).unwrap();
                assert!(!seen.contains(&team), "{name}={value}");
                seen.push(team);
            }
            assert!(seen.contains(&Teamwork::default()), "{name}");
            assert!(parse(range.start() - 1).is_err() && parse(range.end() + 1).is_err(), "{name}");
        }
        let both: Teamwork = "take-over=1,jitter=0".parse().unwrap();
        assert_eq!("take_over=1,jitter=0".parse(), Ok(both));
        let expected =
            Teamwork { take_over: TakeOver::First, jitter: false, ..Teamwork::default() };
        assert_eq!(both, expected);
        for wrong in ["", "jitter", "jitter=yes", "luck=1", "ahead=1,"] {
            let error = wrong.parse::<Teamwork>().unwrap_err().to_string();
            assert!(error.contains("take-over (0 to 2), skip-depths (0 to 1)"), "{wrong:?}");
        }
    }
}
