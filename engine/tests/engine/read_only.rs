//! Openings for reading only, also of a folder that another process is writing.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;

use hjall_engine::request::{Get, Scan};
use hjall_engine::schema::NamespaceDescriptor;
use hjall_engine::{Engine, ErrorKind, Options, Result};
use tempfile::TempDir;

use crate::eventually::eventually;
use crate::fixture::{SERVER, delete, descriptor, family, increment, kind, name, put, read};

/// Tells the child process which folder is meant; the tests that need a child run this program again.
const FOLDER: &str = "HJALL_TEST_FOLDER";

/// The size of the values that the child process writes.
const VALUE_BYTES: &str = "HJALL_READ_ONLY_VALUE_BYTES";

/// The number of openings beside each writing process. With larger values, journals rotate meanwhile.
const OPENINGS: &str = "HJALL_READ_ONLY_OPENINGS";

/// The rows that the writing process writes in turn.
const ROWS: u64 = 16;

fn writable(folder: &Path) -> Result<Engine> {
    Engine::open(folder, Options { cache_bytes: Some(1 << 20), ..Options::default() })
}

fn read_only(folder: &Path) -> Result<Engine> {
    Engine::open(folder, Options { cache_bytes: Some(1 << 20), read_only: true, ..Options::default() })
}

/// All files under a folder, with their lengths and times of modification.
fn files(folder: &Path) -> BTreeMap<PathBuf, (u64, std::time::SystemTime)> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let (path, metadata) = entry.map(|entry| (entry.path(), entry.metadata().unwrap())).unwrap();
        found.insert(path.clone(), (metadata.len(), metadata.modified().unwrap()));
        if metadata.is_dir() {
            found.extend(files(&path));
        }
    }
    found
}

fn number(options: &str, default: u64) -> u64 {
    std::env::var(options).map_or(default, |text| text.parse().unwrap())
}

/// Runs a test of this program in a child process, with its own folder for temporary files.
fn child(test: &str, folder: &Path, temporary: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]);
    command.env(FOLDER, folder).env("TMPDIR", temporary).env("TMP", temporary).env("TEMP", temporary);
    command
}

#[test]
fn it_shows_the_moment_of_opening() {
    let folder = TempDir::new().unwrap();
    let writer = writable(folder.path()).unwrap();
    writer.create_table(descriptor("t", &["f", "g"]), vec![]).unwrap();
    let table = writer.table(&name("t"));
    table.put(&put("a", &[("f:q", 1, "in a file"), ("g:q", 1, "in a file")])).unwrap();
    writer.flush(&name("t")).unwrap();
    table.put(&put("b", &[("f:q", 1, "in the journal")])).unwrap();

    let first = read_only(folder.path()).unwrap();
    table.put(&put("a", &[("f:q", 2, "later")])).unwrap();
    table.put(&put("c", &[("f:q", 1, "later")])).unwrap();
    writer.create_table(descriptor("later", &["f"]), vec![]).unwrap();
    writer.compact(&name("t"), true).unwrap();

    let view = first.table(&name("t"));
    assert_eq!(read(&view, "a"), ["f:q@1=in a file", "g:q@1=in a file"]);
    assert_eq!(read(&view, "b"), ["f:q@1=in the journal"]);
    assert_eq!(read(&view, "c"), Vec::<String>::new());
    assert!(!first.table_exists(&name("later")));
    assert_eq!(first.cluster_id(), writer.cluster_id());

    let second = read_only(folder.path()).unwrap();
    assert_eq!(read(&second.table(&name("t")), "c"), ["f:q@1=later"]);
    assert!(second.table_exists(&name("later")));
    writer.close().unwrap();
    assert_eq!(read(&view, "b"), ["f:q@1=in the journal"], "also when the writer has closed the folder");

    let third = read_only(folder.path()).unwrap();
    assert_eq!(read(&third.table(&name("t")), "c"), ["f:q@1=later"], "of a folder that was closed");
    drop(writable(folder.path()).expect("a reader does not keep others from writing"));
}

#[test]
fn changes_are_refused() {
    let folder = TempDir::new().unwrap();
    let writer = writable(folder.path()).unwrap();
    writer.create_namespace(NamespaceDescriptor::new("n")).unwrap();
    for table in ["t", "off"] {
        writer.create_table(descriptor(table, &["f", "g"]), vec![]).unwrap();
        writer.table(&name(table)).put(&put("r", &[("f:q", 1, "v")])).unwrap();
    }
    writer.disable_table(&name("off")).unwrap();
    writer.close().unwrap();

    let engine = read_only(folder.path()).unwrap();
    let (t, off) = (name("t"), name("off"));
    let table = engine.table(&t);
    let change = put("r", &[("f:q", SERVER, "w")]);
    let refused: Vec<Result<()>> = vec![
        table.put(&change),
        table.put_many(std::slice::from_ref(&change)).remove(0),
        table.delete(&delete("r", &[])),
        table.mutate_row(b"r", &[hjall_engine::mutation::Mutation::Put(change.clone())]),
        table.increment(&increment("r", "f:n", 1)).map(drop),
        engine.create_table(descriptor("new", &["f"]), vec![]),
        engine.delete_table(&off),
        engine.truncate_table(&off, false),
        engine.enable_table(&off),
        engine.disable_table(&t),
        engine.add_family(&t, family("h")),
        engine.modify_family(&t, family("f VERSIONS=9")),
        engine.delete_family(&t, b"g"),
        engine.modify_table(descriptor("t", &["f"])),
        engine.create_namespace(NamespaceDescriptor::new("m")),
        engine.delete_namespace("n"),
        engine.split_region(&t, b"m"),
        engine.flush(&t),
        engine.compact(&t, false),
        engine.compact(&t, true),
    ];
    let path = folder.path().canonicalize().unwrap().display().to_string();
    for (n, refused) in refused.into_iter().enumerate() {
        let error = refused.expect_err(&format!("change {n}"));
        assert_eq!(error.kind(), ErrorKind::ReadOnly, "change {n}: {error}");
        let message = error.message();
        assert!(message.contains(&path) && message.contains("reading only") && message.contains("opening for writing"));
    }
    assert_eq!(read(&table, "r"), ["f:q@1=v"]);
    assert!(engine.verify(&mut |_| Ok(())).unwrap().is_empty());
    let copies = TempDir::new().unwrap();
    for (copy, incremental) in [("full", false), ("files", true)] {
        let copy = copies.path().join(copy);
        if incremental {
            engine.backup_incremental(&copy, &mut |_| Ok(())).unwrap();
        } else {
            engine.backup(&copy, &mut |_| Ok(())).unwrap();
        }
        assert_eq!(read(&writable(&copy).unwrap().table(&t), "r"), ["f:q@1=v"]);
    }
}

#[test]
fn only_an_existing_database_is_opened() {
    let folder = TempDir::new().unwrap();
    let missing = folder.path().join("missing");
    for place in [folder.path(), &missing, &folder.path().join("file/below")] {
        let error = read_only(place).map(drop).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.message().contains(&place.display().to_string()), "{error}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is created");
    let memory = Engine::memory(Options { read_only: true, ..Options::default() });
    assert_eq!(kind(memory.map(drop)), ErrorKind::InvalidArgument);

    drop(writable(folder.path()).unwrap());
    fs::write(folder.path().join("CREATING"), b"").unwrap();
    assert_eq!(kind(read_only(folder.path()).map(drop)), ErrorKind::Busy);
    fs::remove_file(folder.path().join("CREATING")).unwrap();
    fs::write(folder.path().join("FORMAT"), b"hjall data format 999\n").unwrap();
    assert_eq!(kind(read_only(folder.path()).map(drop)), ErrorKind::NewerFormat);
}

#[test]
fn damage_is_reported_with_the_path_of_the_original() {
    let folder = TempDir::new().unwrap();
    let writer = writable(folder.path()).unwrap();
    writer.create_table(descriptor("t", &["f"]), vec![]).unwrap();
    let journal = folder.path().join("data/0.jnl");
    for n in 0..20 {
        writer.table(&name("t")).put(&put(&format!("{n}"), &[("f:q", 1, "a value to be damaged")])).unwrap();
    }
    // As after a crash: the journal has batches. Its bytes are saved, because a clean close truncates it.
    let mut bytes = fs::read(&journal).unwrap();
    writer.close().unwrap();
    let at = bytes.windows(5).position(|window| window == b"to be").unwrap();
    bytes[at] ^= 1;
    fs::write(&journal, &bytes).unwrap();
    fs::remove_file(folder.path().join("CLOSED")).unwrap();
    let before = files(folder.path());
    let error = read_only(folder.path()).map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    let path = folder.path().canonicalize().unwrap().join("data").join("0.jnl");
    assert!(error.message().contains(&path.display().to_string()), "{error}");
    assert_eq!(files(folder.path()), before);
}

/// The temporary folder is removed when the database is closed, also after an error, and that of a process that was
/// killed by the next opening.
#[test]
fn nothing_is_left_behind() {
    let (folder, temporary) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    drop(writable(folder.path()).unwrap());
    let stale = temporary.path().join(".hjall-read-1-0");
    fs::create_dir_all(stale.join("data")).unwrap();
    fs::write(stale.join("LOCK"), "1\n").unwrap();
    fs::create_dir(temporary.path().join(".hjall-read-1-1")).unwrap();
    fs::create_dir(temporary.path().join("other")).unwrap();
    let mut test = child("read_only::leaves_nothing_behind", folder.path(), temporary.path());
    assert!(test.status().unwrap().success());
    let left: Vec<_> = fs::read_dir(temporary.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["other"]);
}

/// A part of the test above, which runs in a child process.
#[test]
fn leaves_nothing_behind() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    let before = files(&folder);
    let temporary = || {
        let names = fs::read_dir(std::env::temp_dir()).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name.to_string_lossy().starts_with(".hjall-read-")).count()
    };
    let first = read_only(&folder).unwrap();
    assert_eq!(temporary(), 1, "the stale ones have been removed");
    let second = read_only(&folder).unwrap();
    assert_eq!(temporary(), 2, "that of an open database has not been removed");
    first.close().unwrap();
    drop(second);
    assert_eq!(temporary(), 0);
    assert_eq!(files(&folder), before, "nothing in the data folder has changed");
    fs::write(folder.join("data/version"), b"?").unwrap();
    assert_eq!(kind(read_only(&folder).map(drop)), ErrorKind::Corrupt);
    assert_eq!(temporary(), 0);
}

/// A process that writes, and the last counter that it has acknowledged.
struct Writer {
    process: Child,
    acknowledged: Arc<AtomicU64>,
    reader: Option<JoinHandle<()>>,
}

impl Writer {
    fn start(folder: &Path, temporary: &Path) -> Self {
        let mut command = child("read_only::writes_until_it_is_killed", folder, temporary);
        let mut process = command.stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let acknowledged = Arc::new(AtomicU64::new(0));
        let reported = Arc::clone(&acknowledged);
        let reader = std::thread::spawn(move || {
            // The output has other lines too.
            let counters = output.lines().map_while(std::result::Result::ok).filter_map(|line| line.parse().ok());
            counters.for_each(|counter| reported.store(counter, Ordering::SeqCst));
        });
        Self { process, acknowledged, reader: Some(reader) }
    }

    /// Kills the process, and returns the last counter that it has acknowledged.
    fn kill(&mut self) -> u64 {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        self.reader.take().unwrap().join().unwrap();
        self.acknowledged.load(Ordering::SeqCst)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let _ = self.process.kill();
    }
}

/// Checks what a reader sees of the process that writes: the state after one of its writes, which is not before
/// `acknowledged`. Returns the counter of that write.
fn check(engine: &Engine, acknowledged: u64) -> u64 {
    let table = engine.table(&name("pairs"));
    let counter = |row: u64, column: &str| {
        let text = format!("{row:02}");
        let row = table.get(&Get::new(text)).unwrap();
        let cell = row.cells.iter().find(|cell| cell.family == column.as_bytes());
        cell.map_or(0, |cell| std::str::from_utf8(&cell.value[..20]).unwrap().parse::<u64>().unwrap())
    };
    let counters: Vec<u64> = (0..ROWS).map(|row| counter(row, "a")).collect();
    let last = counters.iter().copied().max().unwrap();
    assert!(last >= acknowledged, "{acknowledged} was acknowledged before the opening, but {last} is the last one");
    for (row, seen) in (0..ROWS).zip(counters) {
        let expected = (last.saturating_sub(ROWS - 1)..=last).find(|counter| counter % ROWS == row).unwrap_or(0);
        assert_eq!(seen, expected, "row {row}, when {last} is the last one");
        assert_eq!(counter(row, "b"), seen, "row {row} has two families, which are written together");
    }
    // A table is created, and then gets as many rows as its number says, until it is dropped.
    for (descriptor, _) in engine.tables().iter().filter(|(t, enabled)| *enabled && t.name.qualifier().starts_with('t'))
    {
        let table = engine.table(&descriptor.name);
        let rows = table.scan(Scan::default()).unwrap().next(100).unwrap();
        let names: Vec<_> = rows.iter().map(|row| String::from_utf8(row.key.to_vec()).unwrap()).collect();
        let expected: Vec<_> = (0..rows.len()).map(|n| format!("{n}")).collect();
        assert_eq!(names, expected, "{}", descriptor.name);
    }
    last
}

#[test]
fn a_reader_sees_a_moment_of_a_process_that_writes() {
    let (folder, temporary) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let mut last = 0;
    // The second process begins with the folder of one that was killed.
    for _ in 0..2 {
        let mut writer = Writer::start(folder.path(), temporary.path());
        eventually("a write is acknowledged", || writer.acknowledged.load(Ordering::SeqCst) > last);
        for _ in 0..number(OPENINGS, 10) {
            let acknowledged = writer.acknowledged.load(Ordering::SeqCst);
            let engine = read_only(folder.path()).unwrap();
            last = last.max(check(&engine, acknowledged.max(last)));
            engine.close().unwrap();
        }
        let acknowledged = writer.kill();
        let before = files(folder.path());
        last = check(&read_only(folder.path()).unwrap(), acknowledged.max(last));
        assert_eq!(files(folder.path()), before, "nothing in the data folder has changed");
    }
    let writer = writable(folder.path()).unwrap();
    check(&writer, last);
    writer.close().unwrap();
    check(&read_only(folder.path()).unwrap(), last);
}

/// The other part of the test above, which runs in a child process.
#[test]
fn writes_until_it_is_killed() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    // So small that memtables are flushed and compacted all the time.
    let options = Options { write_buffer_bytes: Some(1 << 18), cache_bytes: Some(1 << 20), ..Options::default() };
    let engine = Engine::open(&folder, options).unwrap();
    if !engine.table_exists(&name("pairs")) {
        engine.create_table(descriptor("pairs", &["a", "b"]), vec![]).unwrap();
    }
    let acceptable = |done: Result<()>| match done {
        Err(error) if error.kind() != ErrorKind::Busy => {
            eprintln!("{error}");
            std::process::exit(1);
        }
        _ => {}
    };
    std::thread::scope(|threads| {
        threads.spawn(|| {
            loop {
                acceptable(engine.flush(&name("pairs")));
                acceptable(engine.compact(&name("pairs"), true));
            }
        });
        threads.spawn(|| {
            for n in 0_u64.. {
                let named = |n: u64| name(&format!("t{n:06}"));
                let outdated = n.checked_sub(2).map(named);
                if let Some(outdated) = outdated.filter(|outdated| engine.table_exists(outdated)) {
                    acceptable(engine.disable_table(&outdated).and_then(|()| engine.delete_table(&outdated)));
                }
                let table = named(n);
                if engine.table_exists(&table) {
                    acceptable(engine.disable_table(&table).and_then(|()| engine.delete_table(&table)));
                }
                engine.create_table(descriptor(&format!("t{n:06}"), &["f", "g"]), vec![]).unwrap();
                for row in 0..n % 5 {
                    engine.table(&table).put(&put(&row.to_string(), &[("f:q", 1, "v"), ("g:q", 1, "v")])).unwrap();
                }
                acceptable(engine.flush(&table));
            }
        });
        let pairs = engine.table(&name("pairs"));
        let filling = "v".repeat(usize::try_from(number(VALUE_BYTES, 500)).unwrap());
        let largest = (0..ROWS).filter_map(|row| {
            let row = pairs.get(&Get::new(format!("{row:02}"))).unwrap();
            row.cells.first().map(|cell| std::str::from_utf8(&cell.value[..20]).unwrap().parse::<u64>().unwrap())
        });
        let mut output = std::io::stdout();
        for counter in largest.max().unwrap_or(0) + 1.. {
            let value = format!("{counter:020}{filling}");
            let put = put(&format!("{:02}", counter % ROWS), &[("a:n", SERVER, &value), ("b:n", SERVER, &value)]);
            let done = pairs.put(&put).map_err(|error| error.to_string());
            let reported = done.and_then(|()| writeln!(output, "{counter}").map_err(|error| error.to_string()));
            // The other threads would go on after a panic.
            if let Err(error) = reported {
                eprintln!("{error}");
                std::process::exit(1);
            }
        }
    });
}
