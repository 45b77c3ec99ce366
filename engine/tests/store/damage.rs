//! Files of a data folder that are missing, empty or cut: the data is served whole, or refused with nothing changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hjall_engine::ErrorKind;
use hjall_engine::clock::ManualClock;
use hjall_engine::store::{FjallStore, Order, SpaceOptions, Store};
use tempfile::TempDir;

use crate::folder_copy::{copy_crashed, copy_folder};
use crate::stores::{BEGIN_MS, SPACE, bytes, get, in_row, options, pairs, put};

const SPACES: [u64; 2] = [0, SPACE];
const PAIRS: usize = 40;

fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::at(BEGIN_MS))
}

/// Some pairs in files, some of them written twice, and in each space one that is in no file before the store is
/// closed.
fn fill(folder: &Path) -> Arc<dyn Store> {
    let store = FjallStore::open(folder, options(&clock())).unwrap();
    for space in SPACES {
        store.create_space(space, &SpaceOptions::default()).unwrap();
        for round in 0..2 {
            let put = |n: usize| (bytes(&format!("{n:02}")), bytes(&format!("{space} {n} {round}")));
            in_row(&*store, "r", |t| {
                (round..PAIRS - 1).map(put).for_each(|(key, value)| t.put(space, key, value));
            })
            .unwrap();
            store.flush(space).unwrap();
        }
        in_row(&*store, "r", |t| t.put(space, bytes("last"), bytes("last"))).unwrap();
    }
    store
}

/// Everything that is stored.
fn read(store: &dyn Store) -> Vec<Vec<(bytes::Bytes, bytes::Bytes)>> {
    let snapshot = store.snapshot().unwrap();
    SPACES.map(|space| pairs(&mut *snapshot.scan(space, b"", b"", Order::Ascending, 9).unwrap())).to_vec()
}

/// A folder whose store has been filled and closed, and everything that is stored in it.
fn filled_and_closed() -> (TempDir, Vec<Vec<(bytes::Bytes, bytes::Bytes)>>) {
    let folder = TempDir::new().unwrap();
    let store = fill(folder.path());
    let expected = read(&*store);
    store.close().unwrap();
    (folder, expected)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(self::files(&path)) } else { files.push(path) }
    }
    files
}

/// Does three kinds of damage to each file in turn, except to those that `spare` names. Returns how often that was
/// refused.
fn damage_each_file(
    whole: &Path,
    expected: &[Vec<(bytes::Bytes, bytes::Bytes)>],
    spare: &[&str],
    named: bool,
) -> usize {
    let mut refused = 0;
    for file in files(whole) {
        let name = file.strip_prefix(whole).unwrap();
        if spare.iter().any(|spare| name.to_str().unwrap().ends_with(spare)) {
            continue;
        }
        let content = fs::read(&file).unwrap();
        for damage in ["emptied", "cut", "removed"] {
            let what = format!("{} {damage}", name.display());
            let folder = TempDir::new().unwrap();
            copy_folder(whole, folder.path()).unwrap();
            let damaged = folder.path().join(name);
            match damage {
                "emptied" => fs::write(&damaged, b"").unwrap(),
                "cut" => fs::write(&damaged, &content[..content.len() / 2]).unwrap(),
                _ => fs::remove_file(&damaged).unwrap(),
            }
            match FjallStore::open(folder.path(), options(&clock())) {
                Ok(store) => assert!(read(&*store) == expected, "{what}: served, but not whole"),
                Err(error) => {
                    refused += 1;
                    assert_eq!(error.kind(), ErrorKind::Corrupt, "{what}: {error}");
                    if named {
                        let name = name.file_name().unwrap().to_str().unwrap();
                        assert!(error.message().contains(name), "{what}: {error}");
                    }
                    fs::write(&damaged, &content).unwrap();
                    let store = FjallStore::open(folder.path(), options(&clock()))
                        .unwrap_or_else(|error| panic!("{what}, and put back: {error}"));
                    assert!(read(&*store) == expected, "{what}, and put back: not whole");
                }
            }
        }
    }
    refused
}

#[test]
fn each_file_of_a_closed_folder_is_missed() {
    let (folder, expected) = filled_and_closed();
    assert!(damage_each_file(folder.path(), &expected, &[], true) > 20);
}

/// A journal that is cut is what a crash leaves, so that cannot be noticed.
#[test]
fn each_file_of_a_folder_after_a_crash_is_missed() {
    let (folder, crashed) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let store = fill(folder.path());
    copy_crashed(folder.path(), crashed.path());
    assert!(damage_each_file(crashed.path(), &read(&*store), &[".jnl"], false) > 20);
    fs::remove_file(crashed.path().join("data/0.jnl")).unwrap();
    let error = FjallStore::open(crashed.path(), options(&clock())).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert!(error.message().contains("0.jnl"), "{error}");
}

/// fjall does not compare the checksums of lists of files. With one altered byte in the list of its index, it finds no
/// space and removes the files of all.
#[test]
fn an_altered_list_of_files_is_refused() {
    let (folder, expected) = filled_and_closed();
    let spaces = folder.path().join("data/keyspaces");
    // The first opening removes it, because it may change the files that it lists.
    fs::remove_file(folder.path().join("CLOSED")).unwrap();
    let (mut tried, before) = (0, files(folder.path()));
    for space in fs::read_dir(&spaces).unwrap().map(|entry| entry.unwrap().path()) {
        let current = fs::read(space.join("current")).unwrap();
        let list = format!("v{}", u64::from_le_bytes(*current.first_chunk().unwrap()));
        for file in [space.join("current"), space.join(list)] {
            let content = fs::read(&file).unwrap();
            for at in 0..content.len() {
                let mut altered = content.clone();
                altered[at] ^= 1 << (at % 8);
                fs::write(&file, altered).unwrap();
                let error = FjallStore::open(folder.path(), options(&clock())).err().unwrap();
                assert_eq!(error.kind(), ErrorKind::Corrupt, "byte {at} of {}: {error}", file.display());
                assert!(error.message().contains(space.to_str().unwrap()), "{error}");
                tried += 1;
            }
            fs::write(&file, content).unwrap();
        }
    }
    assert!(tried > 500);
    assert_eq!(files(folder.path()), before);
    let store = FjallStore::open(folder.path(), options(&clock())).unwrap();
    assert!(read(&*store) == expected);
}

/// The number of entries in the table of contents of a file: fjall reserves memory for that many before it compares a
/// checksum.
#[test]
fn a_file_with_an_altered_table_of_contents_is_refused() {
    let (folder, expected) = filled_and_closed();
    fs::remove_file(folder.path().join("CLOSED")).unwrap();
    let mut tried = 0;
    for file in files(&folder.path().join("data/keyspaces")) {
        if file.parent().unwrap().file_name().unwrap() != "tables" {
            continue;
        }
        let content = fs::read(&file).unwrap();
        let number = content.windows(4).rposition(|bytes| bytes == b"TOC!").unwrap() + 4;
        for bit in 0..32 {
            let mut altered = content.clone();
            altered[number + bit / 8] ^= 1 << (bit % 8);
            fs::write(&file, altered).unwrap();
            let error = FjallStore::open(folder.path(), options(&clock())).err().unwrap();
            assert_eq!(error.kind(), ErrorKind::Corrupt, "bit {bit} of {}: {error}", file.display());
            tried += 1;
        }
        fs::write(&file, content).unwrap();
    }
    assert!(tried > 100);
    let store = FjallStore::open(folder.path(), options(&clock())).unwrap();
    assert!(read(&*store) == expected);
}

#[test]
fn a_folder_without_its_data_is_refused() {
    let folder = TempDir::new().unwrap();
    fill(folder.path()).close().unwrap();
    fs::remove_file(folder.path().join("CLOSED")).unwrap();
    for part in ["data/keyspaces/0", "data/keyspaces", "data"] {
        fs::rename(folder.path().join(part), folder.path().join("elsewhere")).unwrap();
        let error = FjallStore::open(folder.path(), options(&clock())).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        assert!(error.message().contains(part), "{error}");
        fs::rename(folder.path().join("elsewhere"), folder.path().join(part)).unwrap();
    }
    let store = FjallStore::open(folder.path(), options(&clock())).unwrap();
    assert_eq!(get(&*store, "last").unwrap(), "last");
}

/// A crash while the folder was made leaves files from which fjall cannot go on. Nothing can have been stored then.
#[test]
fn a_folder_whose_making_was_cut_short_is_made_again() {
    let folder = TempDir::new().unwrap();
    FjallStore::open(folder.path(), options(&clock())).unwrap().close().unwrap();
    let whole = files(folder.path());
    for cut in &whole {
        let again = TempDir::new().unwrap();
        copy_folder(folder.path(), again.path()).unwrap();
        fs::remove_file(again.path().join(cut.strip_prefix(folder.path()).unwrap())).unwrap();
        fs::write(again.path().join("CREATING"), b"").unwrap();
        drop(fs::remove_file(again.path().join("CLOSED")));
        if cut.ends_with("FORMAT") {
            // It is there before the first of the store's files.
            fs::remove_dir_all(again.path().join("data")).unwrap();
        }
        let store = FjallStore::open(again.path(), options(&clock())).unwrap();
        store.create_space(SPACE, &SpaceOptions::default()).unwrap();
        put(&*store, "a", "1").unwrap();
        store.close().unwrap();
        let store = FjallStore::open(again.path(), options(&clock())).unwrap();
        assert_eq!(get(&*store, "a").unwrap(), "1");
    }
}

/// A crash while a space is made or dropped leaves a part of its folder, and everything else goes on.
#[test]
fn a_part_of_a_space_that_was_being_made_or_dropped_is_removed() {
    let (folder, expected) = filled_and_closed();
    let part = folder.path().join("data/keyspaces/99");
    fs::create_dir_all(part.join("tables")).unwrap();
    fs::write(part.join("tables/0"), b"data of a space that is gone").unwrap();
    let store = FjallStore::open(folder.path(), options(&clock())).unwrap();
    assert!(read(&*store) == expected);
    assert!(!part.exists());
}
