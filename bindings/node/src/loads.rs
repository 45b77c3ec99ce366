//! Bulk loads in progress, by the numbers that JavaScript gave them.

use std::collections::HashMap;
use std::sync::Arc;

use hjall_engine::mutation::Mutation;
use hjall_engine::{BulkLoad, Error, ErrorKind, Loaded, Result};
use parking_lot::Mutex;

/// The bulk loads of one database. A load is `None` once it has ended.
#[derive(Default)]
pub struct Loads(Mutex<HashMap<u32, Arc<Mutex<Option<BulkLoad>>>>>);

impl Loads {
    /// Adds a load.
    pub fn add(&self, number: u32, load: BulkLoad) {
        self.0.lock().insert(number, Arc::new(Mutex::new(Some(load))));
    }

    /// Adds rows to a load.
    ///
    /// # Errors
    /// `Stale` if there is no such load; those of [`BulkLoad::add`].
    pub fn put(&self, number: u32, mutations: &[Mutation]) -> Result<()> {
        let load = self.0.lock().get(&number).cloned().ok_or_else(ended)?;
        let mut load = load.lock();
        let load = load.as_mut().ok_or_else(ended)?;
        mutations.iter().try_for_each(|mutation| match mutation {
            Mutation::Put(put) => load.add(put),
            Mutation::Delete(_) => Err(Error::invalid("a bulk load takes no deletes")),
        })
    }

    /// Completes a load.
    ///
    /// # Errors
    /// `Stale` if there is no such load; those of [`BulkLoad::finish`].
    pub fn finish(&self, number: u32) -> Result<Loaded> {
        let load = self.0.lock().remove(&number).and_then(|load| load.lock().take());
        load.ok_or_else(ended)?.finish()
    }

    /// Discards a load. Does nothing if there is no such load.
    pub fn discard(&self, number: u32) {
        let load = self.0.lock().remove(&number);
        drop(load.and_then(|load| load.lock().take()));
    }

    /// Discards all loads.
    pub fn clear(&self) {
        let loads = std::mem::take(&mut *self.0.lock());
        loads.into_values().for_each(|load| drop(load.lock().take()));
    }
}

fn ended() -> Error {
    Error::new(ErrorKind::Stale, "the bulk load has ended: begin another")
}
