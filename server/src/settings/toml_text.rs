//! Functions that the readers of TOML files share: those of the settings file and of the users file.

use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

/// The entries in the order of the file.
pub(crate) fn in_order<'a, 'i>(table: &'a DeTable<'i>) -> Vec<(&'a Spanned<DeString<'i>>, &'a Spanned<DeValue<'i>>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

/// The line that contains the byte at `at`, counted from 1.
pub(crate) fn line(text: &str, at: usize) -> usize {
    1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count()
}

/// The reason why a key must not be where it is, if the error of the parser is that the file has the key already. Names
/// the key, and the line of the first one.
pub(crate) fn duplicate(text: &str, error: &toml::de::Error) -> Option<String> {
    let key = text.get(error.span()?).filter(|_| error.message().trim() == "duplicate key")?;
    let second = line(text, error.span()?.start);
    let lines: Vec<&str> = text.lines().take(second).map(str::trim).collect();
    let (own, above) = lines.split_last()?;
    let first = if own.starts_with('[') {
        above.iter().position(|line| line == own)
    } else {
        let has_key = |line: &&str| line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with('='));
        let section = above.iter().rposition(|line| line.starts_with('[')).unwrap_or(0);
        above[section..].iter().position(has_key).map(|found| section + found)
    };
    let first = first.map(|first| format!(", as in line {}", first + 1)).unwrap_or_default();
    Some(format!("duplicate key {key}{first}"))
}

/// The elements of a list of strings. `None` if the value is anything else.
pub(crate) fn strings<'a>(value: &'a DeValue<'_>) -> Option<Vec<&'a str>> {
    value.as_array()?.iter().map(|one| one.get_ref().as_str()).collect()
}
