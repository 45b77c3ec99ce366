//! Cell sets in requests: rows with cells.

use std::fmt;

use bytes::{Buf, Bytes};
use hjall_engine::LATEST;
use hjall_engine::read::Budget;
use prost::Message;
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};
use serde::de::{
    DeserializeSeed, Deserializer as _, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor as JsonVisitor,
};

use super::error::{Answer, Failure, empty_body};
use super::json;
use super::{protobuf, xml};
use crate::gateway::context::CallContext;
use crate::wire::rest::Request;
use crate::wire::rest::media::Kind;

/// A cell in a request.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SentCell {
    /// `family:qualifier`, or `None` for the column of the address.
    pub(super) column: Option<Bytes>,
    /// Milliseconds, or [`LATEST`].
    pub(super) timestamp: i64,
    /// The value.
    pub(super) value: Bytes,
}

impl Default for SentCell {
    fn default() -> Self {
        Self { column: None, timestamp: LATEST, value: Bytes::new() }
    }
}

/// A row in a request.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct SentRow {
    /// The key, or `None` for the row of the address.
    pub(super) key: Option<Bytes>,
    /// The cells.
    pub(super) cells: Vec<SentCell>,
}

/// Reads the cell set in the body of a request. What it becomes counts towards the memory of the call.
pub(super) fn read(context: &CallContext<'_>, request: &Request, body: &[u8]) -> Answer<Vec<SentRow>> {
    match request.input {
        Some(Kind::Xml) => {
            let mut rows = XmlRows { budget: context.scope, rows: Vec::new(), value: String::new() };
            xml::read(body, "CellSet", &mut rows)?;
            Ok(rows.rows)
        }
        Some(Kind::Json) => of_json(context.scope, body),
        _ => of_protobuf(context.scope, body),
    }
}

fn claim(budget: &dyn Budget, bytes: usize) -> Answer<()> {
    budget.take(0, bytes).map_err(|error| Failure::of_memory(&error))
}

struct XmlRows<'a> {
    budget: &'a dyn Budget,
    rows: Vec<SentRow>,
    /// The text of the present cell.
    value: String,
}

impl xml::Visitor for XmlRows<'_> {
    fn keeps(&self, attribute: &str) -> bool {
        matches!(attribute, "key" | "column" | "timestamp")
    }

    fn start(&mut self, depth: usize, name: &str, attributes: xml::Attributes) -> Answer<bool> {
        let bytes = |name| xml::attribute(&attributes, name).map(|text| json::decode(name, text)).transpose();
        match (depth, name) {
            (0, _) => {}
            (1, "Row") => {
                claim(self.budget, size_of::<SentRow>())?;
                self.rows.push(SentRow { key: bytes("key")?, cells: Vec::new() });
            }
            (2, "Cell") => {
                claim(self.budget, size_of::<SentCell>())?;
                self.value.clear();
                let timestamp = match xml::attribute(&attributes, "timestamp") {
                    None => LATEST,
                    Some(text) => text.trim().parse().map_err(|_| {
                        Failure::bad(format!("timestamp must be a whole number, not \"{}\"", text.escape_default()))
                    })?,
                };
                if let Some(row) = self.rows.last_mut() {
                    row.cells.push(SentCell { column: bytes("column")?, timestamp, value: Bytes::new() });
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn text(&mut self, depth: usize, text: &str) -> Answer<()> {
        if depth == 2 {
            self.value.push_str(text);
        }
        Ok(())
    }

    fn end(&mut self, depth: usize, _: &str) -> Answer<()> {
        if let (2, Some(cell)) = (depth, self.rows.last_mut().and_then(|row| row.cells.last_mut())) {
            cell.value = json::decode("the value", &self.value)?;
            self.value.clear();
        }
        Ok(())
    }
}

fn of_json(budget: &dyn Budget, body: &[u8]) -> Answer<Vec<SentRow>> {
    let mut reader = serde_json::Deserializer::from_slice(body);
    let read = reader.deserialize_option(OptionalSet(budget));
    match read {
        Ok(Some(rows)) => Ok(rows),
        // As HBase's gateway, whose model is null then.
        Ok(None) => Err(Failure::bad("the body has no cell set: send {\"Row\":[…]}")),
        Err(error) if error.is_eof() && body.iter().all(u8::is_ascii_whitespace) => Err(empty_body()),
        Err(error) => match budget.check() {
            Err(exceeded) => Err(Failure::of_memory(&exceeded)),
            Ok(()) => Err(Failure::bad(format!("the body is not a cell set in JSON: {error}"))),
        },
    }
}

/// Reads an object, or `null`.
struct OptionalSet<'a>(&'a dyn Budget);

impl<'de> JsonVisitor<'de> for OptionalSet<'_> {
    type Value = Option<Vec<SentRow>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a cell set: {\"Row\":[…]}")
    }

    fn visit_none<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_some<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(SetFields(self.0))
    }
}

struct SetFields<'a>(&'a dyn Budget);

impl<'de> JsonVisitor<'de> for SetFields<'_> {
    type Value = Option<Vec<SentRow>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with the field Row")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut rows = Some(Vec::new());
        while let Some(name) = map.next_key::<String>()? {
            match &*name {
                "Row" => rows = map.next_value_seed(List(self.0, SentRow::json))?,
                _ => return Err(A::Error::unknown_field(&name, &["Row"])),
            }
        }
        Ok(rows)
    }
}

/// Reads the fields of one element of a list.
type ReadFields<T> = fn(&dyn Budget, &mut dyn Fields) -> Result<T, String>;

/// A list of objects, or `null`. The elements are claimed one by one.
struct List<'a, T>(&'a dyn Budget, ReadFields<T>);

impl<'de, T> DeserializeSeed<'de> for List<'_, T> {
    type Value = Option<Vec<T>>;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T> JsonVisitor<'de> for List<'_, T> {
    type Value = Option<Vec<T>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(one) = list.next_element_seed(Element(self.0, self.1))? {
            all.push(one);
        }
        Ok(Some(all))
    }
}

struct Element<'a, T>(&'a dyn Budget, ReadFields<T>);

impl<'de, T> DeserializeSeed<'de> for Element<'_, T> {
    type Value = T;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, T> JsonVisitor<'de> for Element<'_, T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        self.0.take(0, size_of::<T>()).map_err(A::Error::custom)?;
        (self.1)(self.0, &mut MapFields(map)).map_err(A::Error::custom)
    }
}

/// The fields of an object, one after the other.
trait Fields {
    /// The name of the next field.
    fn name(&mut self) -> Result<Option<String>, String>;
    /// The value of this field as a small value.
    fn value(&mut self) -> Result<serde_json::Value, String>;
    /// The value of this field as a list of cells.
    fn cells(&mut self, budget: &dyn Budget) -> Result<Option<Vec<SentCell>>, String>;
}

struct MapFields<A>(A);

impl<'de, A: MapAccess<'de>> Fields for MapFields<A> {
    fn name(&mut self) -> Result<Option<String>, String> {
        self.0.next_key().map_err(|error| error.to_string())
    }

    fn value(&mut self) -> Result<serde_json::Value, String> {
        self.0.next_value_seed(Scalar).map_err(|error| error.to_string())
    }

    fn cells(&mut self, budget: &dyn Budget) -> Result<Option<Vec<SentCell>>, String> {
        self.0.next_value_seed(List(budget, SentCell::json)).map_err(|error| error.to_string())
    }
}

/// A text, a number, a truth value or `null`; other values are not kept.
struct Scalar;

impl<'de> DeserializeSeed<'de> for Scalar {
    type Value = serde_json::Value;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> JsonVisitor<'de> for Scalar {
    type Value = serde_json::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(serde_json::Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(serde_json::Value::Array(Vec::new()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(serde_json::Value::Object(serde_json::Map::new()))
    }
}

impl SentRow {
    fn json(budget: &dyn Budget, fields: &mut dyn Fields) -> Result<Self, String> {
        let mut row = Self::default();
        while let Some(name) = fields.name()? {
            match &*name {
                "key" => row.key = json::bytes("key", &fields.value()?).map_err(|failure| failure.reason())?,
                // As HBase's gateway, which fails on a missing list.
                "Cell" => row.cells = fields.cells(budget)?.ok_or("Cell must be a list")?,
                _ => {
                    return Err(format!(
                        "the field {} of Row is unknown; the fields are key, Cell",
                        name.escape_default()
                    ));
                }
            }
        }
        Ok(row)
    }
}

impl SentCell {
    fn json(_: &dyn Budget, fields: &mut dyn Fields) -> Result<Self, String> {
        let mut cell = Self::default();
        while let Some(name) = fields.name()? {
            let text = |failure: Failure| failure.reason();
            let value = fields.value()?;
            match &*name {
                "column" => cell.column = json::bytes("column", &value).map_err(text)?,
                "timestamp" => cell.timestamp = json::number("timestamp", &value).map_err(text)?,
                "$" => cell.value = json::bytes("$", &value).map_err(text)?.unwrap_or_default(),
                _ => {
                    let name = name.escape_default();
                    return Err(format!("the field {name} of Cell is unknown; the fields are column, timestamp, $"));
                }
            }
        }
        Ok(cell)
    }
}

fn of_protobuf(budget: &dyn Budget, body: &[u8]) -> Answer<Vec<SentRow>> {
    let wrong = |error: prost::DecodeError| Failure::bad(format!("the body is not a cell set in protobuf: {error}"));
    let mut rows = Vec::new();
    // Rows and cells are found one by one, so that what they become is claimed before it exists.
    each(Bytes::copy_from_slice(body), 1, &mut |row| {
        claim(budget, size_of::<SentRow>())?;
        let mut sent = SentRow { key: Some(Bytes::new()), cells: Vec::new() };
        each(row.clone(), 1, &mut |key| {
            sent.key = Some(key);
            Ok(())
        })?;
        each(row, 2, &mut |cell| {
            claim(budget, size_of::<SentCell>())?;
            let protobuf::Cell { column, timestamp, data } = protobuf::Cell::decode(cell).map_err(wrong)?;
            sent.cells.push(SentCell {
                column: Some(column.unwrap_or_default()),
                timestamp: timestamp.unwrap_or(LATEST),
                value: data.unwrap_or_default(),
            });
            Ok(())
        })?;
        rows.push(sent);
        Ok(())
    })?;
    Ok(rows)
}

/// Passes each value of a field of a message to a function, and skips the other fields.
fn each(mut message: Bytes, wanted: u32, found: &mut dyn FnMut(Bytes) -> Answer<()>) -> Answer<()> {
    let wrong = |error: prost::DecodeError| Failure::bad(format!("the body is not a cell set in protobuf: {error}"));
    while message.has_remaining() {
        let (tag, of) = decode_key(&mut message).map_err(wrong)?;
        if tag != wanted || of != WireType::LengthDelimited {
            skip_field(of, tag, &mut message, DecodeContext::default()).map_err(wrong)?;
            continue;
        }
        let length = decode_varint(&mut message).map_err(wrong)?;
        match usize::try_from(length).ok().filter(|length| *length <= message.remaining()) {
            Some(length) => found(message.split_to(length))?,
            None => return Err(Failure::bad("the body is not a cell set in protobuf: it ends within a field")),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use hjall_engine::Cell;
    use hjall_engine::read::Unlimited;

    use super::*;
    use crate::gateway::rest::cell_writer::{CellSetWriter, column};
    use crate::gateway::rest::fixtures::{cell, row, written};

    #[test]
    fn what_is_written_can_be_read() {
        let rows = [row(vec![cell("a", b"x"), cell("", b"")]), row(vec![cell("b", &[0, 255])])];
        let sent = |cell: &Cell| SentCell {
            column: Some(column(cell).into()),
            timestamp: cell.timestamp,
            value: cell.value.clone(),
        };
        let wanted: Vec<_> = rows
            .iter()
            .map(|row| SentRow { key: Some(row.key.clone()), cells: row.cells.iter().map(sent).collect() })
            .collect();
        let json = of_json(&Unlimited, &written(CellSetWriter::new(Kind::Json), &rows)).ok().unwrap();
        assert_eq!(json, wanted);
        let message = of_protobuf(&Unlimited, &written(CellSetWriter::new(Kind::Protobuf), &rows)).ok().unwrap();
        assert_eq!(message, wanted);
        let mut reader = XmlRows { budget: &Unlimited, rows: Vec::new(), value: String::new() };
        assert!(xml::read(&written(CellSetWriter::new(Kind::Xml), &rows), "CellSet", &mut reader).is_ok());
        assert_eq!(reader.rows, wanted);
    }

    #[test]
    fn mistakes_in_json_are_refused() {
        for wrong in [
            "{",
            "[]",
            "5",
            "{\"Row\":5}",
            "{\"Row\":{}}",
            "{\"Row\":[5]}",
            "{\"nope\":[]}",
            "{\"Row\":[{\"nope\":1}]}",
            "{\"Row\":[{\"key\":\"%%%\"}]}",
            "{\"Row\":[{\"key\":5}]}",
            "{\"Row\":[{\"Cell\":[{\"nope\":1}]}]}",
            "{\"Row\":[{\"Cell\":[{\"timestamp\":\"x\"}]}]}",
            "null",
            "",
            "{\"Row\":null}",
        ] {
            assert!(of_json(&Unlimited, wrong.as_bytes()).is_err(), "{wrong}");
        }
        assert_eq!(of_json(&Unlimited, b"{}").ok().unwrap(), []);
    }
}
