//! Descriptors of namespaces, tables and families, and the rules that reads and writes take from them.

use std::collections::BTreeMap;

use bytes::Bytes;

use crate::name::TableName;

/// A family as HBase describes it: attributes are kept as they were given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FamilyDescriptor {
    /// The name, 1 to 127 bytes.
    pub name: Bytes,
    /// All attributes, the 12 default ones (data-model.md §10.1) included.
    pub attributes: BTreeMap<Bytes, Bytes>,
    /// Configuration of this family alone.
    pub configuration: BTreeMap<Bytes, Bytes>,
}

/// A table as HBase describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableDescriptor {
    /// The name.
    pub name: TableName,
    /// The families by name, in byte order.
    pub families: BTreeMap<Bytes, FamilyDescriptor>,
    /// Attributes of the table, DURABILITY among them if it was given.
    pub attributes: BTreeMap<Bytes, Bytes>,
}

/// A namespace.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NamespaceDescriptor {
    /// The name.
    pub name: String,
    /// Free properties.
    pub configuration: BTreeMap<String, String>,
}

/// KEEP_DELETED_CELLS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeepDeleted {
    /// Hidden cells may be forgotten.
    #[default]
    False,
    /// Hidden cells stay readable below their marker.
    True,
    /// As `True` until the family's TTL has run out.
    Ttl,
}

/// What reading and forgetting need of a family, parsed once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FamilyRules {
    /// VERSIONS.
    pub versions: i32,
    /// MIN_VERSIONS.
    pub min_versions: i32,
    /// TTL in milliseconds; `i64::MAX`: for ever.
    pub ttl_ms: i64,
    /// KEEP_DELETED_CELLS.
    pub keep_deleted: KeepDeleted,
    /// NEW_VERSION_BEHAVIOR: deletes and versions count in the order of writing.
    pub new_version_behavior: bool,
}

/// A region: a recorded range of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// When it was made, in milliseconds since 1970; part of its name.
    pub id: i64,
    /// First row, included; empty: the beginning.
    pub start: Bytes,
    /// Last row, excluded; empty: the end.
    pub end: Bytes,
}
