//! A statement whose lines arrive one after the other.

use std::collections::HashSet;

use super::ast::Node;
use super::lexer::{self, Progress};
use super::parser;
use super::token::{Kind, Part, SyntaxError, Token};

/// Lines after which a statement is parsed only when its brackets and blocks can be closed. Until then every line is
/// parsed, so that mistakes are reported at once.
const EAGER_LINES: usize = 64;

/// The lines of a statement so far. Each line is read once, so that the cost of a long statement grows with its length.
#[derive(Default)]
pub struct Statement {
    source: Vec<u8>,
    progress: Progress,
    lines: usize,
    /// The quote of the string that is open, which needs another one to end.
    quote: Option<u8>,
    /// Blocks that are certainly open among the tokens that were counted.
    blocks: usize,
    ends: usize,
    counted: usize,
}

impl Statement {
    /// The source so far.
    pub fn source(&self) -> &[u8] {
        &self.source
    }

    /// Adds a line, and parses the statement if the line can complete it.
    ///
    /// # Errors
    /// `Incomplete` if more lines are needed, `Wrong` if the source cannot be parsed.
    pub fn add(&mut self, line: &[u8], locals: &HashSet<String>) -> Result<Node, SyntaxError> {
        self.source.extend_from_slice(line);
        self.source.push(b'\n');
        self.lines += 1;
        if let Some(quote) = self.quote
            && !line.contains(&quote)
        {
            return Err(SyntaxError::Incomplete { depth: self.progress.open(), quote: Some(char::from(quote)) });
        }
        self.quote = None;
        let read = lexer::read_on(&self.source, &mut self.progress);
        if let Err(SyntaxError::Incomplete { quote: Some(_), .. }) = &read {
            let rest = self.source[self.progress.at()..].trim_ascii_start();
            self.quote = rest.first().copied().filter(|byte| matches!(byte, b'\'' | b'"'));
        }
        read?;
        self.count();
        let blocks = self.blocks.saturating_sub(self.ends);
        let depth = self.progress.open() + blocks;
        if self.lines > EAGER_LINES && depth > 0 {
            return Err(SyntaxError::Incomplete { depth, quote: None });
        }
        parser::parse_tokens(self.progress.tokens(), locals)
    }

    /// The line of the statement, from 1 on, in which the token begins that is not complete.
    pub fn open_line(&self) -> u32 {
        let mut at = self.progress.at();
        loop {
            let rest = &self.source[at..];
            at += rest.len() - rest.trim_ascii_start().len();
            match self.source[at..].iter().position(|byte| *byte == b'\n') {
                Some(end) if self.source[at] == b'#' => at += end,
                _ => break,
            }
        }
        let lines = self.source[..at].iter().filter(|byte| **byte == b'\n').count();
        u32::try_from(lines).unwrap_or(u32::MAX).saturating_add(1)
    }

    /// The line of the statement, from 1 on, in which a text in quotes begins that goes on in the next line.
    pub fn long_text(&self) -> Option<u32> {
        let goes_on = |pair: &&[Token]| match &pair[0].kind {
            Kind::Str(parts) => pair[1].at.line > pair[0].at.line && parts.iter().any(has_line_end),
            _ => false,
        };
        // The lines of a here document are those of a text, too.
        if self.source.windows(2).any(|two| two == b"<<") {
            return None;
        }
        self.progress.tokens().windows(2).find(goes_on).map(|pair| pair[0].at.line)
    }

    /// Counts the words that open and close blocks. `while` and `for` may have a `do`, and `if` behind a statement
    /// opens nothing, so the number of open blocks is at least the difference.
    fn count(&mut self) {
        let tokens = self.progress.tokens();
        let from = self.counted.min(tokens.len());
        for (at, token) in tokens.iter().enumerate().skip(from) {
            let first = at.checked_sub(1).is_none_or(|before| is_separator(&tokens[before]));
            match token.kind {
                Kind::Word("do" | "def" | "begin" | "case") => self.blocks += 1,
                Kind::Word("if" | "unless") if first => self.blocks += 1,
                Kind::Word("end") => self.ends += 1,
                _ => {}
            }
        }
        self.counted = tokens.len();
    }
}

fn has_line_end(part: &Part) -> bool {
    matches!(part, Part::Bytes(text) if text.contains(&b'\n'))
}

fn is_separator(token: &Token) -> bool {
    matches!(token.kind, Kind::Newline | Kind::Op(";"))
}
