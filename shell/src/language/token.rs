//! Tokens of the shell's language.

use num_bigint::BigInt;

/// A place in the source. Lines and columns count from 1; columns count bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// The reason why a piece of source cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SyntaxError {
    /// The source ends in the middle of a statement: more lines may complete it.
    Incomplete {
        /// The number of open blocks and brackets.
        depth: usize,
        /// The quote of the literal that is open.
        quote: Option<char>,
    },
    /// The source is wrong, regardless of what follows.
    Wrong {
        /// The place of the mistake.
        at: Place,
        /// The error.
        message: String,
    },
}

impl SyntaxError {
    /// An error at a place.
    pub fn new(at: Place, message: impl Into<String>) -> Self {
        Self::Wrong { at, message: message.into() }
    }
}

/// A part of a string literal.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    /// Bytes as they are.
    Bytes(Vec<u8>),
    /// The tokens of `#{…}`, without the braces, ended by [`Kind::End`].
    Code(Vec<Token>),
}

/// The kind of a token.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// A whole number.
    Int(BigInt),
    /// A number with a fraction or an exponent.
    Float(f64),
    /// A string literal.
    Str(Vec<Part>),
    /// A symbol: `:name`, `:"name"`.
    Symbol(Vec<Part>),
    /// A regular expression and its flags.
    Regex(Vec<Part>, String),
    /// `%w[…]`.
    Words(Vec<Vec<u8>>),
    /// `%i[…]`.
    Symbols(Vec<Vec<u8>>),
    /// A name that begins with a small letter or `_`, perhaps with `?` or `!` at its end.
    Ident(String),
    /// A name that begins with a capital letter.
    Const(String),
    /// `@name` or `@@name`, with the signs.
    Instance(String),
    /// `$name`, with the sign.
    Global(String),
    /// `name:` as the key of a hash.
    Label(String),
    /// `"text":` as the key of a hash.
    TextLabel(Vec<Part>),
    /// A reserved word.
    Word(&'static str),
    /// An operator or a bracket.
    Op(&'static str),
    /// The end of a line.
    Newline,
    /// The end of the source.
    End,
}

impl Kind {
    /// Whether the token is a value by itself: a literal or a name.
    pub fn is_value(&self) -> bool {
        matches!(
            self,
            Self::Int(_)
                | Self::Float(_)
                | Self::Str(_)
                | Self::Symbol(_)
                | Self::Regex(..)
                | Self::Words(_)
                | Self::Symbols(_)
                | Self::Ident(_)
                | Self::Const(_)
                | Self::Instance(_)
                | Self::Global(_)
        )
    }
}

/// A token and its surroundings.
#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Where it begins.
    pub at: Place,
    /// Whether white space precedes it.
    pub spaced: bool,
    /// Whether white space or the end of the line follows it.
    pub space_after: bool,
}

impl Token {
    /// Whether a value can end with this token, so that what follows is an operator.
    pub fn ends_value(&self) -> bool {
        match &self.kind {
            kind if kind.is_value() => true,
            Kind::Word(word) => matches!(*word, "end" | "self" | "true" | "false" | "nil"),
            Kind::Op(op) => matches!(*op, ")" | "]" | "}"),
            _ => false,
        }
    }

    /// The token as an error message names it.
    pub fn describe(&self) -> String {
        match &self.kind {
            Kind::Int(n) => format!("number {n}"),
            Kind::Float(n) => format!("number {n}"),
            Kind::Str(_) => "a string".to_owned(),
            Kind::Symbol(_) => "a symbol".to_owned(),
            Kind::Regex(..) => "a regular expression".to_owned(),
            Kind::Words(_) | Kind::Symbols(_) => "a list of words".to_owned(),
            Kind::Ident(name) | Kind::Const(name) | Kind::Instance(name) | Kind::Global(name) => format!("'{name}'"),
            Kind::Label(name) => format!("'{name}:'"),
            Kind::TextLabel(_) => "a label".to_owned(),
            Kind::Word(word) => format!("'{word}'"),
            Kind::Op(op) => format!("'{op}'"),
            Kind::Newline => "the end of the line".to_owned(),
            Kind::End => "the end".to_owned(),
        }
    }
}

/// The reserved words of the language.
pub const WORDS: &[&str] = &[
    "alias", "and", "begin", "break", "case", "class", "def", "defined?", "do", "else", "elsif", "end", "ensure",
    "false", "for", "if", "in", "module", "next", "nil", "not", "or", "redo", "rescue", "retry", "return", "self",
    "super", "then", "true", "undef", "unless", "until", "when", "while", "yield",
];

/// Operators and brackets, longer ones first.
pub const OPERATORS: &[&str] = &[
    "**=", "<=>", "===", "...", "<<=", ">>=", "&&=", "||=", "&.", "**", "==", "!=", ">=", "<=", "&&", "||", "=~", "!~",
    "..", "::", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<", ">>", "=>", "->", "+", "-", "*", "/", "%", "=",
    "<", ">", "!", "&", "|", "^", "~", "?", ":", ",", ".", ";", "(", ")", "[", "]", "{", "}",
];
