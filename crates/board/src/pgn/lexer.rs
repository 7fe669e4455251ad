//! The tokens of a PGN file.

use std::io::{self, BufRead, Bytes};
use std::iter::Peekable;

/// Longest word and tag in bytes: no move, number or player's name comes near it.
const MAX_WORD: usize = 1024;
/// Longest comment that is kept. The rest of a longer one is skipped.
const MAX_COMMENT: usize = 1 << 16;

/// Most bytes between the end of one game and the end of the next. Annotated games of a book have
/// a few hundred kilobytes; a device that never ends has more.
const MAX_GAME: usize = 1 << 24;

/// A token. Dots, `<…>` and escaped lines (`%`) are skipped.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// `[Name "value"]`.
    Tag(String, String),
    /// `{…}`, or `;` to the end of the line, without white space around it.
    Comment(String),
    /// `$5`.
    Nag,
    /// `(`.
    Open,
    /// `)`.
    Close,
    /// A move, a move number or a result.
    Word(String),
}

/// Reads tokens. Memory is bounded whatever the input.
pub(super) struct Lexer<R: BufRead> {
    bytes: Peekable<Bytes<R>>,
    line: usize,
    line_start: bool,
    /// Bytes since the last game ended.
    used: usize,
}

impl<R: BufRead> Lexer<R> {
    pub(super) fn new(source: R) -> Self {
        Lexer { bytes: source.bytes().peekable(), line: 1, line_start: true, used: 0 }
    }

    /// The line of the last token, counted from 1.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// A game begins: it has its own share of bytes.
    pub(super) fn begin_game(&mut self) {
        self.used = 0;
    }

    /// The next token; `None` at the end of the input.
    pub(super) fn next(&mut self) -> io::Result<Option<Token>> {
        loop {
            let line_start = self.line_start;
            let Some(byte) = self.byte()? else { return Ok(None) };
            match byte {
                b'%' if line_start => drop(self.until(b'\n', 0)?),
                b';' => return Ok(Some(self.comment(b'\n')?)),
                b'{' => return Ok(Some(self.comment(b'}')?)),
                b'<' => drop(self.until(b'>', 0)?),
                b'[' => return self.tag().map(Some),
                b'$' => {
                    self.word(b'$')?;
                    return Ok(Some(Token::Nag));
                }
                b'(' => return Ok(Some(Token::Open)),
                b')' => return Ok(Some(Token::Close)),
                b'*' => return Ok(Some(Token::Word("*".to_owned()))),
                byte if is_word(byte) => return self.word(byte).map(Token::Word).map(Some),
                // White space, the dots after a move number, a byte-order mark.
                _ => {}
            }
        }
    }

    fn byte(&mut self) -> io::Result<Option<u8>> {
        let byte = self.bytes.next().transpose()?;
        self.used += 1;
        if byte == Some(0) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "not a text file"));
        }
        if self.used > MAX_GAME {
            let message = "no game ends within 16 MiB";
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        self.line_start = byte == Some(b'\n');
        self.line += usize::from(self.line_start);
        Ok(byte)
    }

    fn peek(&mut self) -> Option<u8> {
        // An error is reported by the read that follows.
        self.bytes.peek().and_then(|byte| byte.as_ref().ok().copied())
    }

    /// The text up to a byte or to the end of the input, at most `kept` bytes of it.
    fn until(&mut self, end: u8, kept: usize) -> io::Result<String> {
        let mut text = Vec::new();
        while let Some(byte) = self.byte()?.filter(|&byte| byte != end) {
            if text.len() < kept {
                text.push(byte);
            }
        }
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    fn comment(&mut self, end: u8) -> io::Result<Token> {
        let text = self.until(end, MAX_COMMENT)?;
        Ok(Token::Comment(text.split_whitespace().collect::<Vec<_>>().join(" ")))
    }

    fn word(&mut self, first: u8) -> io::Result<String> {
        let mut text = vec![first];
        while self.peek().is_some_and(is_word) {
            let byte = self.byte()?;
            text.extend(byte.filter(|_| text.len() < MAX_WORD));
        }
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// A tag after its bracket. Quotes and backslashes in the value are escaped by a backslash.
    fn tag(&mut self) -> io::Result<Token> {
        let (mut name, mut value) = (Vec::new(), Vec::new());
        let mut quoted = false;
        while let Some(mut byte) = self.byte()? {
            match byte {
                b'"' if quoted => break,
                b'"' => {
                    quoted = true;
                    continue;
                }
                b']' | b'\n' if !quoted => return Ok(Token::Tag(text(&name), text(&value))),
                b'\\' if quoted => match self.byte()? {
                    Some(escaped) => byte = escaped,
                    None => break,
                },
                // A tag is one line: a quote that is never closed ends with it.
                b'\n' => return Ok(Token::Tag(text(&name), text(&value))),
                _ => {}
            }
            let part = if quoted { &mut value } else { &mut name };
            if part.len() < MAX_WORD {
                part.push(byte);
            }
        }
        while let Some(byte) = self.byte()? {
            if matches!(byte, b']' | b'\n') {
                break;
            }
        }
        Ok(Token::Tag(text(&name), text(&value)))
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}

/// Whether a byte belongs to a move, a number or a result.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_+#=:-/!?@".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token> {
        let mut lexer = Lexer::new(text.as_bytes());
        std::iter::from_fn(|| lexer.next().unwrap()).collect()
    }

    fn tag(name: &str, value: &str) -> Token {
        Token::Tag(name.to_owned(), value.to_owned())
    }

    #[test]
    fn every_kind_of_token() {
        let comment = |text: &str| Token::Comment(text.to_owned());
        let word = |text: &str| Token::Word(text.to_owned());
        assert_eq!(tokens("{ a\n b } ; c\n"), [comment("a b"), comment("c")]);
        assert_eq!(tokens("1... e8=Q+! *"), [word("1"), word("e8=Q+!"), word("*")]);
        // A glyph is one token, whatever is written after the sign.
        assert_eq!(tokens("$5 ($1-0)"), [Token::Nag, Token::Open, Token::Nag, Token::Close]);
        assert_eq!(tokens("<e5 $1>\n%e6 $2\ne4 %"), [word("e4")]);
        assert_eq!(tokens(r#"[A "b\"]\\"]"#), [tag("A", r#"b"]\"#)]);
        // Outside of the quotes a backslash is a letter as any other.
        assert_eq!(tokens(r#"[A\ "b"] [C]"#), [tag("A\\", "b"), tag("C", "")]);
        assert_eq!(tokens("[A \"b]\n[C \"d\"\n"), [tag("A", "b]"), tag("C", "d")]);
    }

    #[test]
    fn of_a_long_text_the_beginning_is_kept() {
        for length in [MAX_COMMENT, MAX_COMMENT + 1, MAX_COMMENT + 2] {
            let text = "x".repeat(length);
            let kept = Token::Comment("x".repeat(MAX_COMMENT));
            assert_eq!(tokens(&format!("{{{text}}}")), [kept]);
        }
        for length in [MAX_WORD, MAX_WORD + 1, MAX_WORD + 2] {
            let text = "x".repeat(length);
            let kept = "x".repeat(MAX_WORD);
            assert_eq!(tokens(&format!("[{text} \"{text}\"]")), [tag(&kept, &kept)]);
            assert_eq!(tokens(&text), [Token::Word(kept)]);
        }
    }
}
