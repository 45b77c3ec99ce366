//! A store that stalls when told to, for tests of what happens around it. Only in development builds.

use std::sync::Arc;

use hjall_engine::clock::{Clock, SystemClock};
use hjall_engine::store::MemoryStore;
use hjall_engine::store::fault::{Call, FaultStore};
use hjall_engine::{Engine, Error};
use napi::{Result, Status};
use napi_derive::napi;

use crate::database::NativeDatabase;

/// A store without a disk whose calls can be held up.
#[napi]
pub struct StallingStore {
    store: Arc<FaultStore>,
}

#[napi]
impl StallingStore {
    /// Empty; nothing is held up yet.
    #[napi(constructor)]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        Self { store: Arc::new(FaultStore::new(Arc::new(MemoryStore::new(clock)))) }
    }

    /// Opens a database over it.
    #[napi]
    pub fn open_in(&self, database: &NativeDatabase) -> Result<()> {
        let store = Arc::clone(&self.store);
        let failed = |error: Error| napi::Error::new(Status::GenericFailure, error.message().to_owned());
        database.state().open(|| Engine::with_store(store)).map_err(failed)
    }

    /// Holds up every write, or (`reads`) every read, from here on.
    #[napi]
    pub fn hold(&self, reads: bool) {
        self.store.hold(if reads { Call::Snapshot } else { Call::Transact });
    }

    /// Lets go.
    #[napi]
    pub fn release(&self) {
        self.store.heal();
    }
}
