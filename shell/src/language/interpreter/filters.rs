//! HBase's filters and comparators as objects: `SingleColumnValueFilter.new(…)`.

use std::cell::RefCell;
use std::rc::Rc;

use bytes::Bytes;
use hjall_engine::filter::{BitwiseOp, ColumnCheck, Comparator, FilterSpec, FuzzyPair, RowRange};
use hjall_engine::mutation::CompareOp;

use super::super::inspect::to_text;
use super::super::value::{Java, Value};
use super::{Args, Outcome, Raise};

fn wrong(class: &str) -> Raise {
    Raise::argument(format!("no constructor of {class} takes these arguments"))
}

/// The bytes of an argument.
fn bytes(value: Option<&Value>) -> Option<Bytes> {
    Some(match value? {
        Value::Str(text) => Bytes::from(text.borrow().clone()),
        Value::Symbol(name) => Bytes::copy_from_slice(name),
        Value::Java(java) => match &**java {
            Java::Bytes(bytes) => Bytes::from(bytes.clone()),
            _ => return None,
        },
        _ => return None,
    })
}

fn int(value: Option<&Value>) -> Option<i64> {
    match value? {
        Value::Int(n) => Some(*n),
        _ => None,
    }
}

fn truth(value: Option<&Value>) -> Option<bool> {
    match value? {
        Value::Bool(flag) => Some(*flag),
        _ => None,
    }
}

/// An operator of comparison: a constant, or its sign or name.
fn operator(value: Option<&Value>) -> Option<CompareOp> {
    let name = match value? {
        Value::Java(java) => match &**java {
            Java::Constant(_, name) => name.clone(),
            _ => return None,
        },
        other => String::from_utf8_lossy(&other.text_bytes()?).into_owned(),
    };
    CompareOp::from_name(&name).or_else(|| CompareOp::from_symbol(&name))
}

/// A comparator, or bytes to compare with.
fn comparator(value: Option<&Value>) -> Option<Comparator> {
    if let Some(Value::Java(java)) = value
        && let Java::Comparator(comparator) = &**java
    {
        return Some(comparator.clone());
    }
    bytes(value).map(Comparator::binary)
}

/// The filter that a value is.
pub fn filter_of(value: &Value) -> Option<FilterSpec> {
    let Value::Java(java) = value else { return None };
    match &**java {
        Java::Filter(filter) => Some(filter.clone()),
        Java::FilterList(list) => {
            let (all, members) = &*list.borrow();
            Some(if *all { FilterSpec::all(members.clone()) } else { FilterSpec::one(members.clone()) })
        }
        _ => None,
    }
}

fn members(value: Option<&Value>) -> Option<Vec<Value>> {
    match value? {
        Value::Array(list) => Some(list.0.borrow().clone()),
        Value::Java(java) => match &**java {
            Java::List(_, list) => Some(list.borrow().clone()),
            _ => None,
        },
        _ => None,
    }
}

/// Creates a filter, a comparator, or a part of one.
pub fn new(class: &str, args: &[Value]) -> Outcome {
    let short = class.rsplit(['.', '$']).next().unwrap_or(class);
    if !class.contains(".filter.") && short != "Pair" {
        let message = format!("the Java class {class} is not part of this shell");
        return Err(Raise::new("NoMethodError", message));
    }
    if let Some(made) = part(short, args) {
        return made.ok_or_else(|| wrong(class)).map(Value::java);
    }
    let made = filter(short, args).ok_or_else(|| {
        let known = FilterSpec::parse(format!("{short}()").as_bytes());
        match known {
            Err(error) if error.message().contains("not supported") => {
                Raise::new("NoMethodError", format!("the Java class {class} is not part of this shell"))
            }
            _ => wrong(class),
        }
    })?;
    made.map(|filter| Value::java(Java::Filter(filter))).map_err(|error| Raise::argument(error.message()))
}

/// Comparators, lists and ranges.
fn part(short: &str, args: &[Value]) -> Option<Option<Java>> {
    let first = args.first();
    let comparator = |made: Option<Comparator>| made.map(Java::Comparator);
    Some(match short {
        "BinaryComparator" => comparator(bytes(first).map(Comparator::binary)),
        "BinaryPrefixComparator" => comparator(bytes(first).map(Comparator::binary_prefix)),
        "NullComparator" => comparator(Some(Comparator::null())),
        "SubstringComparator" => {
            comparator(bytes(first).map(|text| Comparator::substring(&String::from_utf8_lossy(&text))))
        }
        "RegexStringComparator" => {
            comparator(bytes(first).and_then(|text| Comparator::regex_string(&String::from_utf8_lossy(&text)).ok()))
        }
        "LongComparator" => comparator(int(first).map(Comparator::long)),
        "BitComparator" => {
            let op = args.get(1).map(|op| String::from_utf8_lossy(&to_text(op)).into_owned());
            let op = match op.as_deref() {
                Some("AND") => Some(BitwiseOp::And),
                Some("OR") => Some(BitwiseOp::Or),
                Some("XOR") => Some(BitwiseOp::Xor),
                _ => None,
            };
            comparator(bytes(first).zip(op).map(|(value, op)| Comparator::bit(value, op)))
        }
        "BinaryComponentComparator" => {
            let offset = int(args.get(1)).and_then(|offset| u32::try_from(offset).ok());
            comparator(bytes(first).zip(offset).map(|(value, offset)| Comparator::binary_component(value, offset)))
        }
        "FilterList" => {
            let all = match first {
                Some(Value::Java(java)) => match &**java {
                    Java::Constant(_, name) => Some(name == "MUST_PASS_ALL"),
                    _ => None,
                },
                _ => None,
            };
            let rest = &args[usize::from(all.is_some())..];
            let values = members(rest.first()).unwrap_or_else(|| rest.to_vec());
            let filters = values.iter().map(filter_of).collect::<Option<Vec<_>>>();
            filters.map(|filters| Java::FilterList(RefCell::new((all.unwrap_or(true), filters))))
        }
        "RowRange" => {
            let (start, stop) = (bytes(first), bytes(args.get(2)));
            start.zip(stop).map(|(start, stop)| {
                Java::RowRange(RowRange {
                    start,
                    start_inclusive: truth(args.get(1)).unwrap_or(true),
                    stop,
                    stop_inclusive: truth(args.get(3)).unwrap_or(false),
                })
            })
        }
        "Pair" => bytes(first).zip(bytes(args.get(1))).map(|(a, b)| Java::FuzzyPair(a.to_vec(), b.to_vec())),
        _ => return None,
    })
}

type Made = hjall_engine::Result<FilterSpec>;

fn filter(short: &str, args: &[Value]) -> Option<Made> {
    let first = args.first();
    let small = |value: Option<&Value>| int(value).and_then(|n| i32::try_from(n).ok());
    let comparing =
        |make: fn(CompareOp, Comparator) -> FilterSpec| Some(Ok(make(operator(first)?, comparator(args.get(1))?)));
    match short {
        "PrefixFilter" => Some(Ok(FilterSpec::prefix(bytes(first)?))),
        "ColumnPrefixFilter" => Some(Ok(FilterSpec::column_prefix(bytes(first)?))),
        "InclusiveStopFilter" => Some(Ok(FilterSpec::inclusive_stop(bytes(first)?))),
        "FirstKeyOnlyFilter" => Some(Ok(FilterSpec::first_key_only())),
        "KeyOnlyFilter" => Some(Ok(FilterSpec::key_only(truth(first).unwrap_or(false)))),
        "PageFilter" => Some(FilterSpec::page(int(first)?)),
        "ColumnCountGetFilter" => Some(FilterSpec::column_count_get(small(first)?)),
        "ColumnPaginationFilter" => Some(match bytes(args.get(1)) {
            Some(offset) => FilterSpec::column_pagination_from(small(first)?, offset),
            None => FilterSpec::column_pagination(small(first)?, small(args.get(1))?),
        }),
        "ColumnRangeFilter" => Some(Ok(FilterSpec::column_range(
            bytes(first),
            truth(args.get(1))?,
            bytes(args.get(2)),
            truth(args.get(3))?,
        ))),
        "RandomRowFilter" => Some(Ok(FilterSpec::random_row(super::numbers::as_float(first?)? as f32))),
        "RowFilter" => comparing(FilterSpec::row),
        "ValueFilter" => comparing(FilterSpec::value),
        "FamilyFilter" => comparing(FilterSpec::family),
        "QualifierFilter" => comparing(FilterSpec::qualifier),
        "SkipFilter" => Some(Ok(FilterSpec::skip(filter_of(first?)?))),
        "WhileMatchFilter" => Some(Ok(FilterSpec::while_match(filter_of(first?)?))),
        "SingleColumnValueFilter" | "SingleColumnValueExcludeFilter" => {
            let mut check =
                ColumnCheck::new(bytes(first)?, bytes(args.get(1))?, operator(args.get(2))?, comparator(args.get(3))?);
            check.filter_if_missing = truth(args.get(4)).unwrap_or(check.filter_if_missing);
            check.latest_version_only = truth(args.get(5)).unwrap_or(check.latest_version_only);
            Some(Ok(match short {
                "SingleColumnValueFilter" => FilterSpec::single_column_value(check),
                _ => FilterSpec::single_column_value_exclude(check),
            }))
        }
        "ColumnValueFilter" => Some(Ok(FilterSpec::column_value(
            bytes(first)?,
            bytes(args.get(1))?,
            operator(args.get(2))?,
            comparator(args.get(3))?,
        ))),
        "TimestampsFilter" => {
            let times = members(first)?.iter().map(|time| int(Some(time))).collect::<Option<Vec<_>>>()?;
            Some(FilterSpec::timestamps(times, truth(args.get(1)).unwrap_or(false)))
        }
        "MultipleColumnPrefixFilter" => {
            let prefixes = members(first)?.iter().map(|prefix| bytes(Some(prefix))).collect::<Option<Vec<_>>>()?;
            Some(FilterSpec::multiple_column_prefix(prefixes))
        }
        "MultiRowRangeFilter" => {
            let ranges = members(first)?
                .iter()
                .map(|range| match range {
                    Value::Java(java) => match &**java {
                        Java::RowRange(range) => Some(range.clone()),
                        _ => None,
                    },
                    _ => None,
                })
                .collect::<Option<Vec<_>>>()?;
            Some(FilterSpec::multi_row_range(ranges))
        }
        "FuzzyRowFilter" => {
            let pairs = members(first)?
                .iter()
                .map(|pair| match pair {
                    Value::Java(java) => match &**java {
                        Java::FuzzyPair(key, mask) => {
                            Some(FuzzyPair { key: key.clone().into(), mask: mask.clone().into() })
                        }
                        _ => None,
                    },
                    _ => None,
                })
                .collect::<Option<Vec<_>>>()?;
            Some(FilterSpec::fuzzy_row(pairs))
        }
        _ => None,
    }
}

/// Methods of filters.
pub fn method(java: &Rc<Java>, name: &str, args: &Args) -> Option<Outcome> {
    match (&**java, name) {
        (Java::FilterList(list), "addFilter" | "add_filter") => {
            let filter = args.list.first().and_then(filter_of);
            Some(match filter {
                Some(filter) => {
                    list.borrow_mut().1.push(filter);
                    Ok(Value::Nil)
                }
                None => Err(Raise::argument("addFilter takes a filter")),
            })
        }
        (Java::Filter(_), "setFilterIfMissing" | "setLatestVersionOnly" | "setReversed") => Some(Err(Raise::new(
            "NotImplementedError",
            format!(
                "{name} is not part of this shell; use the filter language: SingleColumnValueFilter('f', 'q', =, 'binary:v', true, true)"
            ),
        ))),
        _ => None,
    }
}
