//! What commands print: HBase's tables, or records for programs.

mod layout;
pub mod time;

use std::borrow::Cow;
use std::io::{self, BufWriter, Write};

use hjall_engine::quote::is_hidden;
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

/// Records that a table in CSV may wait for before its header is written.
const HEADER_RECORDS: usize = 100;

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
    /// The reason why nothing more can be written.
    closed: Option<io::Error>,
    /// Records that wait until the header of their table is known.
    waiting: Vec<Vec<(String, Field)>>,
    /// The names in the header.
    columns: Vec<String>,
    /// Whether the last thing written ended with a line break.
    pub at_line_start: bool,
}

impl Output {
    /// Writes to a sink.
    pub fn new(sink: Box<dyn Write>, format: Format, width: usize, colour: bool) -> Self {
        let sink = BufWriter::with_capacity(32 << 10, sink);
        Self {
            sink,
            format,
            width,
            colour,
            records: 0,
            listing: false,
            closed: None,
            waiting: Vec::new(),
            columns: Vec::new(),
            at_line_start: true,
        }
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

    /// Whether nothing more can be written: the reader has closed the output, or a write failed.
    pub fn is_closed(&self) -> bool {
        self.closed.is_some()
    }

    /// The reason why a write failed. An output that its reader has closed is not a failure.
    pub fn write_error(&self) -> Option<&io::Error> {
        self.closed.as_ref().filter(|error| error.kind() != io::ErrorKind::BrokenPipe)
    }

    /// The command lists something, perhaps nothing: JSON then is an empty array.
    pub fn lists(&mut self) {
        self.listing = true;
    }

    /// Writes bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) {
        if self.is_closed() || bytes.is_empty() {
            return;
        }
        self.at_line_start = bytes.ends_with(b"\n");
        if let Err(error) = self.sink.write_all(bytes) {
            self.closed = Some(error);
        }
    }

    /// Passes on what has been written.
    pub fn flush(&mut self) {
        if !self.is_closed()
            && let Err(error) = self.sink.flush()
        {
            self.closed = Some(error);
        }
    }

    /// A line of plain text. Programs get none.
    pub fn line(&mut self, text: &str) {
        if self.tables() {
            let text = self.harmless(text);
            self.raw(format!("{text}\n").as_bytes());
        }
    }

    /// A line that is padded to the width of the terminal.
    pub fn row(&mut self, text: &str) {
        self.listing = true;
        if self.tables() {
            let text = layout::one(&self.harmless(text), self.width);
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
            let (first, second) = (self.harmless(first), self.harmless(second));
            let text = layout::two(&first, &second, self.width, false);
            self.raw(text.as_bytes());
        }
    }

    /// `N row(s)`.
    pub fn rows(&mut self, count: u64) {
        self.line(&format!("{count} row(s)"));
    }

    /// The text of an error, in red on a terminal.
    pub fn painted_error(&self, text: &str) -> String {
        let text = self.harmless(text);
        if self.colour { format!("\x1b[31m{text}\x1b[0m") } else { text.into_owned() }
    }

    /// A text from a server or a table. On a terminal, characters that it does not show as they are, are escaped.
    fn harmless<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let is_escaped = |letter: char| is_hidden(letter) && !matches!(letter, '\n' | '\t');
        if self.width == 0 || !text.contains(is_escaped) {
            return Cow::Borrowed(text);
        }
        let shown = |letter: char| match (is_escaped(letter), u32::from(letter)) {
            (false, _) => letter.to_string(),
            (true, code @ ..=0xff) => format!("\\x{code:02X}"),
            (true, code) => format!("\\u{{{code:X}}}"),
        };
        Cow::Owned(text.chars().map(shown).collect())
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
                self.waiting.push(fields);
                if self.waiting.len() < HEADER_RECORDS && self.columns.is_empty() {
                    return;
                }
                return self.write_waiting();
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

    /// Writes the records that wait, as lines of one table. Its header has the names of all records that came before
    /// it was written; if a later record has another name, a new header follows an empty line.
    fn write_waiting(&mut self) {
        let records = std::mem::take(&mut self.waiting);
        let known = |columns: &[String], name: &String| columns.contains(name);
        if records.iter().flatten().any(|(name, _)| !known(&self.columns, name)) {
            if !self.columns.is_empty() {
                self.raw(b"\n");
            }
            for (name, _) in records.iter().flatten() {
                if !known(&self.columns, name) {
                    self.columns.push(name.clone());
                }
            }
            let header = csv_line(self.columns.iter().cloned());
            self.raw(header.as_bytes());
        }
        for record in records {
            let cells = self.columns.iter().map(|column| {
                let field = record.iter().find(|(name, _)| name == column).map(|(_, field)| field);
                match field {
                    None => String::new(),
                    Some(Field::Text(text)) => text.clone(),
                    Some(Field::Int(n)) => n.to_string(),
                    Some(Field::Bool(flag)) => flag.to_string(),
                }
            });
            let line = csv_line(cells);
            self.raw(line.as_bytes());
        }
    }

    /// Ends the records of a command. The array of one that failed stays open, so that a program does not take it for
    /// a whole one.
    pub fn end_records(&mut self, complete: bool) {
        self.write_waiting();
        self.columns.clear();
        if self.format == Format::Json && (self.records > 0 || (self.listing && complete)) {
            let end: &[u8] = match (self.records, complete) {
                (0, _) => b"[]\n",
                (_, true) => b"\n]\n",
                (_, false) => b"\n",
            };
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
