//! Cell sets in requests: rows with cells.

use std::fmt;
use std::marker::PhantomData;

use bytes::Bytes;
use hjall_engine::LATEST;
use hjall_engine::quote;
use prost::Message;
use serde::de::{DeserializeSeed, Deserializer as _, Error as _, MapAccess, SeqAccess, Visitor as JsonVisitor};

use super::error::{Answer, Failure, empty_body};
use super::json::{self, Base64, Claimed};
use super::protobuf::{self, each_field};
use super::xml;
use crate::dispatch::call_scope::CallScope;
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

/// The memory of a row, beside its bytes: in the request, whose list has up to three times its rows when it grows, and
/// as a mutation. Its transaction has as much.
const ROW_BYTES: usize = 256;
/// The memory of a cell, likewise.
const CELL_BYTES: usize = 256;

/// Reads the cell set in the body of a request. The memory of its decoded form is claimed while it is read.
pub(super) fn read(context: &CallContext<'_>, request: &Request, body: &[u8]) -> Answer<Vec<SentRow>> {
    let memory = Memory(context.scope);
    match request.input {
        Some(Kind::Xml) => of_xml(memory, body),
        Some(Kind::Json) => of_json(memory, body),
        _ => of_protobuf(memory, body),
    }
}

/// Claims the memory of a cell set.
#[derive(Clone, Copy)]
struct Memory<'a>(&'a CallScope<'a>);

impl Memory<'_> {
    /// Claims memory of the reader alone, in bytes.
    fn reader(self, bytes: usize) -> Answer<()> {
        self.0.claim_request(bytes).map_err(|error| Failure::of_memory(&error))
    }

    /// Claims the memory of decoded values, in bytes.
    fn decoded(self, bytes: usize) -> Answer<()> {
        self.0.claim_decoded(bytes).map_err(|error| Failure::of_memory(&error))
    }
}

fn of_xml(memory: Memory<'_>, body: &[u8]) -> Answer<Vec<SentRow>> {
    // A text with references is put together. Its buffer may have twice its length.
    memory.reader(body.len().saturating_mul(2))?;
    let mut rows = XmlRows { memory, rows: Vec::new(), value: String::new() };
    xml::read(body, "CellSet", &mut rows)?;
    Ok(rows.rows)
}

struct XmlRows<'a> {
    memory: Memory<'a>,
    rows: Vec<SentRow>,
    /// The text of the present cell.
    value: String,
}

impl xml::Visitor for XmlRows<'_> {
    fn keeps(&self, attribute: &str) -> bool {
        matches!(attribute, "key" | "column" | "timestamp")
    }

    fn start(&mut self, depth: usize, name: &str, attributes: xml::Attributes) -> Answer<bool> {
        let memory = self.memory;
        let bytes = |name| {
            let Some(text) = xml::attribute(&attributes, name) else { return Ok(None) };
            memory.decoded(text.len())?;
            json::decode(name, text).map(Some)
        };
        match (depth, name) {
            (0, _) => {}
            (1, "Row") => {
                memory.decoded(ROW_BYTES)?;
                self.rows.push(SentRow { key: bytes("key")?, cells: Vec::new() });
            }
            (2, "Cell") => {
                memory.decoded(CELL_BYTES)?;
                self.value.clear();
                let timestamp = match xml::attribute(&attributes, "timestamp") {
                    None => LATEST,
                    Some(text) => text.trim().parse().map_err(|_| {
                        Failure::bad(format!("timestamp must be a whole number, not \"{}\"", quote::escaped_text(text)))
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
            self.memory.decoded(self.value.len())?;
            cell.value = json::decode("the value", &self.value)?;
            self.value.clear();
        }
        Ok(())
    }
}

fn of_json(memory: Memory<'_>, body: &[u8]) -> Answer<Vec<SentRow>> {
    // A text with escapes is put together. Its buffer may have twice its length.
    memory.reader(body.len().saturating_mul(2))?;
    let mut reader = serde_json::Deserializer::from_slice(body);
    let read = reader.deserialize_option(OptionalSet(memory));
    match read {
        Ok(Some(rows)) => Ok(rows),
        // As HBase's gateway, whose model is null then.
        Ok(None) => Err(Failure::bad("the body has no cell set: send {\"Row\":[…]}")),
        Err(error) if error.is_eof() && body.iter().all(u8::is_ascii_whitespace) => Err(empty_body()),
        Err(error) => Err(Failure::of_memory_or(memory.0, || {
            Failure::bad(format!("the body is not a cell set in JSON: {error}"))
        })),
    }
}

/// Reads an object, or `null`.
struct OptionalSet<'a>(Memory<'a>);

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
        deserializer.deserialize_any(SetFields(self.0))
    }
}

struct SetFields<'a>(Memory<'a>);

impl<'de> JsonVisitor<'de> for SetFields<'_> {
    type Value = Option<Vec<SentRow>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with the field Row")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Err(json::unexpected_text(text, &self))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut rows = Some(Vec::new());
        while let Some(name) = map.next_key_seed(json::FieldName)? {
            match &*name {
                "Row" => rows = map.next_value_seed(List(self.0, PhantomData))?,
                _ => return Err(A::Error::unknown_field(&name, &["Row"])),
            }
        }
        Ok(rows)
    }
}

/// An element of a list: an object.
trait Element: Sized {
    /// Its memory, beside its bytes.
    const BYTES: usize;

    /// Reads its fields.
    fn read<'de, A: MapAccess<'de>>(memory: Memory<'_>, fields: A) -> Result<Self, A::Error>;
}

/// A list of objects, or `null`. The elements are claimed one by one.
struct List<'a, T>(Memory<'a>, PhantomData<T>);

impl<'de, T: Element> DeserializeSeed<'de> for List<'_, T> {
    type Value = Option<Vec<T>>;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Element> JsonVisitor<'de> for List<'_, T> {
    type Value = Option<Vec<T>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Err(json::unexpected_text(text, &self))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut all = Vec::new();
        while let Some(one) = list.next_element_seed(One(self.0, PhantomData))? {
            all.push(one);
        }
        Ok(Some(all))
    }
}

struct One<'a, T>(Memory<'a>, PhantomData<T>);

impl<'de, T: Element> DeserializeSeed<'de> for One<'_, T> {
    type Value = T;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Element> JsonVisitor<'de> for One<'_, T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Err(json::unexpected_text(text, &self))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        self.0.decoded(T::BYTES).map_err(|failure| A::Error::custom(failure.reason()))?;
        T::read(self.0, map)
    }
}

impl Element for SentRow {
    const BYTES: usize = ROW_BYTES;

    fn read<'de, A: MapAccess<'de>>(memory: Memory<'_>, mut fields: A) -> Result<Self, A::Error> {
        let mut row = Self::default();
        while let Some(name) = fields.next_key_seed(json::FieldName)? {
            match &*name {
                "key" => row.key = fields.next_value_seed(Base64(memory.0, "key"))?,
                // As HBase's gateway, which fails on a missing list.
                "Cell" => {
                    let cells = fields.next_value_seed(List(memory, PhantomData))?;
                    row.cells = cells.ok_or_else(|| A::Error::custom("Cell must be a list"))?;
                }
                _ => {
                    let name = quote::escaped_text(&name);
                    return Err(A::Error::custom(format_args!(
                        "the field {name} of Row is unknown; the fields are key, Cell"
                    )));
                }
            }
        }
        Ok(row)
    }
}

impl Element for SentCell {
    const BYTES: usize = CELL_BYTES;

    fn read<'de, A: MapAccess<'de>>(memory: Memory<'_>, mut fields: A) -> Result<Self, A::Error> {
        let mut cell = Self::default();
        while let Some(name) = fields.next_key_seed(json::FieldName)? {
            match &*name {
                "column" => cell.column = fields.next_value_seed(Base64(memory.0, "column"))?,
                "timestamp" => {
                    let value = fields.next_value_seed(Claimed(memory.0))?;
                    let wrong = |failure: Failure| A::Error::custom(failure.reason());
                    cell.timestamp = json::number("timestamp", &value).map_err(wrong)?;
                }
                "$" => cell.value = fields.next_value_seed(Base64(memory.0, "$"))?.unwrap_or_default(),
                _ => {
                    let name = quote::escaped_text(&name);
                    return Err(A::Error::custom(format_args!(
                        "the field {name} of Cell is unknown; the fields are column, timestamp, $"
                    )));
                }
            }
        }
        Ok(cell)
    }
}

fn of_protobuf(memory: Memory<'_>, body: &[u8]) -> Answer<Vec<SentRow>> {
    const ROW: u32 = 1;
    const KEY: u32 = 1;
    const CELL: u32 = 2;
    let wrong = |error: prost::DecodeError| Failure::bad(format!("the body is not a cell set in protobuf: {error}"));
    let mut rows = Vec::new();
    // Rows and cells are found one by one, so that their memory is claimed before they are decoded. They share a copy
    // of the body.
    memory.reader(body.len())?;
    each_field(Bytes::copy_from_slice(body), &wrong, &mut |tag, row| {
        if tag != ROW {
            return Ok(());
        }
        let mut sent = SentRow { key: Some(Bytes::new()), cells: Vec::new() };
        memory.decoded(ROW_BYTES)?;
        each_field(row, &wrong, &mut |tag, field| {
            match tag {
                KEY => {
                    memory.decoded(field.len())?;
                    sent.key = Some(field);
                }
                CELL => {
                    memory.decoded(CELL_BYTES.saturating_add(field.len()))?;
                    let protobuf::Cell { column, timestamp, data } = protobuf::Cell::decode(field).map_err(wrong)?;
                    sent.cells.push(SentCell {
                        column: Some(column.unwrap_or_default()),
                        timestamp: timestamp.unwrap_or(LATEST),
                        value: data.unwrap_or_default(),
                    });
                }
                _ => {}
            }
            Ok(())
        })?;
        rows.push(sent);
        Ok(())
    })?;
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use hjall_engine::Cell;

    use super::*;
    use crate::gateway::rest::cell_writer::{CellSetWriter, column};
    use crate::gateway::rest::fixtures::{caller, cell, row, written};

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
        let caller = caller();
        let scope = CallScope::unlimited(&caller);
        let memory = Memory(&scope);
        let json = of_json(memory, &written(CellSetWriter::new(Kind::Json), &rows)).ok().unwrap();
        assert_eq!(json, wanted);
        let message = of_protobuf(memory, &written(CellSetWriter::new(Kind::Protobuf), &rows)).ok().unwrap();
        assert_eq!(message, wanted);
        let xml = of_xml(memory, &written(CellSetWriter::new(Kind::Xml), &rows)).ok().unwrap();
        assert_eq!(xml, wanted);
    }

    #[test]
    fn mistakes_in_json_are_refused() {
        let caller = caller();
        let scope = CallScope::unlimited(&caller);
        let memory = Memory(&scope);
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
            assert!(of_json(memory, wrong.as_bytes()).is_err(), "{wrong}");
        }
        // Of what is long, the text of the error has only the beginning.
        let long = "\u{80}".repeat(1 << 20);
        for wrong in [
            format!("\"{long}\""),
            format!("{{\"Row\":\"{long}\"}}"),
            format!("{{\"Row\":[\"{long}\"]}}"),
            format!("{{\"{long}\":[]}}"),
            format!("{{\"Row\":[{{\"{long}\":1}}]}}"),
            format!("{{\"Row\":[{{\"Cell\":\"{long}\"}}]}}"),
            format!("{{\"Row\":[{{\"Cell\":[{{\"{long}\":1}}]}}]}}"),
            format!("{{\"Row\":[{{\"Cell\":[{{\"timestamp\":\"{long}\"}}]}}]}}"),
        ] {
            let Err(failure) = of_json(memory, wrong.as_bytes()) else { panic!("it is accepted") };
            assert!(failure.reason().len() < 20_000, "{}", failure.reason().len());
        }
        assert_eq!(of_json(memory, b"{}").ok().unwrap(), []);
    }
}
