//! Every transport and protocol on one port, recognised by the first bytes, however they arrive.

use std::io::Write;

use super::client::{Answer, Arg, Client, NO_ARGS, WAYS, connect, framed, message};
use super::echo::{config, serve};

fn said(text: &str) -> Answer {
    Answer::Success(text.to_owned())
}

#[test]
fn each_dialect_is_answered_in_the_same_dialect() {
    let (server, _gate) = serve(config());
    for way in WAYS {
        let mut client = Client::new(server.addr(), way);
        let args = [Arg::Bytes(1, b"t".to_vec()), Arg::Strings(3, vec!["f:q".to_owned(); 20]), Arg::Bool(4, true)];
        for _ in 0..3 {
            assert_eq!(client.call("getRow", &args), said("Thrift1 getRow"), "{way:?}");
            assert_eq!(client.call("openScanner", &args), said("Thrift2 openScanner"), "{way:?}");
        }
    }
}

#[test]
fn bytes_may_come_one_by_one() {
    let (server, _gate) = serve(config());
    for way in WAYS {
        let mut client = Client::new(server.addr(), way);
        client.stream.set_nodelay(true).unwrap();
        for _ in 0..2 {
            let args = [Arg::Bytes(1, b"table".to_vec()), Arg::Struct(2, vec![Arg::I32(1, -5), Arg::Bool(2, false)])];
            for byte in client.bytes("mutateRows", &args) {
                client.stream.write_all(&[byte]).unwrap();
            }
            assert_eq!(client.answer("mutateRows"), said("Thrift1 mutateRows"), "{way:?}");
        }
    }
}

#[test]
fn calls_sent_ahead_are_answered_in_order() {
    let (server, _gate) = serve(config());
    for (with_frame, protocol) in WAYS {
        let mut client = Client::over(connect(server.addr()), (with_frame, protocol));
        // Reads run on the event loop and writes on another thread: neither may overtake the other.
        let names = ["getRow", "mutateRow", "getRow", "scannerGet", "getTableNames", "exists"];
        let mut all = Vec::new();
        for (i, name) in names.iter().enumerate() {
            let one = message(protocol, name, i32::try_from(i).unwrap(), NO_ARGS);
            all.extend(if with_frame { framed(&one) } else { one });
        }
        client.stream.write_all(&all).unwrap();
        for (i, name) in names.iter().enumerate() {
            let answer = client.answer_to(name, i32::try_from(i).unwrap());
            assert!(matches!(&answer, Answer::Success(text) if text.ends_with(name)), "{answer:?}");
        }
    }
}

#[test]
fn large_messages_and_replies_pass() {
    let (server, _gate) = serve(config());
    for way in WAYS {
        let mut client = Client::new(server.addr(), way);
        let answer = client.call("getRowWithColumns", &[Arg::Bytes(2, vec![7; 5 << 20])]);
        assert!(matches!(&answer, Answer::Success(text) if text.len() == 1 << 20), "{way:?}");
        assert_eq!(client.call("getRow", NO_ARGS), said("Thrift1 getRow"), "{way:?}");
    }
}

#[test]
fn a_one_way_call_has_no_answer() {
    let (server, _gate) = serve(config());
    let mut client = Client::new(server.addr(), WAYS[0]);
    let mut bytes = client.bytes("getRow", NO_ARGS);
    bytes[3] = 4;
    client.stream.write_all(&bytes).unwrap();
    assert_eq!(client.call("getRows", NO_ARGS), said("Thrift1 getRows"));
}
