//! Descriptors as HBase prints them, which is part of some error messages.

use std::collections::BTreeMap;
use std::fmt;

use bytes::Bytes;

use super::family::{DEFAULTS, FamilyDescriptor, TTL_FOREVER_SECONDS};
use super::table::TableDescriptor;
use crate::quote::Utf8;

/// Keys of a family that are printed before its metadata.
const FAMILY_KEYS: [&str; 17] = [
    "INDEX_BLOCK_ENCODING",
    "VERSIONS",
    "KEEP_DELETED_CELLS",
    "DATA_BLOCK_ENCODING",
    "TTL",
    "MIN_VERSIONS",
    "REPLICATION_SCOPE",
    "BLOOMFILTER",
    "IN_MEMORY",
    "COMPRESSION",
    "BLOCKCACHE",
    "BLOCKSIZE",
    "ENCRYPTION",
    "ENCRYPTION_KEY",
    "IS_MOB",
    "MOB_THRESHOLD",
    "MOB_COMPACT_PARTITION_POLICY",
];

/// Keys of a table that are not printed as metadata: those with a default in HBase, and `IS_META`.
const TABLE_KEYS: [&str; 8] = [
    "DURABILITY",
    "ERASURE_CODING_POLICY",
    "IS_META",
    "MAX_FILESIZE",
    "MEMSTORE_FLUSHSIZE",
    "PRIORITY",
    "READONLY",
    "REGION_REPLICATION",
];

/// `3700 SECONDS (1 HOUR 1 MINUTE 40 SECONDS)`. The plural of the inner seconds follows the count of minutes, as HBase
/// has it.
fn seconds_text(total: i64) -> String {
    if total == i64::from(TTL_FOREVER_SECONDS) {
        return "FOREVER".to_owned();
    }
    let plural = |n: i64| if n == 1 { "" } else { "S" };
    let mut out = format!("{total} SECOND{}", plural(total));
    if total < 60 {
        return out;
    }
    let (days, hours, minutes, seconds) = (total / 86_400, total / 3_600 % 24, total / 60 % 60, total % 60);
    let parts =
        [(days, "DAY", days), (hours, "HOUR", hours), (minutes, "MINUTE", minutes), (seconds, "SECOND", minutes)];
    let parts: Vec<_> =
        parts.iter().filter(|(n, ..)| *n > 0).map(|(n, unit, count)| format!("{n} {unit}{}", plural(*count))).collect();
    out.push_str(&format!(" ({})", parts.join(" ")));
    out
}

/// `10763632640 B (10GB 25MB)`.
fn bytes_text(total: i64) -> String {
    if total < 1024 {
        return format!("{total} B");
    }
    let units = [("TB", 40), ("GB", 30), ("MB", 20), ("KB", 10), ("B", 0)];
    let mut rest = total;
    let mut parts = Vec::new();
    for (unit, shift) in units {
        let n = rest >> shift;
        rest -= n << shift;
        if n > 0 {
            parts.push(format!("{n}{unit}"));
        }
    }
    format!("{total} B ({})", parts.join(" "))
}

/// Writes an attribute with its value, which may be long and is not copied.
fn write_value(f: &mut fmt::Formatter<'_>, key: &[u8], value: &[u8]) -> fmt::Result {
    let number = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
    match (key, number) {
        (b"TTL", Some(seconds)) => write!(f, "{} => '{}'", Utf8(key), seconds_text(seconds)),
        (b"BLOCKSIZE" | b"MAX_FILESIZE" | b"MEMSTORE_FLUSHSIZE", Some(bytes)) => {
            write!(f, "{} => '{}'", Utf8(key), bytes_text(bytes))
        }
        _ => write!(f, "{} => '{}'", Utf8(key), Utf8(value)),
    }
}

/// The keys of attributes in the order of Java's `HashMap`, in which HBase prints those of a family: by the bucket of
/// their hash in a table of the size that a copy of the map has. Keys in one bucket are sorted.
fn in_hash_order(attributes: &BTreeMap<Bytes, Bytes>) -> Vec<&Bytes> {
    // Java copies a map into a table that is at most three quarters full, with a power of two of buckets.
    let buckets = (attributes.len() * 4 / 3 + 1).next_power_of_two() as u32;
    let bucket = |key: &Bytes| {
        let signed = |byte: u8| i32::from(i8::from_be_bytes([byte])) as u32;
        let hash = key.iter().fold(1_u32, |hash, byte| hash.wrapping_mul(31).wrapping_add(signed(*byte)));
        (hash ^ (hash >> 16)) & (buckets - 1)
    };
    let mut keys: Vec<_> = attributes.keys().collect();
    // Stable, so that keys in one bucket stay sorted.
    keys.sort_by_key(|key| bucket(key));
    keys
}

/// Writes keys and values, both in quotes.
fn write_pairs<'a>(f: &mut fmt::Formatter<'_>, pairs: impl IntoIterator<Item = (&'a Bytes, &'a Bytes)>) -> fmt::Result {
    for (number, (key, value)) in pairs.into_iter().enumerate() {
        let comma = if number == 0 { "" } else { ", " };
        write!(f, "{comma}'{}' => '{}'", Utf8(key), Utf8(value))?;
    }
    Ok(())
}

/// Whether a key is one of these.
fn is_among(keys: &[&str], key: &[u8]) -> bool {
    keys.iter().any(|known| known.as_bytes() == key)
}

impl fmt::Display for FamilyDescriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{NAME => '{}'", Utf8(&self.name))?;
        let mut attributes = self.attributes.clone();
        for (key, default) in DEFAULTS {
            let (key, default) = (Bytes::from_static(key.as_bytes()), Bytes::from_static(default.as_bytes()));
            attributes.entry(key).or_insert(default);
        }
        let mut metadata = Vec::new();
        for key in in_hash_order(&attributes) {
            let value = &attributes[key];
            if is_among(&FAMILY_KEYS, key) {
                f.write_str(", ")?;
                write_value(f, key, value)?;
            } else {
                metadata.push((key, value));
            }
        }
        if !metadata.is_empty() {
            f.write_str(", METADATA => {")?;
            write_pairs(f, metadata)?;
            f.write_str("}")?;
        }
        if !self.configuration.is_empty() {
            f.write_str(", CONFIGURATION => {")?;
            write_pairs(f, &self.configuration)?;
            f.write_str("}")?;
        }
        f.write_str("}")
    }
}

/// The descriptor as HBase prints it: `'t', {TABLE_ATTRIBUTES => {…}}, {NAME => 'f', …}`.
impl fmt::Display for TableDescriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'", self.name)?;
        let mut comma = ", {TABLE_ATTRIBUTES => {";
        for key in TABLE_KEYS {
            let Some(value) = self.attributes.get(key.as_bytes()) else { continue };
            if key == "IS_META" && !value.eq_ignore_ascii_case(b"true") {
                continue;
            }
            f.write_str(comma)?;
            write_value(f, key.as_bytes(), value)?;
            comma = ", ";
        }
        let mut metadata = self.attributes.iter().filter(|(key, _)| !is_among(&TABLE_KEYS, key)).peekable();
        if metadata.peek().is_some() {
            write!(f, "{comma}METADATA => {{")?;
            write_pairs(f, metadata)?;
            f.write_str("}")?;
            comma = ", ";
        }
        if comma == ", " {
            f.write_str("}}")?;
        }
        for family in self.families.values() {
            write!(f, ", {family}")?;
        }
        Ok(())
    }
}
