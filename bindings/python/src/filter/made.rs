//! Every filter by the name of what it keeps.

use hjall_engine::filter::*;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::comparator::{comparator, comparing};
use super::{Filter, all_bytes, bound, bytes, raised};
use crate::convert;

#[pymethods]
impl Filter {
    #[staticmethod]
    fn key_only(length_as_value: bool) -> Self {
        Self::of(FilterSpec::key_only(length_as_value))
    }

    #[staticmethod]
    fn first_key_only() -> Self {
        Self::of(FilterSpec::FirstKeyOnly)
    }

    #[staticmethod]
    fn first_key_value_matching_qualifiers(qualifiers: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::of(FilterSpec::first_key_value_matching_qualifiers(all_bytes(qualifiers)?)))
    }

    #[staticmethod]
    fn prefix(prefix: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::of(FilterSpec::prefix(bytes(prefix)?)))
    }

    #[staticmethod]
    fn column_prefix(prefix: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::of(FilterSpec::column_prefix(bytes(prefix)?)))
    }

    #[staticmethod]
    fn multiple_column_prefix(prefixes: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::of(raised(FilterSpec::multiple_column_prefix(all_bytes(prefixes)?))?))
    }

    #[staticmethod]
    fn column_count_get(limit: i32) -> PyResult<Self> {
        Ok(Self::of(raised(FilterSpec::column_count_get(limit))?))
    }

    #[staticmethod]
    fn page(size: i64) -> PyResult<Self> {
        Ok(Self::of(raised(FilterSpec::page(size))?))
    }

    #[staticmethod]
    fn column_pagination(limit: i32, offset: i32, column_offset: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let spec = match column_offset {
            None => FilterSpec::column_pagination(limit, offset),
            Some(column_offset) => FilterSpec::column_pagination_from(limit, bytes(column_offset)?),
        };
        Ok(Self::of(raised(spec)?))
    }

    #[staticmethod]
    fn inclusive_stop(row: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::of(FilterSpec::inclusive_stop(bytes(row)?)))
    }

    #[staticmethod]
    fn timestamps(timestamps: Vec<i64>, can_hint: bool) -> PyResult<Self> {
        Ok(Self::of(raised(FilterSpec::timestamps(timestamps, can_hint))?))
    }

    #[staticmethod]
    fn row(compare: &str, with: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::of(FilterSpec::Row(comparing(compare, with)?)))
    }

    #[staticmethod]
    fn family(compare: &str, with: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::of(FilterSpec::Family(comparing(compare, with)?)))
    }

    #[staticmethod]
    fn qualifier(compare: &str, with: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::of(FilterSpec::Qualifier(comparing(compare, with)?)))
    }

    #[staticmethod]
    fn value(compare: &str, with: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self::of(FilterSpec::Value(comparing(compare, with)?)))
    }

    #[staticmethod]
    fn column_range(
        min: Option<&Bound<'_, PyAny>>,
        min_inclusive: bool,
        max: Option<&Bound<'_, PyAny>>,
        max_inclusive: bool,
    ) -> PyResult<Self> {
        Ok(Self::of(FilterSpec::column_range(bound(min)?, min_inclusive, bound(max)?, max_inclusive)))
    }

    /// The three filters that look at the value of one column, by how they are called.
    #[staticmethod]
    #[allow(clippy::too_many_arguments)]
    fn of_column(
        which: &str,
        family: &Bound<'_, PyAny>,
        qualifier: &Bound<'_, PyAny>,
        compare: &str,
        with: &Bound<'_, PyAny>,
        filter_if_missing: bool,
        latest_version_only: bool,
    ) -> PyResult<Self> {
        let check = ColumnCheck::new(bytes(family)?, bytes(qualifier)?, convert::compare(compare)?, comparator(with)?);
        let check = ColumnCheck { filter_if_missing, latest_version_only, ..check };
        Ok(Self::of(match which {
            "single" => FilterSpec::SingleColumnValue(check),
            "exclude" => FilterSpec::SingleColumnValueExclude(check),
            _ => FilterSpec::ColumnValue(check),
        }))
    }

    #[staticmethod]
    fn dependent(
        family: &Bound<'_, PyAny>,
        qualifier: &Bound<'_, PyAny>,
        drop_column: bool,
        compare: Option<&str>,
        with: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let compare = match (compare, with) {
            (Some(compare), Some(with)) => Some((convert::compare(compare)?, comparator(with)?)),
            (None, None) => None,
            _ => return Err(PyValueError::new_err("a comparison and what to compare with go together")),
        };
        Ok(Self::of(FilterSpec::dependent(bytes(family)?, bytes(qualifier)?, drop_column, compare)))
    }

    #[staticmethod]
    fn random_row(chance: f32) -> Self {
        Self::of(FilterSpec::RandomRow { chance })
    }

    #[staticmethod]
    fn fuzzy_row(pairs: Vec<(Bound<'_, PyAny>, Bound<'_, PyAny>)>) -> PyResult<Self> {
        let pair =
            |(key, mask): &(Bound<'_, PyAny>, Bound<'_, PyAny>)| Ok(FuzzyPair { key: bytes(key)?, mask: bytes(mask)? });
        let pairs = pairs.iter().map(pair).collect::<PyResult<Vec<_>>>()?;
        Ok(Self::of(FilterSpec::FuzzyRow(raised(FuzzyRows::new(pairs))?)))
    }

    #[staticmethod]
    fn multi_row_range(ranges: Vec<(Bound<'_, PyAny>, Bound<'_, PyAny>, bool, bool)>) -> PyResult<Self> {
        let range =
            |(start, stop, start_inclusive, stop_inclusive): &(Bound<'_, PyAny>, Bound<'_, PyAny>, bool, bool)| {
                let (start_inclusive, stop_inclusive) = (*start_inclusive, *stop_inclusive);
                Ok(RowRange { start_inclusive, stop_inclusive, ..RowRange::new(bytes(start)?, bytes(stop)?) })
            };
        let ranges = ranges.iter().map(range).collect::<PyResult<Vec<_>>>()?;
        Ok(Self::of(FilterSpec::MultiRowRange(raised(RowRanges::new(ranges))?)))
    }
}
