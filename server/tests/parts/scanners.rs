//! Open scanners: ids, leases and limits.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use hjall_engine::clock::ManualClock;
use hjall_engine::mutation::{Put, PutCell};
use hjall_engine::name::TableName;
use hjall_engine::request::Scan;
use hjall_engine::schema::{FamilyDescriptor, TableDescriptor};
use hjall_engine::{Engine, LATEST, Options};
use hjall_server::access::{Access, HashedToken};
use hjall_server::dispatch::call_scope::CallScope;
use hjall_server::dispatch::caller::Caller;
use hjall_server::gateway::scanners::{OpenScanner, Scanners, Swept};
use hjall_server::settings::config::{AuthSettings, Limits};
use hjall_server::wire::fault::Fault;
use hjall_server::wire::method::Service::{self, Thrift1, Thrift2};

const PERIOD_MS: i64 = 60_000;
const ORPHAN_MS: i64 = 10_000;
const SNAPSHOT_MS: i64 = 30_000;
const SNAPSHOT_WRITES: usize = 10_000;

/// Scanners over an empty database, and what is needed to open new ones.
struct Fixture {
    scanners: Scanners,
    clock: Arc<ManualClock>,
    /// A connection that stays open.
    connection: Arc<Caller>,
    engine: Engine,
}

impl Fixture {
    fn new(limit: usize) -> Self {
        let clock = Arc::new(ManualClock::at(1_000_000));
        let period = Duration::from_millis(PERIOD_MS.unsigned_abs());
        let limits = Limits {
            scanners_max: limit,
            scanners_per_connection_max: 3,
            scanners_per_address_max: 5,
            scanner_orphan_timeout: Duration::from_millis(ORPHAN_MS.unsigned_abs()),
            scanner_timeout: period,
            scanner_snapshot_max: Some(Duration::from_millis(SNAPSHOT_MS.unsigned_abs())),
            scanner_snapshot_writes: Some(SNAPSHOT_WRITES as u64),
            ..Limits::default()
        };
        let scanners = Scanners::new(&limits, clock.clone());
        let connection = Caller::new(([127, 0, 0, 1], 1).into());
        let options = Options { clock: Some(clock.clone()), ..Options::default() };
        Self { scanners, clock, connection, engine: Engine::memory(options).unwrap() }
    }

    fn open(&self, service: Service) -> Result<i32, Fault> {
        self.open_for(service, &self.connection)
    }

    fn open_for(&self, service: Service, caller: &Arc<Caller>) -> Result<i32, Fault> {
        let table = TableName::parse(b"t").unwrap();
        let scan = self.engine.table(&table).scan(Scan::default()).unwrap();
        self.scanners.open(service, OpenScanner::new(table, scan, &CallScope::unlimited(caller)), caller)
    }

    fn close(&self, service: Service, id: i32) -> bool {
        self.scanners.close(service, id, &self.connection)
    }

    fn exists(&self, service: Service, id: i32) -> bool {
        self.scanners.with(service, id, &CallScope::unlimited(&self.connection), |_| ()).is_some()
    }
}

#[test]
fn ids_of_each_service_start_at_zero_and_are_never_reused() {
    let all = Fixture::new(100);
    assert_eq!((all.open(Thrift1), all.open(Thrift1), all.open(Thrift2)), (Ok(0), Ok(1), Ok(0)));
    assert!(all.close(Thrift1, 1));
    assert_eq!(all.open(Thrift1), Ok(2), "an id that a client may still use is not reused");
    assert!(!all.exists(Thrift2, 1), "the services have separate ids");
    assert!(!all.close(Thrift1, 1), "a second close finds nothing");
}

#[test]
fn only_the_user_who_opened_a_scanner_finds_it() {
    let all = Fixture::new(100);
    let file = tempfile::NamedTempFile::new().unwrap();
    let users: String = ["alice", "bob"]
        .map(|name| format!("[users.{name}]\ntokens = [\"{}\"]\n", HashedToken::of(name.as_bytes())))
        .concat();
    std::fs::write(file.path(), users).unwrap();
    let settings = AuthSettings { users: Some(file.path().to_owned()), ..AuthSettings::default() };
    let access = Access::new(&settings, all.clock.clone()).unwrap();
    let peer = all.connection.peer;
    let [alice, bob] = ["alice", "bob"].map(|name| {
        let login = access.token(peer.ip(), name.as_bytes()).unwrap();
        Caller::new(peer).logged_in(Arc::new(login))
    });
    for service in [Thrift1, Thrift2, Service::Rest] {
        // The id is known to the others before the scanner exists.
        let id = all.open_for(service, &alice).unwrap();
        for other in [&bob, &all.connection] {
            assert!(all.scanners.with(service, id, &CallScope::unlimited(other), |_| ()).is_none());
            assert!(!all.scanners.close(service, id, other));
        }
        assert!(all.scanners.with(service, id, &CallScope::unlimited(&alice), |_| ()).is_some());
        assert!(all.scanners.close(service, id, &alice));
    }
}

#[test]
fn a_lease_ends_after_one_period_in_thrift2_and_two_in_thrift1() {
    let all = Fixture::new(100);
    for (service, period_ms) in [(Thrift1, 2 * PERIOD_MS), (Thrift2, PERIOD_MS)] {
        let id = all.open(service).unwrap();
        for _ in 0..3 {
            all.clock.advance(period_ms - 1);
            assert!(all.exists(service, id), "each use renews the lease");
        }
        all.clock.advance(period_ms);
        assert!(!all.exists(service, id), "{service:?}");
        let id = all.open(service).unwrap();
        all.clock.advance(period_ms);
        assert!(!all.close(service, id), "an expired scanner cannot be closed");
    }
}

#[test]
fn a_lease_does_not_end_while_a_call_uses_the_scanner() {
    let all = Fixture::new(100);
    let id = all.open(Thrift2).unwrap();
    all.scanners.with(Thrift2, id, &CallScope::unlimited(&all.connection), |_| {
        all.clock.advance(10 * PERIOD_MS);
        assert_eq!(all.scanners.sweep().closed, 0);
    });
    assert!(all.exists(Thrift2, id), "and is renewed at the end of the call");
    all.clock.advance(PERIOD_MS);
    assert_eq!((all.scanners.sweep().closed, all.scanners.len()), (1, 0));
}

#[test]
fn a_lease_does_not_end_while_the_rows_are_sent_as_one_answer() {
    let all = Fixture::new(100);
    let id = all.open(Service::Rest).unwrap();
    all.scanners.keep(Service::Rest, id);
    for _ in 0..2 {
        all.clock.advance(10 * PERIOD_MS);
        assert_eq!(all.scanners.sweep().closed, 0);
        assert!(all.exists(Service::Rest, id));
    }
    all.scanners.abandon(Service::Rest, id);
    assert_eq!((all.scanners.sweep().closed, all.scanners.len()), (1, 0));
}

#[test]
fn a_panic_in_a_call_leaves_the_scanner_usable() {
    let all = Fixture::new(100);
    let id = all.open(Thrift1).unwrap();
    let call = AssertUnwindSafe(|| {
        all.scanners.with(Thrift1, id, &CallScope::unlimited(&all.connection), |_| panic!("intended by the test"))
    });
    assert!(catch_unwind(call).is_err());
    assert!(all.exists(Thrift1, id));
    all.clock.advance(2 * PERIOD_MS);
    assert_eq!(all.scanners.sweep().closed, 1, "the call that panicked has released it");
}

#[test]
fn too_many_scanners_are_refused_until_one_has_ended() {
    let all = Fixture::new(2);
    all.open(Thrift1).unwrap();
    let second = all.open(Thrift2).unwrap();
    let Err(Fault::Io { message: Some(text), can_retry: true }) = all.open(Thrift2) else { panic!("not refused") };
    assert!(text.contains("2 scanners are open"), "{text}");
    assert!(all.close(Thrift2, second));
    all.open(Thrift2).unwrap();
    all.clock.advance(PERIOD_MS);
    all.open(Thrift2).expect("an expired scanner makes room");
}

#[test]
fn one_connection_cannot_open_all_scanners() {
    let all = Fixture::new(100);
    let [greedy, other] = [1, 2].map(|port| Caller::new(([127, 0, 0, 1], port).into()));
    let ids: Vec<_> = (0..3).map(|_| all.open_for(Thrift2, &greedy).unwrap()).collect();
    let Err(Fault::Io { message: Some(text), can_retry: true }) = all.open_for(Thrift2, &greedy) else {
        panic!("not refused")
    };
    assert!(text.contains("this connection has 3 scanners open"), "{text}");
    all.open_for(Thrift2, &other).expect("another connection has a separate limit");
    assert!(all.close(Thrift2, ids[0]));
    all.open_for(Thrift2, &greedy).expect("a closed scanner makes room");
    all.clock.advance(PERIOD_MS);
    all.open_for(Thrift2, &greedy).expect("an expired scanner makes room");
}

#[test]
fn one_address_cannot_open_all_scanners() {
    let all = Fixture::new(100);
    let at = |host, port| Caller::new(([10, 0, 0, host], port).into());
    let connections = [at(1, 1), at(1, 2)];
    let ids: Vec<_> = (0..5).map(|n| all.open_for(Thrift2, &connections[n % 2]).unwrap()).collect();
    let Err(Fault::Io { message: Some(text), can_retry: true }) = all.open_for(Thrift2, &connections[1]) else {
        panic!("not refused")
    };
    assert!(text.contains("connections from 10.0.0.1 have 5 scanners open"), "{text}");
    all.open_for(Thrift2, &at(2, 1)).expect("another address has a separate limit");
    assert!(all.close(Thrift2, ids[0]));
    all.open_for(Thrift2, &connections[1]).expect("a closed scanner makes room");
    all.clock.advance(PERIOD_MS);
    all.open_for(Thrift2, &connections[1]).expect("an expired scanner makes room");
}

#[test]
fn a_scanner_outlives_its_connection_for_a_short_while() {
    let all = Fixture::new(100);
    for service in [Thrift1, Thrift2] {
        let connection = Caller::new(([127, 0, 0, 1], 2).into());
        let ids = [0, 1].map(|_| all.open_for(service, &connection).unwrap());
        all.clock.advance(ORPHAN_MS);
        assert_eq!(all.scanners.sweep().closed, 0, "the connection is open");
        ids.iter().for_each(|id| assert!(all.exists(service, *id)));
        drop(connection);
        for _ in 0..3 {
            assert!(all.exists(service, ids[0]), "another connection continues it");
            all.clock.advance(ORPHAN_MS - 1);
        }
        assert_eq!(all.scanners.sweep().closed, 1, "the other one has expired");
        all.clock.advance(1);
        assert!(!all.exists(service, ids[0]));
    }
}

#[test]
fn a_sweep_finds_every_ended_lease_among_many() {
    let all = Fixture::new(10_000);
    let connections: Vec<_> = (0..1000).map(|n| Caller::new(([10, 0, 1, (n % 250) as u8], 1).into())).collect();
    let ids: Vec<_> = connections.iter().map(|connection| all.open_for(Thrift2, connection).unwrap()).collect();
    all.clock.advance(PERIOD_MS / 2);
    ids.iter().step_by(3).for_each(|id| assert!(all.exists(Thrift2, *id)));
    all.clock.advance(PERIOD_MS / 2);
    assert_eq!((all.scanners.sweep().closed, all.scanners.len()), (666, 334));
}

/// The keys of the next rows of a scanner.
fn next(all: &Fixture, id: i32, n: usize) -> Vec<String> {
    let rows = all
        .scanners
        .with(Thrift2, id, &CallScope::unlimited(&all.connection), |open| open.scanner.next(n).unwrap())
        .unwrap();
    rows.into_iter().map(|row| String::from_utf8_lossy(&row.key).into_owned()).collect()
}

#[test]
fn an_idle_scanner_releases_a_snapshot_that_is_old_or_holds_back_much() {
    let all = Fixture::new(100);
    let table = all.engine.table(&TableName::parse(b"t").unwrap());
    let mut descriptor = TableDescriptor::new(table.name().clone());
    descriptor.add_family(FamilyDescriptor::new("f").unwrap()).unwrap();
    all.engine.create_table(descriptor, vec![]).unwrap();
    let put = |row: &str, bytes: usize| {
        let cell =
            PutCell { family: "f".into(), qualifier: "q".into(), timestamp: LATEST, value: vec![0; bytes].into() };
        table.put(&Put { row: row.to_owned().into(), cells: vec![cell], ..Put::default() }).unwrap();
    };
    ["a", "c", "e", "g"].iter().for_each(|row| put(row, 1));
    let scan = Scan { caching: 1, ..Scan::default() };
    let scope = CallScope::unlimited(&all.connection);
    let open = OpenScanner::new(table.name().clone(), table.scan(scan).unwrap(), &scope);
    let id = all.scanners.open(Thrift2, open, &all.connection).unwrap();
    assert_eq!(next(&all, id, 1), ["a"]);
    // A call that panics changes nothing about that.
    let call = AssertUnwindSafe(|| all.scanners.with(Thrift2, id, &scope, |_| panic!("intended by the test")));
    assert!(catch_unwind(call).is_err());
    put("b", 1);
    all.clock.advance(SNAPSHOT_MS - 1);
    assert_eq!(all.scanners.sweep(), Swept::default());
    all.clock.advance(1);
    assert_eq!(all.scanners.sweep(), Swept { closed: 0, released: 1 });
    assert_eq!(all.scanners.sweep(), Swept::default(), "it has no snapshot now");
    assert_eq!(next(&all, id, 2), ["b", "c"]);
    put("d", 1);
    assert_eq!(next(&all, id, 1), ["e"]);
    put("f", SNAPSHOT_WRITES);
    assert_eq!(next(&all, id, 2), ["f", "g"], "a fetch checks the snapshot, too");
}

#[test]
fn a_long_scan_is_recognised_by_its_fetches() {
    let all = Fixture::new(100);
    let id = all.open(Thrift1).unwrap();
    for n in 0..5 {
        assert_eq!(all.scanners.fetches(Thrift1, id), n);
        assert!(all.exists(Thrift1, id));
    }
    assert_eq!(all.scanners.fetches(Thrift1, id + 1), 0);
}

#[test]
fn calls_that_use_one_scanner_take_turns() {
    let all = Fixture::new(100);
    let id = all.open(Thrift1).unwrap();
    let inside = AtomicUsize::new(0);
    thread::scope(|threads| {
        for _ in 0..4 {
            threads.spawn(|| {
                for _ in 0..500 {
                    all.scanners.with(Thrift1, id, &CallScope::unlimited(&all.connection), |_| {
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        inside.fetch_sub(1, Ordering::SeqCst);
                    });
                }
            });
        }
    });
}

#[test]
fn closing_a_scanner_in_use_ends_it_after_the_call() {
    let all = Fixture::new(100);
    let id = all.open(Thrift1).unwrap();
    let used = all.scanners.with(Thrift1, id, &CallScope::unlimited(&all.connection), |open| {
        assert!(all.close(Thrift1, id));
        open.table.qualifier().to_owned()
    });
    assert_eq!(used.as_deref(), Some("t"), "the call continued");
    assert!(!all.exists(Thrift1, id));
}
