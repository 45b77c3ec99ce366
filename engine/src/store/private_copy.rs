//! A private copy of the store's files, made while another process may be writing them.
//!
//! The copy is what a crash at one moment would leave, and contains everything that was committed before it was begun.
//! No lock is taken, and nothing is changed.
//!
//! Files of tables never change. The list of files of a space is replaced by renaming `current`. Journals only grow
//! until they are removed, which happens after everything in them is in listed files. Therefore:
//!
//! 1. All journals are opened. They can be read from then on, even if they are removed.
//! 2. Each space is copied: its list, and the files that the list names, which are linked where that is possible. While
//!    `current` stays the same, none of these files is removed.
//! 3. What the journals have gained is copied, in complete batches. So every batch that is not in the files of a copied
//!    list is in a copied journal, and the end of the journals is later than all lists. The spaces may have been copied
//!    at different moments: replaying the journals brings each of them to that end.
//! 4. The index of spaces, which is copied in step 2, must still be the same after step 3, because what the catalog in
//!    the journals names must be in it. Otherwise new spaces are copied, and steps 3 and 4 repeated.
//!
//! A process that closes the database cleanly truncates its journal, and one that opens it after a crash cuts a torn
//! batch. Both are detected, and the copy is begun again.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::file_names::{CURRENT_FILE, FILES_FOLDER, INDEX, KEYSPACES_FOLDER, list_name, list_number};
use super::fjall::{SEQUENCE_GAP, failed_io};
use super::journal::Synced;
use super::{corruption, file_manifest, journal};
use crate::error::{Error, ErrorKind, Result};

/// The folder of the catalog's space, which is the first one that is created.
const CATALOG: &str = "1";

/// The number of times that a copy is begun.
const ATTEMPTS: u32 = 20;

/// The number of times that a copy which looks damaged is begun. A write in progress can look like damage.
const DAMAGED_ATTEMPTS: u32 = 3;

/// The number of times that a part of a copy is repeated because it has changed.
const ROUNDS: u32 = 500;

/// The pause before a copy is begun again.
const PAUSE: Duration = Duration::from_millis(5);

/// The reason why a copy ended early.
enum Interrupted {
    /// The files have been changed in a way that the copy cannot follow.
    Changed,
    Failed(io::Error),
}

impl From<io::Error> for Interrupted {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

type Step<T> = std::result::Result<T, Interrupted>;

/// A journal that is being copied.
struct Journal {
    from: File,
    to: File,
    /// The copied bytes.
    end: u64,
}

struct Copier<'a> {
    from: &'a Path,
    to: &'a Path,
    /// Indexed by their numbers.
    journals: BTreeMap<u64, Journal>,
    /// The sequence number of the last batch that has been copied.
    last: u64,
    /// The spaces that have been copied, without the index.
    spaces: BTreeSet<String>,
}

/// Copies the store's files in the folder `from` to the folder `to`, which is empty, and checks the copy. `lock` is the
/// file that every process changes which opens the database.
///
/// # Errors
/// `Busy`: the files were changed too often. `Corrupt`, `Io`, `DiskFull`.
pub(super) fn copy(from: &Path, to: &Path, lock: &Path) -> Result<()> {
    let mut damaged = 0;
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            clear(to).map_err(|error| failed_io(&format!("removing {}", to.display()), error))?;
            std::thread::sleep(PAUSE);
        }
        let copier = Copier { from, to, journals: BTreeMap::new(), last: 0, spaces: BTreeSet::new() };
        match copier.run(lock) {
            Ok(()) => {}
            Err(Interrupted::Changed) => continue,
            Err(Interrupted::Failed(error)) => {
                let doing = format!("copying the files in {} to {}", from.display(), to.display());
                return Err(match error.kind() {
                    io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => Error::new(
                        ErrorKind::DiskFull,
                        format!(
                            "{doing} failed: there is no room for the copy ({error}); free space, or set TMPDIR to a \
                             folder with more"
                        ),
                    )
                    .with_source(error),
                    _ => failed_io(&doing, error),
                });
            }
        }
        match corruption::check(to) {
            Err(error) if error.kind() == ErrorKind::Corrupt => {
                damaged += 1;
                if damaged == DAMAGED_ATTEMPTS {
                    // The damage is in the original.
                    let message = error.message().replace(&to.display().to_string(), &from.display().to_string());
                    return Err(Error::new(ErrorKind::Corrupt, message));
                }
            }
            checked => return checked.map(drop),
        }
    }
    Err(Error::new(
        ErrorKind::Busy,
        format!(
            "the files in {} changed too often while they were copied for reading: tables are being created or dropped \
             all the time, or the database opened and closed; try again later",
            from.display()
        ),
    ))
}

impl Copier<'_> {
    fn run(mut self, lock: &Path) -> Step<()> {
        let changed = || fs::metadata(lock).and_then(|found| found.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
        let opened = changed();
        if let Some(version) = read(&self.from.join("version"))? {
            fs::write(self.to.join("version"), version)?;
        }
        // Before the journals are copied, which only grow. In a closed folder, the journal was emptied, and whatever
        // says how far it has been synced came from elsewhere.
        let closed = lock.parent().is_some_and(file_manifest::is_there);
        let synced = if closed { None } else { Synced::read(self.from)? };
        self.journals(u64::MAX)?;
        let mut catalog = None;
        for _ in 0..ROUNDS {
            let index = self.space(INDEX)?;
            for name in folders(&self.from.join(KEYSPACES_FOLDER))? {
                if name == INDEX || self.spaces.contains(&name) {
                    continue;
                }
                if let Some(current) = self.space(&name)? {
                    if name == CATALOG {
                        catalog = Some(current);
                    }
                    self.spaces.insert(name);
                }
            }
            // Every opening leaves a gap, and may have cut a batch before it.
            self.journals(SEQUENCE_GAP)?;
            if self.current(INDEX)? != index {
                continue;
            }
            // A clean close writes the catalog's space to files before it truncates the journal.
            let truncated = self.is_any_empty()? && self.current(CATALOG)? != catalog;
            if truncated || changed() != opened {
                return Err(Interrupted::Changed);
            }
            if let Some(synced) = synced {
                synced.write_copy(self.to)?;
            }
            return Ok(self.finish()?);
        }
        Err(Interrupted::Changed)
    }

    /// Copies the complete batches that the journals have gained. Sequence numbers that are `gap` or more apart mean
    /// that the database has been opened in between.
    fn journals(&mut self, gap: u64) -> Step<()> {
        let mut numbers: Vec<u64> =
            journal::paths(self.from)?.iter().filter_map(|path| journal::number(path)).collect();
        numbers.sort_unstable();
        for number in numbers {
            let name = journal::name(number);
            if let Some(known) = self.journals.get(&number) {
                if is_replaced(&known.from, &self.from.join(&name))? {
                    return Err(Interrupted::Changed);
                }
                continue;
            }
            let from = match File::open(self.from.join(&name)) {
                Ok(from) => from,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(Interrupted::Changed),
                Err(error) => return Err(error.into()),
            };
            let to = OpenOptions::new().create_new(true).append(true).open(self.to.join(&name))?;
            self.journals.insert(number, Journal { from, to, end: 0 });
        }
        for journal in self.journals.values_mut() {
            if journal.from.metadata()?.len() < journal.end {
                return Err(Interrupted::Changed);
            }
            let found = journal::batches_from(journal.from.try_clone()?, journal.end, self.last)?;
            if found.widest_step >= gap {
                return Err(Interrupted::Changed);
            }
            journal.append(found.end)?;
            self.last = found.last;
        }
        Ok(())
    }

    fn is_any_empty(&self) -> io::Result<bool> {
        for journal in self.journals.values() {
            if journal.from.metadata()?.len() == 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The content of the file `current` of a space; `None` if the space does not exist, or is not complete.
    fn current(&self, space: &str) -> io::Result<Option<Vec<u8>>> {
        read(&self.from.join(KEYSPACES_FOLDER).join(space).join(CURRENT_FILE))
    }

    /// Copies the list of files of a space, and these files. Returns the content of `current`; `None` if the space does
    /// not exist, or is not complete.
    fn space(&self, space: &str) -> Step<Option<Vec<u8>>> {
        let (from, to) = (self.from.join(KEYSPACES_FOLDER).join(space), self.to.join(KEYSPACES_FOLDER).join(space));
        for _ in 0..ROUNDS {
            let Some(current) = self.current(space)? else {
                // It has been dropped, perhaps while it was copied.
                return if to.exists() { fs::remove_dir_all(&to).map(|()| None).map_err(Into::into) } else { Ok(None) };
            };
            // Damage is found when the copy is checked.
            let list = list_number(&current).map(list_name);
            let content = list.as_ref().map(|list| read(&from.join(list))).transpose()?.flatten();
            fs::create_dir_all(&to)?;
            for folder in folders(&from)? {
                fs::create_dir_all(to.join(folder))?;
            }
            for name in names(&from.join(FILES_FOLDER))? {
                file(&from.join(FILES_FOLDER).join(&name), &to.join(FILES_FOLDER).join(&name))?;
            }
            // Then the files that the list names existed throughout, and were complete.
            if self.current(space)?.as_ref() == Some(&current) {
                if let (Some(list), Some(content)) = (list, content) {
                    fs::write(to.join(list), content)?;
                }
                fs::write(to.join(CURRENT_FILE), &current)?;
                return Ok(Some(current));
            }
        }
        Err(Interrupted::Changed)
    }

    /// Copies what follows the batches if it is not one, so that the check finds damage. Creates an empty journal
    /// behind the others, because the last one is synced when the database is opened.
    fn finish(mut self) -> io::Result<()> {
        for journal in self.journals.values_mut() {
            let Some(end) = journal::end_of_content(&mut journal.from, journal.end)? else { continue };
            let mut rest = Vec::new();
            journal.from.seek(SeekFrom::Start(journal.end))?;
            Read::by_ref(&mut journal.from).take(end - journal.end).read_to_end(&mut rest)?;
            // A batch has been written meanwhile. It may belong to a space that has not been copied.
            if !journal::is_batch(&rest) {
                io::Write::write_all(&mut journal.to, &rest)?;
            }
        }
        if let Some((last, _)) = self.journals.last_key_value() {
            File::create_new(self.to.join(journal::name(last + 1)))?;
        }
        Ok(())
    }
}

impl Journal {
    /// Copies what is before `end`.
    fn append(&mut self, end: u64) -> Step<()> {
        self.from.seek(SeekFrom::Start(self.end))?;
        let bytes = end - self.end;
        if io::copy(&mut Read::by_ref(&mut self.from).take(bytes), &mut self.to)? != bytes {
            return Err(Interrupted::Changed);
        }
        self.end = end;
        Ok(())
    }
}

/// Links or copies a file of a table. Does nothing if it has been removed, or has been copied. A file that is not in
/// the list yet may grow; a link grows with it, and a copy of another length is replaced.
fn file(from: &Path, to: &Path) -> io::Result<()> {
    let done = (|| {
        match fs::metadata(to) {
            Ok(copied) if copied.len() == fs::metadata(from)?.len() => return Ok(()),
            Ok(_) => fs::remove_file(to)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        match fs::hard_link(from, to) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => fs::copy(from, to).map(|_| ()),
            linked => linked,
        }
    })();
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}

/// Whether a path leads to another file than the open one. A process that reopens its database in place replaces the
/// journals by copies, and continues in these.
#[cfg(unix)]
fn is_replaced(open: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;

    let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    match fs::metadata(path) {
        Ok(now) => Ok(identity(now) != identity(open.metadata()?)),
        // It has been removed, because its data is in files.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// An open file cannot be replaced.
#[cfg(not(unix))]
fn is_replaced(_open: &File, _path: &Path) -> io::Result<bool> {
    Ok(false)
}

/// The content of a file; `None` if it does not exist.
fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(content) => Ok(Some(content)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The names in a folder; none if it does not exist.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    entries(folder, |_| true)
}

/// The names of the folders in a folder; none if it does not exist.
fn folders(folder: &Path) -> io::Result<Vec<String>> {
    entries(folder, |kind| kind.is_dir())
}

fn entries(folder: &Path, wanted: impl Fn(fs::FileType) -> bool) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry?;
        match entry.file_type() {
            // All names that the store uses are ASCII.
            Ok(kind) if wanted(kind) => names.extend(entry.file_name().into_string()),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(names)
}

/// Removes everything in a folder.
fn clear(folder: &Path) -> io::Result<()> {
    fs::remove_dir_all(folder)?;
    fs::create_dir(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process that reopens its database in place replaces the journals, and continues in the copies.
    #[test]
    fn a_journal_that_was_replaced_is_noticed() {
        let (from, to) = (tempfile::TempDir::new().unwrap(), tempfile::TempDir::new().unwrap());
        let journal = from.path().join(journal::name(3));
        fs::write(&journal, b"").unwrap();
        let mut copier =
            Copier { from: from.path(), to: to.path(), journals: BTreeMap::new(), last: 0, spaces: BTreeSet::new() };
        assert!(copier.journals(u64::MAX).is_ok());
        let draft = from.path().join("3.draft");
        fs::write(&draft, b"").unwrap();
        fs::rename(&draft, &journal).unwrap();
        assert!(matches!(copier.journals(SEQUENCE_GAP), Err(Interrupted::Changed)));
    }
}
