//! Sends arbitrary bytes as an HTTP request. The server must answer or close the connection, and keep serving.
//!
//! Run with `cargo +nightly fuzz run http` in the root of the repository. The server runs in this process, so
//! that its coverage guides the fuzzer.
#![no_main]

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::OnceLock;
use std::time::Duration;

use hjall_engine::{Engine, Options};
use hjall_server::{Config, Server};
use libfuzzer_sys::fuzz_target;

/// `getClusterId`, strict binary.
const CALL: &[u8] = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-thrift\r\nConnection: close\r\nContent-Length: 25\r\n\r\n\x80\x01\0\x01\0\0\0\x0cgetClusterId\0\0\0\x01\0";

static SERVER: OnceLock<Server> = OnceLock::new();

fn exchange(address: SocketAddr, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a time limit");
    let mut answer = Vec::new();
    let sent = stream.write_all(bytes).and_then(|()| stream.shutdown(Shutdown::Write));
    if let Err(e) = sent.and_then(|()| stream.read_to_end(&mut answer)) {
        assert!(!matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "no answer, and not closed");
    }
    answer
}

fuzz_target!(|bytes: &[u8]| {
    let server = SERVER.get_or_init(|| {
        let engine = Engine::memory(Options::default()).expect("a database in memory");
        Server::start(Config::on(SocketAddr::from(([127, 0, 0, 1], 0))), engine).expect("a free port")
    });
    exchange(server.addr(), &[b"POST / HTTP/1.1\r\n", bytes].concat());
    let answer = exchange(server.addr(), CALL);
    assert!(answer.starts_with(b"HTTP/1.1 200 "), "{}", answer.escape_ascii());
});
