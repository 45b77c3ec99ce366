//! Connections that move between event loops while their clients make calls.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use hjall_server::{Config, Server};

use super::client::{Answer, Client, NO_ARGS, WAYS};
use super::echo::{config, serve};
use super::tls::{authority, files, tls};

fn two_loops() -> Config {
    Config { loops: 2, loops_max: 2, ..config() }
}

/// Waits until as many connections as stated are on the loops.
fn has_moved(server: &Server, expected: [usize; 2]) {
    let until = Instant::now() + Duration::from_secs(60);
    while server.loop_connections() != expected {
        assert!(Instant::now() < until, "{:?}", server.loop_connections());
        thread::yield_now();
    }
}

/// The only client of the server makes calls, and its connection moves after each of them.
fn moves_after_each_call<S: Read + Write>(server: &Server, mut client: Client<S>) {
    let mut on = usize::from(server.loop_connections()[1] == 1);
    // One of them has a long answer.
    for method in ["getRow", "get", "mutateRow", "getRowWithColumns", "put", "getRow"] {
        server.move_connections(on, 1 - on, 1);
        let Answer::Success(answer) = client.call(method, NO_ARGS) else { panic!("{method} failed") };
        assert!(answer.ends_with(method) || answer.len() == 1 << 20, "{answer}");
        on = 1 - on;
        has_moved(server, [1 - on, on]);
    }
    drop(client);
    has_moved(server, [0, 0]);
}

#[test]
fn a_connection_moves_between_its_calls() {
    let (server, _gate) = serve(two_loops());
    for way in WAYS {
        moves_after_each_call(&server, Client::new(server.addr(), way));
    }
}

#[test]
fn a_connection_with_tls_moves() {
    let folder = tempfile::tempdir().unwrap();
    let authority = authority();
    let (server, _gate) = serve(Config { tls: Some(files(folder.path(), &authority, false)), ..two_loops() });
    for way in [WAYS[0], WAYS[3]] {
        moves_after_each_call(&server, Client::over(tls(&server, &authority, None), way));
    }
}

/// Clients that wait for each answer, and clients that send many calls ahead, while their connections move all the
/// time. Each gets all of its answers, in order.
#[test]
fn no_answer_is_lost_while_connections_move() {
    const CALLS: usize = 400;
    const AHEAD: usize = 20;
    let (server, _gate) = serve(two_loops());
    let has_ended = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !has_ended.load(Ordering::Relaxed) {
                (0..2).for_each(|from| server.move_connections(from, 1 - from, 3));
                thread::yield_now();
            }
        });
        let clients = WAYS.map(|way| {
            let mut client = Client::<TcpStream>::new(server.addr(), way);
            scope.spawn(move || {
                for _ in 0..CALLS {
                    assert_eq!(client.call("getRow", NO_ARGS), Answer::Success("Thrift1 getRow".to_owned()));
                }
                for _ in 0..CALLS / AHEAD {
                    let first = client.sequence();
                    let calls: Vec<u8> = (0..AHEAD).flat_map(|_| client.bytes("put", NO_ARGS)).collect();
                    client.stream.write_all(&calls).unwrap();
                    for n in 1..=AHEAD {
                        let sequence = first + i32::try_from(n).unwrap();
                        let answer = client.answer_to("put", sequence);
                        assert_eq!(answer, Answer::Success("Thrift2 put".to_owned()));
                    }
                }
            })
        });
        let ended = clients.map(|client| client.join());
        has_ended.store(true, Ordering::Relaxed);
        assert!(ended.iter().all(Result::is_ok));
    });
    has_moved(&server, [0, 0]);
    assert!(server.shutdown(), "nothing is left");
}
