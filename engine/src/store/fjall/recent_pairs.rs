//! The pairs that were written to a space since a table was last altered, disabled or flushed.
//!
//! In HBase, these are the pairs of the memstore. fjall seals and flushes its memtables at other times, so recent pairs
//! are told by their sequence numbers instead. Compactions may have set those of some pairs to zero; they have also
//! dropped what a flush would.

use std::cell::RefCell;
use std::ops::Bound;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use lsm_tree::InternalValue;

use super::database::Database;
use super::failure::failed;
use super::fence::FENCE_KEY;
use super::range_merge::RangeMerge;
use super::super_version::SuperVersion;
use crate::error::Result;
use crate::store::{Pair, SpaceId, no_such_space, recent_bytes};

/// What a pair of a memtable that is not recent takes of the budget: it is only passed.
const PASSED_PAIR_BYTES: u64 = 10;

impl Database {
    /// The recent pairs of a space: those that have been written since the last call of [`Self::end_recent`], or since
    /// the space was opened. `None` if not all memtables are known, which is possible while several are being flushed.
    /// No other thread may write to the space.
    ///
    /// # Errors
    /// `Stale`.
    pub fn recent(&self, space: SpaceId) -> Result<Option<Recent>> {
        let space = self.space(space).ok_or_else(|| no_such_space(space))?;
        let from = space.recent_from.load(Ordering::Acquire);
        Ok(space.current().map(|version| Recent { version, from, before: RefCell::default() }))
    }

    /// From now on, what has been written to a space is not recent. No other thread may write to the space.
    pub fn end_recent(&self, space: SpaceId) {
        if let Some(space) = self.space(space) {
            space.recent_from.store(self.inner.supervisor.seqno.get(), Ordering::Release);
        }
    }
}

/// The recent pairs of a space.
pub(super) struct Recent {
    version: SuperVersion,
    /// Their smallest sequence number.
    from: u64,
    before: RefCell<Option<Before>>,
}

/// The state of the space before the recent pairs.
struct Before {
    pairs: RangeMerge,
    /// The key that was looked up last.
    key: Bytes,
    /// The first pair at or after it. The range continues after that.
    next: Option<Pair>,
}

impl Recent {
    /// The pairs, by key; `None` if more than `budget` has to be read to find them, which is reduced by what was.
    ///
    /// # Errors
    /// `Io`, `Corrupt`.
    pub fn pairs(&self, budget: &mut u64) -> Result<Option<Vec<Pair>>> {
        self.version.pairs_from(self.from, budget)
    }

    /// Whether a key had a value before it became recent. A flush or compaction of fjall may have dropped that value
    /// since, because there is a later one. Ascending keys are looked up fast. The pairs that are read are charged to
    /// `budget`.
    ///
    /// # Errors
    /// `Io`, `Corrupt`.
    pub fn replaces(&self, key: &Bytes, budget: &mut u64) -> Result<bool> {
        let mut before = self.before.borrow_mut();
        let lower = Bound::Included(&key[..]);
        let found = match before.as_mut().filter(|before| before.key <= *key) {
            Some(before) => {
                if before.next.as_ref().is_some_and(|(next, _)| next < key) {
                    before.pairs.seek(lower)?;
                    before.next = before.pairs.next()?;
                    charge(budget, before.next.as_ref());
                }
                before.key = key.clone();
                &before.next
            }
            None => {
                let mut pairs = RangeMerge::open(&self.version, &Arc::default(), self.from, (lower, b""))?;
                let next = pairs.next()?;
                charge(budget, next.as_ref());
                &before.insert(Before { pairs, key: key.clone(), next }).next
            }
        };
        Ok(found.as_ref().is_some_and(|(found, _)| found == key))
    }
}

fn charge(budget: &mut u64, pair: Option<&Pair>) {
    let bytes = pair.map_or(0, |(key, value)| key.len() + value.len());
    *budget = budget.saturating_sub(bytes as u64);
}

impl SuperVersion {
    /// The pairs whose sequence numbers are at least `from`, by key; `None` if more than `budget` has to be read to
    /// find them.
    ///
    /// # Errors
    /// `Io`, `Corrupt`.
    fn pairs_from(&self, from: u64, budget: &mut u64) -> Result<Option<Vec<Pair>>> {
        let memtables: Vec<_> =
            self.memtables().filter(|memtable| memtable.get_highest_seqno().is_some_and(|last| last >= from)).collect();
        let files = self.runs.iter().flat_map(|run| run.iter());
        let files: Vec<_> = files.filter(|file| file.get_highest_seqno() >= from).collect();
        // Files may be compressed, so that reading them takes more.
        if files.iter().map(|file| file.metadata.file_size).sum::<u64>() > *budget {
            return Ok(None);
        }
        let mut versions = Vec::new();
        // Returns whether the budget sufficed.
        let mut take = |version: InternalValue, is_in_memory: bool| {
            let is_recent = version.key.seqno >= from && version.key.user_key[..] != *FENCE_KEY;
            let bytes = match is_in_memory && !is_recent {
                true => PASSED_PAIR_BYTES,
                false => recent_bytes(&version.key.user_key, &version.value),
            };
            let left = budget.checked_sub(bytes);
            *budget = left.unwrap_or(*budget);
            if is_recent {
                versions.push(version);
            }
            left.is_some()
        };
        for memtable in memtables {
            if !memtable.iter().all(|version| take(version, true)) {
                return Ok(None);
            }
        }
        for file in files {
            for version in file.iter() {
                if !take(version.map_err(|error| failed("reading", fjall::Error::from(error)))?, false) {
                    return Ok(None);
                }
            }
        }
        // By key, and then from the newest to the oldest.
        versions.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        versions.dedup_by(|later, first| later.key.user_key == first.key.user_key);
        let puts = versions.into_iter().filter(|version| !version.key.is_tombstone());
        Ok(Some(puts.map(|put| (Bytes::from(put.key.user_key), Bytes::from(put.value))).collect()))
    }
}
