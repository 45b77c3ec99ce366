//! Sends arbitrary bytes where a login with SASL is expected, and arbitrary frames after a login. The server must
//! refuse the login or close the connection, hold nothing for it afterwards, and keep logging others in. Nobody may be
//! served without a login.
//!
//! The first byte of the input chooses its form: raw bytes, negotiation messages with lengths that fit, a response of
//! PLAIN, or frames after a login that succeeds. Run with `cargo +nightly fuzz run sasl` in the root of the repository.
#![no_main]

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use hjall_engine::{Engine, Options};
use hjall_server::access::HashedPassword;
use hjall_server::settings::config::WithoutTls;
use hjall_server::{Config, Server};
use libfuzzer_sys::fuzz_target;

/// The time in which the server has to answer, and to notice the end of a connection.
const PATIENCE: Duration = Duration::from_secs(20);

const START: u8 = 1;
const OK: u8 = 2;
const COMPLETE: u8 = 5;

/// `getClusterId`, strict binary.
const CALL: &[u8] = b"\x80\x01\0\x01\0\0\0\x0cgetClusterId\0\0\0\x01\0";
/// The beginning of its reply.
const REPLY: &[u8] = b"\x80\x01\0\x02\0\0\0\x0cgetClusterId";

static SERVER: OnceLock<Server> = OnceLock::new();

fn start() -> Server {
    let users = std::env::temp_dir().join(format!("hjall-fuzz-sasl-{}.toml", std::process::id()));
    let hash = HashedPassword::new(b"secret").expect("a hash");
    std::fs::write(&users, format!("[users.alice]\npassword = \"{}\"\nread = [\"*\"]\n", hash.as_str()))
        .expect("a temporary file");
    let mut config = Config::on(SocketAddr::from(([127, 0, 0, 1], 0)));
    config.auth.users = Some(users.clone());
    config.auth.without_tls = WithoutTls::Loopback;
    config.auth.tries = u32::MAX;
    let engine = Engine::memory(Options::default()).expect("a database in memory");
    let server = Server::start(config, engine).expect("a free port");
    let _ = std::fs::remove_file(users);
    server
}

/// A negotiation message.
fn message(status: u8, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).expect("a short payload");
    [&[status], &length.to_be_bytes()[..], payload].concat()
}

fn login(response: &[u8]) -> Vec<u8> {
    [message(START, b"PLAIN"), message(OK, response)].concat()
}

/// A frame inside SASL.
fn frame(bytes: &[u8]) -> Vec<u8> {
    let length = u32::try_from(bytes.len()).expect("a short frame");
    [&length.to_be_bytes()[..], bytes].concat()
}

/// Logs in, calls and returns what the server answers. A client that has closed its sending side before its call begins
/// counts as gone, so this one keeps it open.
fn call_after_login(address: SocketAddr) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
    stream.write_all(&[login(b"\0alice\0secret"), frame(CALL)].concat()).expect("the server reads");
    let (mut answer, mut part) = (Vec::new(), [0; 256]);
    while !contains(&answer, REPLY) {
        match stream.read(&mut part).expect("an answer") {
            0 => break,
            read => answer.extend_from_slice(&part[..read]),
        }
    }
    answer
}

fn exchange(address: SocketAddr, bytes: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time limit");
    let mut answer = Vec::new();
    let sent = stream.write_all(bytes).and_then(|()| stream.shutdown(Shutdown::Write));
    if let Err(e) = sent.and_then(|()| stream.read_to_end(&mut answer).map(|_| ())) {
        assert!(!matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "neither an answer nor an end");
    }
    answer
}

fn contains(answer: &[u8], part: &[u8]) -> bool {
    answer.windows(part.len()).any(|window| window == part)
}

fuzz_target!(|bytes: &[u8]| {
    let server = SERVER.get_or_init(start);
    let (form, rest) = bytes.split_first().map_or((0, bytes), |(form, rest)| (*form % 4, rest));
    let (sent, logs_in) = match form {
        0 => ([&message(START, b"PLAIN")[..], rest, &frame(CALL)].concat(), false),
        1 => {
            let messages = rest.split(|byte| *byte == b'\n').map(|part| match part.split_first() {
                Some((status, payload)) => message(*status, payload),
                None => message(COMPLETE, b""),
            });
            (messages.chain([frame(CALL)]).flatten().collect(), false)
        }
        2 => ([login(rest), frame(CALL)].concat(), false),
        _ => ([&login(b"\0alice\0secret")[..], rest].concat(), true),
    };
    let knows_password = contains(&sent, b"secret");
    let answer = exchange(server.addr(), &sent);
    assert!(logs_in || knows_password || !contains(&answer, REPLY), "served without a login");
    let answer = call_after_login(server.addr());
    assert!(contains(&answer, REPLY), "{}", answer.escape_ascii());
    let until = Instant::now() + PATIENCE;
    while server.connections() > 0 || server.held_bytes() > 0 {
        assert!(Instant::now() < until, "{} connections, {} bytes", server.connections(), server.held_bytes());
        std::thread::yield_now();
    }
});
