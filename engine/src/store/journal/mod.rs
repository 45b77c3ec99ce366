//! Checks of fjall's journals before fjall reads them.
//!
//! fjall stops at the first batch that it cannot read and truncates the journal there, which is right for the last
//! batch before a crash, and loses everything behind a damaged one. Here the two are told apart:
//!
//! * A *torn* batch is the beginning of a batch at the end of the last journal that has batches. It was not
//!   acknowledged, and is cut.
//! * *Lost pages* are zero up to the end of a page of the file. A power failure leaves them among batches that were not
//!   synced. Everything behind them is cut, because the batches there were not synced either. The journal is kept in
//!   the folder `damaged`.
//! * Anything else is *damage*: the folder is refused, until an operator accepts the loss ([`repair`]) or restores a
//!   backup. What is missing or zero before the position that is known to have been synced ([`synced`]) is damage, too,
//!   and so are journals that are missing, empty or exchanged for others.
//!
//! The remaining batches are made durable as they were read ([`make_durable`]) before fjall appends to it.

mod batch;
mod repair;
mod rewrite;
mod scan;
mod synced;

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

pub(crate) use self::repair::repair;
use self::scan::{Gap, Known, Nature, Scan};
pub(super) use self::scan::{batches_from, end_of_content};
pub(super) use self::synced::{Content, Synced, SyncedFile, SyncedJournal, forget};
use super::corruption::damaged;
use super::fjall::failed_io;
use super::folder::sync_folder;
use crate::error::{Error, ErrorKind, Result};

/// The extension of journals.
const EXTENSION: &str = "jnl";

/// The largest difference between the numbers of two journals of a folder. fjall numbers them consecutively, and begins
/// to flush the oldest one when all have `JOURNAL_BYTES_MAX` (`store/fjall/database.rs`).
const JOURNALS_MAX: u64 = 10_000;

/// A damaged range of a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalDamage {
    /// The journal.
    pub journal: PathBuf,
    /// The position of the damaged batch in the journal, in bytes.
    pub at: u64,
    /// The length of the damaged range, in bytes.
    pub bytes: u64,
    /// The error of the batch.
    pub reason: &'static str,
    /// Intact batches behind it, in this journal and later ones.
    pub followed: u64,
    /// Whether nothing is lost by a repair, because only the number of the batch is wrong.
    pub lossless: bool,
    /// Whether it is not a range, but the journal as a whole that is missing, empty or another one.
    pub whole: bool,
}

impl std::fmt::Display for JournalDamage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { journal, at, bytes, reason, followed, whole, .. } = self;
        let journal = journal.display();
        match whole {
            true => write!(f, "the journal {journal} {reason}; ")?,
            false => write!(f, "the batch of {bytes} bytes at byte {at} of the journal {journal} {reason}; ")?,
        }
        match followed {
            0 => f.write_str("no intact batch follows"),
            1 => f.write_str("1 intact batch follows"),
            n => write!(f, "{n} intact batches follow"),
        }
    }
}

/// A journal and what its scan found.
struct Scanned {
    path: PathBuf,
    /// The sequence number of the batch before the journal.
    after: u64,
    scan: Scan,
    state: State,
}

/// What is known of a journal apart from its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Present,
    /// There is no such file. It must have had content.
    Missing,
    /// It does not have the batch that was synced last.
    Other,
}

/// A journal that has been checked: it consists of valid batches.
pub(super) struct Checked {
    path: PathBuf,
    /// The sequence number of the batch before the journal.
    after: u64,
    /// The number of its batches.
    batches: u64,
}

impl Checked {
    /// The number of its batches.
    pub fn batches(&self) -> u64 {
        self.batches
    }
}

/// The end of a journal that a crash has left.
struct Cut<'a> {
    path: &'a Path,
    gap: &'a Gap,
}

/// Checks the journals of a folder, and cuts what a crash has left at the end. Returns the journals as they are then.
///
/// # Errors
/// `Corrupt`: a journal is damaged or missing. Nothing has been changed. `Io`.
pub(super) fn check(data: &Path) -> Result<Vec<Checked>> {
    let synced = read_synced(data)?;
    let journals = read(data, synced.as_ref())?;
    let (damage, cuts) = judge(&journals);
    if let Some(damage) = damage.first() {
        return Err(refused(damage));
    }
    if !cuts.is_empty() || synced.is_some_and(|synced| synced.is_of_repair()) {
        // The beginning of a batch may have been synced, and nothing is left of an interrupted repair.
        forget(data).map_err(|error| failed_io(&format!("preparing to cut a journal in {}", data.display()), error))?;
    }
    cuts.iter().try_for_each(Cut::apply)?;
    let checked = |Scanned { path, after, scan, .. }: &Scanned| {
        let cut = cuts.iter().find(|cut| cut.path == path);
        let batches = scan.batches - cut.map_or(0, |cut| cut.gap.followed);
        Checked { path: path.clone(), after: *after, batches }
    };
    Ok(journals.iter().map(checked).collect())
}

/// Makes the journals of a folder durable as they were checked. No database may use them.
///
/// # Errors
/// `Io`, `DiskFull`: the folder cannot be used now. Its content is unchanged.
pub(super) fn make_durable(data: &Path, journals: &[Checked]) -> Result<()> {
    let failed = |error| failed_io(&format!("reading {}", data.display()), error);
    rewrite::remove_drafts(data).map_err(failed)?;
    journals.iter().try_for_each(rewrite::rewrite)?;
    // If the rotation to the newest one failed and the older one was cut completely, both are empty. fjall writes to
    // the newest one only, and the older one would look lost after the next crash.
    let [older @ .., _] = journals else { return Ok(()) };
    for journal in older.iter().filter(|journal| journal.batches == 0) {
        rewrite::fill(&journal.path, &batch::without_items()).map_err(failed)?;
    }
    Ok(())
}

/// Empties the journals of a folder whose data is all in files. One without content remains. From then on, nothing is
/// missed of a journal that was removed or replaced while the store was open: it had no other data.
///
/// If this is interrupted, the next opening replays what is left, or still misses the lost journal.
///
/// # Errors
/// Those of the file system.
pub(super) fn empty(data: &Path) -> io::Result<()> {
    let mut numbers: Vec<u64> = paths(data)?.iter().filter_map(|path| number(path)).collect();
    numbers.sort_unstable();
    let newest = match numbers.pop() {
        Some(newest) => newest,
        None => {
            // Journals that are older than all in the folder are not missed, since flushes remove these.
            let next = Synced::read(data)?.map_or(0, |synced| synced.newest().saturating_add(1));
            rewrite::fill(&data.join(name(next)), &[])?;
            next
        }
    };
    forget(data)?;
    // The oldest first, and each durably, so that no journal is missing between two others.
    for older in numbers {
        fs::remove_file(data.join(name(older)))?;
        sync_folder(data)?;
    }
    let file = OpenOptions::new().write(true).open(data.join(name(newest)))?;
    file.set_len(0)?;
    file.sync_all()
}

/// Checks the journals of a folder that is in use.
///
/// # Errors
/// `Corrupt`: a journal is damaged. `Io`.
pub(super) fn check_in_use(data: &Path) -> Result<()> {
    // A batch that was being written while it was read looks damaged if later ones were read completely.
    let found = judge(&read(data, read_synced(data)?.as_ref())?).0;
    if found.is_empty() {
        return Ok(());
    }
    let again = judge(&read(data, read_synced(data)?.as_ref())?).0;
    let same =
        |damage: &&JournalDamage| found.iter().any(|first| (&first.journal, first.at) == (&damage.journal, damage.at));
    match again.iter().find(same) {
        Some(damage) => Err(Error::new(
            ErrorKind::Corrupt,
            format!(
                "{damage}; the data is still in memory: flush all tables or stop the server cleanly, and check the disk"
            ),
        )),
        None => Ok(()),
    }
}

fn refused(damage: &JournalDamage) -> Error {
    let remedy = match damage.whole {
        true => {
            "put the file back, restore the data folder from a backup, or accept the loss with `hjall repair`, which \
             lists all damage to journals"
        }
        false => {
            "restore the data folder from a backup, or run `hjall repair`, which lists the damaged batches with their \
             positions and sizes, and drops them if that is accepted"
        }
    };
    Error::new(ErrorKind::Corrupt, format!("{damage}; nothing has been changed: {remedy}"))
}

/// Whether these bytes begin with a complete batch.
pub(super) fn is_batch(bytes: &[u8]) -> bool {
    matches!(batch::decode(bytes, &mut batch::Checksum::default()), batch::Decoded::Batch { .. })
}

/// The number in the name of a journal.
pub(super) fn number(path: &Path) -> Option<u64> {
    path.file_stem()?.to_str()?.parse().ok()
}

/// The name of the journal with a number.
pub(super) fn name(number: u64) -> String {
    format!("{number}.{EXTENSION}")
}

/// The journals in a folder, in no particular order.
pub(super) fn paths(data: &Path) -> io::Result<Vec<PathBuf>> {
    with_extension(data, EXTENSION)
}

fn with_extension(data: &Path, wanted: &str) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(data)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == wanted) {
            paths.push(path);
        }
    }
    Ok(paths)
}

/// What is known to have been synced.
fn read_synced(data: &Path) -> Result<Option<Synced>> {
    Synced::read(data).map_err(|error| failed_io(&format!("reading what was synced in {}", data.display()), error))
}

/// Reads the journals of a folder, the oldest first. `synced` tells what must be there.
fn read(data: &Path, synced: Option<&Synced>) -> Result<Vec<Scanned>> {
    let failed = |path: &Path| {
        let doing = format!("reading {}", path.display());
        move |error: io::Error| failed_io(&doing, error)
    };
    let mut found = BTreeMap::new();
    for path in paths(data).map_err(failed(data))? {
        found.insert(number(&path).ok_or_else(|| damaged(&path, "is not named like a journal"))?, path);
    }
    let (oldest, newest) = match (found.first_key_value(), found.last_key_value()) {
        (Some((oldest, _)), Some((newest, _))) => (*oldest, *newest),
        // fjall would number writes from zero, and hide the ones in files.
        _ => (1, 0),
    };
    if newest.saturating_sub(oldest) >= JOURNALS_MAX {
        return Err(damaged(&data.join(name(newest)), "has a number far from those of the other journals"));
    }
    let missing: Vec<u64> = match synced.map(Synced::newest) {
        None if found.is_empty() => vec![0],
        Some(synced) if found.is_empty() => vec![synced],
        Some(synced) if synced < newest + JOURNALS_MAX => (newest + 1..=synced).collect(),
        // A file that is so far ahead belongs to another folder.
        _ => Vec::new(),
    };
    let numbers = (oldest..=newest).chain(missing);
    let mut last = 0;
    let mut journals = Vec::new();
    for number in numbers {
        let Some(path) = found.get(&number) else {
            let scan = Scan { last, ..Scan::default() };
            journals.push(Scanned { path: data.join(name(number)), after: last, scan, state: State::Missing });
            continue;
        };
        let next = match found.get(&(number + 1)) {
            Some(next) => match scan::first_sequence(next) {
                // Another thread's flush has made it unnecessary.
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                first => first.map_err(failed(next))?,
            },
            None => None,
        };
        let known = synced.map_or(Known::NOTHING, |synced| synced.of(number));
        let scan = match scan::scan(path, last, next, known) {
            Ok(scan) => scan,
            // Another thread's flush has made it unnecessary.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(failed(path)(error)),
        };
        let state = match synced.and_then(|synced| synced.journal(number)) {
            Some(synced)
                if scan.gaps.iter().all(|gap| gap.from >= synced.bytes)
                    && !synced.is_in(path).map_err(failed(path))? =>
            {
                State::Other
            }
            _ => State::Present,
        };
        let after = std::mem::replace(&mut last, scan.last);
        journals.push(Scanned { path: path.clone(), after, scan, state });
    }
    Ok(journals)
}

/// The damaged batches, and the part that has to be cut if there are none.
fn judge(journals: &[Scanned]) -> (Vec<JournalDamage>, Vec<Cut<'_>>) {
    let (mut damage, mut cuts) = (Vec::new(), Vec::new());
    let mut later: u64 = journals.iter().map(|journal| journal.scan.batches).sum();
    for Scanned { path, scan, state, .. } in journals {
        later -= scan.batches;
        let whole = match state {
            State::Missing => Some("is missing"),
            State::Other => Some(
                "is not the one that was synced last, as data/synced says: it is an older copy, or another journal",
            ),
            // fjall begins a journal only when the one before has content.
            State::Present if scan.batches == 0 && scan.gaps.is_empty() && later > 0 => Some("is empty"),
            State::Present => None,
        };
        if let Some(reason) = whole {
            let (journal, followed) = (path.clone(), scan.batches + later);
            damage.push(JournalDamage { journal, at: 0, bytes: 0, reason, followed, lossless: false, whole: true });
        }
        for gap in &scan.gaps {
            // fjall syncs a journal before it begins the next one, so a journal with a successor has no torn end.
            let left_by_a_crash = later == 0 && matches!(gap.nature, Nature::Torn | Nature::LostPages);
            if left_by_a_crash {
                cuts.push(Cut { path, gap });
                break;
            }
            damage.push(JournalDamage {
                journal: path.clone(),
                at: gap.from,
                bytes: gap.to - gap.from,
                reason: gap.reason,
                followed: gap.followed + later,
                lossless: matches!(gap.nature, Nature::Renumber(_)),
                whole: false,
            });
        }
    }
    (damage, cuts)
}

impl Cut<'_> {
    fn apply(&self) -> Result<()> {
        let Self { path, gap } = self;
        match gap.nature {
            Nature::LostPages => {
                let kept = repair::keep(path);
                if let Err(error) = &kept {
                    tracing::warn!(journal = %path.display(), %error, "the journal could not be copied before it is cut");
                }
                tracing::warn!(
                    journal = %path.display(), at = gap.from, batches = gap.followed,
                    kept = kept.map_or_else(|_| "nowhere".to_owned(), |kept| kept.display().to_string()),
                    "pages at the end of the journal are zero, as after a power failure; the writes since then, which \
                     were not synced, are dropped"
                );
            }
            _ => tracing::info!(
                journal = %path.display(), at = gap.from, bytes = gap.to - gap.from,
                "dropping an incomplete write at the end of the journal, which was not acknowledged"
            ),
        }
        let cut = || {
            let file = OpenOptions::new().write(true).open(path)?;
            file.set_len(gap.from)?;
            file.sync_all()
        };
        cut().map_err(|error| failed_io(&format!("cutting {}", path.display()), error))
    }
}
