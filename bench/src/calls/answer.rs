//! Reads the part of a reply that tells whether its call has succeeded.

use crate::generator::{Protocol, start_of};

/// The number of rows or values in a reply; 1 if the call has no result. A reply with an error or an exception is an
/// error.
pub fn rows(protocol: Protocol, reply: &[u8]) -> Result<u64, String> {
    match protocol {
        Protocol::Thrift | Protocol::Framed => match result(reply)? {
            // The type of the elements and their number.
            (LIST, Some(&[_, a, b, c, d, ..])) => Ok(u64::from(u32::from_be_bytes([a, b, c, d]))),
            _ => Ok(1),
        },
        Protocol::Redis => Ok(u64::from(!reply.starts_with(b"$-1") && !reply.starts_with(b"*0"))),
    }
}

/// The number in the reply to a call that returns an i32.
pub fn number(reply: &[u8]) -> Result<i32, String> {
    match result(reply)? {
        (I32, Some(&[a, b, c, d, ..])) => Ok(i32::from_be_bytes([a, b, c, d])),
        _ => Err(format!("no number: {}", start_of(reply))),
    }
}

const I32: u8 = 8;
const LIST: u8 = 15;
/// The type of a message that reports an error.
const EXCEPTION: u8 = 3;

/// The type of the result of a Thrift call (0 without a result), and its bytes.
fn result(reply: &[u8]) -> Result<(u8, Option<&[u8; 5]>), String> {
    let name =
        reply.get(4..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u32::from_be_bytes(*bytes) as usize);
    match reply.get(12 + name..) {
        Some([0, ..]) if reply[3] != EXCEPTION => Ok((0, None)),
        // Field 0 is the result, others are exceptions.
        Some([kind, 0, 0, rest @ ..]) if reply[3] != EXCEPTION => Ok((*kind, rest.first_chunk())),
        _ => Err(format!("a call failed: {}", start_of(reply))),
    }
}
