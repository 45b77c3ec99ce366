//! Finds the end of a message that does not say how long it is.

use std::fmt;

use thrift::protocol::TType;

use super::header::{self, varint32};
use super::{DEPTH_MAX, Encoding, binary, compact};

/// How far a measurement has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// The message is so many bytes long; all of them are there.
    Whole(usize),
    /// The message has at least so many bytes, more than are there.
    More(usize),
}

/// Why a message can have no end, or none that is allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Endless {
    /// It announces more bytes than are allowed.
    TooLarge(usize),
    /// Values nest too deep.
    TooDeep,
    /// A length is negative.
    Negative,
    /// There is no such type of value.
    NoSuchType(u8),
    /// A number is longer than its type.
    NumberTooLong,
    /// The header is none.
    Header(String),
}

impl fmt::Display for Endless {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge(limit) => write!(f, "the message is longer than the {limit} bytes that are allowed"),
            Self::TooDeep => write!(f, "values nest deeper than {DEPTH_MAX} levels"),
            Self::Negative => f.write_str("a length is negative"),
            Self::NoSuchType(number) => write!(f, "there is no value type {number}"),
            Self::NumberTooLong => f.write_str("a number is longer than its type"),
            Self::Header(text) => f.write_str(text),
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Open {
    Struct,
    /// Elements left.
    List(TType, u32),
    /// Keys and values left, both counted: even means that a key is next.
    Map(TType, TType, u32),
}

/// One message's measurement. It goes on where it stopped when more bytes are there, without looking at the earlier ones again, and
/// takes no memory but its own.
#[derive(Debug, Clone)]
pub struct Measure {
    encoding: Encoding,
    limit: usize,
    /// Where the next thing begins; beyond the bytes that are there while a long value arrives.
    at: usize,
    open: [Open; DEPTH_MAX],
    depth: usize,
    in_header: bool,
}

/// A step that cannot be taken yet needs the message to have this many bytes.
struct Short(usize);

type Step<T> = Result<Result<T, Short>, Endless>;

/// Returns from the step with what it needs, unless it is there.
macro_rules! there {
    ($step:expr) => {
        match $step {
            Ok(Ok(value)) => value,
            Ok(Err(short)) => return Ok(Err(short)),
            Err(endless) => return Err(endless),
        }
    };
}

impl Measure {
    /// For a message of this encoding with at most so many bytes.
    pub fn new(encoding: Encoding, limit: usize) -> Self {
        Self { encoding, limit, at: 0, open: [Open::Struct; DEPTH_MAX], depth: 0, in_header: true }
    }

    /// Goes on. `bytes` begins where the message does and holds all that has arrived, at least as much as the last time.
    pub fn advance(&mut self, bytes: &[u8]) -> Result<Progress, Endless> {
        loop {
            if !self.in_header && self.depth == 0 {
                return Ok(if self.at <= bytes.len() { Progress::Whole(self.at) } else { Progress::More(self.at) });
            }
            match self.step(bytes)? {
                Ok(()) if self.at > self.limit => return Err(Endless::TooLarge(self.limit)),
                Ok(()) => {}
                Err(Short(needed)) if needed > self.limit => return Err(Endless::TooLarge(self.limit)),
                Err(Short(needed)) => return Ok(Progress::More(needed)),
            }
        }
    }

    /// One header, field header or value; changes nothing if it is not there in full.
    fn step(&mut self, bytes: &[u8]) -> Step<()> {
        if self.in_header {
            let parsed = header::parse(self.encoding, bytes).map_err(|e| Endless::Header(text(e)))?;
            let Some(header) = parsed else { return Ok(Err(Short(bytes.len() + 1))) };
            self.at = header.body;
            self.in_header = false;
            return self.push(Open::Struct).map(Ok);
        }
        let top = self.depth - 1;
        match self.open[top] {
            Open::Struct => self.field(bytes),
            Open::List(_, 0) | Open::Map(_, _, 0) => {
                self.depth = top;
                Ok(Ok(()))
            }
            Open::List(element, left) => {
                // Changed first, since the element may open a place above; put back if it was not there.
                self.open[top] = Open::List(element, left - 1);
                let step = self.value(bytes, self.at, element);
                if let Ok(Err(_)) = step {
                    self.open[top] = Open::List(element, left);
                }
                step
            }
            Open::Map(key, value, left) => {
                self.open[top] = Open::Map(key, value, left - 1);
                let step = self.value(bytes, self.at, if left % 2 == 0 { key } else { value });
                if let Ok(Err(_)) = step {
                    self.open[top] = Open::Map(key, value, left);
                }
                step
            }
        }
    }

    /// A field's header and its value, unless the value opens something.
    fn field(&mut self, bytes: &[u8]) -> Step<()> {
        let first = there!(byte(bytes, self.at));
        let (of, value_at) = match self.encoding {
            Encoding::Binary => {
                (binary::type_of(first).ok_or(Endless::NoSuchType(first))?, self.at + if first == 0 { 1 } else { 3 })
            }
            Encoding::Compact => {
                let of = compact::type_of(first & 0x0f).ok_or(Endless::NoSuchType(first & 0x0f))?;
                let mut value_at = self.at + 1;
                if of != TType::Stop && first >> 4 == 0 {
                    value_at += there!(varint(bytes, value_at)).1;
                }
                (of, value_at)
            }
        };
        if of == TType::Stop {
            self.at = value_at;
            self.depth -= 1;
            return Ok(Ok(()));
        }
        if of == TType::Bool && self.encoding == Encoding::Compact {
            self.at = value_at;
            return Ok(Ok(()));
        }
        self.value(bytes, value_at, of)
    }

    /// A value that begins there: passes it, or opens it.
    fn value(&mut self, bytes: &[u8], at: usize, of: TType) -> Step<()> {
        let compact = self.encoding == Encoding::Compact;
        match of {
            TType::Bool | TType::I08 => self.at = at + 1,
            TType::Double => self.at = at + 8,
            TType::Uuid => self.at = at + 16,
            TType::I16 | TType::I32 | TType::I64 if compact => {
                self.at = at + there!(long_varint(bytes, at, if of == TType::I64 { 10 } else { 5 }));
            }
            TType::I16 => self.at = at + 2,
            TType::I32 => self.at = at + 4,
            TType::I64 => self.at = at + 8,
            TType::String => {
                let (size, width) = there!(self.size(bytes, at));
                self.at = at.saturating_add(width).saturating_add(size);
            }
            TType::Struct => {
                self.push(Open::Struct)?;
                self.at = at;
            }
            TType::List | TType::Set => {
                let first = there!(byte(bytes, at));
                let (element, size, width) = if compact {
                    let element = compact::type_of(first & 0x0f).ok_or(Endless::NoSuchType(first & 0x0f))?;
                    match first >> 4 {
                        15 => {
                            let (size, width) = there!(self.size(bytes, at + 1));
                            (element, size, 1 + width)
                        }
                        short => (element, usize::from(short), 1),
                    }
                } else {
                    let element = binary::type_of(first).ok_or(Endless::NoSuchType(first))?;
                    let (size, width) = there!(self.size(bytes, at + 1));
                    (element, size, 1 + width)
                };
                self.room(at + width, size, self.bytes_min(element))?;
                self.elements(at + width, element, size)?;
            }
            TType::Map => {
                let (key, value, size, width) = if compact {
                    let (size, width) = there!(self.size(bytes, at));
                    if size == 0 {
                        (TType::Bool, TType::Bool, 0, width)
                    } else {
                        let both = there!(byte(bytes, at + width));
                        let key = compact::type_of(both >> 4).ok_or(Endless::NoSuchType(both >> 4))?;
                        let value = compact::type_of(both & 0x0f).ok_or(Endless::NoSuchType(both & 0x0f))?;
                        (key, value, size, width + 1)
                    }
                } else {
                    let (first, second) = (there!(byte(bytes, at)), there!(byte(bytes, at + 1)));
                    let key = binary::type_of(first).ok_or(Endless::NoSuchType(first))?;
                    let value = binary::type_of(second).ok_or(Endless::NoSuchType(second))?;
                    let (size, width) = there!(self.size(bytes, at + 2));
                    (key, value, size, 2 + width)
                };
                self.room(at + width, size, self.bytes_min(key) + self.bytes_min(value))?;
                self.push(Open::Map(key, value, count(size).saturating_mul(2)))?;
                self.at = at + width;
            }
            TType::Stop | TType::Void | TType::Utf7 => return Err(Endless::NoSuchType(0)),
        }
        Ok(Ok(()))
    }

    /// Passes a list at once where all elements have the same size.
    fn elements(&mut self, at: usize, element: TType, size: usize) -> Result<(), Endless> {
        let binary = self.encoding == Encoding::Binary;
        let each = match element {
            TType::Bool | TType::I08 => Some(1),
            TType::Double => Some(8),
            TType::Uuid => Some(16),
            TType::I16 if binary => Some(2),
            TType::I32 if binary => Some(4),
            TType::I64 if binary => Some(8),
            _ => None,
        };
        match each {
            Some(each) => self.at = at.saturating_add(size.saturating_mul(each)),
            None => {
                self.push(Open::List(element, count(size)))?;
                self.at = at;
            }
        }
        Ok(())
    }

    /// Refuses at once what cannot end within the limit.
    fn room(&self, at: usize, size: usize, each: usize) -> Result<(), Endless> {
        if at.saturating_add(size.saturating_mul(each)) > self.limit {
            return Err(Endless::TooLarge(self.limit));
        }
        Ok(())
    }

    fn bytes_min(&self, of: TType) -> usize {
        match self.encoding {
            Encoding::Binary => binary::bytes_min(of),
            Encoding::Compact => compact::bytes_min(of),
        }
    }

    /// A length, and how many bytes it took itself.
    fn size(&self, bytes: &[u8], at: usize) -> Step<(usize, usize)> {
        let (size, width) = match self.encoding {
            Encoding::Binary => {
                let Some(four) = bytes.get(at..).and_then(<[u8]>::first_chunk) else { return Ok(Err(Short(at + 4))) };
                (i32::from_be_bytes(*four), 4)
            }
            Encoding::Compact => {
                let (size, width) = there!(varint(bytes, at));
                (size as i32, width)
            }
        };
        match usize::try_from(size) {
            Ok(size) => Ok(Ok((size, width))),
            Err(_) => Err(Endless::Negative),
        }
    }

    fn push(&mut self, open: Open) -> Result<(), Endless> {
        let place = self.open.get_mut(self.depth).ok_or(Endless::TooDeep)?;
        *place = open;
        self.depth += 1;
        Ok(())
    }
}

/// Lengths are 31 bits wide.
fn count(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}

fn byte(bytes: &[u8], at: usize) -> Step<u8> {
    Ok(bytes.get(at).copied().ok_or(Short(at + 1)))
}

fn varint(bytes: &[u8], at: usize) -> Step<(u32, usize)> {
    match varint32(bytes.get(at..).unwrap_or_default()) {
        Ok(Some(found)) => Ok(Ok(found)),
        Ok(None) => Ok(Err(Short(bytes.len().max(at) + 1))),
        Err(_) => Err(Endless::NumberTooLong),
    }
}

/// How many bytes a number takes, of at most `widest`.
fn long_varint(bytes: &[u8], at: usize, widest: usize) -> Step<usize> {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest.iter().take(widest).position(|b| b & 0x80 == 0) {
        Some(last) => Ok(Ok(last + 1)),
        None if rest.len() < widest => Ok(Err(Short(bytes.len().max(at) + 1))),
        None => Err(Endless::NumberTooLong),
    }
}

fn text(error: thrift::Error) -> String {
    match error {
        thrift::Error::Protocol(e) => e.message,
        other => other.to_string(),
    }
}
