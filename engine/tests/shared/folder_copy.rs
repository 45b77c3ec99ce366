//! Copies of the folders of databases.

use std::io::Result;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Copies a folder that does not change meanwhile.
pub fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let to = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &to)?;
        } else {
            std::fs::copy(entry.path(), to)?;
        }
    }
    Ok(())
}

/// Copies the folder of an open database, as a crash would leave it.
///
/// Background threads may be changing the folder. The copy is as the folder is between two of their changes.
pub fn copy_crashed(from: &Path, to: &Path) {
    loop {
        // Either fails if a background thread removes a file meanwhile.
        let before = listing(from).ok();
        let copied = before.is_some() && copy_folder(from, to).is_ok();
        if copied && listing(from).ok() == before {
            return;
        }
        if to.exists() {
            std::fs::remove_dir_all(to).unwrap();
        }
    }
}

/// The names, lengths and times of all files.
fn listing(folder: &Path) -> Result<Vec<(PathBuf, u64, SystemTime)>> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let (path, metadata) = entry.and_then(|entry| Ok((entry.path(), entry.metadata()?)))?;
        if metadata.is_dir() {
            all.extend(listing(&path)?);
        } else {
            all.push((path, metadata.len(), metadata.modified()?));
        }
    }
    all.sort();
    Ok(all)
}
