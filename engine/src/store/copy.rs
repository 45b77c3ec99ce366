//! Copying a space of a snapshot to another store.

use super::{Order, Snapshot, SpaceId, Store};
use crate::durability::Durability;
use crate::error::Result;

/// Bytes of keys and values that are written in one transaction, if no single pair is larger.
const BATCH_BYTES: usize = 1 << 20;

/// Writes all pairs of a space to another store, which has the space and does not sync them. Calls `report` with the pairs and bytes of each
/// batch.
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
