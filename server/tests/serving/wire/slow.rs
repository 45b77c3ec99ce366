//! Clients that send or read slowly: they may use the resources that the limits grant, for a limited time.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use hjall_server::Config;
use hjall_server::settings::config::{HttpSettings, Limits};
use socket2::{Domain, Socket, Type};

use super::client::{Answer, Arg, Client, NO_ARGS, Protocol, WAYS, connect, message};
use super::echo::{config, limited, serve};
use super::http::read;
use crate::eventually::eventually;

/// Limits with short windows, in each of which 100 KB must be transferred.
fn brisk() -> Limits {
    Limits { stall_max: Duration::from_millis(100), min_rate: Some(1_000_000), ..Limits::default() }
}

/// A connection whose buffers are smaller than a reply.
fn narrow(addr: SocketAddr) -> TcpStream {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.set_recv_buffer_size(1 << 12).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    socket.connect(&addr.into()).unwrap();
    socket.into()
}

fn post(name: &str, args: &[Arg]) -> Vec<u8> {
    let body = message(Protocol::Strict, name, 1, args);
    let head = format!(
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-thrift\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), &body].concat()
}

/// Sends the bytes one by one until the server ends the connection.
fn drip(stream: &mut TcpStream, bytes: &[u8]) {
    for byte in bytes.iter().cycle() {
        if stream.write_all(&[*byte]).is_err() {
            return;
        }
        std::thread::yield_now();
    }
}

#[test]
fn a_message_that_arrives_too_slowly_ends_the_connection() {
    // No client is that fast, on any machine.
    let limits = Limits { min_rate: Some(1 << 40), ..brisk() };
    let (server, _gate) = serve(limited(limits));
    for way in [WAYS[0], WAYS[3]] {
        let mut client = Client::new(server.addr(), way);
        let bytes = client.bytes("mutateRow", &[Arg::Bytes(1, vec![0; 90 << 20])]);
        client.stream.write_all(&bytes[..1 << 10]).unwrap();
        drip(&mut client.stream, &[0]);
    }
    eventually("all connections are closed", || server.connections() == 0);
    assert_eq!(server.held_bytes(), 0);
}

#[test]
fn a_body_that_arrives_too_slowly_ends_the_connection() {
    let limits = Limits { min_rate: Some(1 << 40), ..brisk() };
    let (server, _gate) = serve(limited(limits));
    let mut http = connect(server.addr());
    http.write_all(&post("mutateRow", &[Arg::Bytes(1, vec![0; 1 << 20])])[..500]).unwrap();
    drip(&mut http, &[0]);
    eventually("all connections are closed", || server.connections() == 0);
}

#[test]
fn the_head_of_a_request_must_arrive_in_limited_time() {
    let http = HttpSettings { header_timeout: Duration::from_millis(50), ..HttpSettings::default() };
    let (server, _gate) = serve(Config { http, ..config() });
    for begin in [&b"POST / HTTP/1.1\r\n"[..], &[&post("getRow", NO_ARGS)[..], b"POST / HTTP/1.1\r\n"].concat()] {
        let mut http = connect(server.addr());
        http.write_all(begin).unwrap();
        drip(&mut http, b"x: y\r\n");
    }
    // A connection between two requests is not in a head.
    let mut idle = connect(server.addr());
    idle.write_all(&post("getRow", NO_ARGS)).unwrap();
    let mut first = [0; 12];
    idle.read_exact(&mut first).unwrap();
    eventually("the slow connections are closed", || server.connections() <= 1);
    assert_eq!(&first, b"HTTP/1.1 200");
}

#[test]
fn an_http_connection_without_a_further_request_is_closed() {
    let http = HttpSettings { keep_alive: Duration::from_millis(50), ..HttpSettings::default() };
    let (server, _gate) = serve(Config { http, ..config() });
    let mut idle = connect(server.addr());
    idle.write_all(&post("getRow", NO_ARGS)).unwrap();
    let mut answer = Vec::new();
    idle.read_to_end(&mut answer).unwrap();
    assert!(answer.starts_with(b"HTTP/1.1 200"), "{}", answer.escape_ascii());
}

#[test]
fn an_unread_reply_is_abandoned_and_its_memory_released() {
    let (server, _gate) = serve(limited(brisk()));
    let mut thrift = Client::over(narrow(server.addr()), WAYS[0]);
    let bytes = thrift.bytes("getRowWithColumns", NO_ARGS).repeat(40);
    thrift.stream.write_all(&bytes).unwrap();
    let mut http = narrow(server.addr());
    http.write_all(&post("getRowWithColumns", NO_ARGS).repeat(40)).unwrap();
    eventually("all connections are closed", || server.connections() == 0);
    assert_eq!(server.held_bytes(), 0);
}

#[test]
fn an_http_reply_counts_as_held_until_it_has_been_sent() {
    let (server, _gate) = serve(limited(Limits::default()));
    let mut http = narrow(server.addr());
    http.write_all(&post("getRowWithColumns", NO_ARGS).repeat(40)).unwrap();
    eventually("a reply is held", || server.held_bytes() >= 1 << 20);
    let mut received = 0;
    let mut into = vec![0; 1 << 16];
    while received < 40 << 20 {
        received += http.read(&mut into).unwrap();
    }
    eventually("all memory is released", || server.held_bytes() == 0);
}

#[test]
fn stopping_sends_an_http_reply_to_its_end() {
    let (server, _gate) = serve(limited(Limits::default()));
    let addr = server.addr();
    let mut http = narrow(addr);
    // Few enough to arrive at once: with unread requests the system would reset the connection on close.
    http.write_all(&post("getRowWithColumns", NO_ARGS).repeat(12)).unwrap();
    // From here on a reply is blocked, since the system's buffers are smaller than 12 MiB.
    eventually("a reply is held", || server.held_bytes() >= 1 << 20);
    let stopping = std::thread::spawn(move || server.shutdown());
    eventually("new connections are refused", || TcpStream::connect(addr).is_err());
    let mut http = BufReader::new(http);
    let mut replies = 0;
    // Fails for a reply that ends early.
    while !http.fill_buf().unwrap().is_empty() {
        let (status, _, body) = read(&mut http);
        assert!((status, body.len() > 1 << 20) == (200, true) || status == 503, "{status}");
        replies += 1;
    }
    assert!(replies > 0);
    assert!(stopping.join().unwrap(), "every call finished");
}

#[test]
fn a_connection_that_never_sends_anything_is_closed() {
    let limits = Limits { first_call_max: Some(Duration::from_millis(20)), ..Limits::default() };
    let (server, _gate) = serve(limited(limits));
    let mut silent = Client::new(server.addr(), WAYS[0]);
    assert_eq!(silent.rest(), b"");
    let mut speaking = Client::new(server.addr(), WAYS[0]);
    assert_eq!(speaking.call("getRow", NO_ARGS), Answer::Success("Thrift1 getRow".to_owned()));
    let mut other = Client::new(server.addr(), WAYS[0]);
    assert_eq!(other.rest(), b"", "an idle connection that has made a call would have been closed later");
    assert_eq!(speaking.call("getRow", NO_ARGS), Answer::Success("Thrift1 getRow".to_owned()));
}
