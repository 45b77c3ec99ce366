//! Stopping loses no call that runs, and keeps nobody waiting.

use std::io::Write;
use std::net::TcpStream;

use hjall_server::Config;

use crate::client::{Answer, Client, NO_ARGS, WAYS};
use crate::handler::{config, serve};

#[test]
fn running_calls_are_answered_and_idle_connections_closed() {
    let (server, gate) = serve(Config { fast_path: false, ..config() });
    let addr = server.addr();
    let mut running = Client::new(addr, WAYS[0]);
    let mut idle = Client::new(addr, WAYS[1]);
    assert_eq!(idle.call("getRow", NO_ARGS), Answer::Success("Thrift1 getRow".to_owned()));
    let bytes = running.bytes("getVer", NO_ARGS);
    running.stream.write_all(&bytes).unwrap();
    gate.started.recv().unwrap();
    let stopping = std::thread::spawn(move || server.shutdown());
    // New connections are refused from some moment on, while the call still runs.
    while TcpStream::connect(addr).is_ok() {
        std::thread::yield_now();
    }
    gate.go_on.send(()).unwrap();
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
