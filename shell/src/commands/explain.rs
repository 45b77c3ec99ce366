//! `explain`: what a get or a scan will read.

use bytes::Bytes;
use hjall_engine::name::TableName;
use hjall_engine::region::to_string_binary;
use hjall_engine::request::{Columns, Scan};

use super::arguments::{CommandError, Done, Options, row, table_name};
use super::read_options::Reading;
use super::reading::{get_request, scan_options};
use super::{Command, Context};
use crate::connection::Place;
use crate::language::{Value, inspected};

pub const COMMANDS: &[Command] = &[Command {
    name: "explain",
    group: "dml",
    least: 1,
    most: usize::MAX,
    about: "Print how a get or a scan would read, without reading: the ranges of rows it seeks, the regions and families it \
            reads, and what its filter skips. The get or the scan follows; the word scan can be left out.",
    examples: &[
        "explain 't1', {STARTROW => 'a', STOPROW => 'b', COLUMNS => 'f:q'}",
        "explain 't1', {FILTER => \"PrefixFilter('abc')\"}",
        "explain scan 't1', LIMIT => 5",
        "explain get 't1', 'r1', {COLUMN => 'f:q'}",
    ],
    run: explain,
}];

fn explain(context: &mut Context, args: Vec<Value>) -> Done {
    let is = |name: &str| matches!(&args[0], Value::Str(text) if text.borrow()[..] == *name.as_bytes());
    let (name, scan, kind) = match (is("get"), is("scan"), args.len()) {
        (true, _, 3..) => {
            let name = table_name(&args[1])?;
            let (get, ..) = get_request(row(&args[2])?, &args[3..])?;
            let scan = Scan {
                start: get.row.clone(),
                stop: get.row.clone(),
                columns: get.columns,
                time_range: get.time_range,
                max_versions: get.max_versions,
                filter: get.filter,
                raw: get.raw,
                ..Scan::default()
            };
            (name, scan, "get")
        }
        (false, scan, _) => {
            let from = usize::from(scan && args.len() > 1);
            let name = table_name(&args[from])?;
            let reading = Reading::of(scan_options(args.get(from + 1))?)?;
            let limit = reading.limit.map_or(-1, |limit| i32::try_from(limit).unwrap_or(i32::MAX));
            (name, Scan { limit, ..reading.scan }, "scan")
        }
        _ => {
            let message = format!(
                "explain 'get' needs a table and a row: explain 'get', 't1', 'r1' (not {})",
                inspected(&args[0])
            );
            return Err(CommandError::complete("ArgumentError", message));
        }
    };
    let given = filter_text(args.last());
    plan(context, &name, &scan, kind, &given)?;
    Ok(Value::Nil)
}

fn key(bytes: &[u8]) -> String {
    if bytes.is_empty() { "the end".to_owned() } else { format!("'{}'", to_string_binary(bytes)) }
}

/// The filter among options as it was given: a text of the filter language, or the class of an object.
fn filter_text(options: Option<&Value>) -> String {
    match options.and_then(Options::of).and_then(|options| options.get("FILTER").cloned()) {
        Some(text @ Value::Str(_)) => super::arguments::text(&text),
        Some(object) => format!("an object of the class {}", object.class_name()),
        None => String::new(),
    }
}

fn begin(bytes: &[u8]) -> String {
    if bytes.is_empty() { "the beginning".to_owned() } else { key(bytes) }
}

fn say(context: &mut Context, what: &str, text: String) {
    context.out.pair(what, &text);
    context.out.record([("step", what.into()), ("plan", text.into())]);
}

fn plan(context: &mut Context, name: &TableName, scan: &Scan, kind: &str, given: &str) -> Result<(), CommandError> {
    let worded =
        |context: &Context, failure: crate::connection::Failure| context.worded(failure.into(), &name.to_string());
    let table = context.connection.describe(name).map_err(|failure| worded(context, failure))?;
    let places = context.connection.regions(name).map_err(|failure| worded(context, failure))?;
    context.out.header("STEP", "PLAN");
    let single = !scan.start.is_empty() && scan.start == scan.stop;
    let bounds = filter_bounds(scan)?;
    let (start, stop) = narrowed(scan, &bounds);
    say(context, "read", format!("{kind} of {name}{}", if scan.reversed { ", in descending order" } else { "" }));
    let rows = match (single, scan.reversed) {
        (true, _) => format!("seek row {}", key(&scan.start)),
        (false, false) => format!("seek {} and read up to {}", begin(&start), key(&stop)),
        (false, true) => format!("seek {} and read down to {}", key(&scan.start), begin(&scan.stop)),
    };
    say(context, "rows", rows);
    if scan.limit > 0 {
        say(context, "limit", format!("end after {} rows", scan.limit));
    }
    let mut touched: Vec<_> =
        places.iter().filter(|place| touches(place, &start, &stop, single, scan.reversed)).collect();
    say(context, "regions", format!("{} of {}", touched.len(), places.len()));
    if scan.reversed {
        touched.reverse();
    }
    for place in touched.iter().take(20) {
        say(context, "region", format!("{} to {}", begin(&place.region.start), key(&place.region.end)));
    }
    if touched.len() > 20 {
        say(context, "region", format!("and {} more", touched.len() - 20));
    }
    families(context, &table, &scan.columns)?;
    if let Ok(Some((bytes, files))) = context.connection.files(name) {
        let files = if files == 1 { "1 file".to_owned() } else { format!("{files} files") };
        say(context, "files", format!("the table has {files} with {bytes} bytes; data in memory is read too"));
    }
    if !scan.time_range.is_all() {
        let (min, max) = (scan.time_range.min(), scan.time_range.max());
        say(context, "times", format!("keep cells with {min} <= timestamp < {max}"));
    }
    let versions = if scan.raw {
        "return delete markers and hidden cells, up to ".to_owned() + &scan.max_versions.to_string() + " versions"
    } else {
        let plural = if scan.max_versions == 1 { "" } else { "s" };
        format!("return up to {} version{plural} of a column, then seek the next column", scan.max_versions)
    };
    say(context, "versions", versions);
    if scan.filter.is_some() {
        for text in skips(scan, &table, &bounds, given)? {
            say(context, "filter", text);
        }
    }
    Ok(())
}

type Bounds = (Option<Bytes>, Option<Bytes>);

/// The first and the last row that the filter can let pass.
fn filter_bounds(scan: &Scan) -> Result<Bounds, CommandError> {
    match &scan.filter {
        Some(filter) => {
            let running = filter.start(scan.reversed)?;
            Ok((running.first_row(), running.last_row()))
        }
        None => Ok((None, None)),
    }
}

/// The range of a scan in ascending order, within what its filter lets pass.
fn narrowed(scan: &Scan, bounds: &Bounds) -> (Bytes, Bytes) {
    let (start, stop) = if scan.reversed { (&scan.stop, &scan.start) } else { (&scan.start, &scan.stop) };
    let (mut start, mut stop) = (start.clone(), stop.clone());
    if !scan.reversed {
        if let Some(first) = bounds.0.as_ref().filter(|first| **first > start) {
            start = first.clone();
        }
        if let Some(last) = bounds.1.as_ref().filter(|last| stop.is_empty() || **last < stop) {
            stop = last.clone();
        }
    }
    (start, stop)
}

fn touches(place: &Place, start: &[u8], stop: &[u8], single: bool, reversed: bool) -> bool {
    let region = &place.region;
    if single {
        return region.contains(start);
    }
    let begins_before = stop.is_empty()
        || region.start.is_empty()
        || region.start[..] < *stop
        || (reversed && region.start[..] == *stop);
    let ends_after = region.end.is_empty() || region.end[..] > *start;
    begins_before && ends_after
}

fn families(
    context: &mut Context,
    table: &hjall_engine::schema::TableDescriptor,
    columns: &Columns,
) -> Result<(), CommandError> {
    if columns.is_all() {
        for name in table.families.keys() {
            say(context, "family", format!("{}: all columns", to_string_binary(name)));
        }
        return Ok(());
    }
    for (name, qualifiers) in columns.families() {
        let shown = to_string_binary(name);
        if !table.families.contains_key(name) {
            say(context, "family", format!("{shown}: does not exist; the read fails"));
            continue;
        }
        let text = match qualifiers {
            None => format!("{shown}: all columns"),
            Some(set) => {
                let list: Vec<_> = set.iter().map(|qualifier| to_string_binary(qualifier)).collect();
                format!("{shown}: seek the columns {}", list.join(", "))
            }
        };
        say(context, "family", text);
    }
    let unread: Vec<_> = table
        .families
        .keys()
        .filter(|name| !columns.families().any(|(wanted, _)| wanted == *name))
        .map(|name| to_string_binary(name))
        .collect();
    if !unread.is_empty() {
        say(context, "skipped", format!("families that are not read: {}", unread.join(", ")));
    }
    Ok(())
}

/// A description of what the filter skips.
fn skips(
    scan: &Scan,
    table: &hjall_engine::schema::TableDescriptor,
    bounds: &Bounds,
    given: &str,
) -> Result<Vec<String>, CommandError> {
    let Some(filter) = &scan.filter else { return Ok(Vec::new()) };
    let running = filter.start(scan.reversed)?;
    let mut out = vec![given.to_owned()];
    if let Some(first) = &bounds.0 {
        out.push(format!("rows before {} are skipped by a seek", key(first)));
    }
    if let Some(last) = &bounds.1 {
        out.push(format!("the scan ends before {}", key(last)));
    }
    let late: Vec<_> = table
        .families
        .keys()
        .filter(|name| !running.is_family_essential(name))
        .map(|name| to_string_binary(name))
        .collect();
    if !late.is_empty() {
        out.push(format!("families read for rows that pass only: {}", late.join(", ")));
    }
    out.push(if running.has_filter_row() {
        "decides about whole rows, after their cells have been read".to_owned()
    } else {
        "decides about each row key and cell as it is read".to_owned()
    });
    Ok(out)
}
