//! Web pages: requests that a browser sends for a page are refused unless the page's origin is allowed.

use std::io::{BufReader, Read, Write};

use hjall_server::settings::config::HttpSettings;
use hjall_server::{Config, Server};

use super::client::{NO_ARGS, Protocol, connect, message};
use super::echo::{config, serve};
use super::http::read;

/// Sends a request with these header lines and a call as its body; returns the status, the headers in lower case and
/// the body.
fn send(server: &Server, method: &str, headers: &[&str]) -> (u16, String, Vec<u8>) {
    let body = message(Protocol::Strict, "mutateRow", 1, NO_ARGS);
    let lines: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
    let head = format!("{method} / HTTP/1.1\r\nContent-Length: {}\r\n{lines}\r\n", body.len());
    let mut http = BufReader::new(connect(server.addr()));
    http.get_mut().write_all(&[head.as_bytes(), &body].concat()).unwrap();
    read(&mut http)
}

const THRIFT: &str = "Content-Type: application/x-thrift";
const LOCAL: &str = "Host: localhost:9090";

#[test]
fn requests_of_web_pages_are_refused() {
    let (server, _gate) = serve(config());
    for (headers, status, says) in [
        (&[LOCAL, THRIFT, "Origin: https://evil.example"][..], 403, "http.origins"),
        (&[LOCAL, THRIFT, "Origin: null"], 403, "http.origins"),
        (&[LOCAL, THRIFT, "Origin: http://localhost:9090"], 403, "http.origins"),
        (&[LOCAL, THRIFT, "Sec-Fetch-Site: cross-site"], 403, "http.origins"),
        (&[LOCAL, THRIFT, "Sec-Fetch-Site: same-origin"], 403, "http.origins"),
        (&[LOCAL, "Content-Type: text/plain"], 405, "application/x-thrift"),
        (&[LOCAL, "Content-Type: application/x-www-form-urlencoded"], 405, "application/x-thrift"),
        (&[LOCAL, "Content-Type: text/plain; application/x-thrift"], 405, "application/x-thrift"),
        (&[LOCAL, "Content-Type: text/plain", THRIFT], 405, "application/x-thrift"),
        (&[LOCAL], 405, "application/x-thrift"),
        (&["Host: evil.example", THRIFT], 421, "http.hosts"),
        (&["Host: evil.example:9090", THRIFT], 421, "http.hosts"),
        (&[LOCAL, "Host: evil.example", THRIFT], 400, "several Host headers"),
    ] {
        let (got, sent, body) = send(&server, "POST", headers);
        let body = String::from_utf8(body).unwrap();
        assert_eq!(got, status, "{headers:?}: {body}");
        assert!(body.contains(says), "{body}");
        assert!(!sent.contains("access-control"), "{sent}");
    }
}

#[test]
fn the_refusal_of_a_preflight_request_grants_nothing() {
    let (server, _gate) = serve(config());
    let (status, headers, _) =
        send(&server, "OPTIONS", &[LOCAL, "Origin: https://evil.example", "Access-Control-Request-Method: POST"]);
    assert_eq!(status, 403);
    assert!(!headers.contains("access-control"), "{headers}");
}

#[test]
fn other_clients_are_served() {
    let (server, _gate) = serve(config());
    for headers in [
        &[LOCAL, THRIFT][..],
        &["Host: 127.0.0.1:9090", "content-type: Application/X-Thrift; charset=binary"],
        &["Host: [::1]:9090", "Content-Type: application/vnd.apache.thrift.binary"],
        &[THRIFT],
    ] {
        assert_eq!(send(&server, "POST", headers).0, 200, "{headers:?}");
    }
}

#[test]
fn allowed_origins_and_hosts_are_served() {
    let http = HttpSettings {
        origins: vec!["https://console.example".to_owned()],
        hosts: vec!["hbase.example".to_owned()],
        ..HttpSettings::default()
    };
    let (server, _gate) = serve(Config { http, host: Some("db.example".to_owned()), ..config() });
    let allowed = "Origin: https://console.example";
    for host in [LOCAL, "Host: hbase.example", "Host: db.example:9090"] {
        let (status, headers, _) = send(&server, "POST", &[host, THRIFT, allowed, "Sec-Fetch-Site: cross-site"]);
        assert_eq!(status, 200);
        assert!(headers.contains("access-control-allow-origin: https://console.example\r\n"), "{headers}");
        assert!(headers.contains("vary: origin, sec-fetch-site\r\n"), "{headers}");
    }
    let other = send(&server, "POST", &[LOCAL, THRIFT, "Origin: https://console.example.evil.example"]);
    assert_eq!(other.0, 403);
    let two = send(&server, "POST", &[LOCAL, THRIFT, allowed, "Origin: https://evil.example"]);
    assert_eq!(two.0, 403);
    let mut http = connect(server.addr());
    http.write_all(
        b"OPTIONS / HTTP/1.1\r\nHost: localhost\r\nOrigin: https://console.example\r\nConnection: close\r\n\
          Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: content-type\r\n\r\n",
    )
    .unwrap();
    let mut answer = String::new();
    http.read_to_string(&mut answer).unwrap();
    let answer = answer.to_lowercase();
    assert!(answer.starts_with("http/1.1 204"), "{answer}");
    for line in [
        "access-control-allow-origin: https://console.example",
        "access-control-allow-methods: post",
        "access-control-allow-headers: content-type",
    ] {
        assert!(answer.contains(line), "{answer}");
    }
    // A content type that needs no preflight request is refused even from an allowed origin.
    assert_eq!(send(&server, "POST", &[LOCAL, "Content-Type: text/plain", allowed]).0, 405);
}
