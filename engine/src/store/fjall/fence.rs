//! Fences, which keep recovery from bringing back what compactions have dropped.
//!
//! After a crash, fjall replays the writes to a space that are newer than the newest pair in its files. If a compaction
//! drops that pair, a later recovery also replays writes that had been in files. For ordered bytes alone that changes
//! nothing, because a replay of all newer writes ends in the same state. But a [`CompactionFilter`] drops pairs because
//! of other pairs, such as a put together with an older delete marker that hides it. The put would be replayed without
//! the marker.
//!
//! Therefore a filter may drop pairs only if the newest pair in the files of its space is a fence: a pair with a
//! reserved key and a sequence number of its own. Compactions keep the newest fence. It is inserted as the last pair of
//! a memtable, just before that is sealed, and not written to the journal.
//!
//! A requested compaction begins with a fence. A compaction that one of fjall's workers starts drops nothing without
//! one, but if it could have dropped much, later files of the space get fences. Not all files do, because fences make
//! the ranges of keys of their files overlap, and compactions of data that is written in order would rewrite more.
//!
//! [`CompactionFilter`]: crate::store::CompactionFilter

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use fjall::{AbstractTree, AnyTree, Keyspace, SeqNo};
use parking_lot::Mutex;

use super::space::Space;
use crate::store::active_transaction::RESERVED_KEY;

/// The key of fences, which the store interface hides.
pub(super) const FENCE_KEY: &[u8] = RESERVED_KEY;

/// A keyspace gets fences in all new files if a compaction could drop one in this number of pairs.
const WORTHWHILE: u64 = 16;

/// The number of fences of a keyspace whose sequence numbers are remembered. More than its memtables.
const REMEMBERED: usize = 8;

/// The fences of an open database.
#[derive(Default)]
pub(super) struct Fences {
    /// By the names of the keyspaces.
    keyspaces: Mutex<BTreeMap<String, Fenced>>,
    /// Whether any keyspace gets fences in all new files.
    any_wanted: AtomicBool,
    /// Returns a new sequence number.
    number: OnceLock<Box<dyn Fn() -> SeqNo + Send + Sync>>,
    /// Held while a commit is applied.
    pub committing: Arc<Mutex<()>>,
}

/// A keyspace that can have fences.
struct Fenced {
    /// Not a handle of the keyspace, which would keep the database open.
    tree: AnyTree,
    /// The sequence numbers of the newest fences.
    numbers: VecDeque<SeqNo>,
    /// Whether it gets fences in all new files.
    wanted: bool,
}

impl Fences {
    /// Provides the sequence numbers of fences. There are no fences before.
    pub fn number_by(&self, number: impl Fn() -> SeqNo + Send + Sync + 'static) {
        let _ = self.number.set(Box::new(number));
    }

    /// Adds a keyspace.
    pub fn add(&self, keyspace: &Keyspace) {
        let fenced = Fenced { tree: keyspace.tree.clone(), numbers: VecDeque::new(), wanted: false };
        self.keyspaces.lock().insert(keyspace.name().to_string(), fenced);
    }

    /// The tree of a keyspace.
    pub fn tree(&self, keyspace: &str) -> Option<AnyTree> {
        self.keyspaces.lock().get(keyspace).map(|fenced| fenced.tree.clone())
    }

    /// Removes a keyspace that is being dropped.
    pub fn remove(&self, keyspace: &Keyspace) {
        self.keyspaces.lock().remove(&**keyspace.name());
    }

    /// Inserts a fence. The caller must hold `committing`, and seal the memtable before it releases the lock if the
    /// fence has to be the newest pair of the memtable.
    pub fn insert(&self, keyspace: &Keyspace) {
        let Some(number) = self.number.get().map(|number| number()) else { return };
        if let Some(fenced) = self.keyspaces.lock().get_mut(&**keyspace.name()) {
            fenced.numbers.push_back(number);
            if fenced.numbers.len() > REMEMBERED {
                fenced.numbers.pop_front();
            }
        }
        // If a worker seals the memtable meanwhile, the fence becomes the first pair of the next one. That is harmless:
        // a fence counts only when it is the newest pair in a file.
        keyspace.tree.insert(FENCE_KEY, [], number);
    }

    /// Inserts fences into the full memtables of these spaces, if they should get them. fjall seals full memtables when
    /// a worker is idle; until then, each commit adds a fence. The caller must hold `committing`.
    pub fn insert_in_full(&self, spaces: &[Space]) {
        if self.any_wanted.load(Ordering::Relaxed) {
            for Space { keyspace, .. } in spaces.iter().filter(|space| space.is_full()) {
                if self.are_wanted(keyspace) {
                    self.insert(keyspace);
                }
            }
        }
    }

    /// Whether new files of a keyspace should have fences.
    pub fn are_wanted(&self, keyspace: &Keyspace) -> bool {
        self.any_wanted.load(Ordering::Relaxed)
            && self.keyspaces.lock().get(&**keyspace.name()).is_some_and(|fenced| fenced.wanted)
    }

    /// Notes how many pairs a compaction has read, and how many of them it has dropped, or could have.
    pub fn compacted(&self, keyspace: &str, read: u64, dropped: u64) {
        let mut keyspaces = self.keyspaces.lock();
        if let Some(fenced) = keyspaces.get_mut(keyspace) {
            fenced.wanted = dropped > 0 && dropped >= read / WORTHWHILE;
            self.any_wanted.store(keyspaces.values().any(|fenced| fenced.wanted), Ordering::Relaxed);
        }
    }

    /// Whether the newest pair in the files of a keyspace is a fence, so that a compaction that has begun may drop
    /// pairs.
    pub fn stands(&self, keyspace: &str) -> bool {
        let found = self.keyspaces.lock().get(keyspace).map(|fenced| (fenced.tree.clone(), fenced.numbers.clone()));
        // Without the lock, because a list of files may be being written. No other pair has the number of a fence.
        found.is_some_and(|(tree, fences)| {
            tree.get_highest_persisted_seqno().is_none_or(|newest| fences.contains(&newest))
        })
    }
}
