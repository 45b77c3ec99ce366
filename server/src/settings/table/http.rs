//! Thrift over HTTP.

use super::{Default, Kind, ROW, Setting, time};

pub(super) static SETTINGS: [Setting; 4] = [
    Setting {
        name: "http.origins",
        kind: Kind::Origins,
        default: Default::Unset("none"),
        summary: "Origins whose web pages may send calls over HTTP. Requests of other pages are refused, and so are \
                  those that say that they come from a web page without naming its origin",
        reason: "A web page must not be able to change tables of a server on its reader's machine or network",
        set: |startup, value| startup.config.http.origins = value.list().to_vec(),
        ..ROW
    },
    Setting {
        name: "http.hosts",
        kind: Kind::Hosts,
        default: Default::Unset("none"),
        summary: "Host names that HTTP requests to a loopback address may name besides localhost, IP addresses and \
                  server.host. Needed for a proxy on the same machine that forwards the Host header",
        reason: "A web page whose own name resolves to 127.0.0.1 could otherwise read and change tables",
        set: |startup, value| startup.config.http.hosts = value.list().to_vec(),
        ..ROW
    },
    Setting {
        name: "http.header_timeout",
        kind: time(1),
        default: Default::Is("10s"),
        summary: "Close connections on which the head of an HTTP request takes longer than this to arrive",
        reason: "A head is small and is sent at once; a client that sends it slowly only holds the connection",
        set: |startup, value| startup.config.http.header_timeout = value.time().unwrap_or_default(),
        ..ROW
    },
    Setting {
        name: "http.keep_alive",
        kind: time(1),
        default: Default::Is("120s"),
        summary: "Close HTTP connections that send no further request for this long. limits.idle applies as well",
        reason: "HTTP clients connect again by themselves, unlike Thrift clients on sockets",
        set: |startup, value| startup.config.http.keep_alive = value.time().unwrap_or_default(),
        ..ROW
    },
];
