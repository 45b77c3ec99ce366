//! `count`.

use super::arguments::{CommandError, Done, Options, table_name, text};
use super::read_options::{Reading, keys_only};
use super::reading::each_row;
use super::{Command, Context};
use crate::language::{Value, implicit};

pub const COMMANDS: &[Command] = &[Command {
    name: "count",
    group: "dml",
    least: 1,
    most: 2,
    about: "Count the rows of a table. The count so far is printed every INTERVAL rows (1000). Takes the options of scan \
            too. Returns the number. Ctrl-C ends it.",
    examples: &[
        "count 't1'",
        "count 't1', 100000",
        "count 't1', INTERVAL => 10, CACHE => 1000",
        "count 't1', {STARTROW => 'abc', STOPROW => 'def'}",
        "count 't1', {COLUMNS => ['f:a'], FILTER => \"PrefixFilter('x')\"}",
    ],
    run: count,
}];

fn count(context: &mut Context, args: Vec<Value>) -> Done {
    let name = table_name(&args[0])?;
    let mut options = match args.get(1) {
        None => Options::default(),
        Some(Value::Int(n)) => {
            Options::of(&Value::hash([(Value::text("INTERVAL"), Value::Int(*n))])).unwrap_or_default()
        }
        Some(value) => Options::of(value).ok_or_else(|| {
            CommandError::kind(
                format!("no implicit conversion of {} into Hash", implicit(value)),
                "name an interval or options after the table, as in count 't1', 1000 or count 't1', INTERVAL => 1000",
            )
        })?,
    };
    let interval = match options.take("INTERVAL") {
        None => 1000,
        Some(Value::Int(n)) => n.unsigned_abs(),
        Some(Value::Float(n)) => n.abs() as u64,
        Some(other) => text(&other).parse::<i64>().map_or(0, i64::unsigned_abs),
    };
    let mut reading = Reading::of(options)?;
    if reading.scan.filter.is_none() && !reading.scan.raw {
        reading.scan.filter = Some(keys_only());
    }
    let (mut rows, mut current) = (0_u64, None);
    each_row(context, &name, &reading, &mut |context, row| {
        if current.as_ref() == Some(&row.key) {
            return Ok(true);
        }
        if reading.limit.is_some_and(|limit| rows >= limit) {
            return Ok(false);
        }
        if interval == 0 {
            return Err(CommandError::lacking(
                "ZeroDivisionError",
                "divided by 0",
                "INTERVAL must be a whole number of at least 1, as in INTERVAL => 1000",
            ));
        }
        context.check()?;
        rows += 1;
        if rows.is_multiple_of(interval) {
            let key = reading.display.plain(&row.key)?;
            context.out.row(&format!("Current count: {rows}, row: {key}"));
            context.out.flush();
        }
        current = Some(row.key);
        Ok(true)
    })?;
    context.out.rows(rows);
    context.out.record([("count", (rows as i64).into())]);
    Ok(Value::Int(rows as i64))
}
