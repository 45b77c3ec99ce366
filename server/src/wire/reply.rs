//! Replies: a bounded buffer, and the answers that no gateway writes.

use std::io;

use thrift::Result;
use thrift::protocol::{
    TBinaryOutputProtocol, TCompactOutputProtocol, TFieldIdentifier, TMessageIdentifier, TMessageType, TOutputProtocol,
    TStructIdentifier, TType,
};

use super::{Encoding, arguments, header};

/// A long reply hands the core over as often, to whoever has a short one to write.
const BLOCK_BYTES: usize = 16 << 10;

/// Where a reply is written; more than its limit is an error, so that no call can take all memory.
pub struct Buffer<'a> {
    bytes: &'a mut Vec<u8>,
    limit: usize,
}

impl<'a> Buffer<'a> {
    /// Appends to these bytes until they are so many.
    pub fn new(bytes: &'a mut Vec<u8>, limit: usize) -> Self {
        Self { bytes, limit }
    }
}

impl io::Write for Buffer<'_> {
    #[inline]
    fn write(&mut self, more: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + more.len() > self.limit {
            return Err(io::Error::new(io::ErrorKind::OutOfMemory, too_large(self.limit)));
        }
        let before = self.bytes.len();
        self.bytes.extend_from_slice(more);
        if before / BLOCK_BYTES != self.bytes.len() / BLOCK_BYTES {
            std::thread::yield_now();
        }
        Ok(more.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What to say of a reply that does not fit.
pub fn too_large(limit: usize) -> String {
    format!("the reply is larger than {limit} bytes (limits.reply); ask for fewer rows or columns at once")
}

/// A writer of either encoding. Binary replies are strict whatever the client sent, as HBase's are.
pub enum Output<'a> {
    /// Binary.
    Binary(TBinaryOutputProtocol<Buffer<'a>>),
    /// Compact.
    Compact(Box<TCompactOutputProtocol<Buffer<'a>>>),
}

impl<'a> Output<'a> {
    /// Writes into a buffer.
    pub fn new(encoding: Encoding, buffer: Buffer<'a>) -> Self {
        match encoding {
            Encoding::Binary => Self::Binary(TBinaryOutputProtocol::new(buffer, true)),
            Encoding::Compact => Self::Compact(Box::new(TCompactOutputProtocol::new(buffer))),
        }
    }

    /// As the generated codecs take it.
    pub fn as_dyn(&mut self) -> &mut (dyn TOutputProtocol + 'a) {
        match self {
            Self::Binary(output) => output,
            Self::Compact(output) => &mut **output,
        }
    }
}

/// The text of the exception that a reply carries in a field of its result; `None`: it carries a result. An exception without a text has
/// an empty one.
pub fn declared(encoding: Encoding, reply: &[u8]) -> Option<String> {
    let header = header::parse(encoding, reply).ok().flatten()?;
    let mut input = arguments(encoding, reply.get(header.body..)?);
    let input = input.as_dyn();
    input.read_struct_begin().ok()?;
    let field = input.read_field_begin().ok()?;
    // The result itself is field 0; a method without one writes nothing.
    if field.field_type != TType::Struct || field.id == Some(0) {
        return None;
    }
    input.read_struct_begin().ok()?;
    let text = input.read_field_begin().ok()?;
    match (text.id, text.field_type) {
        (Some(1), TType::String) => input.read_string().ok(),
        _ => Some(String::new()),
    }
}

/// The numbers of `TApplicationException` that a server uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exception {
    /// The service has no such method.
    UnknownMethod = 1,
    /// The handler failed in a way that its contract does not declare.
    Internal = 6,
    /// The message does not follow the protocol or the contract.
    Protocol = 7,
}

/// Writes a whole exception message.
pub fn exception(
    output: &mut dyn TOutputProtocol,
    name: &str,
    sequence: i32,
    kind: Exception,
    message: &str,
) -> Result<()> {
    output.write_message_begin(&TMessageIdentifier::new(name, TMessageType::Exception, sequence))?;
    output.write_struct_begin(&TStructIdentifier::new("TApplicationException"))?;
    field(output, TType::String, 1)?;
    output.write_string(message)?;
    output.write_field_end()?;
    field(output, TType::I32, 2)?;
    output.write_i32(kind as i32)?;
    output.write_field_end()?;
    output.write_field_stop()?;
    output.write_struct_end()?;
    output.write_message_end()
}

/// Writes a whole reply that is an `IOError` or a `TIOError`: the same on the wire, and field 1 of the result of every method that declares it.
pub fn io_error(
    output: &mut dyn TOutputProtocol,
    name: &str,
    sequence: i32,
    message: Option<&str>,
    can_retry: bool,
) -> Result<()> {
    output.write_message_begin(&TMessageIdentifier::new(name, TMessageType::Reply, sequence))?;
    output.write_struct_begin(&TStructIdentifier::new("result"))?;
    field(output, TType::Struct, 1)?;
    output.write_struct_begin(&TStructIdentifier::new("IOError"))?;
    if let Some(message) = message {
        field(output, TType::String, 1)?;
        output.write_string(message)?;
        output.write_field_end()?;
    }
    field(output, TType::Bool, 2)?;
    output.write_bool(can_retry)?;
    output.write_field_end()?;
    output.write_field_stop()?;
    output.write_struct_end()?;
    output.write_field_end()?;
    output.write_field_stop()?;
    output.write_struct_end()?;
    output.write_message_end()
}

fn field(output: &mut dyn TOutputProtocol, of: TType, id: i16) -> Result<()> {
    output.write_field_begin(&TFieldIdentifier { name: None, field_type: of, id: Some(id) })
}
