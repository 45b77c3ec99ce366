//! The tables of settings in docs/operations.md.

use std::fmt::Write;

use super::hbase::WITHOUT_EFFECT;
use super::table;
use crate::settings::Setting;

/// A table in Markdown for each section, and one of HBase's keys that do nothing here.
pub fn markdown() -> String {
    let mut out = String::new();
    for section in table::sections() {
        let _ = write!(out, "\n### `[{section}]`\n\n| setting | default, and why | HBase's key |\n|---|---|---|\n");
        for setting in table::ALL.iter().filter(|setting| setting.section_and_key().0 == section) {
            out.push_str(&row(setting));
        }
    }
    out.push_str("\n### HBase's keys without effect\n\n| key | why |\n|---|---|\n");
    let mut reasons: Vec<&str> = Vec::new();
    for (_, why) in WITHOUT_EFFECT {
        if !reasons.contains(why) {
            reasons.push(why);
        }
    }
    for why in reasons {
        let keys = WITHOUT_EFFECT.iter().filter(|(_, reason)| *reason == why).map(|(key, _)| shown(key));
        let _ = writeln!(out, "| {} | {why} |", keys.collect::<Vec<_>>().join(", "));
    }
    out
}

/// A key, or the beginning of several.
fn shown(key: &str) -> String {
    if key.ends_with('.') { format!("`{key}*`") } else { format!("`{key}`") }
}

fn row(setting: &Setting) -> String {
    let (_, key) = setting.section_and_key();
    let flag = setting.flag.map(|flag| format!(", `--{}`", flag.long)).unwrap_or_default();
    let variable = setting.variable.map(|name| format!(", `{name}`")).unwrap_or_default();
    let mark = if setting.reloads { "" } else { " ↻" };
    let hbase: Vec<_> = setting.hbase.iter().map(|key| format!("`{}`", key.name)).collect();
    let default = setting.default_words();
    let says = setting.says.replace('|', "\\|");
    format!("| `{key}`{flag}{variable}{mark}: {says} | {default}: {} | {} |\n", setting.because, hbase.join(", "))
}
