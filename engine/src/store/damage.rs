//! Damage to the small files by which fjall finds its data.
//!
//! fjall creates a database where its `version` file is missing, and removes a space's folder whose `current` file is missing, since a crash
//! may have cut the making of it short. Here a file of our own tells the two apart: `SPACE` is written to a space's folder after the space was
//! made, and removed before the space is dropped. A folder with it is data.

use std::fs;
use std::io;
use std::path::Path;

use super::SpaceId;
use super::fjall::failed_io;
use crate::error::{Error, ErrorKind, Result};

/// What fjall 3's `version` file says.
const VERSION: &[u8] = b"FJL\x03";

/// Bytes of a `current` file: a number (8), a checksum (16) and its kind.
const CURRENT_BYTES: usize = 25;

/// In a space's folder: it is whole. Contains the space's number, for people.
const SPACE_FILE: &str = "SPACE";

/// The error of a file that is not as it was left.
pub(super) fn damaged(file: &Path, how: &str) -> Error {
    Error::new(
        ErrorKind::Corrupt,
        format!(
            "{} {how}: nothing has been changed; put the file back, or restore the whole data folder from a copy",
            file.display()
        ),
    )
}

/// Says that a space is whole.
pub(super) fn mark_space(folder: &Path, space: SpaceId) -> Result<()> {
    let file = folder.join(SPACE_FILE);
    if file.exists() {
        return Ok(());
    }
    fs::write(&file, format!("{space}\n")).map_err(|error| failed_io(&format!("writing {}", file.display()), error))
}

/// Says that a space is about to be dropped.
pub(super) fn unmark_space(folder: &Path) -> Result<()> {
    let file = folder.join(SPACE_FILE);
    match fs::remove_file(&file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(failed_io(&format!("removing {}", file.display()), error))
        }
        _ => Ok(()),
    }
}

/// Looks for damage that fjall would not notice, or would make worse.
///
/// # Errors
/// `Corrupt`: a file is missing, or cannot be understood. Nothing has been changed then.
pub(super) fn check(data: &Path) -> Result<()> {
    if !data.exists() {
        return Err(damaged(data, "is missing"));
    }
    let version = data.join("version");
    if read(&version)? != VERSION {
        return Err(damaged(&version, "is cut or altered"));
    }
    // Only there to be locked.
    let lock = data.join("lock");
    if !lock.exists() {
        fs::write(&lock, b"").map_err(|error| failed_io(&format!("making {}", lock.display()), error))?;
    }
    // Without any, fjall would count writes from the beginning, and hide those that are in files.
    let journals = entries(data)?.into_iter().filter(|name| name.ends_with(".jnl"));
    if journals.count() == 0 {
        return Err(damaged(&data.join("0.jnl"), "or another journal (*.jnl) is missing"));
    }
    check_spaces(&data.join("keyspaces"))
}

fn check_spaces(spaces: &Path) -> Result<()> {
    if !spaces.exists() {
        return Err(damaged(spaces, "is missing"));
    }
    let names: Vec<String> = entries(spaces)?.into_iter().filter(|name| spaces.join(name).is_dir()).collect();
    // Folders of earlier versions have no `SPACE` files yet.
    let marked = names.iter().any(|name| spaces.join(name).join(SPACE_FILE).exists());
    let index = "0".to_owned();
    for name in names.iter().chain((!names.contains(&index)).then_some(&index)) {
        let folder = spaces.join(name);
        if name.parse::<u64>().is_err() {
            return Err(damaged(&folder, "is not a space"));
        }
        let current = folder.join("current");
        if current.exists() {
            check_current(&folder, &current)?;
            continue;
        }
        let is_data = if *name == index {
            true
        } else if marked {
            folder.join(SPACE_FILE).exists()
        } else {
            let tables = folder.join("tables");
            tables.exists() && !entries(&tables)?.is_empty()
        };
        if is_data {
            return Err(damaged(&current, "is missing"));
        }
    }
    Ok(())
}

/// The file that says which version of a space's list of files is in force.
fn check_current(folder: &Path, current: &Path) -> Result<()> {
    let bytes = read(current)?;
    let number = match bytes.first_chunk() {
        Some(number) if bytes.len() == CURRENT_BYTES => u64::from_le_bytes(*number),
        _ => return Err(damaged(current, "is cut or altered")),
    };
    let version = folder.join(format!("v{number}"));
    if read(&version)?.is_empty() {
        return Err(damaged(&version, "is empty"));
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
