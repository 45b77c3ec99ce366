//! Messages are read as protobuf-java reads them: a field whose wire type is not that of its number is skipped like an
//! unknown one. prost refuses such a message.

use prost::{DecodeError, Message, decode_length_delimiter, encode_length_delimiter};

/// # Errors
/// The bytes are no message, or the content of a field is malformed.
pub(super) fn decode<M: Message + Default>(bytes: &[u8]) -> Result<M, DecodeError> {
    M::decode(bytes).or_else(|error| without_mismatches(bytes).ok_or(error))
}

/// Reads field by field, and skips those with another wire type. `None` if that does not help.
fn without_mismatches<M: Message + Default>(mut bytes: &[u8]) -> Option<M> {
    let mut message = M::default();
    while !bytes.is_empty() {
        let (key, len) = key_and_len(bytes)?;
        let (field, rest) = bytes.split_at_checked(len)?;
        // Not tried on `message` itself: prost creates a missing field before it looks at the wire type.
        if M::default().merge(field).is_ok() {
            message.merge(field).ok()?;
        } else if !is_mismatch::<M>(key) {
            return None;
        }
        bytes = rest;
    }
    Some(message)
}

const VARINT: usize = 0;
const EIGHT_BYTES: usize = 1;
const LENGTH_DELIMITED: usize = 2;
const FOUR_BYTES: usize = 5;

/// Whether a complete field with this key is refused because of its wire type, not because of its content.
fn is_mismatch<M: Message + Default>(key: usize) -> bool {
    if key & 7 != LENGTH_DELIMITED {
        // Numbers have no malformed content.
        return true;
    }
    let mut empty = Vec::new();
    encode_length_delimiter(key, &mut empty).is_ok_and(|()| {
        empty.push(0);
        M::default().merge(&empty[..]).is_err()
    })
}

/// The key of the first field, and the length of the field.
fn key_and_len(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut rest = bytes;
    let key = decode_length_delimiter(&mut rest).ok()?;
    let payload = match key & 7 {
        VARINT => decode_length_delimiter(&mut rest).map(|_| 0).ok()?,
        EIGHT_BYTES => 8,
        LENGTH_DELIMITED => decode_length_delimiter(&mut rest).ok()?,
        FOUR_BYTES => 4,
        _ => return None,
    };
    Some((key, (bytes.len() - rest.len()).checked_add(payload)?))
}
