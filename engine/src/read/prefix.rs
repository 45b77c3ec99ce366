//! The beginning that a column's keys share, without a copy: the column's first key, of which so many bytes count.

use std::ops::Deref;

use bytes::Bytes;

/// The prefix of a column.
pub(super) struct Prefix {
    key: Bytes,
    len: usize,
}

impl Prefix {
    /// The first `len` bytes of a key, which has as many.
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
