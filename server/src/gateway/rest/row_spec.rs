//! Row, columns and times of an address: `ROW[,END][/COLUMN,…[/[FROM,]UNTIL]]`.
//!
//! The rules are those of HBase's `RowSpec`, which parses the address as it was sent.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use bytes::Bytes;
use hjall_engine::quote;
use hjall_engine::request::{Columns, TimeRange};

use super::error::{Answer, Failure};
use crate::wire::rest::Request;
use crate::wire::rest::address::unescape_form;

/// The selection of an address.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RowSpec {
    /// The row, or the first one of a range.
    pub(super) row: Bytes,
    /// The row after the range. `None` for a single row.
    pub(super) end: Option<Bytes>,
    /// The columns: families, or `family:qualifier`.
    pub(super) columns: BTreeSet<Bytes>,
    /// The smallest timestamp.
    pub(super) from: i64,
    /// The timestamp after the greatest one.
    pub(super) until: i64,
    /// The number of versions.
    pub(super) versions: i32,
}

/// How rows and columns are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyEncoding {
    /// As they are.
    Plain,
    /// In the URL-safe alphabet of base64.
    UrlSafe,
    /// In the standard alphabet of base64.
    Standard,
}

const CONFIG: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_allow_trailing_bits(true)
    .with_decode_padding_mode(DecodePaddingMode::Indifferent);
/// As Java's decoder for addresses: padded or not.
pub(super) const URL_SAFE_BASE64: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, CONFIG);
const STANDARD_BASE64: GeneralPurpose = GeneralPurpose::new(&STANDARD, CONFIG);

impl KeyEncoding {
    /// The encoding that a request declares, in its query or in a header.
    pub(super) fn of(request: &Request) -> Answer<Self> {
        match request.query.first("e").or(request.key_encoding.as_deref()) {
            None => Ok(Self::Plain),
            Some("b64" | "base64" | "b64url" | "base64url") => Ok(Self::UrlSafe),
            Some("b64basic" | "base64basic") => Ok(Self::Standard),
            Some(other) => Err(Failure::bad(format!(
                "there is no key encoding \"{}\"; use b64 or b64basic",
                quote::escaped_text(other)
            ))),
        }
    }

    /// Decodes a row or a column.
    pub(super) fn decode(self, bytes: Bytes) -> Answer<Bytes> {
        let engine = match self {
            Self::Plain => return Ok(bytes),
            Self::UrlSafe => URL_SAFE_BASE64,
            Self::Standard => STANDARD_BASE64,
        };
        let wrong = |error| Failure::bad(format!("\"{}\" is not base64: {error}", quote::escaped(&bytes)));
        engine.decode(&bytes).map(Bytes::from).map_err(wrong)
    }
}

impl RowSpec {
    /// Reads the row that the address of a request names, and the parameters `v` and `e`.
    pub(super) fn of(request: &Request, spec: &str) -> Answer<Self> {
        let mut spec = Self::parse(spec, KeyEncoding::of(request)?)?;
        if let Some(versions) = request.query.first("v") {
            spec.versions = parse_number(versions, "v")?;
        }
        Ok(spec)
    }

    /// Parses the part of an address after the table.
    pub(super) fn parse(text: &str, encoding: KeyEncoding) -> Answer<Self> {
        let mut parts = text.trim_start_matches('/').splitn(4, '/');
        let (row, end) = parse_rows(parts.next().unwrap_or_default())?;
        let mut columns = BTreeSet::new();
        let mut named: Vec<&str> = parts.next().map_or_else(Vec::new, |part| part.split(',').collect());
        // What follows the last comma may be missing.
        named.pop_if(|last| last.is_empty());
        for column in named {
            if column.is_empty() {
                return Err(Failure::bad("a column before a comma is missing: name it, or leave the comma out"));
            }
            columns.insert(encoding.decode(unescaped(column)?)?);
        }
        let (times, rest) = (parts.next(), parts.next());
        let (from, until) = match times {
            // Nothing may follow: a delete of everything is hardly what was meant.
            Some("") if rest.is_some() => {
                return Err(Failure::bad("the time before a further slash is missing: leave the slash out"));
            }
            None | Some("") => (0, i64::MAX),
            Some(times) => parse_times(times)?,
        };
        // HBase reads parameters here that it fails on.
        if rest.is_some_and(|rest| matches!(unescaped(rest).ok().and_then(|r| r.first().copied()), Some(b'?' | b'&'))) {
            return Err(Failure::bad(
                "the address has more parts than /TABLE/ROW/COLUMNS/TIMES: escape a slash in a row as %2F",
            ));
        }
        let row = encoding.decode(row)?;
        let end = end.map(|end| encoding.decode(end)).transpose()?;
        Ok(Self { row, end, columns, from, until, versions: 1 })
    }

    /// The columns of a read.
    pub(super) fn selection(&self) -> Columns {
        let mut columns = Columns::all();
        for column in &self.columns {
            match split_column(column) {
                (family, None) => columns.add_family(family),
                (family, Some(qualifier)) => columns.add_column(family, qualifier),
            };
        }
        columns
    }

    /// The times of a read.
    pub(super) fn time_range(&self) -> Answer<TimeRange> {
        TimeRange::new(self.from, self.until).map_err(|error| Failure::of(&error))
    }

    /// The time of a delete: everything up to it is deleted. A range of times does not count, as in HBase.
    pub(super) fn delete_until(&self) -> Option<i64> {
        (self.from == 0 && self.until != i64::MAX).then_some(self.until)
    }
}

fn parse_rows(part: &str) -> Answer<(Bytes, Option<Bytes>)> {
    let (row, end) = match part.split_once(',') {
        Some((row, end)) => (unescaped(row)?, Some(unescaped(end)?)),
        None => (unescaped(part)?, None),
    };
    match (row.strip_suffix(b"*"), end) {
        _ if row.is_empty() => Err(Failure::bad("the address has no row: send /TABLE/ROW")),
        (Some(_), Some(_)) => {
            Err(Failure::bad("a prefix of rows cannot have an end: leave out the star, or what follows it"))
        }
        // HBase scans up to the prefix followed by the largest byte.
        (Some(prefix), None) => {
            let end = [prefix, &[u8::MAX]].concat();
            Ok((Bytes::copy_from_slice(prefix), Some(end.into())))
        }
        (None, end) => Ok((row, end)),
    }
}

fn parse_times(part: &str) -> Answer<(i64, i64)> {
    let time = |text: &str| -> Answer<i64> {
        let text = String::from_utf8_lossy(&unescaped(text)?).into_owned();
        text.parse()
            .map_err(|_| Failure::bad(format!("a time must be a whole number, not \"{}\"", quote::escaped_text(&text))))
    };
    match part.split_once(',') {
        None => Ok((0, time(part)?)),
        Some((from, until)) => match (time(from)?, time(until)?) {
            // As in HBase, which takes 0 for a missing time.
            (from, 0) => Ok((0, from)),
            times => Ok(times),
        },
    }
}

fn unescaped(text: &str) -> Answer<Bytes> {
    let wrong = || {
        Failure::bad(format!(
            "\"{}\" has an escape that cannot be decoded: a percent sign needs two hexadecimal digits",
            quote::escaped_text(text)
        ))
    };
    let bytes = unescape_form(text).ok_or_else(wrong)?;
    // Java's strings have no other bytes.
    Ok(String::from_utf8_lossy(&bytes).into_owned().into())
}

/// Parses a number as Java's `Integer.parseInt`.
pub(super) fn parse_number(text: &str, name: &str) -> Answer<i32> {
    let wrong = |_| Failure::bad(format!("{name} must be a number of 32 bits, not \"{}\"", quote::escaped_text(text)));
    text.parse().map_err(wrong)
}

/// Splits a column at its first colon. `None`: it names a family.
pub(super) fn split_column(column: &Bytes) -> (Bytes, Option<Bytes>) {
    match column.iter().position(|byte| *byte == b':') {
        Some(colon) => (column.slice(..colon), Some(column.slice(colon + 1..))),
        None => (column.clone(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<RowSpec> {
        RowSpec::parse(text, KeyEncoding::Plain).ok()
    }

    fn spec(row: &str, end: Option<&[u8]>, columns: &[&str], from: i64, until: i64) -> Option<RowSpec> {
        Some(RowSpec {
            row: Bytes::copy_from_slice(row.as_bytes()),
            end: end.map(Bytes::copy_from_slice),
            columns: columns.iter().map(|column| Bytes::copy_from_slice(column.as_bytes())).collect(),
            from,
            until,
            versions: 1,
        })
    }

    #[test]
    fn addresses_select_rows_columns_and_times() {
        let all = i64::MAX;
        for (text, wanted) in [
            ("r", spec("r", None, &[], 0, all)),
            ("/r", spec("r", None, &[], 0, all)),
            ("r/", spec("r", None, &[], 0, all)),
            ("a+b%2B", spec("a b+", None, &[], 0, all)),
            ("a%2Fb/f:x%2F", spec("a/b", None, &["f:x/"], 0, all)),
            ("r/f:x,f", spec("r", None, &["f:x", "f"], 0, all)),
            ("r/f:x,", spec("r", None, &["f:x"], 0, all)),
            ("r/f:x/20", spec("r", None, &["f:x"], 0, 20)),
            ("r/f:x/10,20", spec("r", None, &["f:x"], 10, 20)),
            ("r/f:x/10,0", spec("r", None, &["f:x"], 0, 10)),
            ("r//20", spec("r", None, &[], 0, 20)),
            ("r/f:x/1/2/3", spec("r", None, &["f:x"], 0, 1)),
            ("a,b", spec("a", Some(b"b"), &[], 0, all)),
            ("a%2Cb", spec("a,b", None, &[], 0, all)),
            ("a*", spec("a", Some(b"a\xff"), &[], 0, all)),
            ("a%2A/f", spec("a", Some(b"a\xff"), &["f"], 0, all)),
        ] {
            assert_eq!(of(text), wanted, "{text}");
        }
        for wrong in ["", "/", ",b", "a*,b", "r/,f:x", "r/f:x,,f:y", "r/f/x", "r/f/,20", "r/f/10,", "r/f/1/%3Fm=1"] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn rows_and_columns_may_be_base64() {
        let spec = RowSpec::parse("YTE=/Zjp4", KeyEncoding::UrlSafe).ok().unwrap();
        assert_eq!((&spec.row[..], spec.columns.first().unwrap()), (&b"a1"[..], &Bytes::from("f:x")));
        assert_eq!(RowSpec::parse("YTE", KeyEncoding::UrlSafe).ok().unwrap().row, "a1");
        assert!(RowSpec::parse("%2B%2F8=", KeyEncoding::UrlSafe).is_err());
        assert_eq!(RowSpec::parse("%2B%2F8=", KeyEncoding::Standard).ok().unwrap().row, &b"\xfb\xff"[..]);
    }
}
