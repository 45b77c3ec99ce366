//! The work of running filters, which the reads of a thread count so that a filter can neither keep a read running that
//! has been stopped, nor hold its thread for longer than other calls let it.
//!
//! The work belongs to the thread, not to a filter: comparators have no state of their own.

use std::cell::{Cell, RefCell};

use crate::error::Result;
use crate::stop::Stop;

/// The work of a call of one member of a list, and of a comparison. The unit is a byte that is compared.
pub(super) const MEMBER: usize = 32;

/// The work after which the stop flag is checked.
const CHECK_INTERVAL: usize = 256 << 10;

/// The work that a scan counts as one more row.
const ROW: usize = 16 << 10;

thread_local! {
    static METER: Meter = const {
        Meter { stop: RefCell::new(None), unchecked: Cell::new(0), since_taken: Cell::new(0) }
    };
}

struct Meter {
    /// The flag of the read that is running.
    stop: RefCell<Option<Stop>>,
    /// The work since the flag was checked.
    unchecked: Cell<usize>,
    /// The work since [`take_rows`].
    since_taken: Cell<usize>,
}

/// The filters of this thread are stopped by a flag until this is dropped.
pub(crate) struct Stoppable(Option<Stop>);

impl Drop for Stoppable {
    fn drop(&mut self) {
        METER.with(|meter| meter.stop.replace(self.0.take()));
    }
}

/// Lets this flag stop the filters of this thread. The caller keeps the result while it reads.
pub(crate) fn stopped_by(stop: &Stop) -> Stoppable {
    Stoppable(METER.with(|meter| meter.stop.replace(Some(stop.clone()))))
}

/// Counts work without checking the flag, in calls of a filter that must not fail: after `filter_row` has counted a
/// row, a stop would lose the row or count it twice.
pub(super) fn count(work: usize) {
    METER.with(|meter| {
        meter.unchecked.set(meter.unchecked.get().saturating_add(work));
        meter.since_taken.set(meter.since_taken.get().saturating_add(work));
    });
}

/// Counts work that is about to be done.
///
/// # Errors
/// `Cancelled` if the read has been stopped.
#[inline]
pub(super) fn charge(work: usize) -> Result<()> {
    count(work);
    METER.with(|meter| if meter.unchecked.get() < CHECK_INTERVAL { Ok(()) } else { check(meter) })
}

#[cold]
fn check(meter: &Meter) -> Result<()> {
    meter.unchecked.set(0);
    // Not borrowed during the check, whose callback belongs to the caller.
    let stop = meter.stop.borrow().clone();
    stop.map_or(Ok(()), |stop| stop.check())
}

/// The rows of a usual scan that have cost as much as the filters of this thread since the last call.
pub(crate) fn take_rows() -> u32 {
    METER.with(|meter| u32::try_from(meter.since_taken.take() / ROW).unwrap_or(u32::MAX))
}

/// Whether the filters of this thread have cost at least as much as a row of a usual scan since [`take_rows`].
pub(crate) fn is_worth_a_row() -> bool {
    METER.with(|meter| meter.since_taken.get() >= ROW)
}
