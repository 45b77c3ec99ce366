//! What HBase's flushes drop.
//!
//! HBase writes the memory of a table to files when the table is altered, disabled or flushed, under the rules that
//! applied before, and leaves out the values among them that are beyond VERSIONS, deleted or expired. The next rules
//! may show more, so clients see the difference. Here, these values are deleted in the same transaction as the change.

use bytes::Bytes;

use super::change::lock_name;
use super::{Catalog, TableState};
use crate::durability::Durability;
use crate::error::Result;
use crate::name::TableName;
use crate::store::{SpaceId, Transaction};

/// The pairs of a family that are read in search of garbage, in bytes. Meanwhile, calls of the table wait. A family
/// with more keeps its garbage until a compaction.
const BYTES_MAX: u64 = 16 << 20;

/// Pairs to delete.
pub(super) type Garbage = Vec<(SpaceId, Bytes)>;

/// Deletes garbage within a transaction.
pub(super) fn delete(garbage: &Garbage, tx: &mut dyn Transaction) {
    garbage.iter().for_each(|(space, key)| tx.delete(*space, key.clone()));
}

impl Catalog {
    /// What a flush of these spaces of a table drops now. The caller must hold the table's exclusive lock, and the
    /// rules of the spaces must be registered.
    pub(super) fn recent_garbage(&self, table: &TableState, is_kept: impl Fn(SpaceId) -> bool) -> Garbage {
        let mut garbage = Vec::new();
        for space in table.families().iter().map(|family| family.space).filter(|space| is_kept(*space)) {
            match self.store.recent_garbage(space, BYTES_MAX) {
                Ok(keys) => garbage.extend(keys.into_iter().map(|key| (space, key))),
                // Pairs that cannot be read must not prevent a change of the table, such as its deletion.
                Err(error) => {
                    let table = table.name().to_string();
                    tracing::warn!(table, space, %error, "values that a flush drops were not found, and remain");
                }
            }
        }
        garbage
    }

    /// Deletes what a flush of a table drops.
    ///
    /// # Errors
    /// `TableNotFound`, and those of the store.
    pub(crate) fn drop_recent_garbage(&self, name: &TableName) -> Result<()> {
        let slot = self.slot(name)?;
        let held = slot.exclusive();
        let Some(table) = &*held else { return Ok(()) };
        let garbage = self.recent_garbage(table, |_| true);
        if garbage.is_empty() {
            return Ok(());
        }
        let written = self.store.transact_unsynced(&[lock_name()], Durability::AsyncWal, &mut |tx| {
            delete(&garbage, tx);
            Ok(())
        });
        written.map(drop)
    }
}
