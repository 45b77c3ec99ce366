//! The options of `get`, `scan` and `count`.

use std::sync::Arc;

use hjall_engine::filter::FilterSpec;
use hjall_engine::request::{Columns, Scan, TimeRange, after_prefix};

use super::arguments::{CommandError, Options, bytes_of, long, split_column, strict_bytes, text};
use super::display::{Converter, Display};
use crate::connection::{Extras, Failure};
use crate::language::{Value, filter_of, inspected};

/// A filter that lets one cell of each row pass, without its value.
pub fn keys_only() -> Arc<FilterSpec> {
    Arc::new(FilterSpec::all(vec![FilterSpec::first_key_only(), FilterSpec::key_only(false)]))
}

/// The request of a read, and the display of its results.
pub struct Reading {
    /// The scan.
    pub scan: Scan,
    /// The options that the engine does not use.
    pub extras: Extras,
    /// How cells are shown.
    pub display: Display,
    /// The number of rows; `None`: all.
    pub limit: Option<u64>,
    /// The bytes of a piece of a row, if pieces are requested.
    pub piece: Option<usize>,
    /// The metrics to print: `None`, all, or these.
    pub metrics: Option<Option<Vec<String>>>,
}

/// A filter: text in the filter language, or an object.
pub fn filter(value: &Value, extras: &mut Extras) -> Result<Arc<FilterSpec>, CommandError> {
    if let Value::Str(text) = value {
        let text = text.borrow().clone();
        let spec = FilterSpec::parse(&text).map_err(|error| wrong_filter(&text, error.message()))?;
        extras.filter_text = Some(text);
        return Ok(Arc::new(spec));
    }
    filter_of(value).map(Arc::new).ok_or_else(|| {
        let class = value.class_name();
        CommandError::complete("TypeError", format!("no method 'setFilter' for {class}: FILTER is a text or a filter"))
    })
}

/// A wrong filter in the words of HBase's shell. The engine's message goes on with the place and what it expects, which
/// is the remedy here.
fn wrong_filter(text: &[u8], message: &str) -> CommandError {
    let Some((said, place)) = message.split_once(" (at byte ") else {
        return CommandError::complete("ArgumentError", message);
    };
    let remedy = format!("at byte {}", place.strip_suffix(')').unwrap_or(place));
    let failed = |said: &str| CommandError::Failed(Failure::illegal(said).with_remedy(Some(&*remedy)));
    let Some(name) = said.strip_prefix("Incorrect filter string ") else { return failed(said) };
    // HBase names the whole text of the filter with the wrong argument.
    let name = name.trim_end_matches("(…)");
    let text = String::from_utf8_lossy(text);
    let at: usize = place.split(':').next().and_then(|at| at.parse().ok()).unwrap_or(0);
    let before = text.get(..at).and_then(|before| before.rfind(name)).unwrap_or(0);
    let end = text.get(at..).and_then(|rest| rest.find(')')).map_or(text.len(), |end| at + end + 1);
    failed(&format!("Incorrect filter string {}", &text[before..end]))
}

/// `[from, to)`.
pub fn time_range(value: &Value) -> Result<TimeRange, CommandError> {
    let ends = match value {
        Value::Array(list) => list.0.borrow().clone(),
        _ => Vec::new(),
    };
    match &ends[..] {
        [from, to, ..] => Ok(TimeRange::new(long(from, "TIMERANGE")?, long(to, "TIMERANGE")?)?),
        _ => Err(CommandError::argument(
            "maxStamp is smaller than minStamp",
            "TIMERANGE is a list of two times in milliseconds, as in TIMERANGE => [0, 1700000000000]",
        )),
    }
}

/// Adds a column as it is written: `f`, `f:q`, or with a converter `f:q:toInt`.
pub fn add_column(columns: &mut Columns, display: &mut Display, written: &[u8]) -> Result<(), CommandError> {
    let (column, converter) = Converter::split(written)?;
    let (family, qualifier) = split_column(column);
    match qualifier {
        Some(qualifier) => {
            if let Some(converter) = converter {
                display.converters.insert((family.clone(), qualifier.clone()), converter);
            }
            columns.add_column(family, qualifier);
        }
        None => {
            columns.add_family(family);
        }
    }
    Ok(())
}

/// Takes the options that get and scan share.
pub fn take_extras(options: &mut Options, extras: &mut Extras) -> Result<(), CommandError> {
    if let Some(value) = options.take("ATTRIBUTES") {
        extras.attributes = attributes(&value)?;
    }
    if let Some(value) = options.take("AUTHORIZATIONS") {
        extras.authorizations = Some(match &value {
            Value::Array(list) => list.0.borrow().iter().map(text).collect(),
            other => vec![text(other)],
        });
    }
    if let Some(value) = options.take("CONSISTENCY") {
        let name = text(&value);
        const KNOWN: &[&str] = &["STRONG", "TIMELINE"];
        if !KNOWN.contains(&&name[..]) {
            let class = "org.apache.hadoop.hbase.client.Consistency";
            return Err(super::families::no_constant(class, &name, "CONSISTENCY", KNOWN));
        }
        extras.timeline = name == "TIMELINE";
    }
    if let Some(value) = options.take("REGION_REPLICA_ID") {
        extras.replica = Some(i32::try_from(long(&value, "REGION_REPLICA_ID")?).unwrap_or(i32::MAX));
    }
    Ok(())
}

/// The attributes of an operation.
pub fn attributes(value: &Value) -> Result<std::collections::BTreeMap<Vec<u8>, Vec<u8>>, CommandError> {
    let Some(options) = Options::of(value) else {
        return Err(CommandError::argument(
            "Attributes must be a Hash type",
            "write a dictionary, as in ATTRIBUTES => {'KEY' => 'VALUE'}",
        ));
    };
    Ok(options.rest().iter().map(|(key, value)| (text(key).into_bytes(), bytes_of(value).to_vec())).collect())
}

/// `true`, `false`, or their names.
fn boolean(value: &Value, key: &str) -> Result<bool, CommandError> {
    match &text(value)[..] {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => {
            let message = format!("Expected {key} value to be a boolean or the string 'true' or 'false'");
            Err(CommandError::complete("ArgumentError", message))
        }
    }
}

/// The columns of a scan.
fn columns(value: &Value, reading: &mut Reading) -> Result<(), CommandError> {
    let list = match value {
        Value::Str(_) => vec![value.clone()],
        Value::Array(list) => list.0.borrow().clone(),
        _ => {
            return Err(CommandError::argument(
                "COLUMNS must be specified as a String or an Array",
                "write columns in quotes, as in COLUMNS => 'f:q' or COLUMNS => ['f:q', 'g']",
            ));
        }
    };
    for column in list {
        add_column(&mut reading.scan.columns, &mut reading.display, &bytes_of(&column))?;
    }
    Ok(())
}

impl Reading {
    /// The scan that options describe.
    pub fn of(mut options: Options) -> Result<Self, CommandError> {
        let mut reading = Self {
            scan: Scan { max_versions: 1, caching: 0, ..Scan::default() },
            extras: Extras::default(),
            display: Display::default(),
            limit: None,
            piece: None,
            metrics: None,
        };
        reading.scan.limit = -1;
        reading.bounds(&mut options)?;
        if let Some(value) = options.take("COLUMNS").or_else(|| options.take("COLUMN")) {
            columns(&value, &mut reading)?;
        }
        if let Some(value) = options.take("FILTER") {
            reading.scan.filter = Some(filter(&value, &mut reading.extras)?);
        }
        if let Some(value) = options.take("VERSIONS") {
            reading.scan.max_versions = i32::try_from(long(&value, "VERSIONS")?).unwrap_or(i32::MAX).max(1);
        }
        if let Some(value) = options.take("TIMESTAMP") {
            reading.scan.time_range = TimeRange::at(long(&value, "TIMESTAMP")?)?;
        }
        if let Some(value) = options.take("TIMERANGE") {
            reading.scan.time_range = time_range(&value)?;
        }
        reading.scan.raw = options.take("RAW").is_some_and(|value| value.truthy());
        reading.scan.reversed = options.take("REVERSED").is_some_and(|value| value.truthy());
        if let Some(value) = options.take("BATCH") {
            reading.scan.batch = i32::try_from(long(&value, "BATCH")?).unwrap_or(i32::MAX);
        }
        if let Some(value) = options.take("CACHE") {
            reading.scan.caching = i32::try_from(long(&value, "CACHE")?).unwrap_or(i32::MAX);
        }
        if let Some(value) = options.take("CACHE_BLOCKS") {
            reading.extras.cache_blocks = Some(boolean(&value, "CACHE_BLOCKS")?);
        }
        if let Some(value) = options.take("LIMIT") {
            let limit = match &value {
                Value::Int(_) | Value::Float(_) => long(&value, "LIMIT")?,
                Value::Hash(_) => {
                    return Err(CommandError::kind(
                        "no implicit conversion of Integer into Hash",
                        "LIMIT is a number, as in LIMIT => 5",
                    ));
                }
                other => {
                    let shown = inspected(other);
                    let message = format!("LIMIT is a number, as in LIMIT => 5; {shown} is a {}", other.class_name());
                    return Err(CommandError::complete("ArgumentError", message));
                }
            };
            reading.limit = u64::try_from(limit).ok().filter(|limit| *limit > 0);
        }
        let size = options.take("MAX_RESULT_SIZE").map(|value| long(&value, "MAX_RESULT_SIZE")).transpose()?;
        if options.take("ALLOW_PARTIAL_RESULTS").is_some_and(|value| value.truthy()) {
            reading.piece = size.and_then(|size| usize::try_from(size).ok()).filter(|size| *size > 0);
        }
        take_extras(&mut options, &mut reading.extras)?;
        reading.enumerations(&mut options)?;
        reading.display.take(&mut options)?;
        let all = options.take("ALL_METRICS").is_some_and(|value| value.truthy());
        reading.metrics = match options.take("METRICS") {
            _ if all => Some(None),
            Some(Value::Array(list)) => Some(Some(list.0.borrow().iter().map(text).collect())),
            Some(other) => {
                return Err(CommandError::argument(
                    format!("METRICS must be an Array, not {}", inspected(&other)),
                    "write it in brackets, as in METRICS => ['ROWS_SCANNED']",
                ));
            }
            None => None,
        };
        Ok(reading)
    }

    fn bounds(&mut self, options: &mut Options) -> Result<(), CommandError> {
        if let Some(value) = options.take("STARTROW") {
            self.scan.start = strict_bytes(&value, "STARTROW")?;
        }
        let stop = options.take("STOPROW").map(|value| (value, "STOPROW"));
        if let Some((value, name)) = options.take("ENDROW").map(|value| (value, "ENDROW")).or(stop) {
            self.scan.stop = strict_bytes(&value, name)?;
        }
        if let Some(value) = options.take("ROWPREFIXFILTER") {
            let prefix = strict_bytes(&value, "ROWPREFIXFILTER")?;
            if !prefix.is_empty() {
                self.scan.stop = after_prefix(&prefix).into();
                self.scan.start = prefix;
            }
        }
        Ok(())
    }

    fn enumerations(&mut self, options: &mut Options) -> Result<(), CommandError> {
        for (key, class, names) in [
            ("ISOLATION_LEVEL", "IsolationLevel", &["READ_COMMITTED", "READ_UNCOMMITTED"][..]),
            ("READ_TYPE", "Scan.ReadType", &["DEFAULT", "STREAM", "PREAD"][..]),
        ] {
            if let Some(value) = options.take(key) {
                let name = text(&value);
                if !names.contains(&&name[..]) {
                    return Err(super::families::no_constant(
                        &format!("org.apache.hadoop.hbase.client.{class}"),
                        &name,
                        key,
                        names,
                    ));
                }
            }
        }
        Ok(())
    }
}
