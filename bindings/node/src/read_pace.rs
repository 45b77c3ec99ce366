//! Whether short reads may be carried out on JavaScript's thread although the database is on a disk.
//!
//! Whether a block of a file is in memory is known only after it has been read. So the time of the last reads decides:
//! while they were quick, the next one is carried out here, because passing a call to another thread and its answer
//! back takes as long as the read. Data that has left the memory meanwhile costs JavaScript's thread one slow read in
//! [`PENALTY`].

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use hjall_engine::Result;

use crate::origin::Origin;

/// The longest time of a quick read. A read from a fast disk takes about as long.
const QUICK: Duration = Duration::from_micros(100);
/// A read that took longer waited for a disk, or for another thread.
const SLOW: Duration = Duration::from_micros(250);
/// The number of quick reads in a row, on other threads, after which reads are carried out here.
const TRIAL: u32 = 8;
/// The same after a slow read on JavaScript's thread.
const PENALTY: u32 = 64;

/// The pace of the short reads of one database.
#[derive(Debug)]
pub struct ReadPace {
    /// The number of quick reads on other threads that are still needed.
    needed: AtomicU32,
}

impl Default for ReadPace {
    fn default() -> Self {
        Self { needed: AtomicU32::new(TRIAL) }
    }
}

impl ReadPace {
    /// Whether the next short read may be carried out on JavaScript's thread.
    pub fn is_quick(&self) -> bool {
        self.needed.load(Ordering::Relaxed) == 0
    }

    /// Carries out a read that may be short, and records its time.
    ///
    /// # Errors
    /// Those of the read, whose time does not count then.
    pub fn timed<T>(&self, origin: Origin, read: impl FnOnce() -> Result<T>) -> Result<T> {
        let began = Instant::now();
        let found = read()?;
        self.record(origin, began.elapsed());
        Ok(found)
    }

    fn record(&self, origin: Origin, took: Duration) {
        // Threads that record at the same time may lose one of their reads, which does no harm.
        let needed = self.needed.load(Ordering::Relaxed);
        let now = match origin {
            Origin::Lane if took <= QUICK => needed.saturating_sub(1),
            Origin::Lane => needed.max(TRIAL),
            Origin::CallingThread if took > SLOW => PENALTY,
            Origin::CallingThread => needed,
        };
        if now != needed {
            self.needed.store(now, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quick_reads_are_carried_out_here_until_one_is_slow() {
        let pace = ReadPace::default();
        let quick = |times: u32| (0..times).for_each(|_| pace.record(Origin::Lane, QUICK));
        quick(TRIAL - 1);
        assert!(!pace.is_quick());
        pace.record(Origin::Lane, QUICK * 2);
        quick(TRIAL - 1);
        assert!(!pace.is_quick(), "one was not quick");
        quick(1);
        pace.record(Origin::CallingThread, SLOW);
        assert!(pace.is_quick());
        pace.record(Origin::CallingThread, SLOW * 2);
        quick(PENALTY - 1);
        assert!(!pace.is_quick());
        quick(1);
        assert!(pace.is_quick());
    }
}
