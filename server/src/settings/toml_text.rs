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

/// The elements of a list of strings. `None` if the value is anything else.
pub(crate) fn strings<'a>(value: &'a DeValue<'_>) -> Option<Vec<&'a str>> {
    value.as_array()?.iter().map(|one| one.get_ref().as_str()).collect()
}
