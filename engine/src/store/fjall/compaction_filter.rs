//! Adapts [`CompactionFilter`] to fjall's compaction filters.
//!
//! A filter is chosen when a space is opened, long before anyone knows the schema: it asks late, and keeps everything until there is an
//! answer. It fails only to end a compaction, since fjall would refuse every write if one of its own workers failed: requested
//! ones at any time, fjall's own when the database takes no more writes anyway. If judging panics, the rest is kept.
//!
//! What is forgotten becomes a tombstone (`Remove`). `Destroy` would bring older values of the same key back to light.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, RwLock};

use fjall::UserKey;
use fjall::compaction::filter::{self as fjall_filter, CompactionFilterResult, Context, Factory, ItemAccessor};

use super::requested_compaction::Run;
use crate::store::{CompactionFilter, CompactionFilterFactory, SpaceId, Verdict};

/// Tells running compactions to end.
#[derive(Default)]
pub(super) struct GiveWay {
    requested: AtomicBool,
    all: AtomicBool,
}

impl GiveWay {
    /// Ends the compactions that were requested.
    pub fn requested(&self) {
        self.requested.store(true, Ordering::Release);
    }

    /// Ends every compaction.
    pub fn all(&self) {
        self.requested();
        self.all.store(true, Ordering::Release);
    }

    /// Whether compactions that were requested have to end.
    pub fn is_asked(&self) -> bool {
        self.requested.load(Ordering::Acquire)
    }
}

/// The [`CompactionFilterFactory`], once it is known. A standard lock, because fjall wants its factories safe against unwinding.
#[derive(Default)]
pub(super) struct LateFilterFactory(RwLock<Option<Arc<dyn CompactionFilterFactory>>>);

impl LateFilterFactory {
    pub fn set(&self, filters: Option<Arc<dyn CompactionFilterFactory>>) {
        *self.0.write().unwrap_or_else(std::sync::PoisonError::into_inner) = filters;
    }

    fn get(&self) -> Option<Arc<dyn CompactionFilterFactory>> {
        self.0.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }
}

/// Makes the filters of one space.
pub(super) struct SpaceFilterFactory {
    pub space: SpaceId,
    pub filters: Arc<LateFilterFactory>,
    pub give_way: Arc<GiveWay>,
}

impl Factory for SpaceFilterFactory {
    fn name(&self) -> &str {
        "hjall"
    }

    fn make_filter(&self, _context: &Context) -> Box<dyn fjall_filter::CompactionFilter> {
        let run = Run::of_this_thread();
        let whole = run.as_ref().is_some_and(|run| run.major);
        let filter =
            catch_unwind(AssertUnwindSafe(|| self.filters.get()?.make_filter(self.space, whole))).ok().flatten();
        Box::new(Filter { filter, last: None, run, give_way: Arc::clone(&self.give_way) })
    }
}

struct Filter {
    filter: Option<Box<dyn CompactionFilter>>,
    /// fjall shows a key once for each of its values, newest first; the newest decides for all.
    last: Option<(UserKey, Verdict)>,
    /// `None`: a compaction of fjall's own.
    run: Option<Run>,
    give_way: Arc<GiveWay>,
}

impl Filter {
    fn judge(&mut self, item: &ItemAccessor<'_>) -> Verdict {
        let Some(filter) = &mut self.filter else { return Verdict::Keep };
        let key = item.key();
        if let Some((last, verdict)) = &self.last
            && last == key
        {
            return *verdict;
        }
        let Ok(value) = item.value() else { return Verdict::Keep };
        let verdict = catch_unwind(AssertUnwindSafe(|| filter.filter(key, &value))).unwrap_or_else(|_| {
            tracing::error!("deciding what a compaction may forget panicked; this compaction keeps the rest");
            self.filter = None;
            Verdict::Keep
        });
        self.last = Some((key.clone(), verdict));
        verdict
    }
}

impl fjall_filter::CompactionFilter for Filter {
    fn filter_item(&mut self, item: ItemAccessor<'_>, _context: &Context) -> CompactionFilterResult {
        if let Some(run) = &mut self.run {
            if self.give_way.is_asked() {
                return Err(run.give_way());
            }
            let value_len = item.value().map_or(0, |value| value.len());
            run.advance(item.key().len() + value_len)?;
        } else if self.give_way.all.load(Ordering::Acquire) {
            return Err(std::io::Error::from(std::io::ErrorKind::Interrupted).into());
        }
        Ok(match self.judge(&item) {
            Verdict::Keep => fjall_filter::Verdict::Keep,
            Verdict::Drop => fjall_filter::Verdict::Remove,
        })
    }
}
