//! What HBase's flushes drop.
//!
//! HBase writes the memory of a table to files when the table is altered, disabled or flushed, under the rules that
//! applied before, and leaves out the values among them that are beyond VERSIONS, deleted or expired. The next rules
//! may show more, so clients see the difference. Here, these values are deleted in the same transaction as the change.

use std::collections::BTreeSet;

use bytes::Bytes;

use super::Catalog;
use super::change::{lock_name, spaces};
use crate::durability::Durability;
use crate::error::Result;
use crate::name::TableName;
use crate::store::{SpaceId, Transaction};

/// The budget of a change for reading recent pairs; see [`Store::recent_garbage`]. Calls of the table wait meanwhile,
/// and writes of all tables while the garbage is deleted. Families with more keep their garbage until a compaction.
///
/// [`Store::recent_garbage`]: crate::store::Store::recent_garbage
const BUDGET: u64 = 8 << 20;

/// Deletes garbage within a transaction.
pub(super) fn drop_garbage(garbage: &[(SpaceId, Bytes)], tx: &mut dyn Transaction) {
    garbage.iter().for_each(|(space, key)| tx.delete(*space, key.clone()));
}

impl Catalog {
    /// What a flush of these spaces drops now. The caller must hold the exclusive lock of their table, and the rules of
    /// the spaces must be registered.
    pub(super) fn recent_garbage<'a>(&self, spaces: impl IntoIterator<Item = &'a SpaceId>) -> Vec<(SpaceId, Bytes)> {
        let (mut garbage, mut budget) = (Vec::new(), BUDGET);
        for &space in spaces {
            match self.store.recent_garbage(space, &mut budget) {
                Ok(keys) => garbage.extend(keys.into_iter().map(|key| (space, key))),
                // Pairs that cannot be read must not prevent a change of the table, such as its deletion.
                Err(error) => tracing::warn!(space, %error, "values that a flush drops were not found, and remain"),
            }
        }
        garbage
    }

    /// Notes that these spaces have been flushed. The caller must hold the exclusive lock of their table.
    pub(super) fn end_recent(&self, spaces: &BTreeSet<SpaceId>) {
        spaces.iter().for_each(|space| self.store.end_recent(*space));
    }

    /// Deletes what a flush of a table drops. Calls `begin_write` with the number of the table before that, and keeps
    /// its guard until the deletion has taken effect.
    ///
    /// # Errors
    /// `TableNotFound`, and those of the store.
    pub(crate) fn drop_recent_garbage<G>(&self, name: &TableName, begin_write: impl FnOnce(u64) -> G) -> Result<()> {
        let slot = self.slot(name)?;
        let held = slot.exclusive();
        let Some(table) = &*held else { return Ok(()) };
        let mut spaces = spaces(table);
        // A change of the table that is not durable yet has suspended the rules of some spaces. Their pairs stay
        // recent.
        spaces.retain(|space| self.rules.read().contains_key(space));
        let garbage = self.recent_garbage(&spaces);
        if !garbage.is_empty() {
            let _writing = begin_write(table.number());
            let _ = self.store.transact_unsynced(&[lock_name()], Durability::AsyncWal, &mut |tx| {
                drop_garbage(&garbage, tx);
                Ok(())
            })?;
        }
        self.end_recent(&spaces);
        Ok(())
    }
}
