//! Bodies: of requests, which may be compressed, and of answers, which are encoded when they are written.

use std::borrow::Cow;
use std::io::{self, Read, Write};

use hjall_engine::Row;

use super::cell_writer::CellSetWriter;
use super::error::{Answer, Failure};
use crate::gateway::context::CallContext;
use crate::wire::rest::Request;
use crate::wire::rest::media::Kind;

/// The types of bodies that describe tables, namespaces and scanners.
pub(super) const BODIES: &str = "text/xml, application/json, application/x-protobuf";

/// The longest of them, in bytes.
const DESCRIPTION_BYTES_MAX: usize = 8 << 20;
/// The memory that such a body takes when it is decoded from XML, for each of its bytes. The smallest attributes take
/// the most.
const MEMORY_PER_XML_BYTE: usize = 64;

/// Checks the size of a body that describes an object, and claims the memory of its decoded form if it is XML. Readers
/// of other representations claim it themselves.
pub(super) fn check_size(context: &CallContext<'_>, request: &Request, body: &[u8]) -> Answer<()> {
    if body.len() > DESCRIPTION_BYTES_MAX {
        let reason = format_args!(
            "the body has {} bytes, the maximum of this request is {DESCRIPTION_BYTES_MAX}: shorten it",
            body.len()
        );
        return Err(Failure::new(413, reason));
    }
    if request.input != Some(Kind::Xml) {
        return Ok(());
    }
    let bytes = body.len().saturating_mul(MEMORY_PER_XML_BYTE);
    context.scope.claim_request(bytes).map_err(|error| Failure::of_memory(&error))
}

/// The body of an answer.
pub(super) enum Body {
    /// None.
    Empty,
    /// Bytes.
    Bytes(Vec<u8>),
    /// Cells, in this representation.
    Cells(Kind, Vec<Row>),
}

impl Body {
    /// Whether there are no bytes.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Empty => true,
            Self::Bytes(bytes) => bytes.is_empty(),
            Self::Cells(..) => false,
        }
    }

    /// Writes the bytes.
    pub(super) fn write(self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Empty => Ok(()),
            Self::Bytes(bytes) => out.write_all(&bytes),
            Self::Cells(kind, rows) => {
                let mut writer = CellSetWriter::new(kind);
                for row in rows {
                    writer.row(out, &row)?;
                }
                writer.end(out)
            }
        }
    }
}

/// The bytes that are decompressed at a time.
const STEP_BYTES: usize = 64 << 10;

/// The largest factor by which deflate compresses.
const DEFLATE_FACTOR_MAX: usize = 1032;

/// The size that compressed bytes have at least when they are decompressed: that of their last part, which is in its
/// last four bytes. If the bytes cannot have this size, they are damaged, and decompressing them fails.
fn unpacked_min(body: &[u8]) -> usize {
    let Some(size) = body.last_chunk() else { return 0 };
    let size = usize::try_from(u32::from_le_bytes(*size)).unwrap_or(usize::MAX);
    if size <= body.len().saturating_mul(DEFLATE_FACTOR_MAX) { size } else { 0 }
}

/// The body of a request, decompressed if it is compressed. It counts towards the memory of the call.
pub(super) fn unpacked<'a>(context: &CallContext<'_>, request: &Request, body: &'a [u8]) -> Answer<Cow<'a, [u8]>> {
    if !request.body_gzip || body.is_empty() {
        return Ok(Cow::Borrowed(body));
    }
    let mut gzip = flate2::read::MultiGzDecoder::new(body);
    let (mut bytes, mut piece) = (Vec::new(), vec![0; STEP_BYTES]);
    let least = unpacked_min(body);
    context.scope.claim_request(least).map_err(|error| Failure::of_memory(&error))?;
    bytes.reserve_exact(least);
    loop {
        let length = gzip.read(&mut piece).map_err(|error| Failure::bad(format!("the body is not gzip: {error}")))?;
        if length == 0 {
            return Ok(Cow::Owned(bytes));
        }
        let capacity = bytes.capacity();
        if capacity - bytes.len() < length {
            // The bytes are copied to a buffer that is twice as large.
            let larger = capacity.saturating_mul(2).max(STEP_BYTES);
            context.scope.claim_request(larger).map_err(|error| Failure::of_memory(&error))?;
            bytes.reserve_exact(larger - bytes.len());
            context.scope.release_request(capacity);
        }
        bytes.extend_from_slice(&piece[..length]);
    }
}
