//! A store that is reopened in place after a failed write: rows cached before must not hide what the reopening reveals.
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use bytes::Bytes;
use hjall_engine::clock::ManualClock;
use hjall_engine::mutation::Durability;
use hjall_engine::request::{Get, Scan};
use hjall_engine::store::{
    CompactionControl, CompactionFilterFactory, MemoryStore, Snapshot, SpaceFiles, SpaceId, SpaceOptions, Statistics,
    Store, Transaction, Upcoming,
};
use hjall_engine::{Engine, Error, ErrorKind, Result, Table};

use crate::fixture::{NOW, descriptor, name, put};

/// A store whose transactions of the row `torn` can be made to fail after they reached the journal: reads do not see what they wrote until the
/// next transaction reopens the store, which replays the journal.
struct Replaying {
    inner: MemoryStore,
    generation: AtomicU64,
    /// What is read until the store is reopened.
    before: Mutex<Option<Arc<dyn Snapshot>>>,
    fail: Mutex<bool>,
    /// Told when the row `slow` has been committed, and waited for before its transaction returns.
    slow: Mutex<Option<(Sender<()>, Receiver<()>)>>,
}

impl Replaying {
    fn new() -> Arc<Self> {
        let inner = MemoryStore::new(Arc::new(ManualClock::at(NOW)));
        let (before, fail, slow) = (Mutex::default(), Mutex::default(), Mutex::default());
        Arc::new(Self { inner, generation: AtomicU64::new(0), before, fail, slow })
    }

    fn fail_next(&self) {
        *self.fail.lock().unwrap() = true;
    }

    fn hold_slow(&self) -> (Receiver<()>, Sender<()>) {
        let (committed, is_committed) = channel();
        let (release, released) = channel();
        *self.slow.lock().unwrap() = Some((committed, released));
        (is_committed, release)
    }
}

impl Store for Replaying {
    fn create_space(&self, space: SpaceId, options: &SpaceOptions) -> Result<()> {
        self.inner.create_space(space, options)
    }

    fn drop_space(&self, space: SpaceId) -> Result<()> {
        self.inner.drop_space(space)
    }

    fn spaces(&self) -> Result<Vec<SpaceId>> {
        self.inner.spaces()
    }

    fn generation(&self) -> u64 {
        self.generation.load(Ordering::SeqCst)
    }

    fn snapshot(&self) -> Result<Arc<dyn Snapshot>> {
        let before = self.before.lock().unwrap();
        before.as_ref().map_or_else(|| self.inner.snapshot(), |before| Ok(Arc::clone(before)))
    }

    fn transact(
        &self,
        rows: &[Bytes],
        durability: Durability,
        body: &mut dyn FnMut(&mut dyn Transaction) -> Result<()>,
    ) -> Result<()> {
        {
            let mut before = self.before.lock().unwrap();
            if before.is_some() {
                self.generation.fetch_add(1, Ordering::SeqCst);
                *before = None;
            }
            if rows.iter().any(|row| row.ends_with(b"torn")) && std::mem::take(&mut *self.fail.lock().unwrap()) {
                *before = Some(self.inner.snapshot()?);
                self.inner.transact(rows, durability, body)?;
                return Err(Error::new(ErrorKind::Io, "the journal could not be synced"));
            }
        }
        self.inner.transact(rows, durability, body)?;
        if rows.iter().any(|row| row.ends_with(b"slow"))
            && let Some((committed, released)) = self.slow.lock().unwrap().take()
        {
            committed.send(()).unwrap();
            released.recv().unwrap();
        }
        Ok(())
    }

    fn now_ms(&self) -> i64 {
        self.inner.now_ms()
    }

    fn upcoming(&self) -> Upcoming {
        self.inner.upcoming()
    }

    fn flush(&self, space: SpaceId) -> Result<()> {
        self.inner.flush(space)
    }

    fn compact_with(&self, space: SpaceId, major: bool, control: &Arc<CompactionControl>) -> Result<()> {
        self.inner.compact_with(space, major, control)
    }

    fn files(&self, space: SpaceId) -> Result<SpaceFiles> {
        self.inner.files(space)
    }

    fn set_compaction_filters(&self, filters: Arc<dyn CompactionFilterFactory>) {
        self.inner.set_compaction_filters(filters);
    }

    fn statistics(&self) -> Result<Statistics> {
        self.inner.statistics()
    }

    fn close(&self) -> Result<()> {
        self.inner.close()
    }
}

fn table() -> (Arc<Replaying>, Table) {
    let store = Replaying::new();
    let engine = Engine::with_store(store.clone()).unwrap();
    engine.create_table(descriptor("t", &["f"]), vec![]).unwrap();
    let table = engine.table(&name("t"));
    table.put(&put("torn", &[("f:a", 1, "old")])).unwrap();
    (store, table)
}

/// What a get of the row shows, asked often enough that it comes from the cache in the end.
fn got(table: &Table) -> String {
    let values: Vec<_> = (0..4).map(|_| table.get(&Get::new("torn")).unwrap().cells[0].value.clone()).collect();
    assert!(values.windows(2).all(|pair| pair[0] == pair[1]), "{values:?}");
    String::from_utf8_lossy(&values[0]).into_owned()
}

fn scanned(table: &Table) -> String {
    let scan = Scan { start: "torn".into(), stop: "torn".into(), ..Scan::default() };
    let rows = table.scan(scan).unwrap().next(1).unwrap();
    String::from_utf8_lossy(&rows[0].cells[0].value).into_owned()
}

#[test]
fn a_row_cached_after_a_failed_write_is_read_again_once_the_store_has_been_reopened() {
    let (store, table) = table();
    store.fail_next();
    assert_eq!(table.put(&put("torn", &[("f:a", 2, "new")])).unwrap_err().kind(), ErrorKind::Io);
    assert_eq!((scanned(&table), got(&table)), ("old".to_owned(), "old".to_owned()));
    table.put(&put("other", &[("f:a", 1, "x")])).unwrap();
    assert_eq!((scanned(&table), got(&table)), ("new".to_owned(), "new".to_owned()));
}

#[test]
fn a_write_that_committed_before_another_failed_does_not_vouch_for_it() {
    let (store, table) = table();
    let (committed, release) = store.hold_slow();
    let slow = table.clone();
    let writer = thread::spawn(move || slow.put(&put("slow", &[("f:a", 1, "x")])));
    committed.recv().unwrap();
    store.fail_next();
    table.put(&put("torn", &[("f:a", 2, "new")])).unwrap_err();
    release.send(()).unwrap();
    writer.join().unwrap().unwrap();
    assert_eq!((scanned(&table), got(&table)), ("old".to_owned(), "old".to_owned()));
    table.put(&put("other", &[("f:a", 1, "x")])).unwrap();
    assert_eq!((scanned(&table), got(&table)), ("new".to_owned(), "new".to_owned()));
}
