//! Words and numbers.

use super::{Problem, Problems};

/// The words of a line, with access to the rest of the line.
#[derive(Clone)]
pub(super) struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    pub fn new(line: &'a str) -> Self {
        Words { rest: line.trim_ascii() }
    }

    pub fn peek(&self) -> Option<&'a str> {
        self.rest.split_ascii_whitespace().next()
    }

    /// Everything not yet consumed, without white space around it.
    pub fn rest(&self) -> &'a str {
        self.rest
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let word = self.peek()?;
        self.rest = self.rest.get(word.len()..).unwrap_or_default().trim_ascii_start();
        Some(word)
    }
}

pub(super) fn number<'a>(
    name: &'static str,
    word: Option<&'a str>,
    problems: &mut Problems<'a>,
) -> Option<i64> {
    let Some(word) = word else {
        problems.push(Problem::Missing(name, "a number"));
        return None;
    };
    let parsed = saturating_number(word);
    if parsed.is_none() {
        problems.push(Problem::NotANumber(name, word));
    }
    parsed
}

/// A decimal whole number with an optional sign; it saturates at 64 bits.
pub(crate) fn saturating_number(word: &str) -> Option<i64> {
    let (negative, digits) = match word.as_bytes() {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] | digits => (false, digits),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let magnitude = digits.iter().fold(0i64, |value, digit| {
        value.saturating_mul(10).saturating_add(i64::from(digit - b'0'))
    });
    Some(if negative { -magnitude } else { magnitude })
}
