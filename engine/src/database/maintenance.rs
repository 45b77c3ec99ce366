//! Upkeep of a table's files: flushing, compacting, and estimating the benefit of a compaction.

use std::sync::Arc;
use std::time::SystemTime;

use super::Engine;
use crate::catalog::{TableState, space_options};
use crate::error::{ErrorKind, Result};
use crate::name::TableName;
use crate::store::CompactionControl;

/// The files of a table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TableFiles {
    /// Their size in bytes.
    pub bytes: u64,
    /// Their number.
    pub count: u64,
    /// When the oldest file was written; `None` if the table has no files.
    pub oldest: Option<SystemTime>,
}

impl Engine {
    /// Compacts a table's files at full speed; see [`Self::compact_with`].
    ///
    /// # Errors
    /// Those of [`Self::compact_with`].
    pub fn compact(&self, name: &TableName, major: bool) -> Result<()> {
        self.compact_with(name, major, &Arc::default())
    }

    /// Compacts a table's files, one family after the other, and returns when done. A minor compaction merges new files
    /// into the older ones, so that reads search fewer; a major one rewrites everything and drops all cells and delete
    /// markers that no read can see any more, and applies altered COMPRESSION, BLOOMFILTER and BLOCKSIZE. A disabled
    /// table is not compacted, as in HBase.
    ///
    /// `control` reports progress, sets the pace and can stop the compaction from another thread.
    ///
    /// # Errors
    /// `TableNotFound`; `Cancelled` if it was stopped; `Busy` if a major compaction gave way to writes; `Io`,
    /// `DiskFull`. Families that had not been compacted by then are unchanged.
    pub fn compact_with(&self, name: &TableName, major: bool, control: &Arc<CompactionControl>) -> Result<()> {
        let core = self.handle.live()?;
        core.store.check_writable()?;
        let table = core.catalog.table(name)?;
        if !table.enabled() || table.is_system() {
            return Ok(());
        }
        if major {
            table.garbage().reset();
        }
        table.families().iter().try_for_each(|family| {
            let altered = || match table.descriptor().families.get(&family.name).map(space_options) {
                Some(options) if major => core.store.change_options(family.space, &options, control),
                _ => Ok(()),
            };
            let compacted = altered().and_then(|()| core.store.compact_with(family.space, major, control));
            self.unless_dropped(&table, compacted)
        })
    }

    /// Writes a table's memory to files. As in HBase, drops values that are beyond VERSIONS, deleted or expired, if
    /// they were written since the table was last altered, disabled or flushed.
    ///
    /// # Errors
    /// `TableNotFound`, `Io`.
    pub fn flush(&self, name: &TableName) -> Result<()> {
        let core = self.handle.live()?;
        core.store.check_writable()?;
        let table = core.catalog.table(name)?;
        if table.is_system() {
            return Ok(());
        }
        core.catalog.drop_recent_garbage(name, |number| core.row_cache.begin_table_write(number))?;
        table.families().iter().try_for_each(|f| self.unless_dropped(&table, core.store.flush(f.space)))
    }

    /// A table's files. Data that is still in memory is not counted.
    ///
    /// # Errors
    /// `TableNotFound`, `Closed`.
    pub fn table_files(&self, name: &TableName) -> Result<TableFiles> {
        let core = self.handle.live()?;
        let table = core.catalog.table(name)?;
        let mut all = TableFiles::default();
        for family in table.families().iter().filter(|_| !table.is_system()) {
            let files = core.store.files(family.space)?;
            all.bytes += files.bytes;
            all.count += files.first_keys.len() as u64;
            all.oldest = all.oldest.into_iter().chain(files.oldest).min();
        }
        Ok(all)
    }

    /// Estimates the share of a table's data that a major compaction would drop, from 0 to 1: cells that are deleted,
    /// expired or beyond VERSIONS. Reads a sample of at most 16,000 cells of each family.
    ///
    /// # Errors
    /// `TableNotFound`, `Closed`, `Io`.
    pub fn garbage_share(&self, name: &TableName) -> Result<f64> {
        let core = self.handle.live()?;
        let table = core.catalog.table(name)?;
        let (mut garbage_bytes, mut all_bytes) = (0.0, 0.0);
        for family in table.families().iter().filter(|_| !table.is_system()) {
            let (bytes, sample) = (core.store.files(family.space)?.bytes, core.sample_garbage(family)?);
            if sample.read_bytes > 0 {
                // Families are weighted by the size of their files, since the samples have about the same size.
                let weight = (bytes as f64).max(1.0);
                all_bytes += weight;
                garbage_bytes += weight * sample.garbage_bytes as f64 / sample.read_bytes as f64;
            }
        }
        Ok(if all_bytes > 0.0 { garbage_bytes / all_bytes } else { 0.0 })
    }

    /// The enabled tables in which reads have searched so many sorted runs, such as those that a load leaves, that a
    /// minor compaction is worth its work. Has to be called at intervals of about a second: it considers the reads
    /// since the last call.
    pub fn tables_to_merge(&self) -> Vec<TableName> {
        let core = self.core();
        let is_due = |table: &Arc<TableState>| {
            // Every family is asked, because that also ends the interval.
            let due = table.families().iter().filter(|family| core.store.should_merge(family.space).unwrap_or(false));
            table.enabled() && !table.is_system() && due.count() > 0
        };
        core.catalog.tables().into_iter().filter(is_due).map(|table| table.name().clone()).collect()
    }

    /// The garbage that reads have encountered: for each table, the bytes of delete markers, and of deleted and expired
    /// cells, that gets and scans have examined since the last major compaction began, or the database was opened.
    /// Tables without any are left out.
    pub fn garbage_read(&self) -> Vec<(TableName, u64)> {
        let tables = self.catalog().tables();
        let read = tables.iter().map(|table| (table.name().clone(), table.garbage().read()));
        read.filter(|(_, bytes)| *bytes > 0).collect()
    }

    /// Resets [`Self::garbage_read`] of a table to zero. Does nothing if the table does not exist.
    pub fn forget_garbage_read(&self, name: &TableName) {
        if let Ok(table) = self.catalog().table(name) {
            table.garbage().reset();
        }
    }

    /// Ignores an error if the family was dropped or truncated in the meantime, since it needs no maintenance then.
    pub(super) fn unless_dropped(&self, before: &TableState, done: Result<()>) -> Result<()> {
        match done {
            Err(e) if e.kind() != ErrorKind::Closed => {
                let same = self.catalog().table(before.name()).is_ok_and(|now| now.families() == before.families());
                if same { Err(e) } else { Ok(()) }
            }
            other => other,
        }
    }
}
