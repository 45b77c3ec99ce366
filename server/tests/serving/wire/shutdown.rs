//! Stopping loses no running call and does not block.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use hjall_server::settings::config::{FastPath, Limits, QueueSettings};
use hjall_server::wire::method::LaneKind;
use hjall_server::{Config, Server};

use super::client::{Answer, Client, NO_ARGS, WAYS};
use super::echo::{Gate, config, lane, limited, serve};
use crate::eventually::eventually;

#[test]
fn running_calls_are_answered_and_idle_connections_closed() {
    let (server, gate) = serve(Config { fast_path: FastPath::Never, ..config() });
    let addr = server.addr();
    let mut running = Client::new(addr, WAYS[0]);
    let mut idle = Client::new(addr, WAYS[1]);
    assert_eq!(idle.call("getRow", NO_ARGS), Answer::Success("Thrift1 getRow".to_owned()));
    let bytes = running.bytes("getVer", NO_ARGS);
    running.stream.write_all(&bytes).unwrap();
    gate.started.recv().unwrap();
    let stopping = std::thread::spawn(move || server.shutdown());
    // At some point new connections are refused while the call still runs.
    eventually("new connections are refused", || TcpStream::connect(addr).is_err());
    gate.resume.send(()).unwrap();
    assert_eq!(running.answer("getVer"), Answer::Success("Thrift1 getVer".to_owned()));
    assert_eq!(running.rest(), b"");
    assert_eq!(idle.rest(), b"");
    assert!(stopping.join().unwrap(), "every call finished");
}

#[test]
fn dropping_a_server_frees_its_port() {
    let (server, _gate) = serve(config());
    let addr = server.addr();
    drop(server);
    let (again, _gate) = serve(Config { listen: Config::on(addr).listen, ..config() });
    assert_eq!(again.addr(), addr);
}

#[test]
fn waiting_calls_are_answered_too() {
    let queues = QueueSettings { handlers: 2, ..QueueSettings::default() };
    let (server, gate) = serve(Config { fast_path: FastPath::Never, queues, ..config() });
    let addr = server.addr();
    let mut clients = [WAYS[0]; 2].map(|way| Client::new(addr, way));
    for client in &mut clients {
        let bytes = client.bytes("getVer", NO_ARGS);
        client.stream.write_all(&bytes).unwrap();
    }
    gate.started.recv().unwrap();
    eventually("a call waits", || lane(&server, LaneKind::Read).waiting > 0);
    let stopping = std::thread::spawn(move || server.shutdown());
    eventually("new connections are refused", || TcpStream::connect(addr).is_err());
    // The order in which they continue is unspecified.
    clients.iter().for_each(|_| gate.resume.send(()).unwrap());
    for client in &mut clients {
        assert_eq!(client.answer("getVer"), Answer::Success("Thrift1 getVer".to_owned()));
    }
    assert!(stopping.join().unwrap(), "every call finished");
}

#[test]
fn a_call_that_does_not_end_is_abandoned_at_the_deadline() {
    let limits = Limits { grace: Duration::ZERO, ..Limits::default() };
    let (server, gate) = serve(Config { fast_path: FastPath::Never, limits, ..config() });
    let mut running = Client::new(server.addr(), WAYS[0]);
    let bytes = running.bytes("getVer", NO_ARGS);
    running.stream.write_all(&bytes).unwrap();
    gate.started.recv().unwrap();
    assert!(!server.shutdown(), "the result says that a call did not finish");
    assert_eq!(running.rest(), b"", "the connection ends without an answer");
    gate.resume.send(()).unwrap();
}

/// Starts a call that runs until it is stopped.
fn start_endless_call(server: &Server, gate: &Gate) -> Client {
    let mut client = Client::new(server.addr(), WAYS[0]);
    let bytes = client.bytes("getVerTs", NO_ARGS);
    client.stream.write_all(&bytes).unwrap();
    gate.started.recv().unwrap();
    client
}

#[test]
fn a_running_call_is_stopped_once_its_client_has_disconnected() {
    let (server, gate) = serve(Config { fast_path: FastPath::Never, ..config() });
    drop(start_endless_call(&server, &gate));
    gate.started.recv_timeout(Duration::from_secs(60)).expect("the call ends");
    assert!(server.shutdown(), "no call is left");
}

#[test]
fn a_running_call_is_stopped_when_the_grace_period_ends() {
    let (server, gate) = serve(Config {
        fast_path: FastPath::Never,
        ..limited(Limits { grace: Duration::from_millis(1), ..Limits::default() })
    });
    let _client = start_endless_call(&server, &gate);
    assert!(!server.shutdown(), "not every call finished");
    gate.started.recv_timeout(Duration::from_secs(60)).expect("the call ends");
}
