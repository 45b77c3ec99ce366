//! Which of the two services a call is for, on ports for both services and for one.

use hjall_server::Config;
use hjall_server::settings::config::Listen;
use hjall_server::wire::method::Service;

use super::client::{Answer, Arg, Client, NO_ARGS, WAYS};
use super::echo::{config, serve};

fn bytes(id: i16) -> Arg {
    Arg::Bytes(id, b"x".to_vec())
}

fn of(id: i16, fields: Vec<Arg>) -> Arg {
    Arg::Struct(id, fields)
}

/// Calls whose arguments identify the service, for all names that both services have.
fn identifying_calls() -> Vec<(&'static str, Vec<Arg>, Service)> {
    use Service::{Thrift1, Thrift2};
    let mut all = vec![
        ("get", vec![bytes(1), bytes(2), bytes(3)], Thrift1),
        ("get", vec![bytes(1), of(2, vec![bytes(1)])], Thrift2),
        ("mutateRow", vec![bytes(1), bytes(2), Arg::Strings(3, vec![])], Thrift1),
        ("mutateRow", vec![bytes(1), of(2, vec![bytes(1)])], Thrift2),
        ("append", vec![of(1, vec![bytes(1)])], Thrift1),
        ("append", vec![bytes(1), of(2, vec![])], Thrift2),
        ("increment", vec![of(1, vec![bytes(1)])], Thrift1),
        ("increment", vec![bytes(1), of(2, vec![])], Thrift2),
        // The client chooses the order of fields.
        ("increment", vec![of(2, vec![]), bytes(1)], Thrift2),
        ("checkAndPut", vec![bytes(1), bytes(4)], Thrift2),
        ("checkAndPut", vec![bytes(1), bytes(3), bytes(5), of(6, vec![Arg::Bool(1, false), bytes(2)])], Thrift1),
        ("checkAndPut", vec![bytes(1), of(6, vec![bytes(2)])], Thrift1),
        ("checkAndPut", vec![bytes(1), of(6, vec![bytes(1), Arg::Strings(2, vec![])])], Thrift2),
    ];
    for name in ["enableTable", "disableTable", "deleteTable", "isTableEnabled", "createTable"] {
        all.push((name, vec![bytes(1)], Thrift1));
        all.push((name, vec![of(1, vec![bytes(2)])], Thrift2));
    }
    all
}

#[test]
fn arguments_identify_the_service_whichever_was_used_before() {
    let (server, _gate) = serve(config());
    for way in WAYS {
        for before in ["getRow", "put"] {
            let mut client = Client::new(server.addr(), way);
            for (name, args, service) in identifying_calls() {
                client.call(before, NO_ARGS);
                assert_eq!(
                    client.call(name, &args),
                    Answer::Success(format!("{service:?} {name}")),
                    "{way:?} {before} {args:?}"
                );
            }
        }
    }
}

#[test]
fn ambiguous_calls_are_for_the_service_used_last() {
    let (server, _gate) = serve(config());
    let mut client = Client::new(server.addr(), WAYS[0]);
    let mut asked = |name: &str| client.call(name, NO_ARGS);
    for name in ["getThriftServerType", "getClusterId", "get", "append", "checkAndPut", "createTable"] {
        asked("getRow");
        assert_eq!(asked(name), Answer::Success(format!("Thrift1 {name}")));
        asked("put");
        assert_eq!(asked(name), Answer::Success(format!("Thrift2 {name}")));
    }
}

#[test]
fn ambiguous_calls_of_a_new_connection_are_for_thrift1() {
    let (server, _gate) = serve(config());
    let answer = Client::new(server.addr(), WAYS[0]).call("getThriftServerType", NO_ARGS);
    assert_eq!(answer, Answer::Success("Thrift1 getThriftServerType".to_owned()));
}

#[test]
fn a_first_call_without_the_identifying_argument_gets_the_error_of_thrift2() {
    let (server, _gate) = serve(config());
    for name in ["get", "append", "checkAndPut", "createTable"] {
        let answer = Client::new(server.addr(), WAYS[0]).call(name, NO_ARGS);
        assert_eq!(answer, Answer::Success(format!("Thrift2 {name}")));
    }
}

#[test]
fn ports_for_one_service_accept_only_its_methods() {
    let addr = "127.0.0.1:0".parse().unwrap();
    let only = |service| Listen { addr, only: Some(service) };
    let (server, _gate) = serve(Config { listen: vec![only(Service::Thrift1), only(Service::Thrift2)], ..config() });
    for (addr, service, foreign) in [(0, Service::Thrift1, "put"), (1, Service::Thrift2, "getRow")] {
        let mut client = Client::new(server.addrs()[addr], WAYS[0]);
        for name in ["getThriftServerType", "isTableEnabled"] {
            let answer = Answer::Success(format!("{service:?} {name}"));
            assert_eq!(client.call(name, NO_ARGS), answer);
            assert_eq!(client.call(name, &[of(1, vec![])]), answer, "the arguments have no influence here");
        }
        assert_eq!(client.call(foreign, NO_ARGS), Answer::Exception(1, format!("Invalid method name: '{foreign}'")));
    }
}
