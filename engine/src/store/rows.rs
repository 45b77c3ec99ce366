//! Rows under transaction: who has locked which, and which rows are ahead of the clock.
//!
//! A row is an opaque name. Several are locked in the order of their names, so that transactions cannot deadlock. A row that is neither
//! locked nor ahead of the clock has no entry: the table stays as small as the work in progress.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use parking_lot::lock_api::ArcMutexGuard;
use parking_lot::{Mutex, RawMutex};

use super::time::{LEAD_MAX_MS, RowTime, Time, Waited};
use crate::error::{Error, ErrorKind, Result};

/// How long a transaction waits for its rows: HBase's `hbase.rowlock.wait.duration`.
const WAIT_MAX: Duration = Duration::from_secs(30);

/// Enough that threads rarely meet in one shard.
const SHARDS: usize = 64;

/// The number of rows of one shard that are remembered for being ahead of the clock. With more, the floor of all timestamps is raised.
const AHEAD_MAX: usize = 1024;

/// The newest timestamp assigned in a row.
#[derive(Clone, Copy)]
pub(super) struct Newest {
    /// Milliseconds since 1970.
    pub timestamp_ms: i64,
    /// Whether a delete marker has it.
    pub delete: bool,
}

impl Newest {
    const NONE: Self = Self { timestamp_ms: i64::MIN, delete: false };

    /// The earliest time that a later transaction may take.
    fn next_ms(self) -> i64 {
        // After a delete one millisecond more, else the marker would hide what follows.
        if self.delete { self.timestamp_ms.saturating_add(1) } else { self.timestamp_ms }
    }

    /// The newer of the two; of the same time, a delete counts.
    pub fn merge(&mut self, other: Self) {
        match other.timestamp_ms.cmp(&self.timestamp_ms) {
            std::cmp::Ordering::Greater => *self = other,
            std::cmp::Ordering::Equal => self.delete |= other.delete,
            std::cmp::Ordering::Less => {}
        }
    }
}

type Entry = Arc<Mutex<Newest>>;

#[derive(Default)]
struct Shard {
    rows: HashMap<Bytes, Entry>,
    /// When there are so many rows, those that are no longer ahead are looked for.
    sweep_at: usize,
}

/// All rows that are held or ahead of the clock.
pub(super) struct Rows {
    shards: Vec<Mutex<Shard>>,
    hasher: RandomState,
}

impl Rows {
    /// None held.
    pub fn new() -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::new(Shard { rows: HashMap::new(), sweep_at: AHEAD_MAX / 8 })).collect();
        Self { shards, hasher: RandomState::new() }
    }

    /// Locks these rows, each once, and determines the timestamps of the transaction.
    ///
    /// If a row is too far ahead of the clock, waits for the clock with no row locked.
    ///
    /// # Errors
    /// `Busy`: the rows were not free, or not close enough to the clock, for 30 s; or the clock stands still.
    pub fn take<'a>(&'a self, names: &[Bytes], time: &'a Time) -> Result<Held<'a>> {
        let mut names = names.to_vec();
        names.sort_unstable();
        names.dedup();
        let deadline = Instant::now() + WAIT_MAX;
        loop {
            let held = self.lock(&names, time, deadline)?;
            if held.times.is_within_lead() {
                return Ok(held);
            }
            let (target_ms, furthest) = (held.times.now_ms.saturating_sub(LEAD_MAX_MS), held.furthest());
            drop(held);
            let reason = match time.wait_until(target_ms, deadline) {
                Waited::Reached => continue,
                Waited::Stalled => "and the clock does not advance; try again when it does".to_owned(),
                Waited::TimedOut => format!("after {} s of waiting; write it less often", WAIT_MAX.as_secs()),
            };
            return Err(Error::new(
                ErrorKind::Busy,
                format!(
                    "row \"{}\" was deleted and written so often that its timestamps are {LEAD_MAX_MS} ms ahead of the clock, {reason}",
                    furthest.escape_ascii()
                ),
            ));
        }
    }

    /// Locks rows, which are sorted.
    fn lock<'a>(&'a self, names: &[Bytes], time: &'a Time, deadline: Instant) -> Result<Held<'a>> {
        let nothing = RowTime { clock_ms: i64::MIN, now_ms: i64::MIN };
        let mut held = Held { table: self, time, rows: Vec::with_capacity(names.len()), times: nothing };
        for name in names {
            let entry = Arc::clone(
                self.shard(name).lock().rows.entry(name.clone()).or_insert_with(|| Arc::new(Mutex::new(Newest::NONE))),
            );
            let guard = entry.try_lock_arc_until(deadline);
            drop(entry);
            let Some(guard) = guard else {
                self.release(name, None, time);
                return Err(Error::new(
                    ErrorKind::Busy,
                    format!(
                        "row \"{}\" has been locked by other writes for {} s; try again later",
                        name.escape_ascii(),
                        WAIT_MAX.as_secs()
                    ),
                ));
            };
            held.rows.push((name.clone(), Some(guard)));
        }
        // The clock after all rows have been locked, and the rows before the floor: a row that is forgotten meanwhile has raised it.
        let rows = held.rows.iter().flat_map(|(_, guard)| guard).map(|newest| newest.next_ms()).max();
        let clock_ms = time.now_ms();
        held.times = RowTime { clock_ms, now_ms: time.earliest_ms_at(clock_ms).max(rows.unwrap_or(i64::MIN)) };
        Ok(held)
    }

    fn shard(&self, name: &[u8]) -> &Mutex<Shard> {
        let hash = self.hasher.hash_one(name);
        &self.shards[usize::try_from(hash % SHARDS as u64).unwrap_or(0)]
    }

    fn release(&self, name: &Bytes, guard: Option<ArcMutexGuard<RawMutex, Newest>>, time: &Time) {
        let mut shard = self.shard(name).lock();
        drop(guard);
        let now = time.earliest_ms();
        if shard.rows.get(name).is_some_and(|entry| idle_until(entry).is_some_and(|until| until <= now)) {
            shard.rows.remove(name);
        } else if shard.rows.len() >= shard.sweep_at {
            shard.sweep(time);
        }
    }

    #[cfg(test)]
    fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.lock().rows.len()).sum()
    }
}

/// Up to when a row has to be remembered though nobody holds it; `None`: somebody does. Only under the shard's lock, where nobody can take it.
fn idle_until(entry: &Entry) -> Option<i64> {
    if Arc::strong_count(entry) > 1 {
        return None;
    }
    entry.try_lock().map(|newest| newest.next_ms())
}

impl Shard {
    /// Forgets the rows that the clock has reached. If too many stay ahead of it, raises the floor of all timestamps over the nearer half
    /// of them, which makes remembering those needless.
    fn sweep(&mut self, time: &Time) {
        let now = time.earliest_ms();
        self.rows.retain(|_, entry| idle_until(entry).is_none_or(|until| until > now));
        if self.rows.len() >= AHEAD_MAX {
            let mut ahead: Vec<i64> = self.rows.values().filter_map(idle_until).collect();
            if !ahead.is_empty() {
                let middle = ahead.len() / 2;
                let (_, &mut floor, _) = ahead.select_nth_unstable(middle);
                // Before the rows are forgotten: a transaction that finds no entry of its row then sees the higher floor.
                time.raise_floor(floor);
                self.rows.retain(|_, entry| idle_until(entry).is_none_or(|until| until > floor));
            }
        }
        self.sweep_at = (self.rows.len() * 2).max(AHEAD_MAX / 8);
    }
}

/// Rows locked by one transaction; dropping it unlocks them.
pub(super) struct Held<'a> {
    table: &'a Rows,
    time: &'a Time,
    rows: Vec<(Bytes, Option<ArcMutexGuard<RawMutex, Newest>>)>,
    times: RowTime,
}

impl Held<'_> {
    /// The timestamps of this transaction.
    pub fn times(&self) -> RowTime {
        self.times
    }

    /// Records the newest timestamp that the transaction has assigned in its rows. To be called before the commit, because the writes of a
    /// commit that fails may appear after all. Returns the earliest timestamp that later transactions of these rows may have on its
    /// account.
    pub fn assign(&mut self, newest: Newest) -> i64 {
        self.time.assigned(newest.next_ms());
        for guard in self.rows.iter_mut().flat_map(|(_, guard)| guard) {
            guard.merge(newest);
        }
        newest.next_ms()
    }

    /// The row that is furthest ahead of the clock.
    fn furthest(&self) -> Bytes {
        let next_ms =
            |(_, guard): &&(Bytes, Option<ArcMutexGuard<RawMutex, Newest>>)| guard.as_ref().map(|n| n.next_ms());
        self.rows.iter().max_by_key(next_ms).map(|(name, _)| name.clone()).unwrap_or_default()
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        for (name, guard) in self.rows.drain(..) {
            self.table.release(&name, guard, self.time);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::ManualClock;

    fn name(n: usize) -> Bytes {
        Bytes::from(n.to_be_bytes().to_vec())
    }

    /// A table that kept every row ever written would grow without end.
    #[test]
    fn rows_that_nobody_holds_are_forgotten() {
        let (rows, time) = (Rows::new(), Time::new(Arc::new(ManualClock::at(1_000)), i64::MIN, i64::MIN));
        for n in 0..10_000 {
            let mut held = rows.take(&[name(n), name(n + 1)], &time).unwrap();
            let now = held.times().now_ms;
            held.assign(Newest { timestamp_ms: now, delete: false });
        }
        assert_eq!(rows.len(), 0);
    }

    /// With a clock that stands still every deleted row has to be remembered: bounded all the same, and no row's time goes back.
    #[test]
    fn a_clock_that_stands_still_does_not_fill_the_memory() {
        let (rows, time) = (Rows::new(), Time::new(Arc::new(ManualClock::at(1_000)), i64::MIN, i64::MIN));
        let count = SHARDS * AHEAD_MAX * 3;
        let mut given = Vec::new();
        for n in 0..count {
            let mut held = rows.take(&[name(n)], &time).unwrap();
            let now = held.times().now_ms;
            held.assign(Newest { timestamp_ms: now, delete: true });
            given.push(now);
        }
        assert!(rows.len() <= SHARDS * (AHEAD_MAX + 1), "{} rows remembered", rows.len());
        for (n, deleted) in given.into_iter().enumerate() {
            let held = rows.take(&[name(n)], &time).unwrap();
            assert!(held.times().now_ms > deleted, "row {n}: {} is not after {deleted}", held.times().now_ms);
        }
        assert!(time.earliest_ms() < 1_100, "the floor was raised further than needed: {}", time.earliest_ms());
        assert_eq!(time.now_ms(), 1_000, "the clock is not affected");
    }

    /// Names given in different orders and twice must not lock up.
    #[test]
    fn rows_taken_in_any_order_do_not_deadlock() {
        let (rows, time) =
            (Arc::new(Rows::new()), Arc::new(Time::new(Arc::new(ManualClock::at(1)), i64::MIN, i64::MIN)));
        let threads: Vec<_> = (0..4)
            .map(|t| {
                let (rows, time) = (Arc::clone(&rows), Arc::clone(&time));
                std::thread::spawn(move || {
                    for n in 0..2_000 {
                        let names =
                            if (n + t) % 2 == 0 { [name(1), name(2), name(1)] } else { [name(2), name(1), name(2)] };
                        drop(rows.take(&names, &time).unwrap());
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
