//! Values of cells inside a space.
//!
//! ```text
//! tag (1)   bit 0: cell TTL follows (8, ms)   bit 1: write sequence follows (8)   bits 2-7: 0, kept for later parts
//! [ttl]  [sequence]  the bytes
//! ```

use bytes::{Buf, BufMut, Bytes, BytesMut};

use crate::error::{Error, ErrorKind, Result};

const TTL: u8 = 1;
const SEQUENCE: u8 = 2;

/// What is stored under a cell's key.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Value {
    /// How long the cell lives from its timestamp on, in milliseconds.
    pub ttl_ms: Option<i64>,
    /// The place in the order of writing, in families that need it (NEW_VERSION_BEHAVIOR).
    pub sequence: Option<u64>,
    /// The caller's bytes.
    pub bytes: Bytes,
}

impl Value {
    /// As it is stored; never empty.
    pub fn encode(&self) -> Bytes {
        let mut out = BytesMut::with_capacity(17 + self.bytes.len());
        out.put_u8(self.ttl_ms.map_or(0, |_| TTL) | self.sequence.map_or(0, |_| SEQUENCE));
        if let Some(ttl) = self.ttl_ms {
            out.put_i64(ttl);
        }
        if let Some(sequence) = self.sequence {
            out.put_u64(sequence);
        }
        out.put_slice(&self.bytes);
        out.freeze()
    }

    /// What was stored; the caller's bytes are not copied.
    ///
    /// # Errors
    /// `Corrupt` if it is none of ours, or written by a newer version.
    pub fn decode(mut stored: Bytes) -> Result<Self> {
        let corrupt = || Error::new(ErrorKind::Corrupt, "a stored value is not a cell's: the data folder is damaged or newer");
        let tag = stored.try_get_u8().map_err(|_| corrupt())?;
        if tag & !(TTL | SEQUENCE) != 0 {
            return Err(corrupt());
        }
        let ttl_ms = if tag & TTL != 0 { Some(stored.try_get_i64().map_err(|_| corrupt())?) } else { None };
        let sequence = if tag & SEQUENCE != 0 { Some(stored.try_get_u64().map_err(|_| corrupt())?) } else { None };
        Ok(Self { ttl_ms, sequence, bytes: stored })
    }
}
