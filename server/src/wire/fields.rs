//! Reads the arguments of short calls from the receive buffer, without an allocation.
//!
//! It reads arguments as clients usually write them. Everything else is [`Unusual`]: the generated code then reads the
//! arguments from the beginning, and reports errors in them.

use thrift::protocol::TType;

use super::header::varint32;
use super::slice::Slice;
use super::{Encoding, binary, compact};

/// The arguments have a form that only the generated code reads, or an error.
#[derive(Debug, PartialEq, Eq)]
pub struct Unusual;

/// The fields of a struct of arguments, in the order of the message.
pub struct Fields<'a> {
    encoding: Encoding,
    rest: &'a [u8],
    /// The number of the previous field; compact numbers are relative to it.
    previous: i16,
    /// The value of a compact field of type bool, which its header contains.
    flag: bool,
}

impl<'a> Fields<'a> {
    /// The fields of the struct at the beginning of `body`.
    pub fn new(encoding: Encoding, body: &'a [u8]) -> Self {
        Self { encoding, rest: body, previous: 0, flag: false }
    }

    /// The number and the type of the next field, whose value has to be read then. `None` at the end of the struct.
    #[inline]
    pub fn next_field(&mut self) -> Result<Option<(i16, TType)>, Unusual> {
        match (self.encoding, self.rest) {
            (_, [0, rest @ ..]) => {
                self.rest = rest;
                Ok(None)
            }
            (Encoding::Binary, [of, high, low, rest @ ..]) => {
                self.rest = rest;
                Ok(Some((i16::from_be_bytes([*high, *low]), binary::type_of(*of).ok_or(Unusual)?)))
            }
            // Without a difference, the whole number follows.
            (Encoding::Compact, [first, rest @ ..]) if first >> 4 != 0 => {
                self.rest = rest;
                self.previous = self.previous.checked_add(i16::from(first >> 4)).ok_or(Unusual)?;
                self.flag = first & 0x0f == compact::TRUE;
                Ok(Some((self.previous, compact::type_of(first & 0x0f).ok_or(Unusual)?)))
            }
            _ => Err(Unusual),
        }
    }

    /// The value of a field of type string.
    #[inline]
    pub fn bytes(&mut self) -> Result<&'a [u8], Unusual> {
        let size = self.size()?;
        let (bytes, rest) = self.rest.split_at_checked(size).ok_or(Unusual)?;
        self.rest = rest;
        Ok(bytes)
    }

    /// The value of a field of type bool.
    #[inline]
    pub fn bool(&mut self) -> Result<bool, Unusual> {
        match (self.encoding, self.rest) {
            (Encoding::Compact, _) => Ok(self.flag),
            (Encoding::Binary, [value @ (0 | 1), rest @ ..]) => {
                self.rest = rest;
                Ok(*value == 1)
            }
            (Encoding::Binary, _) => Err(Unusual),
        }
    }

    /// The value of a field of type i32.
    pub fn i32(&mut self) -> Result<i32, Unusual> {
        let (value, width) = match self.encoding {
            Encoding::Binary => (i32::from_be_bytes(*self.rest.first_chunk().ok_or(Unusual)?), 4),
            Encoding::Compact => {
                let (zigzag, width) = varint32(self.rest).ok().flatten().ok_or(Unusual)?;
                ((zigzag >> 1) as i32 ^ -((zigzag & 1) as i32), width)
            }
        };
        self.rest = self.rest.get(width..).ok_or(Unusual)?;
        Ok(value)
    }

    /// The value of a field of type i64.
    pub fn i64(&mut self) -> Result<i64, Unusual> {
        let (value, width) = match self.encoding {
            Encoding::Binary => (i64::from_be_bytes(*self.rest.first_chunk().ok_or(Unusual)?), 8),
            Encoding::Compact => {
                let mut from = Slice::new(self.rest);
                let zigzag = from.varint::<64>().map_err(|_| Unusual)?;
                ((zigzag >> 1) as i64 ^ -((zigzag & 1) as i64), self.rest.len() - from.left())
            }
        };
        self.rest = self.rest.get(width..).ok_or(Unusual)?;
        Ok(value)
    }

    /// The number of elements in the value of a field of type list, which must have elements of this type. They have to
    /// be read then.
    pub fn list(&mut self, of: TType) -> Result<usize, Unusual> {
        let [first, rest @ ..] = self.rest else { return Err(Unusual) };
        self.rest = rest;
        let (number, size) = match self.encoding {
            Encoding::Binary => (*first, self.size()?),
            Encoding::Compact if *first >= 0xf0 => (first & 0x0f, self.size()?),
            Encoding::Compact => (first & 0x0f, usize::from(first >> 4)),
        };
        let wanted = match self.encoding {
            Encoding::Binary => binary::number_of(of),
            Encoding::Compact => compact::number_of(of),
        };
        // Each element has at least one byte.
        if number == wanted && size <= self.rest.len() { Ok(size) } else { Err(Unusual) }
    }

    /// Skips the value of a field of type map, which must be empty.
    pub fn empty_map(&mut self) -> Result<(), Unusual> {
        if self.encoding == Encoding::Binary {
            // The types of keys and values.
            let [key, value, rest @ ..] = self.rest else { return Err(Unusual) };
            self.rest = rest;
            if [*key, *value] != [binary::number_of(TType::String); 2] {
                return Err(Unusual);
            }
        }
        if self.size()? == 0 { Ok(()) } else { Err(Unusual) }
    }

    /// Reads the value of a field of type struct.
    pub fn within<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Unusual>) -> Result<T, Unusual> {
        let previous = std::mem::take(&mut self.previous);
        let value = read(self)?;
        self.previous = previous;
        Ok(value)
    }

    /// Skips the fields before the one with this number, and returns its type. Its value has to be read then. `None` if
    /// the struct ends before. Structs and lists may be nested `levels` deep.
    pub fn find(&mut self, wanted: i16, levels: u8) -> Result<Option<TType>, Unusual> {
        while let Some((id, of)) = self.next_field()? {
            if id == wanted {
                return Ok(Some(of));
            }
            self.pass(of, levels)?;
        }
        Ok(None)
    }

    /// Skips the remaining fields, and returns how many bytes follow the struct. Structs and lists may be nested
    /// `levels` deep.
    pub fn pass_all(&mut self, levels: u8) -> Result<usize, Unusual> {
        while let Some((_, of)) = self.next_field()? {
            self.pass(of, levels)?;
        }
        Ok(self.rest.len())
    }

    fn pass(&mut self, of: TType, levels: u8) -> Result<(), Unusual> {
        // Compact numbers, and containers whose elements are neither structs nor strings, are rare in calls.
        let fixed = match (of, self.encoding) {
            (TType::String, _) => return self.bytes().map(drop),
            (TType::Struct, _) if levels > 0 => return self.within(|fields| fields.pass_all(levels - 1)).map(drop),
            (TType::List, _) if levels > 0 => return self.pass_list(levels - 1),
            (TType::Map, _) => return self.empty_map(),
            (TType::Bool, Encoding::Compact) => 0,
            (TType::Bool | TType::I08, _) => 1,
            (TType::I32, Encoding::Binary) => 4,
            (TType::I64, Encoding::Binary) => 8,
            _ => return Err(Unusual),
        };
        self.rest = self.rest.get(fixed..).ok_or(Unusual)?;
        Ok(())
    }

    fn pass_list(&mut self, levels: u8) -> Result<(), Unusual> {
        let mut structs = Self { ..*self };
        if let Ok(size) = structs.list(TType::Struct) {
            self.rest = structs.rest;
            return (0..size).try_for_each(|_| self.pass(TType::Struct, levels));
        }
        let size = self.list(TType::String)?;
        (0..size).try_for_each(|_| self.bytes().map(drop))
    }

    #[inline]
    fn size(&mut self) -> Result<usize, Unusual> {
        let (size, width) = match self.encoding {
            Encoding::Binary => (i32::from_be_bytes(*self.rest.first_chunk().ok_or(Unusual)?), 4),
            Encoding::Compact => {
                let (size, width) = varint32(self.rest).ok().flatten().ok_or(Unusual)?;
                (size as i32, width)
            }
        };
        self.rest = self.rest.get(width..).ok_or(Unusual)?;
        usize::try_from(size).map_err(|_| Unusual)
    }
}
