//! A reader of the binary protocol, over a slice.

use thrift::Result;
use thrift::protocol::{
    TFieldIdentifier, TInputProtocol, TListIdentifier, TMapIdentifier, TMessageIdentifier, TSetIdentifier,
    TStructIdentifier, TType,
};

use super::slice::Slice;
use super::types::{DecodedMemory, Types};
use super::{Encoding, header, malformed};

/// The type of a value by its number on the wire.
pub(super) fn type_of(byte: u8) -> Option<TType> {
    Some(match byte {
        0 => TType::Stop,
        2 => TType::Bool,
        3 => TType::I08,
        4 => TType::Double,
        6 => TType::I16,
        8 => TType::I32,
        10 => TType::I64,
        11 => TType::String,
        12 => TType::Struct,
        13 => TType::Map,
        14 => TType::Set,
        15 => TType::List,
        16 => TType::Uuid,
        _ => return None,
    })
}

/// The number of the type of a value on the wire, of those that replies contain.
pub(super) fn number_of(of: TType) -> u8 {
    match of {
        TType::Bool => 2,
        TType::I08 => 3,
        TType::Double => 4,
        TType::I16 => 6,
        TType::I32 => 8,
        TType::I64 => 10,
        TType::String | TType::Utf7 => 11,
        TType::Struct => 12,
        TType::Map => 13,
        TType::Set => 14,
        TType::List => 15,
        TType::Uuid => 16,
        _ => 0,
    }
}

/// The smallest encoded size of a value, in bytes.
pub(super) fn bytes_min(of: TType) -> usize {
    match of {
        TType::I16 => 2,
        TType::I32 | TType::String => 4,
        TType::Set | TType::List => 5,
        TType::Map => 6,
        TType::I64 | TType::Double => 8,
        TType::Uuid => 16,
        _ => 1,
    }
}

/// Reads values of the binary protocol.
pub struct BinaryInput<'a> {
    from: Slice<'a>,
    types: Types<'a>,
}

impl<'a> BinaryInput<'a> {
    /// A reader that starts at the beginning of `bytes`, and claims the memory of what it decodes.
    pub fn new(bytes: &'a [u8], memory: Option<&'a dyn DecodedMemory>) -> Self {
        Self { from: Slice::new(bytes), types: Types::new(bytes.len(), memory) }
    }

    /// Bytes that have not been read yet.
    pub fn left(&self) -> usize {
        self.from.left()
    }

    fn element_type(&mut self) -> Result<TType> {
        let byte = self.from.byte()?;
        // Some old clients send type 0 for the elements of an empty container.
        type_of(byte).ok_or_else(|| malformed(format!("there is no value type {byte}")))
    }

    fn size(&mut self, each: usize) -> Result<i32> {
        let size = i32::from_be_bytes(self.from.array()?);
        let Ok(count) = usize::try_from(size) else { return Err(malformed(format!("negative size {size}"))) };
        if count.saturating_mul(each) > self.from.left() {
            return Err(malformed(format!("{size} elements do not fit into the remaining {} bytes", self.from.left())));
        }
        Ok(size)
    }

    fn bytes(&mut self) -> Result<&'a [u8]> {
        self.types.value(TType::String)?;
        let size = self.size(1)?;
        self.from.take(usize::try_from(size).unwrap_or(0))
    }

    fn list(&mut self, kind: TType) -> Result<(TType, i32)> {
        self.types.value(kind)?;
        let element = self.element_type()?;
        let size = self.size(bytes_min(element))?;
        self.types.begin_list(element, size)?;
        Ok((element, size))
    }
}

impl TInputProtocol for BinaryInput<'_> {
    fn read_message_begin(&mut self) -> Result<TMessageIdentifier> {
        let header = header::whole(Encoding::Binary, self.from.rest())?;
        self.from.take(header.body)?;
        Ok(header.into_identifier())
    }

    fn read_message_end(&mut self) -> Result<()> {
        Ok(())
    }

    fn read_struct_begin(&mut self) -> Result<Option<TStructIdentifier>> {
        self.types.begin_struct()?;
        Ok(None)
    }

    fn read_struct_end(&mut self) -> Result<()> {
        self.types.end();
        Ok(())
    }

    fn read_field_begin(&mut self) -> Result<TFieldIdentifier> {
        let field_type = self.element_type()?;
        let id = match field_type {
            TType::Stop => 0,
            _ => i16::from_be_bytes(self.from.array()?),
        };
        self.types.field(field_type);
        Ok(TFieldIdentifier { name: None, field_type, id: Some(id) })
    }

    fn read_field_end(&mut self) -> Result<()> {
        Ok(())
    }

    fn read_bool(&mut self) -> Result<bool> {
        self.types.value(TType::Bool)?;
        Ok(self.from.byte()? == 1)
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
        Ok(i16::from_be_bytes(self.from.array()?))
    }

    fn read_i32(&mut self) -> Result<i32> {
        self.types.value(TType::I32)?;
        Ok(i32::from_be_bytes(self.from.array()?))
    }

    fn read_i64(&mut self) -> Result<i64> {
        self.types.value(TType::I64)?;
        Ok(i64::from_be_bytes(self.from.array()?))
    }

    fn read_double(&mut self) -> Result<f64> {
        self.types.value(TType::Double)?;
        Ok(f64::from_be_bytes(self.from.array()?))
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
        let key = self.element_type()?;
        let value = self.element_type()?;
        let size = self.size(bytes_min(key) + bytes_min(value))?;
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
