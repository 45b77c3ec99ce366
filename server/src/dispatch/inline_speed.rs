//! Whether the short calls of a lane are quick enough to run on the event loops.
//!
//! The duration of a call is the time that it occupies its thread: computation, and waits for the disk and for locks.
//! Time during which the thread waits for a processor is not included, because a worker would wait for one as well. For
//! a write, its share of the duration of its commit is included.

use std::cell::OnceCell;
use std::fs::File;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Calls leave the event loops while they take longer than this on average, and return when they take less than half of
/// it.
const QUICK_NS: u64 = 200_000;
/// A longer sample counts as this time, so that one slow call does not change the decision.
const SAMPLE_NS_MAX: u64 = 4 * QUICK_NS;
/// While calls are queued, one in this number is tried on the event loop.
const TRIAL_INTERVAL: usize = 16;

/// Moving averages of the durations of short calls on event loops.
#[derive(Debug, Default)]
pub struct InlineSpeed {
    /// The average duration, including waits for a processor.
    elapsed_ns: AtomicU64,
    /// The average duration, without waits for a processor.
    own_ns: AtomicU64,
    slow: AtomicBool,
    queued: AtomicUsize,
}

/// Measures one call, or one commit.
pub struct Stopwatch {
    started: Instant,
    /// How long the thread had waited for a processor at the start of the measurement; `None` if that was not read.
    delay: Option<Duration>,
}

impl InlineSpeed {
    /// Whether the next short call should run on its event loop.
    pub fn admits(&self) -> bool {
        !self.slow.load(Ordering::Relaxed)
            || self.queued.fetch_add(1, Ordering::Relaxed) % TRIAL_INTERVAL == TRIAL_INTERVAL - 1
    }

    /// Starts a measurement. Waits for a processor are read only while calls seem slow, because that takes system
    /// calls.
    pub fn start(&self) -> Stopwatch {
        let closely = self.elapsed_ns.load(Ordering::Relaxed) > QUICK_NS / 2;
        Stopwatch { delay: closely.then(scheduling_delay), started: Instant::now() }
    }

    /// Ends a measurement whose duration is divided among `calls` calls, at least 1. Returns the duration.
    pub fn record(&self, stopwatch: &Stopwatch, calls: u32) -> Duration {
        self.record_until(stopwatch, Instant::now(), calls)
    }

    /// As [`Self::record`], for work that ended at the time `ended`.
    pub fn record_until(&self, stopwatch: &Stopwatch, ended: Instant, calls: u32) -> Duration {
        let elapsed = ended.saturating_duration_since(stopwatch.started);
        let own = stopwatch.delay.map(|before| elapsed.saturating_sub(scheduling_delay().saturating_sub(before)));
        self.add(elapsed / calls, own.map(|own| own / calls));
        elapsed
    }

    /// Adds a call that took `elapsed`. `own` is that time without waits for a processor; `None` if unknown.
    fn add(&self, elapsed: Duration, own: Option<Duration>) {
        let elapsed = nanoseconds(elapsed);
        update(&self.elapsed_ns, elapsed);
        let own = match own {
            Some(own) => nanoseconds(own),
            None if elapsed <= QUICK_NS => elapsed,
            // The average of the elapsed times has grown, so one of the next calls is measured closely.
            None => return,
        };
        let average = update(&self.own_ns, own);
        if average > QUICK_NS {
            self.slow.store(true, Ordering::Relaxed);
        } else if average < QUICK_NS / 2 {
            self.slow.store(false, Ordering::Relaxed);
        }
    }
}

/// Adds a sample to a moving average. Concurrent updates may lose a sample.
fn update(average: &AtomicU64, sample_ns: u64) -> u64 {
    let before = average.load(Ordering::Relaxed);
    let after = before - before / 8 + sample_ns.min(SAMPLE_NS_MAX) / 8;
    average.store(after, Ordering::Relaxed);
    after
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// How long this thread has been runnable without a processor since its start. Zero if the system has no such
/// statistics.
fn scheduling_delay() -> Duration {
    thread_local! {
        /// Kept open: Linux resolves the path to the thread that opens it.
        static STATISTICS: OnceCell<Option<File>> = const { OnceCell::new() };
    }
    STATISTICS.with(|file| {
        let file = file.get_or_init(|| File::open("/proc/thread-self/schedstat").ok());
        file.as_ref().and_then(read_delay).unwrap_or_default()
    })
}

/// The second number of the file.
#[cfg(unix)]
fn read_delay(file: &File) -> Option<Duration> {
    use std::os::unix::fs::FileExt;

    let mut buffer = [0; 128];
    let len = file.read_at(&mut buffer, 0).ok()?;
    let text = std::str::from_utf8(buffer.get(..len)?).ok()?;
    text.split_ascii_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
}

#[cfg(not(unix))]
fn read_delay(_: &File) -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);
    const US: Duration = Duration::from_micros(1);

    fn admitted(speed: &InlineSpeed) -> usize {
        (0..TRIAL_INTERVAL * 10).filter(|_| speed.admits()).count()
    }

    #[test]
    fn a_busy_machine_does_not_move_reads_to_the_queue() {
        let speed = InlineSpeed::default();
        for _ in 0..1000 {
            speed.add(50 * MS, Some(20 * US));
        }
        assert_eq!(admitted(&speed), TRIAL_INTERVAL * 10);
        assert!(speed.start().delay.is_some(), "reads that seem slow are measured closely");
    }

    #[test]
    fn slow_reads_move_to_the_queue_and_return_when_they_are_quick() {
        let speed = InlineSpeed::default();
        speed.add(50 * MS, Some(50 * MS));
        assert_eq!(admitted(&speed), TRIAL_INTERVAL * 10, "a single slow read decides nothing");
        for _ in 0..16 {
            speed.add(MS, Some(MS));
        }
        assert_eq!(admitted(&speed), 10, "a few are tried");
        for _ in 0..100 {
            speed.add(150 * US, None);
        }
        assert_eq!(admitted(&speed), 10, "reads between the two bounds change nothing");
        for _ in 0..100 {
            speed.add(20 * US, None);
        }
        assert_eq!(admitted(&speed), TRIAL_INTERVAL * 10);
        assert!(speed.start().delay.is_none());
    }
}
