//! A copy of the list of files of fjall's index of spaces, which is made before the index changes.
//!
//! fjall writes the next list of files, then renames a file that refers to it, and then syncs the folder. If the last
//! step fails, the list is in use on disk, but not in memory, and the next change of the index overwrites it in place.
//! A process that ends in the middle of that leaves a damaged list, and without the index no space can be found. fjall
//! reports some of these failures only in its log. Therefore the list that is in use on disk is copied before each
//! change, and an opening that finds it damaged puts the copy in its place.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_128;

use super::file_names::{CURRENT_FILE, INDEX, KEYSPACES_FOLDER, list_name};
use super::fjall::failed_io;
use super::folder::replace_file;
use crate::error::Result;

/// The copy, in the data folder: the file that refers to the list, then the list.
const COPY_FILE: &str = "INDEX";
const COPY_DRAFT: &str = "INDEX.new";

/// The kind of the checksum in a file `current`: XXH3 with 128 bits.
const XXH3: u8 = 0;

/// The content of a file `current`: the number of the list (8 bytes, little-endian), its checksum (16, little-endian)
/// and the kind of the checksum (1).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Current([u8; Current::BYTES]);

impl Current {
    const BYTES: usize = 25;

    /// `None` if the content is invalid.
    pub fn parse(content: &[u8]) -> Option<Self> {
        let content: [u8; Self::BYTES] = content.try_into().ok()?;
        (content[Self::BYTES - 1] == XXH3).then_some(Self(content))
    }

    /// The number of the list.
    pub fn number(&self) -> u64 {
        self.0.first_chunk().map_or(0, |number| u64::from_le_bytes(*number))
    }

    /// Whether this is the content of the list.
    pub fn is_of(&self, list: &[u8]) -> bool {
        let checksum = self.0.get(8..).and_then(|rest| rest.first_chunk());
        checksum.is_some_and(|checksum| u128::from_le_bytes(*checksum) == xxh3_128(list))
    }
}

fn copy_of(data: &Path) -> PathBuf {
    data.with_file_name(COPY_FILE)
}

/// Copies the list that is in use on disk, durably. If it is damaged, an earlier copy of it remains. `data` is the
/// folder of the store's files.
///
/// # Errors
/// `DiskFull`, `Io`.
pub(super) fn save(data: &Path) -> Result<()> {
    let index = data.join(KEYSPACES_FOLDER).join(INDEX);
    save_to(&index, &copy_of(data))
        .map_err(|error| failed_io(&format!("copying the index of spaces to {}", copy_of(data).display()), error))
}

fn save_to(index: &Path, copy: &Path) -> io::Result<()> {
    let current = fs::read(index.join(CURRENT_FILE))?;
    let Some(parsed) = Current::parse(&current) else { return Ok(()) };
    let list = fs::read(index.join(list_name(parsed.number())))?;
    if !parsed.is_of(&list) {
        return Ok(());
    }
    let content = [current, list].concat();
    if fs::read(copy).is_ok_and(|copied| copied == content) {
        return Ok(());
    }
    replace_file(copy, &copy.with_file_name(COPY_DRAFT), &content)
}

/// Puts the copy of a damaged list of the index in its place. Returns `false` if there is no copy of that list.
///
/// # Errors
/// `DiskFull`, `Io`.
pub(super) fn restore(data: &Path, current: Current) -> Result<bool> {
    let Ok(copied) = fs::read(copy_of(data)) else { return Ok(false) };
    let Some((copied_current, list)) = copied.split_at_checked(Current::BYTES) else { return Ok(false) };
    if Current::parse(copied_current) != Some(current) || !current.is_of(list) {
        return Ok(false);
    }
    let file = data.join(KEYSPACES_FOLDER).join(INDEX).join(list_name(current.number()));
    replace_file(&file, &data.with_file_name(COPY_DRAFT), list)
        .map_err(|error| failed_io(&format!("writing {}", file.display()), error))?;
    tracing::warn!(file = %file.display(), "an interrupted change of the index of spaces was undone");
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_list(index: &Path, number: u64, list: &[u8]) -> Current {
        let content = [&number.to_le_bytes()[..], &xxh3_128(list).to_le_bytes(), &[XXH3]].concat();
        fs::write(index.join(list_name(number)), list).unwrap();
        fs::write(index.join(CURRENT_FILE), &content).unwrap();
        Current::parse(&content).unwrap()
    }

    #[test]
    fn a_list_that_was_overwritten_in_place_is_restored() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let index = data.join(KEYSPACES_FOLDER).join(INDEX);
        fs::create_dir_all(&index).unwrap();
        let first = write_list(&index, 3, b"first");
        assert!(!restore(&data, first).unwrap(), "there is no copy");
        save(&data).unwrap();
        for overwritten in [&b""[..], b"sec", b"second"] {
            fs::write(index.join("v3"), overwritten).unwrap();
            // The copy of the list that is damaged now remains.
            save(&data).unwrap();
            assert!(restore(&data, first).unwrap());
            assert_eq!(fs::read(index.join("v3")).unwrap(), b"first");
        }
        let second = write_list(&index, 4, b"second");
        assert!(!restore(&data, second).unwrap(), "the copy is of another list");
        save(&data).unwrap();
        fs::write(data.with_file_name(COPY_FILE), b"damaged").unwrap();
        assert!(!restore(&data, second).unwrap());
    }
}
