//! Sends arbitrary HTTP requests. The server must answer or close the connection, hold nothing for it afterwards, and
//! keep serving.
//!
//! The first byte of the input chooses its form: bytes after a request line, a body of the right length, a body in
//! chunks, or several requests on one connection. Run with `cargo +nightly fuzz run http` in the root of the
//! repository. The server runs in this process, so that its coverage guides the fuzzer.
#![no_main]

mod serving;

use std::time::Instant;

use hjall_server::Server;
use libfuzzer_sys::fuzz_target;
use serving::{PATIENCE, exchange};

/// A request without its framing.
const HEAD: &str = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-thrift\r\n";

/// `getClusterId`, strict binary.
const CALL: &[u8] = b"\x80\x01\0\x01\0\0\0\x0cgetClusterId\0\0\0\x01\0";

/// A request with a body of the right length.
fn request(body: &[u8], connection: &str) -> Vec<u8> {
    let head = format!("{HEAD}Connection: {connection}\r\nContent-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// A request whose body comes in chunks. The first byte of each chunk is its length.
fn chunked(mut body: &[u8]) -> Vec<u8> {
    let mut bytes = format!("{HEAD}Transfer-Encoding: chunked\r\n\r\n").into_bytes();
    while let Some((length, rest)) = body.split_first() {
        let (chunk, rest) = rest.split_at(usize::from(*length).min(rest.len()));
        if !chunk.is_empty() {
            bytes.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
            bytes.extend_from_slice(chunk);
            bytes.extend_from_slice(b"\r\n");
        }
        body = rest;
    }
    bytes.extend_from_slice(b"0\r\n\r\n");
    bytes
}

/// Waits until the server has no connection and holds nothing for one.
fn until_idle(server: &Server) {
    let until = Instant::now() + PATIENCE;
    while server.connections() > 0 || server.held_bytes() > 0 {
        assert!(Instant::now() < until, "{} connections, {} bytes", server.connections(), server.held_bytes());
        std::thread::yield_now();
    }
}

fuzz_target!(|bytes: &[u8]| {
    let server = serving::server();
    let (form, rest) = bytes.split_first().map_or((0, bytes), |(form, rest)| (*form % 4, rest));
    let sent = match form {
        0 => [b"POST / HTTP/1.1\r\n", rest].concat(),
        1 => request(rest, "close"),
        2 => chunked(rest),
        _ => rest.split(|byte| *byte == b'\n').flat_map(|body| request(body, "keep-alive")).collect(),
    };
    exchange(server.addr(), &sent);
    let answer = exchange(server.addr(), &request(CALL, "close"));
    assert!(answer.starts_with(b"HTTP/1.1 200 "), "{}", answer.escape_ascii());
    until_idle(server);
});
