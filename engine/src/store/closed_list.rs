//! The list of files of a folder that was closed: with it the next opening notices files that are missing or cut.
//!
//! The store underneath takes a folder without some of its small files for one that was never finished, and removes the rest. So nothing of
//! it is called before this list agrees. The list is removed before a store changes any file: a folder that was not closed has none.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use super::damage::damaged;
use super::fjall::failed_io;
use super::folder::sync_folder;
use crate::error::Result;

/// The list's name in the data folder.
pub(super) const CLOSED_FILE: &str = "CLOSED";

const CLOSED_DRAFT: &str = "CLOSED.new";

const TITLE: &str = "hjall closed";

/// The last line: without it the list is not whole, and says nothing.
const END: &str = "end";

/// Lists the files under `data` with their lengths. Not synced: a list that a crash of the machine takes away is only not checked.
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
        // The store's own names are ASCII; other files are not its, and not looked for.
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

/// Compares the folder with its list and removes the list; with none, or one that is not whole, does nothing.
///
/// # Errors
/// `Corrupt`: a file is missing or has another length. Nothing has been changed then.
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
            // The lock's length means nothing, and it can be made again.
            _ if name.ends_with("/lock") => {}
            Ok(metadata) => {
                return Err(damaged(&file, &format!("has {} bytes instead of {length}", metadata.len())));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(damaged(&file, "is missing")),
            Err(error) => return Err(failed_io(&format!("reading {}", file.display()), error)),
        }
    }
    // Durably, since what follows changes files: the list must not come back after a crash of the machine.
    fs::remove_file(&path).and_then(|()| sync_folder(folder)).map_err(failed)
}

/// The lengths and names of a whole list.
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
