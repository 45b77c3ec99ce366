//! Compactions whose filters have ended, and that are about to replace files.
//!
//! fjall does not report the end of a compaction. That of a requested one is known: it is the end of a call. One of a
//! worker has ended, or has failed, once no worker is between the end of its filter and the end of its compaction (see
//! `dead_versions`). But workers can wait for minutes before they make a filter, while there is a major compaction.
//! Therefore the removal of files counts too, if no other compaction can have removed them.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fjall::{AbstractTree, AnyTree};

use super::filter_gate::RunningFilter;

/// A compaction that is about to replace files.
pub(super) struct Completing {
    number: u64,
    tree: AnyTree,
    /// Whether a requested compaction has ended. `None` for one that a worker of fjall runs.
    step: Option<Arc<AtomicBool>>,
    /// The files of the tree before; `None` if they are not known yet. A flush may replace the list first, but does not
    /// remove files.
    files: Option<BTreeSet<u64>>,
    /// Whether another compaction of the tree was about to replace files at the same time. Then the removal of files
    /// does not tell which one has.
    has_others: bool,
    /// Dropped with this, when the compaction has ended.
    _running: Option<RunningFilter>,
}

impl Completing {
    /// Whether it has replaced files, or has failed. `no_worker_completes`: whether none of the workers is between the
    /// end of its filter and the end of its compaction. `now`: the files of the tree.
    fn is_complete(&self, no_worker_completes: bool, now: &BTreeSet<u64>) -> bool {
        if let Some(step) = &self.step {
            return step.load(Ordering::Acquire);
        }
        // Another compaction of the tree that has replaced files since would have been noted before.
        let is_only_one = !self.has_others;
        let removes_files = || self.files.as_ref().is_some_and(|before| !before.is_subset(now));
        no_worker_completes || is_only_one && removes_files()
    }
}

/// The compactions that are about to replace files.
#[derive(Default)]
pub(super) struct CompletingCompactions {
    /// The number of the last one that was noted.
    last: u64,
    noted: Vec<Completing>,
}

impl CompletingCompactions {
    /// Notes a compaction, before it replaces files. Returns its number.
    pub fn note(&mut self, tree: &AnyTree, step: Option<Arc<AtomicBool>>, running: Option<RunningFilter>) -> u64 {
        let mut has_others = false;
        for other in self.noted.iter_mut().filter(|other| other.tree.id() == tree.id()) {
            (other.has_others, has_others) = (true, true);
        }
        self.last += 1;
        let (number, tree) = (self.last, tree.clone());
        self.noted.push(Completing { number, tree, step, files: None, has_others, _running: running });
        number
    }

    /// Notes the files that the tree of a compaction had when that had been noted.
    pub fn had_files(&mut self, number: u64, files: BTreeSet<u64>) {
        if let Some(noted) = self.noted.iter_mut().find(|noted| noted.number == number) {
            noted.files = Some(files);
        }
    }

    /// The numbers and the trees of the compactions before which the files of the tree are known.
    pub fn of_trees(&self) -> Vec<(u64, AnyTree)> {
        let noted = self.noted.iter().filter(|noted| noted.files.is_some());
        noted.map(|noted| (noted.number, noted.tree.clone())).collect()
    }

    /// Takes out those that are complete of the compactions in `listed`, with the files that their trees have had since
    /// [`Self::of_trees`] was called. `no_worker_completes`: whether no worker has been completing a compaction since
    /// then.
    pub fn take_complete(
        &mut self,
        no_worker_completes: bool,
        listed: &HashMap<u64, BTreeSet<u64>>,
    ) -> Vec<Completing> {
        let is_complete = |noted: &mut Completing| {
            listed.get(&noted.number).is_some_and(|now| noted.is_complete(no_worker_completes, now))
        };
        self.noted.extract_if(.., is_complete).collect()
    }

    pub fn is_empty(&self) -> bool {
        self.noted.is_empty()
    }

    /// Forgets the compactions of a tree.
    pub fn forget(&mut self, tree: &AnyTree) {
        self.noted.retain(|noted| noted.tree.id() != tree.id());
    }
}

/// The numbers of the files of a tree.
pub(super) fn files_of(tree: &AnyTree) -> BTreeSet<u64> {
    tree.current_version().iter_tables().map(|file| file.id()).collect()
}
