//! What commands print: HBase's tables, or records for programs.

mod layout;
pub mod time;

use std::io::{self, BufWriter, Write};

use serde_json::{Map, Value as Json};

/// The format of what commands print.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Format {
    /// HBase's tables.
    #[default]
    Table,
    /// One JSON array for each command.
    Json,
    /// One JSON object on each line.
    JsonLines,
    /// Comma-separated values with a header for each command.
    Csv,
}

impl Format {
    /// The names of all formats.
    pub const NAMES: [&str; 4] = ["table", "json", "jsonl", "csv"];

    /// The format of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "table" => Self::Table,
            "json" => Self::Json,
            "jsonl" => Self::JsonLines,
            "csv" => Self::Csv,
            _ => return None,
        })
    }
}

/// A value in a record.
#[derive(Debug, Clone, PartialEq)]
pub enum Field {
    /// Text.
    Text(String),
    /// A number.
    Int(i64),
    /// A truth value.
    Bool(bool),
}

impl From<&str> for Field {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Field {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for Field {
    fn from(n: i64) -> Self {
        Self::Int(n)
    }
}

impl From<bool> for Field {
    fn from(flag: bool) -> Self {
        Self::Bool(flag)
    }
}

/// Writes to standard output.
pub struct Output {
    sink: BufWriter<Box<dyn Write>>,
    format: Format,
    /// The width of the terminal; 0: none.
    width: usize,
    colour: bool,
    /// The records of the running command so far.
    records: usize,
    /// Whether the running command prints a table, which may have no rows.
    listing: bool,
    closed: bool,
    /// Whether the last thing written ended with a line break.
    pub at_line_start: bool,
}

impl Output {
    /// Writes to a sink.
    pub fn new(sink: Box<dyn Write>, format: Format, width: usize, colour: bool) -> Self {
        let sink = BufWriter::with_capacity(32 << 10, sink);
        Self { sink, format, width, colour, records: 0, listing: false, closed: false, at_line_start: true }
    }

    /// The format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Whether tables are printed, and not records.
    pub fn tables(&self) -> bool {
        self.format == Format::Table
    }

    /// Changes the width of the terminal.
    pub fn set_width(&mut self, width: usize) {
        self.width = width;
    }

    /// Whether the output has been closed by its reader.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Writes bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) {
        if self.closed || bytes.is_empty() {
            return;
        }
        self.at_line_start = bytes.ends_with(b"\n");
        if self.sink.write_all(bytes).is_err() {
            self.closed = true;
        }
    }

    /// Passes on what has been written.
    pub fn flush(&mut self) {
        if !self.closed && self.sink.flush().is_err() {
            self.closed = true;
        }
    }

    /// A line of plain text. Programs get none.
    pub fn line(&mut self, text: &str) {
        if self.tables() {
            self.raw(format!("{text}\n").as_bytes());
        }
    }

    /// A line that is padded to the width of the terminal.
    pub fn row(&mut self, text: &str) {
        self.listing = true;
        if self.tables() {
            let text = layout::one(text, self.width);
            self.raw(text.as_bytes());
        }
    }

    /// The time that a command took, with or without a line break.
    pub fn took(&mut self, seconds: f64, line_break: bool) {
        if self.tables() {
            let text = layout::one(&format!("Took {seconds:.4} seconds"), self.width);
            let text = if line_break { &text } else { text.trim_end_matches('\n') };
            self.raw(text.as_bytes());
        }
    }

    /// A header of two columns.
    pub fn header(&mut self, first: &str, second: &str) {
        self.listing = true;
        if self.tables() {
            let text = layout::two(first, second, self.width, true);
            self.raw(text.as_bytes());
        }
    }

    /// A row of two columns.
    pub fn pair(&mut self, first: &str, second: &str) {
        if self.tables() {
            let text = layout::two(first, second, self.width, false);
            self.raw(text.as_bytes());
        }
    }

    /// `N row(s)`.
    pub fn rows(&mut self, count: u64) {
        self.line(&format!("{count} row(s)"));
    }

    /// The text of an error, in red on a terminal.
    pub fn painted_error(&self, text: &str) -> String {
        if self.colour { format!("\x1b[31m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// A record for programs.
    pub fn record<const N: usize>(&mut self, fields: [(&str, Field); N]) {
        self.fields(fields.into_iter().map(|(name, field)| (name.to_owned(), field)).collect());
    }

    /// A record for programs, with any fields.
    pub fn fields(&mut self, fields: Vec<(String, Field)>) {
        if self.tables() {
            return;
        }
        self.records += 1;
        let first = self.records == 1;
        let text = match self.format {
            Format::Csv => {
                let mut out = String::new();
                if first {
                    out.push_str(&csv_line(fields.iter().map(|(name, _)| name.clone())));
                }
                out + &csv_line(fields.iter().map(|(_, field)| match field {
                    Field::Text(text) => text.clone(),
                    Field::Int(n) => n.to_string(),
                    Field::Bool(flag) => flag.to_string(),
                }))
            }
            _ => {
                let object: Map<String, Json> = fields
                    .into_iter()
                    .map(|(name, field)| {
                        let json = match field {
                            Field::Text(text) => Json::String(text),
                            Field::Int(n) => Json::from(n),
                            Field::Bool(flag) => Json::Bool(flag),
                        };
                        (name, json)
                    })
                    .collect();
                let object = Json::Object(object).to_string();
                match (self.format, first) {
                    (Format::JsonLines, _) => format!("{object}\n"),
                    (_, true) => format!("[\n{object}"),
                    (_, false) => format!(",\n{object}"),
                }
            }
        };
        self.raw(text.as_bytes());
    }

    /// Ends the records of a command.
    pub fn end_records(&mut self) {
        if self.format == Format::Json && (self.records > 0 || self.listing) {
            let end: &[u8] = if self.records == 0 { b"[]\n" } else { b"\n]\n" };
            self.raw(end);
        }
        (self.records, self.listing) = (0, false);
    }
}

fn csv_line(values: impl Iterator<Item = String>) -> String {
    let quoted = |value: String| {
        if value.contains(['"', ',', '\n', '\r']) || value.starts_with(' ') || value.ends_with(' ') {
            format!("\"{}\"", value.replace('"', "\"\""))
        } else {
            value
        }
    };
    let line: Vec<_> = values.map(quoted).collect();
    format!("{}\n", line.join(","))
}

/// Standard output.
pub fn standard() -> Box<dyn Write> {
    Box::new(io::stdout())
}
