//! Backups, which are consistent copies of a database in use, and `verify`, which reads and checks everything.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use bytes::Bytes;

use super::Engine;
use super::backup_staging::Staging;
use crate::catalog::{TableState, space_options};
use crate::config::Options;
use crate::core::Handle;
use crate::error::{Error, ErrorKind, Result};
use crate::inspect::{Inspected, inspect};
use crate::name::TableName;
use crate::store::{
    CATALOG_SPACE, FjallStore, JournalDamage, StoreOptions, failed_io, is_data_folder, load_all, repair_journals,
    sync_folder, temporary_folder, write_all,
};

/// The number of attempts of a backup. It begins again if a table that it copies is changed.
const BACKUP_ATTEMPTS: u32 = 3;

/// The error that ends a backup from a snapshot after many writes.
const TOO_MANY_WRITES: &str = "too much was written during the backup; run it again when less is written";

/// The file in the folder of an incremental backup that marks it as one. It contains the cluster id of the database.
/// [`Engine::open`] removes it, because the folder may have other data from then on.
const MARK_FILE: &str = "BACKUP";

/// The progress of a backup or a check in one family.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FamilyProgress {
    /// The table.
    pub table: TableName,
    /// The family.
    pub family: Bytes,
    /// Cells and delete markers processed.
    pub cells: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Whether the family is complete.
    pub done: bool,
}

/// Damage that [`Engine::verify`] found.
#[derive(Debug)]
pub struct Damage {
    /// The table and the family; `None` for the journals, which all tables share.
    pub family: Option<(TableName, Bytes)>,
    /// The error. The rest of the family or of the journals has not been read.
    pub error: Error,
}

impl Engine {
    /// Reads the journals and every cell of every family, and checks that cells can be decoded and that keys are in
    /// order. The store checks the checksum of each block that it reads from disk; blocks that are in the cache are not
    /// read again. `progress` is called at intervals and at the end of each family; an error from it ends the check.
    /// Returns the first damage of the journals and of each damaged family.
    ///
    /// # Errors
    /// `Closed`, and those of `progress`.
    pub fn verify(&self, progress: &mut dyn FnMut(&FamilyProgress) -> Result<()>) -> Result<Vec<Damage>> {
        let core = self.handle.live()?;
        let mut damage = Vec::new();
        match core.store.check_journals() {
            Err(error) if error.kind() == ErrorKind::Closed => return Err(error),
            Err(error) => damage.push(Damage { family: None, error }),
            Ok(()) => {}
        }
        for table in core.catalog.tables().iter().filter(|table| !table.is_system()) {
            let snapshot = core.store.snapshot()?;
            for family in table.families().iter() {
                let mut of = FamilyProgress::new(table.name(), &family.name);
                let mut refused = None;
                let inspected = inspect(&*snapshot, family.space, &mut |Inspected { cells, bytes }| {
                    (of.cells, of.bytes) = (cells, bytes);
                    progress(&of).map_err(|error| {
                        let stopped = Error::new(error.kind(), error.message().to_owned());
                        refused = Some(error);
                        stopped
                    })
                });
                if let Some(refused) = refused {
                    return Err(refused);
                }
                match self.unless_dropped(
                    table,
                    inspected.map(|inspected| {
                        (of.cells, of.bytes, of.done) = (inspected.cells, inspected.bytes, true);
                    }),
                ) {
                    Ok(()) => progress(&of)?,
                    Err(error) if error.kind() == ErrorKind::Closed => return Err(error),
                    Err(error) => {
                        let family = Some((table.name().clone(), family.name.clone()));
                        damage.push(Damage { family, error });
                    }
                }
            }
        }
        Ok(damage)
    }

    /// Writes a consistent copy of the database, as of one moment during the call, to a folder that does not exist or
    /// is empty. The copy is a data folder, which [`Self::open`] opens. Readers and writers continue. The copy is built
    /// in `FOLDER.part` beside it and appears when it is complete and durable. What a backup that a crash has ended
    /// left in `FOLDER.part` is removed. `progress` is called at intervals; an error from it ends the backup.
    ///
    /// # Errors
    /// `InvalidArgument` if the folder or `FOLDER.part` is in use; `Stale` if tables were altered or dropped during
    /// each of three attempts; `Corrupt` if stored data cannot be decoded; `DiskFull`, `Io`; those of `progress`.
    /// `FOLDER.part` is removed after an error.
    pub fn backup(&self, folder: &Path, progress: &mut dyn FnMut(&FamilyProgress) -> Result<()>) -> Result<()> {
        let mut attempt = 1;
        loop {
            match self.try_backup(folder, progress) {
                Err(error) if error.kind() == ErrorKind::Stale && attempt < BACKUP_ATTEMPTS => attempt += 1,
                Ok(FromSnapshot::TooManyWrites) => return self.backup_of_files(folder, progress),
                other => return other.map(drop),
            }
        }
    }

    /// Makes a backup from a snapshot. The store keeps what is written while there is a snapshot in memory, so the
    /// backup is given up after many writes.
    fn try_backup(
        &self,
        folder: &Path,
        progress: &mut dyn FnMut(&FamilyProgress) -> Result<()>,
    ) -> Result<FromSnapshot> {
        let core = self.handle.live()?;
        let figures = core.store.statistics()?;
        // Opening a copy of the files writes the data of the journals to files.
        let needed = figures.journal_bytes.saturating_mul(2).saturating_add(figures.write_buffer_bytes_max);
        let has_room = figures.disk_free_bytes.is_none_or(|free| free > needed.saturating_mul(2));
        let written_max = if has_room { figures.write_buffer_bytes_max.saturating_mul(2) } else { u64::MAX };
        let staging = Staging::begin(folder, None)?;
        let part = &staging.work.copy();
        let (snapshot, tables) = {
            // The list of tables has to be that of the snapshot.
            let _no_changes = core.catalog.exclude_changes(&self.stop)?;
            (core.store.snapshot()?, core.catalog.tables())
        };
        // Read after the snapshot, so nothing in the snapshot is later.
        let upcoming = core.store.upcoming();
        let written_before = core.store.written_bytes();
        let mut is_given_up = false;
        let mut progress = |of: &FamilyProgress| {
            is_given_up = core.store.written_bytes().saturating_sub(written_before) > written_max;
            if is_given_up { Err(Error::new(ErrorKind::Busy, TOO_MANY_WRITES)) } else { progress(of) }
        };
        let copied = (|| {
            let copy = FjallStore::open_at_least(part, StoreOptions::for_copy(), upcoming)?;
            write_all(&*copy, &*snapshot, CATALOG_SPACE)?;
            for table in tables.iter().filter(|table| !table.is_system()) {
                for family in table.families().iter() {
                    let descriptor = table.descriptor().families.get(&family.name);
                    let options = descriptor.map(space_options).unwrap_or_default();
                    copy.create_space(family.space, &options)?;
                    let mut of = FamilyProgress::new(table.name(), &family.name);
                    let written = load_all(&copy, &*snapshot, (family.space, options), &mut |cells, bytes| {
                        (of.cells, of.bytes) = (of.cells + cells, of.bytes + bytes);
                        progress(&of)
                    });
                    written.map_err(|error| self.unless_changed(table, &family.name, error))?;
                    of.done = true;
                    progress(&of)?;
                }
            }
            copy.close()
        })();
        match staging.finish(copied) {
            Err(_) if is_given_up => Ok(FromSnapshot::TooManyWrites),
            finished => finished.map(|()| FromSnapshot::Made),
        }
    }

    /// Makes a backup from a copy of the files, in which the files of tables are links. The copy does not change, so a
    /// snapshot of it takes no memory.
    fn backup_of_files(&self, folder: &Path, progress: &mut dyn FnMut(&FamilyProgress) -> Result<()>) -> Result<()> {
        let core = self.handle.live()?;
        let Some(scratch) = core.store.scratch_folder()? else {
            return Err(Error::new(ErrorKind::Busy, TOO_MANY_WRITES));
        };
        let copied = (|| {
            core.store.copy_files(&scratch, None, &mut self.progress_of_files(progress)?)?;
            let copy = Self::of(Handle::open_copy(&scratch)?);
            let copied = copy.backup(folder, progress);
            // The copy is removed, so it does not matter whether its memory can be written to files.
            let _ = copy.close();
            copied
        })();
        temporary_folder::remove(&scratch);
        copied
    }

    /// The progress of copying files: that of the first family, since no family has been read yet.
    fn progress_of_files<'a>(
        &self,
        progress: &'a mut dyn FnMut(&FamilyProgress) -> Result<()>,
    ) -> Result<impl FnMut(u64) -> Result<()> + use<'a>> {
        let tables = self.handle.live()?.catalog.tables();
        let families = tables.iter().flat_map(|table| table.families().iter().map(|f| (table.name(), &f.name)));
        let first = families.map(|(table, family)| FamilyProgress::new(table, family)).next();
        Ok(move |_| first.as_ref().map_or(Ok(()), &mut *progress))
    }

    /// The error of a backup that could not copy a family, with the name of the family. `Stale` if the table was
    /// dropped, truncated or altered, since its files are removed then.
    fn unless_changed(&self, table: &TableState, family: &Bytes, error: Error) -> Error {
        if error.kind() == ErrorKind::Cancelled {
            return error;
        }
        match self.unless_dropped(table, Err(error)) {
            Err(error) if error.kind() == ErrorKind::Corrupt => of_family(table.name(), family, error),
            Err(error) => error,
            Ok(()) => Error::new(
                ErrorKind::Stale,
                format!(
                    "table {} was dropped, truncated or altered while it was being copied; run the backup again",
                    table.name()
                ),
            ),
        }
    }

    /// Makes a backup as [`Self::backup`] does, but shares with other folders the files of tables that have not
    /// changed: they are linked to those of the database, on the same file system, or else to those of an earlier
    /// incremental backup of this database at `folder`, which may exist and is replaced. Linked files take no space,
    /// but damage to one on the disk affects each folder that has it. Everything is read and checked. A store without
    /// files makes a full backup.
    ///
    /// # Errors
    /// Those of [`Self::backup`]; `InvalidArgument` if `folder` contains anything but an incremental backup of this
    /// database, or if that backup has been opened for writing since; `Locked` if it is open. An earlier backup is
    /// unchanged after an error.
    pub fn backup_incremental(
        &self,
        folder: &Path,
        progress: &mut dyn FnMut(&FamilyProgress) -> Result<()>,
    ) -> Result<()> {
        let staging = Staging::begin(folder, Some(self.cluster_id()))?;
        let copied = match self.copy_checked(&staging.work.copy(), staging.earlier(), progress) {
            Ok(Copied::Damaged(damage)) if staging.earlier().is_some() => {
                let error = damage.of_data();
                tracing::warn!(
                    folder = %staging.folder().display(),
                    %error,
                    "the copy is damaged, perhaps because it has files of the earlier backup; everything is copied again"
                );
                staging.work.empty().and_then(|()| self.copy_checked(&staging.work.copy(), None, progress))
            }
            copied => copied,
        };
        match copied {
            Ok(Copied::Nothing) => {
                staging.work.remove();
                drop(staging);
                self.backup(folder, progress)
            }
            Ok(Copied::All) => staging.finish(Ok(())),
            Ok(Copied::Damaged(damage)) => staging.finish(Err(damage.of_data())),
            Err(error) => staging.finish(Err(error)),
        }
    }

    /// Copies the files of the database to an empty folder, with those of `earlier` that have not changed, and reads
    /// and checks everything.
    fn copy_checked(
        &self,
        to: &Path,
        earlier: Option<&Path>,
        progress: &mut dyn FnMut(&FamilyProgress) -> Result<()>,
    ) -> Result<Copied> {
        let core = self.handle.live()?;
        if !core.store.copy_files(to, earlier, &mut self.progress_of_files(progress)?)? {
            return Ok(Copied::Nothing);
        }
        // Opening the copy replays its journals.
        let copy = Self::of(Handle::open_copy(to)?);
        let damage = copy.verify(progress);
        let closed = copy.close();
        if let Some(damage) = damage?.into_iter().next() {
            return Ok(Copied::Damaged(damage));
        }
        closed?;
        mark(to, self.cluster_id())
            .map_err(|error| failed_io(&format!("marking the backup {}", to.display()), error))?;
        Ok(Copied::All)
    }
}

/// The result of an attempt to make a backup from a snapshot.
enum FromSnapshot {
    Made,
    /// It was given up; nothing is left of it.
    TooManyWrites,
}

/// The result of copying the files of a database.
enum Copied {
    All,
    /// The store has no files.
    Nothing,
    /// The first damage in the copy.
    Damaged(Damage),
}

impl Engine {
    /// Writes a copy of a backup to a folder that does not exist or is empty, as [`Self::backup`] does. Everything is
    /// read and checked. `options` are those for opening the backup; no other process may have it open.
    ///
    /// # Errors
    /// Those of [`Self::open`] for the backup, and of [`Self::backup`] for the folder. `InvalidArgument` if there is
    /// nothing at `backup`.
    pub fn restore(
        backup: &Path,
        folder: &Path,
        options: Options,
        progress: &mut dyn FnMut(&FamilyProgress) -> Result<()>,
    ) -> Result<()> {
        // Opening an empty folder would create a database in it.
        let is_there = match fs::read_dir(backup) {
            Ok(mut entries) => entries.next().is_some(),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => false,
            Err(error) => return Err(failed_io(&format!("reading the backup {}", backup.display()), error)),
        };
        if !is_there {
            return Err(Error::invalid(format!("there is no backup in {}; name its folder", backup.display())));
        }
        let engine = Self::open_backup(backup, options)?;
        let copied = engine.backup(folder, progress);
        let closed = engine.close();
        copied?;
        // The data is in the journals of the backup.
        if let Err(error) = closed {
            tracing::warn!(folder = %backup.display(), %error, "closing the backup that was restored failed");
        }
        Ok(())
    }
}

impl Engine {
    /// Finds damage in the journals of a data folder that is not in use. With `accept_loss`, drops the damaged batches
    /// and keeps all others, so that the folder can be opened again; the journals as they were remain in the folder
    /// `damaged` of the data folder. A batch is one row, or the rows of one call that were written together.
    ///
    /// # Errors
    /// `InvalidArgument` if `folder` is not a data folder; `Locked` if it is in use; `Corrupt` if files other than
    /// journals are missing; `DiskFull`, `Io`.
    pub fn repair(folder: &Path, accept_loss: bool) -> Result<Vec<JournalDamage>> {
        if !is_data_folder(folder) {
            return Err(Error::invalid(format!("{} is not a data folder of hjall: name one", folder.display())));
        }
        repair_journals(folder, accept_loss)
    }
}

impl Damage {
    /// The damage as an error that names the family.
    fn of_data(self) -> Error {
        match self.family {
            Some((table, family)) => of_family(&table, &family, self.error),
            None => self.error,
        }
    }
}

/// An error of reading a family, with its name.
fn of_family(table: &TableName, family: &Bytes, error: Error) -> Error {
    let family = String::from_utf8_lossy(family);
    Error::new(error.kind(), format!("table {table}, family {family}: {}", error.message())).with_source(error)
}

impl FamilyProgress {
    fn new(table: &TableName, family: &Bytes) -> Self {
        Self { table: table.clone(), family: family.clone(), cells: 0, bytes: 0, done: false }
    }
}

/// Marks a folder as an incremental backup of a database, durably.
fn mark(folder: &Path, cluster_id: &str) -> io::Result<()> {
    let mut file = File::create(folder.join(MARK_FILE))?;
    writeln!(file, "{cluster_id}")?;
    file.sync_all()?;
    sync_folder(folder)
}

/// Removes the mark of an incremental backup, durably.
pub(super) fn unmark(folder: &Path) -> Result<()> {
    let removed = match fs::remove_file(folder.join(MARK_FILE)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        removed => removed.and_then(|()| sync_folder(folder)),
    };
    removed.map_err(|error| failed_io(&format!("removing {}", folder.join(MARK_FILE).display()), error))
}

/// Whether a data folder is an incremental backup of a database, and has not been opened for writing since.
pub(super) fn is_backup_of(folder: &Path, cluster_id: &str) -> bool {
    fs::read_to_string(folder.join(MARK_FILE)).is_ok_and(|of| of.trim_end() == cluster_id)
}
