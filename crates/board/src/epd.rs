//! EPD: a position with operations, one per line, as test suites are written.
//!
//! ```
//! use megatherium_board::epd::Epd;
//! let record = r#"4k3/8/8/8/8/8/4P3/4K3 w - - bm e4; id "first; of all"; D1 6;"#;
//! let epd: Epd = record.parse().unwrap();
//! assert_eq!(epd.id(), Some("first; of all"));
//! assert_eq!(epd.moves("bm").unwrap(), [epd.board.parse_uci("e2e4").unwrap()]);
//! assert_eq!(epd.operand("D1"), Some("6"));
//! ```

use core::fmt;
use core::str::FromStr;

use crate::fen::fields;
use crate::{Board, FenError, Move, MoveError};

/// A name and what follows it, up to the semicolon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The name: `bm`, `id`, `D1` …
    pub opcode: String,
    /// What follows, with the quotes of quoted texts taken off.
    pub operands: Vec<String>,
}

/// A position and its operations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Epd {
    /// The position. Its clocks are those of the operations `hmvc` and `fmvn`, or of two numbers
    /// after the fourth field, where many files put them; otherwise 0 and 1.
    pub board: Board,
    /// The operations in their order.
    pub operations: Vec<Operation>,
}

/// What is wrong with an EPD, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EpdError {
    /// The position is wrong.
    Position(FenError),
    /// An operation does not start with a letter, at this character of the text.
    NotAnOpcode {
        /// Counted from 1.
        column: usize,
    },
    /// A quoted text that starts at this character has no end.
    OpenQuote {
        /// Counted from 1.
        column: usize,
    },
    /// The operation, `hmvc` or `fmvn`, needs one number.
    NotAClock {
        /// `hmvc` or `fmvn`.
        opcode: &'static str,
    },
}

impl fmt::Display for EpdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Position(error) => error.fmt(f),
            Self::NotAnOpcode { column } => {
                write!(f, "column {column}: an operation must start with a letter")
            }
            Self::OpenQuote { column } => {
                write!(f, "column {column}: the quoted text does not end")
            }
            Self::NotAClock { opcode } => write!(f, "{opcode} needs one number from 0 to 65535"),
        }
    }
}

impl core::error::Error for EpdError {}

impl From<FenError> for EpdError {
    fn from(error: FenError) -> Self {
        Self::Position(error)
    }
}

impl Epd {
    /// The operation of a name.
    pub fn operation(&self, opcode: &str) -> Option<&Operation> {
        self.operations.iter().find(|operation| operation.opcode == opcode)
    }

    /// The first operand of an operation.
    pub fn operand(&self, opcode: &str) -> Option<&str> {
        self.operation(opcode)?.operands.first().map(String::as_str)
    }

    /// The name of the position.
    pub fn id(&self) -> Option<&str> {
        self.operand("id")
    }

    /// The operands of an operation, such as `bm` (best moves) or `am` (moves to avoid), as legal
    /// moves; none if there is no such operation. Both SAN and UCI are read.
    pub fn moves(&self, opcode: &str) -> Result<Vec<Move>, MoveError> {
        let operands = self.operation(opcode).map_or(&[][..], |operation| &operation.operands);
        operands
            .iter()
            .map(|text| {
                self.board
                    .parse_san(text)
                    .or_else(|error| self.board.parse_uci(text).map_err(|_| error))
            })
            .collect()
    }

    fn clock(&self, opcode: &'static str) -> Result<Option<u16>, EpdError> {
        let Some(operation) = self.operation(opcode) else {
            return Ok(None);
        };
        match operation.operands.as_slice() {
            [number] => number.parse().map(Some).map_err(|_| EpdError::NotAClock { opcode }),
            _ => Err(EpdError::NotAClock { opcode }),
        }
    }
}

impl FromStr for Epd {
    type Err = EpdError;

    fn from_str(text: &str) -> Result<Self, EpdError> {
        let (board, mut end) = Board::from_position_fields(text)?;
        let clocks: Vec<_> = fields(&text[end..]).take(2).collect();
        let (mut halfmoves, mut number) = (0, 1);
        if let [first, second] = clocks[..]
            && let (Ok(clock), Ok(count)) = (first.text.parse(), second.text.parse())
        {
            (halfmoves, number) = (clock, count);
            end += second.start + second.text.len();
        }
        let mut epd = Self { board, operations: Vec::new() };
        let mut scanner = Scanner { text, at: end };
        while let Some(operation) = scanner.operation()? {
            epd.operations.push(operation);
        }
        let halfmoves = epd.clock("hmvc")?.unwrap_or(halfmoves);
        let number = epd.clock("fmvn")?.unwrap_or(number);
        epd.board.set_clocks(halfmoves, number);
        Ok(epd)
    }
}

impl fmt::Display for Epd {
    /// One line that parses to the same record. Texts that are not plain words are quoted.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.board.write_position(false))?;
        let clocks = (self.board.halfmove_clock(), self.board.fullmove_number());
        let told = |opcode| self.operation(opcode).is_some();
        if (clocks.0 != 0 && !told("hmvc")) || (clocks.1 != 1 && !told("fmvn")) {
            write!(f, " {} {}", clocks.0, clocks.1)?;
        }
        for operation in &self.operations {
            write!(f, " {}", operation.opcode)?;
            for operand in &operation.operands {
                let plain = !operand.is_empty()
                    && !operand.contains(|c: char| c.is_ascii_whitespace() || c == ';' || c == '"');
                if plain && operation.opcode != "id" {
                    write!(f, " {operand}")?;
                } else {
                    write!(f, " \"{operand}\"")?;
                }
            }
            f.write_str(";")?;
        }
        Ok(())
    }
}

/// Reads operations from the text after the position.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl Scanner<'_> {
    fn column(&self, byte: usize) -> usize {
        self.text.char_indices().take_while(|(start, _)| *start < byte).count() + 1
    }

    fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_ascii_start().len();
    }

    /// The next word or quoted text; `None` at a semicolon or the end.
    fn word(&mut self) -> Result<Option<String>, EpdError> {
        self.skip_space();
        let rest = &self.text[self.at..];
        if let Some(quoted) = rest.strip_prefix('"') {
            let Some(length) = quoted.find('"') else {
                return Err(EpdError::OpenQuote { column: self.column(self.at) });
            };
            self.at += length + 2;
            return Ok(Some(quoted[..length].to_owned()));
        }
        let length = rest
            .find(|c: char| c.is_ascii_whitespace() || c == ';' || c == '"')
            .unwrap_or(rest.len());
        self.at += length;
        Ok((length > 0).then(|| rest[..length].to_owned()))
    }

    /// The next operation; `None` at the end. Semicolons may also stand before an operation.
    fn operation(&mut self) -> Result<Option<Operation>, EpdError> {
        loop {
            self.skip_space();
            if !self.text[self.at..].starts_with(';') {
                break;
            }
            self.at += 1;
        }
        if self.at == self.text.len() {
            return Ok(None);
        }
        if !self.text[self.at..].starts_with(|c: char| c.is_ascii_alphabetic()) {
            return Err(EpdError::NotAnOpcode { column: self.column(self.at) });
        }
        let Some(opcode) = self.word()? else {
            return Ok(None);
        };
        let mut operands = Vec::new();
        while let Some(operand) = self.word()? {
            operands.push(operand);
        }
        Ok(Some(Operation { opcode, operands }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINGS: &str = "4k3/8/8/8/8/8/4P3/4K3 w - -";

    fn read(operations: &str) -> Result<Epd, EpdError> {
        format!("{KINGS} {operations}").parse()
    }

    #[test]
    fn suites_of_all_styles() {
        let bare = read("").unwrap();
        assert!(
            bare.operations.is_empty() && bare.id().is_none() && bare.moves("bm") == Ok(Vec::new())
        );

        let perft: Epd = format!("{KINGS} 3 7 ;D1 6 ;D2 30").parse().unwrap();
        assert_eq!((perft.operand("D1"), perft.operand("D2")), (Some("6"), Some("30")));
        assert_eq!((perft.board.halfmove_clock(), perft.board.fullmove_number()), (3, 7));
        assert_eq!(perft.to_string().parse(), Ok(perft));

        let suite = read("bm e4 Kd2; am e2e3; id \"a; b\"; hmvc 12; fmvn 40;").unwrap();
        assert_eq!(suite.moves("bm").unwrap().len(), 2);
        assert_eq!(suite.moves("am").unwrap(), [suite.board.parse_san("e3").unwrap()]);
        assert_eq!((suite.board.halfmove_clock(), suite.board.fullmove_number()), (12, 40));
        assert_eq!(suite.to_string().parse(), Ok(suite.clone()));
        assert_eq!(suite.moves("id"), Err(MoveError::Malformed));
    }

    #[test]
    fn errors_say_where() {
        assert_eq!(read("; 12").unwrap_err(), EpdError::NotAnOpcode { column: 31 });
        assert_eq!(read("id \"open").unwrap_err(), EpdError::OpenQuote { column: 32 });
        assert_eq!(read("hmvc x;").unwrap_err(), EpdError::NotAClock { opcode: "hmvc" });
        assert_eq!(read("fmvn;").unwrap_err(), EpdError::NotAClock { opcode: "fmvn" });
        assert!(matches!("8/8 w - -".parse::<Epd>(), Err(EpdError::Position(_))));
    }
}
