//! One filter of the filter language: a name and its arguments.

use super::argument::{Argument, Arguments};
use super::fail;
use crate::error::{Error, Result};
use crate::filter::kinds;
use crate::filter::spec::FilterSpec;
use crate::quote;

/// The length of the longest wrong name for which a similar one is sought, in bytes.
const SIMILAR_BYTES_MAX: usize = 40;

/// One filter as written in the text.
pub(super) struct Simple<'a> {
    /// Its position in the text, in bytes.
    at: usize,
    /// Its length in bytes.
    pub(super) length: usize,
    name: &'a [u8],
    arguments: Vec<Argument>,
}

impl<'a> Simple<'a> {
    /// The filter that begins here. HBase accepts nearly any bytes between the name and the arguments, and between
    /// arguments.
    pub(super) fn extract(text: &'a [u8], at: usize) -> Result<Self> {
        let Some(length) = extent(&text[at..]) else {
            if is_call(&text[at..]) {
                let quotes = text[at..].iter().filter(|byte| **byte == b'\'').count();
                let quote = if quotes % 2 == 1 { "`'` and " } else { "" };
                let expected = format!("{quote}`)`, to close the filter that begins at byte {at}");
                return fail("Incorrect Filter String", text.len(), &expected);
            }
            return fail(
                "Incorrect Filter String",
                at,
                "a filter, or AND, OR, SKIP or WHILE in capitals, and its closing `)`",
            );
        };
        let own = &text[at..at + length];
        let name = match own.iter().position(|b| matches!(b, b'(' | b' ')) {
            Some(end) if end > 0 => &own[..end],
            _ => return fail("Incorrect Filter Name", at, "the name of a filter and then `(`"),
        };
        let Some(open) = own.iter().position(|b| *b == b'(') else {
            return fail("Incorrect argument list", at + name.len(), "`(` and arguments");
        };
        let arguments = arguments(own, open + 1, at)?;
        Ok(Self { at, length, name, arguments })
    }

    /// Builds the filter.
    pub(super) fn filter(self) -> Result<FilterSpec> {
        let Some(parse) = std::str::from_utf8(self.name).ok().and_then(kinds::by_class).and_then(|kind| kind.parse)
        else {
            let name = quote::utf8(self.name).to_string();
            return fail(&format!("Filter Name {name} not supported"), self.at, &suggestion(&name));
        };
        parse(&Arguments(&self.arguments)).map_err(|wrong| {
            let at = match wrong.argument.and_then(|n| self.arguments.get(n)) {
                Some(argument) => argument.at,
                None => self.at,
            };
            let name = quote::utf8(self.name);
            Error::invalid(format!("Incorrect filter string {name}(…) (at byte {at}: {})", wrong.message))
        })
    }
}

/// The suggestion for an unknown name.
fn suggestion(name: &str) -> String {
    let known = || kinds::KINDS.iter().filter(|kind| kind.parse.is_some()).map(|kind| kind.class);
    if let Some(class) = known().find(|class| class.eq_ignore_ascii_case(name)) {
        return format!("{class} (names are case-sensitive)");
    }
    let names = known().collect::<Vec<_>>().join(", ");
    match similar(name, known()) {
        Some(class) => format!("the name of a filter; did you mean {class}? The names are {names}"),
        None => format!("one of {names}"),
    }
}

/// The name that is probably meant by a wrong one.
fn similar(name: &str, mut known: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    // Comparing takes time proportional to the length of the name, which a client may choose.
    if name.len() > SIMILAR_BYTES_MAX {
        return None;
    }
    let short = |class: &str| class.strip_suffix("Filter").is_some_and(|short| short.eq_ignore_ascii_case(name));
    known.find(|class| short(class) || strsim::osa_distance(class, name) <= 2)
}

/// The length up to and including the first `)` outside quotes. Doubled quotes are skipped.
fn extent(text: &[u8]) -> Option<usize> {
    let (mut at, mut inside) = (0, false);
    while let Some(byte) = text.get(at) {
        match byte {
            b'\'' if text.get(at + 1) == Some(&b'\'') => at += 1,
            b'\'' => inside = !inside,
            b')' if !inside => return Some(at + 1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Whether a text begins with a name and `(`.
fn is_call(text: &[u8]) -> bool {
    let name = text.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    name > 0 && text.get(name) == Some(&b'(')
}

fn is_separator(byte: u8) -> bool {
    matches!(byte, b' ' | b',' | b')')
}

/// The arguments from `at` on. Quoted arguments keep their outer quotes, so that they are refused as numbers.
fn arguments(own: &[u8], mut at: usize, base: usize) -> Result<Vec<Argument>> {
    let mut arguments = Vec::new();
    while let Some(byte) = own.get(at) {
        if is_separator(*byte) {
            at += 1;
            continue;
        }
        let begin = at;
        let mut bytes = Vec::new();
        if *byte == b'\'' {
            bytes.push(b'\'');
            at += 1;
            loop {
                match own.get(at) {
                    None => return fail("Incorrect argument list", base + begin, "a closing quote"),
                    Some(b'\'') if own.get(at + 1) == Some(&b'\'') => {
                        bytes.push(b'\'');
                        at += 2;
                    }
                    Some(b'\'') => break,
                    Some(other) => {
                        bytes.push(*other);
                        at += 1;
                    }
                }
            }
            bytes.push(b'\'');
            // Skips the quote and the byte after it, whatever that byte is, as in HBase.
            at += 2;
        } else {
            let length = own[at..].iter().position(|b| is_separator(*b));
            let Some(length) = length else {
                return fail("Incorrect argument list", base + begin, "an argument and then `,` or `)`");
            };
            bytes.extend_from_slice(&own[at..at + length]);
            at += length;
        }
        arguments.push(Argument { at: base + begin, bytes });
    }
    Ok(arguments)
}
