//! Answers that are sent while their rows are read, page by page.
//!
//! The first page is the answer to the request. For each further one, when the client has taken the page before, the
//! connection makes a separate call, which waits in the queue of its lane like any other. Between pages the scan is an
//! open scanner, which lasts until the answer has been sent or its connection ends.

use std::collections::VecDeque;
use std::io::Write;
use std::mem::take;

use flate2::Compression;
use flate2::write::GzEncoder;
use hjall_engine::read::{Budget, Fetched};
use hjall_engine::{Cell, Row};

use super::body::Body;
use super::cell_writer::CellSetWriter;
use super::error::{Answer, Failure};
use super::{Response, State};
use crate::gateway::context::CallContext;
use crate::gateway::scanners::OpenScanner;
use crate::wire::fault::Fault;
use crate::wire::method::Service;
use crate::wire::rest::Request;
use crate::wire::rest::media::{Kind, Output};

/// A page ends with the row that reaches this size.
const PAGE_BYTES: usize = 1 << 20;

/// The memory of a compressor, about.
const GZIP_BYTES: usize = 128 << 10;

/// The answer to a scan that finds nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lacking {
    /// No rows.
    Empty,
    /// 404.
    NotFound,
}

/// An answer that is being sent.
pub struct Stream {
    output: Output,
    lacking: Lacking,
    writer: CellSetWriter,
    /// The results that the request still allows.
    left: usize,
    /// Rows that have been read and not written.
    rows: VecDeque<Row>,
    /// The part of the current page that has been written.
    page: Vec<u8>,
    gzip: Option<GzEncoder<Vec<u8>>>,
    /// The first cell, if only its value is wanted.
    value: Option<Cell>,
}

impl Stream {
    /// An answer of up to this number of results, of which nothing has been written.
    pub(super) fn new(output: Output, lacking: Lacking, results: usize, gzip: bool) -> Self {
        let gzip = gzip.then(|| GzEncoder::new(Vec::new(), Compression::fast()));
        let writer = CellSetWriter::new(output.kind);
        Self { output, lacking, writer, left: results, rows: VecDeque::new(), page: Vec::new(), gzip, value: None }
    }

    /// The memory that it uses between two pages, in bytes.
    pub(super) fn held_bytes(&self) -> usize {
        let (cells, bytes) = room_of(&self.rows);
        cells * size_of::<Cell>()
            + bytes
            + self.writer.pending_bytes()
            + self.page.capacity()
            + self.gzip.as_ref().map_or(0, |gzip| GZIP_BYTES + gzip.get_ref().capacity())
    }

    /// The bytes of the current page, some of which the writer may still have.
    fn written_bytes(&self) -> usize {
        self.page.len() + self.writer.pending_bytes()
    }

    /// Ends a page that is not the last one. Returns that it is not.
    fn end_page(&mut self) -> Answer<bool> {
        self.writer.flush(&mut self.page).map_err(Failure::bad)?;
        Ok(false)
    }

    /// In protobuf, the rows are sent as several messages.
    pub(super) fn in_messages(self) -> Self {
        Self { writer: CellSetWriter::stream(self.output.kind), ..self }
    }

    /// The finished page.
    fn take_page(&mut self, is_last: bool) -> std::io::Result<Vec<u8>> {
        let Some(mut gzip) = self.gzip.take() else { return Ok(take(&mut self.page)) };
        gzip.write_all(&take(&mut self.page))?;
        if is_last {
            return gzip.finish();
        }
        gzip.flush()?;
        let page = take(gzip.get_mut());
        self.gzip = Some(gzip);
        Ok(page)
    }
}

/// The scan of a call that was paused before its first page was complete.
pub(super) fn kept(context: &CallContext<'_>) -> Option<OpenScanner> {
    context.scope.take_kept().and_then(|state| state.downcast::<OpenScanner>().ok()).map(|open| *open)
}

/// Answers with the first page of a scan.
pub(super) fn first(context: &CallContext<'_>, request: &Request, mut open: OpenScanner) -> Answer {
    let is_last = match fill(context, &mut open) {
        Err(Failure::Paused) => {
            context.scope.keep(Box::new(open));
            return Err(Failure::Paused);
        }
        filled => filled?,
    };
    let Some(State::Stream(stream)) = &mut open.rest else { return Err(Failure::not_found()) };
    if is_last && stream.lacking == Lacking::NotFound && stream.writer.is_empty() && stream.value.is_none() {
        return Err(Failure::not_found());
    }
    let mut response = Response::empty(200).with("Content-Type", stream.output.content_type.clone());
    if let Some(cell) = stream.value.take() {
        return Ok(Response { body: Body::Bytes(cell.value.to_vec()), ..response }
            .with("X-Timestamp", cell.timestamp.to_string()));
    }
    let is_compressed = stream.gzip.is_some();
    response.body = Body::Bytes(stream.take_page(is_last).map_err(Failure::bad)?);
    if is_compressed {
        response = response.with("Content-Encoding", "gzip");
    }
    // The body of an answer to HEAD is not sent.
    response.head.is_open_ended = !is_last && request.sent.0 == "HEAD";
    if !is_last && !response.head.is_open_ended {
        let id = context.scanners.open(Service::Rest, open, context.scope.caller).map_err(Failure::Fault)?;
        context.scope.fetched_from(id);
        response.head.continues = Some(id);
    }
    Ok(response)
}

/// Answers with the next page of a scan.
pub(super) fn next(context: &CallContext<'_>, request: &Request) -> Answer {
    let id = request.continues.unwrap_or_default();
    let page = context.scanners.with(Service::Rest, id, context.scope, |open| {
        let is_last = fill(context, open)?;
        let Some(State::Stream(stream)) = &mut open.rest else { return Err(Failure::not_found()) };
        // A page whose reply finds no memory is lost: the answer must not continue behind it.
        context.scope.fetched_from(id);
        stream.take_page(is_last).map(|page| (page, is_last)).map_err(Failure::bad)
    });
    let Some(page) = page else {
        return Err(Failure::Fault(Fault::io("the lease of the scan has ended before its answer was sent", false)));
    };
    let (page, is_last) = page?;
    let mut response = Response { body: Body::Bytes(page), ..Response::empty(200) };
    if is_last {
        context.scanners.close(Service::Rest, id, context.scope.caller);
    } else {
        response.head.continues = Some(id);
    }
    if request.gzip {
        // The page is compressed already.
        response = response.with("Content-Encoding", "gzip");
    }
    Ok(response)
}

/// Adds rows to the present page. Returns whether it is the last one. If that fails, the page and the rows that have
/// not been written are kept, so that a further attempt continues with them.
fn fill(context: &CallContext<'_>, open: &mut OpenScanner) -> Answer<bool> {
    let Some(State::Stream(stream)) = &mut open.rest else { return Err(Failure::not_found()) };
    let scope = context.scope;
    // What an earlier attempt has read and written.
    let (cells, bytes) = room_of(&stream.rows);
    scope.take(cells, bytes + stream.page.len()).map_err(|error| Failure::of(&error))?;
    // Rows and the page take memory at the same time, and a page may exceed this by a row.
    let room = scope.reply_bytes_max().min(scope.alone_max()) / 4;
    let bytes_max = PAGE_BYTES.min(context.scanners.page_bytes_max()).min(room);
    loop {
        let mut written = (0, 0);
        while stream.written_bytes() < bytes_max
            && let Some(row) = stream.rows.pop_front()
        {
            let length = stream.written_bytes();
            stream.writer.row(&mut stream.page, &row).map_err(Failure::bad)?;
            let (cells, bytes) = room_of([&row]);
            written = (written.0 + cells, written.1 + bytes);
            // There is no room for a further row. A short page makes some when it has been sent.
            if scope.take(0, stream.written_bytes().saturating_sub(length)).is_err() {
                return stream.end_page();
            }
        }
        scope.release(written.0, written.1);
        if stream.left == 0 && stream.rows.is_empty() {
            break;
        }
        if stream.written_bytes() >= bytes_max {
            return stream.end_page();
        }
        let rows = match open.scanner.fetch_for(stream.left, bytes_max, scope) {
            Ok(Fetched::Rows(rows)) => rows,
            Ok(Fetched::Paused) => return Err(Failure::Paused),
            Err(error) if scope.has_exceeded_quota() && stream.written_bytes() > 0 => {
                tracing::trace!(%error, "a page ends early");
                return stream.end_page();
            }
            Err(error) if stream.lacking == Lacking::NotFound => return Err(Failure::of_get(&error)),
            Err(error) => return Err(Failure::of_read(&error)),
        };
        if rows.is_empty() {
            break;
        }
        stream.left -= rows.len().min(stream.left);
        if stream.output.kind == Kind::Binary {
            stream.value = rows.into_iter().next().and_then(|row| row.cells.into_iter().next());
            return Ok(true);
        }
        stream.rows = rows.into();
    }
    stream.writer.end(&mut stream.page).map_err(Failure::bad)?;
    Ok(true)
}

/// The number of cells of rows that have been read, and the bytes that they take.
fn room_of<'a>(rows: impl IntoIterator<Item = &'a Row>) -> (usize, usize) {
    let bytes = |cell: &Cell| cell.family.len() + cell.qualifier.len() + cell.value.len();
    rows.into_iter()
        .fold((0, 0), |sum, row| (sum.0 + row.cells.len(), sum.1 + row.cells.iter().map(bytes).sum::<usize>()))
}
