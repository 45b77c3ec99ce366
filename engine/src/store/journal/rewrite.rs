//! Makes a journal durable as it was read.
//!
//! A process may read what is not on disk and never will be: after a failed write of a page, Linux counts the page as
//! clean and keeps its content in memory. A later sync does not write it again, and succeeds. If batches followed, they
//! would be on disk behind a hole, and lost with the next power failure although they were synced. A start cannot know
//! whether a sync has failed before: the process whose sync failed may have been killed.
//!
//! It is not enough to write the pages to the same file again: ext4 may keep their blocks marked as never written, and
//! read zeros from them once they have left the memory. Therefore the journal is replaced by a copy.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

use super::scan::{each_content, next_data};
use crate::error::Result;
use crate::store::fjall::failed_io;
use crate::store::folder::sync_folder;

/// The extension of copies that are not complete.
pub(super) const DRAFT: &str = "draft";

/// Replaces a journal with a durable copy, unless it has no content. Without room for a copy, writes the content to its
/// place again: a full disk refuses writes before they are in memory, so that no pages have been lost.
pub(super) fn rewrite(path: &Path) -> Result<()> {
    let rewrite = || {
        let mut journal = OpenOptions::new().read(true).write(true).open(path)?;
        if next_data(&journal, 0)?.is_none() {
            return Ok(());
        }
        let draft = path.with_extension(DRAFT);
        match replace(path, &mut journal, &draft) {
            Err(error) if matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded) => {
                // The next opening removes what this one cannot.
                let _ = fs::remove_file(&draft);
                write_again(&mut journal)
            }
            result => result,
        }
    };
    match rewrite() {
        // The last flush before a reopening has made it unnecessary.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        result => result.map_err(|error| failed_io(&format!("syncing {} before it is used", path.display()), error)),
    }
}

fn replace(path: &Path, journal: &mut File, draft: &Path) -> io::Result<()> {
    let metadata = journal.metadata()?;
    let mut copy = File::create(draft)?;
    copy.set_permissions(metadata.permissions())?;
    copy.set_len(metadata.len())?;
    let mut has_content = false;
    each_content(journal, 0, |_, at, bytes| {
        has_content = true;
        copy.seek(SeekFrom::Start(at))?;
        copy.write_all(bytes)
    })?;
    if !has_content {
        return fs::remove_file(draft);
    }
    copy.sync_all()?;
    fs::rename(draft, path)?;
    path.parent().map_or(Ok(()), sync_folder)
}

fn write_again(journal: &mut File) -> io::Result<()> {
    each_content(journal, 0, |journal, at, bytes| {
        journal.seek(SeekFrom::Start(at))?;
        journal.write_all(bytes)
    })?;
    journal.sync_data()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const CHUNK_BYTES: usize = 1 << 20;

    /// A journal with a hole, content in two chunks, and an unused part.
    fn journal(folder: &Path) -> (std::path::PathBuf, Vec<u8>) {
        let path = folder.join("3.jnl");
        let mut content = vec![0; 4 * CHUNK_BYTES + 77];
        content[..5000].fill(1);
        content[2 * CHUNK_BYTES + 10..3 * CHUNK_BYTES + 20].fill(2);
        let mut file = File::create(&path).unwrap();
        file.set_len(content.len() as u64).unwrap();
        file.write_all(&content[..5000]).unwrap();
        file.seek(SeekFrom::Start(2 * CHUNK_BYTES as u64)).unwrap();
        file.write_all(&content[2 * CHUNK_BYTES..3 * CHUNK_BYTES + 100]).unwrap();
        (path, content)
    }

    #[test]
    fn a_journal_keeps_its_content_and_its_length() {
        let folder = tempfile::TempDir::new().unwrap();
        let (path, content) = journal(folder.path());
        rewrite(&path).unwrap();
        assert!(fs::read(&path).unwrap() == content);
        write_again(&mut OpenOptions::new().read(true).write(true).open(&path).unwrap()).unwrap();
        assert!(fs::read(&path).unwrap() == content);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no draft is left");
    }

    #[test]
    fn an_unused_journal_stays_as_it_is() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("0.jnl");
        for length in [0, 64 << 20] {
            File::create(&path).unwrap().set_len(length).unwrap();
            rewrite(&path).unwrap();
            assert_eq!(fs::metadata(&path).unwrap().len(), length);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no draft is left");
        rewrite(&folder.path().join("1.jnl")).unwrap();
    }
}
