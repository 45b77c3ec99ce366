//! The descriptor of a table.

use std::collections::BTreeMap;

use bytes::Bytes;

use super::attribute::{Attributes, number, text, truth};
use super::family::FamilyDescriptor;
use crate::durability::Durability;
use crate::error::{Error, Result};
use crate::name::{TableName, check_family_length};

/// The largest REGION_REPLICATION: HBase numbers the replicas of a region with 16 bits (`RegionInfo.MAX_REPLICA_ID`).
pub const REGION_REPLICATION_MAX: i32 = 0x1_0000;

/// The most families of a table.
pub const FAMILIES_MAX: usize = 100;

/// The most bytes that the names, attributes and start keys of regions of a table have, or the name and the properties
/// of a namespace. As many as HBase allows in one cell by default (`hbase.client.keyvalue.maxsize`), and enough for
/// 100,000 regions with keys of 100 bytes.
pub const DESCRIPTOR_BYTES_MAX: u64 = 10 << 20;

/// The descriptor of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableDescriptor {
    /// The name.
    pub name: TableName,
    /// The families by name, in the order of their bytes.
    pub families: BTreeMap<Bytes, FamilyDescriptor>,
    /// Attributes of the table, including DURABILITY if it was given.
    pub attributes: Attributes,
}

impl TableDescriptor {
    /// A descriptor without families or attributes.
    pub fn new(name: TableName) -> Self {
        Self { name, families: BTreeMap::new(), attributes: BTreeMap::new() }
    }

    /// Adds a family.
    ///
    /// # Errors
    /// `InvalidArgument` if the name is too long, or if a family of that name exists.
    pub fn add_family(&mut self, family: FamilyDescriptor) -> Result<&mut Self> {
        check_family_length(&family.name)?;
        if self.families.contains_key(&family.name) {
            return Err(Error::invalid(format!("Family '{}' already exists so cannot be added", family.shown_name()))
                .with_remedy(format_args!("name each family of table {} once", self.name)));
        }
        self.families.insert(family.name.clone(), family);
        Ok(self)
    }

    /// Sets an attribute without checking it. An empty value removes it.
    pub fn set(&mut self, key: impl Into<Bytes>, value: impl Into<Bytes>) -> &mut Self {
        let (key, value) = (key.into(), value.into());
        if value.is_empty() {
            self.attributes.remove(&key);
        } else {
            self.attributes.insert(key, value);
        }
        self
    }

    /// Sets DURABILITY.
    pub fn set_durability(&mut self, durability: Durability) -> &mut Self {
        self.set(Bytes::from_static(b"DURABILITY"), Bytes::from_static(durability.name().as_bytes()))
    }

    /// DURABILITY; `UseDefault` if it is not set or unknown.
    pub fn durability(&self) -> Durability {
        text(&self.attributes, "DURABILITY").and_then(|t| Durability::from_name(&t)).unwrap_or_default()
    }

    /// READONLY.
    pub fn read_only(&self) -> bool {
        truth(&self.attributes, "READONLY", false)
    }

    /// REGION_REPLICATION.
    ///
    /// # Errors
    /// `Unprocessable` if it is not a number.
    pub fn region_replication(&self) -> Result<i32> {
        number(&self.attributes, "REGION_REPLICATION", 1)
    }
}
