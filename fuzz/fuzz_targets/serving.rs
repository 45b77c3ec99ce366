//! A server in this process, and exchanges with it over HTTP.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::OnceLock;
use std::time::Duration;

use hjall_engine::{Engine, Options};
use hjall_server::{Config, Server};

/// The time in which the server has to answer, and to notice the end of a connection.
pub const PATIENCE: Duration = Duration::from_secs(20);

static SERVER: OnceLock<Server> = OnceLock::new();

/// The server of this process, with a database in memory.
pub fn server() -> &'static Server {
    SERVER.get_or_init(|| {
        let engine = Engine::memory(Options::default()).expect("a database in memory");
        Server::start(Config::on(SocketAddr::from(([127, 0, 0, 1], 0))), engine).expect("a free port")
    })
}

/// Sends bytes and returns what the server answers until it closes the connection.
pub fn exchange(address: SocketAddr, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
    let mut answer = Vec::new();
    let sent = stream.write_all(bytes).and_then(|()| stream.shutdown(Shutdown::Write));
    if let Err(e) = sent.and_then(|()| stream.read_to_end(&mut answer)) {
        assert!(!matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "neither an answer nor an end");
    }
    answer
}
