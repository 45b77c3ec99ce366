//! Malformed messages cost their sender an error or the connection, and do not affect other clients.

use std::io::Write;

use hjall_server::settings::config::Limits;

use super::client::{Answer, Arg, Client, NO_ARGS, Protocol, WAYS, framed, message};
use super::echo::{config, limited, serve};

fn is_alive(server: &hjall_server::Server) {
    let answer = Client::new(server.addr(), WAYS[0]).call("getRow", NO_ARGS);
    assert_eq!(answer, Answer::Success("Thrift1 getRow".to_owned()));
}

#[test]
fn an_unknown_method_leaves_the_connection_usable() {
    let (server, _gate) = serve(config());
    for way in WAYS {
        let mut client = Client::new(server.addr(), way);
        for name in ["grant", "noSuchMethod", "Get", "Hbase:getRow"] {
            let answer = client.call(name, &[Arg::Struct(1, vec![Arg::Strings(1, vec!["a".to_owned(); 3])])]);
            assert_eq!(answer, Answer::Exception(1, format!("Invalid method name: '{name}'")), "{way:?}");
            assert_eq!(client.call("getRow", NO_ARGS), Answer::Success("Thrift1 getRow".to_owned()));
        }
    }
}

#[test]
fn failures_of_a_handler_are_declared_or_undeclared_exceptions() {
    let (server, _gate) = serve(config());
    for way in WAYS {
        let mut client = Client::new(server.addr(), way);
        let internal = |name: &str| Answer::Exception(6, format!("Internal error processing {name}"));
        assert_eq!(client.call("deleteAll", NO_ARGS), Answer::IoError("java.io.IOException: no".to_owned(), true));
        assert_eq!(client.call("deleteAllTs", NO_ARGS), internal("deleteAllTs"));
        // The reason of a refused request is sent, one line and at most 1 KiB of it.
        let refused = internal("deleteAllRowTs: java.lang.IllegalArgumentException: row: empty");
        assert_eq!(client.call("deleteAllRowTs", NO_ARGS), refused);
        let Answer::Exception(6, text) = client.call("getRowsWithColumnsTs", NO_ARGS) else { panic!("{way:?}") };
        assert!(
            text.starts_with("Internal error processing getRowsWithColumnsTs: java.lang.IllegalArgumentException: xxx"),
            "{text}"
        );
        assert!(text.len() < 1200 && text.ends_with('…'), "{text}");
        // A panic on the event loop has the same effect as one in a worker.
        assert_eq!(client.call("getRowTs", NO_ARGS), internal("getRowTs"));
        assert_eq!(client.call("getRowTs", &[Arg::Bytes(1, vec![0; 8192])]), internal("getRowTs"));
        assert_eq!(client.call("getRow", NO_ARGS), Answer::Success("Thrift1 getRow".to_owned()));
    }
}

#[test]
fn a_reply_over_the_limit_is_an_error_that_names_it() {
    let (server, _gate) = serve(limited(Limits { reply_bytes_max: 1 << 16, ..Limits::default() }));
    for way in WAYS {
        let mut client = Client::new(server.addr(), way);
        let answer = client.call("getRowWithColumns", NO_ARGS);
        let Answer::IoError(text, false) = answer else { panic!("{answer:?}") };
        assert!(text.contains("DoNotRetryIOException: the reply is larger than 65536 bytes (limits.reply)"), "{text}");
        assert_eq!(client.call("getRow", NO_ARGS), Answer::Success("Thrift1 getRow".to_owned()));
    }
}

#[test]
fn oversized_messages_are_refused_before_they_arrive() {
    let (server, _gate) =
        serve(limited(Limits { message_bytes_max: 1 << 16, frame_bytes_max: 1 << 16, ..Limits::default() }));
    for way @ (with_frame, _) in WAYS {
        let mut client = Client::new(server.addr(), way);
        // All but the end, so that only the announced length can be the reason for the refusal.
        let bytes = client.bytes("getRow", &[Arg::Bytes(1, vec![0; 1 << 17])]);
        client.stream.write_all(&bytes[..1 << 10]).unwrap();
        let Answer::Exception(7, text) = client.answer("getRow") else { panic!("{way:?}: no protocol error") };
        assert!(text.contains("65536"), "the limit is named: {text}");
        assert_eq!(client.rest(), b"", "then the connection ends");
        assert!(with_frame == text.starts_with("Frame size"), "{text}");
    }
    is_alive(&server);
}

#[test]
fn a_length_of_two_gigabytes_ends_the_connection_at_once() {
    let (server, _gate) = serve(config());
    let huge = i32::MAX.to_be_bytes();
    let strict = |rest: &[u8]| [&b"\x80\x01\0\x01\0\0\0\x06getRow\0\0\0\x01"[..], rest].concat();
    let binary: Vec<Vec<u8>> = vec![
        strict(&[&b"\x0b\0\x01"[..], &huge].concat()),
        strict(&[&b"\x0f\0\x01\x0b"[..], &huge].concat()),
        strict(&[&b"\x0e\0\x01\x0c"[..], &huge].concat()),
        strict(&[&b"\x0d\0\x01\x0b\x0b"[..], &huge].concat()),
        strict(b"\x0b\0\x01\xff\xff\xff\xff"),
        strict(b"\x0d\0\x01\x0b\x0b\xff\xff\xff\xff"),
    ];
    let compact: Vec<Vec<u8>> = [
        &b"\x82\x21\x01\x06getRow\x18\xff\xff\xff\xff\x07"[..],
        b"\x82\x21\x01\x06getRow\x19\xf8\xff\xff\xff\xff\x07",
        b"\x82\x21\x01\x06getRow\x1b\xff\xff\xff\xff\x07\x88",
        b"\x82\x21\x01\x06getRow\x18\xff\xff\xff\xff\x0f",
        b"\x82\x21\x01\x06getRow\x18\xff\xff\xff\xff\xff\x0f",
    ]
    .map(<[u8]>::to_vec)
    .to_vec();
    for (protocol, messages) in [(Protocol::Strict, binary), (Protocol::Compact, compact)] {
        for bytes in messages {
            let mut client = Client::new(server.addr(), (false, protocol));
            client.stream.write_all(&bytes).unwrap();
            let answer = client.answer_to("getRow", 1);
            assert!(matches!(answer, Answer::Exception(7, _)), "{bytes:?}: {answer:?}");
            assert_eq!(client.rest(), b"");
            // The end of a frame is known: the call fails, and the connection stays open.
            let mut client = Client::new(server.addr(), (true, protocol));
            client.stream.write_all(&framed(&bytes)).unwrap();
            let answer = client.answer_to("getRow", 1);
            assert!(matches!(answer, Answer::Exception(7, _)), "{bytes:?}: {answer:?}");
            assert_eq!(client.call("getRow", NO_ARGS), Answer::Success("Thrift1 getRow".to_owned()));
        }
    }
    is_alive(&server);
}

#[test]
fn deep_nesting_is_refused() {
    let (server, _gate) = serve(config());
    for way in WAYS {
        let nested = |levels| (0..levels).fold(Arg::Bool(1, true), |inner, _| Arg::Struct(1, vec![inner]));
        let mut client = Client::new(server.addr(), way);
        assert_eq!(client.call("getRow", &[nested(50)]), Answer::Success("Thrift1 getRow".to_owned()), "{way:?}");
        // The thrift crate refuses to write a message of this depth.
        let (open, close) = match way.1 {
            Protocol::Compact => (b"\x1c".repeat(100_000), vec![0; 100_001]),
            _ => (b"\x0c\0\x01".repeat(100_000), vec![0; 100_001]),
        };
        let mut bytes = message(way.1, "getRow", 9, NO_ARGS);
        bytes.pop();
        bytes.extend(open);
        bytes.extend(close);
        let bytes = if way.0 { framed(&bytes) } else { bytes };
        client.stream.write_all(&bytes).unwrap();
        let answer = client.answer_to("getRow", 9);
        assert!(matches!(answer, Answer::Exception(7, _)), "{way:?}: {answer:?}");
    }
    is_alive(&server);
}

#[test]
fn a_truncated_message_ends_with_its_connection() {
    let (server, _gate) = serve(config());
    for way in WAYS {
        let whole = Client::new(server.addr(), way).bytes("mutateRow", &[Arg::Bytes(1, b"table".to_vec())]);
        for end in 1..whole.len() {
            let mut client = Client::new(server.addr(), way);
            client.stream.write_all(&whole[..end]).unwrap();
            client.stream.shutdown(std::net::Shutdown::Write).unwrap();
            assert_eq!(client.rest(), b"", "{way:?} cut at {end}");
        }
    }
    is_alive(&server);
}

#[test]
fn types_that_do_not_exist_are_refused() {
    let (server, _gate) = serve(config());
    let mut client = Client::new(server.addr(), WAYS[0]);
    client.stream.write_all(b"\x80\x01\0\x01\0\0\0\x06getRow\0\0\0\x01\x7b\0\x01\0").unwrap();
    assert_eq!(client.answer_to("getRow", 1), Answer::Exception(7, "there is no value type 123".to_owned()));
    assert_eq!(client.rest(), b"");
}
