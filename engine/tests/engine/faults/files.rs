//! Every file of a cleanly closed folder is removed, emptied, truncated, overwritten, has a bit flipped, or cannot be
//! read. Every byte of the journal of a folder after a crash has a bit flipped.
//!
//! The engine must report the damage or return exactly what was stored. It must never panic or return other data. After
//! a refused opening, the folder must be as good as before once the file is restored.

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hjall_engine::clock::ManualClock;
use hjall_engine::mutation::MarkerKind;
use hjall_engine::request::{Get, Scan};
use hjall_engine::{Engine, ErrorKind, Options, Result};

use super::long;
use crate::fixture::{NOW, delete, descriptor, name, put, show};
use crate::folder_copy::{copy_crashed, copy_folder};

const TABLES: [&str; 2] = ["t", "u"];

fn open(folder: &Path) -> Result<Engine> {
    Engine::open(folder, Options { clock: Some(Arc::new(ManualClock::at(NOW))), ..Options::default() })
}

/// Two tables with several files, levels and kinds of blocks; closed.
fn fill(folder: &Path) {
    let engine = open(folder).unwrap();
    let families = ["f VERSIONS=3 COMPRESSION=GZ", "g BLOOMFILTER=NONE BLOCKSIZE=1024"];
    for table in TABLES {
        engine.create_table(descriptor(table, &families), vec!["k".into()]).unwrap();
    }
    for round in 0..3 {
        for table in TABLES {
            let open = engine.table(&name(table));
            for n in 0..120 {
                let value = format!("{table} {n} {}", "x".repeat(n * 3));
                let cells = [("f:a", round, value.as_str()), ("g:b", round, "small")];
                open.put(&put(&format!("row {n:03}"), &cells)).unwrap();
            }
            open.delete(&delete("row 007", &[(MarkerKind::Column, "f:a", round)])).unwrap();
            engine.flush(&name(table)).unwrap();
            if round == 1 {
                engine.compact(&name(table), true).unwrap();
            }
        }
    }
    engine.close().unwrap();
}

/// All cells, by table.
fn read(engine: &Engine) -> Result<BTreeMap<&'static str, Vec<Vec<String>>>> {
    let mut all = BTreeMap::new();
    for table in TABLES {
        let scan = Scan { max_versions: i32::MAX, ..Scan::default() };
        let mut scanner = engine.table(&name(table)).scan(scan)?;
        let mut rows = Vec::new();
        loop {
            let some = scanner.next(50)?;
            if some.is_empty() {
                break;
            }
            rows.extend(some.iter().map(|row| show(&row.cells)));
        }
        // Gets read other parts of the files than scans.
        for n in (0..rows.len()).step_by(17) {
            let got =
                engine.table(&name(table)).get(&Get { max_versions: i32::MAX, ..Get::new(format!("row {n:03}")) })?;
            assert_eq!(show(&got.cells), rows[n], "row {n} of {table}");
        }
        all.insert(table, rows);
    }
    Ok(all)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

#[derive(Debug, Clone, Copy)]
enum Damage {
    Removed,
    Emptied,
    Truncated(usize),
    /// All bytes are zero.
    Zeroed,
    /// A byte and a bit of it.
    Flipped(usize, u32),
    Unreadable,
}

/// Kinds of damage to a file of this length.
fn damages(length: usize) -> Vec<Damage> {
    let mut all = vec![Damage::Removed];
    if length == 0 {
        return all;
    }
    all.extend([Damage::Emptied, Damage::Zeroed, Damage::Truncated(length - 1), Damage::Truncated(length / 2)]);
    let flips = if long() { 500 } else { 4 };
    let step = length.div_ceil(flips);
    // Not always the same place in a step.
    all.extend(
        (0..length).step_by(step).map(|n| Damage::Flipped((n + n / 7 % step).min(length - 1), n as u32 * 5 % 8)),
    );
    all.push(Damage::Flipped(length - 1, 0));
    all
}

fn apply(damage: Damage, file: &Path) {
    let mut content = fs::read(file).unwrap();
    match damage {
        Damage::Removed => return fs::remove_file(file).unwrap(),
        Damage::Emptied => content.clear(),
        Damage::Truncated(length) => content.truncate(length),
        Damage::Zeroed => content.fill(0),
        Damage::Flipped(at, bit) => content[at] ^= 1 << bit,
        Damage::Unreadable => return set_mode(file, 0),
    }
    fs::write(file, content).unwrap();
}

#[cfg(unix)]
fn set_mode(file: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(file, fs::Permissions::from_mode(mode)).unwrap();
}

#[cfg(not(unix))]
fn set_mode(_file: &Path, _mode: u32) {}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    /// The folder was not opened.
    Refused,
    /// The folder was opened, and reading it failed.
    Reported,
    /// Everything that was stored was returned.
    Whole,
}

fn may_report(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::Corrupt | ErrorKind::Io | ErrorKind::NewerFormat | ErrorKind::InvalidArgument)
}

/// Damages a file of a copy of a folder, and reads the copy.
fn check(whole: &Path, expected: &BTreeMap<&str, Vec<Vec<String>>>, file: &Path, damage: Damage) -> Outcome {
    let copy = tempfile::tempdir().unwrap();
    copy_folder(whole, copy.path()).unwrap();
    let damaged = copy.path().join(file);
    apply(damage, &damaged);
    let engine = match open(copy.path()) {
        Ok(engine) => engine,
        Err(error) => {
            assert!(may_report(error.kind()), "{error}");
            if damaged.exists() {
                set_mode(&damaged, 0o600);
            }
            fs::copy(whole.join(file), &damaged).unwrap();
            let engine = open(copy.path()).unwrap_or_else(|error| panic!("restored, but refused: {error}"));
            assert!(read(&engine).unwrap() == *expected, "restored, but not whole");
            return Outcome::Refused;
        }
    };
    let seen = read(&engine);
    let verified = engine.verify(&mut |_| Ok(()));
    drop(engine);
    match seen {
        Ok(seen) => {
            assert!(seen == *expected, "other data than was stored");
            assert!(verified.is_ok_and(|found| found.is_empty()), "verify reports damage that reading does not notice");
            Outcome::Whole
        }
        Err(error) => {
            assert!(may_report(error.kind()), "{error}");
            assert!(!verified.is_ok_and(|found| found.is_empty()), "verify does not find the damage: {error}");
            Outcome::Reported
        }
    }
}

fn check_all(whole: &Path, damages: impl Fn(usize) -> Vec<Damage>) -> BTreeMap<Outcome, usize> {
    let expected = read(&open(whole).unwrap()).unwrap();
    let mut outcomes = BTreeMap::new();
    let mut failed = Vec::new();
    for file in files(whole) {
        let name = file.strip_prefix(whole).unwrap();
        for damage in damages(fs::metadata(&file).unwrap().len() as usize) {
            match catch_unwind(AssertUnwindSafe(|| check(whole, &expected, name, damage))) {
                Ok(outcome) => *outcomes.entry(outcome).or_default() += 1,
                Err(panic) => {
                    let text = panic.downcast_ref::<String>().map_or("", |text| text);
                    let text = panic.downcast_ref::<&str>().map_or(text, |text| text);
                    failed.push(format!("{} {damage:?}: {text}", name.display()));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{} of {outcomes:?}:\n{}", failed.len(), failed.join("\n"));
    outcomes
}

#[test]
fn damage_to_any_file_is_reported_or_harmless() {
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let count = files(folder.path()).len();
    let outcomes = check_all(folder.path(), damages);
    let total: usize = outcomes.values().sum();
    println!("faults of files: {count} files, {total} kinds of damage, no loss: {outcomes:?}");
    assert!(outcomes[&Outcome::Refused] > count, "{outcomes:?}");
}

/// Each row is one batch of the journal. What is in the journal only is returned whole, or refused.
#[test]
fn a_flipped_bit_in_a_journal_is_reported_or_harmless() {
    let (folder, crashed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let engine = open(folder.path()).unwrap();
    for table in TABLES {
        engine.create_table(descriptor(table, &["f VERSIONS=3", "g"]), vec![]).unwrap();
    }
    for n in 0..6 {
        for table in TABLES {
            let open = engine.table(&name(table));
            open.put(&put(&format!("row {n:03}"), &[("f:a", 1, table), ("g:b", 1, "small")])).unwrap();
        }
    }
    engine.table(&name("t")).delete(&delete("row 003", &[(MarkerKind::Column, "f:a", 1)])).unwrap();
    copy_crashed(folder.path(), crashed.path());
    let journal = Path::new("data/0.jnl");
    let content = fs::read(crashed.path().join(journal)).unwrap();
    let end = content.iter().rposition(|byte| *byte != 0).unwrap() + 1;
    // fjall creates journals of 64 MiB, most of which are zeros.
    fs::write(crashed.path().join(journal), &content[..end + 500]).unwrap();

    let copy = tempfile::tempdir().unwrap();
    copy_folder(crashed.path(), copy.path()).unwrap();
    let expected = read(&open(copy.path()).unwrap()).unwrap();
    let (first, step) = if long() { (0, 1) } else { (3, 17) };
    let mut outcomes = BTreeMap::new();
    for at in (first..end + 20).step_by(step) {
        // The bytes 5 to 12 are the sequence number of the first batch, which has no checksum and no batch before it.
        if (5..13).contains(&at) {
            continue;
        }
        let outcome = check(crashed.path(), &expected, journal, Damage::Flipped(at, at as u32 * 5 % 8));
        *outcomes.entry(outcome).or_default() += 1;
    }
    let tried: usize = outcomes.values().sum();
    println!("faults of journals: {tried} flipped bits in {end} bytes, no loss: {outcomes:?}");
    assert!(outcomes[&Outcome::Refused] > tried * 9 / 10, "{outcomes:?}");
}

/// A privileged process can read everything, so the test then runs itself as another user.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_cannot_be_read_is_reported() {
    use std::os::unix::fs::chown;
    use std::os::unix::process::CommandExt as _;

    const NOBODY: u32 = 65534;
    const FOLDER: &str = "HJALL_TEST_UNREADABLE";
    if let Some(folder) = std::env::var_os(FOLDER) {
        let outcomes = check_all(Path::new(&folder), |_| vec![Damage::Unreadable]);
        println!("\nfaults of files: {outcomes:?} without permission, no loss");
        return;
    }
    // The other user may not be allowed to create files beside the temporary folders of this one.
    let (folder, scratch) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fill(folder.path());
    let probe = folder.path().join("FORMAT");
    set_mode(&probe, 0);
    let privileged = fs::read(&probe).is_ok();
    set_mode(&probe, 0o600);
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    let test = "faults::files::a_file_that_cannot_be_read_is_reported";
    command.args([test, "--exact", "--nocapture"]).env(FOLDER, folder.path()).env("TMPDIR", scratch.path());
    if privileged {
        let mut folders = vec![folder.path().to_owned(), scratch.path().to_owned()];
        while let Some(path) = folders.pop() {
            chown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
            if path.is_dir() {
                folders.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            }
        }
        command.uid(NOBODY).gid(NOBODY);
    }
    match command.output() {
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
            assert!(said.contains("without permission"), "{said}");
            said.lines().filter(|line| line.contains("faults of files")).for_each(|line| println!("{line}"));
        }
        // The other user may not be able to reach the test program.
        Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            println!("faults of files: not tried without permission ({error})");
        }
        Err(error) => panic!("{error}"),
    }
}
