//! Sends arbitrary bodies to the REST gateway. Each must get an answer that is no internal error.
//!
//! The first byte of the input chooses the address and the representation, the rest is the body. Run with
//! `cargo +nightly fuzz run rest` in the root of the repository.
#![no_main]

mod serving;

use libfuzzer_sys::fuzz_target;
use serving::exchange;

/// Addresses whose bodies are read in different ways.
const PATHS: [&str; 8] = [
    "/t/r",
    "/t/r/f:a",
    "/t/r?check=put",
    "/t/r?check=delete",
    "/t/r?check=append&rr=true",
    "/t/r?check=increment&rr=true",
    "/t/scanner",
    "/namespaces/n",
];
const KINDS: [&str; 4] = ["application/json", "text/xml", "application/x-protobuf", "application/octet-stream"];

fn put(path: &str, kind: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "PUT {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    exchange(serving::server().addr(), &[head.as_bytes(), body].concat())
}

fuzz_target!(|bytes: &[u8]| {
    let (form, body) = bytes.split_first().map_or((0, bytes), |(form, body)| (usize::from(*form), body));
    let (path, kind) = (PATHS[form % PATHS.len()], KINDS[form / PATHS.len() % KINDS.len()]);
    // Creates the table, or leaves it as it is.
    put("/t/schema", "application/json", br#"{"ColumnSchema":[{"name":"f"}]}"#);
    let answer = put(path, kind, body);
    let status = answer.get(9..12).unwrap_or_default();
    assert!(matches!(status, [b'2'..=b'4', ..]), "{path} {kind}: {}", answer.escape_ascii());
});
