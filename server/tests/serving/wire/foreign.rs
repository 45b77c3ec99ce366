//! Other protocols and garbage at the port: the connection ends, and the server continues.

use std::io::{Read, Write};

use super::client::{Answer, Client, NO_ARGS, WAYS, connect};
use super::echo::{config, serve};

#[test]
fn connections_with_another_protocol_are_closed() {
    let (server, _gate) = serve(config());
    let openings: [&[u8]; 9] = [
        b"HBas\0\x50\0\0\0\x20",
        b"\0\0\0\x2d\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x75\x30",
        b"ruok",
        b"*1\r\n$4\r\nPING\r\n",
        b"PING\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03",
        b"\xde\xad\xbe\xef\xde\xad\xbe\xef",
    ];
    for opening in openings {
        let mut stream = connect(server.addr());
        stream.write_all(opening).unwrap();
        let mut rest = Vec::new();
        // Closed, or reset because the server did not read all bytes.
        if stream.read_to_end(&mut rest).is_ok() {
            assert_eq!(rest, b"", "{:?}", opening.escape_ascii().to_string());
        }
    }
    let answer = Client::new(server.addr(), WAYS[0]).call("getRow", NO_ARGS);
    assert_eq!(answer, Answer::Success("Thrift1 getRow".to_owned()));
}

#[test]
fn a_sasl_negotiation_is_refused_with_the_reason() {
    const BAD: u8 = 3;
    let (server, _gate) = serve(config());
    for (opening, reason) in [
        (&b"\x01\0\0\0\x06GSSAPI"[..], "Unsupported mechanism type GSSAPI"),
        (b"\x01\0\0\0\x05plain", "Unsupported mechanism type plain: this server supports PLAIN"),
        (b"\x01\0\0\0\x021\xff", "Unsupported mechanism type 1\\xff"),
        (b"\x01\0\0\0\x40", "Unsupported mechanism type, whose name has 64 bytes: this server supports PLAIN"),
        (b"\x01\x7f\xff\xff\xff", "Unsupported mechanism type, whose name has 2147483647 bytes"),
        (b"\x01\0\0\0\x05PLAIN", "this server has no users"),
    ] {
        let mut stream = connect(server.addr());
        stream.write_all(opening).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let (head, text) = answer.split_at(5);
        assert_eq!(head, [&[BAD], &(text.len() as u32).to_be_bytes()[..]].concat());
        assert!(String::from_utf8_lossy(text).starts_with(reason), "{}", text.escape_ascii());
    }
}
