//! The pace of writes to a space whose files are not merged as fast as they are added.
//!
//! fjall merges all runs of the first level at once, and adds no run to a merge that has begun. Writes stop when there
//! are too many runs; see `backpressure`. Without a pace, they would be fast until then, and stop for seconds, until
//! the merge has ended. With each run above a limit, writes are slowed down more, so that there is usually still room
//! when it ends.
//!
//! A commit reserves the time that its bytes should take, behind that of earlier commits, and its thread waits for the
//! end of that time after it has committed and unlocked its rows. So writes that are not faster than the pace never
//! wait. A small commit does not wait for the whole time that large ones have reserved. An event loop, which must not
//! wait, leaves commits for which it would have to wait to other threads.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::options::MEMTABLE_BYTES;
use super::space::FIRST_LEVEL_RUNS_MAX;
use crate::blocking;

/// The number of runs in the first level from which on writes are slowed down. fjall begins to merge them at 4.
const RUNS_MIN: usize = 10;

/// The time for writing a memtable when the number of runs is the largest one. With fewer runs, it is shorter in
/// proportion to the square of their number above the limit. Writes that keep the pace fill the first level in 7 to 8 s
/// from the limit on; a merge of it takes 2 to 4 s on two busy processors.
const MEMTABLE_TIME: Duration = Duration::from_secs(3);

/// The longest wait of a commit, as a multiple of the time that it has reserved. As many threads may write large
/// batches at once and share the pace; more wait less than they should.
const TIMES_MAX: u32 = 16;

/// A shorter wait is left to a later commit.
const WAIT_MIN: Duration = Duration::from_millis(1);

/// The interval at which a waiting writer checks whether the runs have been merged.
const STEP: Duration = Duration::from_millis(10);

/// The pace of one space.
#[derive(Default)]
pub(super) struct Pace {
    /// The end of the time that commits have reserved.
    reserved: Mutex<Option<Instant>>,
}

/// A wait that a commit has to be followed by. It holds no handle of the database.
pub(super) struct PacedWait {
    pace: Arc<Pace>,
    until: Instant,
}

impl Pace {
    /// Whether writes are slowed down while the first level has this number of runs. Otherwise the pace does not count.
    pub fn is_needed(runs: usize) -> bool {
        runs >= RUNS_MIN
    }

    /// Reserves the time for a commit of `bytes` while the first level has this number of runs, for which a pace is
    /// needed.
    pub fn reserve(self: &Arc<Self>, runs: usize, bytes: u64, now: Instant) -> Option<PacedWait> {
        let mut reserved = self.reserved.lock();
        let (end, until) = plan(*reserved, runs, bytes, now);
        *reserved = Some(end);
        until.map(|until| PacedWait { pace: Arc::clone(self), until })
    }

    /// Forgets the reserved time, because no pace is needed any more. Waits end.
    pub fn forget(&self) {
        *self.reserved.lock() = None;
    }

    /// Whether a commit of `bytes` would have to be followed by a wait, as [`Self::reserve`] would return it.
    pub fn requires_wait(&self, runs: usize, bytes: u64, now: Instant) -> bool {
        plan(*self.reserved.lock(), runs, bytes, now).1.is_some()
    }
}

/// The end of the reserved time with that of a commit of `bytes`, and until when its writer waits, if it does.
fn plan(reserved: Option<Instant>, runs: usize, bytes: u64, now: Instant) -> (Instant, Option<Instant>) {
    let above = (runs.min(FIRST_LEVEL_RUNS_MAX) + 1).saturating_sub(RUNS_MIN);
    let share = above as f64 / (FIRST_LEVEL_RUNS_MAX + 1 - RUNS_MIN) as f64;
    let time = MEMTABLE_TIME.mul_f64(share * share * bytes as f64 / MEMTABLE_BYTES as f64);
    let end = reserved.map_or(now, |end| end.max(now)) + time;
    let until = end.min(now + time * TIMES_MAX);
    (end, (until >= now + WAIT_MIN).then_some(until))
}

impl PacedWait {
    /// The longer one of two waits.
    pub fn or_longer(self, other: Self) -> Self {
        if other.until > self.until { other } else { self }
    }

    /// Waits. The caller must hold no row lock and no handle of the database.
    pub fn wait(self) {
        blocking::may_wait();
        loop {
            let rest = self.until.saturating_duration_since(Instant::now());
            if rest.is_zero() || self.pace.reserved.lock().is_none() {
                return;
            }
            std::thread::sleep(rest.min(STEP));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reserve(pace: &Arc<Pace>, runs: usize, bytes: u64, now: Instant) -> Option<Instant> {
        pace.reserve(runs, bytes, now).map(|wait| wait.until)
    }

    #[test]
    fn writes_are_slowed_down_as_runs_are_added() {
        let now = Instant::now();
        let time = |runs| reserve(&Arc::default(), runs, MEMTABLE_BYTES, now).unwrap() - now;
        assert!(!Pace::is_needed(RUNS_MIN - 1) && Pace::is_needed(RUNS_MIN));
        let times: Vec<_> = (RUNS_MIN..=FIRST_LEVEL_RUNS_MAX).map(time).collect();
        assert!(times.is_sorted_by(|less, more| less < more), "{times:?}");
        assert_eq!(times.last(), Some(&MEMTABLE_TIME));
        assert_eq!(time(FIRST_LEVEL_RUNS_MAX + 5), MEMTABLE_TIME);
        let all: Duration = times[..times.len() - 1].iter().sum();
        assert!((5..9).contains(&all.as_secs()), "{all:?} until writes stop");
    }

    #[test]
    fn commits_reserve_time_one_after_the_other() {
        let now = Instant::now();
        let pace = Arc::<Pace>::default();
        let full = FIRST_LEVEL_RUNS_MAX;
        assert_eq!(reserve(&pace, full, 1_000, now), None, "too short to wait for");
        let first = reserve(&pace, full, MEMTABLE_BYTES / 3, now).unwrap();
        let second = reserve(&pace, full, MEMTABLE_BYTES / 3, now).unwrap();
        assert_eq!((second - first).as_secs_f32().round(), 1.0);
        assert_eq!(reserve(&pace, full, 200, now), None, "a small one does not wait for large ones");
        assert!(reserve(&pace, full, 20_000, now).is_some_and(|until| until < first));
        let later = second + Duration::from_secs(60);
        assert_eq!(reserve(&pace, full, 1_000, later), None, "unused time is not kept");
    }

    #[test]
    fn waits_end_when_no_pace_is_needed() {
        let pace = Arc::<Pace>::default();
        let requires_wait = || pace.requires_wait(FIRST_LEVEL_RUNS_MAX, 2_000, Instant::now());
        assert!(!requires_wait());
        let wait = |bytes| pace.reserve(FIRST_LEVEL_RUNS_MAX, bytes, Instant::now()).unwrap();
        let long = wait(1 << 20).or_longer(wait(1 << 40));
        assert!(long.until > Instant::now() + Duration::from_secs(3_600));
        assert!(requires_wait());
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| long.wait());
            pace.forget();
            waiting.join().unwrap();
        });
        assert!(!requires_wait());
    }
}
