//! The reference of settings in docs/operations.md.

use std::fmt::Write;

use super::hbase::{self, WITHOUT_EFFECT};
use super::table;
use super::text::wrapped;
use crate::settings::Setting;

/// The reference in Markdown: the settings by section, then HBase's keys that have no effect.
pub fn markdown() -> String {
    let mut out = String::new();
    for section in table::sections() {
        let _ = write!(out, "\n### `[{section}]`\n\n");
        for setting in table::ALL.iter().filter(|setting| setting.section_and_key().0 == section) {
            out.push_str(&item(setting));
        }
    }
    out.push_str("\n### HBase's keys without effect\n\n");
    let mut reasons: Vec<&str> = Vec::new();
    for (_, reason) in WITHOUT_EFFECT {
        if !reasons.contains(reason) {
            reasons.push(reason);
        }
    }
    for reason in reasons {
        let keys = WITHOUT_EFFECT.iter().filter(|(_, other)| *other == reason).map(|(key, _)| code(key));
        out.push_str(&wrapped(&format!("{}: {reason}", keys.collect::<Vec<_>>().join(", ")), "- ", "  "));
    }
    out
}

/// A key, or a prefix of keys followed by an asterisk and the keys with this prefix that have an effect.
fn code(key: &str) -> String {
    if !key.ends_with('.') {
        return format!("`{key}`");
    }
    let others: Vec<_> =
        hbase::with_effect().filter(|other| other.starts_with(key)).map(|other| format!("`{other}`")).collect();
    match others.split_last() {
        None => format!("`{key}*`"),
        Some((last, [])) => format!("`{key}*` (except {last})"),
        Some((last, first)) => format!("`{key}*` (except {} and {last})", first.join(", ")),
    }
}

/// A setting as a list item, with a nested list of its flag, variable, default, reason and HBase keys.
fn item(setting: &Setting) -> String {
    let mut out = wrapped(&format!("**`{}`**: {}.", setting.name, setting.summary), "- ", "  ");
    let mut field = |name: &str, text: &str| out.push_str(&wrapped(&format!("{name}: {text}"), "  - ", "    "));
    if let Some(flag) = setting.flag {
        let value = if flag.value.is_empty() { String::new() } else { format!(" {}", flag.value) };
        field("Flag", &format!("`--{}{value}`", flag.long));
    }
    let variables: Vec<_> = setting.variables().map(|name| format!("`{name}`")).collect();
    field("Variable", &variables.join(" or "));
    if setting.kind.is_limited() {
        field("Values", &setting.kind.to_string());
    }
    let hbase = if setting.as_in_hbase { ", as in HBase" } else { "" };
    field("Default", &format!("{}{hbase}", setting.default_words()));
    if !setting.reason.is_empty() {
        field("Reason", &format!("{}.", setting.reason));
    }
    if !setting.hbase.is_empty() {
        let keys: Vec<_> = setting.hbase.iter().map(|key| format!("`{}`", key.name)).collect();
        field("HBase", &keys.join(", "));
    }
    if !setting.reloads {
        field("Change", "needs a restart ↻");
    }
    out
}
