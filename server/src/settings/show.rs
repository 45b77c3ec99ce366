//! `hjall config`: what is in force, for people and for programs.

use std::fmt::Write;

use super::force::{Entry, InForce};
use super::launch::Launch;
use super::setting::Setting;
use super::table;
use super::text::quoted;
use super::value::Value;
use crate::settings::lane_size::Lanes;

/// As a TOML file that could be started with, with each value's origin beside it, and the lanes that come of it.
pub fn toml(force: &InForce, launch: &Launch) -> String {
    let mut out = String::new();
    for section in table::sections() {
        out.push_str(&format!("[{section}]\n"));
        for Entry { setting, value, origin } in of_section(force, section) {
            let (_, key) = setting.section_and_key();
            let line = match value {
                Some(value) => format!("{key} = {value}"),
                None => format!("# {key} ="),
            };
            let words = if value.is_none() { format!(": {}", setting.default_words()) } else { String::new() };
            out.push_str(&format!("{line:<40} # {origin}{words}\n"));
        }
        out.push('\n');
    }
    out.push_str("# What comes of [queues] on this machine, by HBase's arithmetic:\n#\n");
    out.push_str("# lane     handlers  run at once  may wait  queues in HBase\n");
    for (lane, size) in Lanes::of(&launch.config.queues).iter() {
        let (name, waiting) = (lane.name(), size.waiting_max);
        let line =
            format!("# {name:<8} {:>8} {:>12} {waiting:>9} {:>16}\n", size.handlers, size.running_max, size.queues);
        out.push_str(&line);
    }
    out
}

/// As one JSON object: every setting with value, origin and whether it can change while running, and the lanes.
pub fn json(force: &InForce, launch: &Launch) -> String {
    let mut out = String::from("{\n  \"settings\": {\n");
    for (i, Entry { setting, value, origin }) in force.entries().iter().enumerate() {
        let comma = if i + 1 < force.entries().len() { "," } else { "" };
        let value = value.as_ref().map_or_else(|| "null".to_owned(), Value::to_string);
        let (name, origin) = (quoted(setting.name), quoted(&origin.to_string()));
        let _ = writeln!(
            out,
            "    {name}: {{\"value\": {value}, \"from\": {origin}, \"layer\": {}, \"reloads\": {}}}{comma}",
            force.rank(setting.name),
            setting.reloads
        );
    }
    out.push_str("  },\n  \"lanes\": {\n");
    let lanes: Vec<_> = Lanes::of(&launch.config.queues).iter().collect();
    for (i, (lane, size)) in lanes.iter().enumerate() {
        let comma = if i + 1 < lanes.len() { "," } else { "" };
        let _ = writeln!(
            out,
            "    \"{}\": {{\"handlers\": {}, \"run_at_once\": {}, \"may_wait\": {}, \"queues\": {}}}{comma}",
            lane.name(),
            size.handlers,
            size.running_max,
            size.waiting_max,
            size.queues
        );
    }
    out.push_str("  }\n}\n");
    out
}

/// A file to begin with: every setting, explained, and switched off.
pub fn commented() -> String {
    let mut out = String::from(
        "# Settings of hjall. Everything here is commented out and shows the default; take the mark away from what you change.\n\
         # Read by `hjall serve --config FILE`. What stands in hbase-site.xml, in the environment and in flags overrules it.\n\
         # `hjall config --config FILE` shows what is in force and where it comes from.\n",
    );
    for section in table::sections() {
        let _ = write!(out, "\n[{section}]\n");
        for setting in table::ALL.iter().filter(|setting| setting.section_and_key().0 == section) {
            out.push_str(&explained(setting));
        }
    }
    out
}

fn explained(setting: &Setting) -> String {
    let (_, key) = setting.section_and_key();
    let mut out =
        format!("# {}.\n#   Default: {}, because {}.\n", setting.says, setting.default_words(), setting.because);
    let known: Vec<_> = setting.hbase.iter().map(|key| key.name).collect();
    if !known.is_empty() {
        let _ = writeln!(out, "#   HBase: {}", known.join(", "));
    }
    let restart = if setting.reloads { "" } else { " Changes need a restart." };
    let _ = writeln!(out, "#   Must be {}.{restart}", setting.kind);
    let value = setting.default_text().and_then(|text| setting.kind.read(&text));
    let _ = match value {
        Some(value) => writeln!(out, "#{key} = {value}"),
        None => writeln!(out, "#{key} = …"),
    };
    out
}

fn of_section<'a>(force: &'a InForce, section: &'a str) -> impl Iterator<Item = &'a Entry> {
    force.entries().iter().filter(move |entry| entry.setting.section_and_key().0 == section)
}
