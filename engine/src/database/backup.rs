//! Backups, which are consistent copies of a database in use, and `verify`, which reads and checks everything.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bytes::Bytes;

use super::Engine;
use crate::catalog::space_options;
use crate::config::Options;
use crate::error::{Error, ErrorKind, Result};
use crate::inspect::{Inspected, inspect};
use crate::name::TableName;
use crate::store::{
    CATALOG_SPACE, FjallStore, JournalDamage, StoreOptions, check_not_open, failed_io, is_data_folder, private_folder,
    repair_journals, sync_folder, write_all,
};

/// The number of attempts of a backup. It begins again if a table that it copies is changed.
const BACKUP_ATTEMPTS: u32 = 3;

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
    /// in `FOLDER.part` beside it and appears when it is complete and durable. `progress` is called at intervals; an
    /// error from it ends the backup.
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
                other => return other,
            }
        }
    }

    fn try_backup(&self, folder: &Path, progress: &mut dyn FnMut(&FamilyProgress) -> Result<()>) -> Result<()> {
        let core = self.handle.live()?;
        let part = part_of(folder, None)?.part;
        let (snapshot, tables) = {
            // The list of tables has to be that of the snapshot.
            let _no_changes = core.catalog.exclude_changes(&self.stop)?;
            (core.store.snapshot()?, core.catalog.tables())
        };
        // Read after the snapshot, so nothing in the snapshot is later.
        let upcoming = core.store.upcoming();
        let copied = (|| {
            let copy = FjallStore::open_at_least(&part, StoreOptions::default(), upcoming)?;
            write_all(&*copy, &*snapshot, CATALOG_SPACE, &mut |_, _| Ok(()))?;
            for table in tables.iter().filter(|table| !table.is_system()) {
                for family in table.families().iter() {
                    let descriptor = table.descriptor().families.get(&family.name);
                    copy.create_space(family.space, &descriptor.map(space_options).unwrap_or_default())?;
                    let mut of = FamilyProgress::new(table.name(), &family.name);
                    write_all(&*copy, &*snapshot, family.space, &mut |cells, bytes| {
                        (of.cells, of.bytes) = (of.cells + cells, of.bytes + bytes);
                        progress(&of)
                    })?;
                    of.done = true;
                    progress(&of)?;
                }
            }
            copy.close()
        })();
        finish(copied, &part, folder)
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
        let core = self.handle.live()?;
        let Staging { part, earlier } = part_of(folder, Some(self.cluster_id()))?;
        let tables = core.catalog.tables();
        let families = tables.iter().flat_map(|table| table.families().iter().map(|f| (table.name(), &f.name)));
        // While files are copied, no family has been checked yet.
        let first = families.map(|(table, family)| FamilyProgress::new(table, family)).next();
        let copied = (|| {
            let mut report = |_| first.as_ref().map_or(Ok(()), &mut *progress);
            if !core.store.copy_files(&part, earlier.as_deref(), &mut report)? {
                return Ok(false);
            }
            // Opening the copy replays its journals. The caches are small, because everything is read once.
            let options = Options { cache_bytes: Some(8 << 20), row_cache_bytes: Some(0), ..Options::default() };
            let copy = Self::open(&part, options)?;
            let damage = copy.verify(progress);
            let closed = copy.close();
            match damage?.into_iter().next() {
                Some(Damage { error, .. }) => Err(error),
                None => closed,
            }?;
            mark(&part, self.cluster_id())
                .map_err(|error| failed_io(&format!("marking the backup {}", part.display()), error))?;
            Ok(true)
        })();
        match copied {
            Ok(false) => {
                fs::remove_dir(&part).map_err(|error| failed_io(&format!("removing {}", part.display()), error))?;
                self.backup(folder, progress)
            }
            copied => finish(copied.map(|_| ()), &part, folder),
        }
    }
}

/// The path of an earlier backup while the one that was built in `part` replaces it.
fn old_of(part: &Path) -> PathBuf {
    part.with_extension("old")
}

/// Moves a complete backup from the folder in which it was built to its destination, in place of an earlier backup
/// there. Removes an incomplete one.
fn finish(copied: Result<()>, part: &Path, folder: &Path) -> Result<()> {
    let failed = |error| failed_io(&format!("moving the backup to {}", folder.display()), error);
    let moved = copied.and_then(|()| {
        let old = old_of(part);
        let replaces = is_data_folder(folder);
        if replaces {
            fs::rename(folder, &old).map_err(failed)?;
        }
        if let Err(error) = fs::rename(part, folder) {
            if replaces && let Err(error) = fs::rename(&old, folder) {
                tracing::warn!(folder = %old.display(), %error, "the earlier backup was not moved back");
            }
            return Err(failed(error));
        }
        sync_folder(part.parent().unwrap_or(part)).map_err(failed)?;
        let kept = |error| {
            let doing = format!(
                "the backup {} is complete, but removing the earlier one in {}",
                folder.display(),
                old.display()
            );
            failed_io(&doing, error)
        };
        if replaces { fs::remove_dir_all(&old).map_err(kept) } else { Ok(()) }
    });
    if moved.is_err()
        && part.exists()
        && let Err(error) = fs::remove_dir_all(part)
    {
        tracing::warn!(folder = %part.display(), %error, "an unfinished backup was not removed");
    }
    moved
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
        if !fs::read_dir(backup).is_ok_and(|mut entries| entries.next().is_some()) {
            return Err(Error::invalid(format!("there is no backup in {}; name its folder", backup.display())));
        }
        let engine = Self::open_backup(backup, options)?;
        let copied = engine.backup(folder, progress);
        copied.and(engine.close())
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

impl FamilyProgress {
    fn new(table: &TableName, family: &Bytes) -> Self {
        Self { table: table.clone(), family: family.clone(), cells: 0, bytes: 0, done: false }
    }
}

/// The folders of a backup that is being built.
struct Staging {
    /// The folder in which it is built.
    part: PathBuf,
    /// An earlier backup at the destination, which will be replaced.
    earlier: Option<PathBuf>,
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
fn is_backup_of(folder: &Path, cluster_id: &str) -> bool {
    fs::read_to_string(folder.join(MARK_FILE)).is_ok_and(|of| of.trim_end() == cluster_id)
}

/// The folder in which a backup is built. Checks that neither it nor the destination is in use. The destination may be
/// an earlier incremental backup of a database, if its cluster id is given.
fn part_of(folder: &Path, replaced: Option<&str>) -> Result<Staging> {
    let failed = |error| failed_io(&format!("making the backup {}", folder.display()), error);
    let folder = std::path::absolute(folder).map_err(failed)?;
    let refuse = |path: &Path| {
        Error::invalid(format!(
            "{} exists and is not an empty folder; remove it, or name another destination",
            path.display()
        ))
    };
    let name = folder.file_name().ok_or_else(|| refuse(&folder))?;
    let mut part_name = name.to_owned();
    part_name.push(".part");
    let part = folder.with_file_name(part_name);
    let old = old_of(&part);
    // A crash while the earlier backup was being replaced has left it under its other name.
    if let Some(cluster_id) = replaced
        && !folder.exists()
        && is_backup_of(&old, cluster_id)
    {
        fs::rename(&old, &folder).map_err(failed)?;
    }
    let mut earlier = None;
    match fs::read_dir(&folder) {
        Ok(_) if replaced.is_some() && is_data_folder(&folder) => {
            check_not_open(&folder).map_err(|error| match error.kind() {
                ErrorKind::Locked => Error::new(
                    ErrorKind::Locked,
                    format!("{} is the folder of an open database; name another destination", folder.display()),
                ),
                _ => error,
            })?;
            if !replaced.is_some_and(|cluster_id| is_backup_of(&folder, cluster_id)) {
                return Err(Error::invalid(format!(
                    "{} is a data folder, and not an incremental backup of this database, or it has been opened for \
                     writing since it was made; name another destination, or remove the folder if its data is not \
                     needed",
                    folder.display()
                )));
            }
            earlier = Some(folder.clone());
        }
        Ok(mut entries) => {
            if entries.next().is_some() {
                return Err(refuse(&folder));
            }
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => return Err(refuse(&folder)),
        Err(error) => return Err(failed(error)),
    }
    let around = if earlier.is_some() { folder.parent().unwrap_or(&folder) } else { &folder };
    if let Some(data_folder) = data_folder_around(around) {
        return Err(Error::invalid(format!(
            "{} is inside the data folder {}, which may hold nothing else; name a destination outside of it",
            folder.display(),
            data_folder.display()
        )));
    }
    // Left by a crash while an earlier backup was being replaced, or a folder of the user.
    if earlier.is_some() && old.exists() {
        return Err(refuse(&old));
    }
    if let Some(parent) = part.parent() {
        fs::create_dir_all(parent).map_err(failed)?;
    }
    // Exclusive, so that two backups to one destination cannot mix.
    private_folder::create(&part).map_err(|error| {
        if error.kind() == std::io::ErrorKind::AlreadyExists { refuse(&part) } else { failed(error) }
    })?;
    Ok(Staging { part, earlier })
}

/// The data folder that contains a path, which need not exist. The store removes unknown files from its folders.
fn data_folder_around(path: &Path) -> Option<PathBuf> {
    let existing = path.ancestors().find_map(|ancestor| fs::canonicalize(ancestor).ok())?;
    existing.ancestors().find(|ancestor| is_data_folder(ancestor)).map(Path::to_owned)
}
