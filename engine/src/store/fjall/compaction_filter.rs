//! Adapts [`CompactionFilter`] to fjall's compaction filters.
//!
//! fjall fixes the factory of a space when the space is opened, before the schema is known. Therefore the factory of
//! filters is looked up at the beginning of each compaction, and all pairs are kept until it is set.
//!
//! A filter fails only to abort a compaction: a requested one at any time, and fjall's own only if the database accepts
//! no more writes, because fjall refuses all writes after one of its workers failed. If a filter panics, or the rules
//! of the space are about to change (`filter_gate`), the remaining pairs are kept.
//!
//! A dropped pair is replaced with a tombstone (`Remove`). `Destroy` would make older values of the same key visible.
//! Nothing is dropped without a fence; see `fence`. A filter also makes the files of its compaction durable while they
//! are written; see `sync_ahead`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, RwLock, Weak};

use bytes::Bytes;
use fjall::compaction::filter::{self as fjall_filter, CompactionFilterResult, Context, Factory, ItemAccessor};
use fjall::{AnyTree, SeqNo, UserKey};

use super::dead_versions::{self, DeadVersions, Filtering};
use super::fence::{FENCE_KEY, Fences};
use super::filter_gate::{FilterGates, RunningFilter};
use super::requested_compaction::Run;
use super::sync_ahead::SyncAhead;
use super::version_changes::VersionChanges;
use crate::error::Result;
use crate::store::{CompactionFilter, CompactionFilterFactory, Pair, SpaceId, Verdict};

/// Tells running compactions to end.
#[derive(Default)]
pub(super) struct AbortFlags {
    requested: AtomicBool,
    all: AtomicBool,
}

impl AbortFlags {
    /// Aborts requested compactions.
    pub fn requested(&self) {
        self.requested.store(true, Ordering::Release);
    }

    /// Aborts all compactions.
    pub fn all(&self) {
        self.requested();
        self.all.store(true, Ordering::Release);
    }

    /// Whether requested compactions have to end.
    pub fn is_asked(&self) -> bool {
        self.requested.load(Ordering::Acquire)
    }
}

/// The [`CompactionFilterFactory`], once it is known. It is in a lock of the standard library, because fjall requires
/// factories that are `UnwindSafe`.
#[derive(Default)]
pub(super) struct DeferredFilterFactory {
    factory: RwLock<Option<Arc<dyn CompactionFilterFactory>>>,
    pub gates: FilterGates,
}

impl DeferredFilterFactory {
    pub fn set(&self, filters: Option<Arc<dyn CompactionFilterFactory>>) {
        *self.factory.write().unwrap_or_else(std::sync::PoisonError::into_inner) = filters;
    }

    fn get(&self) -> Option<Arc<dyn CompactionFilterFactory>> {
        self.factory.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    /// What a flush of these pairs drops: nothing until the factory is set, and if it panics.
    pub fn flush_garbage(
        &self,
        space: SpaceId,
        recent: &[Pair],
        replaces: &dyn Fn(&Bytes, &mut u64) -> Result<bool>,
        budget: &mut u64,
    ) -> Result<Vec<Bytes>> {
        let garbage =
            || self.get().map_or_else(|| Ok(Vec::new()), |it| it.flush_garbage(space, recent, replaces, budget));
        catch_unwind(AssertUnwindSafe(garbage)).unwrap_or_else(|_| {
            tracing::error!("a compaction filter panicked; this flush drops nothing");
            Ok(Vec::new())
        })
    }
}

/// Creates the filters of one keyspace.
pub(super) struct SpaceFilterFactory {
    pub space: SpaceId,
    pub keyspace: String,
    /// Weak, because the trees in it have this factory. fjall requires factories that are `UnwindSafe`.
    pub fences: AssertUnwindSafe<Weak<Fences>>,
    pub filters: Arc<DeferredFilterFactory>,
    pub give_way: Arc<AbortFlags>,
    pub changes: AssertUnwindSafe<Arc<VersionChanges>>,
    pub dead_versions: AssertUnwindSafe<Arc<DeadVersions>>,
}

impl Factory for SpaceFilterFactory {
    fn name(&self) -> &str {
        "hjall"
    }

    fn make_filter(&self, _context: &Context) -> Box<dyn fjall_filter::CompactionFilter> {
        let run = Run::of_this_thread();
        let (filtering, watermark) = match &run {
            Some(run) => (None, run.watermark),
            None => {
                let (filtering, watermark) = self.dead_versions.begin_filter();
                (Some(filtering), watermark)
            }
        };
        let whole = run.as_ref().is_some_and(|run| run.major);
        let running = self.filters.gates.begin(self.space);
        let make = || running.as_ref().and_then(|_| self.filters.get()?.make_filter(self.space, whole));
        let filter = catch_unwind(AssertUnwindSafe(make)).ok().flatten();
        Box::new(Filter {
            begins_paused: running.is_none(),
            running: running.filter(|_| filter.is_some()),
            filter,
            last: None,
            run,
            give_way: Arc::clone(&self.give_way),
            keyspace: self.keyspace.clone(),
            fences: Weak::clone(&self.fences),
            changes: Arc::clone(&self.changes),
            files: self.fences.upgrade().and_then(|fences| Some(SyncAhead::new(&fences.tree(&self.keyspace)?))),
            dead_versions: Arc::clone(&self.dead_versions),
            watermark,
            filtering,
            begun: None,
            read: 0,
            dropped: 0,
        })
    }
}

/// What a filter has to know of its keyspace.
struct Begun {
    /// Whether there is a fence.
    may_drop: bool,
    /// Where to look up the newest versions of keys, if there can be dead versions.
    lookups: Option<AnyTree>,
    /// The greatest sequence number that an older version of a dropped pair can have.
    newest_below: SeqNo,
}

struct Filter {
    filter: Option<Box<dyn CompactionFilter>>,
    /// `None` if it has kept all pairs.
    running: Option<RunningFilter>,
    /// Whether it was made during a pause.
    begins_paused: bool,
    /// The last key and its verdict. fjall passes a key once for each of its values, newest first; the newest one
    /// determines the verdict.
    last: Option<(UserKey, Verdict)>,
    /// `None` in a compaction that one of fjall's workers started.
    run: Option<Run>,
    give_way: Arc<AbortFlags>,
    keyspace: String,
    fences: Weak<Fences>,
    changes: Arc<VersionChanges>,
    files: Option<SyncAhead>,
    dead_versions: Arc<DeadVersions>,
    /// The watermark of the compaction, or a smaller one.
    watermark: SeqNo,
    filtering: Option<Filtering>,
    /// fjall holds a lock of the tree while it creates a filter, so this is found out at the first pair.
    begun: Option<Begun>,
    /// The numbers of keys that were judged and of those that were not kept.
    read: u64,
    dropped: u64,
}

impl Filter {
    fn begin(&self, is_last_level: bool) -> Begun {
        let found = self.fences.upgrade().and_then(|fences| Some((fences.tree(&self.keyspace)?, fences)));
        let Some((tree, fences)) = found else { return Begun { may_drop: false, lookups: None, newest_below: 0 } };
        Begun {
            may_drop: fences.stands(&self.keyspace),
            newest_below: if is_last_level { 0 } else { dead_versions::newest_below_first_level(&tree) },
            lookups: self.dead_versions.can_be_met(&self.keyspace, &tree, self.watermark).then_some(tree),
        }
    }

    fn judge(&mut self, item: &ItemAccessor<'_>) -> Verdict {
        let Some(filter) = &mut self.filter else { return Verdict::Keep };
        let key = item.key();
        if let Some((last, verdict)) = &self.last
            && last == key
        {
            return *verdict;
        }
        let Ok(value) = item.value() else { return Verdict::Keep };
        if let Some(tree) = self.begun.as_ref().and_then(|begun| begun.lookups.as_ref())
            && !dead_versions::is_newest(tree, key, &value)
        {
            self.last = Some((key.clone(), Verdict::Keep));
            return Verdict::Keep;
        }
        let verdict = catch_unwind(AssertUnwindSafe(|| filter.filter(key, &value))).unwrap_or_else(|_| {
            tracing::error!("a compaction filter panicked; this compaction keeps the remaining pairs");
            self.filter = None;
            Verdict::Keep
        });
        self.read += 1;
        self.dropped += u64::from(verdict == Verdict::Drop);
        self.last = Some((key.clone(), verdict));
        verdict
    }
}

impl fjall_filter::CompactionFilter for Filter {
    fn filter_item(&mut self, item: ItemAccessor<'_>, context: &Context) -> CompactionFilterResult {
        let bytes = item.key().len() + item.value().map_or(0, |value| value.len());
        if let Some(files) = &mut self.files {
            files.wrote(bytes);
        }
        let is_paused = self.running.as_ref().is_some_and(RunningFilter::is_paused);
        if is_paused {
            self.filter = None;
        }
        if let Some(run) = &mut self.run {
            if self.give_way.is_asked() {
                return Err(run.give_way());
            }
            if run.major && (is_paused || self.begins_paused) {
                return Err(run.paused());
            }
            // A pause waits for the end, so the pace does not count.
            run.advance(if is_paused { 0 } else { bytes })?;
        } else if self.give_way.all.load(Ordering::Acquire) {
            return Err(std::io::Error::from(std::io::ErrorKind::Interrupted).into());
        }
        if &item.key()[..] == FENCE_KEY {
            return Ok(fjall_filter::Verdict::Keep);
        }
        let may_drop = match &self.begun {
            Some(begun) => begun.may_drop,
            None => {
                let begun = self.begin(context.is_last_level);
                self.begun.insert(begun).may_drop
            }
        };
        if !may_drop
            && self.filter.is_some()
            && let Some(run) = self.run.as_ref().filter(|run| run.major)
        {
            return Err(run.unfenced());
        }
        Ok(match self.judge(&item) {
            Verdict::Drop if may_drop => fjall_filter::Verdict::Remove,
            Verdict::Drop | Verdict::Keep => fjall_filter::Verdict::Keep,
        })
    }

    fn finish(mut self: Box<Self>) {
        if let Some(files) = &mut self.files {
            files.sync();
        }
        if let Some(fences) = self.fences.upgrade() {
            if self.dropped > 0
                && let Some(begun) = self.begun.as_ref().filter(|begun| begun.may_drop)
            {
                self.dead_versions.have_been_dropped(&self.keyspace, begun.newest_below);
            }
            fences.compacted(&self.keyspace, self.read, self.dropped);
            // fjall replaces the list of files next.
            if let Some(tree) = fences.tree(&self.keyspace) {
                // From here on, the worker counts as one that completes its compaction.
                drop(self.filtering.take());
                let step = self.run.take().map(|run| run.step);
                self.changes.expect_completion(tree, step, self.running.take());
            }
        }
    }
}
