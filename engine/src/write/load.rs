//! Bulk loads: rows in ascending order, which go to files directly.
//!
//! The store writes the files while rows are added, and makes them visible at once. Cells without a timestamp get the
//! time at which the load began, so that a write made during the load is newer than the loaded cells, and a delete made
//! during the load hides them.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use super::draft::{CellSink, Time, encode_put, encoded_bytes};
use super::group::Single;
use super::pair_buffer::PairBuffer;
use crate::catalog::{Family, Loading, TableState, space_options};
use crate::core::{Core, Handle};
use crate::error::{Error, ErrorKind, Result};
use crate::group;
use crate::mutation::PutOf;
use crate::name::TableName;
use crate::quote::{self, Quoted};
use crate::store::{self, LoadedPair, SpaceId};

/// The size at which encoded pairs are handed to the store.
const CHUNK_BYTES: usize = 1 << 20;

/// The largest size of the cells of one row, which are sorted in memory.
const ROW_BYTES_MAX: usize = 1 << 30;

/// What a bulk load has stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Loaded {
    /// The number of rows.
    pub rows: u64,
    /// The number of cells, without those that had expired, and with only the last one of several that have the same
    /// row, column and timestamp.
    pub cells: u64,
}

/// A bulk load in progress; see [`crate::Table::bulk_load`].
///
/// Nothing of it is visible before [`Self::finish`] has succeeded. Dropping it, or an error, discards all of it and
/// removes its files.
pub struct BulkLoad {
    handle: Arc<Handle>,
    name: TableName,
    /// The table when the load began.
    table: Arc<TableState>,
    /// `None` once the load has failed.
    store: Option<Box<dyn store::BulkLoad>>,
    /// Dropped after `store`.
    _loading: Loading,
    failure: Option<Error>,
    time: Time,
    row: Vec<u8>,
    row_bytes: usize,
    buffer: PairBuffer,
    sink: Sink,
    /// Pairs of complete rows.
    chunk: Vec<LoadedPair>,
    chunk_bytes: usize,
    loaded: Loaded,
    traffic: Traffic,
}

/// Takes the cells of the current row.
struct Sink {
    sequence: u64,
    pairs: Vec<LoadedPair>,
}

impl CellSink for Sink {
    fn sequence(&self) -> u64 {
        self.sequence
    }

    fn put(&mut self, space: SpaceId, key: Bytes, value: Bytes) {
        self.pairs.push((space, key, value));
    }
}

/// Rows and bytes by region, in the order of the regions.
#[derive(Default)]
struct Traffic {
    region: usize,
    /// The first row of each region that has rows, the number of its rows, and their bytes.
    counts: Vec<(Vec<u8>, usize, usize)>,
}

impl Traffic {
    fn count(&mut self, table: &TableState, row: &[u8], bytes: usize) {
        let before = self.region;
        while table.regions().get(self.region + 1).is_some_and(|next| &next.start[..] <= row) {
            self.region += 1;
        }
        match self.counts.last_mut() {
            Some((_, rows, sum)) if self.region == before => (*rows, *sum) = (*rows + 1, *sum + bytes),
            _ => self.counts.push((row.to_vec(), 1, bytes)),
        }
    }
}

impl fmt::Debug for BulkLoad {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BulkLoad").field("name", &self.name).field("loaded", &self.loaded).finish_non_exhaustive()
    }
}

impl BulkLoad {
    pub(crate) fn begin(handle: &Arc<Handle>, name: &TableName) -> Result<Self> {
        let core = handle.live()?;
        core.store.check_writable()?;
        group::commit()?;
        group::before_waiting()?;
        let table = core.catalog.with_shared_lock(name, |table| {
            table.check_writable()?;
            Ok(Arc::clone(table))
        })?;
        let spaces: Vec<_> = table.families().iter().map(|family| (family.space, options(&table, family))).collect();
        let loading = core.catalog.loading().begin(spaces.iter().map(|(space, _)| *space).collect());
        let store = Arc::clone(&core.store).begin_load(&spaces)?;
        let time = Time { clock_ms: core.store.now_ms(), put_ms: store.time_ms(), delete_ms: store.time_ms() };
        Ok(Self {
            handle: Arc::clone(handle),
            name: name.clone(),
            table,
            time,
            row: Vec::new(),
            row_bytes: 0,
            buffer: PairBuffer::for_bytes(CHUNK_BYTES),
            sink: Sink { sequence: store.sequence(), pairs: Vec::new() },
            store: Some(store),
            _loading: loading,
            failure: None,
            chunk: Vec::new(),
            chunk_bytes: 0,
            loaded: Loaded::default(),
            traffic: Traffic::default(),
        })
    }

    /// Adds cells of a row. Its key must not be less than that of the row before; if it is equal, the cells belong to
    /// the same row. The cells of a row may be in any order. Of several cells with the same column and timestamp, the
    /// last one is stored. The durability of the put has no effect. May wait until earlier rows have been written.
    ///
    /// # Errors
    /// `InvalidArgument` if the rows are not in ascending order; the errors of [`crate::Table::put`]; `RowTooLarge` if
    /// the cells of the row take more than 1 GiB. The load has failed then, and every later call fails with the same
    /// error.
    pub fn add<B: AsRef<[u8]>>(&mut self, put: &PutOf<B>) -> Result<()> {
        self.check()?;
        let added = self.try_add(put);
        added.map_err(|error| self.fail(error))
    }

    /// Makes all rows visible at once, and durable.
    ///
    /// # Errors
    /// Those of [`Self::add`]. `TableNotFound`, `TableDisabled`, `ReadOnly`, and `Busy` if the table has been truncated
    /// or one of its families removed since the load began. Nothing has been stored after these. `Io`, `DiskFull`: it
    /// is unknown whether the load takes effect; it does entirely or not at all.
    pub fn finish(mut self) -> Result<Loaded> {
        self.check()?;
        self.end_row();
        if self.loaded == Loaded::default() {
            return Ok(self.loaded);
        }
        self.hand_over()?;
        let handle = Arc::clone(&self.handle);
        let core = handle.live()?;
        core.damage.watch(None, self.commit(core))?;
        Ok(self.loaded)
    }

    fn check(&self) -> Result<()> {
        if let Some(error) = &self.failure {
            return Err(error.again());
        }
        self.handle.live().map(drop)
    }

    /// Discards the load after an error.
    fn fail(&mut self, error: Error) -> Error {
        self.failure = Some(error.again());
        self.store = None;
        (self.chunk, self.sink.pairs) = (Vec::new(), Vec::new());
        error
    }

    fn try_add<B: AsRef<[u8]>>(&mut self, put: &PutOf<B>) -> Result<()> {
        let handle = Arc::clone(&self.handle);
        let core = handle.live()?;
        put.check(core)?;
        put.check_on_server(core)?;
        let row = put.row.as_ref();
        if row < &self.row[..] {
            return Err(Error::invalid(format!(
                "the rows of a bulk load must be in ascending order of their bytes, but row \"{}\" follows row \"{}\"; \
                 nothing was stored: sort the rows, or write them with puts",
                quote::binary(row),
                quote::binary(&self.row)
            )));
        }
        if row > &self.row[..] {
            self.end_row();
            if self.chunk_bytes >= CHUNK_BYTES {
                self.hand_over()?;
            }
            self.row.clear();
            self.row.extend_from_slice(row);
        }
        let bytes = encoded_bytes(put);
        self.row_bytes += bytes;
        if self.row_bytes > ROW_BYTES_MAX {
            return Err(Error::new(
                ErrorKind::RowTooLarge,
                format!("the cells of row \"{}\" take more than {ROW_BYTES_MAX} bytes", quote::binary(row)),
            )
            .with_remedy("split the row, or write it with puts"));
        }
        encode_put(&mut self.sink, &self.table, put, self.time, &mut self.buffer)?;
        Ok(())
    }

    /// Sorts the cells of the current row, and adds them to those that are complete.
    fn end_row(&mut self) {
        let pairs = &mut self.sink.pairs;
        if pairs.is_empty() {
            self.row_bytes = 0;
            return;
        }
        if !pairs.is_sorted_by(|a, b| (a.0, &a.1) < (b.0, &b.1)) {
            // The last one of equal cells comes first in the reversed list, and the sort is stable.
            pairs.reverse();
            pairs.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
            pairs.dedup_by(|next, kept| (next.0, &next.1) == (kept.0, &kept.1));
        }
        self.loaded.rows += 1;
        self.loaded.cells += pairs.len() as u64;
        self.traffic.count(&self.table, &self.row, self.row_bytes);
        self.chunk_bytes += std::mem::take(&mut self.row_bytes);
        self.chunk.append(pairs);
    }

    /// Hands the complete rows to the store.
    fn hand_over(&mut self) -> Result<()> {
        let next = Vec::with_capacity(self.chunk.len());
        let pairs = std::mem::replace(&mut self.chunk, next);
        (self.chunk_bytes, self.buffer) = (0, PairBuffer::for_bytes(CHUNK_BYTES));
        match &mut self.store {
            Some(store) if !pairs.is_empty() => store.add(pairs),
            _ => Ok(()),
        }
    }

    fn commit(&mut self, core: &Core) -> Result<()> {
        let Self { name, table: begun, store, traffic, .. } = self;
        let Some(store) = store else { return Ok(()) };
        group::commit()?;
        group::before_waiting()?;
        let check = |table: &Arc<TableState>| table.check_writable().and_then(|()| check_same(begun, table));
        core.catalog.with_shared_lock(name, check)?;
        loop {
            // Not under the lock of the table, because it can take long.
            let committed = store.prepare().and_then(|()| {
                core.catalog.with_shared_lock(name, |table| {
                    check(table)?;
                    core.catalog.check_unsynced_change(&[table.row_lock(&[])])?;
                    let _loading = core.row_cache.begin_table_write(table.number());
                    let committed = store.commit()?;
                    if committed {
                        traffic.counts.iter().for_each(|(row, rows, bytes)| table.count_writes(row, *rows, *bytes));
                    }
                    Ok(committed)
                })
            });
            match committed {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                // A space was dropped, because the table has changed.
                Err(error) if error.kind() == ErrorKind::Stale => {
                    return core.catalog.with_shared_lock(name, check).and(Err(error));
                }
                Err(error) => return Err(error),
            }
        }
    }
}

/// The storage options of a family.
fn options(table: &TableState, family: &Family) -> store::SpaceOptions {
    table.descriptor().families.get(&family.name).map(space_options).unwrap_or_default()
}

/// Checks that the families of a table are still those for which the cells were encoded.
fn check_same(begun: &TableState, table: &TableState) -> Result<()> {
    let is_same = |family: &Family| {
        let current = table.families().iter().find(|current| current.name == family.name);
        current.is_some_and(|current| {
            current.space == family.space && current.rules.new_version_behavior == family.rules.new_version_behavior
        })
    };
    if begun.number() == table.number() && begun.families().iter().all(is_same) {
        return Ok(());
    }
    Err(Error::new(
        ErrorKind::Busy,
        format_args!(
            "table {} was recreated, truncated or altered during the bulk load, and nothing was stored; repeat the load",
            Quoted(table.name())
        ),
    ))
}
