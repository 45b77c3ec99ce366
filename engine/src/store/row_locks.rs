//! Row locks, and the timestamps of rows that are ahead of the clock.
//!
//! A row is an opaque name, and is identified by a keyed hash of the name. Two rows with the same hash share a lock and
//! a newest timestamp: a transaction of one may wait for the other, and may get a later timestamp. The rows of a
//! transaction are locked in the order of their hashes, so that transactions cannot deadlock. A row that is neither
//! locked nor ahead of the clock has no entry, so the table is bounded by the work in progress.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use parking_lot::lock_api::ArcMutexGuard;
use parking_lot::{Mutex, RawMutex};
use smallvec::SmallVec;

use super::prehashed::BuildPrehashed;
use super::time::{LEAD_MAX_MS, RowTime, STALL_MAX, Time, Waited};
use crate::blocking;
use crate::error::{Error, ErrorKind, Result};
use crate::quote;

/// How long a transaction waits for its rows, as the default of HBase's `hbase.rowlock.wait.duration`.
const WAIT_MAX: Duration = Duration::from_secs(30);

/// How long a row must stay locked to be reported with another one for which a transaction waited without success.
/// Writes that make progress hold a row for less.
const PROBE_MAX: Duration = Duration::from_millis(20);

/// The limit on the time for examining all rows of a transaction in this way.
const PROBE_ALL_MAX: Duration = Duration::from_secs(1);

/// The number of shards, so that threads rarely contend for one.
const SHARDS: usize = 64;

/// The number of removed entries that a shard keeps.
const SPARE_MAX: usize = 16;

/// The limit on entries of one shard for rows that are ahead of the clock. Above it, the lower bound of all timestamps
/// is raised.
const AHEAD_ROWS_MAX: usize = 1024;

/// The newest timestamp assigned in a row.
#[derive(Clone, Copy)]
pub(super) struct Newest {
    /// Milliseconds since 1970.
    pub timestamp_ms: i64,
    /// Whether the timestamp belongs to a delete marker.
    pub delete: bool,
}

impl Newest {
    const NONE: Self = Self { timestamp_ms: i64::MIN, delete: false };

    /// The earliest timestamp that a later transaction may use.
    fn next_ms(self) -> i64 {
        // A delete marker would hide a later put with the same timestamp.
        if self.delete { self.timestamp_ms.saturating_add(1) } else { self.timestamp_ms }
    }

    /// Keeps the newer timestamp. If both are equal, it belongs to a delete marker if either does.
    pub fn merge(&mut self, other: Self) {
        match other.timestamp_ms.cmp(&self.timestamp_ms) {
            std::cmp::Ordering::Greater => *self = other,
            std::cmp::Ordering::Equal => self.delete |= other.delete,
            std::cmp::Ordering::Less => {}
        }
    }
}

/// The lock name of a row, and its hash.
#[derive(Clone, Copy)]
struct RowName<'a> {
    hash: u64,
    name: &'a Bytes,
}

type RowEntry = Arc<Mutex<Newest>>;

#[derive(Default)]
struct Shard {
    /// Keyed by the hash of the row's name.
    rows: HashMap<u64, RowEntry, BuildPrehashed>,
    /// Removed entries, for reuse by other rows.
    spare: Vec<RowEntry>,
    /// The number of rows at which those that are no longer ahead of the clock are removed.
    sweep_at: usize,
}

/// All rows that are locked or ahead of the clock.
pub(super) struct RowLocks {
    shards: Vec<Mutex<Shard>>,
    hasher: RandomState,
}

impl RowLocks {
    /// An empty table.
    pub fn new() -> Self {
        let shards =
            (0..SHARDS).map(|_| Mutex::new(Shard { sweep_at: AHEAD_ROWS_MAX / 8, ..Shard::default() })).collect();
        Self { shards, hasher: RandomState::new() }
    }

    /// Locks the named rows, and determines the timestamps of the transaction. A row may be named more than once.
    ///
    /// If a row is more than 1 s ahead of the clock, waits for the clock with no row locked.
    ///
    /// # Errors
    /// `Busy`, with [`BusyRows`] as its source: rows were locked, or too far ahead of the clock, for 30 s; or the clock
    /// does not advance.
    pub fn lock_all<'a>(&'a self, names: &[Bytes], time: &'a Time) -> Result<RowGuards<'a>> {
        let names = self.named(names);
        let deadline = Instant::now() + WAIT_MAX;
        loop {
            let held = self.lock(&names, time, deadline)?;
            if held.times.is_within_lead() {
                return Ok(held);
            }
            let target_ms = held.times.now_ms.saturating_sub(LEAD_MAX_MS);
            let ahead = held.rows_ahead(&names);
            drop(held);
            let reason = match time.wait_until(target_ms, deadline) {
                Waited::Reached => continue,
                Waited::Stalled => format!(
                    "was deleted and written so often that it is {LEAD_MAX_MS} ms ahead of the clock, which has not \
                     advanced for {} s; advance a manual clock, then try again",
                    STALL_MAX.as_secs()
                ),
                Waited::TimedOut => format!(
                    "was deleted and written so often that it is {LEAD_MAX_MS} ms ahead of the clock after {} s of \
                     waiting; write it less often",
                    WAIT_MAX.as_secs()
                ),
            };
            return Err(busy(ahead, reason));
        }
    }

    /// As [`Self::lock_all`], but returns `None` instead of waiting.
    pub fn try_lock_all<'a>(&'a self, names: &[Bytes], time: &'a Time) -> Option<RowGuards<'a>> {
        let mut held = RowGuards::new(self, time, names.len());
        for RowName { hash, .. } in self.named(names) {
            // If the row is locked, the thread that has locked it removes the entry.
            let guard = self.entry(hash).try_lock_arc()?;
            held.rows.push(LockedRow { hash, guard });
        }
        held.determine_times();
        held.times.is_within_lead().then_some(held)
    }

    /// The rows with these names, sorted and distinct by their hashes.
    fn named<'a>(&self, names: &'a [Bytes]) -> SmallVec<[RowName<'a>; 1]> {
        let named = |name| RowName { hash: self.hasher.hash_one(name), name };
        let mut names: SmallVec<[_; 1]> = names.iter().map(named).collect();
        if names.len() > 1 {
            names.sort_unstable_by_key(|row| row.hash);
            names.dedup_by_key(|row| row.hash);
        }
        names
    }

    /// The entry of a row.
    fn entry(&self, hash: u64) -> RowEntry {
        let Shard { rows, spare, .. } = &mut *self.shard(hash).lock();
        let new = || spare.pop().unwrap_or_else(|| Arc::new(Mutex::new(Newest::NONE)));
        Arc::clone(rows.entry(hash).or_insert_with(new))
    }

    /// Locks rows. They must be sorted and distinct by their hashes.
    fn lock<'a>(&'a self, names: &[RowName<'_>], time: &'a Time, deadline: Instant) -> Result<RowGuards<'a>> {
        let mut held = RowGuards::new(self, time, names.len());
        for &row in names {
            let entry = self.entry(row.hash);
            let guard = entry.try_lock_arc().or_else(|| {
                blocking::may_wait();
                entry.try_lock_arc_until(deadline)
            });
            drop(entry);
            let Some(guard) = guard else {
                self.release(row.hash, None, time.earliest_ms(), time);
                let others = names[held.rows.len() + 1..].iter().copied();
                let end = Instant::now() + PROBE_ALL_MAX;
                let locked = std::iter::once(row).chain(others.filter(|row| self.is_locked(row.hash, end)));
                let locked = locked.map(|row| row.name.clone()).collect();
                let reason = format!("has been locked by other writes for {} s; try again later", WAIT_MAX.as_secs());
                return Err(busy(locked, reason));
            };
            held.rows.push(LockedRow { hash: row.hash, guard });
        }
        held.determine_times();
        Ok(held)
    }

    /// Whether a row stays locked for a while. Does not wait beyond `end`.
    fn is_locked(&self, hash: u64, end: Instant) -> bool {
        let entry = self.shard(hash).lock().rows.get(&hash).cloned();
        entry.is_some_and(|entry| entry.try_lock_until(end.min(Instant::now() + PROBE_MAX)).is_none())
    }

    fn shard(&self, hash: u64) -> &Mutex<Shard> {
        // The hash tables of the shards use the lowest and the highest bits.
        &self.shards[(hash >> 32) as usize % SHARDS]
    }

    /// Unlocks rows.
    pub fn unlock(&self, rows: &mut KeptRows, time: &Time) {
        self.release_all(rows.0.drain(..), time);
    }

    fn release_all(&self, rows: impl IntoIterator<Item = LockedRow>, time: &Time) {
        let mut now = None;
        for LockedRow { hash, guard } in rows {
            let now = *now.get_or_insert_with(|| time.earliest_ms());
            self.release(hash, Some(guard), now, time);
        }
    }

    /// Unlocks a row, and removes its entry if it is not needed. `now` is [`Time::earliest_ms`].
    fn release(&self, hash: u64, guard: Option<RowGuard>, now: i64, time: &Time) {
        let mut shard = self.shard(hash).lock();
        drop(guard);
        if let Entry::Occupied(entry) = shard.rows.entry(hash)
            && idle_until(entry.get()).is_some_and(|until| until <= now)
        {
            let mut entry = entry.remove();
            if shard.spare.len() < SPARE_MAX
                && let Some(newest) = Arc::get_mut(&mut entry)
            {
                *newest.get_mut() = Newest::NONE;
                shard.spare.push(entry);
            }
        } else if shard.rows.len() >= shard.sweep_at {
            shard.sweep(time);
        }
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.lock().rows.len()).sum()
    }
}

/// The time until which the entry of an unlocked row is needed; `None` if the row is locked. The caller must hold the
/// shard's lock, so that no other thread can lock the row.
fn idle_until(entry: &RowEntry) -> Option<i64> {
    if Arc::strong_count(entry) > 1 {
        return None;
    }
    entry.try_lock().map(|newest| newest.next_ms())
}

impl Shard {
    /// Removes the entries of rows that are not ahead of the clock. If too many remain, raises the lower bound of all
    /// timestamps to the median of their times, and removes the entries that are at or below it.
    fn sweep(&mut self, time: &Time) {
        let now = time.earliest_ms();
        self.rows.retain(|_, entry| idle_until(entry).is_none_or(|until| until > now));
        if self.rows.len() >= AHEAD_ROWS_MAX {
            let mut ahead: Vec<i64> = self.rows.values().filter_map(idle_until).collect();
            if !ahead.is_empty() {
                let middle = ahead.len() / 2;
                let (_, &mut floor, _) = ahead.select_nth_unstable(middle);
                // Raised before the entries are removed, so that a transaction that finds no entry for its row sees the
                // higher bound.
                time.raise_floor(floor);
                self.rows.retain(|_, entry| idle_until(entry).is_none_or(|until| until > floor));
            }
        }
        self.sweep_at = (self.rows.len() * 2).max(AHEAD_ROWS_MAX / 8);
    }
}

/// The source of a `Busy` error that concerns only some of a transaction's rows. A transaction of the other rows alone
/// may succeed at once.
#[derive(Debug)]
pub(crate) struct BusyRows {
    /// The lock names of the rows that are known to be busy. Empty if they are not known.
    pub names: Vec<Bytes>,
    /// The predicate of a sentence whose subject is a row: why it is busy, and the remedy.
    pub reason: String,
}

impl fmt::Display for BusyRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.names.first().map(Bytes::as_ref).unwrap_or_default();
        write!(f, "row \"{}\" {}", quote::escaped(name), self.reason)
    }
}

impl std::error::Error for BusyRows {}

/// The error of a transaction for which these rows are busy.
pub(super) fn busy(names: Vec<Bytes>, reason: String) -> Error {
    let rows = BusyRows { names, reason };
    Error::new(ErrorKind::Busy, rows.to_string()).with_source(rows)
}

type RowGuard = ArcMutexGuard<RawMutex, Newest>;

struct LockedRow {
    hash: u64,
    guard: RowGuard,
}

/// Rows that stay locked until they are passed to [`RowLocks::unlock`].
#[derive(Default)]
pub(super) struct KeptRows(Vec<LockedRow>);

/// The rows that a transaction has locked. They are unlocked when this value is dropped.
pub(super) struct RowGuards<'a> {
    table: &'a RowLocks,
    time: &'a Time,
    rows: SmallVec<[LockedRow; 1]>,
    times: RowTime,
}

impl<'a> RowGuards<'a> {
    /// An empty set of rows.
    fn new(table: &'a RowLocks, time: &'a Time, rows: usize) -> Self {
        let unknown = RowTime { clock_ms: i64::MIN, now_ms: i64::MIN };
        Self { table, time, rows: SmallVec::with_capacity(rows), times: unknown }
    }

    /// Determines the timestamps of the transaction, once all rows have been locked.
    fn determine_times(&mut self) {
        // The rows are read before the lower bound of all timestamps: if an entry is removed in between, the bound has
        // been raised first.
        let rows = self.rows.iter().map(|row| row.guard.next_ms()).max();
        let clock_ms = self.time.now_ms();
        let now_ms = self.time.earliest_ms_at(clock_ms).max(rows.unwrap_or(i64::MIN));
        self.times = RowTime { clock_ms, now_ms };
    }

    /// Adds the rows to those that stay locked.
    pub fn keep(mut self, kept: &mut KeptRows) {
        kept.0.extend(self.rows.drain(..));
    }

    /// The timestamps of this transaction.
    pub fn times(&self) -> RowTime {
        self.times
    }

    /// Records the newest timestamp that the transaction has assigned in its rows. Must be called before the commit,
    /// because the writes of a failed commit may still appear. Returns the earliest timestamp that it allows later
    /// transactions of these rows.
    pub fn assign(&mut self, newest: Newest) -> i64 {
        self.time.assigned(newest.next_ms());
        for row in &mut self.rows {
            row.guard.merge(newest);
        }
        newest.next_ms()
    }

    /// The rows that are too far ahead of the clock. `names` are the names of the locked rows, in the order of the
    /// locks.
    fn rows_ahead(&self, names: &[RowName<'_>]) -> Vec<Bytes> {
        let is_ahead = |row: &LockedRow| !RowTime { now_ms: row.guard.next_ms(), ..self.times }.is_within_lead();
        let ahead = self.rows.iter().zip(names).filter(|(row, _)| is_ahead(row));
        ahead.map(|(_, row)| row.name.clone()).collect()
    }
}

impl Drop for RowGuards<'_> {
    fn drop(&mut self) {
        self.table.release_all(self.rows.drain(..), self.time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ManualClock;

    fn name(n: usize) -> Bytes {
        Bytes::from(n.to_be_bytes().to_vec())
    }

    /// A table that kept an entry for every row would grow without bound.
    #[test]
    fn entries_of_unlocked_rows_are_removed() {
        let (rows, time) = (RowLocks::new(), Time::new(Arc::new(ManualClock::at(1_000)), i64::MIN, i64::MIN));
        for n in 0..10_000 {
            let mut held = rows.lock_all(&[name(n), name(n + 1)], &time).unwrap();
            let now = held.times().now_ms;
            held.assign(Newest { timestamp_ms: now, delete: false });
        }
        assert_eq!(rows.len(), 0);
    }

    /// While the clock does not advance, every deleted row stays ahead of it. The table is still bounded, and the time
    /// of a row never goes back.
    #[test]
    fn the_table_is_bounded_while_the_clock_does_not_advance() {
        let (rows, time) = (RowLocks::new(), Time::new(Arc::new(ManualClock::at(1_000)), i64::MIN, i64::MIN));
        let count = SHARDS * AHEAD_ROWS_MAX * 3;
        let mut given = Vec::new();
        for n in 0..count {
            let mut held = rows.lock_all(&[name(n)], &time).unwrap();
            let now = held.times().now_ms;
            held.assign(Newest { timestamp_ms: now, delete: true });
            given.push(now);
        }
        assert!(rows.len() <= SHARDS * (AHEAD_ROWS_MAX + 1), "the table has {} entries", rows.len());
        for (n, deleted) in given.into_iter().enumerate() {
            let held = rows.lock_all(&[name(n)], &time).unwrap();
            assert!(held.times().now_ms > deleted, "row {n}: {} is not after {deleted}", held.times().now_ms);
        }
        assert!(time.earliest_ms() < 1_100, "the floor was raised further than needed: {}", time.earliest_ms());
        assert_eq!(time.now_ms(), 1_000, "the clock is not affected");
    }

    /// A list of mutations goes on with the other rows.
    #[test]
    fn an_error_names_all_rows_that_are_locked() {
        let (rows, time) = (RowLocks::new(), Time::new(Arc::new(ManualClock::at(1_000)), i64::MIN, i64::MIN));
        let names: Vec<_> = (0..5).map(name).collect();
        let _locked = [1, 3].map(|n| rows.lock_all(&[name(n)], &time).unwrap());
        let error = rows.lock(&rows.named(&names), &time, Instant::now()).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Busy);
        let source = std::error::Error::source(&error).unwrap().downcast_ref::<BusyRows>().unwrap();
        let mut busy = source.names.clone();
        busy.sort();
        assert_eq!(busy, [name(1), name(3)]);
        drop(rows.lock_all(&[name(0), name(2), name(4)], &time).unwrap());
    }

    /// The order and repetition of names must not lead to a deadlock.
    #[test]
    fn rows_taken_in_any_order_do_not_deadlock() {
        let (rows, time) =
            (Arc::new(RowLocks::new()), Arc::new(Time::new(Arc::new(ManualClock::at(1)), i64::MIN, i64::MIN)));
        let threads: Vec<_> = (0..4)
            .map(|t| {
                let (rows, time) = (Arc::clone(&rows), Arc::clone(&time));
                std::thread::spawn(move || {
                    for n in 0..2_000 {
                        let names =
                            if (n + t) % 2 == 0 { [name(1), name(2), name(1)] } else { [name(2), name(1), name(2)] };
                        drop(rows.lock_all(&names, &time).unwrap());
                    }
                })
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(rows.len(), 0);
    }
}
