//! Line starts and ends, word boundaries, and the special characters `.`, `\R` and `\X`.

use super::parser::Parser;
use super::set::{self, Set};
use super::{DOTALL, MULTILINE, UNICODE_CHARACTER_CLASS, UNIX_LINES};

/// Line terminators for `.`, `^` and `$`.
const TERMINATORS: &str = r"\n\r\x{85}\x{2028}\x{2029}";

impl Parser {
    /// `.`
    pub(super) fn dot(&self) -> String {
        if self.has(DOTALL) {
            "(?s:.)".to_owned()
        } else if self.has(UNIX_LINES) {
            r"[^\n]".to_owned()
        } else {
            format!("[^{TERMINATORS}]")
        }
    }

    /// `^`. With MULTILINE it matches at every line start, but not at the end of the text, even if the text is empty.
    pub(super) fn line_start(&self) -> String {
        match (self.has(MULTILINE), self.has(UNIX_LINES)) {
            (false, _) => r"\A".to_owned(),
            (true, true) => r"(?:(?:\A|(?<=\n))(?!\z))".to_owned(),
            (true, false) => r"(?:(?:\A|(?<=[\n\x{85}\x{2028}\x{2029}])|(?<=\r)(?!\n))(?!\z))".to_owned(),
        }
    }

    /// `$` and `\Z`: at the end of the text and before a final line terminator; with `every_line`, before every line
    /// terminator. Never inside `\r\n`.
    pub(super) fn line_end(&self, every_line: bool) -> String {
        match (every_line, self.has(UNIX_LINES)) {
            (true, true) => r"(?=\n|\z)".to_owned(),
            (false, true) => r"(?=\n?\z)".to_owned(),
            (true, false) => format!(r"(?:(?![\n])(?=[{TERMINATORS}]|\z)|(?<!\r)(?=\n))"),
            (false, false) => r"(?:(?=(?:\r\n|[\r\x{85}\x{2028}\x{2029}])?\z)|(?<!\r)(?=\n\z))".to_owned(),
        }
    }

    /// `\b`, or `\B` if inverted. By default words consist of Unicode's letters, digits and non-spacing marks, and
    /// `_`, although `\w` is ASCII.
    pub(super) fn word_boundary(&self, inverted: bool) -> String {
        let word = if self.has(UNICODE_CHARACTER_CLASS) {
            super::property::word()
        } else {
            let parts = ["gc=L", "gc=Nd", "gc=Mn"];
            parts
                .iter()
                .filter_map(|part| set::unicode(part))
                .fold(set::chars(&['_']), |all, part| set::union(all, &part))
        };
        let word = set::write(&word);
        if inverted {
            format!("(?:(?<={word})(?={word})|(?<!{word})(?!{word}))")
        } else {
            format!("(?:(?<={word})(?!{word})|(?<!{word})(?={word}))")
        }
    }
}

/// `\v`
pub(super) fn vertical() -> Set {
    set::chars(&['\n', '\x0b', '\x0c', '\r', '\u{85}', '\u{2028}', '\u{2029}'])
}

/// `\h`
pub(super) fn horizontal() -> Set {
    let spaces = set::ranges(&[('\u{2000}', '\u{200a}')]);
    set::union(spaces, &set::chars(&[' ', '\t', '\u{a0}', '\u{1680}', '\u{180e}', '\u{202f}', '\u{205f}', '\u{3000}']))
}

/// `\R`: tries `\r\n` first, but may backtrack to `\r` alone.
pub(super) const LINE_BREAK: &str = r"(?:\r\n|[\n\x0b\x0c\r\x{85}\x{2028}\x{2029}])";

/// `\X`: an extended grapheme cluster by Unicode's rules. It never matches a part of one.
pub(super) fn grapheme() -> String {
    let set = |value: &str| match set::unicode(&format!("gcb={value}")) {
        Some(set) => set::write(&set),
        None => set::write(&Set::empty()),
    };
    let (control, prepend, regional) = (set("Control"), set("Prepend"), set("Regional_Indicator"));
    let (l, v, t, lv, lvt) = (set("L"), set("V"), set("T"), set("LV"), set("LVT"));
    let (extend, joiner, spacing) = (set("Extend"), set("ZWJ"), set("SpacingMark"));
    let picture = set::unicode("Extended_Pictographic").map_or_else(|| set::write(&Set::empty()), |s| set::write(&s));
    let hangul = format!("(?:{l}*(?:{v}+|{lv}{v}*|{lvt}){t}*|{l}+|{t}+)");
    let core = format!(
        "(?:{hangul}|{regional}{regional}|{picture}(?:{extend}*{joiner}{picture})*|(?!{control}|[\\r\\n])(?s:.))"
    );
    let after = format!("(?:{extend}|{joiner}|{spacing})*");
    format!("(?>\\r\\n|{control}|[\\r\\n]|{prepend}*{core}{after}|{prepend}+{after}|(?s:.))")
}
