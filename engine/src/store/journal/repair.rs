//! Dropping the damaged batches of journals, on request.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::rewrite::{create_like, differs};
use super::scan::{self, Gap, Nature};
use super::{JournalDamage, Scanned, Synced, batch, forget, judge, read};
use crate::error::Result;
use crate::store::fjall::failed_io;
use crate::store::folder::{Folder, sync_folder};

/// The folder in the data folder that keeps the journals as they were.
const KEPT_FOLDER: &str = "damaged";

/// Finds the damage in the journals of a data folder. With `accept_loss`, drops the damaged batches and keeps all
/// others. A copy of each changed journal is kept in the folder `damaged` of the data folder.
///
/// # Errors
/// `Locked`: the folder is in use. `Corrupt`: a file other than a journal is missing or damaged. `Io`.
pub(crate) fn repair(path: &Path, accept_loss: bool) -> Result<Vec<JournalDamage>> {
    let folder = Folder::open(path)?;
    let data = folder.data();
    if !data.exists() {
        return Ok(Vec::new());
    }
    let journals = read(&data, Synced::read(&data).as_ref())?;
    let (damage, _) = judge(&journals);
    if accept_loss && !damage.is_empty() {
        forget(&data).map_err(|error| failed_io(&format!("repairing {}", data.display()), error))?;
        for journal in journals.iter().filter(|journal| damage.iter().any(|damage| damage.journal == journal.path)) {
            rewrite(journal).map_err(|error| failed_io(&format!("repairing {}", journal.path.display()), error))?;
        }
        drop_empty(&data, &journals).map_err(|error| failed_io(&format!("repairing {}", data.display()), error))?;
    }
    Ok(damage)
}

/// Drops the journals that are empty although later ones are not. The numbers of journals are consecutive, so those
/// before such a journal get greater numbers.
fn drop_empty(data: &Path, journals: &[Scanned]) -> io::Result<()> {
    let last = journals.iter().rposition(|journal| journal.scan.batches > 0).unwrap_or(0);
    let kept = journals[..last].iter().filter(|journal| journal.scan.batches > 0);
    let mut to = last;
    for journal in kept.rev() {
        to -= 1;
        if journal.path != journals[to].path {
            // That one is empty, or has been moved.
            fs::rename(&journal.path, &journals[to].path)?;
        }
    }
    for empty in &journals[..to] {
        match fs::remove_file(&empty.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            removed => removed?,
        }
    }
    sync_folder(data)
}

/// Replaces a journal with one without its gaps.
fn rewrite(Scanned { path, after, scan }: &Scanned) -> io::Result<()> {
    keep(path)?;
    let mut from = File::open(path)?;
    let draft = path.with_extension("new");
    let mut to = create_like(&draft, &from)?;
    let mut at = 0;
    for Gap { from: begin, to: end, nature, .. } in &scan.gaps {
        copy_range(&mut from, at, *begin, &mut to)?;
        if let Nature::Renumber(sequence) = nature {
            let number = begin + batch::SEQUENCE_AT as u64;
            copy_range(&mut from, *begin, number, &mut to)?;
            to.write_all(&sequence.to_le_bytes())?;
            copy_range(&mut from, number + 8, *end, &mut to)?;
        }
        at = *end;
    }
    copy_range(&mut from, at, u64::MAX, &mut to)?;
    let found = scan::scan(&draft, *after, None, 0)?.batches;
    if found != scan.batches {
        let _ = fs::remove_file(&draft);
        return Err(differs(found, scan.batches));
    }
    to.sync_all()?;
    fs::rename(&draft, path)?;
    path.parent().map_or(Ok(()), sync_folder)
}

/// Copies a journal to the folder `damaged` beside the folder of the journals. Returns the copy.
pub(super) fn keep(path: &Path) -> io::Result<PathBuf> {
    let kept = &path.parent().and_then(Path::parent).unwrap_or(Path::new(".")).join(KEPT_FOLDER);
    fs::create_dir_all(kept)?;
    let name = path.file_name().unwrap_or_default();
    let copy = (0..).map(|n: u32| kept.join(format!("{}.{n}", name.display()))).find(|copy| !copy.exists());
    let copy = copy.ok_or(io::ErrorKind::AlreadyExists)?;
    fs::copy(path, &copy)?;
    OpenOptions::new().write(true).open(&copy)?.sync_all()?;
    sync_folder(kept)?;
    Ok(copy)
}

fn copy_range(from: &mut File, begin: u64, end: u64, to: &mut File) -> io::Result<()> {
    from.seek(SeekFrom::Start(begin))?;
    io::copy(&mut Read::by_ref(from).take(end.saturating_sub(begin)), to).map(|_| ())
}
