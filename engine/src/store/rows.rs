//! Rows under transaction: who holds which, and where a row runs ahead of the clock.
//!
//! A row is an opaque name. Several are taken in the order of their names, so two transactions can wait for each other in one direction only
//! and never for ever. A row that nobody holds and that is not ahead of the clock has no entry: the table stays as small as what is under way.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use parking_lot::lock_api::ArcMutexGuard;
use parking_lot::{Mutex, RawMutex};

use super::time::Time;
use crate::error::{Error, ErrorKind, Result};

/// How long a transaction waits for a row that others hold: HBase's `hbase.rowlock.wait.duration`.
const WAIT_MAX: Duration = Duration::from_secs(30);

/// Enough that threads rarely meet in one shard.
const SHARDS: usize = 64;

/// So many rows of one shard may be remembered for being ahead of the clock; beyond that the clock itself is moved.
const AHEAD_MAX: usize = 1024;

/// A timestamp further ahead than this stems from a caller, not from the clock: it is not followed.
const FOLLOW_MAX_MS: i64 = 60_000;

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

    /// Takes these rows, each once, waiting for those who hold them; `Busy` after 30 s.
    pub fn take<'a>(&'a self, names: &[Bytes], time: &'a Time) -> Result<Held<'a>> {
        let mut names = names.to_vec();
        names.sort_unstable();
        names.dedup();
        let mut held = Held { table: self, time, rows: Vec::with_capacity(names.len()) };
        for name in names {
            let entry = Arc::clone(
                self.shard(&name).lock().rows.entry(name.clone()).or_insert_with(|| Arc::new(Mutex::new(Newest::NONE))),
            );
            let guard = entry.try_lock_arc_for(WAIT_MAX);
            drop(entry);
            let Some(guard) = guard else {
                self.release(&name, None, time);
                return Err(Error::new(
                    ErrorKind::Busy,
                    format!(
                        "row \"{}\" has been held by other writes for {} s; try again later",
                        name.escape_ascii(),
                        WAIT_MAX.as_secs()
                    ),
                ));
            };
            held.rows.push((name, Some(guard)));
        }
        Ok(held)
    }

    fn shard(&self, name: &[u8]) -> &Mutex<Shard> {
        let hash = self.hasher.hash_one(name);
        &self.shards[usize::try_from(hash % SHARDS as u64).unwrap_or(0)]
    }

    fn release(&self, name: &Bytes, guard: Option<ArcMutexGuard<RawMutex, Newest>>, time: &Time) {
        let mut shard = self.shard(name).lock();
        drop(guard);
        let now = time.now_ms();
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
    /// Forgets the rows that the clock has reached. If too many stay ahead of it (it may stand still for long after it was set back), it is
    /// moved over the nearer half of them, which makes remembering those needless.
    fn sweep(&mut self, time: &Time) {
        let now = time.now_ms();
        self.rows.retain(|_, entry| idle_until(entry).is_none_or(|until| until > now));
        if self.rows.len() >= AHEAD_MAX {
            let mut ahead: Vec<i64> = self.rows.values().filter_map(idle_until).collect();
            if !ahead.is_empty() {
                let middle = ahead.len() / 2;
                let (_, &mut floor, _) = ahead.select_nth_unstable(middle);
                // Before the rows are forgotten: who misses a row's entry then already sees the later time.
                time.raise(floor);
                self.rows.retain(|_, entry| idle_until(entry).is_none_or(|until| until > floor));
            }
        }
        self.sweep_at = (self.rows.len() * 2).max(AHEAD_MAX / 8);
    }
}

/// Rows taken by one transaction; dropping it lets go of them.
pub(super) struct Held<'a> {
    table: &'a Rows,
    time: &'a Time,
    rows: Vec<(Bytes, Option<ArcMutexGuard<RawMutex, Newest>>)>,
}

impl Held<'_> {
    /// The time of this transaction: not before the clock nor before anything assigned in its rows, and after their deletes.
    pub fn now_ms(&self) -> i64 {
        // The rows first: what is forgotten of them in the meantime has moved the time.
        let rows = self.rows.iter().flat_map(|(_, guard)| guard).map(|newest| newest.next_ms()).max();
        self.time.now_ms().max(rows.unwrap_or(i64::MIN))
    }

    /// Says that the transaction assigned this timestamp in its rows. Before it is committed: a commit that fails half-way may come to
    /// light after all. Returns the earliest time that a later transaction of these rows may take on its account.
    pub fn assign(&mut self, newest: Newest) -> i64 {
        if newest.timestamp_ms > self.time.now_ms().saturating_add(FOLLOW_MAX_MS) {
            return i64::MIN;
        }
        self.time.assigned(newest.next_ms());
        for guard in self.rows.iter_mut().flat_map(|(_, guard)| guard) {
            guard.merge(newest);
        }
        newest.next_ms()
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
        let (rows, time) = (Rows::new(), Time::new(Arc::new(ManualClock::at(1_000)), 0));
        for n in 0..10_000 {
            let mut held = rows.take(&[name(n), name(n + 1)], &time).unwrap();
            held.assign(Newest { timestamp_ms: held.now_ms(), delete: false });
        }
        assert_eq!(rows.len(), 0);
    }

    /// With a clock that stands still every deleted row has to be remembered: bounded all the same, and no row's time goes back.
    #[test]
    fn a_clock_that_stands_still_does_not_fill_the_memory() {
        let (rows, time) = (Rows::new(), Time::new(Arc::new(ManualClock::at(1_000)), 0));
        let count = SHARDS * AHEAD_MAX * 3;
        let mut given = Vec::new();
        for n in 0..count {
            let mut held = rows.take(&[name(n)], &time).unwrap();
            let now = held.now_ms();
            held.assign(Newest { timestamp_ms: now, delete: true });
            given.push(now);
        }
        assert!(rows.len() <= SHARDS * (AHEAD_MAX + 1), "{} rows remembered", rows.len());
        for (n, deleted) in given.into_iter().enumerate() {
            let held = rows.take(&[name(n)], &time).unwrap();
            assert!(held.now_ms() > deleted, "row {n}: {} is not after {deleted}", held.now_ms());
        }
        assert!(time.now_ms() < 1_100, "the clock was moved further than needed: {}", time.now_ms());
    }

    /// Names given in different orders and twice must not lock up.
    #[test]
    fn rows_taken_in_any_order_do_not_deadlock() {
        let (rows, time) = (Arc::new(Rows::new()), Arc::new(Time::new(Arc::new(ManualClock::at(1)), 0)));
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
