//! Search parameters as UCI options.
//!
//! They can always be set, under the names of `megatherium params`. They are listed only by a build
//! with the feature `tune`: a GUI would show a page of them, but the match runner of a tuning
//! server sets no option that is not listed.

use std::fmt::Write as _;

use megatherium_cli::params::with_suggestion;
use megatherium_search::Params;

use crate::parse::{Quoted, saturating_number};

/// Sets the parameter of that name. `None` if there is none.
pub(super) fn set(
    params: &mut Params,
    name: &str,
    value: Option<&str>,
) -> Option<Result<(), String>> {
    let spec = Params::spec(name).ok()?;
    let shown = spec.name.replace('_', "-");
    let Some(word) = value.filter(|value| !value.is_empty()) else {
        return Some(Err(format!("option {shown}: the value is missing")));
    };
    let Some(number) = saturating_number(word) else {
        return Some(Err(format!("option {shown}: {} is not a whole number", Quoted(word))));
    };
    // Beyond 32 bits is beyond every range.
    let number = number.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32;
    Some(params.set(spec.name, number).map_err(|error| with_suggestion(&error)))
}

/// Writes the parameters as `option …` lines.
pub fn write_listing(out: &mut String) {
    for spec in Params::SPECS {
        let name = spec.name.replace('_', "-");
        let (default, min, max) = (spec.default, spec.min, spec.max);
        let _ = writeln!(out, "option name {name} type spin default {default} min {min} max {max}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_listed_can_be_set() {
        let mut listing = String::new();
        write_listing(&mut listing);
        assert_eq!(listing.lines().count(), Params::SPECS.len());
        let mut params = Params::default();
        for line in listing.lines() {
            let words: Vec<_> = line.split(' ').collect();
            let ["option", "name", name, "type", "spin", "default", _, "min", min, "max", max] =
                words.as_slice()
            else {
                panic!("{line}")
            };
            for value in [min, max] {
                assert_eq!(set(&mut params, name, Some(value)), Some(Ok(())), "{line}");
                assert_eq!(params.get(&name.replace('-', "_")), value.parse().ok());
            }
            for beyond in ["99999999999999999999999", "-99999999999999999999999"] {
                assert!(matches!(set(&mut params, name, Some(beyond)), Some(Err(_))), "{line}");
            }
        }
        assert!(matches!(set(&mut params, "razor-depth", None), Some(Err(_))));
        assert!(matches!(set(&mut params, "razor-depth", Some("two")), Some(Err(_))));
        assert_eq!(set(&mut params, "Hash", Some("1")), None);
    }
}
