//! Forgetting during compactions: fjall's filter over our [`Retention`].
//!
//! A filter is chosen when a space is opened, long before anyone knows the schema: it asks late, and keeps everything until there is an
//! answer. It never fails, since fjall would refuse every write after that; if judging panics, the rest of the compaction is kept.
//!
//! What is forgotten becomes a tombstone (`Remove`). `Destroy` would bring older values of the same key back to light.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, RwLock};

use fjall::UserKey;
use fjall::compaction::filter::{CompactionFilter, CompactionFilterResult, Context, Factory, ItemAccessor};

use crate::store::{Retainer, Retention, SpaceId, Verdict};

thread_local! {
    /// Whether this thread runs a compaction over all tables of a space. fjall compacts on the thread that asks.
    static WHOLE: Cell<bool> = const { Cell::new(false) };
}

/// Runs a compaction that covers every table of its space.
pub(super) fn over_all_tables<T>(compact: impl FnOnce() -> T) -> T {
    WHOLE.set(true);
    let result = compact();
    WHOLE.set(false);
    result
}

/// The [`Retainer`], once it is known. A standard lock, because fjall wants its factories safe against unwinding.
#[derive(Default)]
pub(super) struct LateRetainer(RwLock<Option<Arc<dyn Retainer>>>);

impl LateRetainer {
    pub fn set(&self, retainer: Option<Arc<dyn Retainer>>) {
        *self.0.write().unwrap_or_else(std::sync::PoisonError::into_inner) = retainer;
    }

    fn get(&self) -> Option<Arc<dyn Retainer>> {
        self.0.read().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }
}

/// Makes the filters of one space.
pub(super) struct Forgetter {
    pub space: SpaceId,
    pub retainer: Arc<LateRetainer>,
}

impl Factory for Forgetter {
    fn name(&self) -> &str {
        "hjall"
    }

    fn make_filter(&self, _context: &Context) -> Box<dyn CompactionFilter> {
        let whole = WHOLE.get();
        let retention =
            catch_unwind(AssertUnwindSafe(|| self.retainer.get()?.retention(self.space, whole))).ok().flatten();
        Box::new(Filter { retention, last: None })
    }
}

struct Filter {
    retention: Option<Box<dyn Retention>>,
    /// fjall shows a key once for each of its values, newest first; the newest decides for all.
    last: Option<(UserKey, Verdict)>,
}

impl Filter {
    fn judge(&mut self, item: &ItemAccessor<'_>) -> Verdict {
        let Some(retention) = &mut self.retention else { return Verdict::Keep };
        let key = item.key();
        if let Some((last, verdict)) = &self.last
            && last == key
        {
            return *verdict;
        }
        let Ok(value) = item.value() else { return Verdict::Keep };
        let verdict = catch_unwind(AssertUnwindSafe(|| retention.judge(key, &value))).unwrap_or_else(|_| {
            tracing::error!("deciding what a compaction may forget panicked; this compaction keeps the rest");
            self.retention = None;
            Verdict::Keep
        });
        self.last = Some((key.clone(), verdict));
        verdict
    }
}

impl CompactionFilter for Filter {
    fn filter_item(&mut self, item: ItemAccessor<'_>, _context: &Context) -> CompactionFilterResult {
        Ok(match self.judge(&item) {
            Verdict::Keep => fjall::compaction::filter::Verdict::Keep,
            Verdict::Forget => fjall::compaction::filter::Verdict::Remove,
        })
    }
}
