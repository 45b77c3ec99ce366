//! The mark: up to where timestamps and sequence numbers may have been given out, kept in the store so that neither goes back at a restart.
//!
//! It is written ahead, in steps: a transaction that would pass it writes a later one first. A restart after a crash begins at the mark, up
//! to a step later than needed; a clean stop writes it down exactly. It lives in the catalog's space under a key above all others there,
//! which the seam shows to nobody.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use bytes::{BufMut, Bytes, BytesMut};
use parking_lot::Mutex;

use crate::error::{Error, ErrorKind, Result};

/// Keys of the catalog's space from here on are the store's own.
pub(super) const RESERVED: &[u8] = &[0xff];

/// The mark's key: 0xff "mark".
pub(super) const MARK_KEY: &[u8] = b"\xffmark";

/// Small, because after a crash the clock stands still until it has been reached.
const STEP_MS: i64 = 100;

const STEP_SEQUENCE: u64 = 1 << 20;

/// Where times and sequence numbers begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Beginning {
    /// No timestamp below has to be assigned any more.
    pub time_ms: i64,
    /// No number from here on was ever drawn.
    pub sequence: u64,
}

impl Beginning {
    /// Of an empty store.
    pub const NEW: Self = Self { time_ms: i64::MIN, sequence: 1 };

    /// Time, then sequence: eight bytes each, the highest first.
    pub fn encode(self) -> Bytes {
        let mut bytes = BytesMut::with_capacity(16);
        bytes.put_i64(self.time_ms);
        bytes.put_u64(self.sequence);
        bytes.freeze()
    }

    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let parts = bytes.split_first_chunk().and_then(|(time, rest)| Some((time, rest.split_first_chunk()?.0)));
        let (time, sequence) = parts.ok_or_else(|| {
            Error::new(
                ErrorKind::Corrupt,
                "the store's mark of time cannot be understood; restore the data folder from a copy",
            )
        })?;
        Ok(Self { time_ms: i64::from_be_bytes(*time), sequence: u64::from_be_bytes(*sequence) })
    }
}

/// The mark as it is in the store.
pub(super) struct ClockMark {
    time_ms: AtomicI64,
    sequence: AtomicU64,
    writing: Mutex<()>,
}

impl ClockMark {
    pub fn at(stored: Beginning) -> Self {
        Self {
            time_ms: AtomicI64::new(stored.time_ms),
            sequence: AtomicU64::new(stored.sequence),
            writing: Mutex::new(()),
        }
    }

    /// Makes sure that the stored mark is not before `needed`: `write` stores a later one otherwise, and returns whether it did. It need not
    /// be synced, since what it guards comes after it in the same journal.
    pub fn cover(&self, needed: Beginning, write: impl FnOnce(Beginning) -> Result<bool>) -> Result<()> {
        if self.covers(needed) {
            return Ok(());
        }
        let _writing = self.writing.lock();
        if self.covers(needed) {
            return Ok(());
        }
        let next = Beginning {
            time_ms: needed.time_ms.saturating_add(STEP_MS).max(self.time_ms.load(Ordering::Acquire)),
            sequence: needed.sequence.saturating_add(STEP_SEQUENCE),
        };
        if !write(next)? {
            return Ok(());
        }
        self.time_ms.store(next.time_ms, Ordering::Release);
        self.sequence.store(next.sequence, Ordering::Release);
        Ok(())
    }

    fn covers(&self, needed: Beginning) -> bool {
        needed.time_ms <= self.time_ms.load(Ordering::Acquire)
            && needed.sequence <= self.sequence.load(Ordering::Acquire)
    }
}
