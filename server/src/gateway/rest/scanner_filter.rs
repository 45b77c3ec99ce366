//! Filters of scanners, as JSON: an object with the name of HBase's class in `type`.

use bytes::Bytes;
use hjall_engine::Result as EngineResult;
use hjall_engine::filter::{
    BitwiseOp, ColumnCheck, Comparator, FilterSpec, FuzzyPair, LENGTH_MAX, ListOperator, RowRange, check_depth,
};
use hjall_engine::mutation::CompareOp;
use hjall_engine::quote;
use serde_json::{Map, Value};

use super::error::{Answer, Failure};
use super::json;
use crate::dispatch::call_scope::CallScope;

/// The fields of all filters. HBase refuses other fields for every filter.
const FIELDS: [&str; 21] = [
    "type",
    "op",
    "comparator",
    "value",
    "filters",
    "limit",
    "offset",
    "family",
    "qualifier",
    "ifMissing",
    "latestVersion",
    "minColumn",
    "minColumnInclusive",
    "maxColumn",
    "maxColumnInclusive",
    "dropDependentColumn",
    "chance",
    "prefixes",
    "ranges",
    "timestamps",
    "fuzzyKeys",
];

/// Parses a filter.
pub(super) fn parse(scope: &CallScope<'_>, text: &str) -> Answer<FilterSpec> {
    if text.len() > LENGTH_MAX {
        return Err(Failure::bad(format!(
            "the filter has {} bytes, the maximum is {LENGTH_MAX}: shorten it",
            text.len()
        )));
    }
    let value = json::value(scope, text.as_bytes(), |error| {
        let why = "the filter of a scanner is a JSON object such as {\"type\":\"PrefixFilter\",\"value\":\"YQ==\"}";
        Failure::bad(format!("{why}; /TABLE/PREFIX* takes the filter language: {error}"))
    })?;
    let spec = filter(value.as_ref().unwrap_or(&Value::Null))?;
    checked(check_depth(spec.depth()))?;
    Ok(spec)
}

/// The operators of comparison.
const OPERATORS: &str = "LESS, LESS_OR_EQUAL, EQUAL, NOT_EQUAL, GREATER_OR_EQUAL, GREATER or NO_OP";

/// The fields of one object.
struct Fields<'a>(&'a Map<String, Value>);

impl<'a> Fields<'a> {
    fn of(value: &'a Value, known: &[&str]) -> Answer<Self> {
        let Value::Object(fields) = value else { return Err(Failure::bad("a filter must be a JSON object")) };
        match fields.keys().find(|name| !known.contains(&&***name)) {
            Some(name) => Err(json::unknown(name, known)),
            None => Ok(Self(fields)),
        }
    }

    fn get(&self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn required(&self, name: &str) -> Answer<&'a Value> {
        self.get(name).ok_or_else(|| Failure::bad(format!("the filter needs the field {name}")))
    }

    fn text(&self, name: &str) -> Answer<String> {
        json::text(name, self.required(name)?).map(Option::unwrap_or_default)
    }

    fn bytes(&self, name: &str) -> Answer<Bytes> {
        json::decode(name, &self.text(name)?)
    }

    fn bytes_or_empty(&self, name: &str) -> Answer<Bytes> {
        self.get(name).map_or(Ok(Bytes::new()), |_| self.bytes(name))
    }

    fn number(&self, name: &str) -> Answer<i32> {
        json::small_number(name, self.required(name)?)
    }

    fn truth(&self, name: &str) -> Answer<bool> {
        json::truth(name, self.required(name)?)
    }

    fn list(&self, name: &str) -> Answer<&'a Vec<Value>> {
        json::list(name, self.required(name)?)?.ok_or_else(|| Failure::bad(format!("{name} must be a list")))
    }

    fn op(&self) -> Answer<CompareOp> {
        let name = self.text("op")?;
        CompareOp::from_name(&name).ok_or_else(|| {
            Failure::bad(format!("there is no operator \"{}\": use {OPERATORS}", quote::escaped_text(&name)))
        })
    }

    fn comparator(&self) -> Answer<Comparator> {
        let fields = Fields::of(self.required("comparator")?, &["type", "value", "op"])?;
        let kind = fields.text("type")?;
        Ok(match &*kind {
            "BinaryComparator" => Comparator::binary(fields.bytes("value")?),
            "BinaryPrefixComparator" => Comparator::binary_prefix(fields.bytes("value")?),
            "BitComparator" => {
                let op = fields.text("op")?;
                let op = match &*op {
                    "AND" => BitwiseOp::And,
                    "OR" => BitwiseOp::Or,
                    "XOR" => BitwiseOp::Xor,
                    _ => {
                        return Err(Failure::bad(format!(
                            "there is no operator \"{}\": use AND, OR or XOR",
                            quote::escaped_text(&op)
                        )));
                    }
                };
                Comparator::bit(fields.bytes("value")?, op)
            }
            "NullComparator" => Comparator::null(),
            "RegexStringComparator" => checked(Comparator::regex_string(&fields.text("value")?))?,
            "SubstringComparator" => Comparator::substring(&fields.text("value")?),
            _ => {
                return Err(Failure::bad(format!(
                    "there is no comparator \"{}\": use one of HBase's, such as BinaryComparator",
                    quote::escaped_text(&kind)
                )));
            }
        })
    }

    fn compare(&self) -> Answer<(CompareOp, Comparator)> {
        Ok((self.op()?, self.comparator()?))
    }

    fn column_check(&self) -> Answer<ColumnCheck> {
        let (op, comparator) = self.compare()?;
        let mut check = ColumnCheck::new(self.bytes("family")?, self.bytes_or_empty("qualifier")?, op, comparator);
        if self.get("ifMissing").is_some() {
            check.filter_if_missing = self.truth("ifMissing")?;
        }
        if self.get("latestVersion").is_some() {
            check.latest_version_only = self.truth("latestVersion")?;
        }
        Ok(check)
    }

    fn filters(&self) -> Answer<Vec<FilterSpec>> {
        self.list("filters")?.iter().map(filter).collect()
    }

    /// The only member of a filter that has one. HBase ignores further ones.
    fn inner(&self) -> Answer<FilterSpec> {
        self.list("filters")?
            .first()
            .map_or_else(|| Err(Failure::bad("filters is empty: name at least one filter")), filter)
    }
}

fn checked<T>(result: EngineResult<T>) -> Answer<T> {
    result.map_err(|error| Failure::bad(error.plain()))
}

fn filter(value: &Value) -> Answer<FilterSpec> {
    let fields = Fields::of(value, &FIELDS)?;
    let kind = fields.text("type")?;
    Ok(match &*kind {
        "ColumnCountGetFilter" => checked(FilterSpec::column_count_get(fields.number("limit")?))?,
        "ColumnPaginationFilter" => {
            checked(FilterSpec::column_pagination(fields.number("limit")?, fields.number("offset")?))?
        }
        "ColumnPrefixFilter" => FilterSpec::column_prefix(fields.bytes("value")?),
        "ColumnRangeFilter" => FilterSpec::column_range(
            Some(fields.bytes("minColumn")?),
            fields.truth("minColumnInclusive")?,
            Some(fields.bytes("maxColumn")?),
            fields.truth("maxColumnInclusive")?,
        ),
        "DependentColumnFilter" => FilterSpec::dependent(
            fields.bytes("family")?,
            fields.bytes_or_empty("qualifier")?,
            fields.truth("dropDependentColumn")?,
            Some(fields.compare()?),
        ),
        "FamilyFilter" => fields.compare().map(|(op, comparator)| FilterSpec::family(op, comparator))?,
        "FilterList" => {
            let name = fields.text("op")?;
            let operator = match &*name {
                "MUST_PASS_ALL" => ListOperator::All,
                "MUST_PASS_ONE" => ListOperator::One,
                _ => {
                    return Err(Failure::bad(format!(
                        "there is no operator \"{}\": use MUST_PASS_ALL or MUST_PASS_ONE",
                        quote::escaped_text(&name)
                    )));
                }
            };
            FilterSpec::list(operator, fields.filters()?)
        }
        "FirstKeyOnlyFilter" => FilterSpec::first_key_only(),
        "FuzzyRowFilter" => checked(FilterSpec::fuzzy_row(fuzzy_pairs(fields.list("fuzzyKeys")?)?))?,
        "InclusiveStopFilter" => FilterSpec::inclusive_stop(fields.bytes("value")?),
        "KeyOnlyFilter" => FilterSpec::key_only(false),
        "MultipleColumnPrefixFilter" => {
            let prefixes = fields.list("prefixes")?.iter().map(|prefix| json::bytes("prefixes", prefix));
            let prefixes: Vec<_> = prefixes.collect::<Answer<_>>()?;
            checked(FilterSpec::multiple_column_prefix(prefixes.into_iter().flatten()))?
        }
        "MultiRowRangeFilter" => {
            let ranges = fields.list("ranges")?.iter().map(range).collect::<Answer<_>>()?;
            checked(FilterSpec::multi_row_range(ranges))?
        }
        "PageFilter" => {
            let size = fields.text("value")?;
            let wrong =
                |_| Failure::bad(format!("value must be a whole number, not \"{}\"", quote::escaped_text(&size)));
            checked(FilterSpec::page(size.parse().map_err(wrong)?))?
        }
        "PrefixFilter" => FilterSpec::prefix(fields.bytes("value")?),
        "QualifierFilter" => fields.compare().map(|(op, comparator)| FilterSpec::qualifier(op, comparator))?,
        "RandomRowFilter" => {
            let text = fields.text("chance")?;
            let wrong = |_| Failure::bad(format!("chance must be a number, not \"{}\"", quote::escaped_text(&text)));
            FilterSpec::random_row(text.trim().parse().map_err(wrong)?)
        }
        "RowFilter" => fields.compare().map(|(op, comparator)| FilterSpec::row(op, comparator))?,
        "SingleColumnValueExcludeFilter" => FilterSpec::single_column_value_exclude(fields.column_check()?),
        "SingleColumnValueFilter" => FilterSpec::single_column_value(fields.column_check()?),
        "SkipFilter" => FilterSpec::skip(fields.inner()?),
        "TimestampsFilter" => {
            let times = fields.list("timestamps")?.iter().map(|time| json::number("timestamps", time));
            checked(FilterSpec::timestamps(times.collect::<Answer<Vec<_>>>()?, false))?
        }
        "ValueFilter" => fields.compare().map(|(op, comparator)| FilterSpec::value(op, comparator))?,
        "WhileMatchFilter" => FilterSpec::while_match(fields.inner()?),
        _ => {
            return Err(Failure::bad(format!(
                "there is no filter \"{}\": use one of HBase's, such as PrefixFilter",
                quote::escaped_text(&kind)
            )));
        }
    })
}

fn range(value: &Value) -> Answer<RowRange> {
    let fields = Fields::of(value, &["startRow", "startRowInclusive", "stopRow", "stopRowInclusive"])?;
    let truth = |name, default| fields.get(name).map_or(Ok(default), |_| fields.truth(name));
    Ok(RowRange {
        start: fields.bytes_or_empty("startRow")?,
        start_inclusive: truth("startRowInclusive", true)?,
        stop: fields.bytes_or_empty("stopRow")?,
        stop_inclusive: truth("stopRowInclusive", false)?,
    })
}

fn fuzzy_pairs(values: &[Value]) -> Answer<Vec<FuzzyPair>> {
    let pair = |value| {
        let fields = Fields::of(value, &["key", "mask"])?;
        Ok(FuzzyPair { key: fields.bytes("key")?, mask: fields.bytes("mask")? })
    };
    values.iter().map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gateway::rest::fixtures::caller;

    #[test]
    fn mistakes_in_filters_are_refused() {
        let caller = caller();
        let scope = CallScope::unlimited(&caller);
        for wrong in [
            "",
            "x",
            "[]",
            "{}",
            r#"{"type":"Nope"}"#,
            r#"{"type":"prefixFilter","value":"YQ=="}"#,
            r#"{"type":"PrefixFilter"}"#,
            r#"{"type":"PrefixFilter","value":"%"}"#,
            r#"{"type":"PrefixFilter","value":"YQ==","nope":1}"#,
            r#"{"type":"FuzzyRowFilter"}"#,
            r#"{"type":"RowFilter"}"#,
            r#"{"type":"RowFilter","op":"NOPE","comparator":{"type":"NullComparator"}}"#,
            r#"{"type":"RowFilter","op":"EQUAL","comparator":{"type":"Nope"}}"#,
            r#"{"type":"RowFilter","op":"EQUAL","comparator":{"type":"RegexStringComparator","value":"("}}"#,
            r#"{"type":"PageFilter","value":"x"}"#,
            r#"{"type":"FilterList","filters":[]}"#,
            r#"{"type":"ColumnRangeFilter","minColumn":"","minColumnInclusive":true}"#,
        ] {
            assert!(parse(&scope, wrong).is_err(), "{wrong}");
        }
        let deep = format!("{}{{}}{}", r#"{"type":"SkipFilter","filters":["#.repeat(200), "]}".repeat(200));
        assert!(parse(&scope, &deep).is_err());
    }
}
