//! The data folder: its lock, its format, and its creation.
//!
//! ```text
//! LOCK       locked by the process that has the folder open; contains the process id
//! FORMAT     "hjall data format 1": the version of this layout and of everything stored
//! data/      the files of the store
//! CREATING   exists while `data` is being created and nothing has been stored in it
//! INDEX      a copy of the list of files of the index of spaces; see `index_copy`
//! CLOSED     the files of `data` at the last clean close; see `file_manifest`
//! PROBE      exists while a check whether the folder can be written is running; its content has no meaning
//! BACKUP     exists in an incremental backup that has not been opened for writing; see `database::backup`
//! ```
//! FORMAT is written before any data, so all data has the format that it names. `data` is removed only if CREATING
//! exists.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::file_names::KEYSPACES_FOLDER;
use super::fjall::failed_io;
use super::{corruption, file_manifest, journal, private_copy, private_folder, temporary_folder};
use crate::error::{Error, ErrorKind, Result};

/// The format that this version writes, and the newest one that it reads.
pub const FORMAT: u32 = 1;

const FORMAT_FILE: &str = "FORMAT";
const FORMAT_DRAFT: &str = "FORMAT.new";
const FORMAT_TEXT: &str = "hjall data format ";
const LOCK_FILE: &str = "LOCK";
const DATA_FOLDER: &str = "data";
/// The file in it that fjall locks.
const DATA_LOCK_FILE: &str = "lock";
const CREATING_FILE: &str = "CREATING";
const PROBE_FILE: &str = "PROBE";
/// The beginning of the names of scratch folders.
const SCRATCH_FOLDER: &str = "COPYING-";

/// How often a folder is locked again because it was replaced.
const LOCK_ATTEMPTS: usize = 10;

/// Bytes that [`Folder::probe`] writes. More than the blocks that file systems keep within the entry of a file.
const PROBE_BYTES: usize = 64 << 10;

/// A data folder, locked until this value is dropped.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    lock: FolderLock,
    /// The folder of which this one is a temporary copy. The copy is removed when this value is dropped.
    original: Option<PathBuf>,
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Before the folder is unlocked.
        if self.original.is_some() {
            temporary_folder::remove(&self.path);
        }
    }
}

/// Whether a path is a data folder, by the file that every data folder contains.
pub(crate) fn is_data_folder(path: &Path) -> bool {
    path.join(FORMAT_FILE).is_file() && path.join(LOCK_FILE).is_file()
}

/// An exclusive lock on a data folder, released on drop.
#[derive(Debug)]
pub(crate) struct FolderLock {
    file: File,
    path: PathBuf,
    /// Whether the file could be recognised at its path. Not all file systems tell whether two files are the same.
    is_recognisable: bool,
}

impl FolderLock {
    /// Locks a data folder, and creates the file that is locked if it does not exist.
    ///
    /// # Errors
    /// `Locked`, `Io`.
    pub fn take(folder: &Path) -> Result<Self> {
        let mut lock = Self::take_once(folder)?;
        // A backup may have replaced the folder after the file was opened. It holds the lock until then.
        for _ in 1..LOCK_ATTEMPTS {
            if lock.is_recognisable {
                break;
            }
            drop(lock);
            lock = Self::take_once(folder)?;
        }
        // A process that has the folder open does not hold this lock if the file was removed.
        lock_data(folder)?;
        Ok(lock)
    }

    fn take_once(folder: &Path) -> Result<Self> {
        let path = folder.join(LOCK_FILE);
        let file = lock(folder, &path)?;
        let is_recognisable = is_at(&file, &path);
        Ok(Self { file, path: folder.to_owned(), is_recognisable })
    }

    /// Checks that the folder is still the one that was locked.
    ///
    /// # Errors
    /// `Io`: it was removed or replaced.
    fn check(&self) -> Result<()> {
        let path = self.path.join(LOCK_FILE);
        if !self.is_recognisable || is_at(&self.file, &path) {
            return Ok(());
        }
        if self.path.try_exists().is_ok_and(|exists| !exists) {
            return Err(removed(&self.path));
        }
        Err(Error::new(
            ErrorKind::Io,
            format!(
                "writes are refused, because the data folder {} was replaced while this process had it open, or its file \
                 {} was removed or replaced; stop this process, and check the folder before it is opened again",
                self.path.display(),
                path.display()
            ),
        ))
    }
}

/// Closing the file would not unlock it while a forked child process has it open.
impl Drop for FolderLock {
    fn drop(&mut self) {
        if let Err(error) = self.file.unlock() {
            tracing::warn!(folder = %self.path.display(), %error, "unlocking the data folder failed");
        }
    }
}

impl Folder {
    /// Locks a folder, and creates it if it does not exist.
    ///
    /// # Errors
    /// `Locked`, `NewerFormat`, `Corrupt`, `Io`. `InvalidArgument`: the folder is not a data folder and not empty.
    pub fn open(path: &Path) -> Result<Self> {
        private_folder::create_unless_exists(path)
            .map_err(|error| failed_io(&format!("creating the data folder {}", path.display()), error))?;
        let path = path
            .canonicalize()
            .map_err(|error| failed_io(&format!("opening the data folder {}", path.display()), error))?;
        let lock = FolderLock::take(&path)?;
        let folder = Self { path, lock, original: None };
        folder.check_format()?;
        // Not before it is known to be a data folder: another folder must not be restricted.
        private_folder::warn_if_accessible(&folder.path);
        folder.clear_unfinished()?;
        remove_probe(&folder.path);
        folder.remove_scratch();
        if !folder.is_new() {
            if file_manifest::is_there(&folder.path) && folder.has_empty_journal() {
                // Whatever says how far it has been synced came from elsewhere.
                journal::forget(&folder.data())
                    .map_err(|error| failed_io(&format!("opening the data folder {}", folder.path.display()), error))?;
            }
            file_manifest::check_and_remove(&folder.path)?;
        }
        Ok(folder)
    }

    /// Makes a temporary copy of a data folder, which may be in use. The folder itself is not changed. Later writes to
    /// it do not appear in the copy.
    ///
    /// # Errors
    /// `InvalidArgument`: there is no data folder at `path`. `Busy`: it is being created, or changed too often.
    /// `NewerFormat`, `Corrupt`, `Io`, `DiskFull`.
    pub fn open_copy(path: &Path) -> Result<Self> {
        let absent = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Error::invalid(format!(
                "there is no database in {} to open for reading only; name its folder, or create it by opening it for \
                 writing",
                path.display()
            )),
            _ => failed_io(&format!("opening the data folder {}", path.display()), error),
        };
        let path = path.canonicalize().map_err(absent)?;
        if !check_stored_format(&path)? {
            return Err(absent(io::ErrorKind::NotFound.into()));
        }
        if path.join(CREATING_FILE).exists() {
            return Err(Error::new(
                ErrorKind::Busy,
                format!(
                    "the database in {} is still being created; try again, or open it for writing if that was \
                     interrupted",
                    path.display()
                ),
            ));
        }
        let (copy, lock) = temporary_folder::create(&path, FORMAT_FILE).map_err(|error| {
            let place = std::env::temp_dir();
            let message = format!(
                "creating a folder for a temporary copy in {} failed ({error}); set TMPDIR to a folder that this user \
                 can write to",
                place.display()
            );
            Error::new(ErrorKind::Io, message).with_source(error)
        })?;
        let folder = Self { path: copy, lock, original: Some(path.clone()) };
        let data = Self::prepare_copy(&folder.path)?;
        private_copy::copy(&Self::data_of(&path), &data, &path.join(LOCK_FILE))?;
        Ok(folder)
    }

    /// The folder that messages name: this one, or the one of which it is a copy.
    pub fn named(&self) -> &Path {
        self.original.as_ref().unwrap_or(&self.path)
    }

    /// The folder of the store's files.
    pub fn data(&self) -> PathBuf {
        self.path.join(DATA_FOLDER)
    }

    fn check_format(&self) -> Result<()> {
        if check_stored_format(&self.path)? { Ok(()) } else { self.begin() }
    }

    /// Begins a data folder in an empty folder.
    fn begin(&self) -> Result<()> {
        let failed = |error| failed_io(&format!("creating the data folder {}", self.path.display()), error);
        if self.data().join(KEYSPACES_FOLDER).exists() {
            return Err(corruption::damaged(&self.path.join(FORMAT_FILE), "is missing"));
        }
        for entry in fs::read_dir(&self.path).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            if name != LOCK_FILE && name != FORMAT_DRAFT && name != CREATING_FILE {
                return Err(Error::invalid(format!(
                    "{} is not a data folder of hjall and not empty: it contains \"{}\" but no {FORMAT_FILE} file; \
                     name a data folder, or an empty folder for a new database",
                    self.path.display(),
                    name.display()
                )));
            }
        }
        File::create(self.path.join(CREATING_FILE)).map_err(failed)?;
        write_format(&self.path).map_err(failed)
    }

    /// Makes an empty folder a data folder without files of the store. Returns the folder for these.
    ///
    /// # Errors
    /// `Io`, `DiskFull`.
    pub fn prepare_copy(path: &Path) -> Result<PathBuf> {
        let data = Self::data_of(path);
        fs::create_dir(&data)
            .and_then(|()| write_format(path))
            .map_err(|error| failed_io(&format!("creating the data folder {}", path.display()), error))?;
        Ok(data)
    }

    /// Creates an empty folder in a data folder, and so on its file system.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn create_scratch(path: &Path) -> io::Result<PathBuf> {
        let mut number = 0_u32;
        loop {
            let scratch = path.join(format!("{SCRATCH_FOLDER}{number}"));
            match private_folder::create(&scratch) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                created => return created.map(|()| scratch),
            }
        }
    }

    /// Removes the scratch folders of a process that was killed. They take space, but do no harm.
    fn remove_scratch(&self) {
        let entries = fs::read_dir(&self.path).into_iter().flatten().filter_map(io::Result::ok);
        for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(SCRATCH_FOLDER)) {
            temporary_folder::remove(&entry.path());
        }
    }

    /// The folder of the store's files in a data folder.
    pub fn data_of(path: &Path) -> PathBuf {
        path.join(DATA_FOLDER)
    }

    /// Whether the only journal is empty, as [`Self::empty_journals`] leaves it.
    fn has_empty_journal(&self) -> bool {
        let journals = journal::paths(&self.data()).unwrap_or_default();
        matches!(&journals[..], [journal] if fs::metadata(journal).is_ok_and(|journal| journal.len() == 0))
    }

    /// Whether the store's files have not been created completely.
    pub fn is_new(&self) -> bool {
        self.path.join(CREATING_FILE).exists()
    }

    /// Removes a store whose creation was interrupted. Nothing can have been stored in it.
    fn clear_unfinished(&self) -> Result<()> {
        let data = self.data();
        if !self.is_new() || !data.exists() {
            return Ok(());
        }
        fs::remove_dir_all(&data)
            .map_err(|error| failed_io(&format!("removing the incomplete folder {}", data.display()), error))
    }

    /// Checks that the folder is still the one that was locked. A copy is not checked.
    ///
    /// # Errors
    /// `Io`: it was removed or replaced.
    pub fn check_unreplaced(&self) -> Result<()> {
        if self.is_copy() { Ok(()) } else { self.lock.check() }
    }

    /// Checks the store's files for damage before they are opened, and makes the journals durable. Does nothing if the
    /// files have not been created yet. Returns the number of batches in the journals.
    ///
    /// # Errors
    /// `Corrupt`: a file is missing or damaged. `Locked`: another process uses the files. Nothing has been changed.
    /// `Io`, `DiskFull`.
    pub fn check(&self) -> Result<u64> {
        self.check_unreplaced()?;
        if self.is_new() {
            return Ok(0);
        }
        let _unused = lock_data(&self.path)?;
        let journals = corruption::check(&self.data())?;
        if !self.is_copy() {
            journal::make_durable(&self.data(), &journals)?;
        }
        Ok(journals.iter().map(journal::Checked::batches).sum())
    }

    /// Checks that a file can be written to the folder, synced and removed.
    ///
    /// # Errors
    /// `Io`, `DiskFull`.
    pub fn probe(&self) -> Result<()> {
        write_probe(&self.path).map_err(|error| {
            let doing = format!(
                "an earlier write failed, and writes are refused until the folder can be written: writing {}",
                self.path.join(PROBE_FILE).display()
            );
            failed_io(&doing, error)
        })
    }

    /// Whether this is a copy, whose files no later opening reads.
    pub fn is_copy(&self) -> bool {
        self.original.is_some()
    }

    /// Ends the creation of the store's files, durably, because they may contain data from here on. Does nothing if it
    /// has ended.
    pub fn finish(&self) -> Result<()> {
        if !self.is_new() {
            return Ok(());
        }
        fs::remove_file(self.path.join(CREATING_FILE))
            .and_then(|()| sync_folder(&self.path))
            .map_err(|error| failed_io(&format!("creating the data folder {}", self.path.display()), error))
    }

    /// Writes the list of files of a closed store, which the next opening compares with the folder.
    pub fn list_files(&self) -> std::io::Result<()> {
        file_manifest::write(&self.path, DATA_FOLDER)
    }

    /// Empties the journals of a store that was closed with all data in its files, so that the next opening has nothing
    /// to replay and misses no journal. One of them remains, because fjall would treat a folder without a journal as
    /// new.
    pub fn empty_journals(&self) -> std::io::Result<()> {
        journal::empty(&self.data())
    }
}

/// Checks that a file can be written to a data folder, synced and removed.
///
/// # Errors
/// Those of the file system.
pub(super) fn write_probe(folder: &Path) -> io::Result<()> {
    let written = File::create(folder.join(PROBE_FILE)).and_then(|mut file| {
        file.write_all(&[0; PROBE_BYTES])?;
        file.sync_all()
    });
    remove_probe(folder);
    written
}

/// Removes what an interrupted probe has left. It takes space, but does no harm.
fn remove_probe(folder: &Path) {
    if let Err(error) = fs::remove_file(folder.join(PROBE_FILE))
        && error.kind() != io::ErrorKind::NotFound
    {
        tracing::debug!(folder = %folder.display(), %error, "the file {PROBE_FILE} could not be removed");
    }
}

/// The error of writes after a data folder was removed.
pub(super) fn removed(folder: &Path) -> Error {
    let message = format!(
        "writes are refused, because the folder {} was removed or renamed; restore it, or close the database",
        folder.display()
    );
    Error::new(ErrorKind::Io, message).with_source(io::Error::from(io::ErrorKind::NotFound))
}

/// Whether a folder names its format, and this version can read it.
///
/// # Errors
/// `NewerFormat`, `Corrupt`, `Io`.
fn check_stored_format(folder: &Path) -> Result<bool> {
    let file = folder.join(FORMAT_FILE);
    let text = match fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(failed_io(&format!("reading {}", file.display()), error)),
    };
    let Some(format) = text.trim_end().strip_prefix(FORMAT_TEXT).and_then(|number| number.parse::<u32>().ok()) else {
        return Err(Error::new(
            ErrorKind::Corrupt,
            format!(
                "{} is damaged: it must contain \"{FORMAT_TEXT}{FORMAT}\"; write that, or restore the folder from a \
                 backup",
                file.display()
            ),
        ));
    };
    if format > FORMAT {
        return Err(Error::new(
            ErrorKind::NewerFormat,
            format!(
                "the data in {} has format {format}, but this version of hjall reads formats up to {FORMAT}; use the \
                 version that wrote the data, or a newer one",
                folder.display()
            ),
        ));
    }
    Ok(true)
}

/// Writes the format, under another name first, so that a crash leaves either the complete file or none.
fn write_format(folder: &Path) -> std::io::Result<()> {
    let content = format!("{FORMAT_TEXT}{FORMAT}\n");
    replace_file(&folder.join(FORMAT_FILE), &folder.join(FORMAT_DRAFT), content.as_bytes())
}

/// Whether an open file is the one at this path.
#[cfg(unix)]
pub(crate) fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let place = |metadata: &fs::Metadata| (metadata.dev(), metadata.ino());
    matches!((file.metadata(), fs::metadata(path)), (Ok(open), Ok(stored)) if place(&open) == place(&stored))
}

/// Such a file cannot be removed while it is open.
#[cfg(not(unix))]
pub(crate) fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// Locks the file at `path`, which belongs to `folder`.
fn lock(folder: &Path, path: &Path) -> Result<File> {
    let failed = |error| failed_io(&format!("locking {}", path.display()), error);
    let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            // The holder is named if the file can be read.
            let holder = match file.read_to_string(&mut holder) {
                Ok(_) if holder.trim() == std::process::id().to_string() => {
                    return Err(Error::new(
                        ErrorKind::Locked,
                        format!("the data folder {} is open in this process; close it first", folder.display()),
                    ));
                }
                Ok(_) if !holder.trim().is_empty() => format!("process {}", holder.trim()),
                _ => "another process".to_owned(),
            };
            return Err(Error::new(
                ErrorKind::Locked,
                format!(
                    "the data folder {} is in use: {holder} has locked {}; stop it, or use another folder",
                    folder.display(),
                    path.display()
                ),
            ));
        }
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    file.set_len(0).map_err(failed)?;
    file.rewind().map_err(failed)?;
    file.write_all(format!("{}\n", std::process::id()).as_bytes()).map_err(failed)?;
    Ok(file)
}

/// Locks the files of a folder's store until the file is dropped; `None` if there are none yet.
///
/// # Errors
/// `Locked`, `Io`.
fn lock_data(folder: &Path) -> Result<Option<File>> {
    let path = Folder::data_of(folder).join(DATA_LOCK_FILE);
    let failed = |error| failed_io(&format!("locking {}", path.display()), error);
    let file = match OpenOptions::new().read(true).write(true).open(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(failed)?,
    };
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Err(Error::new(
            ErrorKind::Locked,
            format!(
                "the data folder {} is in use: a process has locked {}, although {} was removed or replaced meanwhile; \
                 stop it, or use another folder",
                folder.display(),
                path.display(),
                folder.join(LOCK_FILE).display()
            ),
        )),
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

/// Makes the content of a file durable.
pub(crate) fn sync_file(path: &Path) -> io::Result<()> {
    OpenOptions::new().write(true).open(path)?.sync_all()
}

/// Makes the entries of a folder durable.
pub(crate) fn sync_folder(path: &Path) -> std::io::Result<()> {
    // Other systems cannot open folders as files, and do not need this.
    if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
}

/// Creates or replaces a file with this content, durably. A crash leaves the old file or the new one, and perhaps the
/// draft.
pub(crate) fn replace_file(file: &Path, draft: &Path, content: &[u8]) -> io::Result<()> {
    let mut written = File::create(draft)?;
    written.write_all(content)?;
    put_in_place(&written, draft, file)
}

/// Makes a draft durable, which is open as `written`, and moves it to the place of a file.
pub(crate) fn put_in_place(written: &File, draft: &Path, file: &Path) -> io::Result<()> {
    written.sync_all()?;
    fs::rename(draft, file)?;
    file.parent().map_or(Ok(()), sync_folder)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use tempfile::TempDir;

    use super::*;
    use crate::mutation::Durability;
    use crate::store::fjall::FjallStore;
    use crate::store::{SpaceOptions, StoreOptions};

    fn copy(from: &Path, to: &Path) {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap().map(io::Result::unwrap) {
            let to = to.join(entry.file_name());
            if entry.file_type().unwrap().is_dir() {
                copy(&entry.path(), &to);
            } else {
                fs::copy(entry.path(), to).unwrap();
            }
        }
    }

    /// A replaced keyspace may keep journals from being emptied when the store is closed. The list of its files has the
    /// file that says how far they have been synced, too.
    #[test]
    fn a_folder_that_was_closed_with_journals_is_opened() {
        let folder = TempDir::new().unwrap();
        let (open, closed) = (folder.path().join("open"), folder.path().join("closed"));
        let store = FjallStore::open(&open, StoreOptions::default()).unwrap();
        store.create_space(7, &SpaceOptions::default()).unwrap();
        let key = Bytes::from_static(b"a");
        let rows = std::slice::from_ref(&key);
        let mut put = |t: &mut dyn crate::store::Transaction| {
            t.put(7, key.clone(), Bytes::from_static(b"1"));
            Ok(())
        };
        store.transact(rows, Durability::FsyncWal, &mut put).unwrap();
        for is_missing in [false, true] {
            let closed = closed.join(is_missing.to_string());
            copy(&open, &closed);
            file_manifest::write(&closed, DATA_FOLDER).unwrap();
            let synced = closed.join(DATA_FOLDER).join("synced");
            assert!(synced.exists());
            if is_missing {
                fs::remove_file(synced).unwrap();
            }
            let store = FjallStore::open(&closed, StoreOptions::default()).unwrap();
            assert_eq!(store.snapshot().unwrap().get(7, b"a").unwrap(), Some(Bytes::from_static(b"1")));
            store.close().unwrap();
        }
    }
}
