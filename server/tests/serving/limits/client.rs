//! A server over an engine of the test, and a client that uses the strict binary protocol and the generated structs.

use std::io::Write;
use std::net::{SocketAddr, TcpStream};

use hjall_engine::{Engine, Options};
use hjall_idl::hbase1::{
    BatchMutation, ColumnDescriptor, CreateTableArgs, CreateTableResult, MutateRowsArgs, MutateRowsResult, Mutation,
};
use hjall_server::settings::config::Limits;
use hjall_server::{Config, Server};
use thrift::protocol::{
    TBinaryInputProtocol, TBinaryOutputProtocol, TInputProtocol, TMessageIdentifier, TMessageType, TOutputProtocol,
    TSerializable,
};

/// The table that each test has, with one family `f`.
pub const TABLE: &[u8] = b"t";

pub struct Client(TcpStream);

impl Client {
    pub fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(std::time::Duration::from_secs(60))).unwrap();
        Self(stream)
    }

    /// Makes one call and returns its result struct.
    pub fn call<R: TSerializable>(&mut self, method: &str, arguments: &impl TSerializable) -> R {
        self.0.write_all(&message(method, arguments)).unwrap();
        let mut input = TBinaryInputProtocol::new(&self.0, true);
        let head = input.read_message_begin().unwrap();
        assert_eq!((head.name.as_str(), head.message_type), (method, TMessageType::Reply));
        R::read_from_in_protocol(&mut input).unwrap()
    }

    /// Puts one row in one call.
    pub fn put_row(&mut self, n: usize) {
        let put: MutateRowsResult = self.call("mutateRows", &MutateRowsArgs::new(TABLE.to_vec(), vec![batch(n)], None));
        assert_eq!((put.io, put.ia), (None, None));
    }
}

/// A call in the strict binary protocol.
pub fn message(method: &str, arguments: &impl TSerializable) -> Vec<u8> {
    let mut sent = Vec::new();
    let mut out = TBinaryOutputProtocol::new(&mut sent, true);
    out.write_message_begin(&TMessageIdentifier::new(method, TMessageType::Call, 1)).unwrap();
    arguments.write_to_out_protocol(&mut out).unwrap();
    sent
}

/// A put of row `n`, which is 10 KiB long.
fn batch(n: usize) -> BatchMutation {
    let put = Mutation::new(false, b"f:q".to_vec(), vec![b'v'; 10 << 10], true);
    BatchMutation::new(format!("row{n:03}").into_bytes(), vec![put])
}

/// Starts a server over a database in memory and connects a first client. The table has `rows` rows of 10 KiB.
pub fn serve(limits: Limits, rows: usize) -> (Server, Client) {
    serve_engine(limits, Engine::memory(Options::default()).unwrap(), rows)
}

/// Like [`serve`], over this engine.
pub fn serve_engine(limits: Limits, engine: Engine, rows: usize) -> (Server, Client) {
    let config = Config { limits, ..Config::on("127.0.0.1:0".parse().unwrap()) };
    let server = Server::start(config, engine).unwrap();
    let mut client = Client::connect(server.addr());
    let family = ColumnDescriptor { name: Some(b"f:".to_vec()), max_versions: Some(1), ..ColumnDescriptor::default() };
    let made: CreateTableResult = client.call("createTable", &CreateTableArgs::new(TABLE.to_vec(), vec![family]));
    assert_eq!((made.io, made.ia, made.exist), (None, None, None));
    let batches: Vec<_> = (0..rows).map(batch).collect();
    let put: MutateRowsResult = client.call("mutateRows", &MutateRowsArgs::new(TABLE.to_vec(), batches, None));
    assert_eq!((put.io, put.ia), (None, None));
    (server, client)
}
