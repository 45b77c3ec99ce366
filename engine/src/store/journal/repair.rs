//! Dropping the damaged batches of journals, on request.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::rewrite::{DRAFT, copy_content, create_like, differs, fill, remove_drafts};
use super::scan::{self, Gap, Known, Nature, end_of_content};
use super::{Cut, JournalDamage, Scanned, State, Synced, batch, forget, judge, number, read, read_synced};
use crate::error::{Error, ErrorKind, Result};
use crate::store::file_manifest;
use crate::store::fjall::failed_io;
use crate::store::folder::{Folder, put_in_place, sync_file, sync_folder};

/// The folder in the data folder that keeps the journals as they were.
const KEPT_FOLDER: &str = "damaged";

/// Finds the damage in the journals of a data folder. With `accept_loss`, drops the damaged batches and keeps all
/// others. A copy of each changed journal is kept in the folder `damaged` of the data folder. After each step, a
/// further repair finds the rest of the damage.
///
/// # Errors
/// `Locked`: the folder is in use. `Corrupt`: a file other than a journal is missing or damaged, or there is still
/// damage after the repair. `Io`, `DiskFull`.
pub(crate) fn repair(path: &Path, accept_loss: bool) -> Result<Vec<JournalDamage>> {
    let was_closed = file_manifest::is_there(path);
    let folder = Folder::open(path)?;
    let data = folder.data();
    if folder.is_new() || !data.exists() {
        return Ok(Vec::new());
    }
    let journals = read(&data, read_synced(&data)?.as_ref())?;
    let (mut damage, cuts) = judge(&journals);
    if damage.is_empty() {
        // The opening of the folder has compared the list and removed it.
        if was_closed && let Err(error) = folder.list_files() {
            tracing::warn!(folder = %path.display(), %error, "the list of files could not be written again");
        }
        return Ok(damage);
    }
    damage.extend(cuts.iter().map(|cut| cut.described()));
    if !accept_loss {
        return Ok(damage);
    }
    let failed = |path: &Path, error| failed_io(&format!("repairing {}", path.display()), error);
    // What is not dropped must not be lost from here on, since it would be damage.
    for journal in journals.iter().filter(|journal| journal.state != State::Missing) {
        sync_file(&journal.path).map_err(|error| failed(&journal.path, error))?;
    }
    let repaired = Synced::repaired(journals.iter().filter_map(|journal| number(&journal.path)));
    repaired.replace(&data).map_err(|error| failed(&data, error))?;
    remove_drafts(&data).map_err(|error| failed(&data, error))?;
    for journal in journals.iter().filter(|journal| !journal.scan.gaps.is_empty()) {
        let cut = cuts.iter().find(|cut| cut.path == journal.path).map(|cut| cut.gap);
        rewrite(journal, cut).map_err(|error| failed(&journal.path, error))?;
    }
    replace_lost(&read(&data, Some(&repaired))?).map_err(|error| failed(&data, error))?;
    let (left, _) = judge(&read(&data, Some(&repaired))?);
    if let Some(left) = left.first() {
        return Err(Error::new(
            ErrorKind::Corrupt,
            format!(
                "after the repair, {left}: restore the data folder from a backup; the journals as they were are in {}",
                folder_of_kept(&data).display()
            ),
        ));
    }
    forget(&data).map_err(|error| failed(&data, error))?;
    Ok(damage)
}

impl Cut<'_> {
    /// The cut as a part of a repair.
    fn described(&self) -> JournalDamage {
        let Gap { from, to, followed, .. } = *self.gap;
        JournalDamage {
            journal: self.path.to_owned(),
            at: from,
            bytes: to - from,
            reason: "is not known to have been synced, and is dropped with all that follow, as after a crash",
            followed,
            lossless: false,
            whole: false,
        }
    }
}

/// Puts a batch without items into journals that are missing or empty, except the newest one: the numbers of journals
/// are consecutive, and fjall begins one only when the one before has content.
fn replace_lost(journals: &[Scanned]) -> io::Result<()> {
    for (n, Scanned { path, scan, state, .. }) in journals.iter().enumerate() {
        let is_newest = n + 1 == journals.len();
        match (scan.batches, state) {
            (0, State::Missing) if is_newest => fill(path, &[])?,
            (0, _) if !is_newest => fill(path, &batch::without_items())?,
            _ => {}
        }
    }
    Ok(())
}

/// Replaces a journal with one without its gaps, which ends where it is cut.
fn rewrite(journal: &Scanned, cut: Option<&Gap>) -> io::Result<()> {
    keep(&journal.path)?;
    let draft = journal.path.with_extension(DRAFT);
    let rewritten = rewrite_to(&draft, journal, cut);
    if rewritten.is_err() {
        let _ = fs::remove_file(&draft);
    }
    rewritten
}

fn rewrite_to(draft: &Path, journal: &Scanned, cut: Option<&Gap>) -> io::Result<()> {
    let Scanned { path, after, scan, .. } = journal;
    let mut from = File::open(path)?;
    let end = cut.map_or(end_of_content(&mut from, 0)?.unwrap_or(0), |cut| cut.from);
    let gaps = || scan.gaps.iter().filter(|gap| gap.from < end);
    let mut to = create_like(draft, &from)?;
    let mut at = 0;
    for Gap { from: begin, to: end, nature, .. } in gaps() {
        copy_range(&mut from, at, *begin, &mut to)?;
        if let Nature::Renumber(sequence) = nature {
            let number = begin + batch::SEQUENCE_AT as u64;
            copy_range(&mut from, *begin, number, &mut to)?;
            to.write_all(&sequence.to_le_bytes())?;
            copy_range(&mut from, number + 8, *end, &mut to)?;
        }
        at = *end;
    }
    copy_range(&mut from, at, end, &mut to)?;
    let misplaced = gaps().filter(|gap| gap.nature == Nature::Misplaced).count() as u64;
    let expected = scan.batches - misplaced - cut.map_or(0, |cut| cut.followed);
    let found = scan::scan(draft, *after, None, Known::NOTHING)?.batches;
    if found != expected {
        return Err(differs(found, expected));
    }
    put_in_place(&to, draft, path)
}

/// Copies a journal to the folder `damaged` beside the folder of the journals. Returns the copy.
pub(super) fn keep(path: &Path) -> io::Result<PathBuf> {
    let kept = folder_of_kept(path.parent().unwrap_or(Path::new(".")));
    fs::create_dir_all(&kept)?;
    let name = path.file_name().unwrap_or_default();
    let copy = (0..).map(|n: u32| kept.join(format!("{}.{n}", name.display()))).find(|copy| !copy.exists());
    let copy = copy.ok_or(io::ErrorKind::AlreadyExists)?;
    let mut journal = File::open(path)?;
    let copied = create_like(&copy, &journal).and_then(|mut file| {
        copy_content(&mut journal, &mut file)?;
        file.sync_all()
    });
    if copied.is_err() {
        let _ = fs::remove_file(&copy);
    }
    copied?;
    sync_folder(&kept)?;
    Ok(copy)
}

/// The folder of the copies that [`keep`] makes of the journals in a folder.
fn folder_of_kept(journals: &Path) -> PathBuf {
    journals.parent().unwrap_or(Path::new(".")).join(KEPT_FOLDER)
}

fn copy_range(from: &mut File, begin: u64, end: u64, to: &mut File) -> io::Result<()> {
    from.seek(SeekFrom::Start(begin))?;
    io::copy(&mut Read::by_ref(from).take(end.saturating_sub(begin)), to).map(|_| ())
}
