//! Copying a space of a snapshot to another store.

use super::{Order, Snapshot, SpaceId, Store};
use crate::durability::Durability;
use crate::error::Result;

/// The size at which a transaction is committed, in bytes of keys and values.
const BATCH_BYTES: usize = 1 << 20;

/// Writes all pairs of a space to another store, in which the space must exist. The writes are not synced. Calls
/// `report` with the number of pairs and bytes of each batch.
///
/// # Errors
/// Those of both stores and of `report`.
pub(crate) fn write_all(
    to: &dyn Store,
    from: &dyn Snapshot,
    space: SpaceId,
    report: &mut dyn FnMut(u64, u64) -> Result<()>,
) -> Result<()> {
    let mut cursor = from.scan(space, b"", b"", Order::Ascending, 1000)?;
    loop {
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while bytes < BATCH_BYTES {
            let Some((key, value)) = cursor.next()? else { break };
            bytes += key.len() + value.len();
            batch.push((key, value));
        }
        if batch.is_empty() {
            return Ok(());
        }
        to.transact(&[], Durability::SkipWal, &mut |transaction| {
            batch.iter().for_each(|(key, value)| transaction.put(space, key.clone(), value.clone()));
            Ok(())
        })?;
        report(batch.len() as u64, bytes as u64)?;
    }
}
