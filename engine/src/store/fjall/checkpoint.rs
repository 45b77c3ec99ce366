//! Copies of the files of an open database, for incremental backups.
//!
//! Files of tables never change, so they are linked, or taken from an earlier copy, or copied. Journals only grow
//! until they are removed. Everything large is done without locks. Then commits are kept out while the ends of the
//! journals and the lists of files are copied, in this order: what a flush removes from a journal meanwhile is in a
//! list of files that is copied later. The result is what a crash at that moment would leave.

use std::any::Any;
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fjall::{AbstractTree, Keyspace};

use super::database::{Database, open_keyspace};
use super::failure::failed_io;
use crate::error::{Error, Result};
use crate::store::SpaceOptions;
use crate::store::compaction_control::gave_way;
use crate::store::file_names::{CURRENT_FILE, FILES_FOLDER, INDEX, KEYSPACES_FOLDER, list_name, list_number};
use crate::store::folder::{sync_file, sync_folder};
use crate::store::journal::{self, Synced};

/// The bytes at the end of a file of a table by which it is recognised. They contain when and by what it was written.
const TAIL_BYTES: u64 = 4096;

/// The longest wait for a list of files that is being replaced.
const LIST_WAIT: Duration = Duration::from_secs(10);

/// Called with the bytes of each file. An error from it ends the copy.
pub(super) type Report<'a> = &'a mut dyn FnMut(u64) -> Result<()>;

/// The list of files of a space.
struct Listed {
    /// The name and the content of its file, and the content of the file that names it.
    name: String,
    list: Vec<u8>,
    current: Vec<u8>,
    /// The files that it names.
    numbers: BTreeSet<u64>,
    /// fjall's version of the files. They stay while it is held.
    _version: Box<dyn Any>,
}

struct Copier<'a> {
    from: &'a Path,
    to: &'a Path,
    earlier: Option<&'a Path>,
}

impl Database {
    /// Copies the files of the database to a folder that is empty. `earlier` is the same folder of an earlier copy,
    /// whose files of tables may be used.
    ///
    /// # Errors
    /// `Busy`: the database is being closed or reopened. `Io`, `DiskFull`, the failure after which the database
    /// accepts no writes, and those of `report`.
    pub fn copy_files(&self, to: &Path, earlier: Option<&Path>, report: Report<'_>) -> Result<()> {
        let copier = Copier { from: &self.path, to, earlier };
        let failed = |error| failed_io(&format!("copying files to {}", to.display()), error);
        // A rewriting makes keyspaces that are not spaces.
        let _no_rewriting = self.rewrites.running();
        let _call = self.begin_long_call()?;
        let mut report = |bytes| if self.give_way.is_asked() { Err(gave_way()) } else { report(bytes) };
        let report: Report<'_> = &mut report;
        // Before the journals are copied, which only grow.
        let synced = Synced::read(&self.path).map_err(|error| failed_io("reading what has been synced", error))?;
        for space in self.spaces() {
            copier.files(&space.keyspace, report)?;
        }
        copier.journals(report)?;
        let creating = self.creating.lock();
        let mut lists = Vec::new();
        {
            let _committing = self.committing.lock();
            self.check_copyable()?;
            copier.journals(&mut |_| Ok(()))?;
            // Including the staging keyspaces of bulk loads, and keyspaces that loads have replaced, which are in the
            // index. An opening of the copy drops them.
            for name in self.inner.list_keyspace_names() {
                let keyspace = open_keyspace(&self.inner, &name, &SpaceOptions::default())?;
                let listed = read_list(&keyspace).map_err(failed)?;
                lists.push((keyspace, listed));
            }
        }
        if let Some(synced) = synced {
            synced.write_copy(to).map_err(failed)?;
        }
        copier.index().map_err(failed)?;
        drop(creating);
        // Not while commits are kept out: each list is synced.
        for (keyspace, listed) in &lists {
            report(copier.list(keyspace, listed).map_err(failed)?)?;
        }
        copier.remove_dropped(&lists).map_err(failed)?;
        for (keyspace, listed) in &lists {
            copier.numbered(keyspace, &listed.numbers, report)?;
            copier.remove_others(keyspace, &listed.numbers).map_err(failed)?;
        }
        fs::copy(self.path.join("version"), to.join("version")).map_err(failed)?;
        File::create(to.join("lock")).map_err(failed)?;
        copier.sync(to).map_err(failed)
    }

    /// Checks that no write has failed. The end of the journals is not known then.
    ///
    /// # Errors
    /// The failure, with the folder, since the copy may be on another disk.
    pub(super) fn check_copyable(&self) -> Result<()> {
        let Some(failure) = self.failure() else { return Ok(()) };
        Err(Error::new(
            failure.kind(),
            format!(
                "the database in {} refuses writes after a failure, and its files cannot be copied until it accepts them \
                 again: {}",
                self.folder().display(),
                failure.message()
            ),
        ))
    }
}

impl Copier<'_> {
    fn folder(&self, keyspace: &Keyspace) -> PathBuf {
        let name = keyspace.path().file_name().map(PathBuf::from).unwrap_or_default();
        self.to.join(KEYSPACES_FOLDER).join(name)
    }

    /// Copies the files of a space that it has now.
    fn files(&self, keyspace: &Keyspace, report: Report<'_>) -> Result<()> {
        let version = keyspace.tree.current_version();
        let numbers = version.iter_tables().map(|table| table.id()).collect();
        self.numbered(keyspace, &numbers, report)
    }

    fn numbered(&self, keyspace: &Keyspace, numbers: &BTreeSet<u64>, report: Report<'_>) -> Result<()> {
        let to = self.folder(keyspace);
        let failed = |error| failed_io(&format!("copying files to {}", to.display()), error);
        for entry in fs::read_dir(keyspace.path()).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if entry.file_type().map_err(failed)?.is_dir() {
                fs::create_dir_all(to.join(entry.file_name())).map_err(failed)?;
            }
        }
        for number in numbers {
            let bytes = self.file(&keyspace.path().join(FILES_FOLDER).join(number.to_string())).map_err(failed)?;
            report(bytes)?;
        }
        Ok(())
    }

    /// Copies a file of a table, unless that has been done. Returns its length.
    fn file(&self, from: &Path) -> io::Result<u64> {
        let name = from.strip_prefix(self.from).map_err(io::Error::other)?;
        let to = self.to.join(name);
        if to.exists() {
            return Ok(0);
        }
        let bytes = fs::metadata(from)?.len();
        if fs::hard_link(from, &to).is_ok() {
            return Ok(bytes);
        }
        if let Some(earlier) = self.earlier.map(|earlier| earlier.join(name))
            && same_file(from, &earlier).unwrap_or(false)
            && fs::hard_link(&earlier, &to).is_ok()
        {
            return Ok(bytes);
        }
        fs::copy(from, &to)?;
        sync_file(&to)?;
        Ok(bytes)
    }

    /// Writes the list of files of a space. Returns the number of bytes.
    fn list(&self, keyspace: &Keyspace, listed: &Listed) -> io::Result<u64> {
        let to = self.folder(keyspace);
        // A space that was created since the files were copied has no folder yet.
        fs::create_dir_all(&to)?;
        write(&to.join(&listed.name), &listed.list)?;
        write(&to.join(CURRENT_FILE), &listed.current)?;
        Ok((listed.list.len() + listed.current.len()) as u64)
    }

    /// Copies the index, which is changed only by those who create and drop spaces.
    fn index(&self) -> io::Result<()> {
        let (from, to) = (self.from.join(KEYSPACES_FOLDER).join(INDEX), self.to.join(KEYSPACES_FOLDER).join(INDEX));
        copy_tree(&from, &to)
    }

    /// Removes the folders of spaces that were dropped while files were copied.
    fn remove_dropped(&self, lists: &[(Keyspace, Listed)]) -> io::Result<()> {
        let kept: BTreeSet<PathBuf> = lists.iter().map(|(keyspace, _)| self.folder(keyspace)).collect();
        for entry in fs::read_dir(self.to.join(KEYSPACES_FOLDER))? {
            let path = entry?.path();
            if !kept.contains(&path) && path.file_name().is_some_and(|name| name != INDEX) {
                fs::remove_dir_all(path)?;
            }
        }
        Ok(())
    }

    /// Removes files of a space that were copied, but are not listed.
    fn remove_others(&self, keyspace: &Keyspace, listed: &BTreeSet<u64>) -> io::Result<()> {
        for entry in fs::read_dir(self.folder(keyspace).join(FILES_FOLDER))? {
            let path = entry?.path();
            let number = path.file_name().and_then(|name| name.to_str()?.parse::<u64>().ok());
            if !number.is_some_and(|number| listed.contains(&number)) {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }

    /// Copies what the journals have gained since the last call.
    fn journals(&self, report: Report<'_>) -> Result<()> {
        let failed = |error| failed_io(&format!("copying the journals to {}", self.to.display()), error);
        let mut names = BTreeSet::new();
        for from in journal::paths(self.from).map_err(failed)? {
            let Some(name) = from.file_name() else { continue };
            let to = self.to.join(name);
            match append(&from, &to) {
                Ok(bytes) => report(bytes)?,
                // A flush has made it unnecessary.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(failed(error)),
            }
            names.insert(to);
        }
        for staged in journal::paths(self.to).map_err(failed)?.into_iter().filter(|path| !names.contains(path)) {
            fs::remove_file(staged).map_err(failed)?;
        }
        Ok(())
    }

    /// Makes the journals and the names of all files durable.
    fn sync(&self, folder: &Path) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                self.sync(&entry.path())?;
            } else if folder == self.to {
                sync_file(&entry.path())?;
            }
        }
        sync_folder(folder)
    }
}

/// Reads the current list of files of a space.
fn read_list(keyspace: &Keyspace) -> io::Result<Listed> {
    let (from, began) = (keyspace.path(), Instant::now());
    loop {
        let version = keyspace.tree.current_version();
        let current = fs::read(from.join(CURRENT_FILE))?;
        if list_number(&current) == Some(version.id()) {
            let name = list_name(version.id());
            match fs::read(from.join(&name)) {
                Ok(list) if fs::read(from.join(CURRENT_FILE))? == current => {
                    let numbers = version.iter_tables().map(|table| table.id()).collect();
                    return Ok(Listed { name, list, current, numbers, _version: Box::new(version) });
                }
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        if began.elapsed() > LIST_WAIT {
            return Err(io::Error::other(format!("the list of files in {} keeps changing", from.display())));
        }
        std::thread::sleep(Duration::from_micros(100));
    }
}

/// Appends to a copy of a journal what the journal has gained. Returns the number of bytes.
fn append(from: &Path, to: &Path) -> io::Result<u64> {
    let mut from = File::open(from)?;
    let mut to = OpenOptions::new().create(true).append(true).open(to)?;
    let at = to.metadata()?.len();
    let Some(end) = journal::end_of_content(&mut from, at)? else { return Ok(0) };
    from.seek(SeekFrom::Start(at))?;
    io::copy(&mut from.take(end - at), &mut to)
}

fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &to)?;
        } else {
            write(&to, &fs::read(entry.path())?)?;
        }
    }
    Ok(())
}

fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    fs::write(path, content)?;
    sync_file(path)
}

/// Whether two files of tables are the same one, by their lengths and ends.
fn same_file(a: &Path, b: &Path) -> io::Result<bool> {
    let tail = |path: &Path| {
        let mut file = File::open(path)?;
        let bytes = file.metadata()?.len();
        file.seek(SeekFrom::Start(bytes.saturating_sub(TAIL_BYTES)))?;
        let mut tail = Vec::new();
        file.read_to_end(&mut tail)?;
        io::Result::Ok((bytes, tail))
    };
    Ok(tail(a)? == tail(b)?)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use tempfile::TempDir;

    use super::*;
    use crate::store::active_transaction::Write;
    use crate::store::fjall::database::Patience;
    use crate::store::fjall::test_database::{SPACE, open};

    #[test]
    fn writes_do_not_wait_while_lists_of_files_are_written() {
        let folder = TempDir::new().unwrap();
        let (_holder, database, keyspace) = open(&folder);
        let (key, value) = (Bytes::from_static(b"a"), Some(Bytes::from_static(b"1")));
        database.commit(&mut vec![Write { space: SPACE, key, value }], 1, Patience::Unlimited).unwrap();
        database.flush(&keyspace).unwrap();
        let to = folder.path().join("copy");
        fs::create_dir_all(to.join(KEYSPACES_FOLDER)).unwrap();
        let lists = || {
            let entries = fs::read_dir(to.join(KEYSPACES_FOLDER)).unwrap();
            entries.filter(|entry| entry.as_ref().unwrap().path().join(CURRENT_FILE).exists()).count()
        };
        let mut reported = BTreeSet::new();
        let mut report = |_| {
            // Another thread may commit for a moment.
            let committing = database.committing.try_lock_for(Duration::from_secs(60));
            assert!(committing.is_some());
            reported.insert(lists());
            Ok(())
        };
        database.copy_files(&to, None, &mut report).unwrap();
        assert!(reported.contains(&(lists() - 1)), "before the last list: {reported:?}");
    }
}
