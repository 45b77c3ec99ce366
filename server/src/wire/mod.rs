//! Bytes to messages and back.
//!
//! ```text
//! first bytes ─► dialect ─► measure ─► header ─► recognise ─► binary | compact ─► generated readers
//!                (how)      (where it   (name)   (which        (values; every
//!                            ends)                service)      length checked)
//! ```
//!
//! Nothing here blocks, and nothing allocates because of what a message *says*: a length counts only after as many bytes are there.

mod binary;
mod compact;
mod containers;
pub mod dialect;
pub mod fault;
pub mod header;
pub mod measure;
pub mod method;
pub mod recognise;
pub mod reply;
mod slice;
mod types;

use thrift::protocol::TInputProtocol;

pub use dialect::{Dialect, Encoding, Transport};

/// Containers and structs inside each other, the argument struct included (libthrift's limit).
pub const DEPTH_MAX: usize = 64;

/// The longest method name that is looked at, in bytes.
pub const NAME_BYTES_MAX: usize = 1024;

/// The arguments of a call, to be read by the generated codecs. `body` begins behind the message header.
pub fn arguments<'a>(encoding: Encoding, body: &'a [u8]) -> Arguments<'a> {
    match encoding {
        Encoding::Binary => Arguments::Binary(binary::BinaryInput::new(body)),
        Encoding::Compact => Arguments::Compact(compact::CompactInput::new(body)),
    }
}

/// A reader of either encoding, without an allocation.
pub enum Arguments<'a> {
    /// Binary.
    Binary(binary::BinaryInput<'a>),
    /// Compact.
    Compact(compact::CompactInput<'a>),
}

impl<'a> Arguments<'a> {
    /// As the generated codecs take it.
    pub fn as_dyn(&mut self) -> &mut (dyn TInputProtocol + 'a) {
        match self {
            Self::Binary(input) => input,
            Self::Compact(input) => input,
        }
    }
}

/// A message that does not follow the protocol.
pub(crate) fn malformed(message: impl Into<String>) -> thrift::Error {
    thrift::Error::Protocol(thrift::ProtocolError::new(thrift::ProtocolErrorKind::InvalidData, message))
}
