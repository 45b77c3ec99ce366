//! Which compactions can meet dead versions: those below a tombstone.
//!
//! fjall passes every version of a key that is not a tombstone to the compaction filter. It leaves out those below a
//! newer version, also a tombstone, that no snapshot can read: their sequence numbers are below the watermark with
//! which the compaction has begun. If an older snapshot holds the watermark back, the versions below a tombstone are
//! passed, and the tombstone is not. A filter that took them for pairs of the newest state would drop visible pairs
//! because of them. Therefore a compaction that can meet such versions looks up the newest version of each key.
//!
//! Tombstones are written by deletions (`catalog/flush.rs`), and by compaction filters in place of what they drop.
//! Below the tombstone of a filter, there can be older versions in deeper levels.
//!
//! The watermark of a compaction by one of fjall's workers is not known, and the current one may be greater. But a
//! compaction gets at least the watermark of any earlier moment. Such a moment is one at which every compaction that
//! fjall counts has its filter already, and the end of the last filter on the same thread.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use fjall::{AbstractTree, AnyTree, SeqNo};
use parking_lot::Mutex;

/// What is known of the tombstones of an open database, and of the watermarks of its compactions.
#[derive(Default)]
pub(super) struct DeadVersions {
    state: Mutex<State>,
    /// Returns the current watermark.
    watermark: OnceLock<Box<dyn Fn() -> SeqNo + Send + Sync>>,
}

thread_local! {
    /// The watermark at the end of the last filter of this thread, which belongs to one database. The next compaction
    /// of the thread begins afterwards.
    static AT_LAST_FILTER: Cell<SeqNo> = const { Cell::new(0) };
}

struct State {
    /// The greatest sequence number that a dead version can have, or a greater one, by the names of the keyspaces.
    newest: BTreeMap<String, SeqNo>,
    /// As in `newest`, for all keyspaces.
    before: SeqNo,
    /// The number of compactions by workers that have filters.
    filtering: usize,
    /// The smallest watermark of compactions whose filters have not been made yet.
    watermark: SeqNo,
}

impl Default for State {
    fn default() -> Self {
        Self { newest: BTreeMap::new(), before: SeqNo::MAX, filtering: 0, watermark: 0 }
    }
}

impl DeadVersions {
    /// Notes the greatest sequence number of the database when it was opened. It may have tombstones of earlier
    /// openings. `watermark` returns the current watermark.
    pub fn opened(&self, newest: SeqNo, watermark: impl Fn() -> SeqNo + Send + Sync + 'static) {
        let _ = self.watermark.set(Box::new(watermark));
        self.state.lock().before = newest;
    }

    fn watermark(&self) -> SeqNo {
        self.watermark.get().map_or(0, |watermark| watermark())
    }

    /// Notes that pairs of these keyspaces are about to be deleted, and must not be passed until
    /// [`Self::have_been_deleted`] is called. The caller must hold the lock of commits.
    pub fn are_being_deleted<'a>(&self, keyspaces: impl Iterator<Item = &'a str>) {
        self.have_been_deleted(keyspaces, SeqNo::MAX);
    }

    /// Notes that the deletion has a sequence number of at most `newest`. The caller has held the lock of commits since
    /// it was announced.
    pub fn have_been_deleted<'a>(&self, keyspaces: impl Iterator<Item = &'a str>, newest: SeqNo) {
        let mut state = self.state.lock();
        state.newest.extend(keyspaces.map(|keyspace| (keyspace.to_owned(), newest)));
    }

    /// Notes that a compaction has dropped pairs, and that older versions of these have sequence numbers of at most
    /// `newest`. To be called before its files replace others.
    pub fn have_been_dropped(&self, keyspace: &str, newest: SeqNo) {
        let mut state = self.state.lock();
        if state.newest.get(keyspace).is_none_or(|known| *known < newest) {
            state.newest.insert(keyspace.to_owned(), newest);
        }
    }

    /// Forgets a keyspace that has been dropped.
    pub fn forget(&self, keyspace: &str) {
        self.state.lock().newest.remove(keyspace);
    }

    /// Whether a compaction of the files of a keyspace can meet dead versions. `watermark`: its own, or a smaller one.
    pub fn can_be_met(&self, keyspace: &str, tree: &AnyTree, watermark: SeqNo) -> bool {
        let newest = {
            let state = self.state.lock();
            state.newest.get(keyspace).map_or(state.before, |newest| state.before.max(*newest))
        };
        newest > watermark && tree.tombstone_count() > 0
    }

    /// Begins the filter of a compaction that one of fjall's workers runs. Returns the watermark that the compaction
    /// has at least.
    pub fn begin_filter(self: &Arc<Self>) -> (Filtering, SeqNo) {
        let mut state = self.state.lock();
        state.filtering += 1;
        (Filtering(Arc::clone(self)), state.watermark.max(AT_LAST_FILTER.get()))
    }

    /// Finds out which watermark compactions get at least that begin from now on. Returns whether every compaction by a
    /// worker still has its filter.
    pub fn observe(&self, database: &fjall::Database) -> bool {
        let watermark = self.watermark();
        let mut state = self.state.lock();
        // A compaction is counted before it gets its watermark, and until its filter has been dropped. If all that are
        // counted have filters, no other one has got a watermark yet.
        let all_have_filters = database.active_compactions() == state.filtering;
        if all_have_filters {
            state.watermark = state.watermark.max(watermark);
        }
        all_have_filters
    }
}

/// The filter of a compaction by a worker, until this is dropped.
pub(super) struct Filtering(Arc<DeadVersions>);

impl Drop for Filtering {
    fn drop(&mut self) {
        AT_LAST_FILTER.set(self.0.watermark());
        self.0.state.lock().filtering -= 1;
    }
}

/// Whether `value` is the newest value of a key.
pub(super) fn is_newest(tree: &AnyTree, key: &[u8], value: &[u8]) -> bool {
    tree.get(key, SeqNo::MAX).is_ok_and(|newest| newest.is_some_and(|newest| newest[..] == *value))
}

/// The greatest sequence number in the files below the first level. Older versions of pairs that a compaction drops,
/// which it does not read itself, are there.
pub(super) fn newest_below_first_level(tree: &AnyTree) -> SeqNo {
    let version = tree.current_version();
    let files = version.iter_levels().skip(1).flat_map(|level| level.iter()).flat_map(|run| run.iter());
    files.map(|file| file.get_highest_seqno()).max().unwrap_or(0)
}
