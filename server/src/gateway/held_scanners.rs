//! Tests of the state of a scanner between two calls: its lease while a fetch is paused, and its memory.

use std::sync::Arc;
use std::time::Duration;

use hjall_engine::clock::ManualClock;
use hjall_engine::mutation::{Put, PutCell};
use hjall_engine::name::TableName;
use hjall_engine::read::{FetchedPage, Stop};
use hjall_engine::request::Scan;
use hjall_engine::schema::{FamilyDescriptor, TableDescriptor};
use hjall_engine::{Engine, LATEST, Options};

use super::scanners::{OpenScanner, Scanners};
use crate::dispatch::account::Accounts;
use crate::dispatch::call_scope::CallScope;
use crate::dispatch::caller::Caller;
use crate::dispatch::memory_quota::{MemoryHolder, MemoryQuota};
use crate::settings::config::Limits;
use crate::wire::method::Service::Thrift2;

const PERIOD_MS: i64 = 60_000;
const SNAPSHOT_WRITES: u64 = 1 << 20;

struct Fixture {
    scanners: Scanners,
    clock: Arc<ManualClock>,
    caller: Arc<Caller>,
    memory: Arc<MemoryHolder>,
    engine: Engine,
    id: i32,
}

/// A scanner over two rows with 100 columns of 1,000 bytes.
fn fixture() -> Fixture {
    let clock = Arc::new(ManualClock::at(1_000_000));
    let limits = Limits {
        scanner_timeout: Duration::from_millis(PERIOD_MS.unsigned_abs()),
        scanner_snapshot_writes: Some(SNAPSHOT_WRITES),
        ..Limits::default()
    };
    let scanners = Scanners::new(&limits, clock.clone());
    let caller = Caller::new(([127, 0, 0, 1], 1).into());
    let quota = Arc::new(MemoryQuota::new(16 << 20));
    let memory = MemoryHolder::new(quota, Accounts::default().of(caller.principal(), true));
    let engine = Engine::memory(Options::default()).unwrap();
    let name = TableName::parse(b"t").unwrap();
    let mut descriptor = TableDescriptor::new(name.clone());
    descriptor.add_family(FamilyDescriptor::new("f").unwrap()).unwrap();
    engine.create_table(descriptor, vec![]).unwrap();
    let cell = |n: usize| PutCell {
        family: "f".into(),
        qualifier: format!("{n:03}").into(),
        timestamp: LATEST,
        value: vec![0; 1000].into(),
    };
    for row in ["a", "b"] {
        let put = Put { row: row.into(), cells: (0..100).map(cell).collect(), ..Put::default() };
        engine.table(&name).put(&put).unwrap();
    }
    let scan = Scan { batch: 60, ..Scan::default() };
    let scope = CallScope::new(&caller, usize::MAX, &memory, Stop::default());
    let open = OpenScanner::new(name.clone(), engine.table(&name).scan(scan).unwrap(), &scope);
    let id = scanners.open(Thrift2, open, &caller).unwrap();
    drop(scope);
    Fixture { scanners, clock, caller, memory, engine, id }
}

impl Fixture {
    fn scope(&self) -> CallScope<'_> {
        CallScope::new(&self.caller, usize::MAX, &self.memory, Stop::default())
    }
}

#[test]
fn a_lease_does_not_end_while_a_fetch_is_paused() {
    let all = fixture();
    let first = all.scope();
    all.scanners.with(Thrift2, all.id, &first, |_| first.pause()).unwrap();
    let state = first.into_remains().state;
    all.clock.advance(10 * PERIOD_MS);
    assert_eq!(all.scanners.sweep().closed, 0);
    let second = all.scope().with_slice(None, state);
    assert_eq!(all.scanners.with(Thrift2, all.id, &second, |_| ()), Some(()), "the call continues");
    assert_eq!(all.scanners.fetches(Thrift2, all.id), 1, "it is one fetch");
    all.clock.advance(PERIOD_MS - 1);
    assert!(all.scanners.with(Thrift2, all.id, &all.scope(), |_| ()).is_some(), "its end has renewed the lease");
    // A paused call that is never run again ends its use, too.
    let third = all.scope();
    all.scanners.with(Thrift2, all.id, &third, |_| third.pause()).unwrap();
    drop(third.into_remains());
    all.clock.advance(PERIOD_MS);
    assert_eq!(all.scanners.sweep().closed, 1);
}

#[test]
fn what_a_scanner_holds_counts_towards_the_quota() {
    let all = fixture();
    let scope = all.scope();
    let fetched = all.scanners.with(Thrift2, all.id, &scope, |open| open.scanner.next_for(1, usize::MAX, &scope));
    assert_eq!(fetched.unwrap().unwrap().len(), 1);
    drop(scope);
    let held = all.memory.account.held_bytes();
    assert!(held > 40_000, "the rest of the first row is held: {held}");
    let scope = all.scope();
    all.scanners.with(Thrift2, all.id, &scope, |open| open.scanner.next_for(9, usize::MAX, &scope)).unwrap().unwrap();
    drop(scope);
    assert_eq!(all.memory.account.held_bytes(), 0);
    all.scanners.clear();
    assert_eq!(all.memory.account.held_bytes(), 0);
}

#[test]
fn a_scanner_takes_over_the_memory_of_its_request() {
    let all = fixture();
    let scope = all.scope();
    scope.claim_request(100_000).unwrap();
    let name = TableName::parse(b"t").unwrap();
    let scanner = all.engine.table(&name).scan(Scan::default()).unwrap();
    let id = all.scanners.open(Thrift2, OpenScanner::new(name, scanner, &scope), &all.caller).unwrap();
    drop(scope);
    assert_eq!(all.memory.account.held_bytes(), 100_000, "as long as the scanner is open");
    assert!(all.scanners.close(Thrift2, id, &all.caller));
    assert_eq!(all.memory.account.held_bytes(), 0);
}

#[test]
fn a_request_that_exceeds_the_quota_is_refused_and_holds_nothing() {
    let all = fixture();
    let scope = all.scope();
    scope.claim_request(1 << 20).unwrap();
    let error = scope.claim_request(100 << 20).unwrap_err();
    assert!(error.message().contains("limits.bytes_in_flight"), "{error}");
    assert!(scope.has_exceeded_quota());
    drop(scope);
    assert_eq!(all.memory.account.held_bytes(), 0);
}

/// Fetches a page, and does what follows the reply. Returns the number of rows, and whether anything followed.
fn fetch(all: &Fixture, id: i32, rows: usize) -> (usize, bool) {
    let scope = all.scope();
    let page = all.scanners.with(Thrift2, id, &scope, |open| open.scanner.fetch_page_for(rows, usize::MAX, &scope));
    let FetchedPage::Page(page) = page.unwrap().unwrap() else { panic!("the scan has whole rows") };
    let after_reply = scope.take_after_reply();
    drop(scope);
    let follows = after_reply.is_some();
    after_reply.into_iter().for_each(|work| work(&|| true));
    (page.len(), follows)
}

#[test]
fn a_scanner_reads_ahead_from_the_second_page_on() {
    let all = fixture();
    let table = all.engine.table(&TableName::parse(b"t").unwrap());
    let put = |row: String, bytes: usize| {
        let value = vec![0; bytes].into();
        let cell = PutCell { family: "f".into(), qualifier: "q".into(), timestamp: LATEST, value };
        table.put(&Put { row: row.into(), cells: vec![cell], ..Put::default() }).unwrap();
    };
    (0..2_000).for_each(|n| put(format!("r{n:04}"), 100));
    let open = || {
        let scan = Scan { start: "r".into(), ..Scan::default() };
        let scope = all.scope();
        let open = OpenScanner::new(table.name().clone(), table.scan(scan).unwrap(), &scope);
        all.scanners.open(Thrift2, open, &all.caller).unwrap()
    };
    let held = || all.memory.account.held_bytes();
    let id = open();
    assert_eq!(fetch(&all, id, 500), (500, false), "the client may stop after the first page");
    let before = held();
    assert_eq!(fetch(&all, id, 500), (500, true));
    let one = held() - before;
    assert!((80_000..200_000).contains(&one), "500 pairs, up to 160 KiB, are held: {one}");
    // A thirty-second of the quota has room for three claims of 160 KiB.
    let others: Vec<_> = (0..9).map(|_| open()).collect();
    for id in &others {
        fetch(&all, *id, 500);
        fetch(&all, *id, 500);
    }
    assert!(held() < 512 << 10, "most of the quota is left: {}", held());
    // A snapshot that is released releases what has been read ahead.
    put("a".to_owned(), SNAPSHOT_WRITES as usize);
    assert_eq!(all.scanners.sweep().released, 10);
    assert_eq!(held(), 0);
    let mut rows = 1_000;
    while let (more @ 1.., _) = fetch(&all, id, 300) {
        rows += more;
    }
    assert_eq!(rows, 2_000);
    // Small pages are not worth it.
    let id = open();
    assert!((0..30).all(|_| fetch(&all, id, 10) == (10, false)));
}
