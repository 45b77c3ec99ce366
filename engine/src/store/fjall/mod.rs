//! The store on disk: fjall, an LSM tree with a journal, behind the seam.
//!
//! What fjall does not do is done here: rows are locked and told the time, dropped spaces are refused, writes wait for the disk before they
//! take rows, all memtables together have a bound, and after a failed write the database is opened anew in place.
//!
//! A folder that this process has open already is shared; each opener has a share of its own to close.

mod cursor;
mod database;
mod failure;
mod forgetter;
mod holder;
mod mark;
mod options;
mod pressure;
mod sole;
mod statistics;

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;

pub(super) use self::failure::failed_io;
pub use self::options::StoreOptions;
use self::sole::SoleStore;
use super::shared::{OpenFolders, Opened};
use super::{Retainer, Snapshot, SpaceId, SpaceOptions, Statistics, Store, Transaction};
use crate::error::Result;
use crate::mutation::Durability;

static OPEN: OpenFolders<SoleStore> = OpenFolders::new();

/// A store in a data folder.
pub struct FjallStore(Opened<SoleStore>);

impl FjallStore {
    /// Opens the store in a folder, making it if need be. If this process has it open already, with the same options, it is shared: each
    /// opener closes its own, and the last one closes the folder.
    ///
    /// # Errors
    /// `Locked`: another process has it. `NewerFormat`: a newer version wrote it. `InvalidArgument`: the folder holds other things, or is
    /// open with other options.
    pub fn open(path: &Path, options: StoreOptions) -> Result<Arc<dyn Store>> {
        let wanted = options.clone();
        let opened = OPEN.open(path, |store| store.options().fits(&wanted), |path| SoleStore::open(path, options))?;
        Ok(Arc::new(Self(opened)))
    }

    fn store(&self) -> Result<&SoleStore> {
        if self.0.is_open() { Ok(&self.0) } else { Err(super::closed()) }
    }
}

impl Store for FjallStore {
    fn create_space(&self, space: SpaceId, options: &SpaceOptions) -> Result<()> {
        self.store()?.create_space(space, options)
    }

    fn drop_space(&self, space: SpaceId) -> Result<()> {
        self.store()?.drop_space(space)
    }

    fn spaces(&self) -> Result<Vec<SpaceId>> {
        self.store()?.spaces()
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        self.store()?.snapshot()
    }

    fn transact(
        &self,
        rows: &[Bytes],
        durability: Durability,
        body: &mut dyn FnMut(&mut dyn Transaction) -> Result<()>,
    ) -> Result<()> {
        self.store()?.transact(rows, durability, body)
    }

    fn now_ms(&self) -> i64 {
        self.0.now_ms()
    }

    fn flush(&self, space: SpaceId) -> Result<()> {
        self.store()?.flush(space)
    }

    fn compact(&self, space: SpaceId, major: bool) -> Result<()> {
        self.store()?.compact(space, major)
    }

    fn set_retainer(&self, retainer: Arc<dyn Retainer>) {
        self.0.set_retainer(retainer);
    }

    fn statistics(&self) -> Result<Statistics> {
        self.store()?.statistics()
    }

    fn close(&self) -> Result<()> {
        self.0.close(Store::close)
    }
}

impl Drop for FjallStore {
    fn drop(&mut self) {
        if let Err(error) = self.close() {
            tracing::error!(%error, "closing the data folder failed");
        }
    }
}
