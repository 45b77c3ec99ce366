//! The common prefix of a column's keys, held without a copy as a slice of one of them.

use std::ops::Deref;

use bytes::Bytes;

/// The prefix of a column.
pub(super) struct Prefix {
    key: Bytes,
    len: usize,
}

impl Prefix {
    /// The first `len` bytes of a key.
    pub(super) fn of(key: Bytes, len: usize) -> Self {
        Self { len: len.min(key.len()), key }
    }
}

impl From<Bytes> for Prefix {
    fn from(whole: Bytes) -> Self {
        Self { len: whole.len(), key: whole }
    }
}

impl Deref for Prefix {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.key[..self.len]
    }
}
