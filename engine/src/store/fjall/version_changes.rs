//! The changes of the super versions of spaces, which a thread follows.
//!
//! fjall changes the files of a space at the end of each flush and compaction, and holds a lock meanwhile that each of
//! its reads and commits takes. Event loops must not wait for that, so their commits are left to other threads while
//! such a change is expected. The thread of this module finds out when it has taken place and renews the
//! [super versions](super::super_version).
//!
//! Dropping the last reference to a replaced file deletes it, which fjall would do under the same lock. Deleting large
//! files may take a tenth of a second, so it has a thread of its own. fjall keeps the last list of files that it has
//! replaced until a memtable is sealed after another write. While there are no writes, the thread of this module seals
//! one: otherwise an idle database would take twice its space after a compaction.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use fjall::{AbstractTree, AnyTree, Keyspace};
use parking_lot::{Condvar, Mutex};

use super::completing::{CompletingCompactions, files_of};
use super::database::Database;
use super::failure::failed_io;
use super::filter_gate::RunningFilter;
use super::statistics::{disk_free_bytes, lacks_files};
use super::super_version::{Run, RunFiles};
use crate::error::Result;
use crate::store::folder::write_probe;

/// The time between two looks at the spaces while a change is expected.
const INTERVAL: Duration = Duration::from_millis(5);

/// The part of that time for each space, so that many spaces do not keep a processor busy.
const INTERVAL_OF_SPACE: Duration = Duration::from_micros(20);

/// The longest time between two looks while only files wait to be removed. A snapshot may keep them for minutes.
const INTERVAL_MAX: Duration = Duration::from_millis(320);

/// The time after the last expected change until another look. Some changes are not expected: after a flush, fjall may
/// move files to another level.
const LAST_LOOK: Duration = Duration::from_secs(1);

/// How long replaced files wait for a write before a memtable is sealed for them. The time doubles while a snapshot
/// keeps them.
const RELEASE: Duration = Duration::from_secs(1);
const RELEASE_MAX: Duration = Duration::from_secs(64);

/// The free disk space that this needs, in bytes. It is much more than the flush takes.
const RELEASE_FREE_BYTES: u64 = 16 << 20;

/// Which changes are expected.
#[derive(Default)]
pub(super) struct VersionChanges {
    /// Raised when a memtable is about to be sealed, when it has been, and when a compaction is about to end; 0 once
    /// nothing is expected.
    expected: AtomicU64,
    state: Mutex<State>,
    /// Wakes the thread.
    raised: Condvar,
    /// Held by the thread that looks at the spaces.
    looking: Mutex<()>,
}

#[derive(Default)]
struct State {
    has_ended: bool,
    completing: CompletingCompactions,
}

impl VersionChanges {
    /// Notes that a memtable may be sealed, or has been.
    pub fn expect(&self) {
        if self.expected.fetch_add(1, Ordering::AcqRel) == 0 {
            // Otherwise the thread looks at the spaces at an interval already.
            self.wake();
        }
    }

    /// Notes that a compaction is about to replace files of a space. `step`: whether a requested compaction has ended.
    pub fn expect_completion(&self, tree: AnyTree, step: Option<Arc<AtomicBool>>, running: Option<RunningFilter>) {
        let number = {
            let mut state = self.state.lock();
            // The tree refers to this through its compaction filters, so nothing may keep it after the end.
            if state.has_ended {
                return;
            }
            state.completing.note(&tree, step, running)
        };
        // Afterwards: what another compaction has replaced until then is not in the list.
        let files = files_of(&tree);
        self.state.lock().completing.had_files(number, files);
        self.expect();
    }

    /// Whether a change is expected.
    pub fn are_expected(&self) -> bool {
        self.expected.load(Ordering::Acquire) > 0
    }

    fn wake(&self) {
        // The thread may be about to wait, and would miss it without the lock.
        drop(self.state.lock());
        self.raised.notify_one();
    }

    /// Waits as long as `pause` says. Returns whether the thread has to end.
    fn wait(&self, pause: Pause) -> bool {
        let mut state = self.state.lock();
        let (longest, ends_early) = match pause {
            Pause::UntilExpected(longest) => (longest, true),
            Pause::Fixed(duration) => (Some(duration), false),
        };
        let until = longest.map(|longest| Instant::now() + longest);
        while !(state.has_ended || ends_early && self.are_expected()) {
            match until {
                None => self.raised.wait(&mut state),
                Some(until) if self.raised.wait_until(&mut state, until).timed_out() => break,
                Some(_) => {}
            }
        }
        state.has_ended
    }
}

/// How long the thread waits until it looks at the spaces again.
#[derive(Clone, Copy)]
enum Pause {
    /// Until a change is expected, and at most for this time.
    UntilExpected(Option<Duration>),
    Fixed(Duration),
}

/// Ends the thread when it is dropped.
pub(super) struct VersionThread(Arc<VersionChanges>);

impl VersionThread {
    /// Starts the thread of an open database.
    pub fn start(database: &Arc<Database>) -> Result<Self> {
        let changes = Arc::clone(&database.changes);
        let (of_thread, database) = (Arc::clone(&changes), Arc::downgrade(database));
        let thread = std::thread::Builder::new().name("hjall-versions".into());
        let spawned = thread.spawn(move || follow(&database, &of_thread));
        spawned.map(|_| Self(changes)).map_err(|error| failed_io("starting the thread hjall-versions", error))
    }
}

impl Drop for VersionThread {
    fn drop(&mut self) {
        *self.0.state.lock() = State { has_ended: true, ..State::default() };
        self.0.wake();
    }
}

/// Files that have been replaced and are still in use.
struct Waiting {
    since: Instant,
    patience: Duration,
}

impl Waiting {
    fn new() -> Self {
        Self { since: Instant::now(), patience: RELEASE }
    }

    /// Whether fjall should be made to release them now.
    fn is_over(&mut self) -> bool {
        let is_over = self.since.elapsed() >= self.patience;
        if is_over {
            *self = Self { since: Instant::now(), patience: (2 * self.patience).min(RELEASE_MAX) };
        }
        is_over
    }
}

fn follow(database: &Weak<Database>, changes: &VersionChanges) {
    let mut pause = Pause::UntilExpected(None);
    let mut waiting: Option<Waiting> = None;
    while !changes.wait(pause) {
        // A handle must not be held while the thread waits, because closing and reopening wait for it.
        let Some(database) = database.upgrade() else { return };
        // Without this thread, event loops would leave all commits to other threads from the next flush on.
        let looked = catch_unwind(AssertUnwindSafe(|| look(&database, &mut waiting)));
        let Ok((has_settled, has_removed_all)) = looked else {
            pause = Pause::Fixed(INTERVAL_MAX);
            continue;
        };
        let spaces = u32::try_from(database.spaces.read().len()).unwrap_or(u32::MAX);
        pause = match (has_settled, has_removed_all, pause) {
            (false, ..) => Pause::Fixed(INTERVAL.max(INTERVAL_OF_SPACE * spaces)),
            (true, false, Pause::UntilExpected(Some(last))) => Pause::UntilExpected(Some((2 * last).min(INTERVAL_MAX))),
            (true, false, _) => Pause::UntilExpected(Some(INTERVAL)),
            (true, true, Pause::Fixed(_)) => Pause::UntilExpected(Some(LAST_LOOK)),
            (true, true, Pause::UntilExpected(_)) => Pause::UntilExpected(None),
        };
    }
}

/// Renews super versions, and has replaced files removed. Returns whether no change is expected now, and whether no
/// replaced files are left.
fn look(database: &Arc<Database>, waiting: &mut Option<Waiting>) -> (bool, bool) {
    let has_settled = database.follow_changes();
    let (unused, has_removed_all) = database.replaced_files.take_unused();
    if !unused.is_empty() {
        remove(Arc::clone(database), unused);
    }
    if has_removed_all {
        *waiting = None;
    } else if has_settled
        && waiting.get_or_insert_with(Waiting::new).is_over()
        && can_flush(database)
        && let Err(error) = database.release_replaced_files()
    {
        tracing::debug!(%error, "replaced files were not released");
    }
    (has_settled, has_removed_all)
}

/// Whether a flush is likely to succeed. One that fails would make the database refuse writes.
fn can_flush(database: &Database) -> bool {
    disk_free_bytes(&database.path).is_none_or(|free| free >= RELEASE_FREE_BYTES)
        && !lacks_files(&database.path)
        // The user's quota may be smaller.
        && write_probe(database.folder()).is_ok()
}

/// Removes files on a thread of its own. The handle is held meanwhile, so that they are removed before the database is
/// closed.
fn remove(database: Arc<Database>, unused: Vec<Replaced>) {
    let thread = std::thread::Builder::new().name("hjall-remove".into());
    let spawned = thread.spawn(move || {
        drop(unused);
        drop(database);
    });
    if let Err(error) = spawned {
        // They have been removed with the closure.
        tracing::debug!(%error, "no thread for removing files");
    }
}

impl Database {
    /// Renews the super versions of the spaces whose memtables or files have been replaced. Returns whether no change
    /// is expected now. The caller must not hold the lock of commits.
    pub(super) fn follow_changes(&self) -> bool {
        let _looking = self.changes.looking.lock();
        let seen = self.changes.expected.load(Ordering::Acquire);
        let completing = self.changes.state.lock().completing.of_trees();
        // After these have been noted: their workers have no filters any more.
        let no_worker_completes = self.dead_versions.observe(&self.inner);
        // Not under the lock of the state, because a list of files may be being replaced.
        let listed = completing.into_iter().map(|(number, tree)| (number, files_of(&tree))).collect();
        let (are_complete, complete) = {
            let mut state = self.changes.state.lock();
            let complete = state.completing.take_complete(no_worker_completes, &listed);
            (state.completing.is_empty(), complete)
        };
        drop(complete);
        // Afterwards, so that what has been completed is found.
        let spaces = self.spaces();
        let outdated: Vec<_> = spaces.iter().filter(|space| space.is_outdated()).collect();
        // Before commits are locked, because this may wait for the end of a flush or a compaction.
        let current: Vec<_> = outdated.iter().filter_map(|space| Some((space, space.current()?))).collect();
        if !current.is_empty() {
            let _committing = self.committing.lock();
            let seqno = self.inner.supervisor.snapshot_tracker.get();
            current.into_iter().for_each(|(space, current)| space.renew(current, seqno, &self.replaced_files));
            self.renew_view();
        }
        // After a flush, fjall may move the new file to another level at once.
        are_complete
            && outdated.is_empty()
            && spaces.iter().all(|space| space.is_settled())
            && self.changes.expected.compare_exchange(seen, 0, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Forgets a keyspace that is being dropped, and that is not in the list of spaces any more, and closes its files.
    pub(super) fn forget_changes(&self, keyspace: &Keyspace) {
        // Nothing adds files after the look that may be in progress.
        let _looking = self.changes.looking.lock();
        let tree = &keyspace.tree;
        self.changes.state.lock().completing.forget(tree);
        self.replaced_files.forget(tree);
        // fjall deletes the files, but would keep them open, so that the disk keeps their space.
        if let Some(open) = &tree.tree_config().descriptor_table {
            tree.current_version().iter_tables().for_each(|file| open.remove_for_table(&(tree.id(), file.id()).into()));
        }
    }
}

/// Files that are not in the super version of their space any more. They are kept until fjall does not refer to them
/// either. A database drops them before it is closed: their numbers may be used again afterwards.
#[derive(Default)]
pub(super) struct ReplacedFiles(Mutex<Lists>);

#[derive(Default)]
struct Lists {
    /// The number of the next entry of `replaced`.
    next: u64,
    replaced: Vec<Replaced>,
    /// The runs to which fjall does not refer any more, with the tree that they are of. They exist while reads use
    /// them.
    unused: Vec<(u64, Weak<Run>)>,
}

struct Replaced {
    number: u64,
    tree: AnyTree,
    /// The number of the memtable that was active then.
    active: u64,
    runs: Vec<RunFiles>,
}

impl ReplacedFiles {
    /// Adds files, with the number of the memtable that was active together with them.
    pub fn add(&self, tree: &AnyTree, active: u64, runs: Vec<RunFiles>) {
        if !runs.is_empty() {
            let Lists { next, replaced, .. } = &mut *self.0.lock();
            replaced.push(Replaced { number: *next, tree: tree.clone(), active, runs });
            *next += 1;
        }
    }

    /// Drops the files of a space that is being dropped, whose lists fjall does not shorten any more.
    pub fn forget(&self, tree: &AnyTree) {
        drop(self.take(|replaced| replaced.tree.id() == tree.id()));
    }

    /// Removes the files to which fjall does not refer any more, unless a read uses them.
    pub fn remove_unused(&self) {
        drop(self.take_unused());
    }

    /// Takes the files to which fjall does not refer any more out of the list.
    fn take_unused(&self) -> (Vec<Replaced>, bool) {
        let listed = |replaced: &Replaced| (replaced.number, replaced.tree.clone(), replaced.active);
        let listed: Vec<_> = self.0.lock().replaced.iter().map(listed).collect();
        // Not under the lock, because this may wait for the end of a flush or a compaction, and commits add files.
        let unused = listed.into_iter().filter(|(_, tree, active)| is_unused(tree, *active));
        let unused: BTreeSet<u64> = unused.map(|(number, ..)| number).collect();
        self.take(|replaced| unused.contains(&replaced.number))
    }

    /// Takes files, whose removal takes long, out of the list. Returns whether none is left.
    fn take(&self, is_taken: impl Fn(&Replaced) -> bool) -> (Vec<Replaced>, bool) {
        let Lists { replaced, unused, .. } = &mut *self.0.lock();
        let taken: Vec<_> = replaced.extract_if(.., |replaced| is_taken(replaced)).collect();
        unused.retain(|(_, run)| run.strong_count() > 0);
        unused.extend(taken.iter().flat_map(|Replaced { tree, runs, .. }| {
            let of_tree = tree.id();
            runs.iter().map(move |run| (of_tree, Arc::downgrade(run)))
        }));
        (taken, replaced.is_empty())
    }

    /// The runs of a space that are not in its super version any more, but may still be read.
    pub fn in_use(&self, tree: &AnyTree) -> Vec<RunFiles> {
        let Lists { replaced, unused, .. } = &*self.0.lock();
        let replaced = replaced.iter().filter(|replaced| replaced.tree.id() == tree.id());
        let unused = unused.iter().filter(|(of_tree, _)| *of_tree == tree.id());
        replaced
            .flat_map(|replaced| replaced.runs.iter().cloned())
            .chain(unused.filter_map(|(_, run)| run.upgrade()))
            .collect()
    }
}

/// Whether fjall does not refer any more to files that were replaced when the memtable with the number `active` was
/// active. Waits while it replaces a list of files.
fn is_unused(tree: &AnyTree, active: u64) -> bool {
    // fjall drops its oldest lists first. With the number 0, it returns the oldest one.
    tree.version_free_list_len() == 0
        || tree.get_version_history_lock().get_version_for_snapshot(0).active_memtable.id() > active
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;
    use std::ops::Deref;
    use std::sync::atomic::AtomicBool;
    use std::sync::mpsc;

    use bytes::Bytes;
    use lsm_tree::Table;
    use tempfile::TempDir;

    use super::*;
    use crate::store::Order;
    use crate::store::active_transaction::{KEY_BYTES_MAX, Write};
    use crate::store::file_names::FILES_FOLDER;
    use crate::store::fjall::cursor::Seen;
    use crate::store::fjall::database::{Committed, Patience, WORKERS};
    use crate::store::fjall::test_database::{SPACE, open};

    /// The timeout of reads that would block forever if they took fjall's lock. Only a failing test waits this long.
    const LONG: Duration = Duration::from_secs(60);

    fn commit(database: &Database, key: &str, value: &str, patience: Patience) -> Committed {
        let bytes = |text: &str| Bytes::copy_from_slice(text.as_bytes());
        let mut writes = vec![Write { space: SPACE, key: bytes(key), value: Some(bytes(value)) }];
        database.commit(&mut writes, 1, patience).unwrap()
    }

    fn put(database: &Database, key: &str, value: &str) {
        assert!(matches!(commit(database, key, value, Patience::Unlimited), Committed::Whole(None)));
    }

    /// Whether an event loop could commit now.
    fn commits_at_once(database: &Database) -> bool {
        matches!(commit(database, "z", "", Patience::Short), Committed::Whole(None))
    }

    /// Waits until an event loop can commit. A sync or another commit in progress may keep it from that, too.
    fn wait_until_loops_commit(database: &Database) {
        while !commits_at_once(database) {
            std::thread::yield_now();
        }
    }

    fn wait_until_settled(database: &Database) {
        while database.changes.are_expected() {
            std::thread::yield_now();
        }
    }

    /// All pairs of the rows `a` to `y`, as `key=value`: read as a range, and as rows.
    fn pairs(seen: &Arc<Seen>) -> Vec<String> {
        let mut found = Vec::new();
        let mut all = seen.scan(SPACE, b"a", b"z", Order::Ascending).unwrap();
        all.next_many(usize::MAX, usize::MAX, &mut found).unwrap();
        let mut in_rows = Vec::new();
        let snapshot = Seen::clone(seen).into_snapshot();
        for row in b'a'..=b'y' {
            let read = snapshot.read(SPACE, (&[row], &[row, 0xff]), (usize::MAX, usize::MAX), &mut in_rows).unwrap();
            assert!(read.is_none());
        }
        assert_eq!(found, in_rows);
        let text = |bytes: &Bytes| String::from_utf8(bytes.to_vec()).unwrap();
        found.iter().map(|(key, value)| format!("{}={}", text(key), text(value))).collect()
    }

    #[test]
    fn reads_do_not_wait_while_a_list_of_files_is_replaced() {
        let folder = TempDir::new().unwrap();
        let (_holder, database, keyspace) = open(&folder);
        put(&database, "a1", "old");
        put(&database, "b1", "in a file");
        database.flush(&keyspace).unwrap();
        put(&database, "a1", "in the memtable");
        wait_until_settled(&database);
        let (sender, found) = mpsc::channel();
        std::thread::scope(|scope| {
            let _replaced = keyspace.tree.get_version_history_lock();
            scope.spawn(|| sender.send(pairs(&Arc::new(Seen::now(&database)))));
            assert_eq!(found.recv_timeout(LONG).unwrap(), ["a1=in the memtable", "b1=in a file"]);
        });
    }

    #[test]
    fn reads_of_a_key_do_not_wait_while_a_list_of_files_is_replaced() {
        let folder = TempDir::new().unwrap();
        let (_holder, database, keyspace) = open(&folder);
        put(&database, "a1", "in a file");
        database.flush(&keyspace).unwrap();
        put(&database, "a2", "in the memtable");
        wait_until_settled(&database);
        let (sender, found) = mpsc::channel();
        std::thread::scope(|scope| {
            let _replaced = keyspace.tree.get_version_history_lock();
            scope.spawn(|| {
                let snapshot = Seen::now(&database).into_snapshot();
                let keys = [&b"a1"[..], b"a2", b"a3", b"", &[0], &[b'a'; KEY_BYTES_MAX + 1]];
                let _ = sender.send(keys.map(|key| snapshot.get(SPACE, key).unwrap()));
            });
            let expected = [Some("in a file"), Some("in the memtable"), None, None, None, None];
            let expected = expected.map(|value| value.map(|value| Bytes::from_static(value.as_bytes())));
            assert_eq!(found.recv_timeout(LONG).unwrap(), expected);
        });
    }

    /// A commit adds files to the list when it renews a super version.
    #[test]
    fn files_are_added_while_a_list_of_files_is_replaced() {
        let folder = TempDir::new().unwrap();
        let (_holder, database, keyspace) = open(&folder);
        put(&database, "a1", "1");
        let active = keyspace.tree.active_memtable().id();
        database.flush(&keyspace).unwrap();
        let add = || database.replaced_files.add(&keyspace.tree, active, vec![Arc::new(Vec::<Table>::new())]);
        add();
        let (sender, added) = mpsc::channel();
        std::thread::scope(|scope| {
            let replaced = keyspace.tree.get_version_history_lock();
            scope.spawn(|| database.replaced_files.remove_unused());
            scope.spawn(|| {
                // Until the other thread waits for the list.
                for _ in 0..1000 {
                    add();
                    std::thread::yield_now();
                }
                sender.send(())
            });
            let finished = added.recv_timeout(LONG);
            drop(replaced);
            finished.unwrap();
        });
    }

    #[test]
    fn memtables_that_are_being_flushed_are_read() {
        let folder = TempDir::new().unwrap();
        let (_holder, database, keyspace) = open(&folder);
        let memtables = || {
            let space = database.space(SPACE).unwrap();
            space.super_version(u64::MAX).map(|version| version.memtables().count())
        };
        put(&database, "a1", "0");
        put(&database, "b1", "0");
        database.flush(&keyspace).unwrap();
        let flushing = keyspace.tree.get_flush_lock();
        for (n, key) in [(1, "a1"), (2, "a2")] {
            put(&database, key, &n.to_string());
            database.pressure.seal_as_it_is(&keyspace).unwrap();
        }
        let before = Arc::new(Seen::now(&database));
        put(&database, "a1", "3");
        assert_eq!(memtables(), Some(3));
        assert_eq!(pairs(&before), ["a1=1", "a2=2", "b1=0"]);
        assert_eq!(pairs(&Arc::new(Seen::now(&database))), ["a1=3", "a2=2", "b1=0"]);
        drop(flushing);
        wait_until_settled(&database);
        assert_eq!(memtables(), Some(1));
        assert_eq!(pairs(&before), ["a1=1", "a2=2", "b1=0"]);
        assert_eq!(pairs(&Arc::new(Seen::now(&database))), ["a1=3", "a2=2", "b1=0"]);
    }

    /// Flushes begin and end at any time between the steps, as do compactions.
    #[test]
    fn snapshots_agree_with_a_model_while_flushes_are_in_progress() {
        let folder = TempDir::new().unwrap();
        let (_holder, database, keyspace) = open(&folder);
        let mut flushing = None;
        let mut model = BTreeMap::new();
        let mut kept: Vec<(Arc<Seen>, Vec<String>)> = Vec::new();
        let mut number = 1_u64;
        for step in 0..2_000_u64 {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let (choice, key) =
                ((number >> 33) % 24, format!("{}{}", char::from(b'a' + (number >> 40) as u8 % 5), step % 7));
            match choice {
                0 => flushing = flushing.or_else(|| Some(keyspace.tree.get_flush_lock())),
                1 => flushing = None,
                2..4 if keyspace.tree.sealed_memtable_count() < 2 => {
                    database.pressure.seal_as_it_is(&keyspace).unwrap();
                }
                4 if flushing.is_none() => {
                    database.compact(SPACE, step % 2 == 0, &Arc::default()).unwrap();
                }
                5 => kept.clear(),
                _ => {
                    put(&database, &key, &step.to_string());
                    model.insert(key, step);
                }
            }
            let expected = model.iter().map(|(key, step)| format!("{key}={step}")).collect();
            kept.push((Arc::new(Seen::now(&database)), expected));
            for n in [0, number as usize % kept.len(), kept.len() - 1] {
                let (seen, expected) = &kept[n];
                assert_eq!(pairs(seen), *expected, "step {step}, snapshot {n} of {}", kept.len());
            }
        }
    }

    /// A memtable can be sealed just before or after a commit, or while it is in progress.
    #[test]
    fn reads_see_every_write_that_has_returned() {
        let folder = TempDir::new().unwrap();
        let (_holder, database, keyspace) = open(&folder);
        let (written, has_ended) = (AtomicU64::new(0), AtomicBool::new(false));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for n in 1..=3_000_u64 {
                    put(&database, "a1", &n.to_string());
                    written.store(n, Ordering::Release);
                }
                has_ended.store(true, Ordering::Release);
            });
            scope.spawn(|| {
                while !has_ended.load(Ordering::Acquire) {
                    if keyspace.tree.sealed_memtable_count() < 2 {
                        database.pressure.seal_as_it_is(&keyspace).unwrap();
                    }
                }
            });
            let mut last = 0;
            while !has_ended.load(Ordering::Acquire) {
                let least = written.load(Ordering::Acquire).max(last);
                let found = pairs(&Arc::new(Seen::now(&database)));
                last = found.first().map_or(0, |pair| pair["a1=".len()..].parse().unwrap());
                assert!(last >= least, "{found:?} instead of {least}");
            }
        });
    }

    /// A memtable can be sealed twice between two commits, if a fence is added.
    #[test]
    fn a_memtable_that_was_not_seen_is_read_through_fjall() {
        let folder = TempDir::new().unwrap();
        let (_holder, database, keyspace) = open(&folder);
        let flushing = keyspace.tree.get_flush_lock();
        put(&database, "a1", "1");
        {
            // The thread renews nothing meanwhile.
            let _looking = database.changes.looking.lock();
            database.pressure.seal_as_it_is(&keyspace).unwrap();
            database.fences.insert(&keyspace);
            database.pressure.seal_as_it_is(&keyspace).unwrap();
            put(&database, "a2", "2");
        }
        assert!(database.space(SPACE).unwrap().super_version(u64::MAX).is_none());
        assert_eq!(pairs(&Arc::new(Seen::now(&database))), ["a1=1", "a2=2"]);
        drop(flushing);
        wait_until_settled(&database);
        assert!(database.space(SPACE).unwrap().super_version(u64::MAX).is_some());
        assert_eq!(pairs(&Arc::new(Seen::now(&database))), ["a1=1", "a2=2"]);
    }

    #[test]
    fn event_loops_do_not_commit_while_a_change_is_expected() {
        let folder = TempDir::new().unwrap();
        let (_holder, database, keyspace) = open(&folder);
        wait_until_loops_commit(&database);
        let flushing = keyspace.tree.get_flush_lock();
        database.pressure.seal_as_it_is(&keyspace).unwrap();
        assert!(!commits_at_once(&database), "a memtable is being flushed");
        drop(flushing);
        wait_until_loops_commit(&database);
        put(&database, "a1", "1");
        database.flush(&keyspace).unwrap();
        wait_until_loops_commit(&database);
        let has_ended = Arc::<AtomicBool>::default();
        database.changes.expect_completion(keyspace.tree.clone(), Some(Arc::clone(&has_ended)), None);
        database.follow_changes();
        assert!(!commits_at_once(&database), "a compaction is about to end");
        has_ended.store(true, Ordering::Release);
        wait_until_loops_commit(&database);
    }

    /// The removal of files does not tell which of several compactions has replaced them.
    #[test]
    fn a_compaction_has_not_ended_when_another_one_of_the_space_has() {
        let folder = TempDir::new().unwrap();
        let (_holder, database, keyspace) = open(&folder);
        for n in 0..2 {
            put(&database, "a1", &n.to_string());
            database.flush(&keyspace).unwrap();
        }
        wait_until_settled(&database);
        // They stand for workers that have not completed their compactions: more than fjall's own can make up for.
        let completing: Vec<_> = (0..2 * WORKERS).map(|_| database.dead_versions.begin_filter()).collect();
        let running = database.filters.gates.begin(SPACE);
        database.changes.expect_completion(keyspace.tree.clone(), None, running);
        keyspace.major_compact().unwrap();
        database.follow_changes();
        let paused = database.filters.gates.pause(&[SPACE]);
        assert!(!paused.have_ended());
        drop(completing);
        while !paused.have_ended() {
            database.follow_changes();
            std::thread::yield_now();
        }
    }

    /// An ingestion adds pairs with a new list of files only.
    #[test]
    fn a_super_version_is_not_replaced_by_an_earlier_one() {
        let folder = TempDir::new().unwrap();
        let (_holder, database, keyspace) = open(&folder);
        let space = database.space(SPACE).unwrap();
        for n in 0..2 {
            put(&database, "a1", &n.to_string());
            database.flush(&keyspace).unwrap();
        }
        let number = || space.super_version(u64::MAX).map(|version| version.version);
        let (earlier, before) = (space.current().unwrap(), number());
        keyspace.major_compact().unwrap();
        database.follow_changes();
        let after = number();
        assert!(after > before);
        let _committing = database.committing.lock();
        space.renew(earlier, database.inner.supervisor.snapshot_tracker.get(), &database.replaced_files);
        assert_eq!(number(), after);
    }

    /// The files of a run. Their removal sends a message, and takes until the sender of `ends` is dropped.
    struct SlowRemoval {
        begins: mpsc::Sender<()>,
        ends: Mutex<mpsc::Receiver<()>>,
    }

    impl Deref for SlowRemoval {
        type Target = [Table];

        fn deref(&self) -> &[Table] {
            &[]
        }
    }

    impl Drop for SlowRemoval {
        fn drop(&mut self) {
            let _ = self.begins.send(());
            let _ = self.ends.lock().recv();
        }
    }

    #[test]
    fn changes_are_followed_while_files_are_removed() {
        let folder = TempDir::new().unwrap();
        let (_holder, database, keyspace) = open(&folder);
        let ((begins, begun), (end, ends)) = (mpsc::channel(), mpsc::channel());
        put(&database, "a1", "1");
        let active = keyspace.tree.active_memtable().id();
        let run: RunFiles = Arc::new(SlowRemoval { begins, ends: Mutex::new(ends) });
        database.replaced_files.add(&keyspace.tree, active, vec![run]);
        // fjall forgets the list of files with that memtable when the second of these is sealed.
        for n in 2..4 {
            database.flush(&keyspace).unwrap();
            put(&database, "a1", &n.to_string());
        }
        begun.recv_timeout(LONG).unwrap();
        database.pressure.seal_as_it_is(&keyspace).unwrap();
        wait_until_loops_commit(&database);
        assert!(Arc::strong_count(&database) > 2, "the database cannot be closed before they are removed");
        drop(end);
        while Arc::strong_count(&database) > 2 {
            std::thread::yield_now();
        }
    }

    /// A compaction by one of fjall's workers is not followed by a flush.
    #[test]
    fn replaced_files_are_removed_without_further_writes() {
        let folder = TempDir::new().unwrap();
        let (_holder, database, keyspace) = open(&folder);
        for n in 0..3 {
            put(&database, "a1", &n.to_string());
            database.flush(&keyspace).unwrap();
        }
        keyspace.major_compact().unwrap();
        let files = || fs::read_dir(keyspace.path().join(FILES_FOLDER)).unwrap().count();
        while files() > keyspace.tree.table_count() {
            std::thread::yield_now();
        }
        assert_eq!(files(), 1);
        assert_eq!(pairs(&Arc::new(Seen::now(&database))), ["a1=2"]);
    }

    #[test]
    fn replaced_files_are_removed() {
        let folder = TempDir::new().unwrap();
        let (_holder, database, keyspace) = open(&folder);
        let files = || fs::read_dir(keyspace.path().join(FILES_FOLDER)).unwrap().count();
        for n in 0..3 {
            put(&database, "a1", &n.to_string());
            database.flush(&keyspace).unwrap();
        }
        let seen = Arc::new(Seen::now(&database));
        let mut cursor = seen.scan(SPACE, b"a", b"b", Order::Ascending).unwrap();
        database.compact(SPACE, true, &Arc::default()).unwrap();
        assert_eq!(cursor.next().unwrap().map(|(_, value)| value), Some(Bytes::from_static(b"2")));
        drop((cursor, seen));
        database.release_replaced_files().unwrap();
        // Another thread may be removing them.
        while files() > keyspace.tree.table_count() {
            std::thread::yield_now();
        }
        assert_eq!(pairs(&Arc::new(Seen::now(&database))), ["a1=2"]);
    }
}
