//! Makes a journal durable as it was read.
//!
//! A process may read what is not on disk and never will be: after a failed write of a page, Linux counts the page as
//! clean and keeps its content in memory. A later sync does not write it again, and succeeds. If batches followed, they
//! would be on disk behind a hole, and lost with the next power failure although they were synced. A start cannot know
//! whether a sync has failed before: the process whose sync failed may have been killed.
//!
//! It is not enough to write the pages to the same file again: ext4 may keep their blocks marked as never written, and
//! read zeros from them once they have left the memory. Therefore the journal is replaced by a copy. The copy is read
//! before that: it must have the batches that the check of the journal has found.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use super::scan::{self, Known, each_content, next_data};
use super::{Checked, with_extension};
use crate::error::Result;
use crate::store::fjall::failed_io;
use crate::store::folder::put_in_place;

/// The extension of copies that are not complete.
pub(super) const DRAFT: &str = "draft";

/// Replaces a journal with a durable copy, unless it has no content. Without room for a copy, writes the content to its
/// place again: a full disk refuses writes before they are in memory, so that no pages have been lost.
///
/// # Errors
/// `Io`: the journal could not be copied, or the copy is not the journal that was checked. `DiskFull`. The journal is
/// unchanged.
pub(super) fn rewrite(checked: &Checked) -> Result<()> {
    let path = &checked.path;
    let rewrite = || {
        let mut journal = OpenOptions::new().read(true).write(true).open(path)?;
        if checked.batches == 0 && next_data(&journal, 0)?.is_none() {
            return Ok(());
        }
        let draft = path.with_extension(DRAFT);
        let replaced = replace(checked, &mut journal, &draft);
        if replaced.is_err() {
            // The next opening removes what this one cannot.
            let _ = fs::remove_file(&draft);
        }
        match replaced {
            Err(error) if is_without_room(&error) => write_again(&mut journal),
            result => result,
        }
    };
    match rewrite() {
        // The last flush before a reopening has made it unnecessary.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result.map_err(|error| failed_io(&format!("syncing {} before it is used", path.display()), error)),
    }
}

/// Replaces or creates a journal with this content, durably.
///
/// # Errors
/// Those of the file system.
pub(super) fn fill(path: &Path, content: &[u8]) -> io::Result<()> {
    let draft = path.with_extension(DRAFT);
    let mut file = match File::open(path) {
        Ok(replaced) => create_like(&draft, &replaced)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => File::create(&draft)?,
        Err(error) => return Err(error),
    };
    file.write_all(content)?;
    put_in_place(&file, &draft, path)
}

/// Removes the drafts in a folder. A crash may have left those of journals that have been removed since.
///
/// # Errors
/// Those of the file system.
pub(super) fn remove_drafts(data: &Path) -> io::Result<()> {
    with_extension(data, DRAFT)?.into_iter().try_for_each(fs::remove_file)
}

/// Whether there is no room for a file: on the disk, or within a limit on the size of files.
fn is_without_room(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge)
}

fn replace(checked: &Checked, journal: &mut File, draft: &Path) -> io::Result<()> {
    let mut copy = create_like(draft, journal)?;
    let has_content = copy_content(journal, &mut copy)?;
    let scan = scan::scan(draft, checked.after, None, Known::NOTHING)?;
    if scan.batches != checked.batches || !scan.gaps.is_empty() {
        return Err(differs(scan.batches, checked.batches));
    }
    if !has_content {
        return fs::remove_file(draft);
    }
    put_in_place(&copy, draft, &checked.path)
}

/// Copies a journal without writing its holes. Returns whether it has content.
///
/// # Errors
/// Those of the file system.
pub(super) fn copy_content(journal: &mut File, copy: &mut File) -> io::Result<bool> {
    copy.set_len(journal.metadata()?.len())?;
    let mut has_content = false;
    each_content(journal, 0, |_, at, bytes| {
        has_content = true;
        copy.seek(SeekFrom::Start(at))?;
        copy.write_all(bytes)
    })?;
    Ok(has_content)
}

/// The error of a copy that does not have the batches of its journal.
pub(super) fn differs(found: u64, expected: u64) -> io::Error {
    io::Error::other(format!(
        "its copy has {found} intact batches in a row, the journal had {expected}; the journal is unchanged, and the \
         memory may be faulty, too"
    ))
}

/// Creates a file with the owner, the group and the mode of another one that it will replace. If this process may not
/// give files away, the new file keeps its own owner and group.
pub(super) fn create_like(path: &Path, replaced: &File) -> io::Result<File> {
    let file = File::create(path)?;
    let metadata = replaced.metadata()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let created = file.metadata()?;
        if (created.uid(), created.gid()) != (metadata.uid(), metadata.gid()) {
            match fchown(&file, Some(metadata.uid()), Some(metadata.gid())) {
                Err(error) if error.kind() != io::ErrorKind::PermissionDenied => return Err(error),
                _ => {}
            }
        }
    }
    file.set_permissions(metadata.permissions())?;
    Ok(file)
}

fn write_again(journal: &mut File) -> io::Result<()> {
    each_content(journal, 0, |journal, at, bytes| {
        journal.seek(SeekFrom::Start(at))?;
        journal.write_all(bytes)
    })?;
    journal.sync_data()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A batch of one item.
    fn batch(sequence: u64) -> Vec<u8> {
        let (key, value) = (b"key", [7; 5000]);
        let mut item = vec![2, 0, 0];
        item.extend(1_u64.to_le_bytes());
        item.extend((key.len() as u16).to_le_bytes());
        item.extend([(value.len() as u32).to_le_bytes(); 2].concat());
        item.extend([&key[..], &value].concat());
        let start = [&[1][..], &1_u32.to_le_bytes(), &sequence.to_le_bytes()].concat();
        let end = [&[3][..], &xxhash_rust::xxh3::xxh3_64(&item).to_le_bytes(), b"FJL\x03"].concat();
        [start, item, end].concat()
    }

    /// A journal with these numbers of batches, and an unused part.
    fn journal(folder: &Path, sequences: std::ops::Range<u64>) -> Checked {
        let path = folder.join("3.jnl");
        let mut file = File::create(&path).unwrap();
        file.set_len(4 << 20).unwrap();
        let batches = sequences.end - sequences.start;
        assert!(super::super::is_batch(&batch(1)));
        for sequence in sequences {
            file.write_all(&batch(sequence)).unwrap();
        }
        Checked { path, after: 0, batches }
    }

    #[test]
    fn a_journal_keeps_its_content_and_its_length() {
        let folder = tempfile::TempDir::new().unwrap();
        let checked = journal(folder.path(), 1..300);
        let content = fs::read(&checked.path).unwrap();
        rewrite(&checked).unwrap();
        assert!(fs::read(&checked.path).unwrap() == content);
        write_again(&mut OpenOptions::new().read(true).write(true).open(&checked.path).unwrap()).unwrap();
        assert!(fs::read(&checked.path).unwrap() == content);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no draft is left");
    }

    /// As if what is read for the copy were not what was read for the check.
    #[test]
    fn a_copy_that_differs_does_not_replace_the_journal() {
        let folder = tempfile::TempDir::new().unwrap();
        for (altered, expected) in [(Some(100), 20), (Some(70_000), 20), (None, 19), (None, 21)] {
            let checked = Checked { batches: expected, ..journal(folder.path(), 1..21) };
            let mut content = fs::read(&checked.path).unwrap();
            if let Some(at) = altered {
                content[at] ^= 1;
                fs::write(&checked.path, &content).unwrap();
            }
            let error = rewrite(&checked).unwrap_err();
            assert_eq!(error.kind(), crate::error::ErrorKind::Io, "{error}");
            assert!(error.message().contains("3.jnl"), "{error}");
            assert!(fs::read(&checked.path).unwrap() == content, "the journal was changed");
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no draft is left");
        }
    }

    #[test]
    fn an_unused_journal_stays_as_it_is() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("0.jnl");
        for length in [0, 64 << 20] {
            File::create(&path).unwrap().set_len(length).unwrap();
            rewrite(&Checked { path: path.clone(), after: 0, batches: 0 }).unwrap();
            assert_eq!(fs::metadata(&path).unwrap().len(), length);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no draft is left");
        rewrite(&Checked { path: folder.path().join("1.jnl"), after: 0, batches: 0 }).unwrap();
    }
}
