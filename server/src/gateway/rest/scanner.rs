//! Scanners that clients open, read and close with separate requests.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::sync::LazyLock;

use base64::Engine as _;
use bytes::Bytes;
use hjall_engine::name::TableName;
use hjall_engine::read::Fetched;
use hjall_engine::request::{Columns, Scan, TimeRange};
use hjall_engine::{Cell, Error, ErrorKind, Row};
use ring::{hmac, rand};
use serde_json::Value;

use super::body::{BODIES, Body, check_size};
use super::cell_writer::column;
use super::error::{Answer, Failure, empty_body};
use super::json::{self, BASE64};
use super::row_spec::split_column;
use super::scan::not_a_number;
use super::{Response, State, get, protobuf, scanner_filter, xml};
use crate::dispatch::call_scope::CallScope;
use crate::gateway::context::CallContext;
use crate::gateway::filters::{self, Unbuilt};
use crate::gateway::scanners::OpenScanner;
use crate::wire::fault::Fault;
use crate::wire::method::Service;
use crate::wire::rest::Request;
use crate::wire::rest::address::Place;
use crate::wire::rest::media::Kind;

/// The hexadecimal digits of a scanner's number at the end of its identifier.
const DIGITS: usize = 8;
/// The bytes of an identifier that only this process can compute.
const SECRET_BYTES: usize = 16;

/// The key of identifiers, which no other process has. `None` if the operating system gives no random bytes.
static KEY: LazyLock<Option<hmac::Key>> =
    LazyLock::new(|| hmac::Key::generate(hmac::HMAC_SHA256, &rand::SystemRandom::new()).ok());

/// The fields of a scanner in a request.
const FIELDS: [&str; 11] = [
    "batch",
    "startRow",
    "endRow",
    "column",
    "startTime",
    "endTime",
    "maxVersions",
    "filter",
    "caching",
    "cacheBlocks",
    "labels",
];

/// Where a scanner is between two requests.
pub struct Cursor {
    batch: usize,
    /// Cells of a row that did not fit into the last answer.
    waiting: VecDeque<Cell>,
    /// The memory of `waiting`, in bytes.
    waiting_bytes: usize,
}

/// The memory of one column of a scan, beside its bytes.
const COLUMN_BYTES: usize = 160;

impl Cursor {
    /// A scanner of which nothing has been read.
    fn new(batch: usize) -> Self {
        Self { batch, waiting: VecDeque::new(), waiting_bytes: 0 }
    }

    /// The memory that it uses between two requests, in bytes.
    pub(super) fn held_bytes(&self) -> usize {
        self.waiting_bytes
    }

    fn keep(&mut self, cells: impl IntoIterator<Item = Cell>) {
        for cell in cells {
            self.waiting_bytes += memory_of(&cell);
            self.waiting.push_back(cell);
        }
    }

    fn put_back(&mut self, cell: Cell) {
        self.waiting_bytes += memory_of(&cell);
        self.waiting.push_front(cell);
    }

    fn take(&mut self) -> Option<Cell> {
        let cell = self.waiting.pop_front()?;
        self.waiting_bytes -= memory_of(&cell);
        if self.waiting.is_empty() {
            self.waiting = VecDeque::new();
        }
        Some(cell)
    }
}

/// The size at which an answer ends, in bytes. Clients ask again until the answer is empty.
const ANSWER_BYTES: usize = 8 << 20;

/// About the size of a cell in an answer, in which texts are in base64.
fn written_bytes(cell: &Cell) -> usize {
    cell.bytes() * 4 / 3 + 80
}

/// The memory of a cell, whose row its neighbours share.
fn memory_of(cell: &Cell) -> usize {
    size_of::<Cell>() + cell.family.len() + cell.qualifier.len() + cell.value.len()
}

/// The request of a client for a scanner.
struct Sent {
    start: Bytes,
    end: Bytes,
    columns: Vec<Bytes>,
    batch: i32,
    from: i64,
    until: i64,
    versions: i32,
    filter: Option<String>,
    caching: i32,
}

impl Default for Sent {
    fn default() -> Self {
        Self {
            start: Bytes::new(),
            end: Bytes::new(),
            columns: Vec::new(),
            batch: i32::MAX,
            from: 0,
            until: i64::MAX,
            versions: i32::MAX,
            filter: None,
            caching: -1,
        }
    }
}

impl Sent {
    fn read(context: &CallContext<'_>, request: &Request, body: &[u8]) -> Answer<Self> {
        check_size(context, request, body)?;
        match request.input {
            Some(Kind::Xml) => {
                let mut reader = XmlScanner::default();
                xml::read(body, "Scanner", &mut reader)?;
                Ok(reader.sent)
            }
            Some(Kind::Json) => Self::of_json(context.scope, body),
            Some(_) => Self::of_protobuf(context.scope, body),
            // A body without a type cannot be read; without a body there is no scanner.
            None if body.is_empty() => Err(empty_body()),
            None => Err(Failure::undeclared_body(BODIES)),
        }
    }

    fn of_json(scope: &CallScope<'_>, body: &[u8]) -> Answer<Self> {
        let fields = json::object(scope, body)?.ok_or_else(empty_body)?;
        let mut sent = Self::default();
        for (name, value) in &fields {
            match &**name {
                "startRow" => sent.start = json::bytes(name, value)?.unwrap_or_default(),
                "endRow" => sent.end = json::bytes(name, value)?.unwrap_or_default(),
                "column" => {
                    for column in json::list(name, value)?.into_iter().flatten() {
                        sent.columns.extend(json::bytes(name, column)?);
                    }
                }
                "batch" => sent.batch = json::small_number(name, value)?,
                "startTime" => sent.from = json::number(name, value)?,
                "endTime" => sent.until = json::number(name, value)?,
                "maxVersions" => sent.versions = json::small_number(name, value)?,
                "caching" => sent.caching = json::small_number(name, value)?,
                "cacheBlocks" => drop(json::truth(name, value)?),
                "filter" => sent.filter = json::text(name, value)?,
                "labels" => drop(
                    json::list(name, value)?
                        .into_iter()
                        .flatten()
                        .map(|label| json::text(name, label))
                        .collect::<Answer<Vec<_>>>()?,
                ),
                _ => return Err(json::unknown(name, &FIELDS)),
            }
        }
        Ok(sent)
    }

    fn of_protobuf(scope: &CallScope<'_>, body: &[u8]) -> Answer<Self> {
        let sent: protobuf::Scanner = protobuf::decode(scope, body, None, "scanner")?;
        let default = Self::default();
        Ok(Self {
            start: sent.start_row.unwrap_or_default(),
            end: sent.end_row.unwrap_or_default(),
            columns: sent.columns,
            batch: sent.batch.unwrap_or(default.batch),
            from: sent.start_time.unwrap_or(default.from),
            until: sent.end_time.unwrap_or(default.until),
            versions: sent.max_versions.unwrap_or(default.versions),
            filter: sent.filter,
            caching: sent.caching.unwrap_or(default.caching),
        })
    }
}

/// Reads a scanner in XML: attributes, and elements `column` and `filter`.
#[derive(Default)]
struct XmlScanner {
    sent: Sent,
    text: String,
}

impl xml::Visitor for XmlScanner {
    fn keeps(&self, attribute: &str) -> bool {
        FIELDS.contains(&attribute)
    }

    fn start(&mut self, depth: usize, name: &str, attributes: xml::Attributes) -> Answer<bool> {
        self.text.clear();
        if depth > 0 {
            return Ok(depth == 1 && matches!(name, "column" | "filter"));
        }
        for (name, text) in &attributes {
            let value = Value::from(&**text);
            match &**name {
                "startRow" => self.sent.start = json::decode(name, text)?,
                "endRow" => self.sent.end = json::decode(name, text)?,
                "batch" => self.sent.batch = json::small_number(name, &value)?,
                "startTime" => self.sent.from = json::number(name, &value)?,
                "endTime" => self.sent.until = json::number(name, &value)?,
                "maxVersions" => self.sent.versions = json::small_number(name, &value)?,
                "caching" => self.sent.caching = json::small_number(name, &value)?,
                _ => {}
            }
        }
        Ok(true)
    }

    fn text(&mut self, depth: usize, text: &str) -> Answer<()> {
        if depth == 1 {
            self.text.push_str(text);
        }
        Ok(())
    }

    fn end(&mut self, depth: usize, name: &str) -> Answer<()> {
        match (depth, name) {
            (1, "column") => self.sent.columns.push(json::decode(name, &self.text)?),
            (1, "filter") => self.sent.filter = Some(std::mem::take(&mut self.text)),
            _ => {}
        }
        Ok(())
    }
}

/// Opens a scanner. Only the arguments are checked; a missing table or family is noticed by the first read.
pub(super) fn open(context: &CallContext<'_>, request: &Request, body: &[u8]) -> Answer {
    let mut sent = Sent::read(context, request, body)?;
    // HBase's gateway sorts them. Of a family and its columns, the last ones count.
    sent.columns.sort_unstable();
    let refused = |error: &Error| Failure::bad(error.plain());
    let time_range = TimeRange::new(sent.from, sent.until).map_err(|error| refused(&error))?;
    let filter = match sent.filter.as_deref() {
        None | Some("") => None,
        Some(text) => {
            let built = filters::build(context, text.len(), || scanner_filter::parse(context.scope, text));
            Some(built.map_err(|unbuilt| match unbuilt {
                Unbuilt::Malformed(failure) => failure,
                Unbuilt::NoRoom(error) => Failure::of_memory(&error),
            })?)
        }
    };
    // The scanner keeps the columns, and takes this claim over.
    let columns_bytes = sent.columns.iter().map(|column| COLUMN_BYTES + column.len()).sum();
    context.scope.claim_request(columns_bytes).map_err(|error| Failure::of_memory(&error))?;
    let mut columns = Columns::all();
    for column in &sent.columns {
        match split_column(column) {
            (family, None) => columns.add_family(family),
            (family, Some(qualifier)) => columns.add_column(family, qualifier),
        };
    }
    let batch = usize::try_from(sent.batch).unwrap_or(0).max(1);
    let scan = Scan {
        start: sent.start,
        stop: sent.end,
        columns,
        time_range,
        family_time_ranges: BTreeMap::new(),
        max_versions: sent.versions,
        // Wide rows are read in pieces. Filters may need whole rows.
        batch: if filter.is_none() { i32::try_from(batch).unwrap_or(i32::MAX) } else { 0 },
        caching: sent.caching,
        filter,
        ..Scan::default()
    };
    let name =
        TableName::parse(request.place.table().unwrap_or_default().as_bytes()).map_err(|error| refused(&error))?;
    let scanner = context.engine.table(&name).scan(scan).map_err(|error| refused(&error))?;
    let open = OpenScanner { rest: Some(Cursor::new(batch).into()), ..OpenScanner::new(name, scanner, context.scope) };
    let number = context.scanners.open(Service::Rest, open, context.scope.caller).map_err(Failure::Fault)?;
    let Some(identifier) = identifier(context.identity.start_code, number) else {
        context.scanners.close(Service::Rest, number, context.scope.caller);
        return Err(Failure::Fault(Fault::internal("the operating system gives no random bytes")));
    };
    let address = request.location.trim_end_matches('/');
    Ok(Response::empty(201).with("Location", format!("{address}/{identifier}")))
}

/// The identifier of a scanner in addresses. It cannot be guessed, since on a server without users every client may use
/// a scanner whose identifier it knows. It means nothing to a later server.
fn identifier(start_code: i64, number: i32) -> Option<String> {
    let mut context = hmac::Context::with_key(KEY.as_ref()?);
    context.update(&start_code.to_be_bytes());
    context.update(&number.to_be_bytes());
    let mut text = String::new();
    for byte in &context.sign().as_ref()[..SECRET_BYTES] {
        let _ = write!(text, "{byte:02x}");
    }
    let _ = write!(text, "{:0DIGITS$x}", number.cast_unsigned());
    Some(text)
}

/// The number of the scanner that the address of a request names, whichever server it was opened on.
pub(super) fn number(request: &Request) -> Option<i32> {
    let Place::Scanner { id, .. } = &request.place else { return None };
    let digits = id.get(id.len().checked_sub(DIGITS)?..)?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    u32::from_str_radix(digits, 16).ok().filter(|_| is_number).map(u32::cast_signed)
}

/// The number of the scanner that the address names, if this server has opened it.
fn own_number(context: &CallContext<'_>, request: &Request) -> Answer<i32> {
    let Place::Scanner { id, .. } = &request.place else { return Err(Failure::not_found()) };
    let number = number(request).ok_or_else(ended)?;
    let is_own = identifier(context.identity.start_code, number).is_some_and(|own| own == **id);
    if is_own { Ok(number) } else { Err(ended()) }
}

/// Closes a scanner.
pub(super) fn close(context: &CallContext<'_>, request: &Request) -> Answer {
    let number = own_number(context, request)?;
    match context.scanners.close(Service::Rest, number, context.scope.caller) {
        true => Ok(Response::empty(200)),
        false => Err(ended()),
    }
}

/// The failure for a scanner that is not open.
fn ended() -> Failure {
    Failure::new(404, "the scanner was never opened here, was closed, or was not used for limits.scanner_timeout")
}

/// The next cells of a scanner.
pub(super) fn next(context: &CallContext<'_>, request: &Request) -> Answer {
    let number = own_number(context, request)?;
    let output = get::output(request);
    let is_value = output.kind == Kind::Binary;
    let limit = |name| match request.query.first(name) {
        // The parameters are those of answers with cells.
        Some(text) if !is_value => text.parse::<i32>().map_err(|_| not_a_number(name, text)),
        _ => Ok(0),
    };
    let (rows_max, cells_max) = (limit("n")?, limit("c")?);
    let fetched = context.scanners.with(Service::Rest, number, context.scope, |open| {
        let OpenScanner { scanner, rest: Some(State::Cursor(cursor)), .. } = open else { return Ok(None) };
        // The number in the request takes the place of the scanner's, even if it is larger.
        let asked = usize::try_from(cells_max).ok().filter(|max| *max > 0);
        let cells_max = if is_value { 1 } else { asked.unwrap_or(cursor.batch) };
        let rows_max = usize::try_from(rows_max).ok().filter(|max| *max > 0).unwrap_or(usize::MAX);
        let rows = fetch(context, scanner, cursor, cells_max, rows_max);
        if rows.as_ref().is_ok_and(Result::is_ok) {
            context.scope.fetched_from(number);
        }
        rows.map(Some)
    });
    let rows = match fetched {
        Some(Ok(Some(rows))) => rows,
        Some(Err(Gone)) => {
            context.scanners.close(Service::Rest, number, context.scope.caller);
            return Err(Failure::Text(410, "Gone\r\nthe table was disabled, and the scanner is closed\r\n".to_owned()));
        }
        Some(Ok(None)) | None => return Err(ended()),
    }?;
    let Some(first) = rows.first().and_then(|row| row.cells.first()) else { return Ok(Response::empty(204)) };
    let response = Response::empty(200).with("Content-Type", output.content_type).uncached();
    if is_value {
        let response = response
            .with("X-Row", BASE64.encode(&first.row))
            .with("X-Column", BASE64.encode(column(first)))
            .with("X-Timestamp", first.timestamp.to_string());
        return Ok(Response { body: Body::Bytes(first.value.to_vec()), ..response });
    }
    Ok(Response { body: Body::Cells(output.kind, rows), ..response })
}

/// The table was disabled: the scanner is closed.
struct Gone;

/// Up to this number of cells and rows, and until about [`ANSWER_BYTES`] have to be written. Nothing is lost if the
/// fetch fails or is paused.
fn fetch(
    context: &CallContext<'_>,
    scanner: &mut hjall_engine::Scanner,
    cursor: &mut Cursor,
    cells_max: usize,
    rows_max: usize,
) -> Result<Answer<Vec<Row>>, Gone> {
    let mut rows: Vec<Row> = Vec::new();
    let (mut cells, mut bytes) = (0, 0);
    // Half of the limit on replies leaves room for what is estimated too low.
    let bytes_max = context.scanners.page_bytes_max().min(ANSWER_BYTES).min(context.scope.reply_bytes_max() / 2);
    let failure = loop {
        if cells >= cells_max || bytes >= bytes_max {
            break None;
        }
        let next = cursor.take();
        bytes += next.as_ref().map_or(0, written_bytes);
        match next {
            Some(cell) if rows.last().is_none_or(|row| row.key != cell.row) => {
                if rows.len() >= rows_max {
                    cursor.put_back(cell);
                    break None;
                }
                rows.push(Row { key: cell.row.clone(), cells: vec![cell], partial: false });
                cells += 1;
            }
            Some(cell) => {
                if let Some(row) = rows.last_mut() {
                    row.cells.push(cell);
                }
                cells += 1;
            }
            None => match scanner.fetch_for(1, usize::MAX, context.scope) {
                Ok(Fetched::Rows(more)) if more.is_empty() => break None,
                Ok(Fetched::Rows(more)) => cursor.keep(more.into_iter().flat_map(|row| row.cells)),
                Ok(Fetched::Paused) => break Some(Failure::Paused),
                Err(error) => match error.kind() {
                    ErrorKind::TableDisabled | ErrorKind::NotServing => return Err(Gone),
                    // As in HBase, which logs the error and ends the scan.
                    ErrorKind::FamilyNotFound => break None,
                    _ => break Some(Failure::of(&error)),
                },
            },
        }
    };
    Ok(match failure {
        None => Ok(rows),
        Some(failure) => {
            let cells: Vec<_> = rows.into_iter().flat_map(|row| row.cells).collect();
            cells.into_iter().rev().for_each(|cell| cursor.put_back(cell));
            Err(failure)
        }
    })
}
