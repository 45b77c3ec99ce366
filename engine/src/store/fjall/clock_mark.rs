//! The mark: a stored timestamp and sequence number from which a reopened store continues, so that neither goes back
//! over a restart.
//!
//! The mark is written ahead in steps: a transaction that would pass it first writes a later one. After a crash, the
//! store continues up to one step later than necessary; a clean close writes exact values. The mark is at most 1 s
//! (after a delete, 1,001 ms) ahead of the clock, because no assigned timestamp is further ahead. It is stored in the
//! space of the catalog under a key above all others, which the store interface hides.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use bytes::{BufMut, Bytes, BytesMut};
use parking_lot::Mutex;

use super::database::Patience;
use crate::error::{Error, ErrorKind, Result};
use crate::store::time::LEAD_MAX_MS;

/// Keys of the catalog's space that are greater than or equal to this are reserved for the store.
pub(super) const RESERVED: &[u8] = &[0xff];

/// The mark's key: 0xff "mark".
pub(super) const MARK_KEY: &[u8] = b"\xffmark";

/// The step of the stored time, in milliseconds. It is short, because after a crash no timestamp is before the mark.
const STEP_MS: i64 = 100;

/// The step of the stored sequence number.
const STEP_SEQUENCE: u64 = 1 << 20;

/// The values of a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HighWaterMark {
    /// A timestamp that is valid for the next transaction of every row: later than every assigned timestamp of a delete
    /// marker, and no earlier than any other.
    pub time_ms: i64,
    /// A number that is greater than all that were assigned.
    pub sequence: u64,
    /// The clock of the database when the mark was written.
    pub clock_ms: i64,
}

impl HighWaterMark {
    /// The mark of an empty store.
    pub const NEW: Self = Self { time_ms: i64::MIN, sequence: 1, clock_ms: i64::MIN };

    /// Encodes the fields in order, in eight bytes each, big-endian.
    pub fn encode(self) -> Bytes {
        let mut bytes = BytesMut::with_capacity(24);
        bytes.put_i64(self.time_ms);
        bytes.put_u64(self.sequence);
        bytes.put_i64(self.clock_ms);
        bytes.freeze()
    }

    /// Decodes a mark. Early versions stored no clock.
    ///
    /// # Errors
    /// `Corrupt`.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        let (numbers, rest) = bytes.as_chunks();
        let (time, sequence, clock) = match (numbers, rest) {
            ([time, sequence], []) => (time, sequence, None),
            ([time, sequence, clock], []) => (time, sequence, Some(clock)),
            _ => {
                let message = "the stored time of the database is damaged; restore the data folder from a backup";
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

/// The stored mark of an open database, in memory. A database that is reopened may have lost the mark that was written
/// last, and has its own value.
pub(super) struct ClockMark {
    opened: HighWaterMark,
    time_ms: AtomicI64,
    sequence: AtomicU64,
    writing: Mutex<()>,
}

impl ClockMark {
    pub fn at(stored: HighWaterMark) -> Self {
        Self {
            opened: stored,
            time_ms: AtomicI64::new(stored.time_ms),
            sequence: AtomicU64::new(stored.sequence),
            writing: Mutex::new(()),
        }
    }

    /// The mark that was stored when the database was opened.
    pub fn at_opening(&self) -> HighWaterMark {
        self.opened
    }

    /// Ensures that the stored mark is not before `needed`. If it is, calls `write` to store a later one; `write`
    /// returns whether it did. The mark does not have to be synced, because it precedes the writes that it covers in
    /// the journal. Returns whether the stored mark covers `needed`; it may not if `write` has stored none, or if
    /// another thread is writing it and `patience` is short.
    pub fn cover(
        &self,
        needed: HighWaterMark,
        patience: Patience,
        write: impl FnOnce(HighWaterMark) -> Result<bool>,
    ) -> Result<bool> {
        if self.covers(needed) {
            return Ok(true);
        }
        let Some(_writing) = patience.lock(&self.writing) else { return Ok(false) };
        if self.covers(needed) {
            return Ok(true);
        }
        let next = HighWaterMark {
            time_ms: (needed.time_ms.saturating_add(STEP_MS).min(needed.clock_ms.saturating_add(LEAD_MAX_MS)))
                .max(needed.time_ms)
                .max(self.time_ms.load(Ordering::Acquire)),
            sequence: needed.sequence.saturating_add(STEP_SEQUENCE),
            clock_ms: needed.clock_ms,
        };
        if !write(next)? {
            return Ok(false);
        }
        self.time_ms.store(next.time_ms, Ordering::Release);
        self.sequence.store(next.sequence, Ordering::Release);
        Ok(true)
    }

    /// Whether the stored mark is not before `needed`.
    pub fn covers(&self, needed: HighWaterMark) -> bool {
        needed.time_ms <= self.time_ms.load(Ordering::Acquire)
            && needed.sequence <= self.sequence.load(Ordering::Acquire)
    }
}
