//! The stores under test, and short ways to use them.

use std::sync::Arc;

use bytes::Bytes;
use hjall_engine::clock::ManualClock;
use hjall_engine::mutation::Durability;
use hjall_engine::store::fault::FaultStore;
use hjall_engine::store::{
    Cursor, FjallStore, MemoryStore, Order, Pair, SpaceId, SpaceOptions, Store, StoreOptions, Transaction,
};
use hjall_engine::{Error, Result};
use tempfile::TempDir;

/// A space that every store under test has.
pub const SPACE: SpaceId = 1;

/// The time at which every store under test begins.
pub const BEGIN_MS: i64 = 1_700_000_000_000;

/// A store under test.
pub struct Kind {
    pub store: Arc<dyn Store>,
    pub clock: Arc<ManualClock>,
    folder: Option<TempDir>,
}

fn kind(store: Arc<dyn Store>, clock: Arc<ManualClock>, folder: Option<TempDir>) -> Kind {
    store.create_space(SPACE, &SpaceOptions::default()).unwrap();
    Kind { store, clock, folder }
}

pub fn memory() -> Kind {
    let clock = Arc::new(ManualClock::at(BEGIN_MS));
    kind(Arc::new(MemoryStore::new(clock.clone())), clock, None)
}

pub fn memory_with_bodies_run_twice() -> Kind {
    let clock = Arc::new(ManualClock::at(BEGIN_MS));
    kind(Arc::new(MemoryStore::new(clock.clone()).with_bodies_run_twice()), clock, None)
}

pub fn fault_that_does_not_strike() -> Kind {
    let Kind { store, clock, .. } = memory();
    kind(Arc::new(FaultStore::new(store)), clock, None)
}

pub fn on_disk() -> Kind {
    let clock = Arc::new(ManualClock::at(BEGIN_MS));
    let folder = TempDir::new().unwrap();
    let store = FjallStore::open(folder.path(), options(&clock)).unwrap();
    kind(store, clock, Some(folder))
}

pub fn options(clock: &Arc<ManualClock>) -> StoreOptions {
    StoreOptions { clock: Some(clock.clone()), cache_bytes: Some(1 << 20), ..StoreOptions::default() }
}

impl Kind {
    /// The data folder of a store on disk.
    pub fn folder(&self) -> &std::path::Path {
        self.folder.as_ref().unwrap().path()
    }

    pub fn in_row<T>(&self, row: &str, body: impl FnMut(&mut dyn Transaction) -> T) -> T {
        in_row(&*self.store, row, body).unwrap()
    }

    pub fn put(&self, key: &str, value: &str) {
        put(&*self.store, key, value).unwrap();
    }

    pub fn delete(&self, key: &str) {
        self.in_row("r", |t| t.delete(SPACE, bytes(key)));
    }

    pub fn get(&self, key: &str) -> Option<String> {
        get(&*self.store, key)
    }

    pub fn scan(&self, from: &str, to: &str, order: Order) -> Box<dyn Cursor> {
        self.store.snapshot().unwrap().scan(SPACE, from.as_bytes(), to.as_bytes(), order, 10).unwrap()
    }

    pub fn keys(&self) -> Vec<String> {
        rest(&mut *self.scan("", "", Order::Ascending))
    }
}

pub fn in_row<T>(store: &dyn Store, row: &str, mut body: impl FnMut(&mut dyn Transaction) -> T) -> Result<T> {
    let mut result = None;
    store.transact(&[bytes(row)], Durability::SyncWal, &mut |t| {
        result = Some(body(t));
        Ok(())
    })?;
    result.ok_or_else(|| Error::invalid("the body was not run"))
}

pub fn put(store: &dyn Store, key: &str, value: &str) -> Result<()> {
    in_row(store, "r", |t| t.put(SPACE, bytes(key), bytes(value)))
}

pub fn get(store: &dyn Store, key: &str) -> Option<String> {
    store.snapshot().unwrap().get(SPACE, key.as_bytes()).unwrap().map(text)
}

pub fn bytes(text: &str) -> Bytes {
    Bytes::copy_from_slice(text.as_bytes())
}

pub fn text(bytes: Bytes) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The keys that are left.
pub fn rest(cursor: &mut dyn Cursor) -> Vec<String> {
    pairs(cursor).into_iter().map(|(key, _)| text(key)).collect()
}

pub fn pairs(cursor: &mut dyn Cursor) -> Vec<Pair> {
    let mut pairs = Vec::new();
    while let Some(pair) = cursor.next().unwrap() {
        pairs.push(pair);
    }
    assert_eq!(cursor.next().unwrap(), None, "an ended cursor stays ended");
    pairs
}
