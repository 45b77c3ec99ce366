//! The stored form of the catalog: messages in the encoding of Protocol Buffers, so that fields can be added. Field
//! numbers are never reused.

use std::collections::BTreeMap;

use bytes::Bytes;
use prost::Message;

use super::state::{Family, TableState};
use crate::error::{Error, ErrorKind, Result};
use crate::name::TableName;
use crate::region;
use crate::schema::{FamilyDescriptor, NamespaceDescriptor, TableDescriptor};

/// The key of the [`Head`].
pub(super) const HEAD_KEY: &[u8] = b"head";
/// The prefix of the keys of namespaces; the name follows.
pub(super) const NAMESPACE_PREFIX: &[u8] = b"namespace/";
/// The prefix of the keys of tables; `namespace:qualifier` follows.
pub(super) const TABLE_PREFIX: &[u8] = b"table/";

/// The data that exists once per database.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Head {
    /// The smallest number that has not been allocated.
    #[prost(uint64, tag = "1")]
    pub next_number: u64,
    /// The UUID that was generated with the data folder.
    #[prost(string, tag = "2")]
    pub cluster_id: String,
}

#[derive(Clone, PartialEq, Message)]
struct Entry {
    #[prost(bytes = "bytes", tag = "1")]
    key: Bytes,
    #[prost(bytes = "bytes", tag = "2")]
    value: Bytes,
}

#[derive(Clone, PartialEq, Message)]
struct FamilyRecord {
    #[prost(bytes = "bytes", tag = "1")]
    name: Bytes,
    #[prost(uint64, tag = "2")]
    space: u64,
    #[prost(message, repeated, tag = "3")]
    attributes: Vec<Entry>,
    #[prost(message, repeated, tag = "4")]
    configuration: Vec<Entry>,
    /// [`Family::sequence_while_off`].
    #[prost(uint64, optional, tag = "5")]
    sequence_while_off: Option<u64>,
}

#[derive(Clone, PartialEq, Message)]
struct RegionRecord {
    #[prost(int64, tag = "1")]
    id: i64,
    /// The first row. The region ends where the next one begins.
    #[prost(bytes = "bytes", tag = "2")]
    start: Bytes,
}

#[derive(Clone, PartialEq, Message)]
struct TableRecord {
    #[prost(uint64, tag = "1")]
    number: u64,
    #[prost(string, tag = "2")]
    namespace: String,
    #[prost(string, tag = "3")]
    qualifier: String,
    #[prost(bool, tag = "4")]
    disabled: bool,
    #[prost(message, repeated, tag = "5")]
    attributes: Vec<Entry>,
    #[prost(message, repeated, tag = "6")]
    families: Vec<FamilyRecord>,
    #[prost(message, repeated, tag = "7")]
    regions: Vec<RegionRecord>,
}

#[derive(Clone, PartialEq, Message)]
struct NamespaceRecord {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(btree_map = "string, string", tag = "2")]
    configuration: BTreeMap<String, String>,
}

fn corrupt(what: &str, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::new(
        ErrorKind::Corrupt,
        format!("the catalog's record of {what} cannot be read: the data folder is damaged or newer"),
    )
    .with_source(source)
}

fn entries(map: &BTreeMap<Bytes, Bytes>) -> Vec<Entry> {
    map.iter().map(|(k, v)| Entry { key: k.clone(), value: v.clone() }).collect()
}

fn map(entries: Vec<Entry>) -> BTreeMap<Bytes, Bytes> {
    entries.into_iter().map(|e| (e.key, e.value)).collect()
}

pub(super) fn table_key(name: &TableName) -> Bytes {
    [TABLE_PREFIX, name.with_namespace().as_bytes()].concat().into()
}

pub(super) fn namespace_key(name: &str) -> Bytes {
    [NAMESPACE_PREFIX, name.as_bytes()].concat().into()
}

pub(super) fn encode_head(head: &Head) -> Bytes {
    head.encode_to_vec().into()
}

pub(super) fn decode_head(stored: Bytes) -> Result<Head> {
    Head::decode(stored).map_err(|e| corrupt("itself", e))
}

pub(super) fn encode_namespace(namespace: &NamespaceDescriptor) -> Bytes {
    NamespaceRecord { name: namespace.name.clone(), configuration: namespace.configuration.clone() }
        .encode_to_vec()
        .into()
}

pub(super) fn decode_namespace(stored: Bytes) -> Result<NamespaceDescriptor> {
    let record = NamespaceRecord::decode(stored).map_err(|e| corrupt("a namespace", e))?;
    Ok(NamespaceDescriptor { name: record.name, configuration: record.configuration })
}

pub(super) fn encode_table(table: &TableState) -> Bytes {
    let families = table.families().iter().filter_map(|family| {
        let descriptor = table.descriptor().families.get(&family.name)?;
        Some(FamilyRecord {
            name: family.name.clone(),
            space: family.space,
            attributes: entries(&descriptor.attributes),
            configuration: entries(&descriptor.configuration),
            sequence_while_off: family.sequence_while_off,
        })
    });
    let record = TableRecord {
        number: table.number(),
        namespace: table.name().namespace().to_owned(),
        qualifier: table.name().qualifier().to_owned(),
        disabled: !table.enabled(),
        attributes: entries(&table.descriptor().attributes),
        families: families.collect(),
        regions: table.regions().iter().map(|r| RegionRecord { id: r.id, start: r.start.clone() }).collect(),
    };
    record.encode_to_vec().into()
}

/// The keys and values of the descriptor share the memory of one copy of the record. Families do not.
pub(super) fn decode_table(stored: &[u8]) -> Result<TableState> {
    let record = TableRecord::decode(Bytes::copy_from_slice(stored)).map_err(|e| corrupt("a table", e))?;
    let name = TableName::new(&record.namespace, &record.qualifier)?;
    let mut descriptor = TableDescriptor::new(name);
    descriptor.attributes = map(record.attributes);
    let mut families = Vec::with_capacity(record.families.len());
    for family in record.families {
        let mut told = FamilyDescriptor {
            name: family.name.clone(),
            attributes: map(family.attributes),
            configuration: map(family.configuration),
        };
        told.complete();
        let sequence_while_off = family.sequence_while_off;
        families.push(Family { sequence_while_off, ..Family::new(&told, family.space)? });
        descriptor.families.insert(family.name, told);
    }
    let starts: Vec<_> = record.regions.iter().map(|r| r.start.clone()).collect();
    let mut regions = region::cut(starts.get(1..).unwrap_or_default().to_vec(), 0)?;
    for (region, stored) in regions.iter_mut().zip(&record.regions) {
        region.id = stored.id;
    }
    Ok(TableState::new(record.number, descriptor, families, regions, !record.disabled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_do_not_keep_the_record_in_memory() {
        let mut descriptor = TableDescriptor::new(TableName::parse(b"t").unwrap());
        descriptor.set("large", "x".repeat(1 << 20));
        let mut families = Vec::new();
        for (name, space) in [("a", 20), ("b", 21)] {
            let family = FamilyDescriptor::new(name).unwrap();
            families.push(Family::new(&family, space).unwrap());
            descriptor.add_family(family).unwrap();
        }
        let regions = region::cut(vec![Bytes::from_static(b"m")], 0).unwrap();
        let stored = encode_table(&TableState::new(19, descriptor, families, regions, true));
        let table = decode_table(&stored).unwrap();
        assert_eq!(table.families().len(), 2);
        for family in table.families().iter() {
            assert!(family.name.is_unique(), "{:?} shares memory with the record", family.name);
        }
    }
}
