//! Damage to journals that have been synced is never taken for what a power failure leaves.

use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use hjall_engine::mutation::{Durability, Put};
use hjall_engine::request::Scan;
use hjall_engine::{Engine, ErrorKind, FamilyProgress, Options};

use crate::fixture::{descriptor, name, put};
use crate::folder_copy::{copy_crashed, copy_folder};

const ROWS: usize = 60;
const PAGE: usize = 4096;
const JOURNAL: &str = "data/0.jnl";
const SYNCED: &str = "data/synced";

/// A folder after a crash, with rows in its journal that have been acknowledged with FSYNC_WAL. Their values contain
/// many zeros, as pages do that were lost in a power failure.
fn crashed() -> tempfile::TempDir {
    let (folder, crashed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let engine = Engine::open(folder.path(), Options::default()).unwrap();
    engine.create_table(descriptor("t", &["f"]), vec![]).unwrap();
    let table = engine.table(&name("t"));
    for n in 0..ROWS {
        // fjall compresses longer values.
        let zeros = "\0".repeat([1000, 30, 300][n % 3]);
        let row = put(&format!("row {n:03}"), &[("f:a", 1, &format!("begin{zeros}end"))]);
        table.put(&Put { durability: Durability::FsyncWal, ..row }).unwrap();
    }
    copy_crashed(folder.path(), crashed.path());
    let journal = crashed.path().join(JOURNAL);
    let content = fs::read(&journal).unwrap();
    let end = content.iter().rposition(|byte| *byte != 0).unwrap() + 1;
    // fjall creates journals of 64 MiB, most of which are zeros.
    fs::write(&journal, &content[..end + PAGE]).unwrap();
    crashed
}

fn rows(engine: &Engine) -> usize {
    let scanned = engine.table(&name("t")).scan(Scan::default()).and_then(|mut scanner| scanner.rows().collect());
    match scanned {
        Ok::<Vec<_>, _>(rows) => rows.len(),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::TableNotFound, "{error}");
            0
        }
    }
}

/// Opens a copy of a folder whose journal has been changed: the number of rows, or the error.
fn open(whole: &Path, change: impl FnOnce(&mut Vec<u8>)) -> Result<usize, String> {
    let copy = tempfile::tempdir().unwrap();
    copy_folder(whole, copy.path()).unwrap();
    let mut content = fs::read(whole.join(JOURNAL)).unwrap();
    change(&mut content);
    fs::write(copy.path().join(JOURNAL), &content).unwrap();
    match Engine::open(copy.path(), Options::default()) {
        Ok(engine) => Ok(rows(&engine)),
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
            assert!(fs::read(copy.path().join(JOURNAL)).unwrap() == content, "the journal has been changed");
            let damage = Engine::repair(copy.path(), false).unwrap();
            assert!(!damage.is_empty(), "a repair does not find: {error}");
            assert_eq!(Engine::repair(copy.path(), true).unwrap(), damage);
            let left = rows(&Engine::open(copy.path(), Options::default()).unwrap());
            assert!(left < ROWS, "nothing was lost: {error}");
            Err(error.to_string())
        }
    }
}

/// The positions of the rows' names.
fn names(content: &[u8]) -> Vec<usize> {
    let is_name = |at: &usize| content[*at..].starts_with(b"row 0");
    (0..content.len()).filter(is_name).collect()
}

#[test]
fn damage_to_what_was_synced_is_refused() {
    let crashed = crashed();
    let whole = crashed.path();
    assert_eq!(open(whole, |_| ()), Ok(ROWS));
    let content = fs::read(whole.join(JOURNAL)).unwrap();
    let end = content.len() - PAGE;
    let names = names(&content);
    assert_eq!(names.len(), ROWS);
    for at in &names {
        let refused = open(whole, |content| content[*at] ^= 1);
        assert!(refused.is_err(), "a bit of the row at byte {at} was flipped: {refused:?}");
    }
    for page in (0..end / PAGE * PAGE).step_by(PAGE) {
        let refused = open(whole, |content| content[page..page + PAGE].fill(0));
        assert!(refused.is_err(), "the page at byte {page} is zero: {refused:?}");
    }
    for cut in [0, 1, names[0], names[10] - 100, names[ROWS - 1], end - 1] {
        for keeps_length in [false, true] {
            let refused = open(whole, |content| match keeps_length {
                true => content[cut..].fill(0),
                false => content.truncate(cut),
            });
            assert!(refused.is_err(), "the journal ends at byte {cut}: {refused:?}");
        }
    }
}

/// Damage that reaches up to the end of what was synced, or past it, is not what a crash leaves there, even if a crash
/// has left something behind it.
#[test]
fn damage_at_the_end_of_what_was_synced_is_refused() {
    let (crashed, folder) = (crashed(), tempfile::tempdir().unwrap());
    let whole = crashed.path();
    let content = fs::read(whole.join(JOURNAL)).unwrap();
    let end = content.len() - PAGE;
    let last = names(&content)[ROWS - 1];
    copy_folder(whole, folder.path()).unwrap();
    // The beginning of a batch that was not synced.
    for behind in [&[][..], &content[..20], &content[..60]] {
        let torn = |damage: &dyn Fn(&mut [u8])| {
            open(folder.path(), |journal| {
                journal.truncate(end);
                damage(journal);
                journal.extend(behind);
                journal.extend([0; PAGE]);
            })
        };
        for from in [0, PAGE, end / PAGE * PAGE, last - 40, last, end - 12, end - 1] {
            let zeros = torn(&|journal| journal[from..].fill(0));
            assert!(zeros.is_err(), "zeros from byte {from} on, {} bytes behind them: {zeros:?}", behind.len());
            let others = torn(&|journal| journal[from..].fill(0xaa));
            assert!(others.is_err(), "0xaa from byte {from} on, {} bytes behind: {others:?}", behind.len());
        }
        for at in last - 50..last {
            let flipped = torn(&|journal| journal[at] ^= 4);
            // The sequence number of the last batch may be larger.
            let lost = flipped.as_ref().is_ok_and(|rows| *rows < ROWS);
            assert!(!lost, "a bit of byte {at} was flipped, {} bytes behind: {flipped:?}", behind.len());
        }
    }
}

/// Copies of a database in use know what was synced, too.
#[test]
fn copies_of_a_damaged_journal_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { write_buffer_bytes: Some(1 << 20), ..Options::default() };
    let engine = Engine::open(folder.path(), options).unwrap();
    engine.create_table(descriptor("t", &["f", "g"]), vec![]).unwrap();
    let table = engine.table(&name("t"));
    for n in 0..ROWS {
        let row = put(&format!("row {n:03}"), &[("f:a", 1, &format!("{n}").repeat(100))]);
        table.put(&Put { durability: Durability::FsyncWal, ..row }).unwrap();
    }
    let journal = folder.path().join(JOURNAL);
    let page = names(&fs::read(&journal).unwrap())[ROWS / 2].next_multiple_of(PAGE);
    let copies = tempfile::tempdir().unwrap();
    let to = |name: &str| copies.path().join(name);
    let mut file = fs::OpenOptions::new().write(true).open(&journal).unwrap();
    file.seek(SeekFrom::Start(page as u64)).unwrap();
    file.write_all(&[0; PAGE]).unwrap();
    let kind = |error: hjall_engine::Error| error.kind();
    let read_only = Options { read_only: true, ..Options::default() };
    assert_eq!(Engine::open(folder.path(), read_only).map(drop).map_err(kind), Err(ErrorKind::Corrupt));
    assert_eq!(engine.backup_incremental(&to("incremental"), &mut |_| Ok(())).map_err(kind), Err(ErrorKind::Corrupt));
    assert_eq!(engine.verify(&mut |_| Ok(())).unwrap().len(), 1);
    // From a snapshot everything is there. During many writes, the files are copied.
    engine.backup(&to("snapshot"), &mut |_| Ok(())).unwrap();
    assert_eq!(rows(&Engine::open(&to("snapshot"), Options::default()).unwrap()), ROWS);
    let mut writes = |_: &FamilyProgress| {
        // Twice the write buffer, with the journal that has the damage.
        (0..40).for_each(|n| table.put(&put("other", &[("g:a", n, &"v".repeat(60_000))])).unwrap());
        Ok(())
    };
    let copied = engine.backup(&to("files"), &mut writes).map_err(kind);
    assert!(copied == Err(ErrorKind::Corrupt) || rows(&Engine::open(&to("files"), Options::default()).unwrap()) > ROWS);
}

/// After a clean stop, the journals need not say anything.
#[test]
fn a_closed_folder_ignores_what_another_folder_had_synced() {
    let (crashed, closed) = (crashed(), tempfile::tempdir().unwrap());
    copy_folder(crashed.path(), closed.path()).unwrap();
    fs::remove_file(closed.path().join(SYNCED)).unwrap();
    Engine::open(closed.path(), Options::default()).unwrap().close().unwrap();
    fs::copy(crashed.path().join(SYNCED), closed.path().join(SYNCED)).unwrap();
    assert_eq!(rows(&Engine::open(closed.path(), Options { read_only: true, ..Options::default() }).unwrap()), ROWS);
    let engine = Engine::open(closed.path(), Options::default()).unwrap();
    assert_eq!(rows(&engine), ROWS);
    engine.close().unwrap();
}

/// What may not have been synced is cut as before. The journal is kept, since the store cannot be certain.
#[test]
fn lost_pages_and_torn_batches_that_were_not_synced_are_cut() {
    let crashed = crashed();
    let whole = crashed.path();
    fs::remove_file(whole.join(SYNCED)).unwrap();
    let content = fs::read(whole.join(JOURNAL)).unwrap();
    let at = names(&content)[30];
    assert_eq!(open(whole, |content| content.truncate(at)), Ok(30));
    let page = at.next_multiple_of(PAGE);
    let copy = tempfile::tempdir().unwrap();
    copy_folder(whole, copy.path()).unwrap();
    let mut lost = content.clone();
    lost[page..page + PAGE].fill(0);
    fs::write(copy.path().join(JOURNAL), &lost).unwrap();
    let left = rows(&Engine::open(copy.path(), Options::default()).unwrap());
    let before = names(&content).iter().filter(|at| **at < page).count();
    assert!(left == before || left + 1 == before, "{left} of {before} rows are left");
    assert!(fs::read(copy.path().join("damaged/0.jnl.0")).unwrap() == lost);
    for wrong in [&b""[..], b"x", &[7; 24]] {
        fs::write(whole.join(SYNCED), wrong).unwrap();
        assert_eq!(open(whole, |content| content.truncate(at)), Ok(30));
    }
}

/// A clean close, a repair and a cut make journals shorter. What was known before must not make the next start fail.
#[test]
fn a_folder_opens_again_after_its_journal_became_shorter() {
    let crashed = crashed();
    let opens = |expected: usize| {
        let again = tempfile::tempdir().unwrap();
        let engine = Engine::open(crashed.path(), Options::default()).unwrap();
        assert_eq!(rows(&engine), expected);
        let row = put(&format!("zzz {expected}"), &[("f:a", 1, "x")]);
        engine.table(&name("t")).put(&Put { durability: Durability::FsyncWal, ..row }).unwrap();
        copy_crashed(crashed.path(), again.path());
        assert_eq!(rows(&Engine::open(again.path(), Options::default()).unwrap()), expected + 1);
        engine.close().unwrap();
        assert!(!crashed.path().join(SYNCED).exists());
    };
    // The beginning of a batch was synced while it was being written, and then the process was killed.
    let mut content = fs::read(crashed.path().join(JOURNAL)).unwrap();
    let end = content.len() - PAGE;
    let batch = content[..100].to_vec();
    content.truncate(end);
    content.extend(&batch[..40]);
    fs::write(crashed.path().join(JOURNAL), &content).unwrap();
    for expected in ROWS..ROWS + 3 {
        opens(expected);
    }
}

/// fjall begins a journal only when the one before has content.
#[test]
fn an_emptied_journal_before_others_is_refused() {
    let crashed = crashed();
    fs::remove_file(crashed.path().join(SYNCED)).unwrap();
    let first = crashed.path().join(JOURNAL);
    fs::rename(&first, crashed.path().join("data/1.jnl")).unwrap();
    for content in [&[][..], &[0; PAGE]] {
        fs::write(&first, content).unwrap();
        let error = Engine::open(crashed.path(), Options::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
        assert!(error.to_string().contains("0.jnl"), "{error}");
        assert_eq!(fs::read(&first).unwrap(), content);
    }
    assert_eq!(Engine::repair(crashed.path(), true).unwrap().len(), 1);
    assert_eq!(rows(&Engine::open(crashed.path(), Options::default()).unwrap()), ROWS);
}

#[test]
fn missing_journals_are_named_and_a_repair_can_accept_their_loss() {
    for journal in [0, 1, 3] {
        for synced in [true, false] {
            let (crashed, parts) = crashed_with_parts();
            let path = |n: usize| crashed.path().join(format!("data/{n}.jnl"));
            // The newest journal is missed only if it is known that it was synced.
            let newest = if journal == 3 { 3 } else { 5 };
            (newest + 1..6).for_each(|n| fs::remove_file(path(n)).unwrap());
            let noted = write_synced(crashed.path(), newest, &parts[newest]);
            if !synced {
                fs::remove_file(crashed.path().join(SYNCED)).unwrap();
            }
            assert_eq!(open_copy(crashed.path()).unwrap(), (newest + 1) * 10, "{noted}");
            // Without the oldest journal, the other ones are complete.
            if journal == 0 || (journal == newest && !synced) {
                continue;
            }
            fs::remove_file(path(journal)).unwrap();
            let missing = format!("{journal}.jnl is missing");
            for _ in 0..2 {
                let error = open_copy(crashed.path()).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
                assert!(error.to_string().contains(&missing), "{error}");
                let damage = Engine::repair(crashed.path(), false).unwrap();
                assert!(damage.len() == 1 && damage[0].whole && damage[0].to_string().contains(&missing), "{damage:?}");
            }
            fs::write(path(journal), &parts[journal]).unwrap();
            assert_eq!(open_copy(crashed.path()).unwrap(), (newest + 1) * 10);
            fs::remove_file(path(journal)).unwrap();
            assert_eq!(Engine::repair(crashed.path(), true).unwrap().len(), 1);
            assert_eq!(rows(&Engine::open(crashed.path(), Options::default()).unwrap()), newest * 10);
        }
    }
    let crashed = crashed();
    for synced in [true, false] {
        fs::remove_file(crashed.path().join(JOURNAL)).unwrap();
        if !synced {
            fs::remove_file(crashed.path().join(SYNCED)).unwrap();
        }
        assert_eq!(open_copy(crashed.path()).unwrap_err().kind(), ErrorKind::Corrupt);
        assert_eq!(Engine::repair(crashed.path(), false).unwrap().len(), 1);
        fs::write(crashed.path().join(JOURNAL), b"").unwrap();
    }
    fs::remove_file(crashed.path().join(JOURNAL)).unwrap();
    assert_eq!(Engine::repair(crashed.path(), true).unwrap().len(), 1);
    assert_eq!(rows(&Engine::open(crashed.path(), Options::default()).unwrap()), 0);
}

/// A folder after a crash whose rows are in six journals, ten in each, and the journals. Nothing is known of what was
/// synced.
fn crashed_with_parts() -> (tempfile::TempDir, Vec<Vec<u8>>) {
    let crashed = crashed();
    fs::remove_file(crashed.path().join(SYNCED)).unwrap();
    let content = fs::read(crashed.path().join(JOURNAL)).unwrap();
    let content = &content[..content.len() - PAGE];
    let names = names(content);
    // The table was created in the first journal.
    let begins: Vec<usize> = (0..6).map(|n| if n == 0 { 0 } else { begin_of_batch(content, names[n * 10]) }).collect();
    let end = |n: usize| begins.get(n + 1).copied().unwrap_or(content.len());
    let parts: Vec<_> = (0..6).map(|n| content[begins[n]..end(n)].to_vec()).collect();
    for (n, part) in parts.iter().enumerate() {
        fs::write(crashed.path().join(format!("data/{n}.jnl")), part).unwrap();
    }
    (crashed, parts)
}

/// Writes what is noted when a journal with this content is synced. Returns the file's name.
fn write_synced(folder: &Path, number: usize, journal: &[u8]) -> &'static str {
    let mark = u64::from_le_bytes(journal[journal.len() - 12..][..8].try_into().unwrap());
    let entries = [number as u64, journal.len() as u64, mark, u64::MAX, 0, 0];
    let mut content: Vec<u8> = entries.into_iter().flat_map(u64::to_le_bytes).collect();
    content.extend(xxhash_rust::xxh3::xxh3_64(&content).to_le_bytes());
    fs::write(folder.join(SYNCED), content).unwrap();
    SYNCED
}

/// Opens a copy of a folder: the number of rows, or the error.
fn open_copy(folder: &Path) -> Result<usize, hjall_engine::Error> {
    let copy = tempfile::tempdir().unwrap();
    copy_folder(folder, copy.path()).unwrap();
    Ok(rows(&Engine::open(copy.path(), Options::default())?))
}

/// fjall numbers journals consecutively, so a batch without items takes the place of what is lost.
#[test]
fn a_repair_replaces_emptied_journals_and_keeps_the_others() {
    let emptied = [vec![1], vec![0, 1], vec![1, 2], vec![0, 2], vec![2, 4], vec![0, 1, 2, 3, 4]];
    for empty in emptied {
        let (crashed, _) = crashed_with_parts();
        let path = |folder: &Path, n: usize| folder.join(format!("data/{n}.jnl"));
        for n in &empty {
            fs::write(path(crashed.path(), *n), b"").unwrap();
        }
        assert!(open_copy(crashed.path()).is_err(), "{empty:?}");
        let repaired = tempfile::tempdir().unwrap();
        copy_folder(crashed.path(), repaired.path()).unwrap();
        assert_eq!(Engine::repair(repaired.path(), true).unwrap().len(), empty.len(), "{empty:?}");
        let left = if empty.contains(&0) { 0 } else { (6 - empty.len()) * 10 };
        assert_eq!(open_copy(repaired.path()).unwrap(), left, "{empty:?}");
        // A repair may be interrupted between two files.
        for done in &empty {
            let interrupted = tempfile::tempdir().unwrap();
            copy_folder(crashed.path(), interrupted.path()).unwrap();
            fs::copy(path(repaired.path(), *done), path(interrupted.path(), *done)).unwrap();
            fs::write(interrupted.path().join("data/2.draft"), b"the beginning of a copy").unwrap();
            let _ = Engine::repair(interrupted.path(), true).unwrap();
            assert_eq!(rows(&Engine::open(interrupted.path(), Options::default()).unwrap()), left, "{done} {empty:?}");
            assert!(!interrupted.path().join("data/2.draft").exists());
        }
        // The repaired journals are used as others are.
        let engine = Engine::open(repaired.path(), Options::default()).unwrap();
        if left > 0 {
            engine.table(&name("t")).put(&put("zzz", &[("f:a", 1, "x")])).unwrap();
            engine.close().unwrap();
            assert_eq!(rows(&Engine::open(repaired.path(), Options::default()).unwrap()), left + 1);
        }
    }
}

/// Numbers of batches are corrected only where one of them is wrong. Otherwise an older copy would replace newer
/// values.
#[test]
fn journals_in_the_wrong_place_are_refused_and_dropped_by_one_repair() {
    type Change = fn(&mut Vec<Vec<u8>>);
    let changes: [(&str, Change, &[usize]); 6] = [
        ("two journals are exchanged", |parts| parts.swap(1, 2), &[1]),
        ("a journal is a copy of the one before", |parts| parts[2] = parts[1].clone(), &[2]),
        ("the last journal is an older copy", |parts| parts[5] = parts[3].clone(), &[5]),
        ("a further journal is an older copy", |parts| parts.push(parts[3].clone()), &[]),
        (
            "a further journal is the beginning of an older one",
            |parts| {
                let first = parts[3][begin_of_batch(&parts[3], names(&parts[3])[1])..].to_vec();
                let length = parts[3].len() - first.len();
                parts.push(parts[3][..length].to_vec());
            },
            &[],
        ),
        (
            "batches are exchanged",
            |parts| {
                let (a, b, c) = {
                    let names = names(&parts[2]);
                    let begin = |n: usize| begin_of_batch(&parts[2], names[n]);
                    (begin(2), begin(4), begin(6))
                };
                let exchanged = [&parts[2][..a], &parts[2][b..c], &parts[2][a..b], &parts[2][c..]].concat();
                parts[2] = exchanged;
            },
            &[],
        ),
    ];
    for (what, change, lost) in changes {
        let (crashed, mut parts) = crashed_with_parts();
        change(&mut parts);
        for (n, part) in parts.iter().enumerate() {
            fs::write(crashed.path().join(format!("data/{n}.jnl")), part).unwrap();
        }
        let error = open_copy(crashed.path()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{what}: {error}");
        let damage = Engine::repair(crashed.path(), true).unwrap();
        assert!(damage.iter().all(|damage| !damage.lossless), "{what}: {damage:?}");
        let left = rows(&Engine::open(crashed.path(), Options::default()).unwrap());
        let dropped = if what.starts_with("batches") { damage.len() } else { lost.len() * 10 };
        assert_eq!(left, ROWS - dropped, "{what}: {damage:?}");
    }
}

/// A repair that has no room for a copy, or is killed, must not make the rest of the damage look like lost pages.
#[cfg(target_os = "linux")]
mod interrupted {
    use super::*;
    use crate::file_limit::{folder_of_child, in_child, limit_files};

    #[test]
    fn a_repair_that_failed_can_be_repeated() {
        if let Some(folder) = folder_of_child() {
            limit_files("8192");
            let error = Engine::repair(&folder, true).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::DiskFull, "{error}");
            return;
        }
        let crashed = crashed();
        let mut content = fs::read(crashed.path().join(JOURNAL)).unwrap();
        let page = names(&content)[ROWS / 2].next_multiple_of(PAGE);
        content[page..page + PAGE].fill(0);
        fs::write(crashed.path().join(JOURNAL), &content).unwrap();
        let whole = tempfile::tempdir().unwrap();
        copy_folder(crashed.path(), whole.path()).unwrap();
        let damage = Engine::repair(whole.path(), true).unwrap();
        let left = open_copy(whole.path()).unwrap();
        assert!(left < ROWS && left > ROWS / 2 + 10, "{left} rows are left");
        in_child("faults::journals::interrupted::a_repair_that_failed_can_be_repeated", crashed.path(), "");
        assert!(open_copy(crashed.path()).is_err(), "the damage is still there");
        assert_eq!(Engine::repair(crashed.path(), true).unwrap().len(), damage.len());
        assert_eq!(open_copy(crashed.path()).unwrap(), left);
        assert!(!crashed.path().join(SYNCED).exists());
    }
}

/// A flipped bit in a length makes a batch look like the beginning of a longer one, as a crash leaves it.
#[test]
fn a_batch_that_looks_longer_than_the_journal_is_damage() {
    let crashed = crashed();
    let content = fs::read(crashed.path().join(JOURNAL)).unwrap();
    let names = names(&content);
    // All that is known is that the first ten rows have been synced.
    let synced = begin_of_batch(&content, names[10]);
    write_synced(crashed.path(), 0, &content[..synced]);
    for row in [20, 40, ROWS - 2] {
        let item = begin_of_batch(&content, names[row]) + 13;
        // The length of the key, of the value, and of the stored value.
        for at in [item + 12, item + 15, item + 16, item + 19, item + 20] {
            let mut altered = content.clone();
            altered[at] ^= 0x40;
            fs::write(crashed.path().join(JOURNAL), &altered).unwrap();
            let error = open_copy(crashed.path()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Corrupt, "row {row}, byte {}: {error}", at - item);
        }
    }
}

/// A look at a closed folder leaves the list by which missing files are noticed.
#[test]
fn a_repair_of_a_closed_folder_changes_nothing() {
    let crashed = crashed();
    Engine::open(crashed.path(), Options::default()).unwrap().close().unwrap();
    let closed = fs::read(crashed.path().join("CLOSED")).unwrap();
    for accept_loss in [false, true] {
        assert!(Engine::repair(crashed.path(), accept_loss).unwrap().is_empty());
        assert_eq!(fs::read(crashed.path().join("CLOSED")).unwrap(), closed);
    }
}

/// The page with the end of what was synced is lost, and the next one is not. The rest of the page may be shorter than
/// any batch.
#[test]
fn a_lost_page_is_recognised_wherever_what_was_synced_ends_in_it() {
    for left in (1..40).step_by(3) {
        let (folder, crashed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let engine = Engine::open(folder.path(), Options::default()).unwrap();
        engine.create_table(descriptor("t", &["f"]), vec![]).unwrap();
        let table = engine.table(&name("t"));
        let journal = folder.path().join(JOURNAL);
        let written = || {
            let mut content = Vec::new();
            fs::File::open(&journal).unwrap().take(16 * PAGE as u64).read_to_end(&mut content).unwrap();
            content.truncate(content.iter().rposition(|byte| *byte != 0).unwrap() + 1);
            content
        };
        let end = || written().len();
        let mut count = 0;
        let mut add = |length: usize| {
            let row = put(&format!("row {count:03}"), &[("f:a", 1, &"v".repeat(length))]);
            table.put(&Put { durability: Durability::FsyncWal, ..row }).unwrap();
            count += 1;
        };
        // A row that ends this number of bytes before the end of a page. A commit may also write the store's mark, so
        // it may take several attempts.
        let mut attempts = 0;
        let to = loop {
            let before = end();
            add(10);
            let overhead = end() - before - 10;
            let to = (end() + 2 * overhead + left).next_multiple_of(PAGE) - left;
            while to.saturating_sub(end()) > 2 * (overhead + 20) {
                add(20);
            }
            add(to.saturating_sub(end() + overhead));
            if end() == to {
                break to;
            }
            attempts += 1;
            assert!(attempts < 5, "{to} was to be the end, which is {}", end());
        };
        let synced = written();
        (0..20).for_each(|_| add(300));
        let rows_before = count - 20;
        copy_crashed(folder.path(), crashed.path());
        let mut content = written();
        content[to..to + left].fill(0);
        fs::write(crashed.path().join(JOURNAL), &content).unwrap();
        write_synced(crashed.path(), 0, &synced);
        assert_eq!(open_copy(crashed.path()).unwrap(), rows_before, "{left} bytes are left");
    }
}

/// Values that look like batches, of which each reaches to the end, must not make a start search for hours.
#[test]
fn the_search_for_the_next_batch_is_bounded() {
    let crashed = crashed();
    let content = fs::read(crashed.path().join(JOURNAL)).unwrap();
    let content = &content[..content.len() - PAGE];
    const LENGTH: usize = 1 << 20;
    let start = |items: u32| [&[1][..], &items.to_le_bytes(), &(1_u64 << 40).to_le_bytes()].concat();
    let item = |length: usize| {
        let length = (length as u32).to_le_bytes();
        [&[2, 0, 0][..], &17_u64.to_le_bytes(), &0_u16.to_le_bytes(), &length, &length].concat()
    };
    let mut torn = [start(1), item(LENGTH)].concat();
    while torn.len() < LENGTH - 300 {
        let imitated = [start(2), item(LENGTH.saturating_sub(torn.len() + 400))].concat();
        torn.extend(imitated);
    }
    fs::write(crashed.path().join(JOURNAL), [content, &torn].concat()).unwrap();
    let error = open_copy(crashed.path()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    assert!(error.to_string().contains("is incomplete; no intact batch follows"), "{error}");
    assert_eq!(Engine::repair(crashed.path(), true).unwrap().len(), 1);
    assert_eq!(open_copy(crashed.path()).unwrap(), ROWS);
}

/// Several journals in a row, the newest ones, and a torn end that an interrupted repair leaves.
#[test]
fn a_repair_accepts_the_loss_of_the_newest_journals_and_leaves_a_torn_end_to_the_start() {
    for missing in 1..5 {
        let (crashed, parts) = crashed_with_parts();
        write_synced(crashed.path(), 5, &parts[5]);
        (6 - missing..6).for_each(|n| fs::remove_file(crashed.path().join(format!("data/{n}.jnl"))).unwrap());
        assert!(open_copy(crashed.path()).is_err());
        assert_eq!(Engine::repair(crashed.path(), true).unwrap().len(), missing);
        assert_eq!(open_copy(crashed.path()).unwrap(), (6 - missing) * 10);
    }
    // What an interrupted repair has noted.
    let crashed = crashed();
    let content = fs::read(crashed.path().join(JOURNAL)).unwrap();
    let entries = [0, u64::MAX - 1, 0, u64::MAX, 0, 0];
    let mut note: Vec<u8> = entries.into_iter().flat_map(u64::to_le_bytes).collect();
    note.extend(xxhash_rust::xxh3::xxh3_64(&note).to_le_bytes());
    fs::write(crashed.path().join(SYNCED), note).unwrap();
    let end = content.len() - PAGE - 20;
    fs::write(crashed.path().join(JOURNAL), &content[..end]).unwrap();
    assert_eq!(open_copy(crashed.path()).unwrap(), ROWS - 1);
    let engine = Engine::open(crashed.path(), Options::default()).unwrap();
    engine.close().unwrap();
}

#[test]
fn journals_that_were_all_lost_can_be_used_after_a_repair() {
    for lost in [vec![], vec![0; 100], vec![7; 100]] {
        let (crashed, _) = crashed_with_parts();
        for n in 0..6 {
            fs::write(crashed.path().join(format!("data/{n}.jnl")), &lost).unwrap();
        }
        let _ = Engine::repair(crashed.path(), true).unwrap();
        for start in 0..2 {
            let engine = Engine::open(crashed.path(), Options::default()).unwrap();
            if start == 0 {
                engine.create_table(descriptor("t", &["f"]), vec![]).unwrap();
            }
            let row = put(&format!("row {start}"), &[("f:a", 1, "x")]);
            engine.table(&name("t")).put(&Put { durability: Durability::FsyncWal, ..row }).unwrap();
            let again = tempfile::tempdir().unwrap();
            copy_crashed(crashed.path(), again.path());
            assert_eq!(open_copy(again.path()).unwrap(), start + 1);
            engine.close().unwrap();
        }
    }
}

/// What a start would cut is listed by a repair of the same journals, and dropped with it.
#[test]
fn a_repair_lists_all_that_it_drops() {
    let crashed = crashed();
    fs::remove_file(crashed.path().join(SYNCED)).unwrap();
    let mut content = fs::read(crashed.path().join(JOURNAL)).unwrap();
    let names = names(&content);
    content[names[10]] ^= 1;
    let page = names[40].next_multiple_of(PAGE);
    content[page..page + PAGE].fill(0);
    content[names[55]] ^= 1;
    fs::write(crashed.path().join(JOURNAL), &content).unwrap();
    let damage = Engine::repair(crashed.path(), false).unwrap();
    assert_eq!(damage.len(), 2, "{damage:?}");
    assert!(damage[1].to_string().contains("is dropped with all that follow"), "{damage:?}");
    assert!(damage[1].at < page as u64 && damage[1].followed > 0, "{damage:?}");
    assert_eq!(Engine::repair(crashed.path(), true).unwrap(), damage);
    let before = names.iter().filter(|name| **name < damage[1].at as usize).count();
    assert_eq!(open_copy(crashed.path()).unwrap(), before - 1);
}

/// The journal of an earlier time, which is longer than what was synced, has other batches at that place.
#[test]
fn an_older_copy_of_a_journal_is_refused() {
    let (crashed, again) = (crashed(), tempfile::tempdir().unwrap());
    let older = fs::read(crashed.path().join(JOURNAL)).unwrap();
    let engine = Engine::open(crashed.path(), Options::default()).unwrap();
    engine.close().unwrap();
    let engine = Engine::open(crashed.path(), Options::default()).unwrap();
    for n in 0..10 {
        let row = put(&format!("row {n:03}"), &[("f:a", 1, "newer")]);
        engine.table(&name("t")).put(&Put { durability: Durability::FsyncWal, ..row }).unwrap();
    }
    copy_crashed(crashed.path(), again.path());
    let newer = fs::read(again.path().join(JOURNAL)).unwrap();
    assert_eq!(open_copy(again.path()).unwrap(), ROWS);
    fs::write(again.path().join(JOURNAL), &older).unwrap();
    let error = open_copy(again.path()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    assert!(error.to_string().contains("0.jnl is not the one that was synced last"), "{error}");
    // The copy of a file that was being written.
    fs::write(again.path().join(JOURNAL), &older[..older.len() - PAGE - 10]).unwrap();
    let error = open_copy(again.path()).unwrap_err();
    assert!(error.to_string().contains("0.jnl is not the one that was synced last"), "{error}");
    fs::write(again.path().join(JOURNAL), &newer).unwrap();
    assert_eq!(open_copy(again.path()).unwrap(), ROWS);
    fs::write(again.path().join(JOURNAL), &older).unwrap();
    let damage = Engine::repair(again.path(), true).unwrap();
    assert!(damage.len() == 1 && damage[0].whole, "{damage:?}");
    assert_eq!(rows(&Engine::open(again.path(), Options::default()).unwrap()), ROWS);
}

/// fjall creates journals of 64 MiB, most of which are holes.
#[cfg(target_os = "linux")]
#[test]
fn repaired_journals_and_their_copies_take_no_more_space_than_their_content() {
    use std::os::unix::fs::MetadataExt;

    const LENGTH: u64 = 64 << 20;
    let crashed = crashed();
    let journal = crashed.path().join(JOURNAL);
    let content = fs::read(&journal).unwrap();
    let mut file = fs::OpenOptions::new().write(true).open(&journal).unwrap();
    file.set_len(LENGTH).unwrap();
    file.seek(SeekFrom::Start(names(&content)[5] as u64)).unwrap();
    file.write_all(b"W").unwrap();
    assert_eq!(Engine::repair(crashed.path(), true).unwrap().len(), 1);
    let kept = crashed.path().join("damaged/0.jnl.0");
    assert_eq!(fs::metadata(&kept).unwrap().len(), LENGTH);
    for path in [&journal, &kept] {
        let space = fs::metadata(path).unwrap().blocks() * 512;
        assert!(space < 1 << 20, "{} takes {space} bytes", path.display());
    }
    assert_eq!(rows(&Engine::open(crashed.path(), Options::default()).unwrap()), ROWS - 1);
}

/// The beginning of the batch of a put whose name is at this position: the start marker is followed by the number of
/// items, of which the name is in the first one.
fn begin_of_batch(content: &[u8], name: usize) -> usize {
    (0..name).rev().find(|at| content[*at..].starts_with(&[1, 1, 0, 0, 0])).unwrap()
}

/// fjall begins a journal when the one before has 64 MB.
#[test]
fn the_end_of_an_older_journal_is_known() {
    let (folder, crashed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let engine = Engine::open(folder.path(), Options::default()).unwrap();
    engine.create_table(descriptor("t", &["f", "g"]), vec![]).unwrap();
    let table = engine.table(&name("t"));
    let fsync = |put: Put| table.put(&Put { durability: Durability::FsyncWal, ..put }).unwrap();
    // Incompressible values, of one family. The other one has its rows in memory only.
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        char::from(b'a' + (state >> 60) as u8)
    };
    for n in 0.. {
        fsync(put(&format!("row {n:04}"), &[("f:a", 1, "small")]));
        let value: String = (0..1_000_000).map(|_| random()).collect();
        fsync(put("large", &[("g:a", n, &value)]));
        if folder.path().join("data/1.jnl").exists() && folder.path().join(JOURNAL).exists() {
            break;
        }
        assert!(n < 1_000, "no second journal was begun");
    }
    for n in 0..20 {
        fsync(put(&format!("after {n}"), &[("f:a", 1, "small")]));
    }
    copy_crashed(folder.path(), crashed.path());
    let journal = crashed.path().join(JOURNAL);
    let content = fs::read(&journal).unwrap();
    let rows: Vec<usize> = (0..content.len()).filter(|at| content[*at..].starts_with(b"row 0")).collect();
    let begin = begin_of_batch(&content, rows[rows.len() - 1]);
    for keeps_length in [true, false] {
        let mut cut = content.clone();
        if keeps_length {
            cut[begin..].fill(0)
        } else {
            cut.truncate(begin)
        }
        fs::write(&journal, &cut).unwrap();
        let error = Engine::open(crashed.path(), Options::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    }
    fs::write(&journal, &content).unwrap();
    Engine::open(crashed.path(), Options::default()).unwrap();
}
