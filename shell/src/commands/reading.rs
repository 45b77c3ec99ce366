//! `get` and `scan`.

use hjall_engine::name::TableName;
use hjall_engine::request::{Get, TimeRange};
use hjall_engine::{Cell, Row};

use super::arguments::{CommandError, Done, Options, bytes_of, long, row, table_name};
use super::display::{Display, kind};
use super::read_options::{Reading, add_column, filter, take_extras, time_range};
use super::{Command, Context};
use crate::connection::Extras;
use crate::language::{Value, inspected};
use crate::output::Field;

pub const COMMANDS: &[Command] = &[
    Command {
        name: "get",
        group: "dml",
        least: 2,
        most: usize::MAX,
        about: "Print a row, or columns of it. Columns are 'f' or 'f:q'; 'f:q:toInt' converts the value. Options: COLUMN, \
                COLUMNS, VERSIONS (with columns), TIMESTAMP, TIMERANGE => [from, to], FILTER, MAXLENGTH, FORMATTER, \
                FORMATTER_CLASS, ATTRIBUTES, CONSISTENCY, REGION_REPLICA_ID.",
        examples: &[
            "get 't1', 'r1'",
            "get 't1', 'r1', 'f:a', 'f:b'",
            "get 't1', 'r1', {COLUMN => ['f:a', 'f:b'], VERSIONS => 4}",
            "get 't1', 'r1', {TIMERANGE => [1700000000000, 1800000000000]}",
            "get 't1', 'r1', {COLUMN => 'f:count:toLong'}",
            "get 't1', 'r1', {FILTER => \"ValueFilter(=, 'binary:abc')\"}",
            "get 't1', 'r1', {FORMATTER => 'toString'}",
        ],
        run: get,
    },
    Command {
        name: "scan",
        group: "dml",
        least: 1,
        most: 2,
        about: "Print rows of a table. Options: COLUMNS, LIMIT, STARTROW, STOPROW, ROWPREFIXFILTER, REVERSED, VERSIONS, \
                TIMERANGE, TIMESTAMP, RAW, FILTER, CACHE, CACHE_BLOCKS, BATCH, MAX_RESULT_SIZE, ALLOW_PARTIAL_RESULTS, \
                MAXLENGTH, FORMATTER, FORMATTER_CLASS, ATTRIBUTES, CONSISTENCY, ISOLATION_LEVEL, READ_TYPE, \
                REGION_REPLICA_ID, METRICS, ALL_METRICS. Ctrl-C ends it.",
        examples: &[
            "scan 't1'",
            "scan 't1', {COLUMNS => ['f:a', 'f:b'], LIMIT => 10, STARTROW => 'xyz'}",
            "scan 't1', {ROWPREFIXFILTER => 'row2', FILTER => \"(QualifierFilter(>=, 'binary:xyz')) AND (TimestampsFilter(123, 456))\"}",
            "scan 't1', {REVERSED => true, STARTROW => 'z'}",
            "scan 't1', {RAW => true, VERSIONS => 10}",
            "scan 't1', {COLUMNS => 'f:count:toLong', TIMERANGE => [0, 1700000000000]}",
            "scan 't1', {FORMATTER => 'toString'}",
            "scan 't1', {METRICS => ['ROWS_SCANNED']}",
        ],
        run: scan,
    },
];

/// The request of a get: its arguments behind the row.
pub fn get_request(row: bytes::Bytes, args: &[Value]) -> Result<(Get, Extras, Display), CommandError> {
    let mut get = Get { max_versions: 1, ..Get::new(row) };
    let (mut extras, mut display) = (Extras::default(), Display::default());
    let options = match args.first() {
        None => return Ok((get, extras, display)),
        Some(value @ Value::Hash(_)) => Options::of(value),
        _ => None,
    };
    let Some(mut options) = options else {
        // Everything else is a name of a column.
        for value in args {
            match value {
                Value::Array(list) => {
                    for column in list.0.borrow().iter() {
                        add_column(&mut get.columns, &mut display, &bytes_of(column))?;
                    }
                }
                Value::Nil => {}
                other => {
                    let column = match other {
                        Value::Str(_) => bytes_of(other),
                        other => inspected(other).into_bytes().into(),
                    };
                    add_column(&mut get.columns, &mut display, &column)?;
                }
            }
        }
        return Ok((get, extras, display));
    };
    display.take(&mut options)?;
    if let Some(value) = options.take("FILTER") {
        get.filter = Some(filter(&value, &mut extras)?);
    }
    let attributed = options.has("ATTRIBUTES") || options.has("AUTHORIZATIONS");
    take_extras(&mut options, &mut extras)?;
    if options.take("CACHE_BLOCKS").is_some_and(|value| !value.truthy()) {
        extras.cache_blocks = Some(false);
    }
    if options.is_empty() {
        return Ok((get, extras, display));
    }
    let columns = options.get("COLUMN").or_else(|| options.get("COLUMNS")).cloned();
    let timed = options.get("TIMESTAMP").is_some() || options.get("TIMERANGE").is_some();
    match columns {
        Some(columns) => {
            let list = match &columns {
                Value::Str(_) => vec![columns.clone()],
                Value::Array(list) => list.0.borrow().clone(),
                _ => {
                    let shown = inspected(&options.value());
                    return Err(CommandError::argument(
                        format!("Failed parse column argument type {shown}, Hash"),
                        "write columns in quotes, as in COLUMN => 'f:q' or COLUMN => ['f:q', 'g']",
                    ));
                }
            };
            for column in &list {
                add_column(&mut get.columns, &mut display, &bytes_of(column))?;
            }
        }
        None if timed || attributed => {}
        None => {
            let shown = inspected(&options.value());
            return Err(CommandError::argument(
                format!("Failed parse of {shown}, Hash"),
                "add a column or a time, as in COLUMN => 'f:q', TIMESTAMP or TIMERANGE; help 'get' lists the options",
            ));
        }
    }
    if let Some(versions) = options.get("VERSIONS") {
        let versions = match versions {
            Value::Int(n) => *n,
            other => {
                return Err(CommandError::complete(
                    "TypeError",
                    format!("no method 'setMaxVersions' for {}: VERSIONS is a number", other.class_name()),
                ));
            }
        };
        if versions <= 0 {
            return Err(CommandError::argument("versions must be positive", "VERSIONS is at least 1"));
        }
        get.max_versions = i32::try_from(versions).unwrap_or(i32::MAX);
    }
    if let Some(time) = options.get("TIMESTAMP") {
        get.time_range = TimeRange::at(long(time, "TIMESTAMP")?)?;
    }
    if let Some(range) = options.get("TIMERANGE") {
        get.time_range = time_range(range)?;
    }
    Ok((get, extras, display))
}

fn get(context: &mut Context, args: Vec<Value>) -> Done {
    context.out.header("COLUMN", "CELL");
    let name = table_name(&args[0])?;
    let (get, extras, display) = get_request(row(&args[1])?, &args[2..])?;
    let found = context
        .connection
        .get(&name, &get, &extras)
        .map_err(|failure| context.worded(failure.into(), &name.to_string()))?;
    for cell in &found.cells {
        context.check()?;
        let column = display.column(cell)?;
        let shown = display.cell(&name, cell)?;
        context.out.pair(&column, &shown);
        record(context, &display, &name, cell, false)?;
    }
    context.out.rows(u64::from(!found.cells.is_empty()));
    Ok(Value::Nil)
}

/// A cell for programs. `typed`: cells can be delete markers, so each has its type.
fn record(
    context: &mut Context,
    display: &Display,
    table: &TableName,
    cell: &Cell,
    typed: bool,
) -> Result<(), CommandError> {
    if context.out.tables() {
        return Ok(());
    }
    let mut fields: Vec<(String, Field)> = vec![
        ("row".to_owned(), display.plain(&cell.row)?.into()),
        ("column".to_owned(), display.column(cell)?.into()),
        ("timestamp".to_owned(), cell.timestamp.into()),
        ("value".to_owned(), display.cut(display.value(table, cell)?).into()),
    ];
    if typed {
        fields.push(("type".to_owned(), kind(cell.kind).unwrap_or("Put").into()));
    }
    context.out.fields(fields);
    Ok(())
}

/// The options of a scan, which must be a dictionary.
pub fn scan_options(value: Option<&Value>) -> Result<Options, CommandError> {
    match value {
        None => Ok(Options::default()),
        Some(value) => Options::of(value).ok_or_else(|| {
            let (shown, class) = (inspected(value), value.class_name());
            CommandError::complete(
                "TypeError",
                format!(
                    "the options are a dictionary, as in scan 't', {{LIMIT => 5}}; {shown} is of the class {class}"
                ),
            )
        }),
    }
}

/// Rows of a fetch: small ones first, so that the first rows appear at once.
const FETCHES: [usize; 4] = [16, 64, 256, 1024];

/// Calls a function with the rows of a scan, or their pieces, until it returns false.
pub fn each_row(
    context: &mut Context,
    name: &TableName,
    reading: &Reading,
    each: &mut dyn FnMut(&mut Context, Row) -> Result<bool, CommandError>,
) -> Result<(), CommandError> {
    let mut scan = reading.scan.clone();
    if let Some(limit) = reading.limit {
        scan.limit = i32::try_from(limit).unwrap_or(i32::MAX);
    }
    let table = name.to_string();
    let opened = context.connection.open_scan(name, &scan, &reading.extras);
    let mut cursor = opened.map_err(|failure| context.worded(failure.into(), &table))?;
    let mut done = Ok(());
    let mut fetches = 0_usize;
    'scan: loop {
        let wanted = match usize::try_from(reading.scan.caching) {
            Ok(caching) if caching > 0 => caching.min(10_000),
            _ => FETCHES[fetches.min(FETCHES.len() - 1)],
        };
        fetches += 1;
        let rows = match context.check().and_then(|()| Ok(context.connection.fetch(&mut cursor, wanted)?)) {
            Ok(rows) => rows,
            Err(error) => {
                done = Err(context.worded(error, &table));
                break;
            }
        };
        if rows.is_empty() {
            break;
        }
        for row in rows {
            match each(context, row) {
                Ok(true) => {}
                Ok(false) => break 'scan,
                Err(error) => {
                    done = Err(error);
                    break 'scan;
                }
            }
        }
        // What has been read is shown while the rest is read.
        context.out.flush();
    }
    context.connection.close_scan(cursor);
    done
}

/// The number of pieces of a row, if pieces of these bytes are requested.
fn pieces(row: &Row, bytes: usize) -> u64 {
    /// The bytes of a cell in addition to its content: lengths, timestamp, type.
    const OVERHEAD: usize = 20;
    let (mut count, mut size) = (0, 0);
    for cell in &row.cells {
        size += cell.bytes() + OVERHEAD;
        if size >= bytes {
            (count, size) = (count + 1, 0);
        }
    }
    count + u64::from(size > 0)
}

fn scan(context: &mut Context, args: Vec<Value>) -> Done {
    context.out.header("ROW", "COLUMN+CELL");
    let name = table_name(&args[0])?;
    let reading = Reading::of(scan_options(args.get(1))?)?;
    let (mut shown, mut rows, mut current) = (0_u64, 0_u64, None);
    each_row(context, &name, &reading, &mut |context, row| {
        if current.as_ref() != Some(&row.key) {
            if reading.limit.is_some_and(|limit| rows >= limit) {
                return Ok(false);
            }
            rows += 1;
            current = Some(row.key.clone());
        }
        for cell in &row.cells {
            context.check()?;
            if context.out.tables() {
                let key = reading.display.plain(&cell.row)?;
                let column = reading.display.column(cell)?;
                let value = reading.display.cell(&name, cell)?;
                context.out.pair(&key, &format!("column={column}, {value}"));
            } else {
                record(context, &reading.display, &name, cell, reading.scan.raw)?;
            }
        }
        shown += reading.piece.map_or(1, |bytes| pieces(&row, bytes));
        Ok(true)
    })?;
    context.out.rows(shown);
    if let Some(wanted) = &reading.metrics {
        metrics(context, &name, &reading, rows, wanted.as_deref())?;
    }
    Ok(Value::Nil)
}

/// Prints the metrics of a scan that can be known: the rows it returned, and those that its filter left out.
fn metrics(
    context: &mut Context,
    name: &TableName,
    reading: &Reading,
    rows: u64,
    wanted: Option<&[String]>,
) -> Result<(), CommandError> {
    let mut filtered = 0;
    if reading.scan.filter.is_some() && wanted.is_none_or(|names| names.iter().any(|name| name.starts_with("ROWS_"))) {
        // The same range without the filter.
        let mut plain = Reading::of(Options::default())?;
        plain.scan = hjall_engine::request::Scan { filter: None, ..reading.scan.clone() };
        let mut all = 0_u64;
        each_row(context, name, &plain, &mut |_, row| {
            all += u64::from(!row.partial);
            Ok(true)
        })?;
        filtered = all.saturating_sub(rows);
    }
    let mut known = vec![("ROWS_FILTERED", filtered), ("ROWS_SCANNED", rows + filtered)];
    known.sort_unstable();
    context.out.line("");
    context.out.header("METRIC", "VALUE");
    for (name, value) in known {
        if wanted.is_none_or(|names| names.iter().any(|wanted| wanted == name)) {
            context.out.pair(name, &value.to_string());
        }
    }
    Ok(())
}
