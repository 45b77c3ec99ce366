//! The data folder: whose it is, and in which format.
//!
//! ```text
//! LOCK       held by the process that has the folder open; its number is inside
//! FORMAT     "hjall data format 1": which version of the layout below, and of everything stored, this is
//! data/      the store's files
//! CREATING   the making of `data` has not come to its end: nothing has been stored in it
//! CLOSED     the files of `data` when it was closed; see `closed_list`
//! ```
//! FORMAT comes before any data: whatever is there was written in that format. Only what CREATING stands beside is ever removed.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::fjall::failed_io;
use super::{closed_list, damage};
use crate::error::{Error, ErrorKind, Result};

/// The format that this version writes, and the newest that it reads.
pub const FORMAT: u32 = 1;

const FORMAT_FILE: &str = "FORMAT";
const FORMAT_DRAFT: &str = "FORMAT.new";
const FORMAT_TEXT: &str = "hjall data format ";
const LOCK_FILE: &str = "LOCK";
const DATA_FOLDER: &str = "data";
const CREATING_FILE: &str = "CREATING";

/// A data folder that is ours until this is dropped.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    lock: File,
}

/// Closing the file is not enough: a child process that was forked has it open as well.
impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = self.lock.unlock() {
            tracing::warn!(folder = %self.path.display(), %error, "unlocking the data folder failed");
        }
    }
}

impl Folder {
    /// Takes a folder, making it if need be.
    pub fn open(path: &Path) -> Result<Self> {
        fs::create_dir_all(path)
            .map_err(|error| failed_io(&format!("making the data folder {}", path.display()), error))?;
        let path = path
            .canonicalize()
            .map_err(|error| failed_io(&format!("opening the data folder {}", path.display()), error))?;
        let lock = lock(&path)?;
        let folder = Self { path, lock };
        folder.check_format()?;
        folder.clear_unfinished()?;
        if !folder.is_new() {
            closed_list::check_and_remove(&folder.path)?;
        }
        Ok(folder)
    }

    /// Where the store's files are.
    pub fn data(&self) -> PathBuf {
        self.path.join(DATA_FOLDER)
    }

    fn check_format(&self) -> Result<()> {
        let file = self.path.join(FORMAT_FILE);
        let text = match fs::read_to_string(&file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return self.begin(),
            Err(error) => return Err(failed_io(&format!("reading {}", file.display()), error)),
        };
        let Some(format) = text.trim_end().strip_prefix(FORMAT_TEXT).and_then(|number| number.parse::<u32>().ok())
        else {
            return Err(Error::new(
                ErrorKind::Corrupt,
                format!("{} should say \"{FORMAT_TEXT}{FORMAT}\"; restore the folder from a copy", file.display()),
            ));
        };
        if format > FORMAT {
            return Err(Error::new(
                ErrorKind::NewerFormat,
                format!(
                    "the data in {} has format {format}; this version reads up to {FORMAT}: use the version of hjall that wrote it, or a newer one",
                    self.path.display()
                ),
            ));
        }
        Ok(())
    }

    /// Declares an empty folder ours. One with other things in it is somebody else's.
    fn begin(&self) -> Result<()> {
        let failed = |error| failed_io(&format!("making the data folder {}", self.path.display()), error);
        if self.data().join("keyspaces").exists() {
            return Err(damage::damaged(&self.path.join(FORMAT_FILE), "is missing"));
        }
        for entry in fs::read_dir(&self.path).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            if name != LOCK_FILE && name != FORMAT_DRAFT && name != CREATING_FILE {
                return Err(Error::invalid(format!(
                    "{} is no data folder of hjall and not empty: it holds \"{}\" but no {FORMAT_FILE} file; name another folder, or an empty one",
                    self.path.display(),
                    name.display()
                )));
            }
        }
        File::create(self.path.join(CREATING_FILE)).map_err(failed)?;
        // A crash leaves the whole file or none.
        let draft = self.path.join(FORMAT_DRAFT);
        let mut file = File::create(&draft).map_err(failed)?;
        file.write_all(format!("{FORMAT_TEXT}{FORMAT}\n").as_bytes()).map_err(failed)?;
        file.sync_all().map_err(failed)?;
        fs::rename(&draft, self.path.join(FORMAT_FILE)).map_err(failed)?;
        sync_folder(&self.path).map_err(failed)
    }

    /// Whether the store's files have never been made, or not to their end.
    fn is_new(&self) -> bool {
        self.path.join(CREATING_FILE).exists()
    }

    /// Removes a database whose making was cut short: nothing can have been stored in it.
    fn clear_unfinished(&self) -> Result<()> {
        let data = self.data();
        if !self.is_new() || !data.exists() {
            return Ok(());
        }
        fs::remove_dir_all(&data)
            .map_err(|error| failed_io(&format!("clearing the unfinished {}", data.display()), error))
    }

    /// Looks for damage before the store's files are opened, unless they are to be made.
    ///
    /// # Errors
    /// `Corrupt`: a file is missing or damaged. Nothing has been changed then.
    pub fn check(&self) -> Result<()> {
        if self.is_new() { Ok(()) } else { damage::check(&self.data()) }
    }

    /// The store's files have been made, or opened. Durable, since from here on they may hold data.
    pub fn finish(&self) -> Result<()> {
        if !self.is_new() {
            return Ok(());
        }
        fs::remove_file(self.path.join(CREATING_FILE))
            .and_then(|()| sync_folder(&self.path))
            .map_err(|error| failed_io(&format!("making the data folder {}", self.path.display()), error))
    }

    /// Lists the files of a database that has been closed, for the next opening to compare.
    pub fn list_files(&self) -> std::io::Result<()> {
        closed_list::write(&self.path, DATA_FOLDER)
    }

    /// Empties the journal of a database that has been closed with everything in its files, so that the next opening need not read it. The
    /// file stays: from its absence fjall would conclude that there has never been one.
    pub fn empty_journal(&self) -> std::io::Result<()> {
        let mut journals = Vec::new();
        for entry in fs::read_dir(self.data())? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "jnl") {
                journals.push(path);
            }
        }
        // With several, older ones wait for something: leave them be.
        if let [journal] = &journals[..] {
            let file = OpenOptions::new().write(true).open(journal)?;
            file.set_len(0)?;
            file.sync_all()?;
        }
        Ok(())
    }
}

fn lock(folder: &Path) -> Result<File> {
    let path = folder.join(LOCK_FILE);
    let failed = |error| failed_io(&format!("locking {}", path.display()), error);
    let mut file =
        OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            // Told if it can be read; the lock counts either way.
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
                    "the data folder {} is in use: {holder} holds {}; stop it, or name another folder",
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

/// Makes the names in a folder durable.
/// Makes the entries of a folder durable.
pub(crate) fn sync_folder(path: &Path) -> std::io::Result<()> {
    // Elsewhere folders cannot be opened as files, nor need they be.
    if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
}
