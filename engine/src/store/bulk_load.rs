//! Bulk loads: sorted pairs that go to files directly, past the journal and the memtables.

use bytes::Bytes;

use super::{SpaceId, SpaceOptions};
use crate::error::Result;

/// A space into which a bulk load writes, and how it is stored.
pub type LoadedSpace = (SpaceId, SpaceOptions);

/// A pair of a bulk load, and its space.
pub type LoadedPair = (SpaceId, Bytes, Bytes);

/// A bulk load in progress; see [`super::Store::begin_load`].
///
/// Nothing of it is visible before [`Self::commit`] has succeeded. Dropping it discards it. Once the store has been
/// closed or reopened, every call fails.
pub trait BulkLoad: Send {
    /// The timestamp of cells for which the caller gave none, in milliseconds since 1970. It is no earlier than any
    /// timestamp that was assigned before the load began, and later than that of every delete marker. Timestamps that
    /// are assigned after the load began are no earlier than it.
    fn time_ms(&self) -> i64;

    /// A sequence number that is greater than those of all transactions that were committed before the load began, and
    /// smaller than those that begin later.
    fn sequence(&self) -> u64;

    /// Adds pairs. The keys of a space must be in ascending order, over all calls. May wait until earlier pairs have
    /// been written.
    ///
    /// # Errors
    /// `InvalidArgument`: a key is not greater than the one before, or is invalid. `Stale`: the load does not have this
    /// space. `Io`, `DiskFull`, `Busy`. The load fails with the same error from then on.
    fn add(&mut self, pairs: Vec<LoadedPair>) -> Result<()>;

    /// Writes everything that has been added, durably, so that [`Self::commit`] is short. No pairs can be added
    /// afterwards.
    ///
    /// # Errors
    /// Those of [`Self::add`].
    fn prepare(&mut self) -> Result<()>;

    /// Makes all pairs visible at once, and durable. Returns `false` if nothing has been done because the spaces have
    /// changed in a way for which [`Self::prepare`] has to be called again.
    ///
    /// # Errors
    /// Those of [`Self::add`]; `Stale`: one of the spaces has been dropped. Nothing is visible after these. If the
    /// store could not be written, it is unknown whether the load takes effect; it does entirely or not at all.
    fn commit(&mut self) -> Result<bool>;
}
