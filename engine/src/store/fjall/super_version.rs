//! The memtables and files of a space at one moment, which reads use without a lock of fjall.
//!
//! fjall locks the list of a space's files while it replaces the list on the disk, at the end of each flush and
//! compaction. That takes several syncs, for which all of its reads and writes of the space wait. A super version keeps
//! what the list refers to, so that reads continue.
//!
//! A super version has everything that a snapshot sees if two conditions are met:
//!
//! * Everything that was committed before the snapshot is in its memtables or files. Each commit renews the super
//!   versions of its spaces, if they have other memtables, before the commit becomes visible.
//! * Nothing that the snapshot sees has been dropped. Flushes and compactions drop versions of which later ones exist,
//!   even if older snapshots see them: fjall reads those from an older list. So the snapshot must not be older than the
//!   super version.

use std::ops::Deref;
use std::sync::Arc;

use fjall::{AbstractTree, AnyTree};
use lsm_tree::{Memtable, Table};

use super::row_filters::{Files, RowFilters};

/// The files of a run, whose type lsm-tree does not export.
pub(super) type Run = dyn Deref<Target = [Table]> + Send + Sync;

pub(super) type RunFiles = Arc<Run>;

/// The memtables and files of a space.
pub(super) struct SuperVersion {
    /// Snapshots with smaller sequence numbers may see what the files do not have any more.
    seqno: u64,
    /// The memtable that commits write to.
    pub active: Arc<Memtable>,
    /// Those that are being flushed, the newest first. Their pairs may be in files already.
    sealed: Vec<Arc<Memtable>>,
    /// The number of the list of files.
    pub version: u64,
    /// The files: by level, and in it by run.
    pub runs: Vec<RunFiles>,
    /// The number of runs in the first level.
    pub first_level_runs: usize,
    /// What is known about the rows of the files.
    pub rows: Arc<Files>,
}

impl SuperVersion {
    /// The current super version of a space. `before` is an earlier one: the memtables that are being flushed are found
    /// there, because lsm-tree does not show them. `None` if they are not found, until they have been flushed.
    ///
    /// It covers no snapshot before [`Self::cover_from`] is called.
    pub fn current(tree: &AnyTree, filters: &RowFilters, before: Option<&Self>) -> Option<Self> {
        loop {
            let active = tree.active_memtable();
            // If a flush ends after this, its memtables are both in the super version and in its files.
            let flushing = tree.sealed_memtable_count();
            let list = tree.current_version();
            if tree.active_memtable().id() != active.id() {
                continue;
            }
            let runs = || list.iter_levels().flat_map(|level| level.iter());
            // Otherwise there is a newer list.
            let Some(rows) = filters.files(list.id(), runs()) else { continue };
            let sealed = match flushing {
                0 => Vec::new(),
                flushing => before?.newest_sealed(&active, flushing)?,
            };
            let runs = runs().map(|run| Arc::clone(run) as RunFiles).collect();
            let first_level_runs = list.level(0).map_or(0, |level| level.run_count());
            let (seqno, version) = (u64::MAX, list.id());
            return Some(Self { seqno, active, sealed, version, runs, first_level_runs, rows });
        }
    }

    /// The newest sealed memtables at the time when another memtable is the active one; `None` if this super version
    /// does not have them all.
    fn newest_sealed(&self, active: &Memtable, count: usize) -> Option<Vec<Arc<Memtable>>> {
        // Memtables are numbered consecutively.
        let was_sealed = match active.id().checked_sub(self.active.id())? {
            0 => None,
            1 => Some(&self.active),
            _ => return None,
        };
        let sealed: Vec<_> = was_sealed.into_iter().chain(&self.sealed).take(count).cloned().collect();
        (sealed.len() == count).then_some(sealed)
    }

    /// Lets it cover the snapshots with at least this sequence number. That must be the number of the next view, and no
    /// commit may be in progress.
    pub fn cover_from(mut self, seqno: u64) -> Self {
        self.seqno = seqno;
        self
    }

    /// Whether this has everything that a snapshot with this sequence number sees, if the snapshot was taken before
    /// this was looked up.
    pub fn covers(&self, seqno: u64) -> bool {
        self.seqno <= seqno
    }

    /// Whether fjall has other memtables or files now.
    pub fn is_outdated(&self, tree: &AnyTree) -> bool {
        tree.current_version().id() != self.version
            || tree.active_memtable().id() != self.active.id()
            || (!self.sealed.is_empty() && tree.sealed_memtable_count() < self.sealed.len())
    }

    /// The memtables, the newest first.
    pub fn memtables(&self) -> impl Iterator<Item = &Arc<Memtable>> {
        std::iter::once(&self.active).chain(&self.sealed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memtables_that_are_being_flushed_are_found_unless_one_has_been_missed() {
        let memtable = |id| Arc::new(Memtable::new(id));
        let filters = RowFilters::default();
        let rows = filters.files(0, std::iter::empty::<&Arc<Vec<Table>>>()).unwrap();
        let (active, sealed) = (memtable(5), vec![memtable(4)]);
        let before = SuperVersion { seqno: 1, active, sealed, version: 0, runs: vec![], first_level_runs: 0, rows };
        let sealed = |active, count| {
            let sealed = before.newest_sealed(&memtable(active), count);
            sealed.map(|sealed| sealed.iter().map(|memtable| memtable.id()).collect::<Vec<_>>())
        };
        assert_eq!(sealed(5, 1), Some(vec![4]));
        assert_eq!(sealed(6, 2), Some(vec![5, 4]));
        assert_eq!(sealed(6, 1), Some(vec![5]), "the other one has been flushed");
        assert_eq!(sealed(6, 3), None, "it had one more");
        assert_eq!(sealed(7, 1), None, "6 was not seen");
    }
}
