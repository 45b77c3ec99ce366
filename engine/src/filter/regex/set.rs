//! Sets of characters, as explicit ranges.

use std::fmt::Write;

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

/// A set of characters.
pub(super) type Set = ClassUnicode;

/// The characters of these ranges.
pub(super) fn ranges(ranges: &[(char, char)]) -> Set {
    Set::new(ranges.iter().map(|(first, last)| ClassUnicodeRange::new(*first, *last)))
}

/// The set of these characters.
pub(super) fn chars(chars: &[char]) -> Set {
    Set::new(chars.iter().map(|c| ClassUnicodeRange::new(*c, *c)))
}

/// All characters that are not in the set.
pub(super) fn inverted(mut set: Set) -> Set {
    set.negate();
    set
}

/// The characters of both sets.
pub(super) fn union(mut a: Set, b: &Set) -> Set {
    a.union(b);
    a
}

/// Whether the set contains a character.
pub(super) fn contains(set: &Set, c: char) -> bool {
    set.ranges()
        .binary_search_by(|range| {
            if range.end() < c {
                std::cmp::Ordering::Less
            } else if range.start() > c {
                std::cmp::Ordering::Greater
            } else {
                std::cmp::Ordering::Equal
            }
        })
        .is_ok()
}

/// The characters with a property, from the tables of regex-syntax: `gc=Lu`, `sc=Greek`, `Alphabetic`.
pub(super) fn unicode(property: &str) -> Option<Set> {
    if !property.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '=' | '_' | '-' | ' ')) {
        return None;
    }
    let hir = regex_syntax::Parser::new().parse(&format!(r"\p{{{property}}}")).ok()?;
    match hir.into_kind() {
        HirKind::Class(Class::Unicode(set)) => Some(set),
        // regex-syntax turns a property that only one character has into a literal.
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).ok()?;
            Some(chars(&text.chars().collect::<Vec<_>>()))
        }
        _ => None,
    }
}

/// The set as a pattern for fancy-regex. It matches one character, and a quantifier may follow it.
pub(super) fn write(set: &Set) -> String {
    match set.ranges() {
        // The empty set. A look-ahead would not match either, but takes no quantifier.
        [] => r"[^\x{0}-\x{10ffff}]".to_owned(),
        [range] if range.start() == range.end() => literal(range.start()),
        [range] if range.start() == '\0' && range.end() == char::MAX => "(?s:.)".to_owned(),
        ranges => {
            let mut text = String::from("[");
            for range in ranges {
                let (first, last) = (u32::from(range.start()), u32::from(range.end()));
                let _ = write!(text, r"\x{{{first:x}}}");
                if first != last {
                    let _ = write!(text, r"-\x{{{last:x}}}");
                }
            }
            text.push(']');
            text
        }
    }
}

/// A character that stands for itself.
pub(super) fn literal(c: char) -> String {
    if c.is_ascii_alphanumeric() { c.to_string() } else { format!(r"\x{{{:x}}}", u32::from(c)) }
}
