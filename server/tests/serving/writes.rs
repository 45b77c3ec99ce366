//! Concurrent writes through sockets: calls whose writes are committed together are answered as if they had been alone.

use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use hjall_engine::clock::SystemClock;
use hjall_engine::name::TableName;
use hjall_engine::request::Get;
use hjall_engine::schema::{FamilyDescriptor, TableDescriptor};
use hjall_engine::store::fault::{Call, Counted, FaultStore, InjectedFault, When};
use hjall_engine::store::{FjallStore, StoreOptions};
use hjall_engine::{Engine, ErrorKind, Table};
use hjall_idl::hbase1::*;
use hjall_server::{Config, Server};
use thrift::protocol::{
    TBinaryInputProtocol, TBinaryOutputProtocol, TInputProtocol, TMessageIdentifier, TMessageType, TOutputProtocol,
    TSerializable,
};
use thrift::transport::{TFramedReadTransport, TFramedWriteTransport};

const CLIENTS: usize = 8;
const CALLS: i64 = 60;

/// A database on disk whose store can be made to fail.
struct World {
    server: Server,
    store: Arc<FaultStore>,
    table: Table,
    _folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = StoreOptions { clock: Some(Arc::new(SystemClock)), ..StoreOptions::default() };
        let store = Arc::new(FaultStore::new(FjallStore::open(folder.path(), options).unwrap()));
        let engine = Engine::with_store(store.clone()).unwrap();
        let name = TableName::parse(b"t").unwrap();
        let mut descriptor = TableDescriptor::new(name.clone());
        descriptor.add_family(FamilyDescriptor::new("f").unwrap()).unwrap();
        engine.create_table(descriptor, vec![]).unwrap();
        let table = engine.table(&name);
        let server = Server::start(Config::on(([127, 0, 0, 1], 0).into()), engine).unwrap();
        Self { server, store, table, _folder: folder }
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
        let mut framed = TFramedWriteTransport::new(&mut self.0);
        {
            let mut out = TBinaryOutputProtocol::new(&mut framed, true);
            out.write_message_begin(&TMessageIdentifier::new(method, TMessageType::Call, 1)).unwrap();
            arguments.write_to_out_protocol(&mut out).unwrap();
            out.write_message_end().unwrap();
            out.flush().unwrap();
        }
        let mut input = TBinaryInputProtocol::new(TFramedReadTransport::new(&mut self.0), true);
        let message = input.read_message_begin().unwrap();
        assert_eq!(message.name, method);
        (message.message_type == TMessageType::Reply).then(|| R::read_from_in_protocol(&mut input).unwrap())
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
