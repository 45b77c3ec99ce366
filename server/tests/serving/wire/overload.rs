//! A full lane refuses calls at once, with an error on which clients retry, and does not affect other lanes. Abandoned
//! calls are not run, and the memory of unread replies is bounded.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use hjall_server::settings::config::{FastPath, Limits, QueueSettings};
use hjall_server::wire::method::LaneKind::{Read as Reads, Scan as Scans};
use hjall_server::{Config, Server};
use socket2::{Domain, Socket, Type};

use super::client::{Answer, Arg, Client, NO_ARGS, WAYS};
use super::echo::{Gate, config, lane, limited, serve};
use crate::eventually::eventually;

/// One handler and one place for reads, and no calls on the event loop, where a waiting call would block everything.
fn narrow() -> Config {
    let queues = QueueSettings { handlers: 2, waiting_max: Some(1), ..QueueSettings::default() };
    Config { fast_path: FastPath::Never, queues, ..config() }
}

fn ask(client: &mut Client, name: &str) {
    let bytes = client.bytes(name, NO_ARGS);
    client.stream.write_all(&bytes).unwrap();
}

/// A server whose only read handler is used by the first client, and whose only place by the second.
fn full(config: Config) -> (Server, Gate, [Client; 2]) {
    let (server, gate) = serve(config);
    let mut clients = [WAYS[0], WAYS[5]].map(|way| Client::new(server.addr(), way));
    ask(&mut clients[0], "getVer");
    gate.started.recv().unwrap();
    ask(&mut clients[1], "getVer");
    eventually("a call waits", || lane(&server, Reads).waiting > 0);
    (server, gate, clients)
}

#[test]
fn a_full_lane_refuses_calls_and_the_others_continue() {
    let (server, gate, mut waiting) = full(narrow());
    for way in &WAYS[1..5] {
        let mut client = Client::new(server.addr(), *way);
        let answer = client.call("getRow", NO_ARGS);
        let Answer::IoError(text, can_retry) = answer else { panic!("{answer:?}") };
        assert!(text.starts_with("org.apache.hadoop.hbase.CallQueueTooBigException: Call queue is full on 127.0.0.1,"));
        assert!(text.contains("too many items queued ?\nhjall: try again later") && can_retry, "{text}");
        assert_eq!(client.call("mutateRow", NO_ARGS), Answer::Success("Thrift1 mutateRow".to_owned()));
    }
    gate.resume.send(()).unwrap();
    gate.resume.send(()).unwrap();
    for client in &mut waiting {
        assert_eq!(client.answer("getVer"), Answer::Success("Thrift1 getVer".to_owned()));
        assert_eq!(client.call("getRow", NO_ARGS), Answer::Success("Thrift1 getRow".to_owned()));
    }
    let reads = lane(&server, Reads);
    assert_eq!((reads.refused_length, reads.finished, reads.under_way), (4, 4, 0));
    assert_eq!(reads.wait.count(), 4, "each call's wait is counted");
}

#[test]
fn a_call_whose_client_has_gone_is_not_run() {
    let (server, gate, [mut running, waiting]) = full(narrow());
    drop(waiting);
    // The connection notices while its call waits, which only the number of connections shows.
    eventually("the connection is closed", || server.connections() <= 1);
    gate.resume.send(()).unwrap();
    assert_eq!(running.answer("getVer"), Answer::Success("Thrift1 getVer".to_owned()));
    assert_eq!(running.call("getRow", NO_ARGS), Answer::Success("Thrift1 getRow".to_owned()));
    assert!(gate.started.is_empty(), "the abandoned call never began");
    let reads = lane(&server, Reads);
    assert_eq!((reads.dropped_gone, reads.finished, reads.under_way), (1, 2, 0));
}

#[test]
fn a_running_call_is_answered_to_a_client_that_closed_only_its_own_side() {
    let (_server, gate, [mut running, _waiting]) = full(narrow());
    running.stream.shutdown(Shutdown::Write).unwrap();
    gate.resume.send(()).unwrap();
    gate.resume.send(()).unwrap();
    assert_eq!(running.answer("getVer"), Answer::Success("Thrift1 getVer".to_owned()));
}

#[test]
fn pipelined_calls_do_not_count_as_a_hang_up() {
    let (_server, gate, [_running, mut waiting]) = full(narrow());
    for name in ["getRow", "getRow"] {
        ask(&mut waiting, name);
    }
    gate.resume.send(()).unwrap();
    gate.resume.send(()).unwrap();
    for (sequence, name) in [(1, "getVer"), (2, "getRow"), (3, "getRow")] {
        assert_eq!(waiting.answer_to(name, sequence), Answer::Success(format!("Thrift1 {name}")));
    }
}

#[test]
fn a_call_that_waited_longer_than_clients_do_is_refused() {
    let mut config = narrow();
    config.queues.wait_max = Some(Duration::ZERO);
    let (server, _gate) = serve(config);
    let answer = Client::new(server.addr(), WAYS[0]).call("getRow", NO_ARGS);
    let Answer::IoError(text, true) = answer else { panic!("{answer:?}") };
    assert!(text.starts_with("org.apache.hadoop.hbase.ipc.CallTimeoutException: the call waited for"), "{text}");
    assert_eq!(lane(&server, Reads).dropped_late, 1);
}

#[test]
fn the_memory_of_all_connections_together_is_bounded() {
    let (server, _gate) = serve(limited(Limits { held_bytes_max: 1 << 20, ..Limits::default() }));
    let mut client = Client::new(server.addr(), WAYS[3]);
    let bytes = client.bytes("mutateRow", &[Arg::Bytes(1, vec![0; 4 << 20])]);
    client.stream.write_all(&bytes[..2 << 20]).unwrap();
    let answer = client.answer("mutateRow");
    // Trying again does not help, because the message is larger than all of it.
    let Answer::IoError(text, false) = answer else { panic!("{answer:?}") };
    assert!(text.contains("DoNotRetryIOException") && text.contains("limits.bytes_in_flight"), "{text}");
}

/// A connection with a receive buffer of fixed size, since the system's buffers can grow to tens of megabytes.
fn narrow_connection(addr: SocketAddr) -> TcpStream {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.set_recv_buffer_size(1 << 18).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    socket.connect(&addr.into()).unwrap();
    socket.into()
}

#[test]
fn replies_that_are_not_read_use_bounded_memory_and_do_not_affect_small_calls() {
    const CALLS: i32 = 40;
    const MAX: usize = 4 << 20;
    let (server, _gate) = serve(limited(Limits { held_bytes_max: MAX, ..Limits::default() }));
    // Replies of 1 MiB each. Whatever the buffers of the system take, some of them stay with the server.
    let mut slow: Vec<_> = (0..6).map(|_| Client::over(narrow_connection(server.addr()), WAYS[0])).collect();
    for client in &mut slow {
        (0..CALLS).for_each(|_| ask(client, "getRowWithColumns"));
    }
    let mut other = Client::new(server.addr(), WAYS[0]);
    while lane(&server, Reads).refused_bytes == 0 {
        assert_eq!(other.call("getRow", NO_ARGS), Answer::Success("Thrift1 getRow".to_owned()));
        assert!(server.held_bytes() <= MAX);
    }
    let mut refused = 0;
    for client in &mut slow {
        for sequence in 1..=CALLS {
            match client.answer_to("getRowWithColumns", sequence) {
                Answer::Success(text) => assert_eq!(text.len(), 1 << 20),
                Answer::IoError(text, true) if text.contains("callqueue.size") => refused += 1,
                answer => panic!("{answer:?}"),
            }
        }
    }
    eventually("all memory is released", || server.held_bytes() == 0);
    assert_eq!(lane(&server, Reads).refused_bytes, refused);
    let mut rest = [0];
    slow[0].stream.set_nonblocking(true).unwrap();
    assert!(slow[0].stream.read(&mut rest).is_err(), "no bytes follow the answers");
}

/// A connection from another address of this machine.
#[cfg(target_os = "linux")]
fn from_elsewhere(to: SocketAddr) -> TcpStream {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&SocketAddr::from(([127, 0, 0, 2], 0)).into()).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    socket.connect(&to.into()).unwrap();
    socket.into()
}

#[cfg(target_os = "linux")]
#[test]
fn a_client_that_fills_the_queue_gives_places_to_another_one() {
    let queues = QueueSettings { handlers: 2, waiting_max: Some(4), ..QueueSettings::default() };
    let (server, gate) = serve(Config { fast_path: FastPath::Never, queues, ..config() });
    let mut greedy: Vec<_> = (0..5).map(|_| Client::new(server.addr(), WAYS[0])).collect();
    for (n, client) in greedy.iter_mut().enumerate() {
        ask(client, "getVer");
        if n == 0 {
            gate.started.recv().unwrap();
        }
        eventually("the call waits", || lane(&server, Reads).waiting >= n);
    }
    let mut others: Vec<_> = (0..3).map(|_| Client::over(from_elsewhere(server.addr()), WAYS[0])).collect();
    // The newest calls of the greedy client are refused, until both have as many.
    for (client, evicted) in others[..2].iter_mut().zip([4, 3]) {
        ask(client, "getRow");
        let answer = greedy[evicted].answer("getVer");
        assert!(
            matches!(&answer, Answer::IoError(text, true) if text.contains("CallQueueTooBigException")),
            "{answer:?}"
        );
    }
    let answer = others[2].call("getRow", NO_ARGS);
    assert!(matches!(&answer, Answer::IoError(text, true) if text.contains("CallQueueTooBigException")), "{answer:?}");
    for _ in 0..3 {
        gate.resume.send(()).unwrap();
    }
    for client in &mut greedy[..3] {
        assert_eq!(client.answer("getVer"), Answer::Success("Thrift1 getVer".to_owned()));
    }
    for client in &mut others[..2] {
        assert_eq!(client.answer("getRow"), Answer::Success("Thrift1 getRow".to_owned()));
    }
    let reads = lane(&server, Reads);
    assert_eq!((reads.refused_share, reads.refused_length, reads.finished, reads.under_way), (2, 1, 5, 0));
}

/// A server with one handler of scans and short slices, and a client whose scan runs until the gate opens.
fn long_scan() -> (Server, Gate, Client) {
    let queues = QueueSettings {
        scan_running_max: Some(1),
        scan_slice: Some(Duration::from_millis(1)),
        ..QueueSettings::default()
    };
    let (server, gate) = serve(Config { queues, ..config() });
    let mut long = Client::new(server.addr(), WAYS[0]);
    ask(&mut long, "scannerGetList");
    gate.started.recv().unwrap();
    (server, gate, long)
}

#[test]
fn a_long_scan_gives_way_to_waiting_ones_and_continues() {
    let (server, gate, mut long) = long_scan();
    let mut other = Client::new(server.addr(), WAYS[5]);
    for _ in 0..3 {
        assert_eq!(other.call("scannerGet", NO_ARGS), Answer::Success("Thrift1 scannerGet".to_owned()));
    }
    gate.resume.send(()).unwrap();
    let Answer::Success(text) = long.answer("scannerGetList") else { panic!("not answered") };
    let runs: usize = text.strip_prefix("runs: ").unwrap().parse().unwrap();
    assert!(runs > 3, "{runs}");
    let scans = lane(&server, Scans);
    assert_eq!((scans.finished, scans.under_way, scans.running), (4, 0, 0));
}

#[test]
fn a_paused_scan_of_a_client_that_has_disconnected_ends() {
    let (server, _gate, long) = long_scan();
    drop(long);
    let mut other = Client::new(server.addr(), WAYS[5]);
    while lane(&server, Scans).under_way > 0 {
        assert_eq!(other.call("scannerGet", NO_ARGS), Answer::Success("Thrift1 scannerGet".to_owned()));
    }
}

#[test]
fn tables_can_be_managed_while_all_other_calls_are_refused() {
    let queues = QueueSettings { handlers: 1, read_ratio: 0.0, waiting_max: Some(0), ..QueueSettings::default() };
    let (server, gate) = serve(Config { queues, ..config() });
    let mut running = Client::new(server.addr(), WAYS[0]);
    ask(&mut running, "getVer");
    gate.started.recv().unwrap();
    let mut other = Client::new(server.addr(), WAYS[0]);
    for name in ["getRow", "mutateRows", "scannerOpen"] {
        let answer = other.call(name, NO_ARGS);
        assert!(matches!(&answer, Answer::IoError(text, true) if text.contains("too many items queued")), "{answer:?}");
    }
    assert_eq!(other.call("getTableNames", NO_ARGS), Answer::Success("Thrift1 getTableNames".to_owned()));
    gate.resume.send(()).unwrap();
    assert_eq!(running.answer("getVer"), Answer::Success("Thrift1 getVer".to_owned()));
}
