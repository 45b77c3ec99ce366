//! From source to tokens. Whether `/`, `%`, `?` and `<<` begin a literal depends on the token before them and on
//! spaces, as in Ruby.

use num_bigint::BigInt;

use super::literals;
use super::token::{Kind, OPERATORS, Part, Place, SyntaxError, Token, WORDS};

/// How deep `#{…}` may be nested.
const NESTING_MAX: usize = 16;

type Result<T> = std::result::Result<T, SyntaxError>;

/// Reads tokens from a source.
pub struct Lexer<'a> {
    pub(super) source: &'a [u8],
    pub(super) at: usize,
    pub(super) place: Place,
    nesting: usize,
    tokens: Vec<Token>,
    /// Open braces, to find the end of `#{…}`.
    braces: usize,
    /// All open brackets, for the prompt.
    open: usize,
    /// Here-documents whose text begins on the next line: index of the token, the end mark, options.
    pending: Vec<(usize, Vec<u8>, Heredoc)>,
}

#[derive(Clone, Copy)]
struct Heredoc {
    raw: bool,
    dash: bool,
    squiggly: bool,
}

/// What has been read of a source that grows.
#[derive(Default)]
pub struct Progress {
    at: usize,
    place: Option<Place>,
    tokens: Vec<Token>,
    braces: usize,
    open: usize,
    pending: Vec<(usize, Vec<u8>, Heredoc)>,
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
/// `Incomplete` in the middle of a token, `Wrong` for what is no token.
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

    pub(super) fn peek(&self, ahead: usize) -> Option<u8> {
        self.source.get(self.at + ahead).copied()
    }

    pub(super) fn bump(&mut self) -> Option<u8> {
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

    pub(super) fn incomplete(&self, quote: Option<char>) -> SyntaxError {
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
            b'/' if self.begins_literal(spaced) => {
                self.bump();
                let parts = literals::parts(self, None, b'/', literals::Escapes::Regex)?;
                let mut flags = String::new();
                while let Some(flag @ b'a'..=b'z') = self.peek(0) {
                    flags.push(char::from(flag));
                    self.bump();
                }
                self.push(Kind::Regex(parts, flags), at, spaced);
                Ok(())
            }
            b'%' if self.begins_literal(spaced) && self.percent(at, spaced)? => Ok(()),
            b'?' if self.is_character(spaced) => {
                self.bump();
                let mut bytes = Vec::new();
                if self.peek(0) == Some(b'\\') {
                    self.bump();
                    literals::escape(self, &mut bytes, Some('\''))?;
                } else if let Some(byte) = self.bump() {
                    bytes.push(byte);
                    while self.peek(0).is_some_and(|byte| (0x80..0xC0).contains(&byte)) {
                        bytes.extend(self.bump());
                    }
                }
                self.push(Kind::Str(vec![Part::Bytes(bytes)]), at, spaced);
                Ok(())
            }
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

    /// Whether `?` here begins a character literal such as `?a`.
    fn is_character(&self, spaced: bool) -> bool {
        let last = self.tokens.last();
        let operand = last.is_none_or(|last| !last.ends_value() || (matches!(last.kind, Kind::Ident(_)) && spaced));
        let Some(next) = self.peek(1) else { return false };
        let after = self.peek(if next == b'\\' { 3 } else { 2 });
        let alone = !after.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        operand && !next.is_ascii_whitespace() && (alone || next >= 0x80)
    }

    fn number(&mut self, at: Place) -> Result<Kind> {
        let wrong = |message: &str| SyntaxError::new(at, message);
        let mut digits = String::new();
        let radix = match (self.peek(0), self.peek(1)) {
            (Some(b'0'), Some(b'x' | b'X')) => 16,
            (Some(b'0'), Some(b'b' | b'B')) => 2,
            (Some(b'0'), Some(b'o' | b'O')) => 8,
            (Some(b'0'), Some(b'0'..=b'9' | b'_')) => 7,
            _ => 10,
        };
        if matches!(radix, 2 | 8 | 16) {
            self.skip(2);
        }
        let radix = if radix == 7 { 8 } else { radix };
        let mut is_float = false;
        while let Some(byte) = self.peek(0) {
            match byte {
                b'_' if self.peek(1).is_some_and(|next| next.is_ascii_hexdigit()) => {}
                b'.' if radix == 10 && !is_float && self.peek(1).is_some_and(|next| next.is_ascii_digit()) => {
                    is_float = true;
                    digits.push('.');
                }
                b'e' | b'E' if radix == 10 => {
                    let sign = matches!(self.peek(1), Some(b'+' | b'-'));
                    if !self.peek(1 + usize::from(sign)).is_some_and(|next| next.is_ascii_digit()) {
                        return Err(wrong("a number is followed by a letter"));
                    }
                    is_float = true;
                    digits.push('e');
                    if sign {
                        self.bump();
                        digits.extend(self.peek(0).map(char::from));
                    }
                }
                _ if byte.is_ascii_alphanumeric() => digits.push(char::from(byte)),
                _ => break,
            }
            self.bump();
            if digits.len() > 10_000 {
                return Err(wrong("a number has more than 10000 digits"));
            }
        }
        if is_float {
            return digits.parse().map(Kind::Float).map_err(|_| wrong("not a number"));
        }
        BigInt::parse_bytes(digits.as_bytes(), radix)
            .map(Kind::Int)
            .ok_or_else(|| wrong("a number has a digit that it cannot have"))
    }

    fn name(&mut self, at: Place, spaced: bool) {
        let begin = self.at;
        while self.peek(0).is_some_and(is_name_byte) {
            self.bump();
        }
        let after_dot = self.tokens.last().is_some_and(|last| matches!(last.kind, Kind::Op("." | "&.")));
        // `a?b` is a call of `a?`; `a != b` is not one of `a!`.
        if matches!(self.peek(0), Some(b'?' | b'!')) && self.peek(1) != Some(b'=') {
            let colon = self.peek(0) == Some(b'?') && self.peek(1) == Some(b':') && self.peek(2) == Some(b':');
            if !colon {
                self.bump();
            }
        }
        let source = self.source;
        let text = String::from_utf8_lossy(&source[begin..self.at]).into_owned();
        let is_label = self.peek(0) == Some(b':')
            && self.peek(1) != Some(b':')
            && !after_dot
            && !self.tokens.last().is_some_and(|last| matches!(last.kind, Kind::Op("?")) && !spaced);
        // In `a ? b : c` the colon is spaced.
        if is_label && !self.is_ternary_colon() {
            self.bump();
            self.push(Kind::Label(text), at, spaced);
            return;
        }
        let after_def = self.tokens.last().is_some_and(|last| matches!(last.kind, Kind::Word("def")));
        let word = WORDS.iter().find(|word| **word == text).filter(|_| !after_dot && !after_def);
        let kind = match word {
            Some(word) => Kind::Word(word),
            None if text.starts_with(|first: char| first.is_uppercase()) => Kind::Const(text),
            None => Kind::Ident(text),
        };
        self.push(kind, at, spaced);
    }

    /// Whether the name before a colon is the middle of `a ? b :c`.
    fn is_ternary_colon(&self) -> bool {
        let on_line = self.tokens.iter().rev().take_while(|token| token.kind != Kind::Newline);
        let mut depth = 0_usize;
        for token in on_line.take(64) {
            match token.kind {
                Kind::Op(")" | "]" | "}") => depth += 1,
                Kind::Op("(" | "[" | "{") if depth == 0 => return false,
                Kind::Op("(" | "[" | "{") => depth -= 1,
                Kind::Op(",") if depth == 0 => return false,
                Kind::Op("?") if depth == 0 => return true,
                _ => {}
            }
        }
        false
    }

    fn quoted(&mut self, quote: u8, at: Place, spaced: bool) -> Result<()> {
        if quote == b'`' {
            return Err(SyntaxError::new(at, "commands of the operating system are not part of this shell"));
        }
        self.bump();
        let escapes = if quote == b'\'' { literals::Escapes::Single } else { literals::Escapes::Double };
        let parts = literals::parts(self, None, quote, escapes)?;
        let key = self.peek(0) == Some(b':') && self.peek(1) != Some(b':');
        let in_list =
            self.tokens.last().is_some_and(|last| matches!(last.kind, Kind::Op("{" | "," | "(") | Kind::Newline));
        if key && in_list && !self.is_ternary_colon() {
            self.bump();
            self.push(Kind::TextLabel(parts), at, spaced);
        } else {
            self.push(Kind::Str(parts), at, spaced);
        }
        Ok(())
    }

    fn sigil(&mut self, sign: u8, at: Place, spaced: bool) -> Result<()> {
        let begin = self.at;
        self.bump();
        if sign == b'@' && self.peek(0) == Some(b'@') {
            self.bump();
        }
        let named = self.at;
        while self.peek(0).is_some_and(is_name_byte) {
            self.bump();
        }
        if self.at == named && sign == b'$' {
            // `$!`, `$0` and the like.
            self.bump();
        }
        if self.at == named {
            return Err(SyntaxError::new(at, "a name must follow this sign"));
        }
        let source = self.source;
        let text = String::from_utf8_lossy(&source[begin..self.at]).into_owned();
        self.push(if sign == b'@' { Kind::Instance(text) } else { Kind::Global(text) }, at, spaced);
        Ok(())
    }

    fn colon(&mut self, at: Place, spaced: bool) -> Result<()> {
        match self.peek(1) {
            Some(b':') => self.operator(at, spaced),
            Some(quote @ (b'"' | b'\'')) => {
                self.skip(2);
                let escapes = if quote == b'"' { literals::Escapes::Double } else { literals::Escapes::Single };
                let parts = literals::parts(self, None, quote, escapes)?;
                self.push(Kind::Symbol(parts), at, spaced);
                Ok(())
            }
            Some(next) if is_name_byte(next) && !next.is_ascii_digit() => {
                self.bump();
                let begin = self.at;
                while self.peek(0).is_some_and(is_name_byte) {
                    self.bump();
                }
                if matches!(self.peek(0), Some(b'?' | b'!')) && self.peek(1) != Some(b'=') {
                    self.bump();
                }
                let source = self.source;
                let name = source[begin..self.at].to_vec();
                self.push(Kind::Symbol(vec![Part::Bytes(name)]), at, spaced);
                Ok(())
            }
            Some(_) => {
                let rest = &self.source[self.at + 1..];
                let is_value = self.tokens.last().is_some_and(Token::ends_value);
                let named = [
                    "[]=", "[]", "<=>", "===", "==", "=~", "**", "+", "-", "*", "/", "%", "<<", ">>", "<=", ">=", "<",
                    ">", "!",
                ];
                match named.iter().find(|name| rest.starts_with(name.as_bytes())).filter(|_| !is_value) {
                    Some(name) => {
                        self.skip(1 + name.len());
                        self.push(Kind::Symbol(vec![Part::Bytes(name.as_bytes().to_vec())]), at, spaced);
                        Ok(())
                    }
                    None => self.operator(at, spaced),
                }
            }
            None => self.operator(at, spaced),
        }
    }

    /// Reads `%w[…]` and its relatives. Returns false if this is not one.
    fn percent(&mut self, at: Place, spaced: bool) -> Result<bool> {
        let (kind, skip) = match (self.peek(1), self.peek(2)) {
            (Some(kind @ (b'w' | b'W' | b'i' | b'I' | b'q' | b'Q' | b'r' | b's')), Some(open))
                if open.is_ascii_punctuation() =>
            {
                (kind, 3)
            }
            (Some(b'(' | b'[' | b'{' | b'<' | b'|' | b'!'), _) => (b'Q', 2),
            _ => return Ok(false),
        };
        let open = self.peek(skip - 1).unwrap_or(b'(');
        self.skip(skip);
        let close = match open {
            b'(' => b')',
            b'[' => b']',
            b'{' => b'}',
            b'<' => b'>',
            other => other,
        };
        let nested = (open != close).then_some(open);
        let token = match kind {
            b'w' | b'W' | b'i' | b'I' => {
                let words = literals::words(self, nested, close)?;
                if matches!(kind, b'w' | b'W') { Kind::Words(words) } else { Kind::Symbols(words) }
            }
            b'q' => Kind::Str(literals::parts(self, nested, close, literals::Escapes::Single)?),
            b's' => Kind::Symbol(literals::parts(self, nested, close, literals::Escapes::Single)?),
            b'r' => Kind::Regex(literals::parts(self, nested, close, literals::Escapes::Regex)?, String::new()),
            _ => Kind::Str(literals::parts(self, nested, close, literals::Escapes::Double)?),
        };
        self.push(token, at, spaced);
        Ok(true)
    }

    /// Reads `<<~END`, `<<-END` or `<<END`, whose text follows on the next lines. Returns whether this is one.
    fn heredoc(&mut self, at: Place, spaced: bool) -> bool {
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
        self.pending.push((self.tokens.len() - 1, name, Heredoc { raw: quote == Some(b'\''), dash, squiggly }));
        true
    }

    /// Reads the texts of the here-documents that this line announced.
    fn read_heredocs(&mut self) -> Result<()> {
        for (token, mark, kind) in std::mem::take(&mut self.pending) {
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
                let text = if kind.dash || kind.squiggly { text.trim_ascii_start() } else { text };
                if text == mark {
                    break;
                }
                if !ended {
                    return Err(self.incomplete(Some('"')));
                }
                lines.push(line);
            }
            if kind.squiggly {
                literals::dedent(&mut lines);
            }
            let text = lines.concat();
            let parts = if kind.raw {
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
    pub(super) fn interpolated(&mut self) -> Result<Vec<Token>> {
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

/// Whether a byte can be in a name.
pub fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}
