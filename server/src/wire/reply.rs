//! Replies: a bounded buffer, and the answers that are written without a gateway.

use std::io;

use thrift::Result;
use thrift::protocol::{
    TBinaryOutputProtocol, TCompactOutputProtocol, TFieldIdentifier, TMessageIdentifier, TMessageType, TOutputProtocol,
    TStructIdentifier, TType,
};

use super::writer::{self, WriteWith};
use super::{Encoding, arguments, binary, compact, header};

/// While a long reply is written, the thread yields after this many bytes, so that short replies are not delayed.
const BLOCK_BYTES: usize = 16 << 10;

/// Where the memory of a reply is claimed while it is written.
pub trait ReplyMemory {
    /// Changes the claim for the reply to this many bytes.
    fn claim_reply(&self, bytes: usize);
}

/// The buffer that a reply is written to. Exceeding its limit is an error, so that no call can use up all memory.
pub struct Buffer<'a> {
    bytes: &'a mut Vec<u8>,
    limit: usize,
    memory: Option<&'a dyn ReplyMemory>,
}

impl<'a> Buffer<'a> {
    /// A buffer that appends to `bytes` until they have the length `limit`.
    pub fn new(bytes: &'a mut Vec<u8>, limit: usize) -> Self {
        Self { bytes, limit, memory: None }
    }

    /// Claims the memory of the buffer.
    pub fn claimed(self, memory: &'a dyn ReplyMemory) -> Self {
        Self { memory: Some(memory), ..self }
    }

    /// Checks the limit. At times, claims memory and yields to other threads. To be called when bytes have been
    /// appended, with the length that the buffer had before.
    #[inline]
    fn grown(&self, before: usize) -> io::Result<()> {
        if self.bytes.len() > self.limit {
            return Err(self.full());
        }
        if before / BLOCK_BYTES != self.bytes.len() / BLOCK_BYTES {
            if let Some(memory) = self.memory {
                memory.claim_reply(self.bytes.capacity());
            }
            std::thread::yield_now();
        }
        Ok(())
    }

    fn full(&self) -> io::Error {
        io::Error::new(io::ErrorKind::OutOfMemory, too_large(self.limit))
    }
}

impl io::Write for Buffer<'_> {
    #[inline]
    fn write(&mut self, more: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + more.len() > self.limit {
            return Err(self.full());
        }
        let before = self.bytes.len();
        self.bytes.extend_from_slice(more);
        self.grown(before)?;
        Ok(more.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The error text for a reply that exceeds its limit.
pub fn too_large(limit: usize) -> String {
    format!("the reply is larger than {limit} bytes (limits.reply); ask for fewer rows or columns at once")
}

/// The output of a call: a buffer of bounded size, in either encoding. As in HBase, binary replies are strict, whatever
/// the client sent.
pub struct Output<'a> {
    encoding: Encoding,
    buffer: Buffer<'a>,
}

impl<'a> Output<'a> {
    /// An output into a buffer.
    pub fn new(encoding: Encoding, buffer: Buffer<'a>) -> Self {
        Self { encoding, buffer }
    }

    /// Lets generated code write a message or a struct.
    ///
    /// # Errors
    /// Those of `write`, which include that the buffer is full.
    pub fn generated(&mut self, write: impl FnOnce(&mut dyn TOutputProtocol) -> Result<()>) -> Result<()> {
        match self.encoding {
            Encoding::Binary => write(&mut TBinaryOutputProtocol::new(&mut self.buffer, true)),
            Encoding::Compact => write(&mut TCompactOutputProtocol::new(&mut self.buffer)),
        }
    }

    /// Appends values.
    ///
    /// # Errors
    /// The buffer is full.
    pub(crate) fn append(&mut self, values: &impl WriteWith) -> Result<()> {
        let before = self.buffer.bytes.len();
        writer::append(self.encoding, self.buffer.bytes, values);
        Ok(self.buffer.grown(before)?)
    }
}

/// The length of the sequence number in a binary header.
const SEQUENCE: usize = 4;

/// The text of the exception in the result struct of a reply, or `None` if the reply has a result. If the exception has
/// no text, the text is empty.
pub fn declared(encoding: Encoding, reply: &[u8]) -> Option<String> {
    // Most replies are binary, and have a result.
    if let (Encoding::Binary, [0x80, 0x01, 0, _, size @ ..]) = (encoding, reply)
        && let Some((size, rest)) = size.split_first_chunk()
        && let Some(body) = rest.get(u32::from_be_bytes(*size) as usize + SEQUENCE..)
        && !may_begin_with_exception(encoding, body)
    {
        return None;
    }
    let header = header::parse(encoding, reply).ok().flatten()?;
    let body = reply.get(header.body..)?;
    if !may_begin_with_exception(encoding, body) {
        return None;
    }
    let mut input = arguments(encoding, body);
    let input = input.as_dyn();
    input.read_struct_begin().ok()?;
    let field = input.read_field_begin().ok()?;
    // The return value is field 0; a method that returns nothing has none.
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

/// Whether the first field of a result struct can be an exception, judged by its first bytes. Most replies have a
/// result, and need not be read.
fn may_begin_with_exception(encoding: Encoding, body: &[u8]) -> bool {
    match (encoding, body) {
        (Encoding::Binary, [of, id @ ..]) => *of == binary::number_of(TType::Struct) && !id.starts_with(&[0, 0]),
        (Encoding::Compact, [first, ..]) => first & 0x0f == compact::number_of(TType::Struct),
        (_, []) => false,
    }
}

/// The types of `TApplicationException` that a server uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exception {
    /// The service has no such method.
    UnknownMethod = 1,
    /// The handler failed with an error that the method does not declare.
    Internal = 6,
    /// The message violates the protocol or the contract.
    Protocol = 7,
}

/// Writes a complete message with a `TApplicationException`.
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

/// Writes a complete reply with an `IOError` or `TIOError`. Both are encoded alike, and are field 1 of the result of
/// every method that declares them.
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
