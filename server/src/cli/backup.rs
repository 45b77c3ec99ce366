//! `hjall backup`, `hjall restore` and `hjall verify`, for folders that no server has open.

use std::path::Path;
use std::time::{Duration, Instant};

use hjall_engine::{Engine, ErrorKind, FamilyProgress};
use hjall_server::settings::Sources;

use super::exit::Failure;
use super::folder::{self, say};

/// Time between two lines about one family.
const REPORT_EVERY: Duration = Duration::from_secs(5);

/// Writes a copy of the data folder.
pub fn backup(sources: &Sources, to: &Path) -> Result<(), Failure> {
    let (data, options) = folder::settings(sources, "backup")?;
    let engine = folder::open(&data, options)?;
    let copied = copy(&engine, to);
    copied.and(engine.close().map_err(|error| Failure::Data(data, error)))
}

/// Writes a copy of a backup to the data folder.
pub fn restore(sources: &Sources, from: &Path) -> Result<(), Failure> {
    let (data, options) = folder::settings(sources, "restore")?;
    let engine = folder::open(from, options)?;
    let copied = copy(&engine, &data);
    copied.and(engine.close().map_err(|error| Failure::Data(from.to_owned(), error)))
}

fn copy(engine: &Engine, to: &Path) -> Result<(), Failure> {
    let mut report = reporter();
    let copied = engine.backup(to, &mut |progress| {
        report(progress);
        Ok(())
    });
    copied.map_err(|error| match error.kind() {
        ErrorKind::InvalidArgument => Failure::Usage(error.message().to_owned()),
        _ => Failure::Data(to.to_owned(), error),
    })
}

/// Reads everything in the data folder.
pub fn verify(sources: &Sources) -> Result<(), Failure> {
    let (data, options) = folder::settings(sources, "verify")?;
    let engine = folder::open(&data, options)?;
    let mut report = reporter();
    let damage = engine.verify(&mut |progress| {
        report(progress);
        Ok(())
    });
    let damage = damage.map_err(|error| Failure::Data(data.clone(), error))?;
    engine.close().map_err(|error| Failure::Data(data.clone(), error))?;
    for found in &damage {
        say(&format!("{} {}: DAMAGED: {}", found.table, String::from_utf8_lossy(&found.family), found.error));
    }
    if damage.is_empty() { Ok(()) } else { Err(Failure::Damaged(data, damage.len())) }
}

/// Prints a line when a family is done, and now and then before.
fn reporter() -> impl FnMut(&FamilyProgress) {
    let mut last = Instant::now();
    move |progress| {
        let FamilyProgress { table, family, cells, bytes, done } = progress;
        if *done || last.elapsed() >= REPORT_EVERY {
            last = Instant::now();
            let state = if *done { "" } else { " so far" };
            say(&format!("{table} {}: {cells} cells, {bytes} bytes{state}", String::from_utf8_lossy(family)));
        }
    }
}
