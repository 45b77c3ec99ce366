//! Detection of damage to the small files by which fjall finds its data.
//!
//! fjall writes a checksum of each list of files and does not compare it. A list that can be read, but lacks files,
//! would make it remove them, and a damaged list of its index of spaces, all spaces.
//!
//! fjall creates a database where the file `version` is missing, and removes the folder of a space whose file `current`
//! is missing, because a crash may have interrupted the creation of the space. A marker file distinguishes the two
//! cases: `SPACE` is written to the folder of a space after the space was created, and removed before the space is
//! dropped. A folder that contains it contains data.

use std::fs;
use std::io;
use std::path::Path;

use super::SpaceId;
use super::contents;
use super::file_names::{CURRENT_FILE, FILES_FOLDER, INDEX, KEYSPACES_FOLDER, list_name};
use super::fjall::failed_io;
use super::folder::sync_folder;
use super::index_copy::{self, Current};
use super::journal;
use crate::error::{Error, ErrorKind, Result};

/// The content of fjall 3's file `version`.
const VERSION: &[u8] = b"FJL\x03";

/// The marker file of a complete space. It contains the space's number as text, for human readers.
const SPACE_FILE: &str = "SPACE";

/// The error of a file that is missing or damaged.
pub(super) fn damaged(file: &Path, how: &str) -> Error {
    Error::new(
        ErrorKind::Corrupt,
        format!(
            "{} {how}; nothing has been changed: put the file back, or restore the whole data folder from a backup",
            file.display()
        ),
    )
}

/// Marks a space as complete.
pub(super) fn mark_space(folder: &Path, space: SpaceId) -> Result<()> {
    let file = folder.join(SPACE_FILE);
    if file.exists() {
        return Ok(());
    }
    fs::write(&file, format!("{space}\n")).map_err(|error| failed_io(&format!("writing {}", file.display()), error))
}

/// Removes the mark of a space that is about to be dropped. Durably, or a power failure while fjall removes the other
/// files could leave what looks like a damaged space.
pub(super) fn unmark_space(folder: &Path) -> Result<()> {
    let file = folder.join(SPACE_FILE);
    match fs::remove_file(&file) {
        Ok(()) => sync_folder(folder).map_err(|error| failed_io(&format!("removing {}", file.display()), error)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(failed_io(&format!("removing {}", file.display()), error)),
    }
}

/// Makes the names of new spaces durable. fjall syncs the content of a new space only.
pub(super) fn sync_spaces(data: &Path) -> Result<()> {
    let spaces = data.join(KEYSPACES_FOLDER);
    sync_folder(&spaces).map_err(|error| failed_io(&format!("syncing {}", spaces.display()), error))
}

/// Checks for damage that fjall does not detect, or would make worse. Cuts what a crash has left at the end of the
/// journal. Returns the journals.
///
/// # Errors
/// `Corrupt`: a file is missing or invalid. Nothing has been changed.
pub(super) fn check(data: &Path) -> Result<Vec<journal::Checked>> {
    if !data.exists() {
        return Err(damaged(data, "is missing"));
    }
    let version = data.join("version");
    if read(&version)? != VERSION {
        return Err(damaged(&version, "is truncated or altered"));
    }
    // The file is only locked, and has no content.
    let lock = data.join("lock");
    if !lock.exists() {
        fs::write(&lock, b"").map_err(|error| failed_io(&format!("creating {}", lock.display()), error))?;
    }
    check_spaces(data)?;
    journal::check(data)
}

fn check_spaces(data: &Path) -> Result<()> {
    let spaces = &data.join(KEYSPACES_FOLDER);
    if !spaces.exists() {
        return Err(damaged(spaces, "is missing"));
    }
    let names: Vec<String> = entries(spaces)?.into_iter().filter(|name| spaces.join(name).is_dir()).collect();
    // Folders that were written by early versions have no `SPACE` files.
    let marked = names.iter().any(|name| spaces.join(name).join(SPACE_FILE).exists());
    let index = INDEX.to_owned();
    for name in names.iter().chain((!names.contains(&index)).then_some(&index)) {
        let folder = spaces.join(name);
        if name.parse::<u64>().is_err() {
            return Err(damaged(&folder, "is not a space"));
        }
        let current = folder.join(CURRENT_FILE);
        if current.exists() {
            check_current(data, &folder, &current)?;
            check_files(&folder.join(FILES_FOLDER))?;
            continue;
        }
        let is_data = if *name == index {
            true
        } else if marked {
            folder.join(SPACE_FILE).exists()
        } else {
            let tables = folder.join(FILES_FOLDER);
            tables.exists() && !entries(&tables)?.is_empty()
        };
        if is_data {
            return Err(damaged(&current, "is missing"));
        }
    }
    Ok(())
}

/// Checks the file that names the current list of files of a space, and that list. A damaged list of the index of
/// spaces is replaced by its copy, if there is one.
fn check_current(data: &Path, folder: &Path, current: &Path) -> Result<()> {
    let Some(parsed) = Current::parse(&read(current)?) else {
        return Err(damaged(current, "is truncated or altered"));
    };
    let version = folder.join(list_name(parsed.number()));
    if parsed.is_of(&read(&version)?) {
        return Ok(());
    }
    if folder.file_name().is_some_and(|name| name == INDEX) && index_copy::restore(data, parsed)? {
        return Ok(());
    }
    let how = format!("is truncated or altered, or {} is: its checksum is another one", current.display());
    Err(damaged(&version, &how))
}

/// Checks the files of a space for damage that would end the process.
fn check_files(folder: &Path) -> Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    for name in entries(folder)? {
        let file = folder.join(name);
        // A file that cannot be read is not in use, or fjall reports it.
        if contents::announces_too_many(&file).unwrap_or(false) {
            return Err(damaged(&file, "is truncated or altered"));
        }
    }
    Ok(())
}

fn read(file: &Path) -> Result<Vec<u8>> {
    fs::read(file).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => damaged(file, "is missing"),
        _ => failed_io(&format!("reading {}", file.display()), error),
    })
}

/// The names in a folder.
fn entries(folder: &Path) -> Result<Vec<String>> {
    let failed = |error| failed_io(&format!("reading the folder {}", folder.display()), error);
    let names = fs::read_dir(folder).map_err(failed)?.map(|entry| entry.map(|entry| entry.file_name()));
    names.map(|name| Ok(name.map_err(failed)?.to_string_lossy().into_owned())).collect()
}
