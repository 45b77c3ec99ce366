//! Dropping the damaged batches of journals, on request.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::rewrite::{create_like, differs};
use super::scan::{self, Gap, Nature};
use super::{JournalDamage, Scanned, batch, judge, read};
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
    let journals = read(&data)?;
    let (damage, _) = judge(&journals);
    if accept_loss {
        let kept = path.join(KEPT_FOLDER);
        for journal in journals.iter().filter(|journal| damage.iter().any(|damage| damage.journal == journal.path)) {
            rewrite(journal, &kept)
                .map_err(|error| failed_io(&format!("repairing {}", journal.path.display()), error))?;
        }
    }
    Ok(damage)
}

/// Replaces a journal with one without its gaps.
fn rewrite(Scanned { path, after, scan }: &Scanned, kept: &Path) -> io::Result<()> {
    fs::create_dir_all(kept)?;
    if let Some(name) = path.file_name() {
        let copy = (0..).map(|n: u32| kept.join(format!("{}.{n}", name.display()))).find(|copy| !copy.exists());
        if let Some(copy) = copy {
            fs::copy(path, &copy)?;
            OpenOptions::new().write(true).open(&copy)?.sync_all()?;
            sync_folder(kept)?;
        }
    }
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
    let found = scan::scan(&draft, *after, None)?.batches;
    if found != scan.batches {
        let _ = fs::remove_file(&draft);
        return Err(differs(found, scan.batches));
    }
    to.sync_all()?;
    fs::rename(&draft, path)?;
    path.parent().map_or(Ok(()), sync_folder)
}

fn copy_range(from: &mut File, begin: u64, end: u64, to: &mut File) -> io::Result<()> {
    from.seek(SeekFrom::Start(begin))?;
    io::copy(&mut Read::by_ref(from).take(end.saturating_sub(begin)), to).map(|_| ())
}
