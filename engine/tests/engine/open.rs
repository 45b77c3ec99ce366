//! Opening and closing: a folder is opened once per process, and a closed database refuses calls.

use std::sync::Arc;

use crate::fixture::{Database, NOW, descriptor, kind, name, put, read};
use hjall_engine::clock::ManualClock;
use hjall_engine::request::{Get, Scan};
use hjall_engine::{Engine, ErrorKind as E, Options};

#[test]
fn a_second_opening_is_the_same_database_until_the_last_one_closes() {
    let folder = tempfile::tempdir().unwrap();
    let first = Engine::open(folder.path(), Options::default()).unwrap();
    let second =
        Engine::open(&folder.path().join("../").join(folder.path().file_name().unwrap()), Options::default()).unwrap();
    assert_eq!(first.cluster_id(), second.cluster_id());
    first.create_table(descriptor("t", &["f"]), vec![]).unwrap();
    second.table(&name("t")).put(&put("r", &[("f:q", 1, "v")])).unwrap();
    assert_eq!(read(&first.table(&name("t")), "r"), ["f:q@1=v"]);
    let other = Options { cache_bytes: Some(1 << 20), ..Options::default() };
    assert_eq!(kind(Engine::open(folder.path(), other.clone())), E::InvalidArgument);
    first.close().unwrap();
    first.close().unwrap();
    assert_eq!(kind(first.table(&name("t")).get(&Get::new("r"))), E::Closed, "this opening is closed");
    assert_eq!(read(&second.table(&name("t")), "r"), ["f:q@1=v"], "the other one is not");
    second.close().unwrap();
    let third = Engine::open(folder.path(), other).unwrap();
    assert_eq!(read(&third.table(&name("t")), "r"), ["f:q@1=v"]);
}

#[test]
fn a_folder_cannot_be_shared_with_another_clock() {
    let folder = tempfile::tempdir().unwrap();
    let options = || Options { clock: Some(Arc::new(ManualClock::at(NOW))), ..Options::default() };
    let _first = Engine::open(folder.path(), options()).unwrap();
    assert_eq!(kind(Engine::open(folder.path(), options())), E::InvalidArgument);
}

/// Threads that open and close the same folder find it open or closed, never in an intermediate state.
#[test]
fn many_threads_can_open_and_close_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    Engine::open(folder.path(), Options::default()).unwrap().create_table(descriptor("t", &["f"]), vec![]).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let folder = folder.path();
            scope.spawn(move || {
                for n in 0..10 {
                    let engine = Engine::open(folder, Options::default()).unwrap();
                    engine.table(&name("t")).put(&put(&format!("{thread}.{n}"), &[("f:q", 1, "v")])).unwrap();
                    engine.close().unwrap();
                }
            });
        }
    });
    let engine = Engine::open(folder.path(), Options::default()).unwrap();
    assert_eq!(engine.table(&name("t")).scan(Scan::default()).unwrap().rows().count(), 40);
}

#[test]
fn a_cluster_keeps_its_id_and_two_clusters_differ() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let id = |folder: &tempfile::TempDir| {
        let engine = Engine::open(folder.path(), Options::default()).unwrap();
        let id = engine.cluster_id().to_owned();
        engine.close().unwrap();
        id
    };
    assert_eq!(id(&one), id(&one));
    assert_ne!(id(&one), id(&two));
    let parts: Vec<_> = id(&one).split('-').map(str::len).collect();
    assert_eq!(parts, [8, 4, 4, 4, 12]);
}

#[test]
fn every_call_is_refused_once_the_database_is_closed() {
    for db in Database::all() {
        let t = db.table("t", &["f"]);
        t.put(&put("r", &[("f:q", 1, "v")])).unwrap();
        let mut scanner = t.scan(Scan::default()).unwrap();
        db.engine.clone().close().unwrap();
        assert_eq!(kind(t.get(&Get::new("r"))), E::Closed, "{}", db.kind);
        assert_eq!(kind(t.put(&put("r", &[("f:q", 1, "v")]))), E::Closed);
        assert_eq!(kind(t.put_many(&[put("r", &[("f:q", 1, "v")])]).remove(0)), E::Closed);
        assert_eq!(kind(t.increment(&crate::fixture::increment("r", "f:n", 1))), E::Closed);
        assert_eq!(kind(scanner.next(1)), E::Closed);
        assert_eq!(kind(db.engine.create_table(descriptor("u", &["f"]), vec![])), E::Closed);
        assert_eq!(kind(db.engine.flush(&name("t"))), E::Closed);
        assert_eq!(kind(db.engine.describe(&name("t"))), E::Closed);
    }
}

#[test]
fn a_table_keeps_its_database_open() {
    let folder = tempfile::tempdir().unwrap();
    let t = {
        let engine = Engine::open(folder.path(), Options::default()).unwrap();
        engine.create_table(descriptor("t", &["f"]), vec![]).unwrap();
        engine.table(&name("t"))
    };
    t.put(&put("r", &[("f:q", 1, "v")])).unwrap();
    assert_eq!(read(&t, "r"), ["f:q@1=v"]);
}

/// A cache allocates a part of its size when it is created, and a process that cannot allocate memory is aborted.
#[test]
fn caches_beyond_any_memory_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    for bytes in [(1 << 40) + 1, 1 << 45, u64::MAX] {
        let block_cache = Options { cache_bytes: Some(bytes), ..Options::default() };
        let row_cache = Options { row_cache_bytes: Some(bytes), ..Options::default() };
        for (options, name) in [(block_cache, "cache_bytes"), (row_cache, "row_cache_bytes")] {
            for opened in [Engine::open(folder.path(), options.clone()), Engine::memory(options)] {
                let error = opened.err().unwrap();
                assert_eq!(error.kind(), E::InvalidArgument);
                assert!(error.message().starts_with(&format!("{name} is {bytes}, more than")), "{error}");
            }
        }
    }
    let most = Options { cache_bytes: Some(1 << 40), row_cache_bytes: Some(1 << 40), ..Options::default() };
    Engine::memory(most.clone()).unwrap().close().unwrap();
    Engine::open(folder.path(), most).unwrap().close().unwrap();
}
