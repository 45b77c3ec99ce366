//! A store whose calls can be stalled, for tests of the behaviour meanwhile. Only in development builds.

use std::sync::Arc;

use hjall_engine::clock::{Clock, SystemClock};
use hjall_engine::store::MemoryStore;
use hjall_engine::store::fault::{Call, FaultStore};
use hjall_engine::{Engine, Error};
use napi::{Result, Status};
use napi_derive::napi;

use crate::database::NativeDatabase;

/// A store in memory whose calls can be stalled.
#[napi]
pub struct StallingStore {
    store: Arc<FaultStore>,
}

#[napi]
impl StallingStore {
    /// Creates an empty store that stalls no calls.
    #[napi(constructor)]
    #[allow(clippy::new_without_default, reason = "a constructor of JavaScript")]
    pub fn new() -> Self {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        Self { store: Arc::new(FaultStore::new(Arc::new(MemoryStore::new(clock)))) }
    }

    /// Opens a database on this store.
    #[napi]
    pub fn open_in(&self, database: &NativeDatabase) -> Result<()> {
        let store = Arc::clone(&self.store);
        let failed = |error: Error| napi::Error::new(Status::GenericFailure, error.message().to_owned());
        database.session().open(|| Engine::with_store(store)).map_err(failed)
    }

    /// Stalls every write from here on, or with `reads` every read.
    #[napi]
    pub fn hold(&self, reads: bool) {
        self.store.hold(if reads { Call::Snapshot } else { Call::Transact });
    }

    /// Lets all calls continue.
    #[napi]
    pub fn release(&self) {
        self.store.heal();
    }
}
