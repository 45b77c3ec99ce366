//! From bytes to messages and back.
//!
//! ```text
//! first bytes ─► dialect ─► measure ─► header ─► recognise ─► binary | compact ─► generated readers
//!                (how)      (where it   (name)   (which        (values; every
//!                            ends)                service)      length checked)
//! ```
//!
//! Nothing here blocks, and no allocation depends on what a message announces: a length is trusted only after that many
//! bytes have been received.

mod binary;
mod compact;
mod containers;
pub mod dialect;
pub mod fault;
pub mod fields;
pub mod header;
pub mod measure;
pub mod method;
pub mod recognise;
pub mod reply;
pub mod rest;
mod slice;
pub mod types;
pub(crate) mod writer;

use thrift::protocol::TInputProtocol;

pub use dialect::{Dialect, Encoding, Transport};
use types::DecodedMemory;

/// The deepest nesting of containers and structs, the argument struct included, as in libthrift.
pub const DEPTH_MAX: usize = 64;

/// The longest method name, in bytes.
pub const NAME_BYTES_MAX: usize = 1024;

/// A reader of the arguments of a call, for the generated codecs. `body` begins after the message header.
pub fn arguments<'a>(encoding: Encoding, body: &'a [u8]) -> Arguments<'a> {
    reader(encoding, body, None)
}

/// As [`arguments`], for a reader that claims the memory of what it decodes.
pub fn claimed_arguments<'a>(encoding: Encoding, body: &'a [u8], memory: &'a dyn DecodedMemory) -> Arguments<'a> {
    reader(encoding, body, Some(memory))
}

fn reader<'a>(encoding: Encoding, body: &'a [u8], memory: Option<&'a dyn DecodedMemory>) -> Arguments<'a> {
    match encoding {
        Encoding::Binary => Arguments::Binary(binary::BinaryInput::new(body, memory)),
        Encoding::Compact => Arguments::Compact(compact::CompactInput::new(body, memory)),
    }
}

/// A reader of either encoding. It is an enum to avoid an allocation.
pub enum Arguments<'a> {
    /// Binary.
    Binary(binary::BinaryInput<'a>),
    /// Compact.
    Compact(compact::CompactInput<'a>),
}

impl<'a> Arguments<'a> {
    /// The reader as a trait object, which the generated codecs expect.
    pub fn as_dyn(&mut self) -> &mut (dyn TInputProtocol + 'a) {
        match self {
            Self::Binary(input) => input,
            Self::Compact(input) => input,
        }
    }
}

/// The error for a message that violates the protocol.
pub(crate) fn malformed(message: impl Into<String>) -> thrift::Error {
    thrift::Error::Protocol(thrift::ProtocolError::new(thrift::ProtocolErrorKind::InvalidData, message))
}
