//! Idle and slow connections do not affect others.

use std::io::Write;

use hjall_server::settings::config::{Limits, WhenFull};

use super::client::{Answer, Client, NO_ARGS, WAYS, connect};
use super::echo::{config, limited, serve};
use crate::eventually::eventually;

fn works(client: &mut Client) {
    assert_eq!(client.call("mutateRows", NO_ARGS), Answer::Success("Thrift1 mutateRows".to_owned()));
}

#[test]
fn hundreds_of_idle_connections_leave_the_server_responsive() {
    let (server, _gate) = serve(config());
    // A test process may have 1024 open files. Each connection takes two, and other tests run concurrently.
    let idle: Vec<_> = (0..200).map(|_| connect(server.addr())).collect();
    let mut half: Vec<_> = (0..50)
        .map(|i| {
            let mut client = Client::new(server.addr(), WAYS[i % WAYS.len()]);
            let bytes = client.bytes("mutateRows", NO_ARGS);
            client.stream.write_all(&bytes[..bytes.len() - 1]).unwrap();
            (client, bytes)
        })
        .collect();
    for way in WAYS {
        works(&mut Client::new(server.addr(), way));
    }
    assert!(server.lanes().iter().all(|lane| lane.under_way == 0), "incomplete messages take no handler");
    for (client, bytes) in &mut half {
        client.stream.write_all(&bytes[bytes.len() - 1..]).unwrap();
        assert_eq!(client.answer("mutateRows"), Answer::Success("Thrift1 mutateRows".to_owned()));
    }
    drop(idle);
}

#[test]
fn one_connection_too_many_is_refused() {
    let (server, _gate) = serve(limited(Limits { connections_max: 2, ..Limits::default() }));
    let mut clients = [WAYS[0], WAYS[1]].map(|way| Client::new(server.addr(), way));
    clients.iter_mut().for_each(works);
    for way in WAYS {
        let mut one_more = Client::new(server.addr(), way);
        let Answer::IoError(text, true) = one_more.call("getRow", NO_ARGS) else { panic!("not refused") };
        assert!(text.starts_with("java.io.IOException: 2 connections are open, which is the limit"), "{text}");
        assert_eq!(one_more.rest(), b"");
    }
    clients.iter_mut().for_each(works);
    assert_eq!(server.connections(), 2);
}

#[test]
fn one_address_cannot_use_all_connections() {
    let limits = Limits { connections_per_address_max: 2, ..Limits::default() };
    let (server, _gate) = serve(limited(limits));
    let mut clients = [WAYS[0], WAYS[1]].map(|way| Client::new(server.addr(), way));
    clients.iter_mut().for_each(works);
    let mut one_more = Client::new(server.addr(), WAYS[3]);
    let Answer::IoError(text, true) = one_more.call("getRow", NO_ARGS) else { panic!("not refused") };
    assert!(text.contains("2 connections are open from 127.0.0.1, which is the limit for one address"), "{text}");
    drop(clients);
    eventually("all connections are closed", || server.connections() == 0);
    works(&mut Client::new(server.addr(), WAYS[0]));
}

#[test]
fn one_connection_too_many_waits_where_configured() {
    let (server, _gate) = serve(limited(Limits { connections_max: 1, when_full: WhenFull::Wait, ..Limits::default() }));
    let mut first = Client::new(server.addr(), WAYS[0]);
    works(&mut first);
    let mut second = Client::new(server.addr(), WAYS[0]);
    let bytes = second.bytes("mutateRows", NO_ARGS);
    second.stream.write_all(&bytes).unwrap();
    works(&mut first);
    drop(first);
    assert_eq!(second.answer("mutateRows"), Answer::Success("Thrift1 mutateRows".to_owned()));
}

#[test]
fn a_pause_within_a_message_ends_the_connection() {
    let (server, _gate) =
        serve(limited(Limits { stall_max: std::time::Duration::from_millis(20), ..Limits::default() }));
    for way in WAYS {
        let mut client = Client::new(server.addr(), way);
        works(&mut client);
        let bytes = client.bytes("mutateRows", NO_ARGS);
        client.stream.write_all(&bytes[..bytes.len() - 1]).unwrap();
        assert_eq!(client.rest(), b"", "{way:?}");
    }
}
