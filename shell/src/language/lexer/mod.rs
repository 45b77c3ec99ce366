//! From source to tokens. Whether `/`, `%`, `?` and `<<` begin a literal depends on the token before them and on
//! spaces, as in Ruby.

mod heredocs;
mod literals;
mod names;
mod numbers;

use super::token::{Kind, OPERATORS, Place, SyntaxError, Token};
use heredocs::Heredoc;
pub use names::is_name_byte;

/// How deep `#{…}` may be nested.
const NESTING_MAX: usize = 16;

type Result<T> = std::result::Result<T, SyntaxError>;

/// Reads tokens from a source.
pub struct Lexer<'a> {
    source: &'a [u8],
    at: usize,
    place: Place,
    nesting: usize,
    tokens: Vec<Token>,
    /// Open braces, to find the end of `#{…}`.
    braces: usize,
    /// All open brackets, for the prompt.
    open: usize,
    /// Here-documents whose text begins on the next line.
    pending: Vec<Heredoc>,
}

/// The progress in a source that grows.
#[derive(Default)]
pub struct Progress {
    at: usize,
    place: Option<Place>,
    tokens: Vec<Token>,
    braces: usize,
    open: usize,
    pending: Vec<Heredoc>,
}

impl Progress {
    /// Where the next token begins, perhaps behind blanks.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The tokens so far, without an end.
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// The number of open brackets.
    pub fn open(&self) -> usize {
        self.open
    }
}

/// Reads a source from where an earlier call has stopped. A token that is not complete is read again by the next call.
///
/// # Errors
/// `Incomplete` in the middle of a token, `Wrong` for text that is not a token.
pub fn read_on(source: &[u8], progress: &mut Progress) -> Result<()> {
    let begin = Place { line: 1, column: 1 };
    let mut lexer = Lexer::new(source, progress.place.unwrap_or(begin), 0);
    lexer.at = progress.at;
    lexer.tokens = std::mem::take(&mut progress.tokens);
    (lexer.braces, lexer.open) = (progress.braces, progress.open);
    lexer.pending = std::mem::take(&mut progress.pending);
    // The line that ended may go on with `.name`.
    if matches!(lexer.tokens.last(), Some(Token { kind: Kind::Newline, .. })) && lexer.continues_with_dot() {
        lexer.tokens.pop();
    }
    loop {
        (progress.at, progress.place) = (lexer.at, Some(lexer.place));
        (progress.braces, progress.open) = (lexer.braces, lexer.open);
        progress.pending.clone_from(&lexer.pending);
        let count = lexer.tokens.len();
        let done = lexer.step(false);
        if matches!(done, Ok(true)) {
            continue;
        }
        progress.tokens = lexer.tokens;
        progress.tokens.truncate(count);
        return done.map(|_| ());
    }
}

/// The tokens of a whole source, ended by [`Kind::End`].
pub fn tokens(source: &[u8]) -> Result<Vec<Token>> {
    let mut lexer = Lexer::new(source, Place { line: 1, column: 1 }, 0);
    lexer.run(false)?;
    Ok(lexer.tokens)
}

impl<'a> Lexer<'a> {
    fn new(source: &'a [u8], place: Place, nesting: usize) -> Self {
        Self { source, at: 0, place, nesting, tokens: Vec::new(), braces: 0, open: 0, pending: Vec::new() }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.source.get(self.at + ahead).copied()
    }

    fn bump(&mut self) -> Option<u8> {
        let byte = self.peek(0)?;
        self.at += 1;
        if byte == b'\n' {
            self.place.line = self.place.line.saturating_add(1);
            self.place.column = 1;
        } else {
            self.place.column = self.place.column.saturating_add(1);
        }
        Some(byte)
    }

    fn skip(&mut self, count: usize) {
        for _ in 0..count {
            self.bump();
        }
    }

    fn incomplete(&self, quote: Option<char>) -> SyntaxError {
        SyntaxError::Incomplete { depth: self.open, quote }
    }

    fn push(&mut self, kind: Kind, at: Place, spaced: bool) {
        let space_after = self.peek(0).is_none_or(|byte| byte.is_ascii_whitespace());
        self.tokens.push(Token { kind, at, spaced, space_after });
    }

    /// Reads to the end, or to the brace that closes `#{`.
    fn run(&mut self, inside: bool) -> Result<()> {
        while self.step(inside)? {}
        Ok(())
    }

    /// Reads a token; false at the end, whose token it adds.
    fn step(&mut self, inside: bool) -> Result<bool> {
        let spaced = self.skip_blanks()?;
        let at = self.place;
        let Some(byte) = self.peek(0) else {
            if inside || !self.pending.is_empty() {
                return Err(self.incomplete(Some('"')));
            }
            self.push(Kind::End, at, true);
            return Ok(false);
        };
        if inside && byte == b'}' && self.braces == 0 {
            self.bump();
            self.push(Kind::End, at, true);
            return Ok(false);
        }
        self.token(byte, at, spaced)?;
        Ok(true)
    }

    /// Skips blanks, comments and escaped line ends. Returns whether there were any.
    fn skip_blanks(&mut self) -> Result<bool> {
        let begin = self.at;
        while let Some(byte) = self.peek(0) {
            match byte {
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {
                    self.bump();
                }
                b'\\' if matches!(self.peek(1), Some(b'\n')) => self.skip(2),
                b'\\' if self.peek(1) == Some(b'\r') && self.peek(2) == Some(b'\n') => self.skip(3),
                b'\\' if self.peek(1).is_none() => return Err(self.incomplete(None)),
                // `=begin` … `=end`, both at the beginning of a line, is a comment.
                b'=' if self.begins_line(b"=begin") => {
                    while self.at < self.source.len() && !self.begins_line(b"=end") {
                        self.skip_line();
                    }
                    if self.at >= self.source.len() {
                        return Err(self.incomplete(None));
                    }
                    self.skip_line();
                }
                b'#' => {
                    while self.peek(0).is_some_and(|byte| byte != b'\n') {
                        self.bump();
                    }
                }
                _ => break,
            }
        }
        Ok(self.at > begin)
    }

    /// Whether this is the beginning of a line that consists of a word, or begins with it and a blank.
    fn begins_line(&self, word: &[u8]) -> bool {
        let rest = self.source[self.at..].strip_prefix(word);
        self.place.column == 1 && rest.is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
    }

    /// A typographic quote at this place, and the one that is meant.
    fn typographic_quote(&self) -> Option<(char, char)> {
        // These letters have three bytes.
        let bytes = self.source.get(self.at..self.at + 3)?;
        let letter = std::str::from_utf8(bytes).ok()?.chars().next()?;
        match letter {
            '\u{2018}' | '\u{2019}' | '\u{201A}' => Some((letter, '\'')),
            '\u{201C}' | '\u{201D}' | '\u{201E}' => Some((letter, '"')),
            _ => None,
        }
    }

    fn skip_line(&mut self) {
        while self.bump().is_some_and(|byte| byte != b'\n') {}
    }

    fn token(&mut self, byte: u8, at: Place, spaced: bool) -> Result<()> {
        match byte {
            b'_' if self.begins_line(b"__END__") => {
                Err(SyntaxError::new(at, "'__END__' is not part of this shell: end the script with exit"))
            }
            b'\n' => {
                self.bump();
                self.read_heredocs()?;
                if !self.continues_with_dot() {
                    self.push(Kind::Newline, at, spaced);
                }
                Ok(())
            }
            b'0'..=b'9' => {
                let kind = self.number(at)?;
                self.push(kind, at, spaced);
                Ok(())
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => match self.typographic_quote() {
                Some((quote, plain)) => {
                    let message = format!("{quote} is a typographic quote; type {plain} instead");
                    Err(SyntaxError::new(at, message))
                }
                None => {
                    self.name(at, spaced);
                    Ok(())
                }
            },
            b'"' | b'`' | b'\'' => self.quoted(byte, at, spaced),
            b'@' | b'$' => self.sigil(byte, at, spaced),
            b':' => self.colon(at, spaced),
            b'/' if self.begins_literal(spaced) => self.regex(at, spaced),
            b'%' if self.begins_literal(spaced) && self.percent(at, spaced)? => Ok(()),
            b'?' if self.is_character(spaced) => self.character(at, spaced),
            b'<' if self.heredoc(at, spaced) => Ok(()),
            _ => self.operator(at, spaced),
        }
    }

    /// Whether the next line begins with `.name`, so that it continues this one.
    fn continues_with_dot(&self) -> bool {
        let mut at = self.at;
        while let Some(byte) = self.source.get(at) {
            match byte {
                b' ' | b'\t' | b'\r' => at += 1,
                b'.' => return self.source.get(at + 1).is_some_and(u8::is_ascii_alphabetic),
                b'&' => return self.source.get(at + 1) == Some(&b'.'),
                _ => return false,
            }
        }
        false
    }

    /// Whether `/` or `%` here begins a literal and is not an operator.
    fn begins_literal(&self, spaced: bool) -> bool {
        let Some(last) = self.tokens.last() else { return true };
        if !last.ends_value() {
            return true;
        }
        let next_is_blank = self.peek(1).is_none_or(|byte| byte.is_ascii_whitespace() || byte == b'=');
        matches!(last.kind, Kind::Ident(_)) && spaced && !next_is_blank
    }

    fn operator(&mut self, at: Place, spaced: bool) -> Result<()> {
        let rest = &self.source[self.at..];
        let Some(op) = OPERATORS.iter().find(|op| rest.starts_with(op.as_bytes())) else {
            let shown = String::from_utf8_lossy(&rest[..1]).into_owned();
            return Err(SyntaxError::new(at, format!("the character '{}' has no meaning here", shown.escape_debug())));
        };
        self.skip(op.len());
        match *op {
            "{" => (self.braces, self.open) = (self.braces + 1, self.open + 1),
            "(" | "[" => self.open += 1,
            "}" => (self.braces, self.open) = (self.braces.saturating_sub(1), self.open.saturating_sub(1)),
            ")" | "]" => self.open = self.open.saturating_sub(1),
            _ => {}
        }
        self.push(Kind::Op(op), at, spaced);
        Ok(())
    }

    /// The tokens of the code in `#{…}`; the opening brace has been read.
    fn interpolated(&mut self) -> Result<Vec<Token>> {
        if self.nesting >= NESTING_MAX {
            return Err(SyntaxError::new(self.place, format!("#{{…}} is nested more than {NESTING_MAX} deep")));
        }
        let source = self.source;
        let mut inner = Lexer::new(&source[self.at..], self.place, self.nesting + 1);
        inner.run(true)?;
        self.at += inner.at;
        self.place = inner.place;
        Ok(inner.tokens)
    }
}
