//! Short calls on the event loop: narrow rows are read there, and a wide one moves to a worker before it delays other
//! connections; a write of one transaction runs there, and one of several in a worker.

use std::sync::{Arc, Mutex};

use hjall_engine::mutation::{Durability, Put, PutCell};
use hjall_engine::name::TableName;
use hjall_engine::request::Get;
use hjall_engine::schema::{FamilyDescriptor, TableDescriptor};
use hjall_engine::{Engine, LATEST, Options, Table};
use hjall_server::Server;
use hjall_server::dispatch::call::Services;
use hjall_server::dispatch::call_scope::CallScope;
use hjall_server::wire::fault::Fault;
use hjall_server::wire::method::{LaneKind, Method};
use hjall_server::wire::reply::Output;
use thrift::protocol::{TInputProtocol, TType};

use super::client::{Answer, Client, NO_ARGS, WAYS};
use super::echo::{config, lane};

const CELLS: usize = 20_000;

/// Methods that write, and the beginning of the name of the thread that runs them.
const WRITES: [(&str, &str); 5] = [
    ("mutateRow", "hjall-io-"),
    ("mutateRows", "hjall-io-"),
    ("atomicIncrement", "hjall-io-"),
    ("checkAndPut", "hjall-io-"),
    ("incrementRows", "hjall-write-"),
];

/// Answers `getRow` with the number of cells in the row `wide`, and other reads with that of the row `narrow`. Notes
/// the threads that it ran on.
struct Reader {
    table: Table,
    threads: Mutex<Vec<String>>,
}

impl Reader {
    fn new() -> Arc<Self> {
        let engine = Engine::memory(Options::default()).unwrap();
        let name = TableName::parse(b"t").unwrap();
        let mut descriptor = TableDescriptor::new(name.clone());
        descriptor.add_family(FamilyDescriptor::new("f").unwrap()).unwrap();
        engine.create_table(descriptor, vec![]).unwrap();
        let table = engine.table(&name);
        for (row, cells) in [("narrow", 3), ("wide", CELLS)] {
            let cell = |n: usize| PutCell {
                family: "f".into(),
                qualifier: format!("{n:06}").into(),
                timestamp: LATEST,
                value: "v".into(),
            };
            let cells = (0..cells).map(cell).collect();
            table.put(&Put { row: row.into(), cells, ttl_ms: None, durability: Durability::default() }).unwrap();
        }
        Arc::new(Self { table, threads: Mutex::default() })
    }

    /// Takes the names of the threads that calls ran on.
    fn threads(&self) -> Vec<String> {
        std::mem::take(&mut self.threads.lock().unwrap())
    }
}

impl Services for Reader {
    fn call(
        &self,
        _: &CallScope<'_>,
        method: Method,
        input: &mut dyn TInputProtocol,
        output: &mut Output<'_>,
    ) -> Result<(), Fault> {
        input.skip(TType::Struct)?;
        self.threads.lock().unwrap().push(std::thread::current().name().unwrap_or_default().to_owned());
        let row = if method.name() == "getRow" { "wide" } else { "narrow" };
        let found = self.table.get(&Get::new(row)).map_err(|error| Fault::internal(error.to_string()))?;
        super::echo::answer(output, &found.cells.len().to_string())
    }
}

fn is_worker(thread: &str) -> bool {
    thread.starts_with("hjall-read-")
}

#[test]
fn a_wide_row_moves_from_the_event_loop_to_a_worker() {
    let reader = Reader::new();
    let server = Server::with_services(config(), |_| reader.clone()).unwrap();
    for way in WAYS {
        let mut client = Client::new(server.addr(), way);
        // While reads are slow, only some of them are tried on the event loop.
        let threads = loop {
            assert_eq!(client.call("getRow", NO_ARGS), Answer::Success(CELLS.to_string()));
            let threads = reader.threads();
            assert!(is_worker(threads.last().unwrap()), "the row was read as a whole by {threads:?}");
            if threads.len() == 2 {
                break threads;
            }
        };
        assert!(!is_worker(&threads[0]), "{threads:?}");
        assert_eq!(client.call("get", NO_ARGS), Answer::Success("3".to_owned()));
        assert_eq!(reader.threads().len(), 1, "a narrow row is read once, on either thread");
    }
    let reads = lane(&server, LaneKind::Read);
    assert_eq!((reads.under_way, reads.running), (0, 0), "a call that moved holds one permit");
    assert_eq!(reads.finished, reads.wait.count(), "it is counted once");
}

#[test]
fn a_write_of_one_transaction_runs_on_the_event_loop_and_one_of_several_in_a_worker() {
    let reader = Reader::new();
    let server = Server::with_services(config(), |_| reader.clone()).unwrap();
    for way in WAYS {
        let mut client = Client::new(server.addr(), way);
        for (method, thread) in WRITES {
            assert_eq!(client.call(method, NO_ARGS), Answer::Success("3".to_owned()));
            let threads = reader.threads();
            assert!(threads.len() == 1 && threads[0].starts_with(thread), "{method}: {threads:?}");
        }
    }
    let writes = lane(&server, LaneKind::Write);
    assert_eq!((writes.under_way, writes.running), (0, 0));
    assert_eq!(writes.finished, (WRITES.len() * WAYS.len()) as u64);
}
