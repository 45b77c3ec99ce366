//! How cells are shown: converters of columns, formatters, lengths.

use std::collections::HashMap;

use bytes::Bytes;
use hjall_engine::name::TableName;
use hjall_engine::region::to_string_binary;
use hjall_engine::{Cell, CellKind};

use super::arguments::{CommandError, Options, long, text};
use crate::connection::region_text;
use crate::convert;
use crate::output::time::timestamp;

/// The class whose methods convert bytes.
const BYTES: &str = "org.apache.hadoop.hbase.util.Bytes";

/// A conversion of bytes, by its name.
#[derive(Debug, Clone)]
pub struct Converter(String);

impl Converter {
    /// Splits a column as it is written from its converter: the part behind the last colon, if it names one.
    pub fn split(written: &[u8]) -> Result<(&[u8], Option<Self>), CommandError> {
        let colons: Vec<usize> =
            written.iter().enumerate().filter(|(_, byte)| **byte == b':').map(|(at, _)| at).collect();
        let (Some(&last), true) = (colons.last(), colons.len() > 1) else { return Ok((written, None)) };
        let name = String::from_utf8_lossy(&written[last + 1..]).into_owned();
        if convert::is_conversion(&name) {
            return Ok((&written[..last], Some(Self(name))));
        }
        // `c(class).method`
        if let Some((class, method)) = name.strip_prefix("c(").and_then(|rest| rest.split_once(").")) {
            return Ok((&written[..last], Some(Self::of_class(class, method)?)));
        }
        Ok((written, None))
    }

    fn of_class(class: &str, method: &str) -> Result<Self, CommandError> {
        if class != BYTES {
            return Err(CommandError::complete(
                "NameError",
                format!("uninitialized constant {class}: the shell converts with {BYTES} only"),
            ));
        }
        if !convert::is_conversion(method) {
            let message =
                format!("{method} is not a conversion of {BYTES}; some are toString, toInt, toLong and toStringBinary");
            return Err(CommandError::complete("NameError", message));
        }
        Ok(Self(method.to_owned()))
    }

    fn text(&self, bytes: &[u8]) -> Result<String, CommandError> {
        match convert::convert(&self.0, bytes) {
            Some(Ok(converted)) => Ok(convert::text(&converted)),
            Some(Err(message)) => Err(CommandError::argument(
                message,
                format!("these bytes cannot be converted with {}: choose another conversion, or none", self.0),
            )),
            None => Ok(to_string_binary(bytes)),
        }
    }
}

/// How the cells of one read are shown.
#[derive(Default)]
pub struct Display {
    /// The converters of columns.
    pub converters: HashMap<(Bytes, Bytes), Converter>,
    formatter: Option<Converter>,
    /// Characters of `timestamp=…, value=…`.
    max_length: Option<usize>,
}

impl Display {
    /// Takes the options FORMATTER, FORMATTER_CLASS and MAXLENGTH.
    pub fn take(&mut self, options: &mut Options) -> Result<(), CommandError> {
        let class = options.take("FORMATTER_CLASS").map(|class| text(&class));
        let method = options.take("FORMATTER").map(|method| text(&method));
        if let Some(method) = method {
            self.formatter = Some(Converter::of_class(class.as_deref().unwrap_or(BYTES), &method)?);
        }
        if let Some(length) = options.take("MAXLENGTH") {
            self.max_length = usize::try_from(long(&length, "MAXLENGTH")?).ok().filter(|length| *length > 0);
        }
        Ok(())
    }

    /// Bytes outside of values: rows, families, qualifiers.
    pub fn plain(&self, bytes: &[u8]) -> Result<String, CommandError> {
        match &self.formatter {
            Some(formatter) => formatter.text(bytes),
            None => Ok(to_string_binary(bytes)),
        }
    }

    /// `family:qualifier`.
    pub fn column(&self, cell: &Cell) -> Result<String, CommandError> {
        Ok(format!("{}:{}", self.plain(&cell.family)?, self.plain(&cell.qualifier)?))
    }

    /// The value alone.
    pub fn value(&self, table: &TableName, cell: &Cell) -> Result<String, CommandError> {
        if table.is_meta()
            && &cell.family[..] == b"info"
            && &cell.qualifier[..] == b"regioninfo"
            && let Some(region) = region_text(&cell.value)
        {
            return Ok(region);
        }
        if table.is_meta() && &cell.qualifier[..] == b"serverstartcode" && cell.value.len() == 8 {
            return Converter("toLong".to_owned()).text(&cell.value);
        }
        let own = self.converters.get(&(cell.family.clone(), cell.qualifier.clone()));
        match own.or(self.formatter.as_ref()) {
            Some(converter) => converter.text(&cell.value),
            None => Ok(to_string_binary(&cell.value)),
        }
    }

    /// `timestamp=…, value=…`, or the type of a delete marker in place of the value.
    pub fn cell(&self, table: &TableName, cell: &Cell) -> Result<String, CommandError> {
        let time = timestamp(cell.timestamp);
        let shown = match kind(cell.kind) {
            Some(kind) => format!("timestamp={time}, type={kind}"),
            None => format!("timestamp={time}, value={}", self.value(table, cell)?),
        };
        Ok(self.cut(shown))
    }

    /// A text, cut to MAXLENGTH.
    pub fn cut(&self, text: String) -> String {
        match self.max_length {
            Some(length) => text.chars().take(length).collect(),
            None => text,
        }
    }
}

/// The name of a delete marker.
pub fn kind(kind: CellKind) -> Option<&'static str> {
    Some(match kind {
        CellKind::Put => return None,
        CellKind::Delete => "Delete",
        CellKind::DeleteColumn => "DeleteColumn",
        CellKind::DeleteFamily => "DeleteFamily",
        CellKind::DeleteFamilyVersion => "DeleteFamilyVersion",
    })
}
