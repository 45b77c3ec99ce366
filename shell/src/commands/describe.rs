//! `describe`.

use hjall_engine::schema::{FamilyDescriptor, TableDescriptor};

use super::arguments::{Done, table_name};
use super::lifecycle::missing;
use super::{Command, Context};
use crate::language::Value;

pub const COMMANDS: &[Command] = &[Command {
    name: "describe",
    group: "ddl",
    least: 1,
    most: 1,
    about: "Print the attributes of a table and of its families. desc is the same.",
    examples: &["describe 't1'", "describe 'ns1:t1'", "desc 't1'"],
    run: describe,
}];

/// Attributes that are printed before the metadata, in this order.
const KNOWN: [&str; 5] = ["DURABILITY", "MAX_FILESIZE", "MEMSTORE_FLUSHSIZE", "READONLY", "REGION_REPLICATION"];

fn describe(context: &mut Context, args: Vec<Value>) -> Done {
    let name = table_name(&args[0])?;
    let table = context.connection.describe(&name).map_err(|failure| missing(failure, &name))?;
    let enabled = context.connection.is_enabled(&name).map_err(|failure| missing(failure, &name))?;
    let state = if enabled { "ENABLED" } else { "DISABLED" };
    context.out.row(&format!("Table {name} is {state}"));
    let attributes = attributes(&table);
    let attributes =
        if attributes.is_empty() { String::new() } else { format!(", {{TABLE_ATTRIBUTES => {{{attributes}}}}}") };
    context.out.row(&format!("{name}{attributes}"));
    context.out.row("COLUMN FAMILIES DESCRIPTION");
    for family in table.families.values() {
        context.out.row(&family.to_string());
        context.out.line("");
        record(context, &table, family, enabled);
    }
    context.out.rows(table.families.len() as u64);
    context.out.line("Quota is disabled");
    Ok(Value::Nil)
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn record(context: &mut Context, table: &TableDescriptor, family: &FamilyDescriptor, enabled: bool) {
    if context.out.tables() {
        return;
    }
    let mut fields = vec![
        ("table".to_owned(), table.name.to_string().into()),
        ("enabled".to_owned(), enabled.into()),
        ("family".to_owned(), lossy(&family.name).into()),
    ];
    fields.extend(family.attributes.iter().map(|(key, value)| (lossy(key), lossy(value).into())));
    context.out.fields(fields);
}

/// A size with its parts: `134217728 B (128MB)`.
fn size(total: u64) -> String {
    let units = [("TB", 40), ("GB", 30), ("MB", 20), ("KB", 10), ("B", 0)];
    let mut rest = total;
    let mut parts = Vec::new();
    for (unit, shift) in units {
        let count = rest >> shift;
        rest -= count << shift;
        if count > 0 {
            parts.push(format!("{count}{unit}"));
        }
    }
    if total < 1024 { format!("{total} B") } else { format!("{total} B ({})", parts.join(" ")) }
}

fn attributes(table: &TableDescriptor) -> String {
    let mut parts = Vec::new();
    for key in KNOWN {
        let Some(value) = table.attributes.get(key.as_bytes()) else { continue };
        let value = lossy(value);
        let shown = match (key, value.parse::<u64>()) {
            ("MAX_FILESIZE" | "MEMSTORE_FLUSHSIZE", Ok(bytes)) => size(bytes),
            _ => value,
        };
        parts.push(format!("{key} => '{shown}'"));
    }
    let metadata: Vec<_> = table
        .attributes
        .iter()
        .map(|(key, value)| (lossy(key), lossy(value)))
        .filter(|(key, value)| !KNOWN.contains(&&key[..]) && (key != "IS_META" || value == "true"))
        .map(|(key, value)| format!("'{key}' => '{value}'"))
        .collect();
    if !metadata.is_empty() {
        parts.push(format!("METADATA => {{{}}}", metadata.join(", ")));
    }
    parts.join(", ")
}
