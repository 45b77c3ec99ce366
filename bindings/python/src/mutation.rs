//! Mutations as Python passes them: dicts of columns, lists of columns and markers.

use std::fmt;

use bytes::Bytes;
use hjall_engine::Error;
use hjall_engine::mutation::{Delete, Durability, Marker, MarkerKind, Mutation, Put, PutCell};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};

use crate::convert::{self, Encoding};
use crate::error::{self, Place, Shown};

/// A column to write.
pub struct ColumnValue {
    /// The family.
    pub family: Bytes,
    /// The qualifier; `None` if the column has no colon, which [`Self::cell`] reports.
    pub qualifier: Option<Bytes>,
    /// The value.
    pub value: Bytes,
    /// Overrides the timestamp of the mutation.
    pub timestamp: Option<i64>,
}

/// The most columns that [`Columns`] keeps.
const COLUMNS_MAX: usize = 64;

/// The columns of the row that was converted last, in their order. Rows of a table mostly have the same columns, whose
/// names are then shared and not copied again.
#[derive(Default)]
pub struct Columns {
    known: Vec<(Bytes, Bytes)>,
    /// The index of the column that is expected next.
    next: usize,
}

impl Columns {
    /// The family and qualifier of a column. Without a colon it names a family.
    fn split(&mut self, column: &[u8]) -> (Bytes, Option<Bytes>) {
        if let Some((family, qualifier)) = self.known.get(self.next)
            && column.len() == family.len() + 1 + qualifier.len()
            && column[family.len()] == b':'
            && column.starts_with(family)
            && column.ends_with(qualifier)
        {
            self.next += 1;
            return (family.clone(), Some(qualifier.clone()));
        }
        let (family, qualifier) = convert::column(Bytes::copy_from_slice(column));
        if let Some(qualifier) = &qualifier
            && self.next < COLUMNS_MAX
        {
            self.known.truncate(self.next);
            self.known.push((family.clone(), qualifier.clone()));
            self.next += 1;
        }
        (family, qualifier)
    }
}

/// How the columns and values of a row are converted.
#[derive(Clone, Copy)]
pub struct RowContext<'a> {
    /// The row key, for messages.
    pub row: &'a [u8],
    /// The encoding of `str`.
    pub encoding: Encoding<'a>,
}

/// A column of a row, in messages.
struct ColumnIn<'a>(&'a [u8]);

impl fmt::Display for ColumnIn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a column of row {}", Shown(self.0))
    }
}

/// The value of a column, in messages.
pub struct ValueIn<'a> {
    /// The row key.
    pub row: &'a [u8],
    /// The family.
    pub family: &'a [u8],
    /// The qualifier; `None` if the column has no colon.
    pub qualifier: Option<&'a [u8]>,
}

impl fmt::Display for ValueIn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = match self.qualifier {
            Some(qualifier) => [self.family, qualifier].join(&b':'),
            None => self.family.to_vec(),
        };
        write!(f, "the value of {} in row {}", Shown(&column), Shown(self.row))
    }
}

/// The columns of a dict, or of an iterable of `(column, value)` and `(column, value, timestamp)`. A value may also be
/// `(value, timestamp)`, as `row(include_timestamp=True)` returns it.
///
/// # Errors
/// `TypeError` for any other type.
pub fn column_values(data: &Bound<'_, PyAny>, context: RowContext<'_>) -> PyResult<Vec<ColumnValue>> {
    column_values_like(data, context, &mut Columns::default())
}

/// [`column_values`], for one of several rows that may have the same columns.
///
/// # Errors
/// Those of [`column_values`].
pub fn column_values_like(
    data: &Bound<'_, PyAny>,
    context: RowContext<'_>,
    columns: &mut Columns,
) -> PyResult<Vec<ColumnValue>> {
    columns.next = 0;
    if let Ok(dict) = data.cast::<PyDict>() {
        let items = convert::items(dict)?;
        let mut column_values = Vec::with_capacity(items.len());
        for (column, value) in items {
            column_values.push(column_value(&column, &value, None, context, columns)?);
        }
        return Ok(column_values);
    }
    if data.hasattr("items")? {
        return values_of_items(&data.call_method0("items")?, context, columns);
    }
    values_of_items(data, context, columns)
}

fn values_of_items(
    items: &Bound<'_, PyAny>,
    context: RowContext<'_>,
    columns: &mut Columns,
) -> PyResult<Vec<ColumnValue>> {
    let wrong = || {
        PyTypeError::new_err(
            "data must be a dict, or an iterable of (column, value) or (column, value, timestamp) tuples",
        )
    };
    let mut column_values = Vec::new();
    for item in items.try_iter().map_err(|_| wrong())? {
        let item = item?;
        let item = item.cast::<PyTuple>().map_err(|_| wrong())?;
        let timestamp = match item.len() {
            2 => None,
            3 => Some(convert::timestamp(&item.get_item(2)?)?),
            _ => return Err(wrong()),
        };
        column_values.push(column_value(&item.get_item(0)?, &item.get_item(1)?, timestamp, context, columns)?);
    }
    Ok(column_values)
}

fn column_value(
    column: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
    timestamp: Option<i64>,
    context: RowContext<'_>,
    columns: &mut Columns,
) -> PyResult<ColumnValue> {
    let RowContext { row, encoding } = context;
    let (family, qualifier) = match column.cast::<PyBytes>() {
        Ok(column) => columns.split(column.as_bytes()),
        Err(_) => columns.split(&convert::bytes(column, ColumnIn(row), encoding)?),
    };
    let what = ValueIn { row, family: &family, qualifier: qualifier.as_deref() };
    let (value, timestamp) = match value.cast::<PyTuple>() {
        Ok(pair) if pair.len() == 2 => {
            let timestamp = convert::timestamp(&pair.get_item(1)?)?;
            (convert::bytes(&pair.get_item(0)?, what, encoding)?, Some(timestamp))
        }
        _ if value.is_none() => {
            return Err(PyTypeError::new_err(format!(
                "{what} must be bytes, not None: leave the column out, or delete the cell with delete"
            )));
        }
        _ => (convert::bytes(value, what, encoding)?, timestamp),
    };
    Ok(ColumnValue { family, qualifier, value, timestamp })
}

impl ColumnValue {
    /// Checks that the column has a qualifier.
    ///
    /// # Errors
    /// `InvalidArgument`.
    pub fn check(&self) -> Result<(), Error> {
        if self.qualifier.is_none() { Err(no_qualifier(&self.family)) } else { Ok(()) }
    }

    /// The cell to write. `timestamp` applies if the column has no timestamp.
    ///
    /// # Errors
    /// `ValueError` for a column without a qualifier, which begins with the place.
    pub fn cell(self, timestamp: i64, place: Place<'_>) -> PyResult<PutCell> {
        self.check().map_err(|e| error::from_call(&e, place))?;
        let (family, qualifier) = (self.family, self.qualifier.unwrap_or_default());
        Ok(PutCell { family, qualifier, timestamp: self.timestamp.unwrap_or(timestamp), value: self.value })
    }
}

impl From<PutCell> for ColumnValue {
    fn from(cell: PutCell) -> Self {
        let PutCell { family, qualifier, timestamp, value } = cell;
        Self { family, qualifier: Some(qualifier), value, timestamp: Some(timestamp) }
    }
}

/// The error for a family in place of a column.
pub fn no_qualifier(family: &Bytes) -> Error {
    let shown = family.escape_ascii();
    Error::invalid(format!(
        "a column must be b\"family:qualifier\", but b\"{shown}\" has no colon: the column with the empty qualifier is \
         b\"{shown}:\""
    ))
}

/// The markers of a delete, from columns and families as in HappyBase, and from `hjall.Marker`s; and the number of
/// items that they were made from.
///
/// # Errors
/// `TypeError` for any other type, `ValueError` for an invalid marker.
pub fn markers(columns: &Bound<'_, PyAny>, timestamp: i64, encoding: Encoding<'_>) -> PyResult<(Vec<Marker>, usize)> {
    if columns.is_instance_of::<PyBytes>() || columns.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err(format!(
            "columns must be an iterable of columns: write [{}]",
            columns.repr()?
        )));
    }
    let wrong = || {
        let given = convert::type_name(columns)?;
        Ok(format!("columns must be an iterable of columns, families and hjall.Marker, not {given}"))
    };
    let (mut markers, mut items) = (Vec::new(), 0);
    for item in convert::iterate(columns, wrong)?.try_iter()? {
        let item = item?;
        items += 1;
        match item.cast::<PyTuple>() {
            Ok(parts) => markers.push(marker(parts, timestamp, encoding)?),
            Err(_) => add_marker(&mut markers, column_marker(convert::bytes(&item, "a column", encoding)?, timestamp)),
        }
    }
    Ok((markers, items))
}

fn marker(parts: &Bound<'_, PyTuple>, timestamp: i64, encoding: Encoding<'_>) -> PyResult<Marker> {
    let own = match parts.len() {
        2 => None,
        3 => Some(parts.get_item(2)?).filter(|own| !own.is_none()),
        _ => {
            let shown = parts.repr()?;
            return Err(PyTypeError::new_err(format!(
                "a marker must be hjall.Marker(kind, column, timestamp), not {shown}: the timestamp may be left out"
            )));
        }
    };
    let kind = match &convert::text(&parts.get_item(0)?, "the kind of a marker")?[..] {
        "version" => MarkerKind::Version,
        "column" => MarkerKind::Column,
        "family" => MarkerKind::Family,
        "family-version" => MarkerKind::FamilyVersion,
        other => {
            return Err(error::invalid(format!(
                "the kind of a marker must be version, column, family or family-version, not {other:?}"
            )));
        }
    };
    let column = convert::bytes(&parts.get_item(1)?, "the column of a marker", encoding)?;
    let timestamp = match own {
        None => timestamp,
        Some(own) => convert::integer(&own, format_args!("the timestamp of the marker for {}", Shown(&column)))?,
    };
    let of_family = matches!(kind, MarkerKind::Family | MarkerKind::FamilyVersion);
    let (family, qualifier) = convert::column(column.clone());
    match qualifier {
        None if !of_family => Err(error::from_engine(&no_qualifier(&family))),
        // A family may be written with its colon, as in HappyBase.
        Some(qualifier) if of_family && !qualifier.is_empty() => Err(error::invalid(format!(
            "a marker of the kind family or family-version is for a whole family, but {} is a column: write {}, or use \
             the kind column or version",
            Shown(&column),
            Shown(&family)
        ))),
        qualifier => Ok(Marker { family, qualifier: qualifier.unwrap_or_default(), kind, timestamp }),
    }
}

/// The marker that deletes all versions of a column, or a whole family if `column` has no qualifier.
pub fn column_marker(column: Bytes, timestamp: i64) -> Marker {
    let (family, qualifier) = convert::column(column);
    let kind = if qualifier.is_some() { MarkerKind::Column } else { MarkerKind::Family };
    Marker { family, qualifier: qualifier.unwrap_or_default(), kind, timestamp }
}

/// Adds a marker in the manner of HBase's `Delete`: duplicates are dropped, and a family marker replaces all earlier
/// markers of the family.
pub fn add_marker(markers: &mut Vec<Marker>, marker: Marker) {
    if marker.kind == MarkerKind::Family {
        markers.retain(|other| other.family != marker.family);
    }
    if !markers.contains(&marker) {
        markers.push(marker);
    }
}

/// A `hjall.Put` or `hjall.Delete`, without the row.
#[derive(FromPyObject)]
pub struct MutationArgument<'py> {
    /// Whether it is a put.
    #[pyo3(attribute("_is_put"))]
    is_put: bool,
    /// The data of a put, or the columns of a delete.
    #[pyo3(attribute("_columns"))]
    columns: Option<Bound<'py, PyAny>>,
    timestamp: Option<Bound<'py, PyAny>>,
    ttl_ms: Option<Bound<'py, PyAny>>,
    durability: Option<Bound<'py, PyAny>>,
}

impl MutationArgument<'_> {
    /// The mutation, applied to `row`, of the call at `place`.
    ///
    /// # Errors
    /// `TypeError` and `ValueError` for invalid fields.
    pub fn mutation(&self, row: &Bytes, encoding: Encoding<'_>, place: Place<'_>) -> PyResult<Mutation> {
        let timestamp = convert::write_time(self.timestamp.as_ref(), place)?;
        let durability = match &self.durability {
            None => Durability::UseDefault,
            Some(name) => convert::level(convert::argument::durability(name)?, None),
        };
        let ttl_ms = convert::ttl(self.ttl_ms.as_ref())?;
        Ok(match (&self.columns, self.is_put) {
            (Some(data), true) => {
                let values = column_values(data, RowContext { row, encoding })?;
                let cells = values.into_iter().map(|value| value.cell(timestamp, place)).collect::<PyResult<_>>()?;
                Mutation::Put(Put { row: row.clone(), cells, ttl_ms, durability })
            }
            (columns, _) => {
                let markers = match columns {
                    None => Vec::new(),
                    Some(columns) => markers(columns, timestamp, encoding)?.0,
                };
                Mutation::Delete(Delete { row: row.clone(), markers, timestamp, ttl_ms, durability })
            }
        })
    }
}
