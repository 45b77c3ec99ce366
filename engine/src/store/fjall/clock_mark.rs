//! The mark: a timestamp and a sequence number that are safe for all later writes, kept in the store so that neither goes back at a restart.
//!
//! It is written ahead, in steps: a transaction that would pass it first writes a later one. A restart after a crash begins at the mark, up
//! to a step later than necessary; a clean stop writes the exact values. It is at most 1 s ahead of the clock (and 1 ms, after a delete),
//! as no timestamp assigned in a row is further ahead. It is stored in the catalog's space under a key above all others, which the seam
//! hides.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use bytes::{BufMut, Bytes, BytesMut};
use parking_lot::Mutex;

use crate::error::{Error, ErrorKind, Result};
use crate::store::time::LEAD_MAX_MS;

/// Keys of the catalog's space from here on are the store's own.
pub(super) const RESERVED: &[u8] = &[0xff];

/// The mark's key: 0xff "mark".
pub(super) const MARK_KEY: &[u8] = b"\xffmark";

/// Small, because after a crash no timestamp is before the mark.
const STEP_MS: i64 = 100;

const STEP_SEQUENCE: u64 = 1 << 20;

/// Where times and sequence numbers begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Beginning {
    /// A timestamp that is safe for every row: later than every delete marker, no earlier than any other timestamp assigned.
    pub time_ms: i64,
    /// No number from here on was ever drawn.
    pub sequence: u64,
    /// The time of the database.
    pub clock_ms: i64,
}

impl Beginning {
    /// Of an empty store.
    pub const NEW: Self = Self { time_ms: i64::MIN, sequence: 1, clock_ms: i64::MIN };

    /// The fields in their order: eight bytes each, the highest first.
    pub fn encode(self) -> Bytes {
        let mut bytes = BytesMut::with_capacity(24);
        bytes.put_i64(self.time_ms);
        bytes.put_u64(self.sequence);
        bytes.put_i64(self.clock_ms);
        bytes.freeze()
    }

    /// Decodes a mark. One without a clock is valid: early versions did not store it.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let (numbers, rest) = bytes.as_chunks();
        let (time, sequence, clock) = match (numbers, rest) {
            ([time, sequence], []) => (time, sequence, None),
            ([time, sequence, clock], []) => (time, sequence, Some(clock)),
            _ => {
                let message = "the store's mark of time cannot be understood; restore the data folder from a copy";
                return Err(Error::new(ErrorKind::Corrupt, message));
            }
        };
        Ok(Self {
            time_ms: i64::from_be_bytes(*time),
            sequence: u64::from_be_bytes(*sequence),
            clock_ms: clock.map_or(i64::MIN, |clock| i64::from_be_bytes(*clock)),
        })
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
            time_ms: (needed.time_ms.saturating_add(STEP_MS).min(needed.clock_ms.saturating_add(LEAD_MAX_MS)))
                .max(needed.time_ms)
                .max(self.time_ms.load(Ordering::Acquire)),
            sequence: needed.sequence.saturating_add(STEP_SEQUENCE),
            clock_ms: needed.clock_ms,
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
