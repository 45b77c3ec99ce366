//! `hjall compact`: major compactions of a folder that no server has open.

use std::sync::Arc;
use std::time::Instant;

use hjall_engine::name::TableName;
use hjall_engine::store::CompactionControl;
use hjall_engine::{Engine, ErrorKind};
use hjall_server::settings::{Sources, StartupOptions};

use super::exit::{Failure, LOCKED};
use super::folder;
use super::output::say;

/// Compacts the named tables, or all tables if none is named.
pub fn run(sources: &Sources, tables: &[String]) -> Result<(), Failure> {
    let StartupOptions { data, options, config, .. } = folder::startup(sources, "compact")?;
    let engine = folder::open(&data, options, "compact").map_err(|failure| match failure {
        Failure::Data(data, error) if error.kind() == ErrorKind::Locked => {
            Failure::Asked(LOCKED, folder::in_use(&data, &error, "-e \"major_compact 'TABLE'\""))
        }
        other => other,
    })?;
    let control = Arc::<CompactionControl>::default();
    control.set_pace(config.compaction.throughput);
    let compacted = compact(&engine, tables, &control);
    // Tables that were compacted before a failure stay compacted.
    let closed = engine.close().map_err(|error| Failure::Data(data, error));
    compacted.and(closed)
}

fn compact(engine: &Engine, tables: &[String], control: &Arc<CompactionControl>) -> Result<(), Failure> {
    let failed = |table: &str| {
        let table = table.to_owned();
        move |error| Failure::Table(table, error)
    };
    let named = tables.iter().map(|table| TableName::parse(table.as_bytes()).map_err(failed(table)));
    let mut names = named.collect::<Result<Vec<_>, _>>()?;
    // If one of the tables does not exist, no table is compacted.
    for name in &names {
        engine.is_table_enabled(name).map_err(failed(&name.to_string()))?;
    }
    if names.is_empty() {
        names = engine.tables().into_iter().map(|(table, _)| table.name).filter(|name| !name.is_system()).collect();
    }
    for name in names {
        let text = name.to_string();
        if !engine.is_table_enabled(&name).map_err(failed(&text))? {
            say(&format!("{text}: disabled, left as it is"));
            continue;
        }
        let bytes = || engine.table_files(&name).map(|files| files.bytes).map_err(failed(&text));
        let began = Instant::now();
        // Only files are measured and compacted, so data that is still in the journal has to be written to files first.
        engine.flush(&name).map_err(failed(&text))?;
        let before = bytes()?;
        engine.compact_with(&name, true, control).map_err(failed(&text))?;
        say(&format!("{text}: {before} bytes before, {} after, {:.1} s", bytes()?, began.elapsed().as_secs_f64()));
    }
    Ok(())
}

/// The exit code for a table that cannot be compacted.
pub fn code(error: &hjall_engine::Error) -> u8 {
    match error.kind() {
        ErrorKind::TableNotFound | ErrorKind::InvalidArgument => 2,
        ErrorKind::DiskFull => 10,
        _ => 6,
    }
}
