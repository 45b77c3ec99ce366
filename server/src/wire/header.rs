//! Message headers: the name of the method and the sequence number, which precede the arguments.

use thrift::Result;
use thrift::protocol::{TMessageIdentifier, TMessageType};

use super::{Encoding, NAME_BYTES_MAX, malformed};

/// A message header. Binary headers are strict (with a version) or old (without one). As in HBase, every message may
/// have either.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header<'a> {
    /// The name of the method. Not necessarily UTF-8.
    pub name: &'a [u8],
    /// The type of the message. Normally a call; it is not checked here.
    pub kind: TMessageType,
    /// The sequence number, which the reply repeats.
    pub sequence: i32,
    /// The length of the header in bytes, that is, where the arguments begin.
    pub body: usize,
}

impl Header<'_> {
    pub(super) fn into_identifier(self) -> TMessageIdentifier {
        TMessageIdentifier::new(String::from_utf8_lossy(self.name), self.kind, self.sequence)
    }
}

/// Parses a header. Returns `None` if the bytes are the beginning of one, but more are needed.
pub fn parse(encoding: Encoding, bytes: &[u8]) -> Result<Option<Header<'_>>> {
    match encoding {
        Encoding::Binary => binary(bytes),
        Encoding::Compact => compact(bytes),
    }
}

/// Parses a header of a complete message.
pub(super) fn whole(encoding: Encoding, bytes: &[u8]) -> Result<Header<'_>> {
    parse(encoding, bytes)?.ok_or_else(|| malformed("the message ends within its header"))
}

fn binary(bytes: &[u8]) -> Result<Option<Header<'_>>> {
    let Some(first) = int(bytes, 0) else { return Ok(None) };
    if first < 0 {
        if first as u32 & 0xffff_0000 != 0x8001_0000 {
            return Err(malformed("Bad version in readMessageBegin"));
        }
        let Some(size) = int(bytes, 4) else { return Ok(None) };
        let size = name_size(i64::from(size))?;
        let (Some(name), Some(sequence)) = (bytes.get(8..8 + size), int(bytes, 8 + size)) else { return Ok(None) };
        return Ok(Some(Header { name, kind: kind(first as u8)?, sequence, body: 12 + size }));
    }
    let size = name_size(i64::from(first))?;
    let (Some(name), Some(&kind_byte), Some(sequence)) =
        (bytes.get(4..4 + size), bytes.get(4 + size), int(bytes, 5 + size))
    else {
        return Ok(None);
    };
    Ok(Some(Header { name, kind: kind(kind_byte)?, sequence, body: 9 + size }))
}

fn compact(bytes: &[u8]) -> Result<Option<Header<'_>>> {
    let [first, second, rest @ ..] = bytes else { return Ok(None) };
    if *first != 0x82 {
        return Err(malformed(format!("Expected protocol id 82 but got {first:x}")));
    }
    if second & 0x1f != 1 {
        return Err(malformed(format!("Expected version 1 but got {}", second & 0x1f)));
    }
    let kind = kind(second >> 5)?;
    let Some((sequence, a)) = varint32(rest)? else { return Ok(None) };
    let Some((size, b)) = varint32(rest.get(a..).unwrap_or_default())? else { return Ok(None) };
    let size = name_size(i64::from(size))?;
    let Some(name) = rest.get(a + b..a + b + size) else { return Ok(None) };
    Ok(Some(Header { name, kind, sequence: sequence as i32, body: 2 + a + b + size }))
}

fn int(bytes: &[u8], at: usize) -> Option<i32> {
    bytes.get(at..)?.first_chunk().map(|four| i32::from_be_bytes(*four))
}

fn name_size(size: i64) -> Result<usize> {
    match usize::try_from(size) {
        Ok(size) if size <= NAME_BYTES_MAX => Ok(size),
        _ => Err(malformed(format!("a method name of {size} bytes; at most {NAME_BYTES_MAX} are allowed"))),
    }
}

fn kind(byte: u8) -> Result<TMessageType> {
    TMessageType::try_from(byte)
}

/// Parses an unsigned varint. Returns its value and its length in bytes, or `None` if more bytes are needed.
pub(super) fn varint32(bytes: &[u8]) -> Result<Option<(u32, usize)>> {
    let mut number = 0_u64;
    for (i, byte) in bytes.iter().take(5).enumerate() {
        number |= u64::from(byte & 0x7f) << (7 * i);
        if byte & 0x80 == 0 {
            return Ok(Some((number as u32, i + 1)));
        }
    }
    if bytes.len() < 5 { Ok(None) } else { Err(malformed("a number is longer than 32 bits")) }
}
