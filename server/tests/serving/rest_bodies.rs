//! Damaged bodies of requests to the REST gateway: each gets an answer that is no internal error, and other requests
//! are not affected.

use std::io::{BufReader, Write};
use std::net::TcpStream;

use hjall_engine::{Engine, Options};
use hjall_server::{Config, Server};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::wire::client::connect;
use crate::wire::http::read;

/// Requests with bodies that are read as cells, scanners, filters, schemas and namespaces, in each representation.
const WHOLE: [(&str, &str, &[u8]); 16] = [
    ("/t/r", "application/json", br#"{"Row":[{"key":"cg==","Cell":[{"column":"Zjph","timestamp":5,"$":"dg=="}]}]}"#),
    ("/t/r", "text/xml", b"<CellSet><Row key='cg=='><Cell column='Zjph' timestamp='5'>dg==</Cell></Row></CellSet>"),
    ("/t/r", "application/x-protobuf", b"\x0a\x0c\x0a\x01r\x12\x07\x12\x03f:a\x18\x05"),
    ("/t/r/f:a", "application/octet-stream", b"value"),
    (
        "/t/r?check=put",
        "application/json",
        br#"{"Row":[{"Cell":[{"column":"Zjph","$":"dg=="},{"column":"Zjph","$":"dg=="}]}]}"#,
    ),
    ("/t/r?check=delete", "text/xml", b"<CellSet><Row><Cell column='Zjph'>dg==</Cell></Row></CellSet>"),
    ("/t/r?check=append&rr=true", "application/protobuf", b"\x0a\x0d\x0a\x01r\x12\x08\x12\x03f:a\x22\x01v"),
    ("/t/r?check=increment", "application/json", br#"{"Row":[{"key":"cg==","Cell":[{"column":"Zjpu","$":"NQ=="}]}]}"#),
    (
        "/t/scanner",
        "application/json",
        br#"{"batch":2,"startRow":"cg==","column":["Zjph"],"filter":"{\"type\":\"PrefixFilter\",\"value\":\"cg==\"}"}"#,
    ),
    (
        "/t/scanner",
        "text/xml",
        b"<Scanner batch='2' endTime='9' maxVersions='1'><column>Zjph</column>\
          <filter>{\"type\":\"RowFilter\",\"op\":\"EQUAL\",\"comparator\":{\"type\":\"RegexStringComparator\",\"value\":\"r.*\"}}</filter></Scanner>",
    ),
    ("/t/scanner", "application/x-protobuf", b"\x0a\x01r\x12\x01s\x1a\x03f:a\x20\x02\x28\x00\x30\x09\x38\x01"),
    ("/u/schema", "application/json", br#"{"name":"u","ColumnSchema":[{"name":"f","VERSIONS":"3","TTL":5}],"NOTE":"x"}"#),
    ("/u/schema", "text/xml", b"<TableSchema name='u'><ColumnSchema name='f' BLOOMFILTER='ROW'/></TableSchema>"),
    ("/u/schema", "application/x-protobuf", b"\x0a\x01u\x1a\x0c\x0a\x01f\x12\x05\x0a\x01k\x12\x00\x18\x05"),
    ("/namespaces/n", "application/json", br#"{"properties":{"k":"v"}}"#),
    (
        "/namespaces/n",
        "text/xml",
        b"<NamespaceProperties><properties><entry><key>k</key><value>v</value></entry></properties></NamespaceProperties>",
    ),
];

/// A change of a body at a place.
#[derive(Debug, Clone)]
enum Damage {
    Cut,
    Remove(usize),
    Insert(Vec<u8>),
    Repeat(usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    let tokens = [
        &b"{"[..],
        b"}",
        b"[",
        b"\"",
        b"null",
        b"-1e999",
        b"<",
        b"</",
        b"/>",
        b"&#",
        b"]]>",
        b"<![CDATA[",
        b"\xff",
        b"\0",
    ];
    prop_oneof![
        1 => Just(Damage::Cut),
        2 => (1_usize..20).prop_map(Damage::Remove),
        3 => proptest::sample::select(tokens.to_vec()).prop_map(|token| Damage::Insert(token.to_vec())),
        2 => proptest::collection::vec(any::<u8>(), 1..8).prop_map(Damage::Insert),
        2 => (1_usize..40).prop_map(Damage::Repeat),
    ]
}

fn damaged(body: &[u8], changes: &[(Index, Damage)]) -> Vec<u8> {
    let mut body = body.to_vec();
    for (place, change) in changes {
        let at = place.index(body.len() + 1);
        let end = |length: &usize| (at + length).min(body.len());
        match change {
            Damage::Cut => body.truncate(at),
            Damage::Remove(length) => drop(body.drain(at..end(length))),
            Damage::Insert(bytes) => drop(body.splice(at..at, bytes.iter().copied())),
            Damage::Repeat(length) => {
                let part = body[at..end(length)].to_vec();
                body.splice(at..at, part);
            }
        }
    }
    body
}

fn put(http: &mut BufReader<TcpStream>, path: &str, kind: &str, body: &[u8]) -> (u16, Vec<u8>) {
    let length = body.len();
    let head =
        format!("PUT {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n");
    http.get_mut().write_all(&[head.as_bytes(), body].concat()).unwrap();
    let (status, _, text) = read(http);
    (status, text)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1, ..ProptestConfig::default() })]

    #[test]
    fn damaged_bodies_are_answered(
        bodies in proptest::collection::vec((0..WHOLE.len(), proptest::collection::vec((any::<Index>(), damage()), 0..4)), 600)
    ) {
        let engine = Engine::memory(Options::default()).unwrap();
        let server = Server::start(Config::on(([127, 0, 0, 1], 0).into()), engine).unwrap();
        let mut http = BufReader::new(connect(server.addr()));
        let schema = br#"{"ColumnSchema":[{"name":"f"}]}"#;
        prop_assert_eq!(put(&mut http, "/t/schema", "application/json", schema).0, 201);
        for (number, changes) in &bodies {
            let (path, kind, whole) = WHOLE[*number];
            let body = damaged(whole, changes);
            let (status, text) = put(&mut http, path, kind, &body);
            let text = String::from_utf8_lossy(&text);
            prop_assert!(
                matches!(status, 200 | 201 | 304 | 400 | 403 | 404),
                "{status} {text:?} to {path} {kind}: {}",
                body.escape_ascii()
            );
            prop_assert!(status < 400 || text.trim().len() > 10, "a reason for {status} to {}", body.escape_ascii());
        }
        prop_assert_eq!(put(&mut http, "/t/r/f:end", "application/octet-stream", b"v").0, 200);
    }
}
