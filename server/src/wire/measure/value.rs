//! One step over a value: past it if its end is known, into it if it contains others.

use thrift::protocol::TType;

use super::step::{Step, Unfinished, byte, count, long_varint, varint};
use super::{Endless, Measure};
use crate::wire::containers::Container;
use crate::wire::{Encoding, binary, compact};

impl Measure {
    /// Moves past the value that begins at `at`, or opens it if it is a container.
    pub(super) fn value(&mut self, bytes: &[u8], at: usize, of: TType) -> Step<()> {
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
                    let element = compact::type_of(first & 0x0f).ok_or(Endless::NoSuchType(first & 0x0f))?;
                    match first >> 4 {
                        15 => {
                            let (size, width) = self.size(bytes, at + 1)?;
                            (element, size, 1 + width)
                        }
                        short => (element, usize::from(short), 1),
                    }
                } else {
                    let element = binary::type_of(first).ok_or(Endless::NoSuchType(first))?;
                    let (size, width) = self.size(bytes, at + 1)?;
                    (element, size, 1 + width)
                };
                self.room(at + width, size, self.bytes_min(element))?;
                self.elements(at + width, element, size)?;
            }
            TType::Map => {
                let (key, value, size, width) = if compact {
                    let (size, width) = self.size(bytes, at)?;
                    if size == 0 {
                        (TType::Bool, TType::Bool, 0, width)
                    } else {
                        let both = byte(bytes, at + width)?;
                        let key = compact::type_of(both >> 4).ok_or(Endless::NoSuchType(both >> 4))?;
                        let value = compact::type_of(both & 0x0f).ok_or(Endless::NoSuchType(both & 0x0f))?;
                        (key, value, size, width + 1)
                    }
                } else {
                    let (first, second) = (byte(bytes, at)?, byte(bytes, at + 1)?);
                    let key = binary::type_of(first).ok_or(Endless::NoSuchType(first))?;
                    let value = binary::type_of(second).ok_or(Endless::NoSuchType(second))?;
                    let (size, width) = self.size(bytes, at + 2)?;
                    (key, value, size, 2 + width)
                };
                self.room(at + width, size, self.bytes_min(key) + self.bytes_min(value))?;
                self.push(Container::map(key, value, count(size)))?;
                self.at = at + width;
            }
            TType::Stop | TType::Void | TType::Utf7 => return Err(Endless::NoSuchType(0).into()),
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
            Some(_) if self.containers.is_full() => return Err(Endless::TooDeep.into()),
            Some(each) => self.at = at.saturating_add(size.saturating_mul(each)),
            None => {
                self.push(Container::List(element, count(size)))?;
                self.at = at;
            }
        }
        Ok(())
    }

    /// Fails early if the value cannot end within the limit.
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
        let size = usize::try_from(size).map_err(|_| Endless::Negative)?;
        Ok((size, width))
    }
}
