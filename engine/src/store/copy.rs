//! Copying a space of a snapshot to another store.

use std::sync::Arc;

use super::{Cursor, LoadedSpace, Order, Pair, Snapshot, SpaceId, Store};
use crate::durability::Durability;
use crate::error::Result;

/// The size of the pairs that are read before they are written, in bytes of keys and values.
const BATCH_BYTES: u64 = 1 << 20;

/// Writes all pairs of a space to another store, in which the space must exist. The writes are not synced.
///
/// # Errors
/// Those of both stores.
pub(crate) fn write_all(to: &dyn Store, from: &dyn Snapshot, space: SpaceId) -> Result<()> {
    let mut cursor = from.scan(space, b"", b"", Order::Ascending, 1000)?;
    loop {
        let (batch, _) = next_batch(&mut *cursor)?;
        if batch.is_empty() {
            return Ok(());
        }
        write(to, space, &batch)?;
    }
}

/// Writes a batch in one transaction.
fn write(to: &dyn Store, space: SpaceId, batch: &[Pair]) -> Result<()> {
    to.transact(&[], Durability::SkipWal, &mut |transaction| {
        batch.iter().for_each(|(key, value)| transaction.put(space, key.clone(), value.clone()));
        Ok(())
    })
}

/// Writes all pairs of a space as [`write_all`] does, in which the space must exist and be empty. Those of a large
/// space go to files directly, which takes less memory and time than a transaction, but several syncs. Calls `report`
/// with the number of pairs and bytes of each batch.
///
/// # Errors
/// Those of both stores and of `report`.
pub(crate) fn load_all(
    to: &Arc<dyn Store>,
    from: &dyn Snapshot,
    space: LoadedSpace,
    report: &mut dyn FnMut(u64, u64) -> Result<()>,
) -> Result<()> {
    let number = space.0;
    let mut cursor = from.scan(number, b"", b"", Order::Ascending, 1000)?;
    let (mut batch, mut bytes) = next_batch(&mut *cursor)?;
    if bytes < BATCH_BYTES {
        if !batch.is_empty() {
            write(&**to, number, &batch)?;
            report(batch.len() as u64, bytes)?;
        }
        return Ok(());
    }
    let mut load = Arc::clone(to).begin_load(&[space])?;
    while !batch.is_empty() {
        let pairs = batch.len() as u64;
        load.add(batch.into_iter().map(|(key, value)| (number, key, value)).collect())?;
        report(pairs, bytes)?;
        (batch, bytes) = next_batch(&mut *cursor)?;
    }
    loop {
        load.prepare()?;
        if load.commit()? {
            return Ok(());
        }
    }
}

/// The next pairs of a cursor, and the bytes of their keys and values.
fn next_batch(cursor: &mut dyn Cursor) -> Result<(Vec<Pair>, u64)> {
    let (mut batch, mut bytes) = (Vec::new(), 0);
    while bytes < BATCH_BYTES {
        let Some((key, value)) = cursor.next()? else { break };
        bytes += (key.len() + value.len()) as u64;
        batch.push((key, value));
    }
    Ok((batch, bytes))
}
