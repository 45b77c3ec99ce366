//! `put`, `delete`, `deleteall`, `incr`, `get_counter`, `append`.

use bytes::Bytes;
use hjall_engine::LATEST;
use hjall_engine::mutation::{Append, Delete, Durability, Increment, Marker, MarkerKind, Put, PutCell};
use hjall_engine::name::TableName;
use hjall_engine::region::to_string_binary;
use hjall_engine::request::Get;

use super::arguments::{
    CommandError, Done, Options, bytes_of, long, row, split_column, strict_bytes, table_name, text,
};
use super::read_options::{Reading, attributes, keys_only};
use super::reading::each_row;
use super::{Command, Context};
use crate::connection::{Extras, Failure};
use crate::language::Value;

pub const COMMANDS: &[Command] = &[
    Command {
        name: "put",
        group: "dml",
        least: 4,
        most: 6,
        about: "Write a cell: table, row, column, value, and optionally a timestamp in milliseconds. Options: ATTRIBUTES, \
                VISIBILITY, TTL in milliseconds.",
        examples: &[
            "put 't1', 'r1', 'f:q', 'value'",
            "put 't1', 'r1', 'f:q', 'value', 1700000000000",
            "put 't1', 'r1', 'f:q', \"\\x00\\x00\\x00\\x01\"",
            "put 't1', 'r1', 'f:q', 'value', {TTL => 86400000}",
        ],
        run: put,
    },
    Command {
        name: "delete",
        group: "dml",
        least: 3,
        most: 5,
        about: "Delete the newest version of a column, or the version with exactly a timestamp.",
        examples: &["delete 't1', 'r1', 'f:q'", "delete 't1', 'r1', 'f:q', 1700000000000"],
        run: |context, args| delete(context, &args, false),
    },
    Command {
        name: "deleteall",
        group: "dml",
        least: 2,
        most: 5,
        about: "Delete all versions of a row, a family or a column, up to a timestamp if one is given. \
                {ROWPREFIXFILTER => 'p'} in place of the row deletes in all rows with a prefix.",
        examples: &[
            "deleteall 't1', 'r1'",
            "deleteall 't1', 'r1', 'f:q'",
            "deleteall 't1', 'r1', 'f:q', 1700000000000",
            "deleteall 't1', {ROWPREFIXFILTER => 'prefix'}",
            "deleteall 't1', {ROWPREFIXFILTER => 'prefix', CACHE => 100}, 'f:q'",
        ],
        run: |context, args| delete(context, &args, true),
    },
    Command {
        name: "incr",
        group: "dml",
        least: 3,
        most: 5,
        about: "Add to a counter, 1 by default, and print its new value.",
        examples: &["incr 't1', 'r1', 'f:count'", "incr 't1', 'r1', 'f:count', 10", "incr 't1', 'r1', 'f:count', -1"],
        run: increment,
    },
    Command {
        name: "get_counter",
        group: "dml",
        least: 3,
        most: 3,
        about: "Print the value of a counter.",
        examples: &["get_counter 't1', 'r1', 'f:count'"],
        run: get_counter,
    },
    Command {
        name: "append",
        group: "dml",
        least: 4,
        most: 5,
        about: "Append to a value, and print the new one.",
        examples: &["append 't1', 'r1', 'f:q', 'more'", "append 't1', 'r1', 'f:q', 'more', ATTRIBUTES => {'k' => 'v'}"],
        run: append,
    },
];

/// The options of a write.
struct WriteOptions {
    extras: Extras,
    ttl_ms: Option<i64>,
}

fn write_options(value: Option<&Value>) -> Result<WriteOptions, CommandError> {
    let mut out = WriteOptions { extras: Extras::default(), ttl_ms: None };
    let Some(mut options) = value.and_then(Options::of) else { return Ok(out) };
    if let Some(value) = options.take("ATTRIBUTES") {
        out.extras.attributes = attributes(&value)?;
    }
    if let Some(value) = options.take("VISIBILITY") {
        out.extras.visibility = Some(text(&value));
    }
    if let Some(value) = options.take("TTL") {
        out.ttl_ms = Some(long(&value, "TTL")?);
    }
    Ok(out)
}

/// The family and the qualifier of a column.
fn column(value: &Value) -> Result<(Bytes, Option<Bytes>), CommandError> {
    Ok(split_column(&strict_bytes(value, "the column")?))
}

fn no_family() -> CommandError {
    let failure = Failure::of_class("java.io.IOException", "Family cannot be null");
    CommandError::Failed(failure.with_remedy(Some("a column is a family and a qualifier, as in 'f:q'")))
}

/// A timestamp, which must be a number.
fn timestamp(value: &Value, method: &str) -> Result<i64, CommandError> {
    let time = match value {
        Value::Int(n) => *n,
        Value::Float(n) => *n as i64,
        other => {
            return Err(CommandError::complete(
                "TypeError",
                format!("no method '{method}' for {}: a timestamp is a number", other.class_name()),
            ));
        }
    };
    if time < 0 {
        let message = format!("Timestamp cannot be negative. ts={time}");
        return Err(CommandError::argument(message, "a timestamp is a number of milliseconds since 1970"));
    }
    Ok(time)
}

/// The timestamp and the options behind the fixed arguments, in either order of presence.
fn tail(args: &[Value]) -> (Option<&Value>, Option<&Value>) {
    match args {
        [options @ Value::Hash(_), ..] => (None, Some(options)),
        [time, options, ..] => (Some(time).filter(|time| !time.is_nil()), Some(options)),
        [time] => (Some(time).filter(|time| !time.is_nil()), None),
        [] => (None, None),
    }
}

fn put(context: &mut Context, args: Vec<Value>) -> Done {
    let name = table_name(&args[0])?;
    let row = row(&args[1])?;
    let (family, qualifier) = column(&args[2])?;
    let (time, options) = tail(&args[4..]);
    let time = time.map(|time| timestamp(time, "addColumn")).transpose()?.unwrap_or(LATEST);
    let options = write_options(options)?;
    if family.is_empty() {
        return Err(no_family());
    }
    let cell = PutCell { family, qualifier: qualifier.unwrap_or_default(), timestamp: time, value: bytes_of(&args[3]) };
    let put = Put { row, cells: vec![cell], ttl_ms: options.ttl_ms, durability: Durability::UseDefault };
    let done = context.connection.put(&name, &put, &options.extras);
    done.map_err(|failure| context.worded(failure.into(), &name.to_string()))?;
    Ok(Value::Nil)
}

/// The delete of one row.
fn delete_of(row: Bytes, column: Option<&Value>, time: Option<i64>, all: bool) -> Result<Delete, CommandError> {
    let timestamp = time.unwrap_or(LATEST);
    let mut delete = Delete { timestamp, ..Delete::row(row) };
    let Some(value) = column.filter(|value| !value.is_nil()) else { return Ok(delete) };
    let (family, qualifier) = self::column(value)?;
    if family.is_empty() && qualifier.is_none() {
        return Ok(delete);
    }
    if family.is_empty() {
        return Err(no_family());
    }
    let kind = match (&qualifier, all) {
        (Some(_), true) => MarkerKind::Column,
        (Some(_), false) => MarkerKind::Version,
        (None, true) => MarkerKind::Family,
        (None, false) => MarkerKind::FamilyVersion,
    };
    delete.markers.push(Marker { family, qualifier: qualifier.unwrap_or_default(), kind, timestamp });
    Ok(delete)
}

fn delete(context: &mut Context, args: &[Value], all: bool) -> Done {
    let name = table_name(&args[0])?;
    let (time, options) = tail(args.get(3..).unwrap_or_default());
    let time = time.map(|time| timestamp(time, "Delete.new")).transpose()?;
    let options = write_options(options)?;
    let worded = |context: &Context, failure: Failure| context.worded(failure.into(), &name.to_string());
    if let (Some(selection), true) = (Options::of(&args[1]), all) {
        return delete_prefix(context, &name, selection, args.get(2), time, &options.extras);
    }
    let delete = delete_of(row(&args[1])?, args.get(2), time, all)?;
    context.connection.delete(&name, &delete, &options.extras).map_err(|failure| worded(context, failure))?;
    Ok(Value::Nil)
}

/// Deletes in all rows with a prefix.
fn delete_prefix(
    context: &mut Context,
    name: &TableName,
    mut selection: Options,
    column: Option<&Value>,
    time: Option<i64>,
    extras: &Extras,
) -> Done {
    let prefix = selection.take("ROWPREFIXFILTER").unwrap_or(Value::Nil);
    let prefix = strict_bytes(&prefix, "ROWPREFIXFILTER")?;
    let mut options = vec![(Value::text("ROWPREFIXFILTER"), Value::text(prefix.to_vec()))];
    if let Some(cache) = selection.take("CACHE") {
        options.push((Value::text("CACHE"), cache));
    }
    let mut reading = Reading::of(Options::of(&Value::hash(options)).unwrap_or_default())?;
    reading.scan.filter = Some(keys_only());
    each_row(context, name, &reading, &mut |context, row| {
        let delete = delete_of(row.key, column, time, true)?;
        let done = context.connection.delete(name, &delete, extras);
        done.map_err(|failure| context.worded(failure.into(), &name.to_string()))?;
        Ok(true)
    })?;
    Ok(Value::Nil)
}

fn increment(context: &mut Context, args: Vec<Value>) -> Done {
    let name = table_name(&args[0])?;
    let row = row(&args[1])?;
    let (family, qualifier) = column(&args[2])?;
    let (amount, options) = tail(&args[3..]);
    let amount = amount.map(|amount| long(amount, "the amount")).transpose()?.unwrap_or(1);
    let options = write_options(options)?;
    if family.is_empty() {
        return Err(no_family());
    }
    let columns = vec![(family, qualifier.unwrap_or_default(), amount)];
    let increment = Increment { row, columns, ttl_ms: options.ttl_ms, durability: Durability::UseDefault };
    let done = context.connection.increment(&name, &increment, &options.extras);
    let result = done.map_err(|failure| context.worded(failure.into(), &name.to_string()))?;
    match result.cells.first().and_then(|cell| cell.value[..].try_into().ok()).map(i64::from_be_bytes) {
        Some(value) => {
            context.out.line(&format!("COUNTER VALUE = {value}"));
            context.out.record([("value", value.into())]);
        }
        None => context.out.line("No counter found at specified coordinates"),
    }
    Ok(Value::Nil)
}

fn get_counter(context: &mut Context, args: Vec<Value>) -> Done {
    let name = table_name(&args[0])?;
    let mut get = Get { max_versions: 1, ..Get::new(row(&args[1])?) };
    let (family, qualifier) = column(&args[2])?;
    get.columns.add_column(family, qualifier.unwrap_or_default());
    let done = context.connection.get(&name, &get, &Extras::default());
    let found = done.map_err(|failure| context.worded(failure.into(), &name.to_string()))?;
    let Some(cell) = found.cells.first() else {
        context.out.line("No counter found at specified coordinates");
        return Ok(Value::Nil);
    };
    let Ok(bytes) = <[u8; 8]>::try_from(&cell.value[..]) else {
        return Err(CommandError::argument(
            format!("Wrong length: {}, expected 8", cell.value.len()),
            "the value of the column is not a counter, which has 8 bytes; get shows it",
        ));
    };
    let value = i64::from_be_bytes(bytes);
    context.out.line(&format!("COUNTER VALUE = {value}"));
    context.out.record([("value", value.into())]);
    Ok(Value::Nil)
}

fn append(context: &mut Context, args: Vec<Value>) -> Done {
    let name = table_name(&args[0])?;
    let row = row(&args[1])?;
    let (family, qualifier) = column(&args[2])?;
    let options = write_options(args.get(4))?;
    if family.is_empty() {
        return Err(no_family());
    }
    let columns = vec![(family, qualifier.unwrap_or_default(), bytes_of(&args[3]))];
    let append = Append { row, columns, ttl_ms: options.ttl_ms, durability: Durability::UseDefault };
    let done = context.connection.append(&name, &append, &options.extras);
    let result = done.map_err(|failure| context.worded(failure.into(), &name.to_string()))?;
    if let Some(cell) = result.cells.first() {
        let value = to_string_binary(&cell.value);
        context.out.line(&format!("CURRENT VALUE = {value}"));
        context.out.record([("value", value.into())]);
    }
    Ok(Value::Nil)
}
