//! Finds the end of a reply in the bytes received so far.

/// How calls and replies are written on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// Thrift's strict binary protocol, without frames: HappyBase's default.
    Thrift,
    /// Thrift's strict binary protocol in frames.
    Framed,
    /// Redis's protocol, version 2.
    Redis,
}

/// Thrift's codes of types.
mod kind {
    pub const STOP: u8 = 0;
    pub const MAP: u8 = 13;
    pub const SET: u8 = 14;
    pub const LIST: u8 = 15;
    pub const STRUCT: u8 = 12;
    pub const STRING: u8 = 11;
}

/// What encloses the next value.
enum Open {
    Struct,
    /// The types of the elements, which take turns (a map's keys and values), and the number of elements left.
    Elements([u8; 2], usize),
}

/// The search for the end of one reply. It continues where it has stopped when more bytes have been received, so that
/// a long reply is read once.
#[derive(Default)]
pub struct EndSearch {
    /// Everything before this position has been read. It may be after the last received byte.
    at: usize,
    open: Vec<Open>,
    /// Elements of Redis's arrays left; the reply itself is the first one.
    left: usize,
}

impl EndSearch {
    /// Forgets the reply.
    pub fn reset(&mut self) {
        self.at = 0;
        self.open.clear();
        self.left = 0;
    }

    /// The end of the reply that begins at the first byte; `None` if bytes are missing. Fails if the bytes are not a
    /// reply.
    pub fn end(&mut self, protocol: Protocol, bytes: &[u8]) -> Result<Option<usize>, String> {
        match protocol {
            Protocol::Framed => Ok(number(bytes, 0).map(|n| 4 + n).filter(|end| *end <= bytes.len())),
            Protocol::Thrift => self.thrift(bytes),
            Protocol::Redis => self.redis(bytes),
        }
    }

    fn thrift(&mut self, bytes: &[u8]) -> Result<Option<usize>, String> {
        if self.at == 0 {
            // A version and a type, the name with its length, and a sequence number.
            let Some(name) = number(bytes, 4) else { return Ok(None) };
            if bytes[0] != 0x80 {
                return Err(format!("not a reply in the strict binary protocol: {}", start_of(bytes)));
            }
            self.at = 12 + name;
            self.open.push(Open::Struct);
        }
        while let Some(open) = self.open.last_mut() {
            let (value, at) = match open {
                Open::Struct => match bytes.get(self.at) {
                    None => return Ok(None),
                    Some(&kind::STOP) => {
                        self.at += 1;
                        self.open.pop();
                        continue;
                    }
                    Some(&value) => (value, self.at + 3),
                },
                Open::Elements(_, 0) => {
                    self.open.pop();
                    continue;
                }
                Open::Elements(kinds, left) => (kinds[*left % 2], self.at),
            };
            let mut inner = None;
            let end = match value {
                2 | 3 => at + 1,
                6 => at + 2,
                8 => at + 4,
                4 | 10 => at + 8,
                kind::STRING => match number(bytes, at) {
                    Some(n) => at + 4 + n,
                    None => return Ok(None),
                },
                kind::STRUCT => {
                    inner = Some(Open::Struct);
                    at
                }
                kind::LIST | kind::SET => match (bytes.get(at), number(bytes, at + 1)) {
                    (Some(&element), Some(n)) => {
                        inner = Some(Open::Elements([element; 2], n));
                        at + 5
                    }
                    _ => return Ok(None),
                },
                kind::MAP => match (bytes.get(at..at + 2), number(bytes, at + 2)) {
                    // With an even number left, the next element is a key.
                    (Some(&[key, value]), Some(n)) => {
                        inner = Some(Open::Elements([key, value], 2 * n));
                        at + 6
                    }
                    _ => return Ok(None),
                },
                other => return Err(format!("a value of the unknown type {other} in {}", start_of(bytes))),
            };
            if let Open::Elements(_, left) = open {
                *left -= 1;
            }
            self.at = end;
            self.open.extend(inner);
        }
        Ok((self.at <= bytes.len()).then_some(self.at))
    }

    fn redis(&mut self, bytes: &[u8]) -> Result<Option<usize>, String> {
        if self.at == 0 {
            self.left = 1;
        }
        while self.left > 0 {
            let line = bytes.get(self.at..).unwrap_or_default();
            let Some(length) = line.iter().position(|byte| *byte == b'\n') else { return Ok(None) };
            let text = line[..length].trim_ascii_end();
            let count = || -> Result<i64, String> {
                let digits = std::str::from_utf8(text.get(1..).unwrap_or_default()).ok();
                digits.and_then(|digits| digits.parse().ok()).ok_or_else(|| format!("no length: {}", start_of(text)))
            };
            let mut next = self.at + length + 1;
            match text.first() {
                Some(b'+' | b':') => {}
                Some(b'-') => return Err(format!("Redis: {}", start_of(text))),
                Some(b'$') => next += usize::try_from(count()?).map_or(0, |n| n + 2),
                Some(b'*') => self.left += usize::try_from(count()?).unwrap_or(0),
                _ => return Err(format!("not a reply of Redis: {}", start_of(text))),
            }
            self.at = next;
            self.left -= 1;
        }
        Ok((self.at <= bytes.len()).then_some(self.at))
    }
}

/// The big-endian number of four bytes at a position; `None` if bytes are missing.
fn number(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..)?.first_chunk()?;
    usize::try_from(u32::from_be_bytes(*bytes)).ok()
}

/// The beginning of bytes, for messages.
pub fn start_of(bytes: &[u8]) -> String {
    bytes[..bytes.len().min(200)].escape_ascii().to_string()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use hjall_idl::hbase1::{GetRowResult, TCell, TRowResult};
    use thrift::protocol::{TBinaryOutputProtocol, TMessageIdentifier, TMessageType, TOutputProtocol, TSerializable};

    use super::*;

    /// The end after each number of received bytes, as a search that sees them one after the other finds it.
    fn ends(protocol: Protocol, bytes: &[u8]) -> Vec<Option<usize>> {
        let mut search = EndSearch::default();
        (0..=bytes.len()).map(|n| search.end(protocol, &bytes[..n]).expect("a reply")).collect()
    }

    fn only_at_the_end(protocol: Protocol, bytes: &[u8]) {
        let mut expected = vec![None; bytes.len()];
        expected.push(Some(bytes.len()));
        assert_eq!(ends(protocol, bytes), expected);
        let mut search = EndSearch::default();
        let more = [bytes, b"next"].concat();
        assert_eq!(search.end(protocol, &more), Ok(Some(bytes.len())));
    }

    fn rows() -> Vec<u8> {
        let columns = (0..3).map(|n| (vec![b'f', b':', b'0' + n], TCell::new(vec![b'v'; 300], 7)));
        let columns: BTreeMap<_, _> = columns.collect();
        let row = TRowResult::new(b"row".to_vec(), Some(columns), None);
        let result = GetRowResult { success: Some(vec![row.clone(), row]), ..GetRowResult::default() };
        let mut bytes = Vec::new();
        let mut out = TBinaryOutputProtocol::new(&mut bytes, true);
        out.write_message_begin(&TMessageIdentifier::new("getRow", TMessageType::Reply, 1)).expect("bytes");
        result.write_to_out_protocol(&mut out).expect("bytes");
        bytes
    }

    #[test]
    fn the_end_of_a_reply_is_found_however_it_is_cut() {
        only_at_the_end(Protocol::Thrift, &rows());
        only_at_the_end(Protocol::Framed, &[&(rows().len() as u32).to_be_bytes()[..], &rows()].concat());
        only_at_the_end(Protocol::Redis, b"+OK\r\n");
        only_at_the_end(Protocol::Redis, b"$-1\r\n");
        only_at_the_end(Protocol::Redis, b"$5\r\na\r\nb+\r\n");
        only_at_the_end(Protocol::Redis, b"*3\r\n$1\r\na\r\n:7\r\n*1\r\n$0\r\n\r\n");
    }

    #[test]
    fn other_bytes_are_errors() {
        assert!(EndSearch::default().end(Protocol::Redis, b"-ERR no\r\n").is_err());
        assert!(EndSearch::default().end(Protocol::Redis, b"HTTP/1.1\r\n").is_err());
        assert!(EndSearch::default().end(Protocol::Thrift, b"HTTP/1.1 400").is_err());
    }
}
