//! One operation of a random history, and its line in a script.

use std::fmt::Write as _;

/// Families of the table, by number.
pub const FAMILIES: [&str; 4] = ["f", "g", "h", "k"];
/// Qualifiers, by number.
pub const QUALIFIERS: [&str; 3] = ["", "a", "b"];
/// Rows, by number, in order.
pub const ROWS: [&str; 4] = ["a", "b", "b\\x00", "c"];

/// A column: numbers of its family and qualifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Column(pub usize, pub usize);

/// A timestamp; `None`: assigned by the server.
pub type Time = Option<i64>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Put,
    Version,
    Column,
    FamilyVersion,
    Family,
}

/// A put or delete of the operation's row.
#[derive(Debug, Clone)]
pub enum Part {
    Put {
        cells: Vec<(Column, Time, u8)>,
        ttl: Option<i64>,
    },
    /// Without markers: the whole row.
    Delete {
        markers: Vec<(Kind, Column, Time)>,
        at: Time,
    },
}

/// The attributes of a family of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    pub versions: i32,
    pub min_versions: i32,
    pub ttl_seconds: Option<i64>,
    pub keep_deleted: bool,
}

/// The selection of a read.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// Families (`None`) and columns of them; empty: everything.
    pub columns: Vec<(usize, Option<usize>)>,
    pub versions: i32,
    pub range: Option<(i64, i64)>,
}

#[derive(Debug, Clone)]
pub enum Op {
    Write(usize, Part),
    Mutate(usize, Vec<Part>),
    /// Compares the column's newest value with a given one.
    Check {
        row: usize,
        column: Column,
        not: bool,
        value: Option<u8>,
        parts: Vec<Part>,
    },
    Increment(usize, Vec<(Column, i64)>),
    Append(usize, Vec<(Column, u8)>),
    Get {
        row: usize,
        wanted: Wanted,
        limit: i32,
        offset: i32,
    },
    Exists(usize, Wanted),
    Scan {
        from: usize,
        reversed: bool,
        wanted: Wanted,
        batch: i32,
        limit: i32,
    },
    Advance(i64),
    Flush,
    Compact {
        major: bool,
    },
    Reopen,
    /// Disables, truncates and enables the table.
    Truncate,
    /// Drops a family and creates it again.
    Renew(usize),
    Modify(usize, Rules),
}

fn column(column: Column) -> String {
    format!("{}:{}", FAMILIES[column.0], QUALIFIERS[column.1])
}

fn at(time: Time) -> String {
    time.map(|t| format!("@{t}")).unwrap_or_default()
}

/// A value as text: letters, so that no value is eight bytes by chance.
pub fn value(number: u8) -> String {
    format!("v{number}")
}

pub fn family(number: usize, rules: Rules) -> String {
    let ttl = rules.ttl_seconds.map(|t| format!(",TTL={t}")).unwrap_or_default();
    let keep = if rules.keep_deleted { "TRUE" } else { "FALSE" };
    let name = FAMILIES[number];
    format!("{name}{{VERSIONS={},MIN_VERSIONS={},KEEP_DELETED_CELLS={keep}{ttl}}}", rules.versions, rules.min_versions)
}

impl Part {
    /// The words after the verb; options last.
    fn words(&self) -> String {
        let mut out = String::new();
        match self {
            Self::Put { cells, ttl } => {
                for (c, time, v) in cells {
                    write!(out, " {}{}={}", column(*c), at(*time), value(*v)).unwrap();
                }
                if let Some(ttl) = ttl {
                    write!(out, " --ttl={ttl}").unwrap();
                }
            }
            Self::Delete { markers, at: whole } => {
                for (kind, c, time) in markers {
                    let word = match kind {
                        Kind::Version => "version",
                        Kind::Column => "column",
                        Kind::FamilyVersion => "family-version",
                        Kind::Family | Kind::Put => "family",
                    };
                    write!(out, " {word} {}{}", column(*c), at(*time)).unwrap();
                }
                if let (true, Some(t)) = (markers.is_empty(), whole) {
                    write!(out, " --at={t}").unwrap();
                }
            }
        }
        out
    }

    fn verb(&self) -> &'static str {
        match self {
            Self::Put { .. } => "put",
            Self::Delete { .. } => "delete",
        }
    }
}

fn parts(parts: &[Part]) -> String {
    parts.iter().map(|p| format!(" {}{} ;", p.verb(), p.words())).collect()
}

impl Wanted {
    fn words(&self) -> String {
        let mut out = String::new();
        for (f, q) in &self.columns {
            match q {
                Some(q) => write!(out, " {}", column(Column(*f, *q))).unwrap(),
                None => write!(out, " {}", FAMILIES[*f]).unwrap(),
            }
        }
        write!(out, " --versions={}", self.versions).unwrap();
        if let Some((min, max)) = self.range {
            write!(out, " --range={min}..{max}").unwrap();
        }
        out
    }
}

impl Op {
    /// The lines of a script that perform it.
    pub fn lines(&self) -> Vec<String> {
        let one = match self {
            Self::Write(row, part) => format!("{} t {}{}", part.verb(), ROWS[*row], part.words()),
            Self::Mutate(row, all) => format!("mutate t {}{}", ROWS[*row], parts(all)),
            Self::Check { row, column: c, not, value: given, parts: all } => {
                let op = if *not { "NOT_EQUAL" } else { "EQUAL" };
                let given = given.map(|v| format!("={}", value(v))).unwrap_or_default();
                format!("check t {} {} {op}{given}{}", ROWS[*row], column(*c), parts(all))
            }
            Self::Increment(row, columns) => {
                let columns: String = columns.iter().map(|(c, n)| format!(" {}={n}", column(*c))).collect();
                format!("increment t {}{columns}", ROWS[*row])
            }
            Self::Append(row, columns) => {
                let columns: String = columns.iter().map(|(c, v)| format!(" {}={}", column(*c), value(*v))).collect();
                format!("append t {}{columns}", ROWS[*row])
            }
            Self::Get { row, wanted, limit, offset } => {
                format!("get t {}{} --limit={limit} --offset={offset}", ROWS[*row], wanted.words())
            }
            Self::Exists(row, wanted) => format!("exists t {}{}", ROWS[*row], wanted.words()),
            Self::Scan { from, reversed, wanted, batch, limit } => {
                let reversed = if *reversed { " --reversed" } else { "" };
                format!("scan t{} --start={}{reversed} --batch={batch} --limit={limit}", wanted.words(), ROWS[*from])
            }
            Self::Advance(ms) => format!("advance {ms}"),
            Self::Flush => "flush t".to_owned(),
            Self::Compact { major } => if *major { "compact t --major" } else { "compact t" }.to_owned(),
            // A reopened store may continue from a stored time slightly ahead of the clock.
            Self::Reopen => return vec!["reopen".to_owned(), "advance 5000".to_owned()],
            Self::Truncate => return vec!["disable t".to_owned(), "truncate t --preserve".to_owned()],
            Self::Renew(f) => {
                // The new family has the default attributes.
                return vec![format!("delete-family t {}", FAMILIES[*f]), format!("add-family t {}", FAMILIES[*f])];
            }
            Self::Modify(f, rules) => format!("modify-family t {}", family(*f, *rules)),
        };
        vec![one]
    }
}
