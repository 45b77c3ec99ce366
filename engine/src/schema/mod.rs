//! Descriptors of namespaces, tables and families, and the rules that reads and writes derive from them.

mod attribute;
mod check;
mod family;
mod namespace;
mod options;
mod rules;
mod table;
mod text;
mod tracker;

pub use crate::region::Region;
pub use attribute::Attributes;
pub use check::check_table;
pub use family::{DEFAULTS as FAMILY_DEFAULTS, FamilyDescriptor};
pub use namespace::NamespaceDescriptor;
pub use options::{BlockEncoding, BloomFilter, Compression, KeepDeleted};
pub use rules::FamilyRules;
pub use table::{DESCRIPTOR_BYTES_MAX, FAMILIES_MAX, REGION_REPLICATION_MAX, TableDescriptor};
pub use tracker::{TRACKER_KEY, check_tracker, check_tracker_change};
