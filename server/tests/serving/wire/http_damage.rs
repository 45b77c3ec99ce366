//! Damaged HTTP: its sender gets an answer or the end of the connection, and other clients are not affected.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};

use proptest::prelude::*;

use super::client::{Arg, Protocol, connect, message};
use super::echo::{config, serve};

/// A request in pieces, each of which may be omitted, repeated or overwritten.
fn request() -> impl Strategy<Value = Vec<u8>> {
    let line = prop_oneof![
        6 => Just(b"POST / HTTP/1.1\r\n".to_vec()),
        1 => Just(b"POST / HTTP/1.0\r\n".to_vec()),
        1 => Just(b"GET /x HTTP/1.1\r\n".to_vec()),
        1 => Just(b"POST / HTTP/9.9\r\n".to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..40).prop_map(|mut junk| { junk.splice(0..0, *b"POST "); junk }),
    ];
    let header = prop_oneof![
        3 => (0u64..400).prop_map(|n| format!("Content-Length: {n}\r\n").into_bytes()),
        1 => any::<u64>().prop_map(|n| format!("Content-Length: {n}\r\n").into_bytes()),
        3 => Just(b"Transfer-Encoding: chunked\r\n".to_vec()),
        4 => Just(b"Content-Type: application/x-thrift\r\n".to_vec()),
        1 => Just(b"Origin: https://example.com\r\n".to_vec()),
        1 => Just(b"Expect: 100-continue\r\n".to_vec()),
        1 => Just(b"Connection: close\r\n".to_vec()),
        1 => Just(b"Connection: upgrade\r\nUpgrade: h2c\r\n".to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..80),
    ];
    let whole = || message(Protocol::Strict, "getRow", 1, &[Arg::Bytes(1, b"t".to_vec())]);
    let piece = prop_oneof![
        2 => Just(whole()),
        2 => (0usize..40).prop_map(move |n| { let bytes = whole(); bytes[..n.min(bytes.len())].to_vec() }),
        2 => Just([format!("{:x}\r\n", whole().len()).into_bytes(), whole(), b"\r\n0\r\n\r\n".to_vec()].concat()),
        1 => Just(b"ffffffffffffffff\r\n".to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..200),
    ];
    let pieces = (line, proptest::collection::vec(header, 0..5), any::<bool>(), proptest::collection::vec(piece, 0..3));
    pieces.prop_map(|(line, headers, ended, body)| {
        [line, headers.concat(), if ended { b"\r\n".to_vec() } else { Vec::new() }, body.concat()].concat()
    })
}

/// Sends all bytes and reads to the end of the connection. If the server neither answers nor closes, the stream's time
/// limit fails the test.
fn exchange(addr: SocketAddr, bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut stream: TcpStream = connect(addr);
    let mut answer = Vec::new();
    // The server may close before it has read everything. The rest of the exchange then fails, which counts as an
    // answer.
    match stream
        .write_all(bytes)
        .and_then(|()| stream.shutdown(Shutdown::Write))
        .and_then(|()| stream.read_to_end(&mut answer))
    {
        Err(e) if matches!(e.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => Err(e),
        _ => Ok(answer),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1, ..ProptestConfig::default() })]

    /// Catches a request that makes the server panic, hang, or stop serving others.
    #[test]
    fn damaged_requests_affect_only_their_sender(requests in proptest::collection::vec(request(), 300)) {
        let (server, _gate) = serve(config());
        for bytes in &requests {
            let answered = exchange(server.addr(), bytes);
            prop_assert!(answered.is_ok(), "neither answer nor end: {:?} after {}", answered, bytes.escape_ascii());
        }
        // One call runs on the event loop and one waits for a worker. The client closes its side at once.
        for name in ["getRow", "mutateRows"] {
            let whole = message(Protocol::Strict, name, 1, &[Arg::Bytes(1, b"t".to_vec())]);
            let head = format!("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-thrift\r\nContent-Length: {}\r\n\r\n", whole.len());
            let answer = exchange(server.addr(), &[head.as_bytes(), &whole].concat()).unwrap();
            prop_assert!(answer.starts_with(b"HTTP/1.1 200 "), "{name}: {}", answer.escape_ascii());
        }
    }
}
