//! The data folder: restarts, sharing, locks and formats.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use hjall_engine::ErrorKind;
use hjall_engine::clock::ManualClock;
use hjall_engine::mutation::Durability;
use hjall_engine::store::{FORMAT, FjallStore, Order, SpaceOptions, Store, StoreOptions};
use tempfile::TempDir;

use crate::folder_copy::copy_crashed;
use crate::stores::{BEGIN_MS, SPACE, bytes, get, in_row, options, put, rest};

/// Tells the child process which folder is meant; the tests that need a child run themselves again.
const FOLDER: &str = "HJALL_TEST_FOLDER";

fn open(folder: &Path, clock: &Arc<ManualClock>) -> Arc<dyn Store> {
    let store = FjallStore::open(folder, options(clock)).unwrap();
    store.create_space(SPACE, &SpaceOptions::default()).unwrap();
    store
}

fn clock() -> Arc<ManualClock> {
    Arc::new(ManualClock::at(BEGIN_MS))
}

#[test]
fn what_was_written_is_there_after_a_restart() {
    let (folder, clock) = (TempDir::new().unwrap(), clock());
    for round in 0..4 {
        let store = open(folder.path(), &clock);
        let expected: Vec<_> = (0..round).map(|n| format!("{n}")).collect();
        assert_eq!(rest(&mut *store.snapshot().unwrap().scan(SPACE, b"", b"", Order::Ascending, 9).unwrap()), expected);
        put(&*store, &round.to_string(), "v").unwrap();
        store.create_space(10 + round, &SpaceOptions { compress: true, ..SpaceOptions::default() }).unwrap();
        if round > 0 {
            store.drop_space(9 + round).unwrap();
        }
        store.close().unwrap();
    }
    let store = open(folder.path(), &clock);
    assert_eq!(store.spaces().unwrap(), [0, SPACE, 13]);
}

/// A clock that was set back while the server was down must not make later writes older than earlier ones; a clean stop
/// must not make the time jump ahead either.
#[test]
fn time_and_sequence_go_on_after_a_restart() {
    let (folder, clock) = (TempDir::new().unwrap(), clock());
    let store = open(folder.path(), &clock);
    let first = in_row(&*store, "r", |t| {
        t.put(SPACE, bytes("a"), bytes("v"));
        t.assigned(t.now_ms(), true);
        t.sequence()
    })
    .unwrap();
    store.close().unwrap();
    clock.set(BEGIN_MS - 86_400_000);
    let store = open(folder.path(), &clock);
    in_row(&*store, "far", |t| t.assigned(i64::MAX, true)).unwrap();
    store.close().unwrap();
    let store = open(folder.path(), &clock);
    let (now, second) = in_row(&*store, "r", |t| (t.now_ms(), t.sequence())).unwrap();
    assert_eq!(now, BEGIN_MS + 1, "after the delete of before, and no later");
    assert!(second > first);
}

/// With a small bound memory is sealed and written out all the time, and writes wait for it.
#[test]
fn a_small_bound_on_memory_loses_nothing() {
    let (folder, clock) = (TempDir::new().unwrap(), clock());
    let store =
        FjallStore::open(folder.path(), StoreOptions { write_buffer_bytes: 1 << 16, ..options(&clock) }).unwrap();
    for space in 1..=4 {
        store.create_space(space, &SpaceOptions::default()).unwrap();
    }
    let value = bytes(&"v".repeat(1000));
    for n in 0..2000_u64 {
        in_row(&*store, "r", |t| t.put(n % 4 + 1, bytes(&format!("{n:04}")), value.clone())).unwrap();
        if n == 1000 {
            store.drop_space(4).unwrap();
            store.create_space(4, &SpaceOptions::default()).unwrap();
        }
    }
    let count = |space| rest(&mut *store.snapshot().unwrap().scan(space, b"", b"", Order::Ascending, 9).unwrap()).len();
    assert_eq!([count(1), count(2), count(3), count(4)], [500, 500, 500, 250]);
}

/// Two stores in one folder would overwrite each other's files. Engines share one; see the engine's own tests.
#[test]
fn a_folder_that_is_open_in_this_process_is_refused() {
    let (folder, clock) = (TempDir::new().unwrap(), clock());
    let first = open(folder.path(), &clock);
    let roundabout = folder.path().join("..").join(folder.path().file_name().unwrap());
    for path in [folder.path(), &roundabout] {
        let error = FjallStore::open(path, options(&clock)).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Locked);
        assert!(error.message().contains("this process"), "{error}");
    }
    let refused = hjall_engine::Engine::open(folder.path(), hjall_engine::Options::default());
    assert_eq!(refused.err().unwrap().kind(), ErrorKind::Locked);
    put(&*first, "a", "1").unwrap();
    first.close().unwrap();
    first.close().unwrap();
    assert_eq!(put(&*first, "a", "2").unwrap_err().kind(), ErrorKind::Closed);
    assert_eq!(get(&*open(folder.path(), &clock), "a").unwrap(), "1");
    let engine = hjall_engine::Engine::open(folder.path(), hjall_engine::Options::default()).unwrap();
    assert_eq!(FjallStore::open(folder.path(), options(&clock)).err().unwrap().kind(), ErrorKind::Locked);
    engine.close().unwrap();
    open(folder.path(), &clock).close().unwrap();
}

#[test]
fn a_newer_format_is_refused() {
    let (folder, clock) = (TempDir::new().unwrap(), clock());
    open(folder.path(), &clock).close().unwrap();
    let file = folder.path().join("FORMAT");
    assert_eq!(fs::read_to_string(&file).unwrap(), format!("hjall data format {FORMAT}\n"));
    fs::write(&file, format!("hjall data format {}\n", FORMAT + 1)).unwrap();
    let error = FjallStore::open(folder.path(), options(&clock)).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::NewerFormat);
    assert!(error.message().contains(&format!("format {}", FORMAT + 1)), "{error}");
    fs::write(&file, "hjall").unwrap();
    assert_eq!(FjallStore::open(folder.path(), options(&clock)).err().unwrap().kind(), ErrorKind::Corrupt);
}

#[test]
fn a_folder_of_somebody_else_is_left_alone() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("thesis.tex"), "x").unwrap();
    let error = FjallStore::open(folder.path(), options(&clock())).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.message().contains("thesis.tex"), "{error}");
}

#[test]
fn a_second_process_is_refused() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        let error = FjallStore::open(Path::new(&folder), StoreOptions::default()).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Locked);
        println!("refused: {error}");
        return;
    }
    let (folder, clock) = (TempDir::new().unwrap(), clock());
    let store = open(folder.path(), &clock);
    let said = run_again("folder::a_second_process_is_refused", folder.path());
    let lock = folder.path().canonicalize().unwrap().join("LOCK");
    assert!(said.contains("refused: "), "{said}");
    assert!(said.contains(&format!("process {} has locked {}", std::process::id(), lock.display())), "{said}");
    put(&*store, "a", "1").unwrap();
}

/// A process that is refused changes nothing, although the file that it locks was removed meanwhile.
#[test]
fn a_second_process_is_refused_without_the_lock_file() {
    let (folder, clock) = (TempDir::new().unwrap(), clock());
    let (data, copy) = (folder.path().join("data"), folder.path().join("copy"));
    let store = open(&data, &clock);
    put(&*store, "a", "1").unwrap();
    fs::remove_file(data.join("LOCK")).unwrap();
    for _ in 0..2 {
        let error = FjallStore::open(&data, options(&clock)).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Locked, "{error}");
        put(&*store, "b", "2").unwrap();
    }
    copy_crashed(&data, &copy);
    let copied = FjallStore::open(&copy, options(&clock)).unwrap();
    assert_eq!((get(&*copied, "a"), get(&*copied, "b")), (Some("1".to_owned()), Some("2".to_owned())));
}

/// A store whose folder was replaced by another database neither reads that one nor writes to it.
#[cfg(unix)]
#[test]
fn a_folder_that_was_replaced_is_not_reopened() {
    let (folder, clock) = (TempDir::new().unwrap(), clock());
    let (data, moved) = (folder.path().join("data"), folder.path().join("moved"));
    let store = open(&data, &clock);
    put(&*store, "a", "1").unwrap();
    fs::rename(&data, &moved).unwrap();
    let other = open(&data, &clock);
    put(&*other, "secret", "x").unwrap();
    other.close().unwrap();
    let error = wait_until_refused(&*store, "was replaced while this process had it open");
    assert!(error.message().contains("the data folder"), "{error}");
    assert_eq!((get(&*store, "a"), get(&*store, "secret")), (Some("1".to_owned()), None));
    let error = store.close().unwrap_err();
    assert!(error.message().contains("was replaced while this process had it open"), "{error}");
    let other = FjallStore::open(&data, options(&clock)).unwrap();
    assert_eq!(rest(&mut *other.snapshot().unwrap().scan(SPACE, b"", b"", Order::Ascending, 9).unwrap()), ["secret"]);
    other.close().unwrap();
    let moved = FjallStore::open(&moved, options(&clock)).unwrap();
    assert_eq!(get(&*moved, "a"), Some("1".to_owned()));
}

/// A store that could not be reopened after a failure has not been closed cleanly.
#[cfg(unix)]
#[test]
fn closing_a_store_that_could_not_be_reopened_fails() {
    let (folder, clock) = (TempDir::new().unwrap(), clock());
    let (data, moved) = (folder.path().join("data"), folder.path().join("moved"));
    let store = open(folder.path(), &clock);
    put(&*store, "a", "1").unwrap();
    fs::rename(&data, &moved).unwrap();
    let error = wait_until_refused(&*store, "is missing");
    assert_eq!(store.close().unwrap_err().message(), error.message());
    fs::rename(&moved, &data).unwrap();
    let store = FjallStore::open(folder.path(), options(&clock)).unwrap();
    assert_eq!(get(&*store, "a"), Some("1".to_owned()));
    store.close().unwrap();
}

/// Writes until the store notices that its journal is not at its path any more, and refuses to reopen the folder.
#[cfg(unix)]
fn wait_until_refused(store: &dyn Store, why: &str) -> hjall_engine::Error {
    let began = std::time::Instant::now();
    loop {
        let key = bytes("a");
        let written = store.transact(std::slice::from_ref(&key), Durability::FsyncWal, &mut |t| {
            t.put(SPACE, key.clone(), bytes("1"));
            Ok(())
        });
        match written {
            // The first error names the journal.
            Err(error) if error.message().contains(why) && !error.message().contains(".jnl") => return error,
            _ => assert!(began.elapsed().as_secs() < 60, "the store accepts writes to a folder that was replaced"),
        }
    }
}

fn again(test: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([test, "--exact", "--nocapture", "--test-threads=1"]).env(FOLDER, folder);
    command
}

fn run_again(test: &str, folder: &Path) -> String {
    let output = again(test, folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The child writes and says so after each write; killed at any moment, all it has said is there, whole, and nothing
/// else but the next.
#[test]
fn what_was_acknowledged_survives_a_kill() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;

    if let Some(folder) = std::env::var_os(FOLDER) {
        let store = FjallStore::open(Path::new(&folder), StoreOptions::default()).unwrap();
        store.create_space(SPACE, &SpaceOptions::default()).unwrap();
        store.create_space(2, &SpaceOptions::default()).unwrap();
        let from = store.snapshot().unwrap().scan(2, b"", b"", Order::Descending, 1).unwrap().next().unwrap();
        let from: u64 = from.map_or(0, |(key, _)| crate::stores::text(key).parse::<u64>().unwrap() + 1);
        for n in from.. {
            let key = bytes(&format!("{n:010}"));
            let durability =
                [Durability::SkipWal, Durability::SyncWal, Durability::FsyncWal][usize::try_from(n % 3).unwrap()];
            store
                .transact(std::slice::from_ref(&key), durability, &mut |t| {
                    t.put(SPACE, key.clone(), bytes(&"v".repeat(100)));
                    t.put(2, key.clone(), bytes(&t.now_ms().to_string()));
                    t.assigned(t.now_ms(), true);
                    Ok(())
                })
                .unwrap();
            println!("\nsaid {n}");
            if n % 50 == 49 {
                store.flush(SPACE).unwrap();
            }
        }
    }
    let folder = TempDir::new().unwrap();
    let mut said = None;
    for round in 0..8_u64 {
        let mut child = again("folder::what_was_acknowledged_survives_a_kill", folder.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut numbers =
            lines.map_while(Result::ok).filter_map(|line| line.strip_prefix("said ")?.parse::<u64>().ok());
        for _ in 0..=round * 23 {
            said = numbers.next();
        }
        child.kill().unwrap();
        child.wait().unwrap();
        said = numbers.last().or(said);

        let store = FjallStore::open(folder.path(), StoreOptions::default()).unwrap();
        let keys = |space| rest(&mut *store.snapshot().unwrap().scan(space, b"", b"", Order::Ascending, 9).unwrap());
        let (one, two) = (keys(SPACE), keys(2));
        assert_eq!(one, two, "half a transaction");
        let said = usize::try_from(said.unwrap()).unwrap() + 1;
        assert!(one.len() == said || one.len() == said + 1, "{} said, {} there", said, one.len());
        let newest = store.snapshot().unwrap().get(2, two.last().unwrap().as_bytes()).unwrap().unwrap();
        let newest: i64 = crate::stores::text(newest).parse().unwrap();
        let now = in_row(&*store, "r", |t| t.now_ms()).unwrap();
        assert!(now > newest, "time went back over the crash: {now} after {newest}");
        store.close().unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_new_folder_is_private_and_an_existing_one_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let (parent, clock) = (TempDir::new().unwrap(), clock());
    let new = parent.path().join("a").join("b");
    open(&new, &clock).close().unwrap();
    assert_eq!(mode(&new), 0o700);
    let existing = parent.path().join("existing");
    fs::create_dir(&existing).unwrap();
    fs::set_permissions(&existing, PermissionsExt::from_mode(0o750)).unwrap();
    open(&existing, &clock).close().unwrap();
    assert_eq!(mode(&existing), 0o750);
}
