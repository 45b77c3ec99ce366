//! One step of a script: a verb, words and options (`--name=value`), in the order of the line.

use std::collections::BTreeMap;

use bytes::Bytes;
use hjall_engine::LATEST;
use hjall_engine::mutation::{Append, Delete, Durability, Increment, Marker, MarkerKind, Mutation, Put, PutCell};
use hjall_engine::name::TableName;
use hjall_engine::request::{Columns, TimeRange};
use hjall_engine::schema::{FamilyDescriptor, TableDescriptor};

use super::text::{unescape, value};

/// A parsed line.
pub struct Step<'a> {
    pub verb: &'a str,
    pub words: Vec<&'a str>,
    options: BTreeMap<&'a str, &'a str>,
}

fn bytes(word: &str) -> Bytes {
    unescape(word).into()
}

/// `family:qualifier` as its two parts; without a colon the qualifier is empty.
pub fn column(word: &str) -> (Bytes, Bytes) {
    let (family, qualifier) = word.split_once(':').unwrap_or((word, ""));
    (bytes(family), bytes(qualifier))
}

/// `rest@timestamp` as its two parts; without a timestamp, the server assigns one.
fn timed(word: &str) -> (&str, i64) {
    match word.rsplit_once('@') {
        Some((rest, at)) => (rest, at.parse().unwrap()),
        None => (word, LATEST),
    }
}

impl<'a> Step<'a> {
    pub fn parse(line: &'a str) -> Self {
        let mut all = line.split_ascii_whitespace();
        let verb = all.next().unwrap();
        let (options, words): (Vec<_>, Vec<_>) = all.partition(|w| w.starts_with("--"));
        let options = options.into_iter().map(|o| o[2..].split_once('=').unwrap_or((&o[2..], ""))).collect();
        Self { verb, words, options }
    }

    pub fn option(&self, name: &str) -> Option<&'a str> {
        self.options.get(name).copied()
    }

    pub fn has(&self, name: &str) -> bool {
        self.options.contains_key(name)
    }

    pub fn number<T: std::str::FromStr<Err: std::fmt::Debug>>(&self, name: &str) -> Option<T> {
        self.option(name).map(|text| text.parse().unwrap())
    }

    pub fn table(&self) -> TableName {
        TableName::parse(self.words[0].as_bytes()).unwrap()
    }

    pub fn row(&self) -> Bytes {
        value(self.words[1]).into()
    }

    fn durability(&self) -> Durability {
        self.option("durability").map(|d| Durability::from_name(d).unwrap()).unwrap_or_default()
    }

    /// `f{VERSIONS=3,TTL=10}`.
    pub fn family(word: &str) -> FamilyDescriptor {
        let (name, attributes) = word.trim_end_matches('}').split_once('{').unwrap_or((word, ""));
        let mut family = FamilyDescriptor::new(bytes(name)).unwrap();
        for pair in attributes.split(',').filter(|p| !p.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap();
            family.set(key.to_owned(), bytes(value));
        }
        family
    }

    /// The table with the families that follow its name; attributes as options: `--READONLY=true`.
    pub fn descriptor(&self) -> TableDescriptor {
        let mut descriptor = TableDescriptor::new(self.table());
        for word in &self.words[1..] {
            descriptor.add_family(Self::family(word)).unwrap();
        }
        for (key, value) in self.options.iter().filter(|(k, _)| **k != "splits") {
            descriptor.set((*key).to_owned(), bytes(value));
        }
        descriptor
    }

    pub fn splits(&self) -> Vec<Bytes> {
        self.option("splits").map(|s| s.split(',').map(bytes).collect()).unwrap_or_default()
    }

    /// The selected columns, from the word at this index on: `f` is a family, `f:q` a column.
    pub fn columns(&self, from: usize) -> Columns {
        let mut columns = Columns::all();
        for word in &self.words[from..] {
            let (family, qualifier) = column(word);
            if word.contains(':') {
                columns.add_column(family, qualifier)
            } else {
                columns.add_family(family)
            };
        }
        columns
    }

    /// `--range=5..10`.
    pub fn time_range(&self) -> hjall_engine::Result<TimeRange> {
        match self.option("range").map(|r| r.split_once("..").unwrap()) {
            Some((min, max)) => TimeRange::new(min.parse().unwrap(), max.parse().unwrap()),
            None => Ok(TimeRange::ALL),
        }
    }

    /// Cells `f:q@time=value`.
    pub fn put(&self, row: Bytes, words: &[&str]) -> Put {
        let cell = |word: &&str| {
            let (place, text) = word.split_once('=').unwrap();
            let (name, timestamp) = timed(place);
            let (family, qualifier) = column(name);
            PutCell { family, qualifier, timestamp, value: value(text).into() }
        };
        Put { row, cells: words.iter().map(cell).collect(), ttl_ms: self.number("ttl"), durability: self.durability() }
    }

    /// Pairs of words: the kind of marker, and what it covers, `f:q@time`.
    pub fn delete(&self, row: Bytes, words: &[&str]) -> Delete {
        let marker = |pair: &[&str]| {
            let kind = match pair[0] {
                "version" => MarkerKind::Version,
                "column" => MarkerKind::Column,
                "family" => MarkerKind::Family,
                "family-version" => MarkerKind::FamilyVersion,
                other => panic!("{other} is not a marker"),
            };
            let (name, timestamp) = timed(pair[1]);
            let (family, qualifier) = column(name);
            Marker { family, qualifier, kind, timestamp }
        };
        Delete {
            row,
            markers: words.chunks(2).map(marker).collect(),
            timestamp: self.number("at").unwrap_or(LATEST),
            ttl_ms: self.number("ttl"),
            durability: self.durability(),
        }
    }

    /// `put cell… ; delete marker… ; …`
    pub fn mutations(&self, row: &Bytes, from: usize) -> Vec<Mutation> {
        let one = |words: &[&str]| match words[0] {
            "put" => Mutation::Put(self.put(row.clone(), &words[1..])),
            "delete" => Mutation::Delete(self.delete(row.clone(), &words[1..])),
            other => panic!("{other} is not a mutation"),
        };
        self.words[from..].split(|w| *w == ";").filter(|w| !w.is_empty()).map(one).collect()
    }

    /// `f:q=5 …`
    pub fn increment(&self) -> Increment {
        let columns = self.words[2..].iter().map(|word| {
            let (name, amount) = word.split_once('=').unwrap();
            let (family, qualifier) = column(name);
            (family, qualifier, amount.parse().unwrap())
        });
        Increment {
            row: self.row(),
            columns: columns.collect(),
            ttl_ms: self.number("ttl"),
            durability: self.durability(),
        }
    }

    /// `f:q=suffix …`
    pub fn append(&self) -> Append {
        let columns = self.words[2..].iter().map(|word| {
            let (name, suffix) = word.split_once('=').unwrap();
            let (family, qualifier) = column(name);
            (family, qualifier, Bytes::from(value(suffix)))
        });
        Append {
            row: self.row(),
            columns: columns.collect(),
            ttl_ms: self.number("ttl"),
            durability: self.durability(),
        }
    }
}
