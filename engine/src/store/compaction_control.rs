//! Control over a requested compaction: progress, pace, and a way to stop it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::error::{Error, ErrorKind, Result};

/// The longest a compaction sleeps before it checks again whether it should stop.
const SLEEP_MAX: Duration = Duration::from_millis(50);

/// The space that a compaction leaves free on its disk: flushes of memory need it.
const FREE_BYTES_MIN: u64 = 64 << 20;

/// The same for a small disk: this part of it.
const FREE_SHARE_MIN: u64 = 16;

/// Shared between a compaction and the threads that watch it. The default runs at full speed until it is done.
#[derive(Debug, Default)]
pub struct CompactionControl {
    stopped: AtomicBool,
    gives_way: AtomicBool,
    /// Zero means no limit.
    bytes_per_second: AtomicU64,
    read_bytes: AtomicU64,
    /// Zero means [`FREE_BYTES_MIN`] or, on a small disk, [`FREE_SHARE_MIN`].
    free_bytes_min: AtomicU64,
}

impl CompactionControl {
    /// Limits the bytes that the compaction reads per second, counted before compression; `None` means no limit. May be
    /// called while it runs.
    pub fn set_pace(&self, bytes_per_second: Option<u64>) {
        self.bytes_per_second.store(bytes_per_second.unwrap_or(0), Ordering::Relaxed);
    }

    /// Makes the compaction end with `DiskFull` when fewer bytes are free on its disk. The default is 64 MiB, or a
    /// sixteenth of a smaller disk. A compaction that reads less than 256 KiB does not check this.
    pub fn keep_free(&self, bytes: u64) {
        self.free_bytes_min.store(bytes, Ordering::Relaxed);
    }

    /// Fails if a disk of this size with these free bytes has no room for more of the compaction's output.
    ///
    /// # Errors
    /// `DiskFull`.
    pub(super) fn check_room(&self, free: u64, size: u64) -> Result<()> {
        let needed = match self.free_bytes_min.load(Ordering::Relaxed) {
            0 => FREE_BYTES_MIN.min(size / FREE_SHARE_MIN),
            bytes => bytes,
        };
        if free >= needed {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::DiskFull,
            format!(
                "the compaction was stopped, because {free} bytes are free on the disk of the data folder, and it leaves \
                 {needed} bytes to writes; the data is unchanged: make room, and request it again"
            ),
        ))
    }

    /// Makes the compaction end with `Cancelled` as soon as possible. The data is unchanged.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
    }

    /// Makes the compaction end with `Busy` as soon as possible, because the database is being closed or reopened.
    pub(super) fn give_way(&self) {
        self.gives_way.store(true, Ordering::Release);
    }

    /// Reverts [`Self::give_way`] before another attempt.
    pub(super) fn begin(&self) {
        self.gives_way.store(false, Ordering::Release);
    }

    /// Whether [`Self::stop`] has been called.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    /// Bytes of keys and values read so far, before compression.
    pub fn read_bytes(&self) -> u64 {
        self.read_bytes.load(Ordering::Relaxed)
    }

    /// Counts bytes that the compaction has read since `since`, and sleeps if it is faster than its limit.
    ///
    /// # Errors
    /// `Cancelled` if the compaction should stop.
    pub(super) fn advance(&self, bytes: u64, since: Instant) -> Result<()> {
        self.read_bytes.fetch_add(bytes, Ordering::Relaxed);
        loop {
            if self.is_stopped() {
                return Err(stopped());
            }
            if self.gives_way.load(Ordering::Acquire) {
                return Err(gave_way());
            }
            let pace = self.bytes_per_second.load(Ordering::Relaxed);
            if pace == 0 {
                return Ok(());
            }
            let due = Duration::from_secs_f64(bytes as f64 / pace as f64);
            match due.checked_sub(since.elapsed()) {
                Some(early) if !early.is_zero() => std::thread::sleep(early.min(SLEEP_MAX)),
                _ => return Ok(()),
            }
        }
    }
}

/// The error of a compaction or flush that ends because the database is being closed or reopened.
pub(super) fn gave_way() -> Error {
    Error::new(
        ErrorKind::Busy,
        "the compaction, flush or backup ended early because the database is being closed or reopened; the data is \
         unchanged, try again",
    )
}

/// The error of a compaction that was stopped.
pub(super) fn stopped() -> Error {
    Error::new(ErrorKind::Cancelled, "the compaction was stopped before it had ended; the data is unchanged")
}
