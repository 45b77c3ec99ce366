//! Concurrent writes through sockets: calls whose writes are committed together are answered as if they had been alone.

use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use hjall_engine::clock::SystemClock;
use hjall_engine::mutation::Durability;
use hjall_engine::name::TableName;
use hjall_engine::request::Get;
use hjall_engine::schema::{FamilyDescriptor, TableDescriptor};
use hjall_engine::store::fault::{Call, Counted, FaultStore, InjectedFault, When};
use hjall_engine::store::{FjallStore, StoreOptions};
use hjall_engine::{Engine, ErrorKind, Table};
use hjall_idl::hbase1::*;
use hjall_server::observe::{CallReport, Observer};
use hjall_server::settings::config::FastPath;
use hjall_server::{Config, Server};
use thrift::protocol::{
    TBinaryInputProtocol, TBinaryOutputProtocol, TInputProtocol, TMessageIdentifier, TMessageType, TOutputProtocol,
    TSerializable,
};

use crate::eventually::eventually;
use thrift::transport::{TFramedReadTransport, TFramedWriteTransport};

const CLIENTS: usize = 8;
const CALLS: i64 = 60;

/// A database on disk whose store can be made to fail.
struct World {
    server: Server,
    store: Arc<FaultStore>,
    engine: Engine,
    table: Table,
    _folder: tempfile::TempDir,
}

/// Panics at the end of every call.
#[derive(Debug)]
struct Panics;

impl Observer for Panics {
    fn call_ended(&self, _: &CallReport<'_>) {
        panic!("intended by the test");
    }
}

impl World {
    fn new() -> Self {
        Self::with(Config::on(([127, 0, 0, 1], 0).into()), Durability::SyncWal)
    }

    fn with(config: Config, durability: Durability) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = StoreOptions { clock: Some(Arc::new(SystemClock)), ..StoreOptions::default() };
        let store = Arc::new(FaultStore::new(FjallStore::open(folder.path(), options).unwrap()));
        let engine = Engine::with_store(store.clone()).unwrap();
        let name = TableName::parse(b"t").unwrap();
        let mut descriptor = TableDescriptor::new(name.clone());
        descriptor.set_durability(durability);
        descriptor.add_family(FamilyDescriptor::new("f").unwrap()).unwrap();
        engine.create_table(descriptor, vec![]).unwrap();
        let table = engine.table(&name);
        let server = Server::start(config, engine.clone()).unwrap();
        Self { server, store, engine, table, _folder: folder }
    }

    fn number(&self, row: &str) -> i64 {
        let row = self.table.get(&Get::new(row.to_owned())).unwrap();
        row.cells.first().map_or(0, |cell| i64::from_be_bytes(cell.value[..].try_into().unwrap()))
    }
}

struct Client(TcpStream);

impl Client {
    fn new(address: SocketAddr) -> Self {
        Self(TcpStream::connect(address).unwrap())
    }

    /// The result of a call; `None` if it is an undeclared exception.
    fn call<R: TSerializable>(&mut self, method: &str, arguments: &impl TSerializable) -> Option<R> {
        send(&mut self.0, method, arguments).unwrap();
        receive(&mut self.0, method).unwrap()
    }

    /// Puts a number. Whether it was acknowledged.
    fn put(&mut self, row: &str, number: i64) -> bool {
        let put = Mutation::new(false, b"f:n".to_vec(), number.to_be_bytes().to_vec(), true);
        let arguments = MutateRowArgs::new(b"t".to_vec(), row.as_bytes().to_vec(), vec![put], None);
        let result: MutateRowResult = self.call("mutateRow", &arguments).unwrap();
        if let Some(error) = &result.io {
            let text = error.message.clone().unwrap();
            assert!(text.contains("injected fault"), "{text}");
        }
        result == MutateRowResult::default()
    }

    /// Adds 1 to a counter. Its new value, if it was acknowledged.
    fn count(&mut self, row: &str) -> Option<i64> {
        let arguments = AtomicIncrementArgs::new(b"t".to_vec(), row.as_bytes().to_vec(), b"f:n".to_vec(), 1);
        self.call::<AtomicIncrementResult>("atomicIncrement", &arguments)?.success
    }
}

fn send(stream: &mut TcpStream, method: &str, arguments: &impl TSerializable) -> thrift::Result<()> {
    let mut framed = TFramedWriteTransport::new(stream);
    let mut out = TBinaryOutputProtocol::new(&mut framed, true);
    out.write_message_begin(&TMessageIdentifier::new(method, TMessageType::Call, 1))?;
    arguments.write_to_out_protocol(&mut out)?;
    out.write_message_end()?;
    out.flush()
}

/// The result of a call; `None` if it is an undeclared exception.
fn receive<R: TSerializable>(stream: &mut TcpStream, method: &str) -> thrift::Result<Option<R>> {
    let mut input = TBinaryInputProtocol::new(TFramedReadTransport::new(stream), true);
    let message = input.read_message_begin()?;
    assert_eq!(message.name, method);
    if message.message_type != TMessageType::Reply {
        return Ok(None);
    }
    R::read_from_in_protocol(&mut input).map(Some)
}

/// The result of a call; `None` if the connection has ended.
fn try_call<R: TSerializable>(stream: &mut TcpStream, method: &str, arguments: &impl TSerializable) -> Option<R> {
    send(stream, method, arguments).ok()?;
    receive(stream, method).ok()?
}

#[test]
fn concurrent_calls_of_shared_and_separate_rows_all_take_effect() {
    let world = World::new();
    let address = world.server.addr();
    let sum = AtomicI64::new(0);
    std::thread::scope(|scope| {
        for number in 0..CLIENTS {
            let sum = &sum;
            scope.spawn(move || {
                let (mut client, own, counter) = (Client::new(address), format!("own{number}"), format!("c{number}"));
                for n in 1..=CALLS {
                    assert!(client.put(&own, n));
                    assert_eq!(client.count(&counter), Some(n), "each call sees the ones before it");
                    sum.fetch_add(client.count("shared").unwrap(), Ordering::Relaxed);
                }
            });
        }
    });
    let calls = CLIENTS as i64 * CALLS;
    assert_eq!(world.number("shared"), calls);
    assert_eq!(sum.into_inner(), calls * (calls + 1) / 2, "no value is returned twice");
    for number in 0..CLIENTS {
        assert_eq!(world.number(&format!("own{number}")), CALLS);
    }
    assert!(world.server.shutdown());
}

#[test]
fn a_failed_commit_is_answered_to_every_call_that_took_part_in_it() {
    let world = World::new();
    let address = world.server.addr();
    for (when, nth) in [(When::Before, 3), (When::After, 7), (When::Before, 20), (When::After, 1)] {
        let before = world.number("shared");
        let counted = Counted::Only(Call::Transact);
        world.store.fail(InjectedFault { counted, nth, when, kind: ErrorKind::DiskFull, lasting: false });
        let (acknowledged, failed) = (AtomicI64::new(0), AtomicI64::new(0));
        std::thread::scope(|scope| {
            for number in 0..CLIENTS {
                let (acknowledged, failed, world) = (&acknowledged, &failed, &world);
                scope.spawn(move || {
                    let (mut client, own) = (Client::new(address), format!("own{number}"));
                    for n in 1..=CALLS {
                        let put = client.put(&own, n);
                        let seen = world.number(&own);
                        assert!(!put || seen == n, "an acknowledged put is visible: {seen} {n}");
                        let count = client.count("shared");
                        if count.is_some() { acknowledged } else { failed }.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
        });
        assert!(world.store.heal(), "the fault was injected");
        let (acknowledged, failed) = (acknowledged.into_inner(), failed.into_inner());
        let counted = world.number("shared") - before;
        assert!((acknowledged..=acknowledged + failed).contains(&counted), "{acknowledged} {failed} {counted}");
        assert!(failed <= CLIENTS as i64, "a commit concerns at most one call of each client");
    }
    assert!(world.server.shutdown());
}

/// The answer of a call whose commit has failed is found by running it again, which must not leave its table locked.
#[test]
fn a_failed_commit_leaves_no_table_locked() {
    let world = World::new();
    let mut client = Client::new(world.server.addr());
    for write in [|client: &mut Client| client.count("r").is_some(), |client: &mut Client| client.put("r", 1)] {
        let counted = Counted::Only(Call::Transact);
        let kind = ErrorKind::DiskFull;
        world.store.fail(InjectedFault { counted, nth: 1, when: When::Before, kind, lasting: false });
        assert!(!write(&mut client));
        assert!(world.store.heal(), "the fault was injected");
        let (engine, name) = (world.engine.clone(), TableName::parse(b"t").unwrap());
        let (done, changed) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            engine.disable_table(&name).and_then(|()| engine.enable_table(&name)).unwrap();
            done.send(()).unwrap();
        });
        changed.recv_timeout(Duration::from_secs(60)).expect("the table is locked");
        assert!(write(&mut client));
    }
    assert!(world.server.shutdown());
}

#[test]
fn a_call_whose_group_could_not_be_written_is_run_by_itself() {
    let world = World::new();
    let mut client = Client::new(world.server.addr());
    for n in 1..=5 {
        let counted = Counted::Only(Call::Transact);
        world.store.fail(InjectedFault { counted, nth: 1, when: When::Before, kind: ErrorKind::Busy, lasting: false });
        assert_eq!(client.count("r"), Some(n));
        assert!(world.store.heal(), "the fault was injected");
    }
    assert!(world.server.shutdown());
}

#[test]
fn a_short_write_whose_commit_had_to_wait_is_run_again() {
    let world = World::new();
    let mut client = Client::new(world.server.addr());
    for n in 1..=5 {
        let counted = Counted::Only(Call::Transact);
        world.store.fail(InjectedFault { counted, nth: 1, when: When::Before, kind: ErrorKind::Busy, lasting: false });
        assert!(client.put("r", n));
        assert!(world.store.heal(), "the fault was injected");
        assert_eq!(world.number("r"), n);
    }
    assert!(world.server.shutdown());
}

/// Puts run on the event loop, the other calls in workers, and all lock the same row.
#[test]
fn short_and_queued_writes_of_one_row_all_take_effect() {
    let world = World::new();
    let address = world.server.addr();
    std::thread::scope(|scope| {
        for number in 0..CLIENTS {
            let table = world.table.clone();
            scope.spawn(move || {
                let (mut client, own) = (Client::new(address), format!("f:own{number}").into_bytes());
                let seen = || {
                    let row = table.get(&Get::new("r")).unwrap();
                    let own = format!("own{number}").into_bytes();
                    row.cells.iter().find(|cell| cell.qualifier == own).map(|cell| cell.value.to_vec())
                };
                for n in 0..CALLS {
                    let value = n.to_be_bytes().to_vec();
                    let put = Mutation::new(false, own.clone(), value.clone(), true);
                    let hide = Mutation::new(true, own.clone(), None, true);
                    let mutations = match n % 3 {
                        0 => vec![put],
                        1 => vec![hide, put],
                        _ => vec![hide],
                    };
                    let arguments = MutateRowArgs::new(b"t".to_vec(), b"r".to_vec(), mutations, None);
                    let result: MutateRowResult = client.call("mutateRow", &arguments).unwrap();
                    assert_eq!(result, MutateRowResult::default());
                    assert_eq!(seen(), (n % 3 < 2).then_some(value), "call {n} of client {number}");
                    assert!(client.count("r").is_some());
                }
            });
        }
    });
    let row = world.table.get(&Get::new("r")).unwrap();
    let count = row.cells.iter().find(|cell| cell.qualifier == b"n"[..]).unwrap();
    assert_eq!(count.value, (CLIENTS as i64 * CALLS).to_be_bytes()[..]);
    assert!(world.server.shutdown());
}

#[test]
fn panics_of_an_observer_change_no_answer_and_end_no_thread() {
    for (fast_path, durability) in [
        (FastPath::Never, Durability::FsyncWal),
        (FastPath::Never, Durability::SyncWal),
        (FastPath::Always, Durability::FsyncWal),
        (FastPath::Always, Durability::SyncWal),
    ] {
        let config = Config::on(([127, 0, 0, 1], 0).into());
        let world = World::with(Config { fast_path, observer: Some(Arc::new(Panics)), ..config }, durability);
        let address = world.server.addr();
        std::thread::scope(|scope| {
            for number in 0..CLIENTS {
                let world = &world;
                scope.spawn(move || {
                    let (mut client, own) = (Client::new(address), format!("own{number}"));
                    // More calls than there are workers.
                    for n in 1..=10 {
                        assert!(client.put(&own, n));
                        assert_eq!(client.count(&format!("c{number}")), Some(n));
                        let arguments = GetRowArgs::new(b"t".to_vec(), own.as_bytes().to_vec(), None);
                        let result: GetRowResult = client.call("getRow", &arguments).unwrap();
                        assert_eq!(result.success.map(|rows| rows.len()), Some(1));
                        assert_eq!(world.number(&own), n);
                    }
                });
            }
        });
        assert!(world.server.shutdown());
    }
}

#[test]
fn puts_that_were_acknowledged_before_the_server_stopped_are_there() {
    for _ in 0..5 {
        let world = World::new();
        let address = world.server.addr();
        let World { server, table, engine: _engine, store: _store, _folder } = world;
        let acknowledged: Vec<AtomicI64> = (0..CLIENTS).map(|_| AtomicI64::new(0)).collect();
        std::thread::scope(|scope| {
            for (number, acknowledged) in acknowledged.iter().enumerate() {
                scope.spawn(move || {
                    let mut stream = TcpStream::connect(address).unwrap();
                    for n in 1.. {
                        let put = Mutation::new(false, b"f:n".to_vec(), i64::to_be_bytes(n).to_vec(), true);
                        let row = format!("own{number}").into_bytes();
                        let arguments = MutateRowArgs::new(b"t".to_vec(), row, vec![put], None);
                        match try_call::<MutateRowResult>(&mut stream, "mutateRow", &arguments) {
                            Some(result) => assert_eq!(result, MutateRowResult::default()),
                            None => break,
                        }
                        acknowledged.store(n, Ordering::SeqCst);
                    }
                });
            }
            eventually("each client has written", || acknowledged.iter().all(|n| n.load(Ordering::SeqCst) >= 3));
            assert!(server.shutdown());
        });
        for (number, acknowledged) in acknowledged.iter().enumerate() {
            let row = table.get(&Get::new(format!("own{number}"))).unwrap();
            let seen = i64::from_be_bytes(row.cells[0].value[..].try_into().unwrap());
            assert!(seen >= acknowledged.load(Ordering::SeqCst), "client {number}");
        }
    }
}

/// Changes of the table lock it exclusively, and writes of the event loop hold it shared until they are committed.
#[test]
fn puts_beside_changes_of_their_table_are_written_or_refused() {
    let world = World::new();
    let address = world.server.addr();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for number in 0..CLIENTS {
            let (stop, world) = (&stop, &world);
            scope.spawn(move || {
                let (mut client, own) = (Client::new(address), format!("own{number}"));
                let mut last = 0;
                for n in 1.. {
                    if stop.load(Ordering::SeqCst) {
                        break;
                    }
                    let put = Mutation::new(false, b"f:n".to_vec(), i64::to_be_bytes(n).to_vec(), true);
                    let arguments = MutateRowArgs::new(b"t".to_vec(), own.as_bytes().to_vec(), vec![put], None);
                    let result: MutateRowResult = client.call("mutateRow", &arguments).unwrap();
                    match result.io {
                        None => last = n,
                        Some(error) => {
                            let text = error.message.unwrap();
                            assert!(text.contains("disabled"), "{text}");
                        }
                    }
                    if let Ok(row) = world.table.get(&Get::new(own.clone())) {
                        let seen =
                            row.cells.first().map_or(0, |cell| i64::from_be_bytes(cell.value[..].try_into().unwrap()));
                        assert_eq!(seen, last);
                    }
                }
            });
        }
        // Through the engine, as a program does that serves its own database: no lane knows of these changes.
        let name = TableName::parse(b"t").unwrap();
        for _ in 0..30 {
            world.engine.disable_table(&name).unwrap();
            world.engine.enable_table(&name).unwrap();
        }
        stop.store(true, Ordering::SeqCst);
    });
    assert!(world.server.shutdown());
}
