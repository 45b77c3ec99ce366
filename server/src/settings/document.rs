//! The table of settings in docs/operations.md.

use std::fmt::Write;

use super::table;
use crate::settings::Setting;

/// A table in Markdown for each section.
pub fn markdown() -> String {
    let mut out = String::new();
    for section in table::sections() {
        let _ = write!(out, "\n### `[{section}]`\n\n| setting | default, and why | HBase's key |\n|---|---|---|\n");
        for setting in table::ALL.iter().filter(|setting| setting.section_and_key().0 == section) {
            out.push_str(&row(setting));
        }
    }
    out
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
