//! Regions of all tables, and the upkeep of one table's files.

use std::sync::Arc;

use bytes::Bytes;

use super::Engine;
use crate::catalog::TableState;
use crate::error::{ErrorKind, Result};
use crate::name::TableName;
use crate::region::{Region, greatest_not_after};
use crate::store::CompactionControl;

impl Engine {
    /// The region whose name is the greatest one not after `key` in the order of `hbase:meta`: what HBase finds for a key like
    /// `table,row,99999999999999`. It may belong to another table than the one named in `key`. `hbase:meta` has no region in itself.
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

    /// Compacts a table's files at full speed; see [`Self::compact_with`].
    ///
    /// # Errors
    /// Those of [`Self::compact_with`].
    pub fn compact(&self, name: &TableName, major: bool) -> Result<()> {
        self.compact_with(name, major, &Arc::default())
    }

    /// Compacts a table's files, one family after the other, and returns when done. A minor compaction merges what the store finds worth
    /// merging; a major one rewrites everything and drops all cells and delete markers that no read can see any more. A disabled table is
    /// left alone, as in HBase.
    ///
    /// `control` reports progress, sets the pace and can stop the compaction from another thread.
    ///
    /// # Errors
    /// `TableNotFound`; `Cancelled` if it was stopped; `Busy` if a major compaction gave way to writes; `Io`, `DiskFull`. Families that had
    /// not been compacted by then are unchanged.
    pub fn compact_with(&self, name: &TableName, major: bool, control: &Arc<CompactionControl>) -> Result<()> {
        let core = self.handle.live()?;
        let table = core.catalog.table(name)?;
        if !table.enabled() || table.is_system() {
            return Ok(());
        }
        let done = table
            .families()
            .iter()
            .try_for_each(|f| self.unless_gone(&table, core.store.compact_with(f.space, major, control)));
        // Cached rows still have the cells that were dropped; a change of the schema could make those visible again.
        core.row_cache.clear();
        done
    }

    /// Writes a table's memory to files.
    ///
    /// # Errors
    /// `TableNotFound`, `Io`.
    pub fn flush(&self, name: &TableName) -> Result<()> {
        let core = self.handle.live()?;
        let table = core.catalog.table(name)?;
        if table.is_system() {
            return Ok(());
        }
        table.families().iter().try_for_each(|f| self.unless_gone(&table, core.store.flush(f.space)))
    }

    /// A family that was dropped or truncated meanwhile needs no upkeep any more.
    fn unless_gone(&self, before: &TableState, done: Result<()>) -> Result<()> {
        match done {
            Err(e) if e.kind() != ErrorKind::Closed => {
                let same = self.catalog().table(before.name()).is_ok_and(|now| now.families() == before.families());
                if same { Err(e) } else { Ok(()) }
            }
            other => other,
        }
    }
}
