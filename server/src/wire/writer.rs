//! Writers of values, for replies that are written without the generated code.
//!
//! The generated code builds a struct with owned names and values first, and calls a trait object for every value. A
//! writer here appends the bytes of rows directly. Both write the same bytes.

use thrift::protocol::{TMessageType, TType};

use super::{Encoding, binary, compact};

/// Writes values of one encoding. The caller writes a valid sequence of values; structs have no beginning on the wire.
pub trait Writer {
    /// The header of a field. `previous`: the number of the field before it in its struct; 0 if it is the first one.
    fn field(&mut self, previous: i16, id: i16, of: TType);

    /// A field of type bool, with its header.
    fn bool_field(&mut self, previous: i16, id: i16, value: bool);

    /// The end of the fields of a struct.
    fn stop(&mut self);

    /// A string or binary value, which consists of these parts.
    fn bytes(&mut self, parts: &[&[u8]]);

    /// A number of 8 bits.
    fn i8(&mut self, value: i8);

    /// A number of 64 bits.
    fn i64(&mut self, value: i64);

    /// The header of a list.
    fn list(&mut self, of: TType, size: usize);

    /// The header of a map with strings as keys.
    fn map(&mut self, of: TType, size: usize);

    /// The header of the message of a reply.
    fn reply(&mut self, method: &str, sequence: i32);
}

/// Writes with the writer of an encoding.
pub trait WriteWith {
    /// Writes.
    fn write(&self, writer: &mut impl Writer);
}

/// Appends values to a buffer.
pub fn append(encoding: Encoding, out: &mut Vec<u8>, values: &impl WriteWith) {
    match encoding {
        Encoding::Binary => values.write(&mut BinaryWriter(out)),
        Encoding::Compact => values.write(&mut CompactWriter(out)),
    }
}

/// The header of the message of a reply.
pub struct ReplyHeader<'a> {
    /// The name of the method.
    pub method: &'a str,
    /// The number of the call.
    pub sequence: i32,
}

impl WriteWith for ReplyHeader<'_> {
    fn write(&self, writer: &mut impl Writer) {
        writer.reply(self.method, self.sequence);
    }
}

struct BinaryWriter<'a>(&'a mut Vec<u8>);

impl BinaryWriter<'_> {
    fn size(&mut self, size: usize) {
        // A reply has at most as many bytes as its limit, which is lower.
        self.0.extend_from_slice(&i32::try_from(size).unwrap_or(i32::MAX).to_be_bytes());
    }
}

impl Writer for BinaryWriter<'_> {
    #[inline]
    fn field(&mut self, _previous: i16, id: i16, of: TType) {
        let [high, low] = id.to_be_bytes();
        self.0.extend_from_slice(&[binary::number_of(of), high, low]);
    }

    fn bool_field(&mut self, previous: i16, id: i16, value: bool) {
        self.field(previous, id, TType::Bool);
        self.0.push(u8::from(value));
    }

    fn stop(&mut self) {
        self.0.push(0);
    }

    #[inline]
    fn bytes(&mut self, parts: &[&[u8]]) {
        self.size(parts.iter().map(|part| part.len()).sum());
        parts.iter().for_each(|part| self.0.extend_from_slice(part));
    }

    fn i8(&mut self, value: i8) {
        self.0.extend_from_slice(&value.to_be_bytes());
    }

    #[inline]
    fn i64(&mut self, value: i64) {
        self.0.extend_from_slice(&value.to_be_bytes());
    }

    fn list(&mut self, of: TType, size: usize) {
        self.0.push(binary::number_of(of));
        self.size(size);
    }

    fn map(&mut self, of: TType, size: usize) {
        self.0.extend_from_slice(&[binary::number_of(TType::String), binary::number_of(of)]);
        self.size(size);
    }

    fn reply(&mut self, method: &str, sequence: i32) {
        // Version 1 of the strict form, and the type of the message.
        self.0.extend_from_slice(&[0x80, 0x01, 0x00, TMessageType::Reply.into()]);
        self.bytes(&[method.as_bytes()]);
        self.0.extend_from_slice(&sequence.to_be_bytes());
    }
}

struct CompactWriter<'a>(&'a mut Vec<u8>);

impl CompactWriter<'_> {
    #[inline]
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn field_header(&mut self, previous: i16, id: i16, number: u8) {
        match id.wrapping_sub(previous) {
            step @ 1..=15 => self.0.push(((step as u8) << 4) | number),
            _ => {
                self.0.push(number);
                self.varint(u64::from(((id << 1) ^ (id >> 15)) as u16));
            }
        }
    }
}

impl Writer for CompactWriter<'_> {
    #[inline]
    fn field(&mut self, previous: i16, id: i16, of: TType) {
        self.field_header(previous, id, compact::number_of(of));
    }

    fn bool_field(&mut self, previous: i16, id: i16, value: bool) {
        self.field_header(previous, id, if value { compact::TRUE } else { compact::FALSE });
    }

    fn stop(&mut self) {
        self.0.push(0);
    }

    #[inline]
    fn bytes(&mut self, parts: &[&[u8]]) {
        self.varint(parts.iter().map(|part| part.len() as u64).sum());
        parts.iter().for_each(|part| self.0.extend_from_slice(part));
    }

    fn i8(&mut self, value: i8) {
        self.0.extend_from_slice(&value.to_be_bytes());
    }

    #[inline]
    fn i64(&mut self, value: i64) {
        self.varint(((value << 1) ^ (value >> 63)) as u64);
    }

    fn list(&mut self, of: TType, size: usize) {
        let number = compact::number_of(of);
        match size {
            0..15 => self.0.push(((size as u8) << 4) | number),
            _ => {
                self.0.push(0xf0 | number);
                self.varint(size as u64);
            }
        }
    }

    fn map(&mut self, of: TType, size: usize) {
        self.varint(size as u64);
        // An empty map has no types on the wire.
        if size > 0 {
            self.0.push((compact::number_of(TType::String) << 4) | compact::number_of(of));
        }
    }

    fn reply(&mut self, method: &str, sequence: i32) {
        // The number of the protocol; version 1 and the type of the message.
        self.0.extend_from_slice(&[0x82, (u8::from(TMessageType::Reply) << 5) | 1]);
        self.varint(u64::from(sequence as u32));
        self.bytes(&[method.as_bytes()]);
    }
}
