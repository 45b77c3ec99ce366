//! Bodies: of requests, which may be compressed, and of answers, which are encoded when they are written.

use std::borrow::Cow;
use std::io::{self, Read, Write};

use hjall_engine::Row;
use hjall_engine::read::Budget;

use super::cell_writer::CellSetWriter;
use super::error::{Answer, Failure};
use crate::gateway::context::CallContext;
use crate::wire::rest::Request;
use crate::wire::rest::media::Kind;

/// The types of bodies that describe tables, namespaces and scanners.
pub(super) const BODIES: &str = "text/xml, application/json, application/x-protobuf";

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

/// The bytes that are decompressed between two claims on memory.
const STEP_BYTES: usize = 64 << 10;

/// The body of a request, decompressed if it is compressed. It counts towards the memory of the call and its limit.
pub(super) fn unpacked<'a>(context: &CallContext<'_>, request: &Request, body: &'a [u8]) -> Answer<Cow<'a, [u8]>> {
    if !request.body_gzip || body.is_empty() {
        return Ok(Cow::Borrowed(body));
    }
    let mut gzip = flate2::read::MultiGzDecoder::new(body);
    let (mut bytes, mut piece) = (Vec::new(), vec![0; STEP_BYTES]);
    loop {
        let length = gzip.read(&mut piece).map_err(|error| Failure::bad(format!("the body is not gzip: {error}")))?;
        if length == 0 {
            return Ok(Cow::Owned(bytes));
        }
        context.scope.take(0, length).map_err(|error| Failure::of_memory(&error))?;
        bytes.extend_from_slice(&piece[..length]);
    }
}
