//! `hjall compact`: major compactions of a folder that no server has open.

use std::io::{self, Write};
use std::time::Instant;

use hjall_engine::name::TableName;
use hjall_engine::{Engine, ErrorKind};
use hjall_server::settings::{InForce, Launch, Refused, Sources};

use super::exit::Failure;

/// Compacts the named tables, or all tables if none is named.
pub fn run(sources: &Sources, tables: &[String]) -> Result<(), Failure> {
    let force = InForce::read(sources).map_err(Failure::Settings)?;
    let Launch { data, memory, options, .. } = Launch::of(&force).map_err(|wrong| Failure::Settings(Refused(wrong)))?;
    if memory {
        return Err(Failure::Usage(
            "compact needs a data folder: a database in memory ends with its process".to_owned(),
        ));
    }
    if !data.is_dir() {
        return Err(Failure::Usage(format!("there is no data folder {}; name one with --data", data.display())));
    }
    let engine = Engine::open(&data, options).map_err(|error| Failure::Data(data.clone(), error))?;
    let compacted = compact(&engine, tables);
    // What was compacted before a failure stays so.
    let closed = engine.close().map_err(|error| Failure::Data(data, error));
    compacted.and(closed)
}

fn compact(engine: &Engine, tables: &[String]) -> Result<(), Failure> {
    let failed = |table: &str| {
        let table = table.to_owned();
        move |error| Failure::Table(table, error)
    };
    let named = tables.iter().map(|table| TableName::parse(table.as_bytes()).map_err(failed(table)));
    let mut names = named.collect::<Result<Vec<_>, _>>()?;
    // All of them exist, or none is compacted.
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
        // Only files count, so what the last process left in the journal has to be written first.
        engine.flush(&name).map_err(failed(&text))?;
        let before = bytes()?;
        engine.compact(&name, true).map_err(failed(&text))?;
        say(&format!("{text}: {before} bytes before, {} after, {:.1} s", bytes()?, began.elapsed().as_secs_f64()));
    }
    Ok(())
}

fn say(line: &str) {
    // An error means that standard output is closed, so there is no reader.
    let _ = writeln!(io::stdout().lock(), "{line}");
}

/// The exit code for a table that cannot be compacted.
pub fn code(error: &hjall_engine::Error) -> u8 {
    match error.kind() {
        ErrorKind::TableNotFound | ErrorKind::InvalidArgument => 2,
        _ => 6,
    }
}
