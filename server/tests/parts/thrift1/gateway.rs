//! A gateway with a manual clock, and calls as a client encodes them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hjall_engine::clock::ManualClock;
use hjall_engine::name::TableName;
use hjall_engine::schema::{FamilyDescriptor, TableDescriptor};
use hjall_engine::{Engine, Options};
use hjall_idl::hbase1::*;
use hjall_server::dispatch::call::Services;
use hjall_server::dispatch::call_scope::CallScope;
use hjall_server::dispatch::caller::Caller;
use hjall_server::dispatch::identity::Identity;
use hjall_server::gateway::compactor::Compactor;
use hjall_server::gateway::context::Context;
use hjall_server::gateway::scanners::Scanners;
use hjall_server::observe::{SlowSettings, Watch};
use hjall_server::settings::config::{CallOptions, CompactionSettings, Limits};
use hjall_server::wire::Encoding;
use hjall_server::wire::fault::Fault;
use hjall_server::wire::method::{Name, Service};
use hjall_server::wire::reply::{Buffer, Output};
use thrift::protocol::{TBinaryInputProtocol, TBinaryOutputProtocol, TSerializable};

/// The time of the clock.
pub const NOW: i64 = 1_000_000;

pub struct Gateway {
    pub context: Context,
}

impl Gateway {
    /// A gateway with a table `t` that has the families `f` (three versions) and `g` and is split at these keys.
    pub fn new(splits: &[&'static str]) -> Self {
        let clock = Arc::new(ManualClock::at(NOW));
        let engine = Engine::memory(Options { clock: Some(clock.clone()), ..Options::default() }).unwrap();
        let mut table = TableDescriptor::new(TableName::parse(b"t").unwrap());
        let mut family = FamilyDescriptor::new("f").unwrap();
        family.set_max_versions(3).unwrap();
        table.add_family(family).unwrap();
        table.add_family(FamilyDescriptor::new("g").unwrap()).unwrap();
        engine.create_table(table, splits.iter().map(|&key| key.into()).collect()).unwrap();
        let scanners = Scanners::new(&Limits::default(), clock.clone());
        let identity = Identity { host: "host".to_owned(), port: 9090, start_code: 7 };
        let settings = CompactionSettings { request_delay: Duration::ZERO, ..CompactionSettings::default() };
        let compactor = Compactor::start(engine.clone(), settings).unwrap();
        let watch = Arc::new(Watch::new(SlowSettings::default(), None));
        Self {
            context: Context {
                access: Arc::default(),
                engine,
                scanners,
                compactor,
                identity,
                options: CallOptions::default(),
                watch,
            },
        }
    }

    /// Makes one call of Thrift1. Returns its result struct, or a fault that the contract does not declare.
    pub fn call<R: TSerializable>(&self, method: &str, arguments: impl TSerializable) -> Result<R, Fault> {
        self.call_service(Service::Thrift1, method, arguments)
    }

    /// Makes one call of either service.
    pub fn call_service<R: TSerializable>(
        &self,
        service: Service,
        method: &str,
        arguments: impl TSerializable,
    ) -> Result<R, Fault> {
        let (mut sent, mut answered) = (Vec::new(), Vec::new());
        arguments.write_to_out_protocol(&mut TBinaryOutputProtocol::new(&mut sent, true)).unwrap();
        let input = &mut TBinaryInputProtocol::new(&sent[..], true);
        let caller = Caller::new(([127, 0, 0, 1], 1).into());
        let method = Name::find(method.as_bytes()).and_then(|name| name.of(service)).unwrap();
        self.context.call(
            &CallScope::unlimited(&caller),
            method,
            input,
            &mut Output::new(Encoding::Binary, Buffer::new(&mut answered, usize::MAX)),
        )?;
        Ok(R::read_from_in_protocol(&mut TBinaryInputProtocol::new(&answered[..], true)).unwrap())
    }

    /// A row as `column@time=value …`.
    pub fn row(&self, row: &str) -> String {
        let arguments = GetRowArgs { table_name: bytes("t"), row: bytes(row), attributes: None };
        let result: GetRowResult = self.call("getRow", arguments).unwrap();
        result.success.unwrap().iter().map(shown).collect::<Vec<_>>().join("; ")
    }

    /// `mutateRow` of the table `t`.
    pub fn mutate_row(&self, row: &str, mutations: Vec<Mutation>) -> MutateRowResult {
        let mutations = Some(mutations);
        let arguments = MutateRowArgs { table_name: bytes("t"), row: bytes(row), mutations, attributes: None };
        self.call("mutateRow", arguments).unwrap()
    }

    /// `mutateRows` of the table `t`.
    pub fn mutate_rows(&self, rows: Vec<(&str, Vec<Mutation>)>, attributes: Attributes) -> MutateRowsResult {
        let batch = |(row, mutations)| BatchMutation { row: bytes(row), mutations: Some(mutations) };
        let row_batches = Some(rows.into_iter().map(batch).collect());
        let arguments = MutateRowsArgs { table_name: bytes("t"), row_batches, attributes };
        self.call("mutateRows", arguments).unwrap()
    }
}

/// The attributes of a call.
pub type Attributes = Option<BTreeMap<Vec<u8>, Vec<u8>>>;

/// One attribute.
pub fn attribute(name: &str, value: &[u8]) -> Attributes {
    Some(BTreeMap::from([(name.as_bytes().to_vec(), value.to_vec())]))
}

/// A bytes argument.
pub fn bytes(text: &str) -> Option<Vec<u8>> {
    Some(text.as_bytes().to_vec())
}

/// A put of `column=value`.
pub fn put(cell: &str) -> Mutation {
    let (column, value) = cell.split_once('=').unwrap();
    Mutation { column: bytes(column), value: bytes(value), ..Mutation::default() }
}

/// A delete of a column or family.
pub fn delete(column: &str) -> Mutation {
    Mutation { is_delete: Some(true), column: bytes(column), ..Mutation::default() }
}

/// A row of a result as text.
pub fn shown(row: &TRowResult) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut out = text(row.row.as_ref().unwrap());
    for (column, cell) in row.columns.as_ref().unwrap() {
        let (time, value) = (cell.timestamp.unwrap(), text(cell.value.as_ref().unwrap()));
        out.push_str(&format!(" {}@{time}={value}", text(column)));
    }
    out
}

/// The Java class at the beginning of an error's text, and whether the call can be retried.
pub fn raised(io: &Option<IOError>) -> (String, bool) {
    let io = io.as_ref().expect("an IOError");
    let class = io.message.as_ref().unwrap().split(':').next().unwrap();
    (class.rsplit('.').next().unwrap().to_owned(), io.can_retry.unwrap())
}
