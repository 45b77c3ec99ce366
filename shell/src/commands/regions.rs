//! `get_splits`, `list_regions`, `locate_region`, `split`.

use bytes::Bytes;
use hjall_engine::name::TableName;
use hjall_engine::region::to_string_binary;
use hjall_engine::request::Scan;

use super::arguments::{
    CommandError, Done, Options, about_table, bytes_of, disabled_table, table_name, text, unknown_table,
};
use super::read_options::{Reading, keys_only};
use super::reading::each_row;
use super::{Command, Context};
use crate::connection::{Answer, Extras, Place, Reason, describe_region};
use crate::language::Value;
use crate::output::Field;

pub const COMMANDS: &[Command] = &[
    Command {
        name: "get_splits",
        group: "ddl",
        least: 1,
        most: 1,
        about: "Print the keys at which the regions of a table begin, and return them.",
        examples: &["get_splits 't1'", "get_splits 'ns1:t1'"],
        run: get_splits,
    },
    Command {
        name: "list_regions",
        group: "ddl",
        least: 1,
        most: 3,
        about: "List the regions of a table: their servers, keys, size in MiB, and requests. The second argument restricts \
                the servers, the third one the columns. The size of a region is its share of the table's files.",
        examples: &[
            "list_regions 't1'",
            "list_regions 't1', 'server1'",
            "list_regions 't1', {SERVER_NAME => 'server1', LOCALITY_THRESHOLD => 0.8}",
            "list_regions 't1', nil, ['START_KEY', 'END_KEY']",
        ],
        run: list_regions,
    },
    Command {
        name: "locate_region",
        group: "ddl",
        least: 2,
        most: 2,
        about: "Print the region of a row and its server.",
        examples: &["locate_region 't1', 'row'"],
        run: locate,
    },
    Command {
        name: "split",
        group: "tools",
        least: 1,
        most: 2,
        about: "Split the region that contains a key, at this key. Without a key, split each region in two. Needs the data \
                folder (--data): Thrift2 has no such method.",
        examples: &["split 't1', 'key'", "split 't1'"],
        run: split,
    },
];

const COLUMNS: [(&str, usize); 7] = [
    ("SERVER_NAME", 12),
    ("REGION_NAME", 12),
    ("START_KEY", 10),
    ("END_KEY", 10),
    ("SIZE", 5),
    ("REQ", 5),
    ("LOCALITY", 10),
];

fn get_splits(context: &mut Context, args: Vec<Value>) -> Done {
    let name = table_name(&args[0])?;
    let places = match context.connection.regions(&name) {
        Ok(places) => places,
        Err(failure) if failure.reason == Reason::TableMissing => Vec::new(),
        Err(failure) => return Err(failure.into()),
    };
    let starts: Vec<_> =
        places.iter().map(|place| to_string_binary(&place.region.start)).filter(|key| !key.is_empty()).collect();
    context.out.lists();
    context.out.line(&format!("Total number of splits = {}", starts.len() + 1));
    for start in &starts {
        context.out.line(start);
        context.out.record([("start", start.clone().into())]);
    }
    Ok(Value::array(starts.into_iter().map(Value::text).collect()))
}

/// The requested columns.
fn wanted(value: Option<&Value>) -> Result<Vec<usize>, CommandError> {
    let names: Vec<_> = COLUMNS.iter().map(|(name, _)| *name).collect();
    let possible = format!("Possible values are {}.", names.join(", "));
    match value {
        None | Some(Value::Nil) => Ok((0..COLUMNS.len()).collect()),
        Some(Value::Array(list)) => {
            let mut found = Vec::new();
            for value in list.0.borrow().iter() {
                let name = text(value);
                let at = names.iter().position(|known| known.eq_ignore_ascii_case(&name));
                let wrong =
                    || CommandError::complete("RuntimeError", format!("{name} is not a valid column. {possible}"));
                found.push(at.ok_or_else(wrong)?);
            }
            found.sort_unstable();
            found.dedup();
            Ok(found)
        }
        Some(other) => Err(CommandError::says(
            format!("{} must be an array of strings. {possible}", text(other)),
            "write it in brackets, as in list_regions 't1', nil, ['START_KEY']",
        )),
    }
}

fn list_regions(context: &mut Context, args: Vec<Value>) -> Done {
    let name = table_name(&args[0])?;
    let (mut server, mut threshold) = (None, 1.0);
    match args.get(1) {
        None | Some(Value::Nil) => {}
        Some(value @ Value::Hash(_)) => {
            let mut options = Options::of(value).unwrap_or_default();
            server = options.take("SERVER_NAME").map(|name| text(&name));
            match options.take("LOCALITY_THRESHOLD") {
                None => {}
                Some(Value::Float(n)) if (0.0..=1.0).contains(&n) => threshold = n,
                Some(Value::Float(_)) => {
                    return Err(CommandError::complete(
                        "RuntimeError",
                        "LOCALITY_THRESHOLD must be between 0 and 1.0, inclusive",
                    ));
                }
                Some(_) => {
                    return Err(CommandError::says(
                        "LOCALITY_THRESHOLD must be a float value",
                        "write it with a point, as in LOCALITY_THRESHOLD => 0.8",
                    ));
                }
            }
        }
        Some(value) => server = Some(text(value)),
    }
    let columns = wanted(args.get(2))?;
    let unknown = |failure| about_table(failure, &name);
    if !context.connection.is_enabled(&name).map_err(&unknown)? {
        return Err(CommandError::says(
            format!("Table {name} must be enabled."),
            format!("enable it first, with enable '{name}'"),
        ));
    }
    let places = context.connection.regions(&name).map_err(&unknown)?;
    let loads = context.connection.loads(&name).map_err(&unknown)?;
    let filled = filled(context, &name, &places).map_err(&unknown)?;
    let bytes = context.connection.files(&name).map_err(&unknown)?.map_or(0, |(bytes, _)| bytes);
    let share = bytes / (filled.iter().filter(|filled| **filled).count().max(1) as u64);
    let mut rows = Vec::new();
    for (at, place) in places.iter().enumerate() {
        let own = format!("{},{},{}", place.server.host, place.server.port, place.server.start_code);
        let has_data = filled.get(at).copied().unwrap_or(false);
        let locality = if has_data { 1.0 } else { 0.0 };
        if server.as_ref().is_some_and(|wanted| !own.starts_with(wanted)) || locality > threshold {
            continue;
        }
        let requests =
            loads.as_ref().and_then(|loads| loads.get(at)).map(|load| (load.reads + load.writes).to_string());
        rows.push([
            own,
            to_string_binary(&place.region.name(&name)),
            to_string_binary(&place.region.start),
            to_string_binary(&place.region.end),
            // HBase counts part of a mebibyte as a whole one.
            if has_data { share.div_ceil(1 << 20).max(1) } else { 0 }.to_string(),
            requests.unwrap_or_default(),
            if has_data { "1.0" } else { "0.0" }.to_owned(),
        ]);
    }
    print_table(context, &columns, &rows);
    Ok(Value::Nil)
}

fn print_table(context: &mut Context, columns: &[usize], rows: &[[String; 7]]) {
    let width = |at: usize| {
        let longest = rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
        longest.max(COLUMNS[at].1)
    };
    let mut line = |cells: Vec<String>| {
        context.out.line(&cells.iter().map(|cell| format!(" {cell} |")).collect::<String>());
    };
    line(columns.iter().map(|&at| format!("{:>width$}", COLUMNS[at].0, width = width(at))).collect());
    line(columns.iter().map(|&at| "-".repeat(width(at))).collect());
    for row in rows {
        line(columns.iter().map(|&at| format!("{:>width$}", row[at], width = width(at))).collect());
    }
    context.out.line(&format!(" {} rows", rows.len()));
    for row in rows {
        let fields = columns.iter().map(|&at| {
            let field = match COLUMNS[at].0 {
                "SIZE" | "REQ" => row[at].parse::<i64>().map_or_else(|_| row[at].clone().into(), Field::Int),
                "LOCALITY" => Field::Int(i64::from(row[at] == "1.0")),
                _ => row[at].clone().into(),
            };
            (COLUMNS[at].0.to_lowercase(), field)
        });
        context.out.fields(fields.collect());
    }
}

/// Which regions have data.
fn filled(context: &mut Context, name: &TableName, places: &[Place]) -> Answer<Vec<bool>> {
    let mut answers = Vec::with_capacity(places.len());
    for place in places {
        let scan = Scan {
            start: place.region.start.clone(),
            stop: place.region.end.clone(),
            limit: 1,
            max_versions: 1,
            ..Scan::default()
        };
        let mut cursor = context.connection.open_scan(name, &scan, &Extras::default())?;
        let rows = context.connection.fetch(&mut cursor, 1);
        context.connection.close_scan(cursor);
        answers.push(!rows?.is_empty());
    }
    Ok(answers)
}

fn locate(context: &mut Context, args: Vec<Value>) -> Done {
    let name = table_name(&args[0])?;
    let row = bytes_of(&args[1]);
    let unknown = |failure| about_table(failure, &name);
    let places = context.connection.regions(&name).map_err(unknown)?;
    // A server answers with no regions if the table does not exist.
    let Some(place) = places.iter().find(|place| place.region.contains(&row)) else {
        return Err(unknown_table(name));
    };
    let address = format!("{}:{}", place.server.host, place.server.port);
    let shown = describe_region(&place.region, &name);
    context.out.header("HOST", "REGION");
    context.out.pair(&address, &shown);
    context.out.rows(1);
    context.out.record([
        ("host", address.into()),
        ("region", to_string_binary(&place.region.name(&name)).into()),
        ("start_key", to_string_binary(&place.region.start).into()),
        ("end_key", to_string_binary(&place.region.end).into()),
    ]);
    Ok(Value::java(crate::language::Java::Opaque("org.apache.hadoop.hbase.HRegionLocation".to_owned())))
}

fn split(context: &mut Context, args: Vec<Value>) -> Done {
    let name = table_name(&args[0])?;
    let unknown = |failure| about_table(failure, &name);
    if !context.connection.is_enabled(&name).map_err(&unknown)? {
        return Err(disabled_table(name));
    }
    let places = context.connection.regions(&name).map_err(&unknown)?;
    if let Some(key) = args.get(1).filter(|key| !key.is_nil()) {
        let key = bytes_of(key);
        if places.iter().any(|place| place.region.start == key) {
            return Err(CommandError::argument(
                "should not give a splitkey which equals to startkey!",
                "a region begins at this key already: name another key, or none to split each region in two",
            ));
        }
        context.connection.split(&name, &key).map_err(unknown)?;
        return Ok(Value::Nil);
    }
    for place in &places {
        if let Some(key) = middle(context, &name, place)? {
            context.connection.split(&name, &key).map_err(&unknown)?;
        }
    }
    Ok(Value::Nil)
}

/// A row in the middle of a region; `None` if it has fewer than two.
fn middle(context: &mut Context, name: &TableName, place: &Place) -> Result<Option<Bytes>, CommandError> {
    let mut reading = Reading::of(Options::default())?;
    (reading.scan.start, reading.scan.stop) = (place.region.start.clone(), place.region.end.clone());
    reading.scan.filter = Some(keys_only());
    // Every second key that is kept is dropped when there are too many, so that memory stays bounded.
    let (mut keys, mut step, mut seen) = (Vec::new(), 1_u64, 0_u64);
    each_row(context, name, &reading, &mut |_, row| {
        if seen.is_multiple_of(step) {
            keys.push(row.key);
            if keys.len() >= 1024 {
                let mut at = 0;
                keys.retain(|_| {
                    at += 1;
                    at % 2 == 1
                });
                step *= 2;
            }
        }
        seen += 1;
        Ok(true)
    })?;
    Ok(if keys.len() < 2 { None } else { keys.get(keys.len() / 2).cloned() })
}
