//! Spaces, snapshots, cursors and the store itself: how long each lives, and what becomes of the others then.

use std::sync::atomic::{AtomicUsize, Ordering};

use hjall_engine::ErrorKind;
use hjall_engine::mutation::Durability;
use hjall_engine::store::{CATALOG_SPACE, Order, SpaceId, SpaceOptions};

use crate::eventually::eventually;
use crate::stores::{Kind, SPACE, bytes, get, in_row, on_disk, put, rest};

pub fn spaces_are_created_and_dropped(kind: &Kind) {
    let store = &kind.store;
    assert_eq!(store.spaces().unwrap(), [CATALOG_SPACE, SPACE]);
    for space in [300, 20] {
        store.create_space(space, &SpaceOptions { compress: true, bloom: false, block_bytes: 4096 }).unwrap();
    }
    assert_eq!(store.spaces().unwrap(), [CATALOG_SPACE, SPACE, 20, 300]);
    in_row(&**store, "r", |t| t.put(20, bytes("a"), bytes("kept"))).unwrap();
    store.create_space(20, &SpaceOptions::default()).unwrap();
    assert_eq!(store.snapshot().unwrap().get(20, b"a").unwrap().unwrap(), "kept", "making it again changes nothing");
    assert_eq!(store.snapshot().unwrap().get(300, b"a").unwrap(), None, "spaces are apart");
    store.drop_space(300).unwrap();
    store.drop_space(300).unwrap();
    assert_eq!(store.spaces().unwrap(), [CATALOG_SPACE, SPACE, 20]);
}

pub fn an_unknown_space_is_refused(kind: &Kind) {
    let store = &kind.store;
    let snapshot = store.snapshot().unwrap();
    assert_eq!(snapshot.get(99, b"a").unwrap_err().kind(), ErrorKind::Stale);
    assert_eq!(snapshot.scan(99, b"", b"", Order::Ascending, 1).err().unwrap().kind(), ErrorKind::Stale);
    assert_eq!(store.flush(99).unwrap_err().kind(), ErrorKind::Stale);
    assert_eq!(store.compact(99, true).unwrap_err().kind(), ErrorKind::Stale);
    let error = in_row(&**store, "r", |t| {
        t.put(SPACE, bytes("a"), bytes("1"));
        t.put(99, bytes("a"), bytes("1"));
    })
    .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Stale);
    assert_eq!(kind.get("a"), None, "nothing of it was written");
}

/// fjall's batches accept writes to a dropped keyspace and lose them silently.
pub fn a_dropped_space_takes_no_more_writes(kind: &Kind) {
    let store = &kind.store;
    store.create_space(2, &SpaceOptions::default()).unwrap();
    let error = in_row(&**store, "r", |t| {
        t.put(2, bytes("a"), bytes("1"));
        store.drop_space(2).unwrap();
    })
    .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Stale);
    store.create_space(3, &SpaceOptions::default()).unwrap();
    assert_eq!(store.snapshot().unwrap().get(3, b"a").unwrap(), None);
}

pub fn the_catalog_cannot_be_dropped(kind: &Kind) {
    assert_eq!(kind.store.drop_space(CATALOG_SPACE).unwrap_err().kind(), ErrorKind::InvalidArgument);
    let snapshot = kind.store.snapshot().unwrap();
    let mut all = snapshot.scan(CATALOG_SPACE, b"", b"", Order::Descending, 1).unwrap();
    assert_eq!(all.next().unwrap(), None, "what a store keeps there for itself is not shown");
}

pub fn a_snapshot_keeps_what_it_saw(kind: &Kind) {
    for key in ["a", "b", "c", "d"] {
        kind.put(key, "old");
    }
    let snapshot = kind.store.snapshot().unwrap();
    let mut cursor = kind.scan("", "", Order::Ascending);
    assert_eq!(cursor.next().unwrap().unwrap().0, "a");
    for round in 0..3 {
        kind.put("a", &format!("new {round}"));
        kind.put(&format!("bb{round}"), "new");
        kind.delete("c");
        kind.store.flush(SPACE).unwrap();
        kind.store.compact(SPACE, round % 2 == 0).unwrap();
    }
    assert_eq!(snapshot.get(SPACE, b"a").unwrap().unwrap(), "old");
    assert_eq!(snapshot.get(SPACE, b"c").unwrap().unwrap(), "old");
    assert_eq!(snapshot.get(SPACE, b"bb0").unwrap(), None);
    assert_eq!(rest(&mut *snapshot.scan(SPACE, b"", b"", Order::Descending, 9).unwrap()), ["d", "c", "b", "a"]);
    assert_eq!(cursor.next().unwrap().unwrap().0, "b");
    cursor.seek(b"bb").unwrap();
    assert_eq!(rest(&mut *cursor), ["c", "d"]);
    assert_eq!(kind.keys(), ["a", "b", "bb0", "bb1", "bb2", "d"]);
}

/// It goes on with what it saw or fails; it never shows less as if that were all.
pub fn a_cursor_survives_its_space_or_ends(kind: &Kind) {
    for n in 0..2000 {
        kind.put(&format!("{n:04}"), "v");
    }
    kind.store.compact(SPACE, true).unwrap();
    let mut cursor = kind.scan("", "", Order::Ascending);
    let mut seeking = kind.scan("", "", Order::Ascending);
    assert_eq!(cursor.next().unwrap().unwrap().0, "0000");
    kind.store.drop_space(SPACE).unwrap();
    for n in 1..2000 {
        match cursor.next() {
            Ok(pair) => assert_eq!(pair.unwrap().0, format!("{n:04}")),
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::Stale);
                break;
            }
        }
    }
    match seeking.seek(b"1500").and_then(|()| seeking.next()) {
        Ok(pair) => assert_eq!(pair.unwrap().0, "1500"),
        Err(error) => assert_eq!(error.kind(), ErrorKind::Stale),
    }
}

pub fn everything_is_refused_once_closed(kind: &Kind) {
    kind.put("a", "1");
    let snapshot = kind.store.snapshot().unwrap();
    let mut cursor = kind.scan("", "", Order::Ascending);
    kind.store.close().unwrap();
    kind.store.close().unwrap();
    let store = &kind.store;
    let kinds = [
        put(&**store, "a", "2").unwrap_err().kind(),
        store.snapshot().err().unwrap().kind(),
        store.spaces().unwrap_err().kind(),
        store.create_space(5, &SpaceOptions::default()).unwrap_err().kind(),
        store.drop_space(SPACE).unwrap_err().kind(),
        store.flush(SPACE).unwrap_err().kind(),
        store.compact(SPACE, true).unwrap_err().kind(),
    ];
    assert_eq!(kinds, [ErrorKind::Closed; 7]);
    for result in [snapshot.get(SPACE, b"a"), cursor.next().map(|pair| pair.map(|(_, value)| value))] {
        match result {
            Ok(value) => assert_eq!(value.unwrap(), "1"),
            Err(error) => assert_eq!(error.kind(), ErrorKind::Stale),
        }
    }
}

pub fn closing_ends_operations_in_progress(kind: &Kind) {
    let started = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let started = &started;
            scope.spawn(move || {
                for n in 0.. {
                    let key = format!("{thread}.{n}");
                    match put(&*kind.store, &key, "v") {
                        Ok(()) => started.fetch_add(1, Ordering::SeqCst),
                        Err(error) => {
                            assert!(matches!(error.kind(), ErrorKind::Closed | ErrorKind::Stale), "{error:?}");
                            break;
                        }
                    };
                    let Ok(snapshot) = kind.store.snapshot() else { break };
                    match snapshot.get(SPACE, key.as_bytes()) {
                        Ok(value) => assert_eq!(value.unwrap(), "v"),
                        Err(error) => assert_eq!(error.kind(), ErrorKind::Stale),
                    }
                }
            });
        }
        eventually("100 puts are made", || started.load(Ordering::SeqCst) >= 100);
        kind.store.close().unwrap();
    });
    let error = kind.store.transact(&[], Durability::SyncWal, &mut |_| Ok(())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Closed);
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| get(&*kind.store, "a"))).is_err());
}

/// Deleted files take space on the disk until they are closed.
#[cfg(target_os = "linux")]
#[test]
fn the_files_of_a_dropped_space_are_closed() {
    const DROPPED: SpaceId = 2;
    let kind = on_disk();
    let deleted = || {
        let open = std::fs::read_dir("/proc/self/fd").unwrap();
        let open = open.filter_map(|open| std::fs::read_link(open.unwrap().path()).ok());
        open.filter(|path| path.starts_with(kind.folder()) && path.to_string_lossy().ends_with("(deleted)")).count()
    };
    kind.store.create_space(DROPPED, &SpaceOptions::default()).unwrap();
    for n in 0..3 {
        kind.in_row("r", |t| t.put(DROPPED, bytes("a"), bytes(&n.to_string())));
        kind.store.flush(DROPPED).unwrap();
        assert!(kind.store.snapshot().unwrap().get(DROPPED, b"a").unwrap().is_some());
    }
    kind.store.compact(DROPPED, true).unwrap();
    assert!(kind.store.snapshot().unwrap().get(DROPPED, b"a").unwrap().is_some());
    kind.store.drop_space(DROPPED).unwrap();
    assert_eq!(deleted(), 0);
}
