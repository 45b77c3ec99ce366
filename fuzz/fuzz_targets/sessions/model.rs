//! The steps of a session, and the model of what the server may hold.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use hjall_engine::{Engine, Options};
use hjall_idl::hbase1::{
    ColumnDescriptor, CreateTableArgs, GetRowArgs, GetRowsArgs, MutateRowArgs, Mutation, ScannerCloseArgs,
    ScannerGetListArgs, ScannerOpenArgs,
};
use hjall_server::settings::config::Limits;
use hjall_server::{Config, Server};

use crate::client::{Answer, Client, Form};
use crate::memory;

const TABLE: &[u8] = b"t";

const CONNECTIONS: usize = 4;
const SCANNERS: usize = 5;
const SCANNERS_PER_CONNECTION: usize = 3;
/// The longest message.
pub const MESSAGE_BYTES: usize = 64 << 10;
const REPLY_BYTES: usize = 128 << 10;
const PAGE_BYTES: usize = 32 << 10;
const HELD_BYTES: usize = 1 << 20;

/// Claims that may exceed the limit: replies that have been encoded already, one per connection. A buffer may be
/// twice as large as its contents.
const HELD_BYTES_MAX: usize = HELD_BYTES + CONNECTIONS * 2 * REPLY_BYTES;

/// Memory that no claim covers: threads, buffers of connections, the caches of the engine, this client.
const UNCLAIMED_BYTES: usize = 8 << 20;

/// Memory for each byte that an input stores.
const STORED_FACTOR: usize = 4;

/// A server that has more memory than this between two inputs is replaced. The memory store keeps all versions of a
/// cell.
const LIVE_BYTES_MAX: usize = 256 << 20;

/// Answers that a client leaves unread. More would fill the buffers of the sockets, and block this thread.
const OWED_MAX: usize = 4;

const DEADLINE: Duration = Duration::from_secs(20);

/// A server and the clients of one input.
pub struct Session {
    server: Server,
    clients: Vec<Client>,
    /// Open scanners, by id, with their connection's number in this input.
    scanners: BTreeMap<i32, usize>,
    /// The connection's number of each client.
    numbers: Vec<usize>,
    connected: usize,
    /// Scanners that may be open without being in `scanners`, since their ids were not read.
    unknown: usize,
    stored: usize,
    baseline: usize,
}

/// The rest of the input.
struct Steps<'a>(&'a [u8]);

impl Steps<'_> {
    fn byte(&mut self) -> Option<usize> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(usize::from(*first))
    }

    fn bytes(&mut self, length: usize) -> &[u8] {
        let (taken, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        taken
    }
}

impl Session {
    pub fn start() -> Self {
        let options = Options { cache_bytes: Some(1 << 20), ..Options::default() };
        let engine = Engine::memory(options).expect("a database in memory");
        let limits = Limits {
            connections_max: CONNECTIONS,
            connections_per_address_max: CONNECTIONS,
            message_bytes_max: MESSAGE_BYTES,
            frame_bytes_max: MESSAGE_BYTES,
            reply_bytes_max: REPLY_BYTES,
            page_bytes_max: PAGE_BYTES,
            held_bytes_max: HELD_BYTES,
            scanners_max: SCANNERS,
            scanners_per_address_max: SCANNERS,
            scanners_per_connection_max: SCANNERS_PER_CONNECTION,
            ..Limits::default()
        };
        let config = Config { limits, loops: 1, ..Config::on(SocketAddr::from(([127, 0, 0, 1], 0))) };
        let server = Server::start(config, engine).expect("a free port");
        let session = Self {
            server,
            clients: Vec::new(),
            scanners: BTreeMap::new(),
            numbers: Vec::new(),
            connected: 0,
            unknown: 0,
            stored: 0,
            baseline: 0,
        };
        let mut client = session.bystander();
        let family =
            ColumnDescriptor { name: Some(b"f:".to_vec()), max_versions: Some(1), ..ColumnDescriptor::default() };
        client.send("createTable", &CreateTableArgs::new(TABLE.to_vec(), vec![family]), 100);
        assert!(matches!(client.receive(), Answer::Other), "a table");
        drop(client);
        session.settle();
        session
    }

    fn bystander(&self) -> Client {
        Client::connect(self.server.addr(), Form { compact: false, framed: false })
    }

    /// Takes the steps of an input.
    pub fn run(&mut self, bytes: &[u8]) {
        self.connected = 0;
        self.stored = 0;
        self.baseline = memory::live();
        memory::reset_peak();
        let mut steps = Steps(bytes);
        while self.step(&mut steps).is_some() {
            self.check();
        }
        // Answers that are still owed say which scanners are open.
        for n in 0..self.clients.len() {
            while self.clients[n].owed() > 0 {
                self.receive(n);
            }
        }
        self.check();
    }

    /// One step; `None` at the end of the input.
    fn step(&mut self, steps: &mut Steps<'_>) -> Option<()> {
        let (step, which, amount) = (steps.byte()?, steps.byte()?, steps.byte()?);
        if step % 16 == 0 || self.clients.is_empty() {
            // One more than allowed, so that refusals occur too.
            if self.clients.len() <= CONNECTIONS {
                let form = Form { compact: which & 1 != 0, framed: which & 2 != 0 };
                self.clients.push(Client::connect(self.server.addr(), form));
                self.numbers.push(self.connected);
                self.connected += 1;
            }
            return Some(());
        }
        let n = which % self.clients.len();
        let row = vec![b'a' + u8::try_from(amount % 8).unwrap_or(0)];
        let table = || TABLE.to_vec();
        // A part of most calls only, which another step completes.
        let percent = if step & 0x80 == 0 { 100 } else { which };
        if self.clients[n].owed() >= OWED_MAX {
            self.receive(n);
        }
        match step % 16 {
            1 => self.hang_up(n),
            2 | 3 => {
                let length = amount * if step % 16 == 2 { 64 } else { 512 };
                let put = Mutation::new(false, b"f:q".to_vec(), vec![b'v'; length], true);
                self.stored += length;
                self.clients[n].send("mutateRow", &MutateRowArgs::new(table(), row, vec![put], None), percent);
            }
            4 => self.clients[n].send("getRow", &GetRowArgs::new(table(), row, None), percent),
            5 => {
                let rows = vec![row; amount * 8];
                self.clients[n].send("getRows", &GetRowsArgs::new(table(), rows, None), percent);
            }
            6 | 7 => {
                let arguments = ScannerOpenArgs::new(table(), Vec::new(), Vec::new(), None);
                self.clients[n].send("scannerOpen", &arguments, percent);
            }
            8 | 9 => {
                let rows = i32::try_from(amount).unwrap_or(0);
                let arguments = ScannerGetListArgs::new(self.scanner(amount), rows);
                self.clients[n].send("scannerGetList", &arguments, percent);
            }
            10 => {
                let id = self.scanner(amount);
                self.clients[n].send("scannerClose", &ScannerCloseArgs::new(id), 100);
                while self.clients[n].owed() > 0 {
                    self.receive(n);
                }
                if !self.clients[n].is_closed() {
                    self.scanners.remove(&id);
                }
            }
            11 => {
                let bytes = steps.bytes(amount).to_vec();
                // The bytes may contain calls that open scanners. All methods that do have this in their name.
                let calls = bytes.windows(6).filter(|name| name == b"canner").count();
                self.unknown += self.clients[n].opening() + calls;
                self.clients[n].damage(&bytes);
            }
            12 => self.clients[n].finish(),
            _ => self.receive(n),
        }
        Some(())
    }

    /// The id of an open scanner, or of none.
    fn scanner(&self, choice: usize) -> i32 {
        let ids: Vec<i32> = self.scanners.keys().copied().chain([-1]).collect();
        ids[choice % ids.len()]
    }

    fn receive(&mut self, n: usize) {
        if let Answer::Scanner(id) = self.clients[n].receive() {
            self.scanners.insert(id, self.numbers[n]);
            let own = self.scanners.values().filter(|number| **number == self.numbers[n]).count();
            assert!(own <= SCANNERS_PER_CONNECTION, "a connection has {own} scanners");
        }
        let is_refusable = self.connected > CONNECTIONS || self.clients[n].is_excused();
        assert!(is_refusable || !self.clients[n].is_closed(), "the server closed a connection without a reason");
    }

    fn hang_up(&mut self, n: usize) {
        self.unknown += self.clients[n].opening();
        self.clients.remove(n);
        self.numbers.remove(n);
    }

    /// Compares the server with the model.
    fn check(&self) {
        let figures = self.server.view().expect("it serves a database").figures();
        assert!(figures.connections <= CONNECTIONS, "{} connections", figures.connections);
        assert!(figures.held_bytes <= HELD_BYTES_MAX, "{} bytes claimed", figures.held_bytes);
        let opening: usize = self.clients.iter().map(Client::opening).sum();
        let scanners = SCANNERS.min(self.scanners.len() + opening + self.unknown);
        assert!(figures.scanners <= scanners, "{} scanners, {scanners} are known", figures.scanners);
        let grown = memory::peak().saturating_sub(self.baseline);
        let allowed = UNCLAIMED_BYTES + HELD_BYTES_MAX + STORED_FACTOR * self.stored;
        assert!(grown <= allowed, "{grown} bytes of memory, {allowed} are allowed");
    }

    /// Ends all sessions of an input. Returns whether the server can serve another one.
    pub fn end(&mut self) -> bool {
        while !self.clients.is_empty() {
            self.hang_up(0);
        }
        self.settle();
        let mut client = self.bystander();
        client.send("getRow", &GetRowArgs::new(TABLE.to_vec(), b"a".to_vec(), None), 100);
        assert!(matches!(client.receive(), Answer::Other), "another client is not served");
        while let Some((id, _)) = self.scanners.pop_first() {
            client.send("scannerClose", &ScannerCloseArgs::new(id), 100);
            assert!(matches!(client.receive(), Answer::Other), "a scanner cannot be closed");
        }
        drop(client);
        self.settle();
        if self.unknown > 0 {
            return false;
        }
        self.check();
        memory::live() < LIVE_BYTES_MAX
    }

    /// Waits until the server has noticed that all clients have gone.
    fn settle(&self) {
        let until = Instant::now() + DEADLINE;
        while self.server.connections() > 0 || self.server.held_bytes() > 0 {
            let (connections, held) = (self.server.connections(), self.server.held_bytes());
            assert!(Instant::now() < until, "{connections} connections and {held} bytes are still held");
            std::thread::yield_now();
        }
    }
}
