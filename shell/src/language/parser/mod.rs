//! From tokens to the syntax tree. `docs/shell-language.md` describes the grammar.

mod calls;
mod operators;
mod primary;
mod statements;

use std::collections::HashSet;

use super::ast::{Expr, Node};
use super::lexer;
use super::token::{Kind, Place, SyntaxError, Token};

/// How deep the parts of the parser may be nested. A bracket takes three levels.
const NESTING_MAX: usize = 100;
/// How high a tree may grow: long chains of operators and calls count too.
const HEIGHT_MAX: u16 = 300;
/// The longest source of one statement, in bytes.
pub const SOURCE_BYTES_MAX: usize = 8 << 20;

type Result<T> = std::result::Result<T, SyntaxError>;

/// Parses one line, or several that belong together.
///
/// # Errors
/// `Incomplete` if more lines are needed, `Wrong` if the source cannot be parsed.
pub fn parse(source: &[u8], locals: &HashSet<String>) -> Result<Node> {
    if source.len() > SOURCE_BYTES_MAX {
        let message =
            format!("a statement is longer than {} MiB; put data into files or variables", SOURCE_BYTES_MAX >> 20);
        return Err(SyntaxError::new(Place { line: 1, column: 1 }, message));
    }
    parse_tokens(&lexer::tokens(source)?, locals)
}

/// Parses tokens; the end of the source may be left out.
pub fn parse_tokens(tokens: &[Token], locals: &HashSet<String>) -> Result<Node> {
    let mut tokens = tokens.to_vec();
    if !matches!(tokens.last(), Some(Token { kind: Kind::End, .. })) {
        let at = tokens.last().map(|token| token.at).unwrap_or_default();
        tokens.push(Token { kind: Kind::End, at, spaced: true, space_after: true });
    }
    let mut parser = Parser::new(tokens, locals.clone(), 0);
    let program = parser.statements(&[])?;
    match parser.kind() {
        Kind::End => Ok(program),
        _ => Err(parser.unexpected()),
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    /// Names of local variables, innermost scope last, each with whether it sees those of the scope around it. A name
    /// that is known is never a command.
    scopes: Vec<(bool, HashSet<String>)>,
    nesting: usize,
    /// Open blocks and brackets, for the prompt.
    open: usize,
    /// `do` belongs to an outer construct.
    no_do: bool,
    /// Inside arguments or elements, where a comma ends an assignment.
    in_list: bool,
}

impl Parser {
    fn new(tokens: Vec<Token>, locals: HashSet<String>, nesting: usize) -> Self {
        Self { tokens, at: 0, scopes: vec![(false, locals)], nesting, open: 0, no_do: false, in_list: false }
    }

    fn token(&self) -> &Token {
        // The last token is the end, which is never passed.
        &self.tokens[self.at.min(self.tokens.len() - 1)]
    }

    fn kind(&self) -> &Kind {
        &self.token().kind
    }

    fn ahead(&self, count: usize) -> &Token {
        &self.tokens[(self.at + count).min(self.tokens.len() - 1)]
    }

    fn place(&self) -> Place {
        self.token().at
    }

    fn advance(&mut self) {
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
    }

    fn is_op(&self, op: &str) -> bool {
        matches!(self.kind(), Kind::Op(found) if *found == op)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.kind(), Kind::Word(found) if *found == word)
    }

    fn take_op(&mut self, op: &str) -> bool {
        let found = self.is_op(op);
        if found {
            self.advance();
        }
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn expect_op(&mut self, op: &'static str) -> Result<()> {
        if self.take_op(op) { Ok(()) } else { Err(self.expected(&format!("'{op}'"))) }
    }

    fn skip_newlines(&mut self) {
        while matches!(self.kind(), Kind::Newline) {
            self.advance();
        }
    }

    fn skip_separators(&mut self) {
        while matches!(self.kind(), Kind::Newline | Kind::Op(";")) {
            self.advance();
        }
    }

    /// The error for the present token: at the end of the source, more lines may follow.
    fn unexpected(&self) -> SyntaxError {
        match self.kind() {
            Kind::End => SyntaxError::Incomplete { depth: self.open, quote: None },
            _ => SyntaxError::new(self.place(), format!("syntax error, unexpected {}", self.token().describe())),
        }
    }

    fn expected(&self, what: &str) -> SyntaxError {
        match self.kind() {
            Kind::End => self.unexpected(),
            _ => SyntaxError::new(
                self.place(),
                format!("syntax error, unexpected {}, expecting {what}", self.token().describe()),
            ),
        }
    }

    fn foreign(&self, at: Place, what: &str) -> SyntaxError {
        SyntaxError::new(at, format!("{what} is not part of this shell"))
    }

    fn node(&self, at: Place, expr: Expr) -> Result<Node> {
        let height = expr.below() + 1;
        if height > HEIGHT_MAX {
            return Err(SyntaxError::new(
                at,
                format!("an expression has more than {HEIGHT_MAX} levels; split it into statements"),
            ));
        }
        Ok(Node { expr, at, height })
    }

    /// Runs a part of the parser one level deeper.
    fn deeper<T>(&mut self, part: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.nesting >= NESTING_MAX {
            let message = format!("expressions are nested more than {NESTING_MAX} deep");
            return Err(SyntaxError::new(self.place(), message));
        }
        self.nesting += 1;
        let done = part(self);
        self.nesting -= 1;
        done
    }

    /// Runs a part of the parser inside a bracket or a block, where `do` begins a block again.
    fn inside<T>(&mut self, part: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let no_do = std::mem::take(&mut self.no_do);
        self.open += 1;
        let done = part(self);
        // After an error the count tells how deep the source is nested where it ends.
        if done.is_ok() {
            self.open -= 1;
        }
        self.no_do = no_do;
        done
    }

    fn declare(&mut self, name: &str) {
        if let Some((_, scope)) = self.scopes.last_mut() {
            scope.insert(name.to_owned());
        }
    }

    fn is_local(&self, name: &str) -> bool {
        for (sees_outer, scope) in self.scopes.iter().rev() {
            if scope.contains(name) {
                return true;
            }
            if !sees_outer {
                return false;
            }
        }
        false
    }

    /// Runs a part of the parser in a new scope, which sees the names of this one if it is a block.
    fn scoped<T>(&mut self, sees_outer: bool, part: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.scopes.push((sees_outer, HashSet::new()));
        let done = part(self);
        self.scopes.pop();
        done
    }
}
