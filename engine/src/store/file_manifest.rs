//! The list of the files of a cleanly closed data folder. With it, the next opening detects files that are missing or
//! truncated.
//!
//! fjall treats a folder without some of its small files as one whose creation was interrupted, and removes the rest.
//! Therefore the folder is compared with the list before fjall opens it. The list is removed before any file is
//! changed, so a folder that was not closed cleanly has none.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use super::corruption::damaged;
use super::fjall::failed_io;
use super::folder::sync_folder;
use crate::error::Result;

/// The name of the list in the data folder.
pub(super) const CLOSED_FILE: &str = "CLOSED";

const CLOSED_DRAFT: &str = "CLOSED.new";

const TITLE: &str = "hjall closed";

/// The last line. A list without it is incomplete and is ignored.
const END: &str = "end";

/// Writes the list of the files under `data` with their lengths. It is not synced: if a power failure destroys it, the
/// next opening only skips the comparison.
pub(super) fn write(folder: &Path, data: &str) -> io::Result<()> {
    let mut text = format!("{TITLE}\n");
    list(folder, data, &mut text)?;
    text += END;
    text += "\n";
    let draft = folder.join(CLOSED_DRAFT);
    File::create(&draft)?.write_all(text.as_bytes())?;
    fs::rename(draft, folder.join(CLOSED_FILE))
}

fn list(folder: &Path, at: &str, text: &mut String) -> io::Result<()> {
    let mut entries = fs::read_dir(folder.join(at))?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        // All names that the store uses are ASCII. Other files are not its own.
        let Ok(name) = entry.file_name().into_string() else { continue };
        let path = format!("{at}/{name}");
        let metadata = entry.metadata()?;
        if metadata.is_dir() {
            list(folder, &path, text)?;
        } else if !name.contains('\n') {
            *text += &format!("{} {path}\n", metadata.len());
        }
    }
    Ok(())
}

/// Whether the folder was closed and has not been opened since.
pub(super) fn is_there(folder: &Path) -> bool {
    folder.join(CLOSED_FILE).exists()
}

/// Compares the folder with its list, and removes the list. Does nothing if the list is missing or incomplete.
///
/// # Errors
/// `Corrupt`: a file is missing or has another length. Nothing has been changed.
pub(super) fn check_and_remove(folder: &Path) -> Result<()> {
    let path = folder.join(CLOSED_FILE);
    let failed = |error| failed_io(&format!("reading {}", path.display()), error);
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(error)),
    };
    for (length, name) in parse(&bytes).unwrap_or_default() {
        let file = folder.join(name);
        match fs::metadata(&file) {
            Ok(metadata) if metadata.len() == length => {}
            // The lock is recreated if it is missing, and its length is not significant.
            _ if name.ends_with("/lock") => {}
            // Early versions removed it before they compared the folder with the list. It says how far the journals
            // have been synced, and the list has their lengths.
            Err(error) if error.kind() == io::ErrorKind::NotFound && name.ends_with("/synced") => {}
            Ok(metadata) => {
                return Err(damaged(&file, &format!("has {} bytes instead of {length}", metadata.len())));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(damaged(&file, "is missing")),
            Err(error) => return Err(failed_io(&format!("reading {}", file.display()), error)),
        }
    }
    // Durably: the files change from here on, so the list must not reappear after a power failure.
    fs::remove_file(&path).and_then(|()| sync_folder(folder)).map_err(failed)
}

/// The lengths and names in a list; `None` if it is incomplete.
fn parse(bytes: &[u8]) -> Option<Vec<(u64, &str)>> {
    let text = std::str::from_utf8(bytes).ok()?.strip_prefix(TITLE)?.strip_prefix('\n')?;
    let text = text.strip_suffix('\n')?.strip_suffix(END)?;
    text.lines()
        .map(|line| {
            let (length, name) = line.split_once(' ')?;
            Some((length.parse().ok()?, name))
        })
        .collect()
}
