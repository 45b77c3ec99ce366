//! The encoding of byte strings inside keys. It preserves order, no encoded string is a prefix of another, and growth
//! is bounded.
//!
//! The bytes are divided into groups of eight, the last one padded with zeros. Each group is followed by a byte: the
//! number of its bytes that count, or 9 if more groups follow. So n bytes take 9 × (n / 8 + 1) bytes.

use bytes::{BufMut, Bytes};

const GROUP: usize = 8;
const MORE: u8 = 9;

/// The encoded length of `n` bytes.
pub(super) fn encoded_len(n: usize) -> usize {
    (n / GROUP + 1) * (GROUP + 1)
}

/// Appends the encoded form of `bytes`.
pub(super) fn put(out: &mut impl BufMut, bytes: &[u8]) {
    let mut group = [0; GROUP + 1];
    let mut rest = bytes;
    // A full last group is followed by an empty one, so that MORE is always followed by another group.
    group[GROUP] = MORE;
    while let Some((head, tail)) = rest.split_first_chunk::<GROUP>() {
        group[..GROUP].copy_from_slice(head);
        out.put_slice(&group);
        rest = tail;
    }
    let mut group = [0; GROUP + 1];
    group[..rest.len()].copy_from_slice(rest);
    group[GROUP] = rest.len() as u8;
    out.put_slice(&group);
}

/// The length of the encoded string at the beginning of `key`; `None` if it is truncated.
pub(super) fn end(key: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let marker = *key.get(at + GROUP)?;
        at += GROUP + 1;
        if marker != MORE {
            return (usize::from(marker) < GROUP).then_some(at);
        }
    }
}

/// The number of bytes that were encoded.
pub(super) fn decoded_len(encoded: &[u8]) -> usize {
    let last = encoded.last().map_or(0, |n| usize::from(*n).min(GROUP));
    (encoded.len() / (GROUP + 1)).saturating_sub(1) * GROUP + last
}

/// Whether these bytes were encoded.
pub(super) fn is_of(encoded: &[u8], bytes: &[u8]) -> bool {
    let mut rest = bytes;
    for group in encoded.chunks_exact(GROUP + 1) {
        let Some(tail) = rest.strip_prefix(&group[..usize::from(group[GROUP]).min(GROUP)]) else { return false };
        rest = tail;
    }
    rest.is_empty()
}

/// Appends the bytes that were encoded.
pub(super) fn take_into(out: &mut Vec<u8>, encoded: &[u8]) {
    for group in encoded.chunks_exact(GROUP + 1) {
        let n = usize::from(group[GROUP]).min(GROUP);
        out.extend_from_slice(&group[..n]);
    }
}

/// The bytes that were encoded.
pub(super) fn take(encoded: &[u8]) -> Bytes {
    // The exact capacity: converting to `Bytes` reallocates otherwise.
    let mut out = Vec::with_capacity(decoded_len(encoded));
    take_into(&mut out, encoded);
    out.into()
}
