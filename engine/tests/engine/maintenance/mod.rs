//! Backups and checks of a whole database.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use hjall_engine::mutation::MarkerKind;
use hjall_engine::request::{Get, Scan};
use hjall_engine::{Engine, ErrorKind, FamilyProgress, Options, Result};

use crate::fixture::{Database, SERVER, delete, descriptor, kind, name, put, read};
use crate::folder_copy::copy_crashed;

fn quiet(_: &FamilyProgress) -> Result<()> {
    Ok(())
}

fn open(folder: &Path) -> Engine {
    Engine::open(folder, Options::default()).unwrap()
}

/// The table files of all families.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = |path: PathBuf| std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    entries(folder.join("data/keyspaces")).flat_map(|space| entries(space.join("tables"))).collect()
}

#[test]
fn a_backup_contains_everything_written_before_it() {
    for db in Database::all() {
        let folder = tempfile::tempdir().unwrap();
        let to = folder.path().join("deep/backup");
        let table = db.table("t", &["f VERSIONS=3 COMPRESSION=GZ BLOCKSIZE=8192", "g NEW_VERSION_BEHAVIOR=true"]);
        let off = db.table("off", &["f"]);
        for row in 0..50 {
            let row = format!("{row:03}");
            table.put(&put(&row, &[("f:a", 1, "old"), ("f:a", 2, "new"), ("g:b", SERVER, &row)])).unwrap();
        }
        table.delete(&delete("007", &[(MarkerKind::Column, "f:a", 2)])).unwrap();
        off.put(&put("r", &[("f:q", 5, "v")])).unwrap();
        db.engine.disable_table(&name("off")).unwrap();
        let mut seen = Vec::new();
        db.engine
            .backup(&to, &mut |progress| {
                seen.extend(progress.done.then(|| (progress.table.to_string(), progress.cells)));
                Ok(())
            })
            .unwrap();
        seen.sort();
        assert_eq!(seen, [("off".into(), 1), ("t".into(), 50), ("t".into(), 101)], "{}", db.kind);
        table.put(&put("001", &[("f:a", 3, "later")])).unwrap();

        let copy = open(&to);
        assert_eq!(copy.cluster_id(), db.engine.cluster_id());
        assert_eq!(format!("{:?}", copy.tables()), format!("{:?}", db.engine.tables()));
        let copied = copy.table(&name("t"));
        for row in (0..50).filter(|row| *row != 1).map(|row| format!("{row:03}")) {
            assert_eq!(read(&copied, &row), read(&table, &row), "{}", db.kind);
        }
        assert!(!read(&copied, "001").iter().any(|cell| cell.contains("later")), "it was written after the backup");
        // A new version is later in write order than all copied ones.
        copied.put(&put("003", &[("g:b", SERVER, "newest")])).unwrap();
        assert!(read(&copied, "003").iter().any(|cell| cell.contains("newest")), "{:?}", read(&copied, "003"));
        assert!(copy.verify(&mut quiet).unwrap().is_empty());
        copy.close().unwrap();
    }
}

/// At every moment, each row has the same value in both families.
#[test]
fn a_backup_under_load_shows_a_single_moment() {
    let db = Database::folder();
    let table = db.table("t", &["f", "g"]);
    let write = |row: &str, value: u64| {
        let value = value.to_string();
        table.put(&put(row, &[("f:q", SERVER, &value), ("g:q", SERVER, &value)])).unwrap();
    };
    ["a", "b", "c"].iter().for_each(|row| write(row, 0));
    let folder = tempfile::tempdir().unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut last = 0;
            while !stop.load(Ordering::Relaxed) {
                last += 1;
                // In this order: `a` is never behind `b`, nor `b` behind `c`.
                ["a", "b", "c"].iter().for_each(|row| write(row, last));
            }
            last
        });
        for round in 0..5 {
            db.engine.backup(&folder.path().join(round.to_string()), &mut quiet).unwrap();
            db.engine.compact(&name("t"), true).unwrap();
        }
        stop.store(true, Ordering::Relaxed);
        assert!(writer.join().unwrap() > 0);
    });
    let mut newest = 0;
    for round in 0..5 {
        let copy = open(&folder.path().join(round.to_string()));
        let values: Vec<u64> = ["a", "b", "c"]
            .iter()
            .map(|row| {
                let cells = read(&copy.table(&name("t")), row);
                let values: Vec<_> = cells.iter().map(|cell| cell.rsplit('=').next().unwrap().to_owned()).collect();
                assert!(values.len() == 2 && values[0] == values[1], "{cells:?}");
                values[0].parse().unwrap()
            })
            .collect();
        assert!(values[0] >= values[1] && values[1] >= values[2] && values[0] - values[2] <= 1, "{values:?}");
        assert!(values[2] >= newest, "an earlier backup had {newest}: {values:?}");
        newest = values[2];
        copy.close().unwrap();
    }
}

/// The store keeps what is written while there is a snapshot in memory. So a backup during which much is written is
/// made from a copy of the files.
#[test]
fn a_backup_during_many_writes_does_not_keep_a_snapshot() {
    let (data, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let options = Options { write_buffer_bytes: Some(1 << 20), ..Options::default() };
    let engine = Engine::open(data.path(), options).unwrap();
    engine.create_table(descriptor("t", &["f", "g"]), vec![]).unwrap();
    let table = engine.table(&name("t"));
    let row = |n: usize| format!("{n:04}");
    let write = |n: usize| {
        let value = format!("{n} {}", "v".repeat(10_000));
        table.put(&put(&row(n), &[("f:q", 1, &value), ("g:q", 1, &value)])).unwrap();
    };
    write(0);
    let scratch = || {
        let entries = std::fs::read_dir(data.path()).unwrap().map(|entry| entry.unwrap().path());
        entries.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("COPYING")).count()
    };
    let (written, seen) = (Cell::new(1), Cell::new(0));
    let during = |progress: &FamilyProgress| {
        seen.set(seen.get().max(scratch()));
        // More than twice the write buffer.
        if progress.done && progress.family == "f" {
            (written.get()..written.get() + 150).for_each(write);
            written.set(written.get() + 150);
        }
        Ok(())
    };
    let to = folder.path().join("b");
    engine.backup(&to, &mut |progress| during(progress)).unwrap();
    assert_eq!(
        (seen.get(), scratch(), written.get()),
        (1, 0, 301),
        "two copies were begun: of a snapshot, and of files"
    );
    let copy = open(&to);
    assert_eq!(copy.cluster_id(), engine.cluster_id());
    let copied = copy.table(&name("t"));
    for n in 0..151 {
        assert_eq!(read(&copied, &row(n)), read(&table, &row(n)));
        assert_eq!(read(&copied, &row(n)).len(), 2);
    }
    assert_eq!(copied.scan(Scan::default()).unwrap().rows().count(), 151, "as of one moment");
    copy.close().unwrap();
    let mut cancel = |progress: &FamilyProgress| {
        if scratch() > 0 { Err(hjall_engine::Error::new(ErrorKind::Cancelled, "enough")) } else { during(progress) }
    };
    assert_eq!(kind(engine.backup(&folder.path().join("c"), &mut cancel)), ErrorKind::Cancelled);
    assert_eq!((scratch(), std::fs::read_dir(folder.path()).unwrap().count()), (0, 1));
    // What a killed process has left.
    let left = data.path().join("COPYING-0");
    std::fs::create_dir_all(left.join("data")).unwrap();
    std::fs::write(left.join("data/1"), "x").unwrap();
    engine.close().unwrap();
    open(data.path()).close().unwrap();
    assert!(!left.exists());
}

#[test]
fn a_backup_overwrites_nothing_and_leaves_nothing_after_a_failure() {
    let db = Database::folder();
    db.table("t", &["f"]).put(&put("r", &[("f:q", 1, "v")])).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("b");
    let stopped = db.engine.backup(&to, &mut |_| Err(hjall_engine::Error::new(ErrorKind::Cancelled, "enough")));
    assert_eq!(kind(stopped), ErrorKind::Cancelled);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    std::fs::create_dir(&to).unwrap();
    db.engine.backup(&to, &mut quiet).unwrap();
    assert_eq!(kind(db.engine.backup(&to, &mut quiet)), ErrorKind::InvalidArgument);
    std::fs::write(folder.path().join("file"), "mine").unwrap();
    assert_eq!(kind(db.engine.backup(&folder.path().join("file"), &mut quiet)), ErrorKind::InvalidArgument);
    std::fs::create_dir_all(folder.path().join("c.part/copy")).unwrap();
    assert_eq!(kind(db.engine.backup(&folder.path().join("c"), &mut quiet)), ErrorKind::InvalidArgument);
    let copy = open(&to);
    assert_eq!(read(&copy.table(&name("t")), "r"), ["f:q@1=v"]);
    copy.close().unwrap();
}

/// What a backup leaves when its process is killed: the folder in which it was built, with a lock that nothing holds.
#[test]
fn a_backup_removes_what_a_killed_one_has_left() {
    let db = Database::folder();
    db.table("t", &["f"]).put(&put("r", &[("f:q", 1, "v")])).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (to, part) = (folder.path().join("b"), folder.path().join("b.part"));
    for incremental in [false, true] {
        let mut left = false;
        let copied = db.engine.backup(&to, &mut |_| {
            // A second backup to the same destination is refused meanwhile.
            assert_eq!(kind(db.engine.backup(&to, &mut quiet)), ErrorKind::InvalidArgument);
            let away = folder.path().join("away");
            if !left {
                copy_folder(&part, &away);
                left = true;
            }
            Err(hjall_engine::Error::new(ErrorKind::Cancelled, "killed"))
        });
        assert_eq!(kind(copied), ErrorKind::Cancelled);
        std::fs::rename(folder.path().join("away"), &part).unwrap();
        match incremental {
            false => db.engine.backup(&to, &mut quiet).unwrap(),
            true => db.engine.backup_incremental(&to, &mut quiet).unwrap(),
        }
        assert!(!part.exists());
        let copy = open(&to);
        assert_eq!(read(&copy.table(&name("t")), "r"), ["f:q@1=v"], "incremental: {incremental}");
        copy.close().unwrap();
        std::fs::remove_dir_all(&to).unwrap();
    }
}

/// Changes a bit of the byte at this position in the largest table file.
fn damage_largest_file(folder: &Path, at: usize) {
    let largest = |path: &PathBuf| std::fs::metadata(path).unwrap().len();
    let damaged = files(folder).into_iter().max_by_key(largest).unwrap();
    let mut content = std::fs::read(&damaged).unwrap();
    content[at] ^= 1;
    std::fs::write(&damaged, content).unwrap();
}

/// On another file system, unchanged files are those of the earlier backup.
#[cfg(target_os = "linux")]
#[test]
fn a_damaged_file_of_an_earlier_backup_is_copied_again() {
    use std::os::unix::fs::MetadataExt;

    let other = Path::new("/dev/shm");
    let db = Database::folder();
    let device = |path: &Path| std::fs::metadata(path).map(|found| found.dev()).ok();
    if device(other).is_none() || device(other) == device(&std::env::temp_dir()) {
        return;
    }
    let table = db.table("t", &["f"]);
    for row in 0..100 {
        table.put(&put(&format!("r{row:03}"), &[("f:q", 1, &"v".repeat(1_000))])).unwrap();
    }
    db.engine.flush(table.name()).unwrap();
    let folder = tempfile::tempdir_in(other).unwrap();
    let to = folder.path().join("b");
    db.engine.backup_incremental(&to, &mut quiet).unwrap();
    damage_largest_file(&to, 1_000);
    db.engine.backup_incremental(&to, &mut quiet).unwrap();
    let copy = open(&to);
    assert!(copy.verify(&mut quiet).unwrap().is_empty());
    assert_eq!(copy.table(&name("t")).scan(Scan::default()).unwrap().next(1000).unwrap().len(), 100);
    copy.close().unwrap();
}

#[test]
fn a_backup_of_damaged_data_names_the_family() {
    let db = Database::folder();
    let table = db.table("t", &["f"]);
    table.put(&put("r", &[("f:q", 1, &"v".repeat(100_000))])).unwrap();
    db.engine.flush(table.name()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("b");
    db.engine.backup(&to, &mut quiet).unwrap();
    damage_largest_file(&to, 500);
    let error = Engine::restore(&to, &folder.path().join("c"), Options::default(), &mut quiet).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert!(error.message().starts_with("table t, family f: "), "{error}");
}

/// The files of a table that is dropped or truncated are removed while the backup reads them.
#[test]
fn a_backup_begins_again_if_a_table_that_it_copies_is_dropped_or_truncated() {
    for truncates in [false, true] {
        for incremental in [false, true] {
            let db = Database::folder();
            let tables = ["a", "b"].map(|table| db.table(table, &["f"]));
            for table in &tables {
                let value = "v".repeat(100_000);
                let puts: Vec<_> = (0..50).map(|row| put(&format!("r{row:02}"), &[("f:q", 1, &*value)])).collect();
                assert!(table.put_many(&puts).iter().all(Result::is_ok));
                db.engine.flush(table.name()).unwrap();
            }
            let folder = tempfile::tempdir().unwrap();
            let to = folder.path().join("b");
            let mut changes = vec!["b", "a"];
            let mut progress = |of: &FamilyProgress| {
                if !of.done && changes.last().is_some_and(|table| of.table == name(table)) {
                    let table = name(changes.pop().unwrap());
                    db.engine.disable_table(&table).unwrap();
                    match truncates {
                        true => db.engine.truncate_table(&table, false).unwrap(),
                        false => db.engine.delete_table(&table).unwrap(),
                    }
                }
                Ok(())
            };
            let copied = match incremental {
                false => db.engine.backup(&to, &mut progress),
                true => db.engine.backup_incremental(&to, &mut progress),
            };
            copied.unwrap_or_else(|error| panic!("truncates: {truncates}, incremental: {incremental}: {error}"));
            let copy = open(&to);
            assert!(copy.verify(&mut quiet).unwrap().is_empty());
            for (table, _) in copy.tables().iter().filter(|(table, _)| !table.name.is_system()) {
                let rows = copy.table(&table.name).scan(Scan::default()).unwrap().next(1000).unwrap().len();
                assert!(rows == 50 || truncates && rows == 0, "{}: {rows} rows", table.name);
            }
            copy.close().unwrap();
        }
    }
}

/// A backup removes nothing that another program has put into its folder, or that only looks like its own.
#[test]
fn a_backup_keeps_files_of_others_beside_it() {
    let db = Database::folder();
    db.table("t", &["f"]).put(&put("r", &[("f:q", 1, "v")])).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let [to, part, other] = ["b", "b.part", "other"].map(|name| folder.path().join(name));
    let refused = |made: &str| {
        assert_eq!(kind(db.engine.backup(&to, &mut quiet)), ErrorKind::InvalidArgument, "{made}");
        assert!(!to.exists(), "{made}");
    };
    std::fs::create_dir_all(part.join("copy")).unwrap();
    refused("a copy without a lock");
    std::fs::write(part.join("UNFINISHED"), "mine").unwrap();
    refused("a file that is not empty");
    std::fs::write(part.join("UNFINISHED"), "").unwrap();
    std::fs::rename(&part, &other).unwrap();
    std::fs::write(other.join("copy/file"), "mine").unwrap();
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&other, &part).unwrap();
        refused("a link");
        assert!(other.join("copy/file").exists());
        std::fs::remove_file(&part).unwrap();
        std::os::unix::fs::symlink(&other, &to).unwrap();
        assert_eq!(kind(db.engine.backup(&to, &mut quiet)), ErrorKind::InvalidArgument);
        std::fs::remove_file(&to).unwrap();
    }
    db.engine
        .backup(&to, &mut |_| {
            std::fs::write(part.join("file"), "mine").unwrap();
            Ok(())
        })
        .unwrap();
    let left: Vec<_> = std::fs::read_dir(&part).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["file"]);
    assert_eq!(read(&open(&to).table(&name("t")), "r"), ["f:q@1=v"]);
}

fn copy_folder(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy_folder(&entry.path(), &target),
            false => std::fs::copy(entry.path(), target).map(drop).unwrap(),
        }
    }
}

#[test]
fn a_backup_into_a_data_folder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    for inside in ["b", "data/b", "data/keyspaces/77", "new/b"] {
        let to = folder.path().join(inside);
        assert_eq!(kind(engine.backup(&to, &mut quiet)), ErrorKind::InvalidArgument, "{inside}");
        assert!(!to.exists(), "{inside}");
    }
    let error = engine.backup_incremental(folder.path(), &mut quiet).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Locked);
    assert!(error.message().contains("name another destination"), "{error}");
    engine.close().unwrap();
    open(folder.path()).close().unwrap();
}

#[test]
fn verify_counts_intact_cells_and_reports_damage() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    for table in ["whole", "damaged"] {
        let mut descriptor = hjall_engine::schema::TableDescriptor::new(name(table));
        descriptor.add_family(hjall_engine::schema::FamilyDescriptor::new("f").unwrap()).unwrap();
        engine.create_table(descriptor, vec![]).unwrap();
    }
    let before = files(folder.path());
    let fill = |table: &str| {
        for row in 0..100 {
            engine.table(&name(table)).put(&put(&format!("{row:03}"), &[("f:q", 1, &"v".repeat(5000))])).unwrap();
        }
        engine.flush(&name(table)).unwrap();
    };
    fill("damaged");
    let damaged: Vec<_> = files(folder.path()).into_iter().filter(|file| !before.contains(file)).collect();
    fill("whole");
    let mut cells = 0;
    let found = engine.verify(&mut |progress| {
        cells += if progress.done { progress.cells } else { 0 };
        Ok(())
    });
    assert!(found.unwrap().is_empty() && cells == 200, "{cells}");
    engine.close().unwrap();

    // Damage in the middle of the blocks.
    for file in damaged {
        let mut bytes = std::fs::read(&file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 0x40;
        std::fs::write(&file, bytes).unwrap();
    }
    let engine = open(folder.path());
    let found = engine.verify(&mut quiet).unwrap();
    let tables: Vec<_> = found.iter().map(|damage| damage.family.as_ref().unwrap().0.to_string()).collect();
    assert_eq!(tables, ["damaged"], "{found:?}");
    let to = tempfile::tempdir().unwrap();
    assert!(engine.backup(&to.path().join("b"), &mut quiet).is_err(), "damage is not copied");
    // Calls that meet the damage are counted, others are not.
    assert_eq!(engine.statistics().unwrap().damaged_calls, 0);
    let scan = |table| engine.table(&name(table)).scan(Scan::default()).unwrap().next(usize::MAX);
    assert_eq!(kind(scan("damaged").map(drop)), ErrorKind::Corrupt);
    assert!(scan("whole").is_ok());
    assert_eq!(engine.statistics().unwrap().damaged_calls, 1);
    engine.close().unwrap();
}

/// Whatever rows are deleted, and in a table of any number of files.
#[test]
fn the_share_of_garbage_is_estimated_from_the_whole_table() {
    let db = Database::folder();
    for rows in [200, 5_000, 40_000] {
        for (from, to) in [(0.0, 0.25), (0.3, 0.7), (0.55, 1.0), (0.9, 1.0)] {
            let table_name = format!("t{rows}-{from}");
            let table = db.table(&table_name, &["f"]);
            let value = "v".repeat(100);
            let row = |row: usize| format!("user{row:08}");
            for chunk in (0..rows).collect::<Vec<_>>().chunks(1_000) {
                let puts: Vec<_> = chunk.iter().map(|at| put(&row(*at), &[("f:q", 1, &*value)])).collect();
                assert!(table.put_many(&puts).iter().all(Result::is_ok));
            }
            // The flush after the deletes would drop the values.
            db.engine.flush(table.name()).unwrap();
            let place = |share: f64| (rows as f64 * share) as usize;
            for at in place(from)..place(to) {
                table.delete(&delete(&row(at), &[(MarkerKind::Column, "f:q", 1)])).unwrap();
            }
            db.engine.flush(table.name()).unwrap();
            let share = db.engine.garbage_share(table.name()).unwrap();
            // Markers are garbage, too.
            assert!(share > 0.0 && (share - (to - from)).abs() < 0.25, "{table_name}: {share} of {}", to - from);
        }
    }
}

#[test]
fn altered_storage_options_take_effect_with_the_next_major_compaction() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(folder.path());
    engine.create_table(descriptor("t", &["f", "g"]), vec![]).unwrap();
    let table = engine.table(&name("t"));
    for row in 0..200 {
        let value = "compressible ".repeat(200);
        table.put(&put(&format!("{row:03}"), &[("f:q", 1, &value), ("g:q", 1, "small")])).unwrap();
    }
    engine.compact(&name("t"), true).unwrap();
    let bytes = || engine.table_files(&name("t")).unwrap().bytes;
    let (before, cells) = (bytes(), read(&table, "007"));
    for (family, compressed) in [("f COMPRESSION=ZSTD", true), ("f BLOOMFILTER=NONE BLOCKSIZE=8192", false)] {
        engine.modify_table(descriptor("t", &[family, "g"])).unwrap();
        engine.compact(&name("t"), false).unwrap();
        let unchanged = if compressed { bytes() >= before } else { bytes() < before / 4 };
        assert!(unchanged, "{family}: {} bytes after a minor compaction", bytes());
        engine.compact(&name("t"), true).unwrap();
        assert_eq!(bytes() < before / 4, compressed, "{family}: {before} bytes before, {} after", bytes());
        assert_eq!(read(&table, "007"), cells);
        table.put(&put("new", &[("f:q", 1, "v")])).unwrap();
    }
    engine.close().unwrap();
    let engine = open(folder.path());
    assert_eq!(read(&engine.table(&name("t")), "007"), cells);
    assert_eq!(read(&engine.table(&name("t")), "new").len(), 1);
    engine.close().unwrap();
}

/// The number of hard links of each table file of the space with this many files or more.
#[cfg(unix)]
fn linked(folder: &Path) -> (usize, usize) {
    use std::os::unix::fs::MetadataExt as _;
    let links: Vec<u64> = files(folder).iter().map(|file| std::fs::metadata(file).unwrap().nlink()).collect();
    (links.iter().filter(|links| **links > 1).count(), links.len())
}

#[cfg(unix)]
#[test]
fn an_incremental_backup_shares_files_and_replaces_an_earlier_one() {
    let folder = tempfile::tempdir().unwrap();
    let (data, to) = (folder.path().join("data"), folder.path().join("backup"));
    let engine = open(&data);
    engine.create_table(descriptor("t", &["f", "g COMPRESSION=LZ4"]), vec![]).unwrap();
    let table = engine.table(&name("t"));
    let fill = |round: usize| {
        for row in 0..100 {
            let (row, value) = (format!("{round} {row:03}"), "v".repeat(500));
            table.put(&put(&row, &[("f:q", 1, &value), ("g:q", 1, &row)])).unwrap();
        }
    };
    fill(0);
    engine.flush(&name("t")).unwrap();
    // In the journal only.
    fill(1);
    engine.backup_incremental(&to, &mut quiet).unwrap();
    let (shared, all) = linked(&to);
    assert!(shared >= 2, "{shared} of {all} files are shared");
    fill(2);
    engine.flush(&name("t")).unwrap();
    table.put(&put("late", &[("f:q", 1, "v")])).unwrap();
    engine.backup_incremental(&to, &mut quiet).unwrap();
    assert!(linked(&to).0 > shared);
    // What happens to the database does not change its backup, and the other way round.
    table.put(&put("later", &[("f:q", 1, "v")])).unwrap();
    engine.compact(&name("t"), true).unwrap();
    let copy = open(&to);
    assert!(copy.verify(&mut quiet).unwrap().is_empty());
    let copied = copy.table(&name("t"));
    for row in (0..3).flat_map(|round| (0..100).map(move |row| format!("{round} {row:03}"))) {
        assert_eq!(read(&copied, &row), read(&table, &row));
    }
    assert_eq!((read(&copied, "late").len(), read(&copied, "later").len()), (1, 0));
    assert_eq!(kind(engine.backup_incremental(&to, &mut quiet)), ErrorKind::Locked, "the backup is open");
    copy.compact(&name("t"), true).unwrap();
    copied.put(&put("copy", &[("f:q", 1, "v")])).unwrap();
    copy.close().unwrap();
    let error = engine.backup_incremental(&to, &mut |_| panic!("it begins")).unwrap_err();
    assert!(error.message().contains("opened for writing"), "{error}");
    assert!(engine.verify(&mut quiet).unwrap().is_empty());
    assert_eq!(read(&table, "copy").len(), 0);

    // A full backup does not replace another one, and nothing else is replaced.
    assert_eq!(kind(engine.backup(&to, &mut quiet)), ErrorKind::InvalidArgument);
    let other = folder.path().join("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("file"), "").unwrap();
    assert_eq!(kind(engine.backup_incremental(&other, &mut quiet)), ErrorKind::InvalidArgument);
    std::fs::remove_dir_all(&other).unwrap();
    engine.backup(&other, &mut quiet).unwrap();
    assert_eq!(kind(engine.backup_incremental(&other, &mut quiet)), ErrorKind::InvalidArgument, "a full backup");
    std::fs::remove_dir_all(&other).unwrap();
    let another = open(&other);
    std::fs::remove_dir_all(&to).unwrap();
    another.backup_incremental(&to, &mut quiet).unwrap();
    assert_eq!(kind(engine.backup_incremental(&to, &mut quiet)), ErrorKind::InvalidArgument, "of another database");
    another.close().unwrap();
    std::fs::remove_dir_all(&to).unwrap();
    for _ in 0..2 {
        engine.backup_incremental(&to, &mut quiet).unwrap();
        // Reading a backup does not change that.
        let copy = Engine::open_backup(&to, Options::default()).unwrap();
        assert!(copy.verify(&mut quiet).unwrap().is_empty());
        copy.close().unwrap();
        let restored = folder.path().join("restored");
        Engine::restore(&to, &restored, Options::default(), &mut quiet).unwrap();
        std::fs::remove_dir_all(&restored).unwrap();
    }
    // A crash can leave the earlier backup there. It is not removed, because it may be the user's.
    let old = folder.path().join("backup.old");
    std::fs::create_dir(&old).unwrap();
    let error = engine.backup_incremental(&to, &mut |_| panic!("it begins")).unwrap_err();
    assert!(error.kind() == ErrorKind::InvalidArgument && error.message().contains("backup.old exists"), "{error}");
    std::fs::remove_dir(&old).unwrap();
    // A crash before the new backup was moved there has left no other.
    std::fs::rename(&to, &old).unwrap();
    engine.backup_incremental(&to, &mut quiet).unwrap();
    assert!(!old.exists());
    let stopped = engine.backup_incremental(&to, &mut |_| Err(hjall_engine::Error::new(ErrorKind::Cancelled, "stop")));
    assert_eq!(kind(stopped), ErrorKind::Cancelled);
    assert!(open(&to).table(&name("t")).get(&Get::new("late")).unwrap().cells.len() == 1);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
    engine.close().unwrap();
}

/// The folder of a table that is created after the files have been copied is missing in the copy until its list of
/// files is copied.
#[test]
fn tables_are_created_while_an_incremental_backup_copies_files() {
    let folder = tempfile::tempdir().unwrap();
    let (data, to) = (folder.path().join("data"), folder.path().join("backup"));
    let engine = open(&data);
    engine.create_table(descriptor("t", &["f"]), vec![]).unwrap();
    engine.table(&name("t")).put(&put("r", &[("f:q", 1, "v")])).unwrap();
    engine.flush(&name("t")).unwrap();
    let mut is_created = false;
    let mut create = |_: &FamilyProgress| {
        if !std::mem::replace(&mut is_created, true) {
            engine.create_table(descriptor("new", &["f"]), vec![])?;
            engine.table(&name("new")).put(&put("r", &[("f:q", 1, "v")]))?;
        }
        Ok(())
    };
    engine.backup_incremental(&to, &mut create).unwrap();
    assert!(is_created);
    let copy = open(&to);
    for table in ["t", "new"] {
        assert_eq!(read(&copy.table(&name(table)), "r").len(), 1, "{table}");
    }
    copy.close().unwrap();
    engine.close().unwrap();
}

/// The journal still has the put and the marker, but recovery would replay the put alone: the row between them is the
/// newest pair that is left in the files.
/// Otherwise a program that opens it meanwhile would lose what it writes, or read parts of both.
#[test]
fn an_earlier_backup_is_locked_while_another_one_replaces_it() {
    let folder = tempfile::tempdir().unwrap();
    let open = |path: &std::path::Path| Engine::open(path, Options::default());
    let engine = open(&folder.path().join("from")).unwrap();
    engine.create_table(descriptor("t", &["f"]), vec![]).unwrap();
    let table = engine.table(&name("t"));
    let to = folder.path().join("to");
    for round in 0..3 {
        table.put(&put(&format!("row{round}"), &[("f:q", 1, "v")])).unwrap();
        let mut tried = 0;
        engine
            .backup_incremental(&to, &mut |_| {
                tried += 1;
                if round > 0 {
                    assert_eq!(kind(open(&to).map(drop)), ErrorKind::Locked);
                    let restored = folder.path().join("restored");
                    let restored = Engine::restore(&to, &restored, Options::default(), &mut |_| Ok(()));
                    assert_eq!(kind(restored), ErrorKind::Locked);
                    assert_eq!(kind(engine.backup_incremental(&to, &mut |_| Ok(()))), ErrorKind::InvalidArgument);
                }
                Ok(())
            })
            .unwrap();
        assert!(tried > 0);
        let others: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(others.iter().all(|name| !name.to_string_lossy().starts_with("to.")), "{others:?}");
    }
    // A failed one leaves it unlocked and as it was.
    table.put(&put("later", &[("f:q", 1, "v")])).unwrap();
    let failed = engine.backup_incremental(&to, &mut |_| Err(hjall_engine::Error::invalid("stopped")));
    assert_eq!(kind(failed), ErrorKind::InvalidArgument);
    let backup = open(&to).unwrap();
    let copied = backup.table(&name("t"));
    assert_eq!((read(&copied, "row2").len(), read(&copied, "later").len()), (1, 0));
}

#[test]
fn a_put_that_a_compaction_has_dropped_does_not_come_back_after_a_crash() {
    let (folder, crashed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let engine = open(folder.path());
    engine.create_table(descriptor("t", &["f"]), vec![]).unwrap();
    let table = engine.table(&name("t"));
    table.delete(&delete("r", &[(MarkerKind::Column, "f:q", 100)])).unwrap();
    table.put(&put("other", &[("f:q", 1, "v")])).unwrap();
    table.put(&put("r", &[("f:q", 90, "hidden")])).unwrap();
    engine.compact(&name("t"), true).unwrap();
    copy_crashed(folder.path(), crashed.path());
    let copy = open(crashed.path());
    let copied = copy.table(&name("t"));
    assert_eq!((read(&copied, "r").len(), read(&copied, "other").len()), (0, 1));
    // Below the marker that was dropped.
    copied.put(&put("r", &[("f:q", 80, "v")])).unwrap();
    assert_eq!(read(&copied, "r").len(), 1);
}

/// Each row has the same value in two families; a backup has each row completely or not at all, and all rows of a
/// writer up to some number.
#[test]
fn an_incremental_backup_under_load_is_one_moment() {
    let folder = tempfile::tempdir().unwrap();
    let engine = open(&folder.path().join("data"));
    engine.create_table(descriptor("t", &["f", "g"]), vec![]).unwrap();
    engine.create_table(descriptor("u", &["f"]), vec![]).unwrap();
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let (first, second) = (engine.table(&name("t")), engine.table(&name("u")));
            let mut number = 0;
            while !ended.load(Ordering::Relaxed) {
                number += 1;
                let (row, value) = (format!("{:04}", number % 500), format!("{number} {}", "v".repeat(2000)));
                first.put(&put(&row, &[("f:q", number, &value), ("g:q", number, &value)])).unwrap();
                second.put(&put("last", &[("f:q", number, &number.to_string())])).unwrap();
                if number % 700 == 0 {
                    engine.flush(&name("t")).unwrap();
                }
                if number % 1600 == 0 {
                    engine.compact(&name("t"), true).unwrap();
                }
            }
        });
        for round in 0..6 {
            let to = folder.path().join(format!("backup {}", round % 2));
            engine.backup_incremental(&to, &mut quiet).unwrap();
            let copy = Engine::open_backup(&to, Options::default()).unwrap();
            let last = copy.table(&name("u")).get(&Get::new("last")).unwrap();
            let last = last.cells.first().map_or(0, |cell| cell.timestamp);
            let scan = Scan::default();
            let mut newest = 0;
            for row in copy.table(&name("t")).scan(scan).unwrap().rows() {
                let row = row.unwrap();
                assert_eq!(row.cells.len(), 2);
                assert_eq!(row.cells[0].value, row.cells[1].value);
                newest = newest.max(row.cells[0].timestamp);
            }
            assert!(newest == last || newest == last + 1, "{newest} in one table, {last} in the other");
            copy.close().unwrap();
        }
        ended.store(true, Ordering::Relaxed);
        writer.join().unwrap();
    });
    engine.close().unwrap();
}
