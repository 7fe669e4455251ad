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
    /// On a clock, the leader asks how settled all threads are, not only itself.
    pub decide_together: bool,
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
        for (index, TeamRule { name, range, .. }) in Teamwork::RULES.iter().enumerate() {
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
            let name = name.trim().replace('-', "_");
            let fits = |rule: &&TeamRule| rule.name == name && rule.range.contains(&number);
            let rule = Teamwork::RULES.iter().find(fits).ok_or_else(wrong)?;
            (rule.set)(&mut team, number);
        }
        Ok(team)
    }
}

/// A rule that experiments can set by name.
#[derive(Debug)]
pub struct TeamRule {
    /// Its name, that of the field.
    pub name: &'static str,
    /// The numbers that it can have.
    pub range: RangeInclusive<i32>,
    /// Sets it to a number of the range.
    set: fn(&mut Teamwork, i32),
}

/// A rule that is on (1) or off (0).
macro_rules! switch {
    ($field:ident) => {
        TeamRule {
            name: stringify!($field),
            range: 0..=1,
            set: |team, number| team.$field = number == 1,
        }
    };
}

impl Teamwork {
    /// All rules.
    pub const RULES: &[TeamRule] = &[
        TeamRule {
            name: "take_over",
            range: 0..=2,
            set: |team, number| {
                team.take_over =
                    [TakeOver::Never, TakeOver::First, TakeOver::Agreed][number as usize];
            },
        },
        switch!(skip_depths),
        TeamRule { name: "ahead", range: 0..=8, set: |team, number| team.ahead = number },
        switch!(helpers_mark_pv),
        switch!(jitter),
        switch!(windows_by_id),
        switch!(shared_corrections),
        switch!(shared_histories),
        switch!(decide_together),
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
        decide_together: false,
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
        for TeamRule { name, range, .. } in Teamwork::RULES {
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
