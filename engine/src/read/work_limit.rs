//! A limit on the work of the reads that one closure makes, for callers that must not block for long.
//!
//! The limit belongs to the thread, not to the request: it covers all reads that the closure makes.
//! Without a limit, a read accesses one thread-local variable per batch of pairs.

use std::cell::Cell;

use crate::error::{Error, ErrorKind, Result};
use crate::{blocking, group};

/// The work that reads may do. Pairs and bytes count as they are taken from the store, so cells that are hidden or not
/// requested count too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkLimit {
    /// Stored pairs. A seek, and the opening of a cursor, count as 8 pairs.
    pub pairs: usize,
    /// Bytes of their keys and values.
    pub bytes: usize,
}

/// The work of a seek, in pairs.
const SEEK_PAIRS: usize = 8;

#[derive(Clone, Copy)]
struct Remaining {
    limit: WorkLimit,
    exceeded: bool,
}

thread_local! {
    static REMAINING: Cell<Option<Remaining>> = const { Cell::new(None) };
}

/// Restores the limit of the enclosing call, also if the closure panics.
struct Restore(Option<Remaining>);

impl Drop for Restore {
    fn drop(&mut self) {
        REMAINING.set(self.0);
    }
}

impl WorkLimit {
    /// Runs a closure whose reads may do this much work on this thread. Returns `None` if they reached the limit:
    /// from then on they fail with `Cancelled`, and the closure's result is dropped. A read with a filter always
    /// reaches the limit, because the cost of a filter does not follow from the number of pairs that it sees.
    ///
    /// The limit is checked between the pairs: a read takes a few pairs of any size before it fails.
    pub fn run<T>(self, reads: impl FnOnce() -> T) -> Option<T> {
        let _restore = Restore(REMAINING.replace(Some(Remaining { limit: self, exceeded: false })));
        let result = reads();
        match REMAINING.get() {
            Some(Remaining { exceeded: true, .. }) => None,
            _ => Some(result),
        }
    }

    /// Counts work of this thread whose size is not known in advance, such as the parsing of a filter.
    ///
    /// # Errors
    /// `Cancelled` if the thread has a limit.
    pub fn charge_unbounded() -> Result<()> {
        charge(usize::MAX, 0)
    }

    /// Counts the rows of a list before they are read, each as one seek.
    ///
    /// # Errors
    /// `Cancelled` if the thread has a limit, and the list exceeds it.
    pub(crate) fn charge_rows(rows: usize) -> Result<()> {
        charge_seeks(rows)
    }
}

/// Runs a read of a transaction. If the running call must not wait, the read may do as much work as `limit` allows: the
/// rows that are written are in memory most of the time. Before other reads, the thread tells the listener of
/// [`blocking`] that it may wait, unless it has a group: the listener would wake another thread for each call of the
/// group.
///
/// # Errors
/// Those of the read; `Busy` if the call must not wait, and the read exceeds the limit or the call has read too often.
pub(crate) fn read_in_transaction<T>(limit: WorkLimit, read: impl FnOnce() -> Result<T>) -> Result<T> {
    if group::before_reading()? {
        return limit.run(read).unwrap_or_else(|| Err(group::must_wait()));
    }
    if !group::is_open() {
        blocking::may_wait();
    }
    read()
}

/// Whether the reads of this thread are limited.
#[inline]
pub(super) fn is_limited() -> bool {
    REMAINING.get().is_some()
}

/// Counts work of this thread.
///
/// # Errors
/// `Cancelled` once the limit has been exceeded.
#[inline]
pub(super) fn charge(pairs: usize, bytes: usize) -> Result<()> {
    match REMAINING.get() {
        None => Ok(()),
        Some(remaining) => charge_limited(remaining, pairs, bytes),
    }
}

/// Counts seeks, or cursors that are opened.
///
/// # Errors
/// As for [`charge`].
#[inline]
pub(super) fn charge_seeks(seeks: usize) -> Result<()> {
    charge(seeks.saturating_mul(SEEK_PAIRS), 0)
}

fn charge_limited(mut remaining: Remaining, pairs: usize, bytes: usize) -> Result<()> {
    let WorkLimit { pairs: pairs_left, bytes: bytes_left } = remaining.limit;
    remaining.exceeded |= pairs > pairs_left || bytes > bytes_left;
    remaining.limit = WorkLimit { pairs: pairs_left.saturating_sub(pairs), bytes: bytes_left.saturating_sub(bytes) };
    REMAINING.set(Some(remaining));
    if remaining.exceeded {
        return Err(Error::new(ErrorKind::Cancelled, "the read exceeds the work limit of its caller"));
    }
    Ok(())
}
