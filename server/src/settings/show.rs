//! The output of `hjall config`: the effective settings as TOML and JSON with the lanes and the memory that result from
//! them, and a commented template.

use std::fmt::Write;

use hjall_engine::Options;

use super::effective::{Effective, Entry};
use super::setting::Setting;
use super::startup::{self, StartupOptions, Unused};
use super::table;
use super::text::{quoted, wrapped};
use crate::settings::lane_size::Lanes;

/// The effective settings as a TOML file that `--config` accepts. Comments show the origin of each value, the values
/// that are derived from other settings or from the machine, the resulting lanes, and the memory that can be used.
pub fn toml(effective: &Effective, startup: &StartupOptions) -> String {
    let unused = startup::unused(effective);
    let mut out = String::new();
    for section in table::sections() {
        out.push_str(&format!("[{section}]\n"));
        for Entry { setting, value, origin } in of_section(effective, section) {
            let (_, key) = setting.section_and_key();
            // A derived value is commented out, so that it does not become fixed when the output is used as a file.
            let line = match (value, (setting.effective)(startup)) {
                (Some(value), _) => format!("{key} = {value}"),
                (None, Some(derived)) => format!("# {key} = {derived}"),
                (None, None) => format!("# {key} ="),
            };
            let mut words = if value.is_none() { format!(": {}", setting.default_words()) } else { String::new() };
            if let Some(Unused { by, .. }) = unused.iter().find(|unused| unused.name == setting.name) {
                words.push_str(&format!("; not used, since {by} is set"));
            }
            out.push_str(&format!("{line:<40} # {origin}{words}\n"));
        }
        out.push('\n');
    }
    out.push_str("# The lanes that result from [queues] on this machine:\n#\n");
    out.push_str("# lane     handlers  run at once  may wait  queues in HBase\n");
    for (lane, size) in Lanes::of(&startup.config.queues).iter() {
        let (name, waiting) = (lane.name(), size.waiting_max);
        let line =
            format!("# {name:<8} {:>8} {:>12} {waiting:>9} {:>16}\n", size.handlers, size.running_max, size.queues);
        out.push_str(&line);
    }
    out.push_str("\n# The memory that these settings allow. The process itself takes some 16 MiB.\n#\n");
    let memory = memory(startup);
    for Memory { name, bytes, setting } in &memory {
        let _ = writeln!(out, "# {name:<22} {:>12}   {setting}", of_mib(*bytes));
    }
    let _ = writeln!(out, "# {:<22} {:>12}", "total", of_mib(total(&memory)));
    if let Some(machine) = Options::machine_memory() {
        let limit = "the memory of the machine or of the control group";
        let _ = writeln!(out, "# {:<22} {:>12}   {limit}", "machine", of_mib(machine));
    }
    if let Some(line) = exceeded_memory(startup) {
        out.push_str(&wrapped(&format!("Warning: {line}."), "# ", "# "));
    }
    out
}

/// A size in MiB, rounded up, so that the sizes of a table have one unit.
fn of_mib(bytes: u64) -> String {
    format!("{}MiB", bytes.div_ceil(1 << 20))
}

fn total(memory: &[Memory]) -> u64 {
    memory.iter().fold(0, |all, part| all.saturating_add(part.bytes))
}

/// A warning if the settings allow more memory than the machine or the control group has.
pub fn exceeded_memory(startup: &StartupOptions) -> Option<String> {
    let (allowed, machine) = (total(&memory(startup)), Options::machine_memory()?);
    (allowed > machine).then(|| {
        format!(
            "the settings allow up to {} of memory, and there are {}: the system may end the process under load; lower \
             the settings that `hjall config` lists",
            of_mib(allowed),
            of_mib(machine)
        )
    })
}

/// Memory that a part of the server can use.
struct Memory {
    name: &'static str,
    bytes: u64,
    /// The setting that limits it.
    setting: &'static str,
}

/// The memory that the allocator takes in addition, as a fraction of all parts.
const ALLOCATOR_DIVISOR: u64 = 8;

/// The largest memory of a connection, without what counts towards `limits.bytes_in_flight`, in bytes: for its state,
/// for a message and a reply of up to 8 KiB each, and for the buffers of HTTP.
/// `tests/hostile/test_memory_of_connections.py` measures it.
const CONNECTION_BYTES: u64 = 40 << 10;
/// The same for a connection inside TLS, which also has a record that arrives, its data, and a record that is sent.
const TLS_CONNECTION_BYTES: u64 = 88 << 10;

fn memory(startup: &StartupOptions) -> Vec<Memory> {
    let limits = startup.options.memory_limits();
    let in_flight = u64::try_from(startup.config.limits.held_bytes_max).unwrap_or(u64::MAX);
    let of = |name, bytes, setting| Memory { name, bytes, setting };
    let mut parts = vec![of("row cache", limits.row_cache, "store.row_cache")];
    if !startup.memory {
        parts.push(of("block cache", limits.block_cache, "store.cache"));
        parts.push(of("filters of rows", limits.row_filters, "store.cache: an eighth of it"));
        parts.push(of("write buffer", limits.write_buffer, "store.write_buffer: writes wait at twice its value"));
        let in_use = "store.write_buffer: flushed data that compactions still use";
        parts.push(of("memtables in use", limits.in_use, in_use));
        let compacted = "three at a time hold what they write to a file of at most 64 MiB";
        parts.push(of("compactions", limits.compactions, compacted));
        let copied = "one at a time, with what is not in files";
        parts.push(of("backups", limits.backups, copied));
        let kept = startup.config.limits.scanner_snapshot_writes.unwrap_or(u64::MAX);
        parts.push(of("snapshots of scanners", kept, "limits.scanner_snapshot_writes"));
    }
    let descriptors = startup.options.catalog_bytes.unwrap_or(u64::MAX);
    parts.push(of("descriptors", descriptors, "store.catalog: tables and namespaces, with their regions"));
    parts.push(of("messages and replies", in_flight, "limits.bytes_in_flight"));
    let all = parts.iter().fold(0_u64, |all, part| all.saturating_add(part.bytes));
    let rounding = (all / ALLOCATOR_DIVISOR).checked_next_multiple_of(1 << 20).unwrap_or(u64::MAX);
    parts.push(of("allocator", rounding, "sizes are rounded up, and freed memory is kept for a moment"));
    let (each, setting) = match startup.config.tls {
        None => (CONNECTION_BYTES, "limits.connections: at most 40 KiB each"),
        Some(_) => (TLS_CONNECTION_BYTES, "limits.connections: at most 88 KiB each, because they can use TLS"),
    };
    let connections = u64::try_from(startup.config.limits.connections_max).unwrap_or(u64::MAX);
    parts.push(of("connections", connections.saturating_mul(each), setting));
    parts
}

/// The effective settings as one JSON object: for each setting its value, its origin and whether it can be
/// reloaded; then the lanes, and the memory that can be used, in bytes.
pub fn json(effective: &Effective, startup: &StartupOptions) -> String {
    let mut out = String::from("{\n  \"settings\": {\n");
    for (i, Entry { setting, value, origin }) in effective.entries().iter().enumerate() {
        let comma = if i + 1 < effective.entries().len() { "," } else { "" };
        let value = value.clone().or_else(|| (setting.effective)(startup));
        let value = value.map_or_else(|| "null".to_owned(), |value| value.to_string());
        let (name, origin) = (quoted(setting.name), quoted(&origin.to_string()));
        let _ = writeln!(
            out,
            "    {name}: {{\"value\": {value}, \"from\": {origin}, \"layer\": {}, \"reloads\": {}}}{comma}",
            effective.rank(setting.name),
            setting.reloads
        );
    }
    out.push_str("  },\n  \"lanes\": {\n");
    let lanes: Vec<_> = Lanes::of(&startup.config.queues).iter().collect();
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
    out.push_str("  },\n  \"memory\": {\n");
    let memory = memory(startup);
    for (i, Memory { name, bytes, .. }) in memory.iter().enumerate() {
        let comma = if i + 1 < memory.len() { "," } else { "" };
        let _ = writeln!(out, "    {}: {bytes}{comma}", quoted(&name.replace(' ', "_")));
    }
    out.push_str("  }\n}\n");
    out
}

/// A template: every setting with its default, explained and commented out.
pub fn commented() -> String {
    let mut out = String::from(
        "# Settings of hjall. Each is commented out and shows its default, or an example; uncomment those you change.\n\
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
        // A value that can be uncommented, too: none stands for the default.
        None => writeln!(out, "#{key} = {}  # an example", setting.kind.example()),
    };
    out.push_str("#\n");
    out
}

fn of_section<'a>(effective: &'a Effective, section: &'a str) -> impl Iterator<Item = &'a Entry> {
    effective.entries().iter().filter(move |entry| entry.setting.section_and_key().0 == section)
}
