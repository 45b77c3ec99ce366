//! Regions of all tables.

use bytes::Bytes;

use super::Engine;
use crate::catalog::TableState;
use crate::name::TableName;
use crate::region::{Region, greatest_not_after};

impl Engine {
    /// The region with the greatest name not after `key` in the order of `hbase:meta`, which is what HBase finds for a
    /// key like `table,row,99999999999999`. It may belong to another table than the one named in `key`. `hbase:meta`
    /// does not list its own region.
    pub fn region_not_after(&self, key: &[u8]) -> Option<(TableName, Region)> {
        let tables = self.catalog().tables();
        let all: Vec<(&TableState, &Region, Bytes)> = tables
            .iter()
            .filter(|t| !t.is_system())
            .flat_map(|t| t.regions().iter().map(move |r| (&**t, r, r.name(t.name()))))
            .collect();
        let at = greatest_not_after(all.iter().map(|(_, _, name)| &name[..]), key)?;
        all.get(at).map(|(table, region, _)| (table.name().clone(), (*region).clone()))
    }
}
