//! Byte strings of any length inside a key: order is kept, none is the beginning of another, growth is bounded.
//!
//! The bytes are cut into groups of eight, the last one filled up with zeros; behind each group stands how many of its bytes count, 9 if
//! more groups follow. So n bytes take 9 × (n / 8 + 1), whatever they are.

use bytes::{BufMut, Bytes, BytesMut};

const GROUP: usize = 8;
const MORE: u8 = 9;
/// What one group takes, and two.
const ONE: usize = GROUP + 1;
const TWO: usize = 2 * ONE;

/// What `n` bytes take.
pub(super) fn encoded_len(n: usize) -> usize {
    (n / GROUP + 1) * (GROUP + 1)
}

/// Appends the encoded form of `bytes`.
pub(super) fn put(out: &mut BytesMut, bytes: &[u8]) {
    let mut rest = bytes;
    // A full last group is followed by an empty one, so that MORE always means more.
    while let Some((head, tail)) = rest.split_at_checked(GROUP) {
        out.put_slice(head);
        out.put_u8(MORE);
        rest = tail;
    }
    out.put_slice(rest);
    out.put_bytes(0, GROUP - rest.len());
    out.put_u8(rest.len() as u8);
}

/// Where the encoded text at the head of `key` ends; `None` if it is cut short.
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

/// How many bytes were encoded, if they are so few that they stand in one piece at the head of their encoded form.
pub(super) fn short_len(encoded: &[u8]) -> Option<usize> {
    match (encoded.len(), encoded.last()) {
        (ONE, Some(&marker)) if usize::from(marker) < GROUP => Some(usize::from(marker)),
        (TWO, Some(0)) => Some(GROUP),
        _ => None,
    }
}

/// The bytes that were encoded.
pub(super) fn take(encoded: &[u8]) -> Bytes {
    let mut out = Vec::with_capacity(encoded.len());
    for group in encoded.chunks_exact(GROUP + 1) {
        let n = usize::from(group[GROUP]).min(GROUP);
        out.extend_from_slice(&group[..n]);
    }
    out.into()
}
