//! The filters that the language knows by name.

use super::argument::{Argument, Arguments, Wrong};
use crate::filter::{ColumnCheck, Compare, FilterSpec};

type Build = fn(&[Argument]) -> Result<FilterSpec, Wrong>;

const NAMED: [(&str, Build); 19] = [
    ("ColumnCountGetFilter", |given| {
        let arguments = count(given, &[1], "1: the number of columns")?;
        checked(0, FilterSpec::column_count_get(arguments.int(0)?))
    }),
    ("ColumnPaginationFilter", |given| {
        let arguments = count(given, &[2], "2: limit, offset")?;
        checked(0, FilterSpec::column_pagination(arguments.int(0)?, arguments.int(1)?))
    }),
    ("ColumnPrefixFilter", |given| Ok(FilterSpec::column_prefix(count(given, &[1], "1: the prefix")?.string(0)?))),
    ("ColumnRangeFilter", |given| {
        let arguments = count(given, &[4], "4: min, minInclusive, max, maxInclusive")?;
        let (min, min_inclusive) = (arguments.bound(0)?, arguments.truth(1)?);
        let (max, max_inclusive) = (arguments.bound(2)?, arguments.truth(3)?);
        Ok(FilterSpec::column_range(min, min_inclusive, max, max_inclusive))
    }),
    ("ColumnValueFilter", |given| {
        let arguments = count(given, &[4], "4: family, qualifier, operator, comparator")?;
        Ok(FilterSpec::ColumnValue(check(&arguments)?))
    }),
    ("DependentColumnFilter", |given| {
        let arguments =
            count(given, &[2, 3, 5], "2, 3 or 5: family, qualifier, dropDependentColumn, operator, comparator")?;
        let (family, qualifier) = (arguments.string(0)?, arguments.string(1)?);
        let drop_column = given.len() > 2 && arguments.truth(2)?;
        let compare = match given.len() {
            5 => Some((arguments.operator(3)?, arguments.comparator(4)?)),
            _ => None,
        };
        Ok(FilterSpec::dependent(family, qualifier, drop_column, compare))
    }),
    ("FamilyFilter", |given| Ok(FilterSpec::Family(compare(given)?))),
    ("FirstKeyOnlyFilter", |given| {
        count(given, &[0], "0")?;
        Ok(FilterSpec::FirstKeyOnly)
    }),
    ("InclusiveStopFilter", |given| Ok(FilterSpec::inclusive_stop(count(given, &[1], "1: the last row")?.string(0)?))),
    ("KeyOnlyFilter", |given| {
        let arguments = count(given, &[0, 1], "0 or 1: lenAsVal")?;
        Ok(FilterSpec::key_only(!given.is_empty() && arguments.truth(0)?))
    }),
    ("MultipleColumnPrefixFilter", |given| {
        let arguments = Arguments(given);
        let prefixes: Result<Vec<_>, _> = (0..given.len()).map(|n| arguments.string(n)).collect();
        checked(0, FilterSpec::multiple_column_prefix(prefixes?))
    }),
    ("PageFilter", |given| {
        let arguments = count(given, &[1], "1: the number of rows")?;
        checked(0, FilterSpec::page(arguments.long(0)?))
    }),
    ("PrefixFilter", |given| Ok(FilterSpec::prefix(count(given, &[1], "1: the prefix")?.string(0)?))),
    ("QualifierFilter", |given| Ok(FilterSpec::Qualifier(compare(given)?))),
    ("RowFilter", |given| Ok(FilterSpec::Row(compare(given)?))),
    ("SingleColumnValueExcludeFilter", |given| Ok(FilterSpec::SingleColumnValueExclude(row_check(given)?))),
    ("SingleColumnValueFilter", |given| Ok(FilterSpec::SingleColumnValue(row_check(given)?))),
    ("TimestampsFilter", |given| {
        let arguments = Arguments(given);
        let timestamps: Result<Vec<_>, _> = (0..given.len()).map(|n| arguments.long(n)).collect();
        checked(0, FilterSpec::timestamps(timestamps?, false))
    }),
    ("ValueFilter", |given| Ok(FilterSpec::Value(compare(given)?))),
];

/// How the filter of that name is built.
pub(super) fn builder(name: &[u8]) -> Option<Build> {
    NAMED.iter().find(|(known, _)| known.as_bytes() == name).map(|(_, build)| *build)
}

/// What to write instead of an unknown name.
pub(super) fn suggestion(name: &str) -> String {
    match NAMED.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)) {
        Some((known, _)) => format!("{known} (names are case-sensitive)"),
        None => {
            let names: Vec<_> = NAMED.iter().map(|(known, _)| *known).collect();
            format!("one of {}", names.join(", "))
        }
    }
}

fn count<'a>(given: &'a [Argument], allowed: &[usize], signature: &str) -> Result<Arguments<'a>, Wrong> {
    if allowed.contains(&given.len()) {
        Ok(Arguments(given))
    } else {
        Err(Wrong::all(format!("expected {signature} arguments, found {}", given.len())))
    }
}

fn checked(argument: usize, built: crate::Result<FilterSpec>) -> Result<FilterSpec, Wrong> {
    built.map_err(|error| Wrong { argument: Some(argument), message: error.message().to_owned() })
}

fn compare(given: &[Argument]) -> Result<Compare, Wrong> {
    let (op, comparator) = count(given, &[2], "2: operator, comparator")?.compare(0)?;
    Ok(Compare::new(op, comparator))
}

fn check(arguments: &Arguments<'_>) -> Result<ColumnCheck, Wrong> {
    let (family, qualifier) = (arguments.string(0)?, arguments.string(1)?);
    let (op, comparator) = arguments.compare(2)?;
    Ok(ColumnCheck::new(family, qualifier, op, comparator))
}

fn row_check(given: &[Argument]) -> Result<ColumnCheck, Wrong> {
    let signature = "4 or 6: family, qualifier, operator, comparator, filterIfMissing, latestVersionOnly";
    let arguments = count(given, &[4, 6], signature)?;
    let mut check = check(&arguments)?;
    if given.len() == 6 {
        check.filter_if_missing = arguments.truth(4)?;
        check.latest_version_only = arguments.truth(5)?;
    }
    Ok(check)
}
