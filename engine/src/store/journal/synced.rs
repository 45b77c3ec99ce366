//! How much of the journals is known to be on disk.
//!
//! A damaged batch may look like what a power failure leaves: a page that ends with zeros, or the beginning of a batch
//! at the end. What had been synced cannot be lost in that way. Therefore a file says how far the newest journal has
//! been synced. Missing or damaged bytes before that position are damage; see [`super::judge`].
//!
//! The file is written after each sync, and is not synced itself: after a power failure it may be older, or missing,
//! and then says less. It is removed, durably, before a journal becomes shorter: by a clean close, by a repair, and
//! before the torn end of a journal is cut.
//!
//! ```text
//! number of the journal (u64), position (u64), xxh3 of both (u64)
//! ```
//! Numbers are little-endian.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::scan::end_of_content;
use crate::store::folder::sync_folder;

/// The name of the file, beside the journals.
const SYNCED_FILE: &str = "synced";

const NUMBERS_BYTES: usize = 2 * size_of::<u64>();

/// The content of a journal is looked for in at most this number of bytes before a hole. Only zeros that are being
/// written can be there, or those of a file system that does not know its holes.
const LOOK_BYTES: u64 = 1 << 20;

/// The newest journal that has been synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) struct Synced {
    /// Its number.
    pub journal: u64,
    /// The length of its content that is on disk, in bytes.
    pub bytes: u64,
}

impl Synced {
    /// What the file says; `None` if there is none, or if it was not written completely.
    pub fn read(data: &Path) -> Option<Self> {
        let content = fs::read(data.join(SYNCED_FILE)).ok()?;
        let (numbers, check) = content.split_at_checked(NUMBERS_BYTES)?;
        if check != xxh3_64(numbers).to_le_bytes() {
            return None;
        }
        let number = |bytes: &[u8]| bytes.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        Some(Self { journal: number(numbers)?, bytes: number(&numbers[size_of::<u64>()..])? })
    }

    /// Writes the file to a folder with copies of the journals, which were copied after this was read.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn write_copy(self, data: &Path) -> io::Result<()> {
        fs::write(data.join(SYNCED_FILE), self.encode())
    }

    fn encode(self) -> [u8; NUMBERS_BYTES + size_of::<u64>()] {
        let mut content = [0; NUMBERS_BYTES + size_of::<u64>()];
        content[..size_of::<u64>()].copy_from_slice(&self.journal.to_le_bytes());
        content[size_of::<u64>()..NUMBERS_BYTES].copy_from_slice(&self.bytes.to_le_bytes());
        let check = xxh3_64(&content[..NUMBERS_BYTES]);
        content[NUMBERS_BYTES..].copy_from_slice(&check.to_le_bytes());
        content
    }

    /// The length of the content of a journal that is on disk: all of an older journal than this, because fjall syncs a
    /// journal before it begins the next one.
    pub fn bytes_of(self, journal: u64) -> u64 {
        match journal.cmp(&self.journal) {
            std::cmp::Ordering::Less => u64::MAX,
            std::cmp::Ordering::Equal => self.bytes,
            std::cmp::Ordering::Greater => 0,
        }
    }
}

/// Removes the file, durably.
///
/// # Errors
/// Those of the file system.
pub(in crate::store) fn forget(data: &Path) -> io::Result<()> {
    match fs::remove_file(data.join(SYNCED_FILE)) {
        Ok(()) => sync_folder(data),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Writes the file.
pub(in crate::store) struct SyncedFile {
    path: PathBuf,
    file: Option<File>,
    written: Option<Synced>,
}

impl SyncedFile {
    /// The file beside the journals in this folder. It is created by the first [`Self::write`].
    pub fn in_folder(data: &Path) -> Self {
        Self { path: data.join(SYNCED_FILE), file: None, written: None }
    }

    /// Replaces the content. An error is of no importance: the file then says less than it could.
    pub fn write(&mut self, synced: Synced) {
        if self.written != Some(synced) {
            self.written = self.try_write(synced).is_ok().then_some(synced);
        }
    }

    fn try_write(&mut self, synced: Synced) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => {
                let file = OpenOptions::new().write(true).create(true).truncate(false).open(&self.path)?;
                none.insert(file)
            }
        };
        // In one call, which a kill cannot interrupt.
        write_at_start(file, &synced.encode())
    }
}

#[cfg(unix)]
fn write_at_start(file: &File, content: &[u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, content, 0)
}

#[cfg(not(unix))]
fn write_at_start(mut file: &File, content: &[u8]) -> io::Result<()> {
    use std::io::{Seek, SeekFrom, Write};

    file.seek(SeekFrom::Start(0))?;
    file.write_all(content)
}

/// The content of a journal that is being written.
pub(in crate::store) struct Content {
    /// Its end when it was last determined.
    end: u64,
    is_known: bool,
}

impl Content {
    /// The content of a journal that has just been opened.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn of(file: &mut File) -> io::Result<Self> {
        Ok(Self { end: end_of_content(file, 0)?.unwrap_or(0), is_known: true })
    }

    /// The end of the content now, or an earlier position; `None` if it cannot be determined.
    pub fn end(&mut self, file: &File) -> Option<u64> {
        if self.is_known {
            match grown(file, self.end) {
                Ok(Some(end)) => self.end = end,
                // The file system does not tell; it will not tell later either.
                Ok(None) | Err(_) => self.is_known = false,
            }
        }
        self.is_known.then_some(self.end)
    }
}

/// The end of the content of a journal, which was at `end` before. The last byte of a batch is not 0, and what has not
/// been written yet is a hole. `None` if the file system does not know its holes.
#[cfg(target_os = "linux")]
fn grown(file: &File, end: u64) -> io::Result<Option<u64>> {
    use std::os::unix::fs::FileExt;

    const STEP: usize = 4096;
    let hole = match rustix::fs::seek(file, rustix::fs::SeekFrom::Hole(end)) {
        Ok(hole) => hole,
        // The journal ends there.
        Err(rustix::io::Errno::NXIO) => return Ok(Some(end)),
        Err(error) => return Err(error.into()),
    };
    let mut to = hole;
    let mut buffer = [0; STEP];
    while to > end {
        if hole - to > LOOK_BYTES {
            return Ok(None);
        }
        let from = end.max(to.saturating_sub(STEP as u64));
        let bytes = &mut buffer[..(to - from) as usize];
        file.read_exact_at(bytes, from)?;
        if let Some(last) = bytes.iter().rposition(|byte| *byte != 0) {
            return Ok(Some(from + last as u64 + 1));
        }
        to = from;
    }
    Ok(Some(end))
}

#[cfg(not(target_os = "linux"))]
fn grown(_file: &File, _end: u64) -> io::Result<Option<u64>> {
    let _ = LOOK_BYTES;
    Ok(None)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn the_file_says_what_was_written_last() {
        let folder = tempfile::TempDir::new().unwrap();
        assert_eq!(Synced::read(folder.path()), None);
        forget(folder.path()).unwrap();
        for bytes in [5, 1 << 40, 0] {
            let synced = Synced { journal: 3, bytes };
            // As two openings do.
            SyncedFile::in_folder(folder.path()).write(synced);
            assert_eq!(Synced::read(folder.path()), Some(synced));
            assert_eq!([2, 3, 4].map(|journal| synced.bytes_of(journal)), [u64::MAX, bytes, 0]);
        }
        let path = folder.path().join(SYNCED_FILE);
        let whole = fs::read(&path).unwrap();
        for end in 0..whole.len() {
            fs::write(&path, &whole[..end]).unwrap();
            assert_eq!(Synced::read(folder.path()), None);
        }
        for at in 0..whole.len() {
            let mut altered = whole.clone();
            altered[at] ^= 1;
            fs::write(&path, altered).unwrap();
            assert_eq!(Synced::read(folder.path()), None);
        }
        forget(folder.path()).unwrap();
        assert!(!path.exists());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_end_of_the_content_is_found_while_it_grows() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("1.jnl");
        let mut journal = OpenOptions::new().read(true).write(true).create_new(true).open(&path).unwrap();
        journal.set_len(8 << 20).unwrap();
        let mut opened = File::open(&path).unwrap();
        let mut content = Content::of(&mut opened).unwrap();
        let mut expected = 0;
        assert_eq!(content.end(&opened), Some(0));
        // Batches that end within a page and at its end, and one with many zeros.
        for (zeros, length) in [(0, 10), (0, 4086), (3, 9000), (100_000, 7), (0, 1), (4095, 1)] {
            journal.write_all(&vec![0; zeros]).unwrap();
            journal.write_all(&vec![3; length]).unwrap();
            expected += (zeros + length) as u64;
            assert_eq!(content.end(&opened), Some(expected));
            assert_eq!(Content::of(&mut opened).unwrap().end(&opened), Some(expected));
        }
        // The beginning of a batch, which is being written.
        journal.write_all(&[0; 9000]).unwrap();
        assert_eq!(content.end(&opened), Some(expected));
        // fjall cuts a journal that it continues to write.
        let cut = OpenOptions::new().append(true).open(&path).unwrap();
        cut.set_len(expected).unwrap();
        let mut content = Content::of(&mut opened).unwrap();
        assert_eq!(content.end(&opened), Some(expected));
        (&cut).write_all(&[3; 100]).unwrap();
        assert_eq!(content.end(&opened), Some(expected + 100));
    }
}
