//! The formats of `Array#pack` and `String#unpack`.

/// One directive of a format: `N`, `Q>`, `C*`, `a10`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Directive {
    /// The letter.
    pub code: u8,
    /// Whether the most significant byte comes first.
    pub big_endian: bool,
    /// The number of values or bytes; `None`: all.
    pub count: Option<usize>,
}

impl Directive {
    /// The number of values or bytes, `usize::MAX` for all.
    pub fn limit(self) -> usize {
        self.count.unwrap_or(usize::MAX)
    }
}

/// The directives of a format. White space is skipped.
pub fn directives(format: &[u8]) -> impl Iterator<Item = Directive> {
    let mut rest = format;
    std::iter::from_fn(move || {
        loop {
            let (&code, mut after) = rest.split_first()?;
            let big_endian = take(&mut after, b'>');
            let digits = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let (number, mut after) = after.split_at(digits);
            let all = take(&mut after, b'*');
            rest = after;
            if code.is_ascii_whitespace() {
                continue;
            }
            let number = std::str::from_utf8(number).ok().and_then(|number| number.parse().ok()).unwrap_or(1);
            let big_endian = big_endian || matches!(code, b'n' | b'N');
            return Some(Directive { code, big_endian, count: (!all).then_some(number) });
        }
    })
}

fn take(rest: &mut &[u8], wanted: u8) -> bool {
    match rest.split_first() {
        Some((&first, after)) if first == wanted => {
            *rest = after;
            true
        }
        _ => false,
    }
}
