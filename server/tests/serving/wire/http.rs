//! Thrift messages as bodies of HTTP requests, on the same port.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use hjall_server::Config;
use hjall_server::settings::config::{FastPath, Limits, Listen};
use hjall_server::wire::method::Service;

use super::client::{Answer, Arg, Client, NO_ARGS, Protocol, WAYS, connect, message, parse, reader};
use super::echo::{config, limited, serve};

/// Reads an answer: the status, the headers in lower case, the body.
pub fn read(from: &mut BufReader<TcpStream>) -> (u16, String, Vec<u8>) {
    let mut line = String::new();
    from.read_line(&mut line).unwrap();
    let status = line.split(' ').nth(1).unwrap().parse().unwrap();
    let mut headers = String::new();
    loop {
        line.clear();
        from.read_line(&mut line).unwrap();
        if line == "\r\n" {
            break;
        }
        headers.push_str(&line.to_lowercase());
    }
    let length = match status {
        // These have no body, and need not state its length.
        204 | 304 => 0,
        _ => headers.lines().find_map(|h| h.strip_prefix("content-length: ")).unwrap().parse().unwrap(),
    };
    let mut body = vec![0; length];
    from.read_exact(&mut body).unwrap();
    (status, headers, body)
}

fn post(body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST /any/path HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-thrift\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// The head of a request with these headers, each with its end.
fn post_with(headers: &str) -> Vec<u8> {
    format!("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-thrift\r\n{headers}\r\n").into_bytes()
}

#[test]
fn a_connection_serves_many_requests() {
    let (server, _gate) = serve(config());
    let mut http = BufReader::new(connect(server.addr()));
    for protocol in [Protocol::Strict, Protocol::Old, Protocol::Compact] {
        for (name, said) in
            [("getRow", "Thrift1 getRow"), ("put", "Thrift2 put"), ("getClusterId", "Thrift2 getClusterId")]
        {
            let request = post(&message(protocol, name, 5, &[Arg::Bytes(1, b"t".to_vec())]));
            http.get_mut().write_all(&request).unwrap();
            let (status, headers, body) = read(&mut http);
            assert_eq!(status, 200);
            assert!(headers.contains("content-type: application/x-thrift\r\n"), "{headers}");
            let answer = parse(&mut *reader(protocol, &body[..]), name, 5);
            assert_eq!(answer, Answer::Success(said.to_owned()));
        }
    }
}

#[test]
fn bodies_may_come_in_chunks() {
    let (server, _gate) = serve(config());
    let mut http = BufReader::new(connect(server.addr()));
    let message = message(Protocol::Strict, "mutateRows", 1, &[Arg::Bytes(1, vec![9; 300])]);
    let mut request = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-thrift\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    for chunk in message.chunks(7) {
        request.extend(format!("{:x}\r\n", chunk.len()).into_bytes());
        request.extend(chunk);
        request.extend(b"\r\n");
    }
    request.extend(b"0\r\n\r\n");
    for byte in request {
        http.get_mut().write_all(&[byte]).unwrap();
    }
    let (status, _, body) = read(&mut http);
    assert_eq!(status, 200);
    let answer = parse(&mut *reader(Protocol::Strict, &body[..]), "mutateRows", 1);
    assert_eq!(answer, Answer::Success("Thrift1 mutateRows".to_owned()));
}

#[test]
fn other_methods_and_other_bodies_are_refused_clearly() {
    let limits = Limits { message_bytes_max: 1 << 16, ..Limits::default() };
    let listen = Listen { addr: "127.0.0.1:0".parse().unwrap(), only: Some(Service::Thrift1) };
    let (server, _gate) = serve(Config { listen: vec![listen], ..limited(limits) });
    for (request, status, says) in [
        (b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".to_vec(), 405, "POST"),
        (b"PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n".to_vec(), 405, "POST"),
        (post(b""), 400, "not a Thrift message"),
        (post(b"hello, world: no Thrift here"), 400, "not a Thrift message"),
        (
            b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-thrift\r\nContent-Length: 2000000000\r\n\r\n"
                .to_vec(),
            413,
            "larger",
        ),
        (post_with("Content-Encoding: gzip\r\nContent-Length: 20\r\n"), 415, "Content-Encoding gzip"),
        (post_with("Host: localhost\r\nContent-Length: 20\r\n"), 400, "several Host headers"),
    ] {
        let mut http = BufReader::new(connect(server.addr()));
        http.get_mut().write_all(&request).unwrap();
        let (answered, _, body) = read(&mut http);
        let body = String::from_utf8(body).unwrap();
        assert!(answered == status && body.contains(says), "{answered} {body}");
    }
}

#[test]
fn the_refusal_of_damaged_chunks_names_the_damage() {
    let (server, _gate) = serve(config());
    let chunked = |body: &str| [&post_with("Transfer-Encoding: chunked\r\n"), body.as_bytes()].concat();
    for (request, says) in [
        (chunked("ffffffffffffffffff\r\n"), "chunk size: overflow"),
        (chunked("-1\r\n"), "chunk size line"),
        (chunked(&format!("5;{}\r\n", "x".repeat(100_000))), "chunk extensions over limit"),
        (chunked(&format!("0\r\n{}", "a: b\r\n".repeat(10_000))), "chunk trailers"),
    ] {
        let mut http = BufReader::new(connect(server.addr()));
        // The server answers before it has received everything.
        let _ = http.get_mut().write_all(&request);
        let (status, _, body) = read(&mut http);
        let body = String::from_utf8(body).unwrap();
        assert!(status == 400 && body.contains(says), "{status} {body}");
    }
    let mut http = BufReader::new(connect(server.addr()));
    http.get_mut().write_all(&chunked("ff\r\nshort")).unwrap();
    http.get_mut().shutdown(std::net::Shutdown::Write).unwrap();
    let (status, _, body) = read(&mut http);
    assert_eq!((status, &body[..]), (400, &b"The body ends early.\n"[..]));
}

/// A client that has only closed its sending side may still read the answer; one that has reset the connection cannot.
#[test]
fn a_running_call_is_stopped_once_its_client_has_reset_the_connection() {
    let (server, gate) = serve(Config { fast_path: FastPath::Never, ..config() });
    let mut client = connect(server.addr());
    client.write_all(&post(&message(Protocol::Strict, "getVerTs", 1, NO_ARGS))).unwrap();
    gate.started.recv().unwrap();
    socket2::SockRef::from(&client).set_linger(Some(std::time::Duration::ZERO)).unwrap();
    drop(client);
    gate.started.recv_timeout(std::time::Duration::from_secs(30)).expect("the call has been stopped");
    // What a client sends ahead is kept.
    let mut http = BufReader::new(connect(server.addr()));
    http.get_mut().write_all(&post(&message(Protocol::Strict, "getVer", 1, NO_ARGS))).unwrap();
    gate.started.recv().unwrap();
    http.get_mut().write_all(&post(&message(Protocol::Strict, "getRow", 2, &[Arg::Bytes(1, vec![7; 3000])]))).unwrap();
    gate.resume.send(()).unwrap();
    for name in ["getVer", "getRow"] {
        let (status, _, body) = read(&mut http);
        let answer = parse(&mut *reader(Protocol::Strict, &body[..]), name, if name == "getVer" { 1 } else { 2 });
        assert_eq!((status, answer), (200, Answer::Success(format!("Thrift1 {name}"))));
    }
}

#[test]
fn a_failed_call_is_an_answer_like_any_other() {
    let (server, _gate) = serve(config());
    let mut http = BufReader::new(connect(server.addr()));
    for (name, kind) in [("nothing", 1), ("getRowTs", 6)] {
        http.get_mut().write_all(&post(&message(Protocol::Strict, name, 1, NO_ARGS))).unwrap();
        let (status, _, body) = read(&mut http);
        assert_eq!(status, 200);
        assert!(
            matches!(parse(&mut *reader(Protocol::Strict, &body[..]), name, 1), Answer::Exception(k, _) if k == kind)
        );
    }
}

#[test]
fn other_requests_are_for_the_rest_gateway() {
    let (server, _gate) = serve(config());
    let get = b"GET /t/r HTTP/1.1\r\nHost: localhost\r\nAccept: application/json\r\n\r\n".to_vec();
    let post =
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nhi".to_vec();
    // These services have no methods of REST.
    for (request, status, says) in [(get, 404, "Not found"), (post, 405, "application/x-thrift")] {
        let mut http = BufReader::new(connect(server.addr()));
        http.get_mut().write_all(&request).unwrap();
        let (answered, headers, body) = read(&mut http);
        let body = String::from_utf8(body).unwrap();
        assert!(answered == status && body.contains(says), "{answered} {body}");
        assert!(headers.contains("x-frame-options: deny\r\n"), "{headers}");
    }
}

#[test]
fn a_port_of_rest_serves_nothing_else() {
    let listen = Listen { addr: "127.0.0.1:0".parse().unwrap(), only: Some(Service::Rest) };
    let (server, _gate) = serve(Config { listen: vec![listen], ..config() });
    let mut http = BufReader::new(connect(server.addr()));
    http.get_mut().write_all(&post(&message(Protocol::Strict, "getRow", 1, NO_ARGS))).unwrap();
    assert_eq!(read(&mut http).0, 415);
    let mut thrift = Client::new(server.addr(), WAYS[0]);
    assert!(matches!(thrift.call("getRow", NO_ARGS), Answer::Exception(1, _)));
}
