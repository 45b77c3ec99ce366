//! TLS: which connections are accepted, and client certificates.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;

use hjall_server::settings::config::{ClientCertificates, FastPath, PlainText, TlsSettings};
use hjall_server::{Config, Server, StartError};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned, crypto};

use super::client::{Answer, Arg, Client, NO_ARGS, Protocol, WAYS, connect, message};
use super::echo::{Echo, config, serve};

pub type Issuer = CertifiedIssuer<'static, KeyPair>;

pub fn authority() -> Issuer {
    let mut params = CertificateParams::new(vec![]).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// A certificate of this authority as DER, its key, and the certificate as PEM.
fn certified(by: &Issuer) -> (CertificateDer<'static>, KeyPair, String) {
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(vec!["localhost".to_owned()]).unwrap().signed_by(&key, by).unwrap();
    (certificate.der().clone(), key, certificate.pem())
}

pub fn files(folder: &Path, by: &Issuer, mutual: bool) -> TlsSettings {
    let (_, key, certificate) = certified(by);
    let write = |name: &str, text: String| {
        std::fs::write(folder.join(name), text).unwrap();
        folder.join(name)
    };
    TlsSettings {
        certificate: write("server.pem", certificate),
        key: write("server.key", key.serialize_pem()),
        client_authorities: mutual.then(|| write("ca.pem", by.pem())),
        client_certificates: ClientCertificates::Require,
        plain_text: PlainText::Refuse,
    }
}

pub fn tls(
    server: &Server,
    by: &Issuer,
    own: Option<(CertificateDer<'static>, KeyPair)>,
) -> StreamOwned<ClientConnection, TcpStream> {
    let mut roots = RootCertStore::empty();
    roots.add(by.der().clone()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots);
    let config = match own {
        None => config.with_no_client_auth(),
        Some((certificate, key)) => {
            let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
            config.with_client_auth_cert(vec![certificate], key).unwrap()
        }
    };
    let connection = ClientConnection::new(Arc::new(config), "localhost".try_into().unwrap()).unwrap();
    StreamOwned::new(connection, connect(server.addr()))
}

#[test]
fn tls_and_plain_connections_share_the_port_where_configured() {
    let folder = tempfile::tempdir().unwrap();
    let authority = authority();
    let allowed = TlsSettings { plain_text: PlainText::Allow, ..files(folder.path(), &authority, false) };
    let (server, _gate) = serve(Config { tls: Some(allowed), ..config() });
    for way in WAYS {
        let mut plain = Client::new(server.addr(), way);
        let mut secret = Client::over(tls(&server, &authority, None), way);
        for _ in 0..2 {
            assert_eq!(plain.call("getRow", NO_ARGS), Answer::Success("Thrift1 getRow".to_owned()));
            assert_eq!(secret.call("put", NO_ARGS), Answer::Success("Thrift2 put".to_owned()));
        }
    }
    let mut https = tls(&server, &authority, None);
    https.write_all(b"GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    https.read_to_string(&mut answer).unwrap();
    // These services have no methods of REST.
    assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
}

/// Messages that take several records, and several reads of the server.
#[test]
fn long_messages_arrive_through_tls() {
    let folder = tempfile::tempdir().unwrap();
    let authority = authority();
    let (server, _gate) = serve(Config { tls: Some(files(folder.path(), &authority, false)), ..config() });
    for way in WAYS {
        let mut client = Client::over(tls(&server, &authority, None), way);
        for length in [10 << 10, 16 << 10, 40 << 10, 100 << 10, 1 << 20, 10 << 20] {
            let answer = client.call("put", &[Arg::Bytes(1, vec![7; length])]);
            assert_eq!(answer, Answer::Success("Thrift2 put".to_owned()), "{way:?}, {length} bytes");
        }
        // Many calls in one piece, whose end is in the middle of a record.
        let first = client.sequence();
        let calls: Vec<u8> = (0..200).flat_map(|n| client.bytes("put", &[Arg::Bytes(1, vec![7; n * 20])])).collect();
        client.stream.write_all(&calls).unwrap();
        for n in 1..=200 {
            assert_eq!(client.answer_to("put", first + n), Answer::Success("Thrift2 put".to_owned()), "{way:?}");
        }
    }
}

#[test]
fn a_long_request_over_https_is_answered() {
    let folder = tempfile::tempdir().unwrap();
    let authority = authority();
    let (server, _gate) = serve(Config { tls: Some(files(folder.path(), &authority, false)), ..config() });
    let mut https = tls(&server, &authority, None);
    let body = message(Protocol::Strict, "put", 1, &[Arg::Bytes(1, vec![7; 3 << 20])]);
    let head = format!(
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-thrift\r\nConnection: close\r\n\
         Content-Length: {}\r\n\r\n",
        body.len()
    );
    https.write_all(head.as_bytes()).unwrap();
    https.write_all(&body).unwrap();
    let mut answer = Vec::new();
    https.read_to_end(&mut answer).unwrap();
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("Thrift2 put"), "{answer}");
}

/// Sends a call without TLS in every dialect, and checks that it is refused and not run.
fn refuses_plain_text(server: &Server) {
    for way in WAYS {
        let mut plain = Client::new(server.addr(), way);
        let answer = plain.call("mutateRow", &[Arg::Bytes(1, vec![7; 1000])]);
        let Answer::IoError(text, false) = answer else { panic!("{way:?}: {answer:?}") };
        assert!(text.contains("accepts only TLS connections") && text.contains("tls.plain"), "{text}");
        assert_eq!(plain.rest(), b"");
    }
    // A message above the size limit for refusals is refused before it has arrived.
    let mut large = Client::new(server.addr(), WAYS[3]);
    let bytes = large.bytes("mutateRow", &[Arg::Bytes(1, vec![7; 10 << 20])]);
    large.stream.write_all(&bytes[..1 << 10]).unwrap();
    assert!(matches!(large.answer("mutateRow"), Answer::IoError(text, false) if text.contains("TLS")));
    let mut http = connect(server.addr());
    http.write_all(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n").unwrap();
    let mut answer = String::new();
    http.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 403") && answer.contains("accepts only TLS"), "{answer}");
}

#[test]
fn plain_text_is_refused_once_tls_is_configured() {
    let folder = tempfile::tempdir().unwrap();
    let authority = authority();
    let (server, _gate) = serve(Config { tls: Some(files(folder.path(), &authority, false)), ..config() });
    refuses_plain_text(&server);
    let mut secret = Client::over(tls(&server, &authority, None), WAYS[0]);
    assert_eq!(secret.call("put", NO_ARGS), Answer::Success("Thrift2 put".to_owned()));
}

#[test]
fn plain_text_is_always_refused_where_clients_need_a_certificate() {
    let folder = tempfile::tempdir().unwrap();
    let authority = authority();
    let allowed = TlsSettings { plain_text: PlainText::Allow, ..files(folder.path(), &authority, true) };
    let (server, _gate) = serve(Config { tls: Some(allowed), ..config() });
    refuses_plain_text(&server);
}

#[test]
fn tls_inside_tls_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let authority = authority();
    let (server, _gate) = serve(Config { tls: Some(files(folder.path(), &authority, false)), ..config() });
    let mut outer = tls(&server, &authority, None);
    outer.write_all(b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03").unwrap();
    assert!(!matches!(outer.read(&mut [0; 16]), Ok(1..)), "there is no answer");
}

#[test]
fn plain_text_is_refused_from_the_moment_that_tls_is_configured() {
    let folder = tempfile::tempdir().unwrap();
    let (server, _gate) = serve(config());
    let mut open = Client::new(server.addr(), WAYS[0]);
    assert_eq!(open.call("put", NO_ARGS), Answer::Success("Thrift2 put".to_owned()));
    let wanted = Config { tls: Some(files(folder.path(), &authority(), false)), ..config() };
    assert!(server.reconfigure(&wanted).applied.contains(&"tls"));
    refuses_plain_text(&server);
    assert_eq!(
        open.call("put", NO_ARGS),
        Answer::Success("Thrift2 put".to_owned()),
        "open connections stay unencrypted"
    );
}

#[test]
fn a_client_must_show_a_certificate_where_an_authority_is_configured() {
    let folder = tempfile::tempdir().unwrap();
    let (authority, stranger) = (authority(), authority());
    let (server, _gate) = serve(Config { tls: Some(files(folder.path(), &authority, true)), ..config() });
    let (certificate, key, _) = certified(&authority);
    let mut known = Client::over(tls(&server, &authority, Some((certificate, key))), WAYS[0]);
    assert_eq!(known.call("getRow", NO_ARGS), Answer::Success("Thrift1 getRow".to_owned()));
    let (certificate, key, _) = certified(&stranger);
    for own in [None, Some((certificate, key))] {
        let mut unknown = tls(&server, &authority, own);
        let sent = unknown.write_all(&Client::new(server.addr(), WAYS[0]).bytes("getRow", NO_ARGS));
        assert!(sent.is_err() || unknown.read(&mut [0; 16]).is_err(), "no answer without a certificate");
    }
}

#[test]
fn certificates_are_reloaded_without_affecting_connections() {
    let folder = tempfile::tempdir().unwrap();
    let [before, after] = [authority(), authority()];
    let config = Config { tls: Some(files(folder.path(), &before, false)), ..config() };
    let (server, gate) = serve(Config { fast_path: FastPath::Never, ..config });
    let mut old = Client::over(tls(&server, &before, None), WAYS[0]);
    let bytes = old.bytes("getVer", NO_ARGS);
    old.stream.write_all(&bytes).unwrap();
    gate.started.recv().unwrap();
    // The files of the same names, from another authority.
    files(folder.path(), &after, false);
    assert!(server.reload_tls().unwrap());
    let mut new = Client::over(tls(&server, &after, None), WAYS[0]);
    assert_eq!(new.call("put", NO_ARGS), Answer::Success("Thrift2 put".to_owned()));
    gate.resume.send(()).unwrap();
    assert_eq!(old.answer("getVer"), Answer::Success("Thrift1 getVer".to_owned()), "its call was in progress");
    assert_eq!(old.call("put", NO_ARGS), Answer::Success("Thrift2 put".to_owned()));
    let mut stale = tls(&server, &before, None);
    assert!(stale.write_all(b"x").and_then(|()| stale.read(&mut [0])).is_err(), "the old certificate is refused");
    // Unusable files change nothing.
    std::fs::write(folder.path().join("server.pem"), "no certificate").unwrap();
    assert!(server.reload_tls().unwrap_err().to_string().contains("server.pem"));
    let mut new = Client::over(tls(&server, &after, None), WAYS[0]);
    assert_eq!(new.call("put", NO_ARGS), Answer::Success("Thrift2 put".to_owned()));
}

#[test]
fn a_missing_or_wrong_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let good = files(folder.path(), &authority(), false);
    let missing = TlsSettings { key: folder.path().join("nowhere.key"), ..good.clone() };
    let swapped = TlsSettings { certificate: good.key.clone(), ..good.clone() };
    for (files, named) in [(missing, "nowhere.key"), (swapped, "server.key")] {
        let (echo, _gate) = Echo::new();
        let error = Server::with_services(Config { tls: Some(files), ..config() }, |_| echo).map(drop).unwrap_err();
        assert!(matches!(&error, StartError::Tls(_)) && error.to_string().contains(named), "{error}");
    }
}
