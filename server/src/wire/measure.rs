//! Finds the end of a message that is not preceded by its length.

use std::fmt;

use thrift::protocol::TType;

use super::containers::{Container, Containers, Next};
use super::fields::Fields;
use super::header::varint32;
use super::{DEPTH_MAX, Encoding, binary, compact, header};

/// The state of a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// The message has this many bytes, and all of them have been received.
    Whole(usize),
    /// The message has at least this many bytes, more than have been received.
    More(usize),
}

/// Why the end of a message cannot be found or exceeds a limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MeasureError {
    /// The message announces more bytes than the limit allows.
    TooLarge(usize),
    /// Values are nested too deeply.
    TooDeep,
    /// A length is negative.
    Negative,
    /// A value has an unknown type.
    NoSuchType(u8),
    /// A number has more bits than its type.
    NumberTooLong,
    /// The header is malformed.
    Header(String),
}

impl fmt::Display for MeasureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge(limit) => write!(
                f,
                "the message is longer than the {limit} bytes that are allowed (limits.message): send less at once, or raise \
                 the limit"
            ),
            Self::TooDeep => write!(f, "values nest deeper than {DEPTH_MAX} levels"),
            Self::Negative => f.write_str("a length is negative"),
            Self::NoSuchType(number) => write!(f, "there is no value type {number}"),
            Self::NumberTooLong => f.write_str("a number is longer than its type"),
            Self::Header(text) => f.write_str(text),
        }
    }
}

/// The measurement of one message. When more bytes have arrived it continues where it stopped, without reading the
/// earlier ones again. It does not allocate.
#[derive(Debug, Clone)]
pub struct Measure {
    encoding: Encoding,
    limit: usize,
    /// Where the next item begins. Beyond the bytes received while a long value is arriving.
    at: usize,
    containers: Containers,
    in_header: bool,
}

/// The longest message that [`length_at_once`] finds the end of, in bytes.
const AT_ONCE_BYTES_MAX: usize = 4 << 10;
/// The levels of nesting in such a message.
const AT_ONCE_LEVELS: u8 = 4;

/// The length of the message at the beginning of `bytes`, if it is short, has the usual form and at most `limit` bytes,
/// and has been received completely. Otherwise [`Measure`] finds its end.
pub fn length_at_once(encoding: Encoding, bytes: &[u8], limit: usize) -> Option<usize> {
    let bytes = bytes.get(..AT_ONCE_BYTES_MAX).unwrap_or(bytes);
    let header = header::parse(encoding, bytes).ok()??;
    let rest = Fields::new(encoding, bytes.get(header.body..)?).pass_all(AT_ONCE_LEVELS).ok()?;
    Some(bytes.len() - rest).filter(|length| *length <= limit)
}

impl Measure {
    /// A measurement of a message of this encoding, which may have at most `limit` bytes.
    pub fn new(encoding: Encoding, limit: usize) -> Self {
        Self { encoding, limit, at: 0, containers: Containers::new(), in_header: true }
    }

    /// Continues the measurement. `bytes` is everything received of the message so far, from its beginning.
    ///
    /// # Errors
    /// The end of the message cannot be found or exceeds the limit.
    pub fn advance(&mut self, bytes: &[u8]) -> Result<Progress, MeasureError> {
        loop {
            if !self.in_header && self.containers.is_empty() {
                return Ok(if self.at <= bytes.len() { Progress::Whole(self.at) } else { Progress::More(self.at) });
            }
            match self.step(bytes) {
                Ok(()) if self.at > self.limit => return Err(MeasureError::TooLarge(self.limit)),
                Ok(()) => {}
                Err(Unfinished::Short(needed)) if needed > self.limit => {
                    return Err(MeasureError::TooLarge(self.limit));
                }
                Err(Unfinished::Short(needed)) => return Ok(Progress::More(needed)),
                Err(Unfinished::MeasureError(error)) => return Err(error),
            }
        }
    }

    /// Moves past one header, field header or value. Changes nothing if some of its bytes have not arrived.
    fn step(&mut self, bytes: &[u8]) -> Step<()> {
        if self.in_header {
            let parsed = header::parse(self.encoding, bytes).map_err(|e| MeasureError::Header(text(e)))?;
            let header = parsed.ok_or(Unfinished::Short(bytes.len() + 1))?;
            self.at = header.body;
            self.in_header = false;
            return self.push(Container::Struct);
        }
        match self.containers.take_next() {
            Next::Nothing => Ok(()),
            Next::Field => self.field(bytes),
            Next::End => {
                self.containers.pop();
                Ok(())
            }
            Next::Element(element) => {
                // The element has been taken already, since it may open a container.
                let step = self.value(bytes, self.at, element);
                if let Err(Unfinished::Short(_)) = step {
                    self.containers.put_back();
                }
                step
            }
        }
    }

    /// Moves past the header of a field and its value, or only past the beginning of the value if that is a container.
    fn field(&mut self, bytes: &[u8]) -> Step<()> {
        let first = byte(bytes, self.at)?;
        let (of, value_at) = match self.encoding {
            Encoding::Binary => (
                binary::type_of(first).ok_or(MeasureError::NoSuchType(first))?,
                self.at + if first == 0 { 1 } else { 3 },
            ),
            Encoding::Compact => {
                let of = compact::type_of(first & 0x0f).ok_or(MeasureError::NoSuchType(first & 0x0f))?;
                let mut value_at = self.at + 1;
                if of != TType::Stop && first >> 4 == 0 {
                    value_at += varint(bytes, value_at)?.1;
                }
                (of, value_at)
            }
        };
        if of == TType::Stop {
            self.at = value_at;
            self.containers.pop();
            return Ok(());
        }
        if of == TType::Bool && self.encoding == Encoding::Compact {
            self.at = value_at;
            return Ok(());
        }
        self.value(bytes, value_at, of)
    }

    /// Moves past the value that begins at `at`, or opens it if it is a container.
    fn value(&mut self, bytes: &[u8], at: usize, of: TType) -> Step<()> {
        let compact = self.encoding == Encoding::Compact;
        match of {
            TType::Bool | TType::I08 => self.at = at + 1,
            TType::Double => self.at = at + 8,
            TType::Uuid => self.at = at + 16,
            TType::I16 | TType::I32 | TType::I64 if compact => {
                self.at = at + long_varint(bytes, at, if of == TType::I64 { 10 } else { 5 })?;
            }
            TType::I16 => self.at = at + 2,
            TType::I32 => self.at = at + 4,
            TType::I64 => self.at = at + 8,
            TType::String => {
                let (size, width) = self.size(bytes, at)?;
                self.at = at.saturating_add(width).saturating_add(size);
            }
            TType::Struct => {
                self.push(Container::Struct)?;
                self.at = at;
            }
            TType::List | TType::Set => {
                let first = byte(bytes, at)?;
                let (element, size, width) = if compact {
                    let element = compact::type_of(first & 0x0f).ok_or(MeasureError::NoSuchType(first & 0x0f))?;
                    match first >> 4 {
                        15 => {
                            let (size, width) = self.size(bytes, at + 1)?;
                            (element, size, 1 + width)
                        }
                        short => (element, usize::from(short), 1),
                    }
                } else {
                    let element = binary::type_of(first).ok_or(MeasureError::NoSuchType(first))?;
                    let (size, width) = self.size(bytes, at + 1)?;
                    (element, size, 1 + width)
                };
                self.check_fits(at + width, size, self.bytes_min(element))?;
                self.elements(at + width, element, size)?;
            }
            TType::Map => {
                let (key, value, size, width) = if compact {
                    let (size, width) = self.size(bytes, at)?;
                    if size == 0 {
                        (TType::Bool, TType::Bool, 0, width)
                    } else {
                        let both = byte(bytes, at + width)?;
                        let key = compact::type_of(both >> 4).ok_or(MeasureError::NoSuchType(both >> 4))?;
                        let value = compact::type_of(both & 0x0f).ok_or(MeasureError::NoSuchType(both & 0x0f))?;
                        (key, value, size, width + 1)
                    }
                } else {
                    let (first, second) = (byte(bytes, at)?, byte(bytes, at + 1)?);
                    let key = binary::type_of(first).ok_or(MeasureError::NoSuchType(first))?;
                    let value = binary::type_of(second).ok_or(MeasureError::NoSuchType(second))?;
                    let (size, width) = self.size(bytes, at + 2)?;
                    (key, value, size, 2 + width)
                };
                self.check_fits(at + width, size, self.bytes_min(key) + self.bytes_min(value))?;
                self.push(Container::map(key, value, count(size)))?;
                self.at = at + width;
            }
            TType::Stop | TType::Void | TType::Utf7 => return Err(MeasureError::NoSuchType(0).into()),
        }
        Ok(())
    }

    /// Moves past a whole list if its elements have a fixed size.
    fn elements(&mut self, at: usize, element: TType, size: usize) -> Step<()> {
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
            // The list is not opened, but counts as a level.
            Some(_) if self.containers.is_full() => return Err(MeasureError::TooDeep.into()),
            Some(each) => self.at = at.saturating_add(size.saturating_mul(each)),
            None => {
                self.push(Container::List(element, count(size)))?;
                self.at = at;
            }
        }
        Ok(())
    }

    /// Fails early if the value cannot end within the limit.
    fn check_fits(&self, at: usize, size: usize, each: usize) -> Result<(), MeasureError> {
        if at.saturating_add(size.saturating_mul(each)) > self.limit {
            return Err(MeasureError::TooLarge(self.limit));
        }
        Ok(())
    }

    fn bytes_min(&self, of: TType) -> usize {
        match self.encoding {
            Encoding::Binary => binary::bytes_min(of),
            Encoding::Compact => compact::bytes_min(of),
        }
    }

    /// Reads a length. Also returns how many bytes its encoding has.
    fn size(&self, bytes: &[u8], at: usize) -> Step<(usize, usize)> {
        let (size, width) = match self.encoding {
            Encoding::Binary => {
                let four = bytes.get(at..).and_then(<[u8]>::first_chunk).ok_or(Unfinished::Short(at + 4))?;
                (i32::from_be_bytes(*four), 4)
            }
            Encoding::Compact => {
                let (size, width) = varint(bytes, at)?;
                (size as i32, width)
            }
        };
        let size = usize::try_from(size).map_err(|_| MeasureError::Negative)?;
        Ok((size, width))
    }

    fn push(&mut self, container: Container) -> Step<()> {
        self.containers.push(container).map_err(|_| MeasureError::TooDeep.into())
    }
}

fn text(error: thrift::Error) -> String {
    match error {
        thrift::Error::Protocol(e) => e.message,
        other => other.to_string(),
    }
}

/// Why a step of a measurement was not taken.
enum Unfinished {
    /// More bytes are needed: the message has at least this many.
    Short(usize),
    /// The end of the message cannot be found.
    MeasureError(MeasureError),
}

impl From<MeasureError> for Unfinished {
    fn from(error: MeasureError) -> Self {
        Self::MeasureError(error)
    }
}

type Step<T> = Result<T, Unfinished>;

/// Lengths have 31 bits.
fn count(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}

fn byte(bytes: &[u8], at: usize) -> Step<u8> {
    bytes.get(at).copied().ok_or(Unfinished::Short(at + 1))
}

fn varint(bytes: &[u8], at: usize) -> Step<(u32, usize)> {
    match varint32(bytes.get(at..).unwrap_or_default()) {
        Ok(Some(found)) => Ok(found),
        Ok(None) => Err(Unfinished::Short(bytes.len().max(at) + 1)),
        Err(_) => Err(MeasureError::NumberTooLong.into()),
    }
}

/// The length of a varint in bytes, at most `widest`.
fn long_varint(bytes: &[u8], at: usize, widest: usize) -> Step<usize> {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest.iter().take(widest).position(|b| b & 0x80 == 0) {
        Some(last) => Ok(last + 1),
        None if rest.len() < widest => Err(Unfinished::Short(bytes.len().max(at) + 1)),
        None => Err(MeasureError::NumberTooLong.into()),
    }
}
