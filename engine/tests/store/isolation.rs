//! Transactions: atomicity, serial execution within a row, and no partial visibility.

use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use hjall_engine::mutation::Durability;
use hjall_engine::store::{Order, SpaceOptions, Transaction};
use hjall_engine::{Error, ErrorKind};

use crate::stores::{Kind, SPACE, bytes};

pub fn an_error_leaves_nothing_behind(kind: &Kind) {
    let error = kind
        .store
        .transact(&[bytes("r")], Durability::SyncWal, &mut |t| {
            t.put(SPACE, bytes("a"), bytes("1"));
            t.assigned(t.now_ms() + 5, true);
            Err(Error::new(ErrorKind::NotALong, "no"))
        })
        .unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotALong);
    assert_eq!(kind.get("a"), None);
    assert_eq!(kind.in_row("r", |t| t.now_ms()), kind.store.now_ms(), "what failed has assigned no timestamp");
}

pub fn a_transaction_does_not_see_its_own_writes(kind: &Kind) {
    kind.put("a", "old");
    let (seen, written) = kind.in_row("r", |t| {
        let before = t.written(SPACE, &bytes("a"));
        t.put(SPACE, bytes("a"), bytes("newer"));
        let first = t.written(SPACE, &bytes("a"));
        t.put(SPACE, bytes("a"), bytes("new"));
        t.put(SPACE, bytes("b"), bytes("gone"));
        t.delete(SPACE, bytes("b"));
        let written = [before, first, t.written(SPACE, &bytes("a")), t.written(SPACE, &bytes("b"))];
        (t.snapshot().get(SPACE, b"a").unwrap(), written)
    });
    assert_eq!(seen.unwrap(), "old", "it can be asked for its writes apart from that");
    assert_eq!(written, [None, Some(bytes("newer")), Some(bytes("new")), None]);
    assert_eq!(kind.get("a").unwrap(), "new");
}

pub fn a_space_is_empty_in_an_earlier_snapshot(kind: &Kind) {
    kind.put("a", "1");
    let before = kind.store.snapshot().unwrap();
    kind.store.create_space(SPACE + 1, &SpaceOptions::default()).unwrap();
    let put = &mut |t: &mut dyn Transaction| {
        t.put(SPACE + 1, bytes("a"), bytes("2"));
        Ok(())
    };
    kind.store.transact(&[bytes("r")], Durability::SyncWal, put).unwrap();
    kind.store.flush(SPACE + 1).unwrap();
    for (snapshot, expected) in [(before, None), (kind.store.snapshot().unwrap(), Some(bytes("2")))] {
        assert_eq!(snapshot.get(SPACE + 1, b"a").unwrap(), expected);
        for order in [Order::Ascending, Order::Descending] {
            let mut cursor = snapshot.scan(SPACE + 1, b"", b"", order, 10).unwrap();
            assert_eq!(cursor.next().unwrap().map(|(_, value)| value), expected);
        }
        assert_eq!(snapshot.get(SPACE, b"a").unwrap(), Some(bytes("1")));
    }
}

fn increment(t: &mut dyn Transaction, key: &Bytes) {
    let old = t.snapshot().get(SPACE, key).unwrap();
    let old = old.map_or(0, |value| std::str::from_utf8(&value).unwrap().parse::<u32>().unwrap());
    t.put(SPACE, key.clone(), bytes(&(old + 1).to_string()));
}

/// A lost update: two transactions of one row that read the same value.
pub fn increments_from_many_threads_add_up(kind: &Kind) {
    std::thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || {
                for n in 0..250 {
                    let row = if (thread + n) % 2 == 0 { "x" } else { "y" };
                    kind.in_row(row, |t| increment(t, &bytes(row)));
                }
            });
        }
    });
    assert_eq!((kind.get("x").unwrap(), kind.get("y").unwrap()), ("1000".into(), "1000".into()));
}

pub fn transactions_over_several_rows_do_not_deadlock(kind: &Kind) {
    std::thread::scope(|scope| {
        for thread in 0..6_usize {
            scope.spawn(move || {
                for n in 0..200 {
                    let mut rows = [bytes("x"), bytes("y"), bytes("z"), bytes("x")];
                    rows.rotate_left((thread + n) % 4);
                    kind.store
                        .transact(&rows, Durability::SyncWal, &mut |t| {
                            for key in ["x", "y", "z"] {
                                increment(t, &bytes(key));
                            }
                            Ok(())
                        })
                        .unwrap();
                }
            });
        }
    });
    for key in ["x", "y", "z"] {
        assert_eq!(kind.get(key).unwrap(), "1200");
    }
}

/// fjall publishes the end of a flush with a number above that of a commit which is still being applied: a snapshot
/// taken then would show a part of the commit.
pub fn no_snapshot_shows_a_part_of_a_transaction(kind: &Kind) {
    const KEYS: usize = 1500;
    let keys: Vec<_> = (0..KEYS).map(|key| bytes(&format!("{key:04}"))).collect();
    kind.store.create_space(2, &SpaceOptions::default()).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for n in 0..150 {
                let value = bytes(&n.to_string());
                kind.in_row("r", |t| keys.iter().for_each(|key| t.put(SPACE, key.clone(), value.clone())));
            }
            done.store(true, Ordering::SeqCst);
        });
        scope.spawn(|| {
            while !done.load(Ordering::SeqCst) {
                kind.in_row("flushed", |t| t.put(2, bytes("a"), bytes("v")));
                kind.store.flush(2).unwrap();
            }
        });
        let mut last = 0;
        while !done.load(Ordering::SeqCst) {
            let snapshot = kind.store.snapshot().unwrap();
            let [begin, end] = [&keys[KEYS - 1], &keys[0]].map(|key| snapshot.get(SPACE, key).unwrap());
            assert_eq!(begin, end, "half a transaction");
            let now = begin.map_or(0, |value| std::str::from_utf8(&value).unwrap().parse::<u32>().unwrap());
            assert!(now >= last, "a later snapshot shows an older state");
            last = now;
        }
    });
}

/// fjall panics at both.
pub fn invalid_keys_are_refused(kind: &Kind) {
    for key in [Bytes::new(), Bytes::from(vec![1; 65_536]), Bytes::from_static(b"\0")] {
        let error = kind
            .store
            .transact(&[bytes("r")], Durability::SyncWal, &mut |t| {
                t.put(SPACE, bytes("a"), bytes("1"));
                t.put(SPACE, key.clone(), bytes("1"));
                Ok(())
            })
            .unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert_eq!(kind.get("a"), None);
        assert_eq!(kind.store.snapshot().unwrap().get(SPACE, &key).unwrap(), None);
    }
    let longest = Bytes::from(vec![1; 65_535]);
    kind.in_row("r", |t| t.put(SPACE, longest.clone(), bytes("1")));
    let snapshot = kind.store.snapshot().unwrap();
    assert!(snapshot.get(SPACE, &longest).unwrap().is_some());
    for extra in [1, 1000] {
        // As bounds they are legal: they lie between keys.
        let beyond = vec![1; 65_535 + extra];
        for order in [Order::Ascending, Order::Descending] {
            assert_eq!(snapshot.scan(SPACE, &beyond, b"", order, 1).unwrap().next().unwrap(), None);
            assert!(snapshot.scan(SPACE, b"", &beyond, order, 1).unwrap().next().unwrap().is_some());
        }
    }
}

pub fn a_transaction_needs_a_durability(kind: &Kind) {
    let error = kind.store.transact(&[bytes("r")], Durability::UseDefault, &mut |_| Ok(())).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    for durability in [Durability::SkipWal, Durability::AsyncWal, Durability::SyncWal, Durability::FsyncWal] {
        let key = format!("{durability:?}");
        kind.store
            .transact(&[bytes("r")], durability, &mut |t| {
                t.put(SPACE, bytes(&key), bytes("v"));
                Ok(())
            })
            .unwrap();
        assert!(kind.get(&key).is_some());
    }
}
