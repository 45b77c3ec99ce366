//! `hjall backup`, `hjall restore`, `hjall verify` and `hjall repair`.

use std::path::Path;
use std::time::{Duration, Instant};

use hjall_engine::{Engine, Error, ErrorKind, FamilyProgress};
use hjall_server::settings::Sources;

#[cfg(unix)]
use super::control;
use super::exit::{Failure, LOCKED};
use super::output::say;
use super::{folder, log};

/// Time between two lines about one family.
const REPORT_EVERY: Duration = Duration::from_secs(5);

/// The extent of a backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// A full copy.
    Full,
    /// A copy that shares unchanged files.
    Incremental,
}

impl Extent {
    /// Makes a backup of this extent.
    pub fn back_up(
        self,
        engine: &Engine,
        to: &Path,
        progress: &mut dyn FnMut(&FamilyProgress) -> hjall_engine::Result<()>,
    ) -> hjall_engine::Result<()> {
        match self {
            Self::Full => engine.backup(to, progress),
            Self::Incremental => engine.backup_incremental(to, progress),
        }
    }
}

/// Writes a copy of the data folder. If a server has it open, the server does.
pub fn backup(sources: &Sources, to: &Path, extent: Extent) -> Result<(), Failure> {
    copy(sources, to, extent)?;
    say(&format!("backup completed: {}", folder::absolute(to).display()));
    Ok(())
}

fn copy(sources: &Sources, to: &Path, extent: Extent) -> Result<(), Failure> {
    let (data, options) = folder::settings(sources, "backup")?;
    #[cfg(unix)]
    if let Some(answered) = control::ask_for_backup(&data, to, extent) {
        return answered;
    }
    let engine = folder::open_backup(&data, options, "backup")?;
    let copied = extent.back_up(&engine, to, &mut print_progress()).map_err(|error| failed_backup(to, error));
    let closed = engine.close();
    copied?;
    // Closing writes memory to files, for which the disk may have no room. The data is in the journals.
    if let Err(error) = closed {
        let failure = Failure::Data(data, error);
        log::say(format!("hjall: warning: the backup is complete, but closing the data folder failed: {failure}"));
    }
    Ok(())
}

/// Writes a copy of a backup to the data folder.
pub fn restore(sources: &Sources, from: &Path) -> Result<(), Failure> {
    let (data, options) = folder::settings(sources, "restore")?;
    // Opening the backup may replace its journals.
    folder::check_owner(from, "restore")?;
    folder::check_owner(&data, "restore")?;
    Engine::restore(from, &data, options, &mut print_progress()).map_err(|error| match error.kind() {
        ErrorKind::InvalidArgument => Failure::Usage(error.message().to_owned()),
        // Not with the flag of the folder, which is the destination here.
        ErrorKind::Locked => Failure::Asked(
            LOCKED,
            format!("{error}; to copy the data of a server that runs, use hjall backup DEST --data {}", from.display()),
        ),
        ErrorKind::Corrupt | ErrorKind::NewerFormat => Failure::Data(from.to_owned(), error),
        _ => Failure::Data(data.clone(), error),
    })?;
    say(&format!("restored to {}", folder::absolute(&data).display()));
    Ok(())
}

/// The failure of a backup to this folder.
pub fn failed_backup(to: &Path, error: Error) -> Failure {
    match error.kind() {
        ErrorKind::InvalidArgument => Failure::Usage(error.message().to_owned()),
        _ => Failure::Backup(to.to_owned(), error),
    }
}

/// Reads everything in the data folder.
pub fn verify(sources: &Sources) -> Result<(), Failure> {
    let (data, options) = folder::settings(sources, "verify")?;
    let engine = folder::open_backup(&data, options, "verify")?;
    let damage = engine.verify(&mut print_progress()).map_err(|error| Failure::Data(data.clone(), error))?;
    if engine.tables().iter().all(|(table, _)| table.name.is_system()) {
        say("the database has no tables");
    }
    let closed = engine.close().map_err(|error| Failure::Data(data.clone(), error));
    for found in &damage {
        let part = match &found.family {
            Some((table, family)) => format!("{table} {}", String::from_utf8_lossy(family)),
            None => "journals".to_owned(),
        };
        say(&format!("{part}: DAMAGED: {}", found.error));
    }
    if damage.is_empty() {
        say("no damage found");
        return closed;
    }
    if let Err(failure) = closed {
        log::say(format!("hjall: {failure}"));
    }
    let mut parts = Vec::new();
    if damage.iter().any(|found| found.family.is_none()) {
        parts.push("the journals are damaged".to_owned());
    }
    match damage.iter().filter(|found| found.family.is_some()).count() {
        0 => {}
        1 => parts.push("1 family is damaged".to_owned()),
        families => parts.push(format!("{families} families are damaged")),
    }
    Err(Failure::Damaged(data, format!("{}; restore a backup", parts.join(", and "))))
}

/// Prints the damage in the journals of the data folder, and drops it if that is accepted.
pub fn repair(sources: &Sources, accept_loss: bool) -> Result<(), Failure> {
    let (data, _) = folder::settings(sources, "repair")?;
    folder::check_exists(&data)?;
    folder::check_owner(&data, "repair")?;
    let repair = |accept_loss| {
        Engine::repair(&data, accept_loss).map_err(|error| match error.kind() {
            ErrorKind::InvalidArgument => Failure::Usage(error.message().to_owned()),
            _ => Failure::Data(data.clone(), error),
        })
    };
    let mut damage = repair(false)?;
    if accept_loss && !damage.is_empty() {
        // Before the first change: what an interrupted repair has dropped is not found again.
        say("these are repaired now:");
        damage.iter().for_each(|found| say(&format!("{found}")));
        damage = repair(true)?;
    }
    for found in &damage {
        let done = match (accept_loss, found.lossless) {
            (true, true) => "its number was corrected",
            (true, false) if found.whole => "ACCEPTED",
            (true, false) => "DROPPED",
            (false, true) => "its number can be corrected, nothing would be lost",
            (false, false) if found.whole => "what it contained would be given up",
            (false, false) => "it would be dropped",
        };
        say(&format!("{found}: {done}"));
    }
    if damage.is_empty() {
        say("the journals are intact; this command does not check the files of tables: run hjall verify");
    } else if accept_loss {
        say(&format!("the journals as they were are in {}", data.join("damaged").display()));
    } else {
        let journals = damage.iter().filter(|found| found.whole).count();
        let batches = match damage.len() - journals {
            0 => None,
            1 => Some("1 batch of the journals is damaged".to_owned()),
            batches => Some(format!("{batches} batches of the journals are damaged")),
        };
        let journals = match journals {
            0 => None,
            1 => Some("1 journal is missing, empty or another one".to_owned()),
            journals => Some(format!("{journals} journals are missing, empty or other ones")),
        };
        let damaged = [batches, journals].into_iter().flatten().collect::<Vec<_>>().join(", and ");
        let what = format!("{damaged}; restore a backup, or accept the loss with --accept-loss");
        return Err(Failure::Damaged(data, what));
    }
    Ok(())
}

/// Prints the lines of a [`Reporter`].
fn print_progress() -> impl FnMut(&FamilyProgress) -> hjall_engine::Result<()> {
    let mut reporter = Reporter::new();
    move |progress| {
        if let Some(line) = reporter.line(progress) {
            say(&line);
        }
        Ok(())
    }
}

/// Produces a line when a family is done, and at intervals before that.
pub struct Reporter {
    last: Instant,
}

impl Reporter {
    /// A reporter whose first line comes after an interval, or with the first family that is done.
    pub fn new() -> Self {
        Self { last: Instant::now() }
    }

    /// The line for this progress, if one is due.
    pub fn line(&mut self, progress: &FamilyProgress) -> Option<String> {
        let FamilyProgress { table, family, cells, bytes, done } = progress;
        if !*done && self.last.elapsed() < REPORT_EVERY {
            return None;
        }
        self.last = Instant::now();
        let state = if *done { "" } else { " so far" };
        Some(format!("{table} {}: {cells} cells, {bytes} bytes{state}", String::from_utf8_lossy(family)))
    }
}
