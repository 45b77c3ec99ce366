//! Here-documents: `<<~END`, and the text on the lines that follow.

use super::names::is_name_byte;
use super::{Lexer, Result, literals};
use crate::language::token::{Kind, Part, Place, Token};

/// A here-document whose text begins on the next line.
#[derive(Clone)]
pub(super) struct Heredoc {
    /// The index of its token.
    token: usize,
    /// The line that ends it.
    mark: Vec<u8>,
    /// Whether its text has neither escapes nor `#{…}`.
    raw: bool,
    /// Whether the mark may be indented (`<<-`, `<<~`).
    indented: bool,
    /// Whether the indentation that all lines share is removed (`<<~`).
    squiggly: bool,
}

impl Lexer<'_> {
    /// Reads `<<~END`, `<<-END` or `<<END`, whose text follows on the next lines. Returns whether this is one.
    pub(super) fn heredoc(&mut self, at: Place, spaced: bool) -> bool {
        if self.peek(1) != Some(b'<') {
            return false;
        }
        if self.tokens.last().is_some_and(Token::ends_value) && !self.begins_literal(spaced) {
            return false;
        }
        let (dash, squiggly) = (self.peek(2) == Some(b'-'), self.peek(2) == Some(b'~'));
        let mut from = self.at + 2 + usize::from(dash || squiggly);
        let quote = self.source.get(from).copied().filter(|byte| matches!(byte, b'"' | b'\''));
        from += usize::from(quote.is_some());
        let name: Vec<u8> =
            self.source[from.min(self.source.len())..].iter().copied().take_while(|byte| is_name_byte(*byte)).collect();
        let plain = name.first().is_some_and(|first| first.is_ascii_uppercase() || *first == b'_' || dash || squiggly);
        if !plain || quote.is_some_and(|quote| self.source.get(from + name.len()) != Some(&quote)) {
            return false;
        }
        let length = from + name.len() + usize::from(quote.is_some()) - self.at;
        self.skip(length);
        self.push(Kind::Str(Vec::new()), at, spaced);
        self.pending.push(Heredoc {
            token: self.tokens.len() - 1,
            mark: name,
            raw: quote == Some(b'\''),
            indented: dash || squiggly,
            squiggly,
        });
        true
    }

    /// Reads the texts of the here-documents that this line announced.
    pub(super) fn read_heredocs(&mut self) -> Result<()> {
        for Heredoc { token, mark, raw, indented, squiggly } in std::mem::take(&mut self.pending) {
            let mut lines: Vec<Vec<u8>> = Vec::new();
            let begin = self.place;
            loop {
                if self.at >= self.source.len() {
                    return Err(self.incomplete(Some('"')));
                }
                let mut line = Vec::new();
                let mut ended = false;
                while let Some(byte) = self.bump() {
                    line.push(byte);
                    if byte == b'\n' {
                        ended = true;
                        break;
                    }
                }
                let text = line.strip_suffix(b"\n").unwrap_or(&line);
                let text = text.strip_suffix(b"\r").unwrap_or(text);
                let text = if indented { text.trim_ascii_start() } else { text };
                if text == mark {
                    break;
                }
                if !ended {
                    return Err(self.incomplete(Some('"')));
                }
                lines.push(line);
            }
            if squiggly {
                dedent(&mut lines);
            }
            let text = lines.concat();
            let parts = if raw {
                vec![Part::Bytes(text)]
            } else {
                let mut inner = Lexer::new(&text, begin, self.nesting);
                literals::parts_to_end(&mut inner)?
            };
            if let Some(token) = self.tokens.get_mut(token) {
                token.kind = Kind::Str(parts);
            }
        }
        Ok(())
    }
}

/// Removes the indentation that all lines share.
fn dedent(lines: &mut [Vec<u8>]) {
    let indent = |line: &[u8]| line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let shared = lines.iter().filter(|line| !line.trim_ascii().is_empty()).map(|line| indent(line)).min().unwrap_or(0);
    for line in lines {
        line.drain(..shared.min(indent(line)));
    }
}
