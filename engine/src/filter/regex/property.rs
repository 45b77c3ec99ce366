//! Properties: `\p{…}` by Java's names, and the classes `\d`, `\s`, `\w`.

use super::parser::Parser;
use super::set::{self, Set};
use super::{CASE_INSENSITIVE, UNICODE_CHARACTER_CLASS};
use crate::error::Result;

/// `\d`
pub(super) fn digit(flags: u32) -> Set {
    if flags & UNICODE_CHARACTER_CLASS != 0 { known("gc=Nd") } else { set::ranges(&[('0', '9')]) }
}

/// `\s`
pub(super) fn space(flags: u32) -> Set {
    if flags & UNICODE_CHARACTER_CLASS != 0 {
        known("White_Space")
    } else {
        set::union(set::ranges(&[('\t', '\r')]), &set::chars(&[' ']))
    }
}

/// `\w`
pub(super) fn word_for(flags: u32) -> Set {
    if flags & UNICODE_CHARACTER_CLASS != 0 {
        word()
    } else {
        set::union(set::ranges(&[('0', '9'), ('A', 'Z'), ('a', 'z')]), &set::chars(&['_']))
    }
}

/// `\w` under UNICODE_CHARACTER_CLASS.
pub(super) fn word() -> Set {
    all(&["Alphabetic", "gc=M", "gc=Nd", "gc=Pc", "Join_Control"])
}

fn known(property: &str) -> Set {
    set::unicode(property).unwrap_or_else(Set::empty)
}

fn all(properties: &[&str]) -> Set {
    properties.iter().fold(Set::empty(), |whole, property| set::union(whole, &known(property)))
}

fn without(mut set: Set, other: &Set) -> Set {
    set.difference(other);
    set
}

impl Parser {
    /// The characters with the property that is named after `\p`.
    pub(super) fn property(&mut self) -> Result<Set> {
        let name: String = match self.take_raw() {
            None => return self.fail("Illegal/unsupported escape sequence"),
            Some('{') => {
                let begin = self.at;
                let mut name = String::new();
                loop {
                    match self.take_raw() {
                        None => return self.fail("Unclosed character family"),
                        Some('}') => break,
                        Some(c) => name.push(c),
                    }
                }
                if name.is_empty() {
                    self.at = begin;
                    return self.fail("Empty character family");
                }
                name
            }
            Some(c) => c.to_string(),
        };
        let any_case = self.has(CASE_INSENSITIVE);
        let found = if let Some((key, value)) = name.split_once('=') {
            match key.to_lowercase().as_str() {
                "sc" | "script" => set::unicode(&format!("sc={value}")),
                "gc" | "general_category" => by_java_name(value, any_case),
                "blk" | "block" => block(value),
                _ => None,
            }
        } else if let Some(name) = name.strip_prefix("In") {
            block(name)
        } else if let Some(name) = name.strip_prefix("Is") {
            by_unicode_name(name, any_case)
                .or_else(|| by_java_name(name, any_case))
                .or_else(|| set::unicode(&format!("sc={name}")))
        } else {
            let posix = if self.has(UNICODE_CHARACTER_CLASS) { by_posix_name(&name, any_case) } else { None };
            posix.or_else(|| by_java_name(&name, any_case))
        };
        match found {
            Some(set) => Ok(set),
            None => self.fail(&format!("Unknown character property name {{{name}}}")),
        }
    }
}

/// The blocks of Java 17: the name in capitals without spaces, hyphens and underscores; the first and the last
/// character in hexadecimal.
const BLOCKS: &str = include_str!("blocks.txt");

/// A Unicode block by its name, in any case and with or without spaces, hyphens and underscores.
fn block(name: &str) -> Option<Set> {
    let plain = name.to_uppercase().replace([' ', '-', '_'], "");
    let plain = match plain.as_str() {
        "GREEKANDCOPTIC" => "GREEK",
        "COMBININGDIACRITICALMARKSFORSYMBOLS" => "COMBININGMARKSFORSYMBOLS",
        "CYRILLICSUPPLEMENT" => "CYRILLICSUPPLEMENTARY",
        other => other,
    };
    BLOCKS.lines().find_map(|line| {
        let (first, last) = line.strip_prefix(plain)?.strip_prefix(' ')?.split_once(' ')?;
        let point = |hex| u32::from_str_radix(hex, 16).ok().and_then(char::from_u32);
        // A text contains no surrogates, so their blocks are empty.
        Some(point(first).zip(point(last)).map_or_else(Set::empty, |bounds| set::ranges(&[bounds])))
    })
}

/// Names that Java accepts after `Is`, in any case.
fn by_unicode_name(name: &str, any_case: bool) -> Option<Set> {
    let plain = name.to_uppercase();
    Some(match plain.as_str() {
        "ALPHABETIC" => known("Alphabetic"),
        "LETTER" => known("gc=L"),
        "IDEOGRAPHIC" => known("Ideographic"),
        "LOWERCASE" | "UPPERCASE" | "TITLECASE" if any_case => all(&["Lowercase", "Uppercase", "gc=Lt"]),
        "LOWERCASE" => known("Lowercase"),
        "UPPERCASE" => known("Uppercase"),
        "TITLECASE" => known("gc=Lt"),
        "WHITE_SPACE" | "WHITESPACE" => known("White_Space"),
        "CONTROL" => known("gc=Cc"),
        "PUNCTUATION" => known("gc=P"),
        "HEX_DIGIT" | "HEXDIGIT" => all(&["gc=Nd", "Hex_Digit"]),
        "ASSIGNED" => set::inverted(known("gc=Cn")),
        "NONCHARACTER_CODE_POINT" | "NONCHARACTERCODEPOINT" => known("Noncharacter_Code_Point"),
        "DIGIT" => known("gc=Nd"),
        "WORD" => word(),
        "JOIN_CONTROL" | "JOINCONTROL" => known("Join_Control"),
        _ => return by_posix_name(name, any_case),
    })
}

/// POSIX names with Unicode's meaning, in any case.
fn by_posix_name(name: &str, any_case: bool) -> Option<Set> {
    let graph = || set::inverted(all(&["gc=Zs", "gc=Zl", "gc=Zp", "gc=Cc", "gc=Cn"]));
    let blank = || set::union(known("gc=Zs"), &set::chars(&['\t']));
    Some(match name.to_uppercase().as_str() {
        "ALPHA" => known("Alphabetic"),
        "LOWER" | "UPPER" if any_case => all(&["Lowercase", "Uppercase", "gc=Lt"]),
        "LOWER" => known("Lowercase"),
        "UPPER" => known("Uppercase"),
        "SPACE" => known("White_Space"),
        "PUNCT" => known("gc=P"),
        "XDIGIT" => all(&["gc=Nd", "Hex_Digit"]),
        "ALNUM" => all(&["Alphabetic", "gc=Nd"]),
        "CNTRL" => known("gc=Cc"),
        "DIGIT" => known("gc=Nd"),
        "BLANK" => blank(),
        "GRAPH" => graph(),
        "PRINT" => without(set::union(graph(), &blank()), &known("gc=Cc")),
        _ => return None,
    })
}

/// General categories, POSIX names with ASCII's meaning, and Java's own.
fn by_java_name(name: &str, any_case: bool) -> Option<Set> {
    let punct = || set::ranges(&[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')]);
    let alnum = || set::ranges(&[('0', '9'), ('A', 'Z'), ('a', 'z')]);
    Some(match name {
        "Lu" | "Ll" | "Lt" if any_case => all(&["gc=Lu", "gc=Ll", "gc=Lt"]),
        "Cn" | "Lu" | "Ll" | "Lt" | "Lm" | "Lo" | "Mn" | "Me" | "Mc" | "Nd" | "Nl" | "No" | "Zs" | "Zl" | "Zp"
        | "Cc" | "Cf" | "Co" | "Pd" | "Ps" | "Pe" | "Pc" | "Po" | "Sm" | "Sc" | "Sk" | "So" | "Pi" | "Pf" | "L"
        | "M" | "N" | "Z" | "C" | "P" | "S" => known(&format!("gc={name}")),
        // Halves of surrogate pairs, which a text cannot contain.
        "Cs" => Set::empty(),
        "LC" => all(&["gc=Lu", "gc=Ll", "gc=Lt"]),
        "LD" => all(&["gc=L", "gc=Nd"]),
        "L1" => set::ranges(&[('\0', '\u{ff}')]),
        "all" => set::ranges(&[('\0', char::MAX)]),
        "ASCII" => set::ranges(&[('\0', '\x7f')]),
        "Alnum" => alnum(),
        "Alpha" => set::ranges(&[('A', 'Z'), ('a', 'z')]),
        "Blank" => set::chars(&[' ', '\t']),
        "Cntrl" => set::ranges(&[('\0', '\x1f'), ('\x7f', '\x7f')]),
        "Digit" => set::ranges(&[('0', '9')]),
        "Graph" => set::ranges(&[('!', '~')]),
        "Lower" | "Upper" if any_case => set::ranges(&[('A', 'Z'), ('a', 'z')]),
        "Lower" => set::ranges(&[('a', 'z')]),
        "Upper" => set::ranges(&[('A', 'Z')]),
        "Print" => set::ranges(&[(' ', '~')]),
        "Punct" => punct(),
        "Space" => set::union(set::ranges(&[('\t', '\r')]), &set::chars(&[' '])),
        "XDigit" => set::ranges(&[('0', '9'), ('A', 'F'), ('a', 'f')]),
        "javaLowerCase" | "javaUpperCase" | "javaTitleCase" if any_case => all(&["Lowercase", "Uppercase", "gc=Lt"]),
        "javaLowerCase" => known("Lowercase"),
        "javaUpperCase" => known("Uppercase"),
        "javaTitleCase" => known("gc=Lt"),
        "javaAlphabetic" => known("Alphabetic"),
        "javaIdeographic" => known("Ideographic"),
        "javaDigit" => known("gc=Nd"),
        "javaDefined" => set::inverted(known("gc=Cn")),
        "javaLetter" => known("gc=L"),
        "javaLetterOrDigit" => all(&["gc=L", "gc=Nd"]),
        "javaSpaceChar" => known("gc=Z"),
        "javaWhitespace" => {
            let spaces = without(known("gc=Z"), &set::chars(&['\u{a0}', '\u{2007}', '\u{202f}']));
            set::union(spaces, &set::ranges(&[('\t', '\r'), ('\x1c', '\x1f')]))
        }
        "javaISOControl" => known("gc=Cc"),
        "javaMirrored" => known("Bidi_Mirrored"),
        _ => return None,
    })
}
