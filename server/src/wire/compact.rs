//! A reader of the compact protocol, over a slice.

use thrift::Result;
use thrift::protocol::{
    TFieldIdentifier, TInputProtocol, TListIdentifier, TMapIdentifier, TMessageIdentifier, TSetIdentifier,
    TStructIdentifier, TType,
};

use super::slice::Slice;
use super::types::{DecodedMemory, Types};
use super::{DEPTH_MAX, Encoding, header, malformed};

/// The type of a value by its number on the wire. Fields have two numbers for bool, one for each value.
pub(super) fn type_of(nibble: u8) -> Option<TType> {
    Some(match nibble {
        0 => TType::Stop,
        1 | 2 => TType::Bool,
        3 => TType::I08,
        4 => TType::I16,
        5 => TType::I32,
        6 => TType::I64,
        7 => TType::Double,
        8 => TType::String,
        9 => TType::List,
        10 => TType::Set,
        11 => TType::Map,
        12 => TType::Struct,
        13 => TType::Uuid,
        _ => return None,
    })
}

/// The number of the type of a value on the wire, of those that replies contain. A field of type bool has another one.
pub(super) fn number_of(of: TType) -> u8 {
    match of {
        TType::Bool => 1,
        TType::I08 => 3,
        TType::I16 => 4,
        TType::I32 => 5,
        TType::I64 => 6,
        TType::Double => 7,
        TType::String | TType::Utf7 => 8,
        TType::List => 9,
        TType::Set => 10,
        TType::Map => 11,
        TType::Struct => 12,
        TType::Uuid => 13,
        _ => 0,
    }
}

/// The smallest encoded size of an element, in bytes.
pub(super) fn bytes_min(of: TType) -> usize {
    match of {
        TType::Double => 8,
        TType::Uuid => 16,
        _ => 1,
    }
}

/// The type number of a bool field that is `true`.
pub(super) const TRUE: u8 = 1;

/// The type number of a bool field that is `false`.
pub(super) const FALSE: u8 = 2;

/// Reads values of the compact protocol.
pub struct CompactInput<'a> {
    from: Slice<'a>,
    types: Types<'a>,
    /// The value of the current bool field, which its header contains.
    field_bool: Option<bool>,
    last_field: i16,
    /// The last field number of each enclosing struct.
    outer: [i16; DEPTH_MAX],
    depth: usize,
}

impl<'a> CompactInput<'a> {
    /// A reader that starts at the beginning of `bytes`, and claims the memory of what it decodes.
    pub fn new(bytes: &'a [u8], memory: Option<&'a dyn DecodedMemory>) -> Self {
        Self {
            from: Slice::new(bytes),
            types: Types::new(bytes.len(), memory),
            field_bool: None,
            last_field: 0,
            outer: [0; DEPTH_MAX],
            depth: 0,
        }
    }

    /// Bytes that have not been read yet.
    pub fn left(&self) -> usize {
        self.from.left()
    }

    fn value_type(nibble: u8) -> Result<TType> {
        type_of(nibble).ok_or_else(|| malformed(format!("there is no value type {nibble}")))
    }

    fn i32(&mut self) -> Result<i32> {
        let bits = self.from.varint::<32>()? as u32;
        Ok((bits >> 1) as i32 ^ -((bits & 1) as i32))
    }

    fn i64(&mut self) -> Result<i64> {
        let bits = self.from.varint::<64>()?;
        Ok((bits >> 1) as i64 ^ -((bits & 1) as i64))
    }

    fn fits(&self, size: u64, each: usize) -> Result<i32> {
        let left = self.from.left();
        let fits = usize::try_from(size).is_ok_and(|n| n.saturating_mul(each) <= left);
        let size = if fits { i32::try_from(size).ok() } else { None };
        size.ok_or_else(|| malformed(format!("a length does not fit into the remaining {left} bytes")))
    }

    fn bytes(&mut self) -> Result<&'a [u8]> {
        self.types.value(TType::String)?;
        let size = self.from.varint::<32>()?;
        let size = self.fits(size, 1)?;
        self.from.take(usize::try_from(size).unwrap_or(0))
    }

    fn list(&mut self, kind: TType) -> Result<(TType, i32)> {
        self.types.value(kind)?;
        let first = self.from.byte()?;
        let element = Self::value_type(first & 0x0f)?;
        let size = match first >> 4 {
            15 => self.from.varint::<32>()?,
            short => u64::from(short),
        };
        let size = self.fits(size, bytes_min(element))?;
        self.types.begin_list(element, size)?;
        Ok((element, size))
    }
}

impl TInputProtocol for CompactInput<'_> {
    fn read_message_begin(&mut self) -> Result<TMessageIdentifier> {
        let header = header::whole(Encoding::Compact, self.from.rest())?;
        self.from.take(header.body)?;
        Ok(header.into_identifier())
    }

    fn read_message_end(&mut self) -> Result<()> {
        Ok(())
    }

    fn read_struct_begin(&mut self) -> Result<Option<TStructIdentifier>> {
        self.types.begin_struct()?;
        if let Some(place) = self.outer.get_mut(self.depth) {
            *place = self.last_field;
        }
        self.depth += 1;
        self.last_field = 0;
        Ok(None)
    }

    fn read_struct_end(&mut self) -> Result<()> {
        self.types.end();
        self.depth = self.depth.saturating_sub(1);
        self.last_field = self.outer.get(self.depth).copied().unwrap_or(0);
        Ok(())
    }

    fn read_field_begin(&mut self) -> Result<TFieldIdentifier> {
        let first = self.from.byte()?;
        let field_type = Self::value_type(first & 0x0f)?;
        self.types.field(field_type);
        if field_type == TType::Stop {
            return Ok(TFieldIdentifier { name: None, field_type, id: Some(0) });
        }
        self.field_bool = (field_type == TType::Bool).then_some(first & 0x0f == TRUE);
        self.last_field = match first >> 4 {
            0 => self.i32()? as i16,
            // Field numbers wrap around, as in Java. No method has such fields, so they are skipped.
            step => self.last_field.wrapping_add(i16::from(step)),
        };
        Ok(TFieldIdentifier { name: None, field_type, id: Some(self.last_field) })
    }

    fn read_field_end(&mut self) -> Result<()> {
        Ok(())
    }

    fn read_bool(&mut self) -> Result<bool> {
        self.types.value(TType::Bool)?;
        match self.field_bool.take() {
            Some(value) => Ok(value),
            None => Ok(self.from.byte()? == TRUE),
        }
    }

    fn read_bytes(&mut self) -> Result<Vec<u8>> {
        let bytes = self.bytes()?;
        self.types.decoded(bytes.len())?;
        Ok(bytes.to_vec())
    }

    fn skip_binary(&mut self) -> Result<()> {
        self.bytes().map(drop)
    }

    fn read_i8(&mut self) -> Result<i8> {
        self.types.value(TType::I08)?;
        Ok(i8::from_be_bytes(self.from.array()?))
    }

    fn read_i16(&mut self) -> Result<i16> {
        self.types.value(TType::I16)?;
        Ok(self.i32()? as i16)
    }

    fn read_i32(&mut self) -> Result<i32> {
        self.types.value(TType::I32)?;
        self.i32()
    }

    fn read_i64(&mut self) -> Result<i64> {
        self.types.value(TType::I64)?;
        self.i64()
    }

    fn read_double(&mut self) -> Result<f64> {
        self.types.value(TType::Double)?;
        Ok(f64::from_le_bytes(self.from.array()?))
    }

    fn read_uuid(&mut self) -> Result<uuid::Uuid> {
        self.types.value(TType::Uuid)?;
        Ok(uuid::Uuid::from_bytes(self.from.array()?))
    }

    fn read_string(&mut self) -> Result<String> {
        // As in Java, invalid UTF-8 becomes replacement characters.
        let bytes = self.bytes()?;
        self.types.decoded(bytes.len())?;
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }

    fn read_list_begin(&mut self) -> Result<TListIdentifier> {
        self.list(TType::List).map(|(element_type, size)| TListIdentifier { element_type, size })
    }

    fn read_list_end(&mut self) -> Result<()> {
        self.types.end();
        Ok(())
    }

    fn read_set_begin(&mut self) -> Result<TSetIdentifier> {
        self.list(TType::Set).map(|(element_type, size)| TSetIdentifier { element_type, size })
    }

    fn read_set_end(&mut self) -> Result<()> {
        self.types.end();
        Ok(())
    }

    fn read_map_begin(&mut self) -> Result<TMapIdentifier> {
        self.types.value(TType::Map)?;
        let size = self.from.varint::<32>()?;
        if size == 0 {
            // An empty map has no types on the wire.
            self.types.begin_map(TType::Stop, TType::Stop, 0)?;
            return Ok(TMapIdentifier { key_type: None, value_type: None, size: 0 });
        }
        let both = self.from.byte()?;
        let key = Self::value_type(both >> 4)?;
        let value = Self::value_type(both & 0x0f)?;
        let size = self.fits(size, bytes_min(key) + bytes_min(value))?;
        self.types.begin_map(key, value, size)?;
        Ok(TMapIdentifier { key_type: Some(key), value_type: Some(value), size })
    }

    fn read_map_end(&mut self) -> Result<()> {
        self.types.end();
        Ok(())
    }

    fn read_byte(&mut self) -> Result<u8> {
        self.from.byte()
    }

    fn min_serialized_size(&self, field_type: TType) -> usize {
        bytes_min(field_type)
    }
}
