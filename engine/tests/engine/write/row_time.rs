//! The time of a row: acknowledged writes of a row take effect in order, whatever the clock does.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use hjall_engine::clock::{Clock, ManualClock};
use hjall_engine::mutation::{Append, Check, CompareOp, Delete, MarkerKind, Mutation};
use hjall_engine::request::Get;
use hjall_engine::store::MemoryStore;
use hjall_engine::store::fault::{Call, FaultStore};
use hjall_engine::{Engine, ErrorKind, Options, Table};
use proptest::prelude::*;

use crate::eventually::eventually;
use crate::fixture::{NOW, SERVER, delete, descriptor, increment, name, put, read};

/// A clock that a test sets, and that advances while it is waited for.
#[derive(Default)]
struct TestClock {
    now_ms: AtomicI64,
    steady_ms: AtomicU64,
}

impl TestClock {
    fn advance(&self, ms: u32) {
        self.now_ms.fetch_add(i64::from(ms), Ordering::SeqCst);
        self.steady_ms.fetch_add(u64::from(ms), Ordering::SeqCst);
    }
}

impl Clock for TestClock {
    fn now_ms(&self) -> i64 {
        self.now_ms.load(Ordering::SeqCst)
    }

    fn steady(&self) -> Option<Duration> {
        Some(Duration::from_millis(self.steady_ms.load(Ordering::SeqCst)))
    }

    fn wait(&self, _limit: Duration) {
        self.advance(1);
    }
}

/// A database with the table `t`. If it has a folder, it can be reopened.
struct World {
    clock: Arc<TestClock>,
    folder: Option<tempfile::TempDir>,
    engine: Engine,
    table: Table,
}

impl World {
    fn new(folder: bool) -> Self {
        let clock = Arc::new(TestClock { now_ms: AtomicI64::new(NOW), ..TestClock::default() });
        let folder = folder.then(|| tempfile::tempdir().unwrap());
        let engine = Self::open(folder.as_ref(), &clock);
        engine.create_table(descriptor("t", &["f VERSIONS=3", "g"]), vec![]).unwrap();
        let table = engine.table(&name("t"));
        Self { clock, folder, engine, table }
    }

    fn open(folder: Option<&tempfile::TempDir>, clock: &Arc<TestClock>) -> Engine {
        let options = Options { clock: Some(clock.clone()), ..Options::default() };
        match folder {
            Some(folder) => Engine::open(folder.path(), options).unwrap(),
            None => Engine::memory(options).unwrap(),
        }
    }

    fn reopen(&mut self) {
        if self.folder.is_some() {
            self.engine.close().unwrap();
            self.engine = Self::open(self.folder.as_ref(), &self.clock);
            self.table = self.engine.table(&name("t"));
        }
    }

    fn row(&self) -> BTreeMap<String, Vec<u8>> {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let cells = self.table.get(&Get::new("r")).unwrap().cells;
        cells.iter().map(|c| (format!("{}:{}", text(&c.family), text(&c.qualifier)), c.value.to_vec())).collect()
    }

    /// The lead of the newest cell of the row over the database's clock.
    fn lead_ms(&self) -> i64 {
        let newest = self.table.get(&Get::new("r")).unwrap().cells.iter().map(|c| c.timestamp).max();
        newest.map_or(0, |newest| newest - self.engine.now_ms())
    }
}

fn column(number: usize) -> &'static str {
    ["f:a", "f:b", "g:a"][number]
}

fn key(text: &str) -> (Bytes, Bytes) {
    let (family, qualifier) = text.split_once(':').unwrap();
    (Bytes::from(family.to_owned()), Bytes::from(qualifier.to_owned()))
}

#[derive(Debug, Clone)]
enum Op {
    Put(usize, u8),
    PutAll(u8),
    Increment(usize),
    IncrementAll,
    Append(usize, u8),
    DeleteColumn(usize),
    DeleteFamily(bool),
    DeleteRow,
    CheckAndPut { checked: usize, matches: bool, column: usize, value: u8 },
    CheckAndDelete { checked: usize, deleted: usize },
    Advance(u32),
    Set(i64),
    Reopen,
}

type Naive = BTreeMap<String, Vec<u8>>;

/// Values are eight bytes long, so that each can be incremented, until something is appended.
fn value(number: u8) -> Vec<u8> {
    vec![number; 8]
}

fn put_bytes(column: &str, bytes: &[u8]) -> hjall_engine::mutation::Put {
    let mut put = put("r", &[(column, SERVER, "")]);
    put.cells[0].value = Bytes::copy_from_slice(bytes);
    put
}

/// Applies an operation to both.
fn apply(world: &mut World, naive: &mut Naive, op: &Op) {
    match op {
        Op::Put(c, v) => {
            world.table.put(&put_bytes(column(*c), &value(*v))).unwrap();
            naive.insert(column(*c).to_owned(), value(*v));
        }
        Op::PutAll(v) => {
            let mut all = put_bytes(column(0), &value(*v));
            for c in 1..3 {
                all.cells.extend(put_bytes(column(c), &value(*v)).cells);
            }
            world.table.put(&all).unwrap();
            (0..3).for_each(|c| drop(naive.insert(column(c).to_owned(), value(*v))));
        }
        Op::Increment(c) => count(world, naive, &[*c]),
        Op::IncrementAll => count(world, naive, &[0, 1, 2]),
        Op::Append(c, v) => {
            let (family, qualifier) = key(column(*c));
            let columns = vec![(family, qualifier, Bytes::from(vec![*v]))];
            let got = world.table.append(&Append { row: "r".into(), columns, ..Append::default() }).unwrap();
            let stored = naive.entry(column(*c).to_owned()).or_default();
            stored.push(*v);
            assert_eq!(got.cells[0].value, *stored);
        }
        Op::DeleteColumn(c) => {
            world.table.delete(&delete("r", &[(MarkerKind::Column, column(*c), SERVER)])).unwrap();
            naive.remove(column(*c));
        }
        Op::DeleteFamily(f) => {
            let family = if *f { "f:" } else { "g:" };
            world.table.delete(&delete("r", &[(MarkerKind::Family, family, SERVER)])).unwrap();
            naive.retain(|column, _| !column.starts_with(family));
        }
        Op::DeleteRow => {
            world.table.delete(&Delete::row("r")).unwrap();
            naive.clear();
        }
        Op::CheckAndPut { checked, matches, column: c, value: v } => {
            let new = Mutation::Put(put_bytes(column(*c), &value(*v)));
            if check(world, naive, *checked, *matches, new) {
                naive.insert(column(*c).to_owned(), value(*v));
            }
        }
        Op::CheckAndDelete { checked, deleted } => {
            let hide = Mutation::Delete(delete("r", &[(MarkerKind::Column, column(*deleted), SERVER)]));
            if check(world, naive, *checked, true, hide) {
                naive.remove(column(*deleted));
            }
        }
        Op::Advance(ms) => world.clock.advance(*ms),
        Op::Set(ms) => world.clock.now_ms.store(NOW + ms, Ordering::SeqCst),
        Op::Reopen => world.reopen(),
    }
}

fn count(world: &World, naive: &mut Naive, columns: &[usize]) {
    let mut all = increment("r", column(columns[0]), 1);
    all.columns = columns.iter().map(|c| key(column(*c))).map(|(f, q)| (f, q, 1)).collect();
    let numbers = columns.iter().map(|c| naive.get(column(*c)).map_or(Ok([0; 8]), |v| v.clone().try_into()));
    let numbers: Result<Vec<[u8; 8]>, _> = numbers.collect();
    let got = world.table.increment(&all);
    let Ok(numbers) = numbers else {
        assert!(got.is_err());
        return;
    };
    for ((c, old), cell) in columns.iter().zip(numbers).zip(got.unwrap().cells) {
        let new = i64::from_be_bytes(old).wrapping_add(1).to_be_bytes().to_vec();
        assert_eq!(cell.value, new);
        naive.insert(column(*c).to_owned(), new);
    }
}

fn check(world: &World, naive: &Naive, checked: usize, matches: bool, mutation: Mutation) -> bool {
    let (family, qualifier) = key(column(checked));
    let stored = naive.get(column(checked));
    let value = if matches { stored.cloned() } else { Some(b"another".to_vec()) }.map(Bytes::from);
    let check = Check { row: "r".into(), family, qualifier, op: CompareOp::Equal, value };
    let done = world.table.check_and_mutate(&check, &[mutation]).unwrap();
    assert_eq!(done, matches, "{checked} was {stored:?}");
    done
}

fn op() -> impl Strategy<Value = Op> {
    let c = || 0..3_usize;
    prop_oneof![
        4 => (c(), any::<u8>()).prop_map(|(c, v)| Op::Put(c, v)),
        2 => any::<u8>().prop_map(Op::PutAll),
        4 => c().prop_map(Op::Increment),
        2 => Just(Op::IncrementAll),
        1 => (c(), any::<u8>()).prop_map(|(c, v)| Op::Append(c, v)),
        4 => c().prop_map(Op::DeleteColumn),
        2 => any::<bool>().prop_map(Op::DeleteFamily),
        2 => Just(Op::DeleteRow),
        2 => (c(), any::<bool>(), c(), any::<u8>())
            .prop_map(|(checked, matches, column, value)| Op::CheckAndPut { checked, matches, column, value }),
        1 => (c(), c()).prop_map(|(checked, deleted)| Op::CheckAndDelete { checked, deleted }),
        2 => prop_oneof![1..3_u32, 900..1_100_u32, 1..100_000_u32].prop_map(Op::Advance),
        2 => prop_oneof![-5..5_i64, -2_000..2_000_i64, -9_999_999..9_999_999_i64].prop_map(Op::Set),
        2 => Just(Op::Reopen),
    ]
}

/// A few operations, repeated, so that rows reach the largest lead.
fn history() -> impl Strategy<Value = Vec<(Vec<Op>, usize)>> {
    let times = prop_oneof![4 => 1..3_usize, 1 => 900..1_500_usize];
    prop::collection::vec((prop::collection::vec(op(), 1..4), times), 1..8)
}

fn check_histories(cases: u32, folder: bool) {
    let config = ProptestConfig { cases, max_shrink_iters: 300, source_file: Some(file!()), ..Default::default() };
    proptest!(config, |(history in history())| {
        let (mut world, mut naive) = (World::new(folder), Naive::new());
        for (ops, times) in history {
            for at in 0..times {
                // A few reopenings show as much as thousands, which would take long.
                for op in ops.iter().filter(|op| at < 3 || !matches!(op, Op::Reopen | Op::Append(..))) {
                    apply(&mut world, &mut naive, op);
                    if at < 3 || at % 50 == 0 || at + 3 > times {
                        prop_assert_eq!(&world.row(), &naive, "after {:?}, time {}", op, at);
                        prop_assert!(world.lead_ms() <= 1_000, "ahead by {} ms", world.lead_ms());
                    }
                }
            }
        }
    });
}

#[test]
fn writes_of_a_row_take_effect_in_order_in_memory() {
    check_histories(40, false);
}

#[test]
fn writes_of_a_row_take_effect_in_order_on_disk_and_across_restarts() {
    check_histories(4, true);
}

/// A row that is used as a lock: at 60,000 cycles, puts once became invisible.
#[test]
fn cycles_of_put_and_delete_never_hide_a_put() {
    let world = World::new(false);
    for n in 0..70_000 {
        world.table.put(&put("r", &[("f:a", SERVER, "held")])).unwrap();
        if n % 1_000 == 999 {
            assert_eq!(world.row().len(), 1, "cycle {n}");
        }
        world.table.delete(&Delete::row("r")).unwrap();
    }
    assert!(world.row().is_empty());
    world.table.put(&put("other", &[("f:a", SERVER, "v")])).unwrap();
    assert_eq!(read(&world.table, "other"), [format!("f:a@{}=v", world.clock.now_ms())]);
}

#[test]
fn a_counter_at_the_largest_lead_can_be_put_and_deleted() {
    let mut world = World::new(true);
    let count = |world: &World, n| (0..n).for_each(|_| drop(world.table.increment(&increment("r", "f:a", 1)).unwrap()));
    count(&world, 2_000);
    for _ in 0..5 {
        world.table.delete(&delete("r", &[(MarkerKind::Column, "f:a", SERVER)])).unwrap();
        world.table.put(&put_bytes("f:a", &1_i64.to_be_bytes())).unwrap();
    }
    count(&world, 10);
    world.table.put(&put_bytes("f:a", &value(7))).unwrap();
    assert_eq!(world.row()["f:a"], value(7));
    world.reopen();
    world.table.delete(&delete("r", &[(MarkerKind::Column, "f:a", SERVER)])).unwrap();
    assert!(world.row().is_empty());
}

/// A delete that finds a version slightly in the future marks that version. The marker must not hide the value that the
/// next increment writes.
#[test]
fn a_marker_slightly_in_the_future_hides_no_later_increment() {
    let world = World::new(false);
    world.table.put(&put("r", &[("f:a", NOW + 3, "12345678")])).unwrap();
    world.table.delete(&delete("r", &[(MarkerKind::Version, "f:a", SERVER)])).unwrap();
    for n in 1..=6_i64 {
        let got = world.table.increment(&increment("r", "f:a", 1)).unwrap();
        assert_eq!(got.cells[0].value[..], n.to_be_bytes());
    }
}

/// A write may wait long for the lock of its row. Cells expire by the clock at the end of the wait.
#[test]
fn the_clock_is_read_when_the_row_has_been_locked() {
    let clock = Arc::new(ManualClock::at(NOW));
    let store = Arc::new(FaultStore::new(Arc::new(MemoryStore::new(clock.clone()))));
    let engine = Engine::with_store(store.clone()).unwrap();
    engine.create_table(descriptor("t", &["f"]), vec![]).unwrap();
    let table = engine.table(&name("t"));
    let mut brief = put_bytes("f:a", &5_i64.to_be_bytes());
    brief.ttl_ms = Some(1_000);
    table.put(&brief).unwrap();
    store.hold(Call::Transact);
    let increased = std::thread::scope(|scope| {
        let increased = scope.spawn(|| table.increment(&increment("r", "f:a", 1)).unwrap());
        eventually("the increment waits", || store.waiting() > 0);
        clock.advance(5_000);
        store.heal();
        increased.join().unwrap()
    });
    assert_eq!(increased.cells[0].value[..], 1_i64.to_be_bytes(), "the old value has expired");
}

fn cycle(table: &Table, row: &str, cycles: usize) {
    for n in 0..cycles {
        table.put(&put(row, &[("f:a", SERVER, &n.to_string())])).unwrap();
        assert_eq!(read(table, row).len(), 1, "cycle {n} of {row}");
        table.delete(&Delete::row(row.to_owned())).unwrap();
    }
}

/// However fast the machine is, writes of a row that is too far ahead wait for the clock and succeed.
#[test]
fn with_the_clock_of_the_machine_writes_wait_instead_of_failing() {
    let engine = Engine::memory(Options::default()).unwrap();
    engine.create_table(descriptor("t", &["f"]), vec![]).unwrap();
    let table = engine.table(&name("t"));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for n in 0..400 {
                    table.put(&put("shared", &[("f:a", SERVER, &n.to_string())])).unwrap();
                    table.delete(&Delete::row("shared".to_owned())).unwrap();
                }
            });
        }
        cycle(&table, "own", 1_200);
    });
    assert!(read(&table, "shared").is_empty());
}

#[test]
fn while_a_manual_clock_stands_still_only_the_mutations_of_rows_that_are_too_far_ahead_fail() {
    let clock = Arc::new(ManualClock::at(NOW));
    let engine = Engine::memory(Options { clock: Some(clock.clone()), ..Options::default() }).unwrap();
    engine.create_table(descriptor("t", &["f"]), vec![]).unwrap();
    let table = engine.table(&name("t"));
    cycle(&table, "ahead", 1_001);
    let rows = ["a", "ahead", "z", "ahead"];
    let puts = rows.map(|row| put(row, &[("f:a", SERVER, "v")]));
    let deletes = rows.map(|row| Delete::row(row.to_owned()));
    for written in [1, 0] {
        let results = if written == 1 { table.put_many(&puts) } else { table.delete_many(&deletes) };
        for (row, result) in rows.iter().zip(results) {
            if *row != "ahead" {
                result.unwrap();
                assert_eq!(read(&table, row).len(), written);
                continue;
            }
            let error = result.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Busy);
            let text = error.message();
            assert!(text.starts_with("row \"ahead\"") && text.contains("advance a manual clock"), "{text}");
        }
    }
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| table.put_many(&puts));
        clock.advance(1);
        waiting.join().unwrap().into_iter().for_each(|result| result.unwrap());
    });
    assert_eq!(read(&table, "ahead").len(), 1);
}

#[test]
fn the_figures_tell_that_the_clock_was_set_back() {
    let world = World::new(true);
    let ahead_ms = || world.engine.statistics().unwrap().clock_ahead_ms;
    assert_eq!(ahead_ms(), 0);
    world.clock.now_ms.fetch_sub(3_600_000, Ordering::SeqCst);
    assert_eq!(ahead_ms(), 3_600_000);
}
