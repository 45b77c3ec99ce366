//! Lanes that are full refuse at once, in words that clients try again on, and do not touch each other.

use std::io::Write;

use hjall_server::Config;
use hjall_server::config::{Limits, QueueSettings};
use hjall_server::method::LaneKind;

use crate::client::{Answer, Arg, Client, NO_ARGS, WAYS};
use crate::handler::{config, limited, serve};

/// One handler and one place for reads, and nothing on the event loop, where a waiting call would hold up everything.
fn narrow() -> Config {
    let queues = QueueSettings { handlers: 2, waiting_max: Some(1), ..QueueSettings::default() };
    Config { fast_path: false, queues, ..config() }
}

#[test]
fn a_full_lane_refuses_and_the_others_go_on() {
    let (server, gate) = serve(narrow());
    let mut clients: Vec<_> = WAYS.iter().map(|way| Client::new(server.addr(), *way)).collect();
    // The first runs, the second waits: the lane is full.
    for client in clients.iter_mut().take(2) {
        let bytes = client.bytes("getVer", NO_ARGS);
        client.stream.write_all(&bytes).unwrap();
    }
    gate.started.recv().unwrap();
    while server.lanes()[LaneKind::Read as usize].under_way < 2 {
        std::thread::yield_now();
    }
    for client in clients.iter_mut().skip(2) {
        let answer = client.call("getRow", NO_ARGS);
        let Answer::IoError(text, can_retry) = answer else { panic!("{answer:?}") };
        assert!(text.starts_with("org.apache.hadoop.hbase.CallQueueTooBigException: Call queue is full on 127.0.0.1,"));
        assert!(text.ends_with("too many items queued ?") && can_retry, "{text}");
        assert_eq!(client.call("mutateRow", NO_ARGS), Answer::Success("Thrift1 mutateRow".to_owned()));
    }
    gate.go_on.send(()).unwrap();
    gate.go_on.send(()).unwrap();
    for client in clients.iter_mut().take(2) {
        assert_eq!(client.answer("getVer"), Answer::Success("Thrift1 getVer".to_owned()));
        assert_eq!(client.call("getRow", NO_ARGS), Answer::Success("Thrift1 getRow".to_owned()));
    }
    assert_eq!(server.lanes()[LaneKind::Read as usize].refused, 4);
}

#[test]
fn all_connections_together_hold_bounded_bytes() {
    let (server, _gate) = serve(limited(Limits { held_bytes_max: 1 << 20, ..Limits::default() }));
    let mut client = Client::new(server.addr(), WAYS[3]);
    let bytes = client.bytes("mutateRow", &[Arg::Bytes(1, vec![0; 4 << 20])]);
    client.stream.write_all(&bytes[..2 << 20]).unwrap();
    let answer = client.answer("mutateRow");
    let Answer::IoError(text, true) = answer else { panic!("{answer:?}") };
    assert!(text.contains("is hbase.ipc.server.max.callqueue.size too small?"), "{text}");
}
