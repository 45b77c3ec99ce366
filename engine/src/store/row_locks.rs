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
use parking_lot::{Condvar, Mutex, MutexGuard};
use smallvec::SmallVec;
use xxhash_rust::xxh3::xxh3_64_with_seed;

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

/// The shard of the row with this hash. The hash tables of the shards use the lowest and the highest bits.
fn shard_of(hash: u64) -> usize {
    (hash >> 32) as usize % SHARDS
}

/// The place of a row in the order in which rows are locked, which begins with the shard.
fn order_of(hash: u64) -> u64 {
    hash.rotate_right(32 + SHARDS.trailing_zeros())
}

/// A row that is locked, waited for, or ahead of the clock.
struct RowEntry {
    /// That of the transactions that have unlocked the row.
    newest: Newest,
    locked: bool,
    /// The number of threads that wait for the row.
    waiting: usize,
    /// Wakes one of them; `None` without any.
    unlocked: Option<Arc<Condvar>>,
}

impl RowEntry {
    const NEW: Self = Self { newest: Newest::NONE, locked: false, waiting: 0, unlocked: None };

    /// The time until which the entry is needed; `None` if the row is locked or waited for.
    fn idle_until(&self) -> Option<i64> {
        (!self.locked && self.waiting == 0).then(|| self.newest.next_ms())
    }
}

#[derive(Default)]
struct Shard {
    /// Keyed by the hash of the row's name.
    rows: HashMap<u64, RowEntry, BuildPrehashed>,
    /// The number of rows at which those that are no longer ahead of the clock are removed.
    sweep_at: usize,
}

/// All rows that are locked or ahead of the clock.
pub(super) struct RowLocks {
    shards: Vec<Mutex<Shard>>,
    /// Makes the hashes of names unpredictable.
    seed: u64,
}

impl RowLocks {
    /// An empty table.
    pub fn new() -> Self {
        let shards =
            (0..SHARDS).map(|_| Mutex::new(Shard { sweep_at: AHEAD_ROWS_MAX / 8, ..Shard::default() })).collect();
        Self { shards, seed: RandomState::new().hash_one(()) }
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
        let names = self.named(names);
        let mut held = RowGuards::new(self, time, names.len());
        for of_shard in names.chunk_by(|a, b| shard_of(a.hash) == shard_of(b.hash)) {
            if !self.lock_free(of_shard, &mut held).is_empty() {
                return None;
            }
        }
        held.determine_times();
        held.times.is_within_lead().then_some(held)
    }

    /// The rows with these names, distinct, in the order in which they are locked.
    fn named<'a>(&self, names: &'a [Bytes]) -> SmallVec<[RowName<'a>; 1]> {
        let named = |name: &'a Bytes| RowName { hash: xxh3_64_with_seed(name, self.seed), name };
        let mut names: SmallVec<[_; 1]> = names.iter().map(named).collect();
        if names.len() > 1 {
            names.sort_unstable_by_key(|row| order_of(row.hash));
            names.dedup_by_key(|row| row.hash);
        }
        names
    }

    /// Locks rows of one shard, up to the first one that is locked. Returns those that are left.
    fn lock_free<'n, 'a>(&self, rows: &'n [RowName<'a>], held: &mut RowGuards<'_>) -> &'n [RowName<'a>] {
        let Some(first) = rows.first() else { return rows };
        let mut shard = self.shards[shard_of(first.hash)].lock();
        for (at, row) in rows.iter().enumerate() {
            let entry = shard.rows.entry(row.hash).or_insert(RowEntry::NEW);
            if entry.locked {
                return &rows[at..];
            }
            entry.locked = true;
            held.rows.push(LockedRow { hash: row.hash, newest: entry.newest });
        }
        &[]
    }

    /// Locks rows, which must be distinct and in order.
    fn lock<'a>(&'a self, names: &[RowName<'_>], time: &'a Time, deadline: Instant) -> Result<RowGuards<'a>> {
        let mut held = RowGuards::new(self, time, names.len());
        for mut of_shard in names.chunk_by(|a, b| shard_of(a.hash) == shard_of(b.hash)) {
            loop {
                of_shard = self.lock_free(of_shard, &mut held);
                let [row, rest @ ..] = of_shard else { break };
                blocking::may_wait();
                let Some(locked) = self.wait_for(row.hash, deadline) else {
                    let others = names[held.rows.len() + 1..].iter().copied();
                    return Err(self.locked(*row, others, time));
                };
                held.rows.push(locked);
                of_shard = rest;
            }
        }
        held.determine_times();
        Ok(held)
    }

    /// The error of a transaction that has waited for `row`. `others` are its rows for which it has not waited.
    fn locked<'n>(&self, row: RowName<'n>, others: impl Iterator<Item = RowName<'n>>, time: &Time) -> Error {
        let end = Instant::now() + PROBE_ALL_MAX;
        let locked = std::iter::once(row).chain(others.filter(|row| self.is_locked(row.hash, end, time)));
        let locked = locked.map(|row| row.name.clone()).collect();
        busy(locked, format!("has been locked by other writes for {} s; try again later", WAIT_MAX.as_secs()))
    }

    /// Locks a row as soon as it is free. `None` if it is still locked at the deadline.
    fn wait_for(&self, hash: u64, deadline: Instant) -> Option<LockedRow> {
        let mut shard = self.shards[shard_of(hash)].lock();
        loop {
            let entry = shard.rows.entry(hash).or_insert(RowEntry::NEW);
            if !entry.locked {
                entry.locked = true;
                return Some(LockedRow { hash, newest: entry.newest });
            }
            if Instant::now() >= deadline {
                return None;
            }
            entry.waiting += 1;
            let unlocked = Arc::clone(entry.unlocked.get_or_insert_with(Arc::default));
            // The thread that unlocks the row wakes one of those that wait. If yet another thread locks the row before
            // that one does, the next unlocking wakes again.
            unlocked.wait_until(&mut shard, deadline);
            if let Some(entry) = shard.rows.get_mut(&hash) {
                entry.waiting -= 1;
                if entry.waiting == 0 {
                    entry.unlocked = None;
                }
            }
        }
    }

    /// Whether a row stays locked for a while. Does not wait beyond `end`.
    fn is_locked(&self, hash: u64, end: Instant, time: &Time) -> bool {
        let is_locked = |shard: MutexGuard<'_, Shard>| shard.rows.get(&hash).is_some_and(|entry| entry.locked);
        if !is_locked(self.shards[shard_of(hash)].lock()) {
            return false;
        }
        match self.wait_for(hash, end.min(Instant::now() + PROBE_MAX)) {
            Some(locked) => {
                self.release(&[locked], time);
                false
            }
            None => true,
        }
    }

    /// Unlocks rows.
    pub fn unlock(&self, rows: &mut KeptRows, time: &Time) {
        self.release(&rows.0, time);
        rows.0.clear();
    }

    /// Unlocks rows, and removes their entries if they are not needed.
    fn release(&self, rows: &[LockedRow], time: &Time) {
        if rows.is_empty() {
            return;
        }
        let now = time.earliest_ms();
        for of_shard in rows.chunk_by(|a, b| shard_of(a.hash) == shard_of(b.hash)) {
            let mut shard = self.shards[shard_of(of_shard[0].hash)].lock();
            for LockedRow { hash, newest } in of_shard {
                let Entry::Occupied(mut occupied) = shard.rows.entry(*hash) else { continue };
                let entry = occupied.get_mut();
                (entry.locked, entry.newest) = (false, *newest);
                if let Some(unlocked) = &entry.unlocked {
                    unlocked.notify_one();
                } else if newest.next_ms() <= now {
                    occupied.remove();
                } else if shard.rows.len() >= shard.sweep_at {
                    shard.sweep(time);
                }
            }
        }
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.lock().rows.len()).sum()
    }
}

impl Shard {
    /// Removes the entries of rows that are not ahead of the clock. If too many remain, raises the lower bound of all
    /// timestamps to the median of their times, and removes the entries that are at or below it.
    fn sweep(&mut self, time: &Time) {
        let now = time.earliest_ms();
        self.rows.retain(|_, entry| entry.idle_until().is_none_or(|until| until > now));
        if self.rows.len() >= AHEAD_ROWS_MAX {
            let mut ahead: Vec<i64> = self.rows.values().filter_map(RowEntry::idle_until).collect();
            if !ahead.is_empty() {
                let middle = ahead.len() / 2;
                let (_, &mut floor, _) = ahead.select_nth_unstable(middle);
                // Raised before the entries are removed, so that a transaction that finds no entry for its row sees the
                // higher bound.
                time.raise_floor(floor);
                self.rows.retain(|_, entry| entry.idle_until().is_none_or(|until| until > floor));
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

/// A row that this transaction has locked.
struct LockedRow {
    hash: u64,
    /// The newest timestamp of the row, including those of this transaction.
    newest: Newest,
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
        // The rows were read before the lower bound of all timestamps: if an entry is removed in between, the bound has
        // been raised first.
        let rows = self.rows.iter().map(|row| row.newest.next_ms()).max();
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
            row.newest.merge(newest);
        }
        newest.next_ms()
    }

    /// The rows that are too far ahead of the clock. `names` are the names of the locked rows, in the order of the
    /// locks.
    fn rows_ahead(&self, names: &[RowName<'_>]) -> Vec<Bytes> {
        let is_ahead = |row: &LockedRow| !RowTime { now_ms: row.newest.next_ms(), ..self.times }.is_within_lead();
        let ahead = self.rows.iter().zip(names).filter(|(row, _)| is_ahead(row));
        ahead.map(|(_, row)| row.name.clone()).collect()
    }
}

impl Drop for RowGuards<'_> {
    fn drop(&mut self) {
        self.table.release(&self.rows, self.time);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

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

    /// Every thread gets the row in the end, and no two have it at once.
    #[test]
    fn a_row_that_many_threads_want_passes_from_one_to_the_next() {
        let (rows, time) =
            (Arc::new(RowLocks::new()), Arc::new(Time::new(Arc::new(ManualClock::at(1)), i64::MIN, i64::MIN)));
        let inside = Arc::new(AtomicUsize::new(0));
        let threads: Vec<_> = (0..8)
            .map(|t| {
                let (rows, time, inside) = (Arc::clone(&rows), Arc::clone(&time), Arc::clone(&inside));
                std::thread::spawn(move || {
                    for n in 0..500 {
                        let held = rows.lock_all(&[name(7), name(100 + (n + t) % 3)], &time).unwrap();
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        std::thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                        drop(held);
                    }
                })
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(rows.len(), 0);
    }

    /// The entries of one shard are locked together, so the order of the locks begins with the shard.
    #[test]
    fn rows_of_a_shard_follow_each_other() {
        let rows = RowLocks::new();
        let names: Vec<_> = (0..5_000).map(name).collect();
        let named = rows.named(&names);
        assert!(named.is_sorted_by_key(|row| order_of(row.hash)));
        let shards: Vec<_> = named.chunk_by(|a, b| shard_of(a.hash) == shard_of(b.hash)).map(<[_]>::len).collect();
        assert_eq!((shards.len(), shards.iter().sum::<usize>()), (SHARDS, 5_000));
    }
}
