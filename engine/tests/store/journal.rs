//! Damage to the journals of a folder after a crash: what a crash leaves is cut, and anything else is refused until the
//! loss is accepted.

use std::fs::{self, OpenOptions};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hjall_engine::clock::ManualClock;
use hjall_engine::store::{FjallStore, SpaceOptions, Store};
use hjall_engine::{Engine, ErrorKind, Result};
use tempfile::TempDir;

use crate::folder_copy::{copy_crashed, copy_folder};
use crate::stores::{BEGIN_MS, SPACE, bytes, get, in_row, options};

const ROWS: usize = 8;

fn open(folder: &Path) -> Result<Arc<dyn Store>> {
    FjallStore::open(folder, options(&Arc::new(ManualClock::at(BEGIN_MS))))
}

fn value(n: usize) -> String {
    format!("value {n} {}", "v".repeat(n * 40))
}

/// A folder as a crash leaves it, with rows that are in the journal only.
fn crashed() -> TempDir {
    let (folder, crashed) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let store = open(folder.path()).unwrap();
    store.create_space(SPACE, &SpaceOptions::default()).unwrap();
    for n in 0..ROWS {
        in_row(&*store, "r", |t| {
            t.put(SPACE, bytes(&format!("row {n}")), bytes(&value(n)));
            t.put(SPACE, bytes(&format!("row {n} too")), bytes(&value(n)));
        })
        .unwrap();
    }
    copy_crashed(folder.path(), crashed.path());
    let journal = OpenOptions::new().write(true).open(journal(crashed.path(), 0)).unwrap();
    let end = batches(&fs::read(self::journal(crashed.path(), 0)).unwrap()).last().unwrap().end;
    // Some of the zeros with which fjall creates journals.
    journal.set_len(end as u64 + 9000).unwrap();
    crashed
}

fn journal(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("data/{number}.jnl"))
}

/// The ranges of the batches in an intact journal.
fn batches(journal: &[u8]) -> Vec<Range<usize>> {
    let number = |at: usize, bytes: usize| journal[at..at + bytes].iter().rev().fold(0, |n, b| n << 8 | *b as usize);
    let (mut found, mut at) = (Vec::new(), 0);
    while journal.get(at) == Some(&1) {
        let begin = at;
        let items = number(at + 1, 4);
        at += 13;
        for _ in 0..items {
            assert_eq!(journal[at], 2);
            at += 21 + number(at + 11, 2) + number(at + 17, 4);
        }
        assert_eq!(journal[at], 3);
        at += 13;
        found.push(begin..at);
    }
    found
}

/// The numbers of the rows that are stored completely. No row is stored in part or with another value.
fn rows(store: &dyn Store) -> Vec<usize> {
    let row = |n: &usize| {
        let whole = get(store, &format!("row {n}"));
        assert_eq!(whole, get(store, &format!("row {n} too")), "row {n} is not atomic");
        assert!(whole.as_ref().is_none_or(|stored| *stored == value(*n)), "row {n} has another value");
        whole.is_some()
    };
    (0..ROWS).filter(row).collect()
}

fn refused(folder: &Path) -> String {
    let error = open(folder).err().expect("damage is refused");
    assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    error.message().to_owned()
}

fn alter(path: &Path, alter: impl FnOnce(&mut Vec<u8>)) {
    let mut content = fs::read(path).unwrap();
    alter(&mut content);
    fs::write(path, content).unwrap();
}

#[test]
fn damage_before_intact_batches_is_refused_until_the_loss_is_accepted() {
    let folder = crashed();
    let path = journal(folder.path(), 0);
    let whole = fs::read(&path).unwrap();
    let found = batches(&whole);
    let damaged = found[found.len() - 3].clone();
    alter(&path, |content| content[damaged.start + 60] ^= 4);
    let message = refused(folder.path());
    for part in ["0.jnl", &format!("byte {} ", damaged.start), "2 intact batches follow", "hjall repair", "backup"] {
        assert!(message.contains(part), "{part}: {message}");
    }
    assert!(Engine::repair(folder.path(), false).unwrap().len() == 1);
    let mut expected = whole.clone();
    expected[damaged.start + 60] ^= 4;
    assert!(fs::read(&path).unwrap() == expected, "a refused folder was changed");

    let dropped = Engine::repair(folder.path(), true).unwrap();
    assert_eq!((dropped[0].at, dropped[0].bytes), (damaged.start as u64, damaged.len() as u64));
    assert!(!dropped[0].lossless);
    assert!(fs::read(folder.path().join("damaged/0.jnl.0")).unwrap() == expected);
    assert!(Engine::repair(folder.path(), false).unwrap().is_empty());
    let mut left: Vec<usize> = (0..ROWS).collect();
    left.remove(ROWS - 3);
    assert_eq!(rows(&*open(folder.path()).unwrap()), left);
    assert_eq!(rows(&*open(folder.path()).unwrap()), left);
}

#[test]
fn damage_to_the_last_batch_is_not_taken_for_a_crash() {
    let crashed = crashed();
    let whole = fs::read(journal(crashed.path(), 0)).unwrap();
    let last = batches(&whole).pop().unwrap();
    for at in last.step_by(3) {
        let folder = TempDir::new().unwrap();
        copy_folder(crashed.path(), folder.path()).unwrap();
        alter(&journal(folder.path(), 0), |content| content[at] ^= 1);
        // The sequence number of the last batch may be any that is greater than those before.
        match open(folder.path()) {
            Ok(store) => assert_eq!(rows(&*store).len(), ROWS, "byte {at}"),
            Err(error) => assert_eq!(error.kind(), ErrorKind::Corrupt, "byte {at}: {error}"),
        }
    }
    alter(&journal(crashed.path(), 0), |content| content[whole.len() - 9100] ^= 1);
    assert!(refused(crashed.path()).contains("no intact batch follows"));
}

#[test]
fn a_batch_that_a_crash_cut_off_is_dropped() {
    let whole = crashed();
    let content = fs::read(journal(whole.path(), 0)).unwrap();
    let found = batches(&content);
    let before = found[found.len() - 2].end;
    let last = found.last().unwrap().clone();
    for length in last.clone().step_by(7).chain([last.end - 1]) {
        // The rest of the file is missing, or was never written.
        for fill in [length, content.len()] {
            let folder = TempDir::new().unwrap();
            copy_folder(whole.path(), folder.path()).unwrap();
            alter(&journal(folder.path(), 0), |content| {
                content.truncate(length);
                content.resize(fill, 0);
            });
            let store = open(folder.path()).unwrap_or_else(|error| panic!("cut at {length}: {error}"));
            assert_eq!(rows(&*store).len(), ROWS - 1, "cut at {length}");
            assert!(length >= before);
        }
    }
}

#[test]
fn pages_that_a_power_failure_lost_are_not_damage() {
    let folder = crashed();
    let path = journal(folder.path(), 0);
    let store = open(folder.path()).unwrap();
    let first = rows(&*store).len();
    for n in 0..40 {
        in_row(&*store, "r", |t| t.put(SPACE, bytes(&format!("later {n:02}")), bytes(&"w".repeat(400)))).unwrap();
    }
    let lost = TempDir::new().unwrap();
    copy_crashed(folder.path(), lost.path());
    drop(store);
    let path = lost.path().join(path.strip_prefix(folder.path()).unwrap());
    // Neither the end of one page nor the whole next one was written back, but a later one was.
    alter(&path, |content| content[8192 - 700..3 * 4096].fill(0));
    let store = open(lost.path()).unwrap();
    assert_eq!(rows(&*store).len(), first);
    let later: Vec<bool> = (0..40).map(|n| get(&*store, &format!("later {n:02}")).is_some()).collect();
    let kept = later.iter().filter(|kept| **kept).count();
    assert!(0 < kept && kept < 20 && later[..kept].iter().all(|kept| *kept), "{later:?}");
}

#[test]
fn a_sequence_number_out_of_order_is_noticed_and_corrected_without_loss() {
    let whole = crashed();
    let content = fs::read(journal(whole.path(), 0)).unwrap();
    let found = batches(&content);
    for batch in [found.len() - 1, found.len() - 3, 2, 1] {
        for byte in 0..8 {
            for bit in [0, 3, 6, 7] {
                let folder = TempDir::new().unwrap();
                copy_folder(whole.path(), folder.path()).unwrap();
                alter(&journal(folder.path(), 0), |content| content[found[batch].start + 5 + byte] ^= 1 << bit);
                let what = format!("batch {batch}, byte {byte}, bit {bit}");
                if let Err(error) = open(folder.path()) {
                    assert_eq!(error.kind(), ErrorKind::Corrupt, "{what}: {error}");
                    let damage = Engine::repair(folder.path(), true).unwrap();
                    let invalid = byte == 7 && bit == 7;
                    assert_eq!(damage.len(), 1, "{what}: {damage:?}");
                    assert_eq!(damage[0].at, found[batch].start as u64, "{what}: {damage:?}");
                    assert_eq!(damage[0].lossless, !invalid, "{what}: {damage:?}");
                    if invalid {
                        continue;
                    }
                }
                assert_eq!(rows(&*open(folder.path()).unwrap()).len(), ROWS, "{what}");
            }
        }
    }
}

/// fjall syncs a journal before it begins the next one, so only the last one can have a torn end.
#[test]
fn all_journals_are_checked_in_order() {
    let folder = crashed();
    let (first, second) = (journal(folder.path(), 0), journal(folder.path(), 1));
    let content = fs::read(&first).unwrap();
    let found = batches(&content);
    let middle = found[found.len() - 4].clone();
    fs::write(&first, &content[..middle.end]).unwrap();
    fs::write(&second, &content[middle.end..]).unwrap();
    let copied = TempDir::new().unwrap();
    copy_folder(folder.path(), copied.path()).unwrap();
    assert_eq!(rows(&*open(copied.path()).unwrap()).len(), ROWS);

    alter(&first, |content| content.truncate(middle.end - 20));
    assert!(refused(folder.path()).contains("3 intact batches follow"));
    fs::write(&first, &content[..middle.end]).unwrap();
    alter(&first, |content| content[middle.start + 11] ^= 1);
    assert!(refused(folder.path()).contains("0.jnl"), "a number greater than those of the next journal");
    fs::write(&first, &content[..middle.end]).unwrap();
    fs::rename(&second, journal(folder.path(), 2)).unwrap();
    assert!(refused(folder.path()).contains("1.jnl is missing"));
    fs::rename(journal(folder.path(), 2), &second).unwrap();
    assert_eq!(rows(&*open(folder.path()).unwrap()).len(), ROWS);
}

/// Otherwise a server that runs as another user could not open the folder after a command of root.
#[cfg(unix)]
#[test]
fn a_journal_that_is_replaced_keeps_its_owner_and_its_mode() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
    const OWNER: u32 = 12345;
    for is_damaged in [false, true] {
        let folder = crashed();
        let path = journal(folder.path(), 0);
        if is_damaged {
            let middle = batches(&fs::read(&path).unwrap())[2].clone();
            alter(&path, |content| content[middle.start + 60] ^= 4);
        }
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        // Only root may give files away.
        let owner = if chown(&path, Some(OWNER), Some(OWNER + 1)).is_ok() { Some((OWNER, OWNER + 1)) } else { None };
        let before = fs::metadata(&path).unwrap();
        if is_damaged {
            assert_eq!(Engine::repair(folder.path(), true).unwrap().len(), 1);
        } else {
            drop(open(folder.path()).unwrap());
        }
        let after = fs::metadata(&path).unwrap();
        assert_ne!(after.ino(), before.ino(), "it has been replaced");
        assert_eq!(after.mode() & 0o777, 0o640);
        assert!(owner.is_none_or(|owner| owner == (after.uid(), after.gid())), "{}:{}", after.uid(), after.gid());
    }
}

#[test]
fn a_store_in_use_reports_a_damaged_journal() {
    let folder = TempDir::new().unwrap();
    let store = open(folder.path()).unwrap();
    store.create_space(SPACE, &SpaceOptions::default()).unwrap();
    for n in 0..ROWS {
        in_row(&*store, "r", |t| t.put(SPACE, bytes(&format!("row {n}")), bytes(&value(n)))).unwrap();
        store.check_journals().unwrap();
    }
    use std::io::{Seek as _, Write as _};
    let mut file = OpenOptions::new().write(true).open(journal(folder.path(), 0)).unwrap();
    file.seek(std::io::SeekFrom::Start(150)).unwrap();
    file.write_all(b"damaged").unwrap();
    let error = store.check_journals().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert!(error.message().contains("0.jnl"), "{error}");
    // With everything in files, the journal is not needed any more.
    store.close().unwrap();
    assert!(open(folder.path()).is_ok());
}
