//! How much of the journals is known to be on disk.
//!
//! A damaged batch may look like what a power failure leaves: a page that ends with zeros, or the beginning of a batch
//! at the end. What had been synced cannot be lost in that way. Therefore a file says how far the journals have been
//! synced. Missing or damaged bytes before that position are damage; see [`super::judge`].
//!
//! The file also has the checksum of the batch that ends at that position, so that an older copy of a journal, or
//! another one, is noticed.
//!
//! The file is written after each sync, and is not synced itself: after a power failure it may be older, or missing,
//! and then says less. It is removed, durably, before a journal becomes shorter: by a clean close, and before the torn
//! end of a journal is cut. While a repair runs, it says that all has been synced: what the repair has not dropped yet
//! must stay damage, since it would be cut otherwise, with everything behind it.
//!
//! ```text
//! for each journal, the oldest first: its number (u64), position (u64), checksum of the batch there (u64)
//! u64::MAX, 0, 0 (u64)
//! xxh3 of all of these (u64)
//! ```
//! Numbers are little-endian. A journal with the number `u64::MAX` ends the list. The file is not cut when there are
//! fewer journals, so there may be anything behind the checksum.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::xxh3_64;

use super::batch;
use super::rewrite::DRAFT;
use super::scan::{Known, REPAIRED, end_of_content};
use crate::store::folder::{replace_file, sync_folder};

/// The name of the file, beside the journals.
const SYNCED_FILE: &str = "synced";

/// The number of journals of which the file tells. There are usually four at most: fjall begins to flush the oldest one
/// when all have `JOURNAL_BYTES_MAX` (`store/fjall/database.rs`), and begins the next one at 64 MiB.
const JOURNALS_MAX: usize = 64;

/// The bytes of a journal's entry.
const ENTRY_BYTES: usize = 3 * size_of::<u64>();

/// The checksum of a journal that has none.
const NO_CHECKSUM: u64 = 0;

/// The number of a journal that is not in the list.
const NONE: u64 = u64::MAX;

/// The content of a journal is looked for in at most this number of bytes before a hole. Only zeros that are being
/// written can be there, or those of a file system that does not know its holes.
const LOOK_BYTES: u64 = 1 << 20;

/// A journal that has been synced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) struct SyncedJournal {
    /// Its number.
    pub number: u64,
    /// The length of its content that is on disk, in bytes.
    pub bytes: u64,
    /// The checksum of the batch that ends there; [`NO_CHECKSUM`] if none does.
    pub end_checksum: u64,
}

impl SyncedJournal {
    /// A journal of which this number of bytes is on disk.
    ///
    /// # Errors
    /// Those of the file system.
    fn of(file: &File, number: u64, bytes: u64) -> io::Result<Self> {
        Ok(Self { number, bytes, end_checksum: end_checksum(file, bytes)? })
    }

    /// Whether a journal has the batch that was synced last at its place. A journal that ends before that differs in
    /// another way, and counts as the same, as one does that a flush has removed meanwhile.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn is_in(&self, path: &Path) -> io::Result<bool> {
        if self.end_checksum == NO_CHECKSUM {
            return Ok(true);
        }
        match File::open(path).and_then(|journal| end_checksum(&journal, self.bytes)) {
            Ok(found) => Ok(found == self.end_checksum),
            Err(error) if matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::NotFound) => Ok(true),
            Err(error) => Err(error),
        }
    }
}

/// The checksum of the batch that ends at a position of a journal. [`NO_CHECKSUM`] if none does: then a batch was being
/// written when the position was determined.
fn end_checksum(file: &File, position: u64) -> io::Result<u64> {
    let mut end = [0; batch::END_BYTES];
    if let Some(at) = position.checked_sub(end.len() as u64) {
        read_at(file, &mut end, at)?;
    }
    Ok(batch::checksum_of_end(&end).unwrap_or(NO_CHECKSUM))
}

/// What is known of the journals, the oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::store) struct Synced(Vec<SyncedJournal>);

impl Synced {
    /// What the file says; `None` if there is none, or if it was not written completely.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn read(data: &Path) -> io::Result<Option<Self>> {
        match fs::read(data.join(SYNCED_FILE)) {
            Ok(content) => Ok(Self::decode(&content)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn decode(content: &[u8]) -> Option<Self> {
        let number = |bytes: &[u8]| bytes.first_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        let (entries, _) = content.as_chunks::<ENTRY_BYTES>();
        let journals = entries.iter().map_while(|entry| {
            let (numbers, _) = entry.as_chunks::<{ size_of::<u64>() }>();
            let &[number, bytes, end_checksum] = numbers.first_chunk()?;
            let [number, bytes, end_checksum] = [number, bytes, end_checksum].map(u64::from_le_bytes);
            (number != NONE).then_some(SyncedJournal { number, bytes, end_checksum })
        });
        let journals: Vec<_> = journals.take(JOURNALS_MAX).collect();
        let end = (journals.len() + 1) * ENTRY_BYTES;
        let check = number(content.get(end..)?)?;
        (!journals.is_empty() && check == xxh3_64(&content[..end])).then_some(Self(journals))
    }

    /// What is said of the journals with these numbers while they are repaired.
    pub fn repaired(numbers: impl Iterator<Item = u64>) -> Self {
        let mut repaired = Self::default();
        numbers.for_each(|number| repaired.note(SyncedJournal { number, bytes: REPAIRED, end_checksum: NO_CHECKSUM }));
        repaired
    }

    /// Whether a repair has begun and not ended.
    pub fn is_of_repair(&self) -> bool {
        self.0.iter().any(|journal| journal.bytes == REPAIRED)
    }

    /// Replaces the file, durably.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn replace(&self, data: &Path) -> io::Result<()> {
        let file = data.join(SYNCED_FILE);
        replace_file(&file, &file.with_extension(DRAFT), &self.encode())
    }

    /// Writes the file to a folder with copies of the journals, which were copied after this was read.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn write_copy(&self, data: &Path) -> io::Result<()> {
        fs::write(data.join(SYNCED_FILE), self.encode())
    }

    fn encode(&self) -> Vec<u8> {
        let end = SyncedJournal { number: NONE, bytes: 0, end_checksum: 0 };
        let entries = self.0.iter().chain([&end]);
        let mut content: Vec<u8> = entries
            .flat_map(|entry| [entry.number, entry.bytes, entry.end_checksum])
            .flat_map(u64::to_le_bytes)
            .collect();
        content.extend(xxh3_64(&content).to_le_bytes());
        content
    }

    /// Notes how far a journal has been synced, which is the newest one.
    pub fn note(&mut self, newest: SyncedJournal) {
        match self.0.last_mut() {
            Some(last) if last.number == newest.number => *last = newest,
            _ => self.0.push(newest),
        }
        if self.0.len() > JOURNALS_MAX {
            self.0.remove(0);
        }
    }

    /// Forgets journals that are no longer there.
    pub fn retain(&mut self, is_there: impl Fn(u64) -> bool) {
        self.0.retain(|journal| is_there(journal.number));
    }

    /// The number of the newest journal.
    pub fn newest(&self) -> u64 {
        self.0.last().map_or(0, |newest| newest.number)
    }

    /// What is known of a journal.
    pub fn journal(&self, number: u64) -> Option<&SyncedJournal> {
        self.0.iter().find(|journal| journal.number == number)
    }

    /// How much of a journal is on disk: all of it if it is older than those that are known, because fjall syncs a
    /// journal before it begins the next one.
    pub(super) fn of(&self, number: u64) -> Known {
        match self.journal(number) {
            Some(&SyncedJournal { bytes, end_checksum, .. }) => {
                Known { bytes, whole: if end_checksum == NO_CHECKSUM { 0 } else { bytes } }
            }
            None if number < self.newest() => Known::ALL,
            None => Known::NOTHING,
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
    synced: Synced,
    is_written: bool,
}

impl SyncedFile {
    /// The file beside the journals in this folder. It is created by the first [`Self::note`].
    pub fn in_folder(data: &Path) -> Self {
        Self { path: data.join(SYNCED_FILE), file: None, synced: Synced::default(), is_written: false }
    }

    /// Notes how far a journal has been synced, which is the newest one. Errors are ignored: the file
    /// then says less than it could.
    pub fn note(&mut self, newest: SyncedJournal) {
        if !self.is_written || self.synced.0.last() != Some(&newest) {
            self.synced.note(newest);
            self.is_written = self.try_write().is_ok();
        }
    }

    /// Forgets journals that are no longer there.
    pub fn retain(&mut self, is_there: impl Fn(u64) -> bool) {
        self.synced.retain(is_there);
    }

    fn try_write(&mut self) -> io::Result<()> {
        let content = self.synced.encode();
        let file = match &mut self.file {
            Some(file) => file,
            none => {
                let file = OpenOptions::new().write(true).create(true).truncate(false).open(&self.path)?;
                none.insert(file)
            }
        };
        // In one call, which a kill cannot interrupt.
        write_at_start(file, &content)
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(not(unix))]
fn read_at(mut file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};

    file.seek(SeekFrom::Start(at))?;
    file.read_exact(bytes)
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

    /// What can be noted of the journal after a sync that begins now; `None` if its end cannot be determined.
    pub fn describe(&mut self, file: &File, number: u64) -> Option<SyncedJournal> {
        SyncedJournal::of(file, number, self.end(file)?).ok()
    }

    /// The end of the content now, or an earlier position; `None` if it cannot be determined.
    fn end(&mut self, file: &File) -> Option<u64> {
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
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn the_file_says_what_was_written_last() {
        let folder = tempfile::TempDir::new().unwrap();
        assert_eq!(Synced::read(folder.path()).unwrap(), None);
        forget(folder.path()).unwrap();
        for bytes in [5, 1 << 40, 1] {
            // As several openings do, the later ones with fewer journals.
            let mut file = SyncedFile::in_folder(folder.path());
            for (number, bytes) in [(3, 4), (3, 7), (4, 8), (5, bytes)].into_iter().skip(usize::from(bytes == 1)) {
                file.note(SyncedJournal { number, bytes, end_checksum: 1 });
            }
            let synced = Synced::read(folder.path()).unwrap().unwrap();
            assert_eq!([2, 3, 4, 5, 6].map(|number| synced.of(number).bytes), [u64::MAX, 7, 8, bytes, 0]);
            file.retain(|number| number > 3);
            file.note(SyncedJournal { number: 5, bytes: bytes + 1, end_checksum: 2 });
            let synced = Synced::read(folder.path()).unwrap().unwrap();
            assert_eq!([2, 3, 4, 5, 6].map(|number| synced.of(number).bytes), [u64::MAX, u64::MAX, 8, bytes + 1, 0]);
            assert_eq!(synced.newest(), 5);
            assert_eq!(synced.journal(5), Some(&SyncedJournal { number: 5, bytes: bytes + 1, end_checksum: 2 }));
        }
        for number in 6..200 {
            let mut file = SyncedFile::in_folder(folder.path());
            (0..=number).for_each(|number| file.note(SyncedJournal { number, bytes: number, end_checksum: number }));
            let synced = Synced::read(folder.path()).unwrap().unwrap();
            assert_eq!((synced.newest(), synced.of(number - 1).bytes), (number, number - 1));
        }
        fs::remove_file(folder.path().join(SYNCED_FILE)).unwrap();
        SyncedFile::in_folder(folder.path()).note(SyncedJournal { number: 3, bytes: 5, end_checksum: 7 });
        let path = folder.path().join(SYNCED_FILE);
        let whole = fs::read(&path).unwrap();
        for end in 0..whole.len() {
            fs::write(&path, &whole[..end]).unwrap();
            assert_eq!(Synced::read(folder.path()).unwrap(), None);
        }
        for at in 0..whole.len() {
            let mut altered = whole.clone();
            altered[at] ^= 1;
            fs::write(&path, altered).unwrap();
            assert_eq!(Synced::read(folder.path()).unwrap(), None);
        }
        forget(folder.path()).unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn another_journal_does_not_have_the_checksum() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("0.jnl");
        let write = |content: &[u8]| {
            fs::write(&path, content).unwrap();
            File::open(&path).unwrap()
        };
        let batch = |checksum: u8| [&[1; 20][..], &[3], &[checksum; 8], b"FJL\x03"].concat();
        let whole = [batch(7), batch(8)].concat();
        let noted = SyncedJournal::of(&write(&whole), 0, whole.len() as u64).unwrap();
        assert_eq!(noted.end_checksum, u64::from_le_bytes([8; 8]));
        for (content, expected) in [
            (whole.clone(), true),
            ([&whole[..], &[1; 10]].concat(), true),
            ([batch(9), batch(8)].concat(), true),
            ([batch(7), batch(9), batch(8)].concat(), false),
            ([batch(8), batch(7)].concat(), false),
            (vec![1; 100], false),
            (batch(7), true),
            (Vec::new(), true),
        ] {
            let _ = write(&content);
            assert_eq!(noted.is_in(&path).unwrap(), expected, "{content:?}");
        }
        // While a batch is being written, the position is not its end.
        let journal = write(&whole);
        for position in (0..whole.len()).filter(|position| *position != batch(7).len()) {
            assert_eq!(SyncedJournal::of(&journal, 0, position as u64).unwrap().end_checksum, NO_CHECKSUM);
        }
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
