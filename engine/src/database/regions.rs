//! Regions of all tables.

use bytes::Bytes;

use super::Engine;
use super::tables::check_not_system;
use crate::error::{Error, Result};
use crate::name::TableName;
use crate::region::{self, Region};

impl Engine {
    /// The region with the greatest name not after `key` in the order of `hbase:meta`, which is what HBase finds for a
    /// key like `table,row,99999999999999`. It may belong to another table than the one named in `key`. `hbase:meta`
    /// does not list its own region. Tables that are not `visible` are skipped.
    pub fn region_not_after(&self, key: &[u8], visible: impl Fn(&TableName) -> bool) -> Option<(TableName, Region)> {
        let tables = self.catalog().tables();
        let all = tables
            .iter()
            .filter(|table| !table.is_system() && visible(table.name()))
            .map(|table| (table.name(), table.regions()));
        region::greatest_not_after(all, key).map(|(table, region)| (table.clone(), region.clone()))
    }

    /// Splits the region that contains a row: the row becomes the first one of a new region. Data does not move, since
    /// a family has one store for all regions. Running scans continue.
    ///
    /// # Errors
    /// `TableNotFound`, `TableDisabled`, `SystemTable`; `InvalidArgument` if a region begins at this row already, or if
    /// the row is empty or too long; `InvalidDescriptor` if the table has too many regions.
    pub fn split_region(&self, name: &TableName, row: &[u8]) -> Result<()> {
        crate::request::check_row(row)?;
        let core = self.handle.live()?;
        let catalog = &core.catalog;
        let mut counter = catalog.begin(&self.stop)?;
        let old = catalog.table(name)?;
        check_not_system(&old)?;
        if !old.enabled() {
            return Err(Error::table_disabled(name));
        }
        let mut starts: Vec<Bytes> = old.regions().iter().skip(1).map(|region| region.start.clone()).collect();
        if starts.iter().any(|start| start == row) {
            return Err(Error::invalid("should not give a splitkey which equals to startkey!")
                .with_remedy("a region begins at this key already; choose a key inside a region"));
        }
        starts.push(Bytes::copy_from_slice(row));
        // Regions that are not split keep their ids, and with them their names. The new ones have a later id than all
        // of them, also within the same millisecond.
        let latest = old.regions().iter().map(|region| region.id).max().unwrap_or(0);
        let mut regions = region::cut(starts, core.store.now_ms().max(latest.saturating_add(1)))?;
        for region in &mut regions {
            let known = old.regions().binary_search_by(|kept| kept.start.cmp(&region.start));
            if let Some(kept) = known.ok().map(|at| &old.regions()[at]).filter(|kept| kept.end == region.end) {
                region.id = kept.id;
            }
        }
        catalog.check_table_size(&counter, Some(&old), old.descriptor(), &regions)?;
        let new = catalog.plan(&mut counter, Some(&old), old.descriptor().clone(), regions, true, false)?;
        catalog.replace_table(&counter, name, Some(new))
    }
}
