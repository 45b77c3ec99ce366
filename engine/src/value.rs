//! Values of cells inside a space. No other module knows their layout.
//!
//! ```text
//! tag (1)   bit 0: cell TTL follows (8, ms)   bit 1: write sequence follows (8)   bits 2-7: 0, reserved
//! [ttl]  [sequence]  the caller's bytes
//! ```

use bytes::{Buf, BufMut, Bytes};

use crate::error::{Error, ErrorKind, Result};

const TTL: u8 = 1;
const SEQUENCE: u8 = 2;

/// A decoded value.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Value {
    /// The cell's own TTL, in milliseconds from its timestamp.
    pub ttl_ms: Option<i64>,
    /// The position in the write order, in families that need it (NEW_VERSION_BEHAVIOR).
    pub sequence: Option<u64>,
    /// The caller's bytes.
    pub bytes: Bytes,
}

fn damaged() -> Error {
    Error::new(ErrorKind::Corrupt, "a stored value is not the value of a cell: the data folder is damaged or newer")
}

/// Splits the tag and the TTL from the beginning of a stored value.
fn take_ttl(stored: &mut impl Buf) -> Result<(u8, Option<i64>)> {
    let tag = stored.try_get_u8().map_err(|_| damaged())?;
    if tag & !(TTL | SEQUENCE) != 0 {
        return Err(damaged());
    }
    let ttl_ms = if tag & TTL == 0 { None } else { Some(stored.try_get_i64().map_err(|_| damaged())?) };
    Ok((tag, ttl_ms))
}

/// Whether a cell with this stored value has outlived its own TTL. As in HBase: timestamp + TTL < now with wrapping
/// addition; the largest TTL means none.
///
/// # Errors
/// `Corrupt` if the value is not in this layout.
#[inline]
pub fn is_expired(stored: &[u8], timestamp: i64, now: i64) -> Result<bool> {
    if is_plain(stored) { Ok(false) } else { is_ttl_over(stored, timestamp, now) }
}

fn is_ttl_over(mut stored: &[u8], timestamp: i64, now: i64) -> Result<bool> {
    let (_, ttl_ms) = take_ttl(&mut stored)?;
    Ok(end(timestamp, ttl_ms).is_some_and(|end| end < now))
}

/// The last millisecond in which a cell with this timestamp and TTL is visible; `None` if it does not expire.
pub fn end(timestamp: i64, ttl_ms: Option<i64>) -> Option<i64> {
    ttl_ms.filter(|ttl| *ttl != i64::MAX).map(|ttl| timestamp.wrapping_add(ttl))
}

/// The cell's own TTL, in milliseconds; `None` if it has none.
///
/// # Errors
/// `Corrupt` if the value is not in this layout.
pub fn ttl_of(mut stored: &[u8]) -> Result<Option<i64>> {
    Ok(take_ttl(&mut stored)?.1.filter(|ttl| *ttl != i64::MAX))
}

/// Whether a stored value has neither TTL nor sequence.
#[inline]
pub fn is_plain(stored: &[u8]) -> bool {
    stored.first() == Some(&0)
}

/// The caller's bytes of a value with neither TTL nor sequence, not copied.
#[inline]
pub fn of_plain(mut stored: Bytes) -> Bytes {
    stored.advance(1.min(stored.len()));
    stored
}

/// As [`of_plain`], borrowed.
#[inline]
pub fn plain_bytes(stored: &[u8]) -> &[u8] {
    stored.get(1..).unwrap_or_default()
}

/// Encodes a value. The result is never empty.
pub fn encode(ttl_ms: Option<i64>, sequence: Option<u64>, bytes: &[u8]) -> Bytes {
    // A vector that is full becomes `Bytes` without another allocation.
    let mut out = Vec::with_capacity(encoded_len(ttl_ms, sequence, bytes));
    put(&mut out, ttl_ms, sequence, bytes);
    out.into()
}

/// The length of an encoded value.
pub fn encoded_len(ttl_ms: Option<i64>, sequence: Option<u64>, bytes: &[u8]) -> usize {
    1 + ttl_ms.map_or(0, |_| 8) + sequence.map_or(0, |_| 8) + bytes.len()
}

/// Appends an encoded value.
pub fn put(out: &mut impl BufMut, ttl_ms: Option<i64>, sequence: Option<u64>, bytes: &[u8]) {
    out.put_u8(ttl_ms.map_or(0, |_| TTL) | sequence.map_or(0, |_| SEQUENCE));
    if let Some(ttl) = ttl_ms {
        out.put_i64(ttl);
    }
    if let Some(sequence) = sequence {
        out.put_u64(sequence);
    }
    out.put_slice(bytes);
}

impl Value {
    /// Decodes a stored value. The caller's bytes are not copied.
    ///
    /// # Errors
    /// `Corrupt` if it is not in this layout or was written by a newer version.
    #[inline]
    pub fn decode(stored: Bytes) -> Result<Self> {
        if is_plain(&stored) {
            return Ok(Self { ttl_ms: None, sequence: None, bytes: of_plain(stored) });
        }
        Self::decode_parts(stored)
    }

    fn decode_parts(mut stored: Bytes) -> Result<Self> {
        let (tag, ttl_ms) = take_ttl(&mut stored)?;
        let sequence = if tag & SEQUENCE == 0 { None } else { Some(stored.try_get_u64().map_err(|_| damaged())?) };
        Ok(Self { ttl_ms, sequence, bytes: stored })
    }
}
