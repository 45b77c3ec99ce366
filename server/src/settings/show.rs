//! The output of `hjall config`: the effective settings as TOML and JSON, and a commented template.

use std::fmt::Write;

use super::force::{Entry, InForce};
use super::launch::Launch;
use super::setting::Setting;
use super::table;
use super::text::{quoted, wrapped};
use super::value::Value;
use crate::settings::lane_size::Lanes;

/// The effective settings as a TOML file that `--config` accepts, with the origin of each value and the
/// resulting lanes as comments.
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
    out.push_str("# The lanes that result from [queues] on this machine:\n#\n");
    out.push_str("# lane     handlers  run at once  may wait  queues in HBase\n");
    for (lane, size) in Lanes::of(&launch.config.queues).iter() {
        let (name, waiting) = (lane.name(), size.waiting_max);
        let line =
            format!("# {name:<8} {:>8} {:>12} {waiting:>9} {:>16}\n", size.handlers, size.running_max, size.queues);
        out.push_str(&line);
    }
    out
}

/// The effective settings as one JSON object: for each setting its value, its origin and whether it can be
/// reloaded; then the lanes.
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

/// A template: every setting with its default, explained and commented out.
pub fn commented() -> String {
    let mut out = String::from(
        "# Settings of hjall. Each is commented out and shows its default; uncomment those you change.\n\
         # `hjall serve --config FILE` reads this file. hbase-site.xml, variables and flags override it.\n\
         # `hjall config --config FILE` shows the effective settings and where each comes from.\n",
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
    let mut lines = vec![
        format!("{}.", setting.summary),
        format!("Default: {}{}", setting.default_words(), setting.default_remark()),
        format!("Must be {}.", setting.kind),
    ];
    if !setting.hbase.is_empty() {
        let keys: Vec<_> = setting.hbase.iter().map(|key| key.name).collect();
        lines.push(format!("HBase: {}", keys.join(", ")));
    }
    if !setting.reloads {
        lines.push("A change needs a restart.".to_owned());
    }
    let mut out: String = lines.iter().map(|line| wrapped(line, "# ", "#   ")).collect();
    let value = setting.default_text().and_then(|text| setting.kind.read(&text));
    let _ = match value {
        Some(value) => writeln!(out, "#{key} = {value}"),
        None => writeln!(out, "#{key} = …"),
    };
    out.push_str("#\n");
    out
}

fn of_section<'a>(force: &'a InForce, section: &'a str) -> impl Iterator<Item = &'a Entry> {
    force.entries().iter().filter(move |entry| entry.setting.section_and_key().0 == section)
}
