//! Where the server listens and where it keeps its data.

use std::time::Duration;

use super::{Default, Kind, ROW, Setting, count, flag, key, key_in, time};
use crate::settings::Value;
use crate::settings::config::{Config, FastPath, ReadOnly};
use crate::settings::text::of_time;

pub(super) static SETTINGS: [Setting; 15] = [
    Setting {
        name: "server.data",
        flag: flag("data", "DIR", ""),
        variable: Some("HJALL_DATA"),
        kind: Kind::Path,
        default: Default::Is("./hjall-data"),
        summary: "Database folder. serve, shell and restore create it",
        reason: "Relative to the directory the server is started in",
        reloads: false,
        set: |startup, value| startup.data = value.text().into(),
        ..ROW
    },
    Setting {
        name: "server.memory",
        flag: flag("memory", "", ""),
        summary: "Keep the database in memory only. Nothing survives the process",
        reason: "Data is meant to be kept",
        reloads: false,
        set: |startup, value| startup.memory = value.is_true(),
        ..ROW
    },
    Setting {
        name: "server.listen",
        flag: flag("listen", "ADDR", ""),
        variable: Some("HJALL_LISTEN"),
        kind: Kind::Addresses,
        default: Default::Unset("server.address and server.port, unless only listen_thrift1 or listen_thrift2 is set"),
        summary: "Address for clients of both services. May be repeated. Port 0 picks any free port",
        reason: "One port serves every client",
        reloads: false,
        set: |startup, value| startup.parts.listen = value.list().to_vec(),
        effective: |startup| {
            let both = startup.config.listen.iter().filter(|listen| listen.only.is_none());
            let addresses: Vec<_> = both.map(|listen| listen.addr.to_string()).collect();
            (!addresses.is_empty()).then_some(Value::List(addresses))
        },
        ..ROW
    },
    Setting {
        name: "server.listen_thrift1",
        flag: flag("listen-thrift1", "ADDR", ""),
        kind: Kind::Addresses,
        default: Default::Unset("none"),
        summary: "Address that serves Thrift1 only",
        reason: "The service of a call is recognised from its method and arguments",
        reloads: false,
        set: |startup, value| startup.parts.listen_thrift1 = value.list().to_vec(),
        ..ROW
    },
    Setting {
        name: "server.listen_thrift2",
        flag: flag("listen-thrift2", "ADDR", ""),
        kind: Kind::Addresses,
        default: Default::Unset("none"),
        summary: "Address that serves Thrift2 only",
        reason: "The service of a call is recognised from its method and arguments",
        reloads: false,
        set: |startup, value| startup.parts.listen_thrift2 = value.list().to_vec(),
        ..ROW
    },
    Setting {
        name: "server.address",
        hbase: &[key("hbase.regionserver.thrift.ipaddress")],
        kind: Kind::Text("a host name or an IP address"),
        default: Default::Is("127.0.0.1"),
        summary: "Host or IP address to listen on, unless the same layer of settings or a later one sets server.listen",
        reason: "Without users, every client that can connect may do everything, so listening on a network has to be a \
                 deliberate choice (HBase: 0.0.0.0)",
        reloads: false,
        set: |startup, value| startup.parts.address = value.text().to_owned(),
        ..ROW
    },
    Setting {
        name: "server.port",
        hbase: &[key("hbase.regionserver.thrift.port")],
        kind: count(0, 65_535),
        default: Default::Is("9090"),
        summary: "Port to listen on, unless the same layer of settings or a later one sets server.listen",
        as_in_hbase: true,
        reloads: false,
        set: |startup, value| startup.parts.port = value.number().and_then(|n| n.try_into().ok()).unwrap_or(0),
        ..ROW
    },
    Setting {
        name: "server.host",
        flag: flag("host", "NAME", ""),
        kind: Kind::Host,
        default: Default::Unset("the first listening address, or the name of the machine if that is 0.0.0.0 or ::"),
        summary: "Host name used in region locations and error messages",
        reason: "Clients that follow region locations reach this server again",
        reloads: false,
        set: |startup, value| startup.config.host = Some(value.text().to_owned()),
        effective: |startup| startup.config.host_in_force().map(Value::Text),
        ..ROW
    },
    Setting {
        name: "server.read_only",
        flag: flag("read-only", "", ""),
        hbase: &[key("hbase.thrift.readonly")],
        kind: Kind::Choice(&["false", "true", "all"]),
        default: Default::Is("false"),
        summary: "Read-only mode. true, the value of the flag, is what HBase's read-only gateways do: it refuses every \
                  change through REST and data mutations through Thrift2, but neither Thrift1 nor table administration \
                  through Thrift2. all (--set server.read_only=all) refuses every change through all services",
        as_in_hbase: true,
        reloads: false,
        set: |startup, value| {
            startup.config.calls.read_only = match value.text() {
                "all" => ReadOnly::All,
                _ if value.is_true() => ReadOnly::AsHBase,
                _ => ReadOnly::Off,
            }
        },
        ..ROW
    },
    Setting {
        name: "server.grace",
        flag: flag("grace", "SECONDS", "s"),
        hbase: &[key_in("hbase.thrift.stop.timeout.seconds", "s")],
        kind: Kind::Time { min: Duration::ZERO, max: super::DAY, off: false },
        default: Default::Is("60s"),
        summary: "How long running calls may take to finish when the server stops",
        as_in_hbase: true,
        reason: "Longer than a client waits for any call",
        set: |startup, value| startup.config.limits.grace = value.time().unwrap_or_default(),
        ..ROW
    },
    Setting {
        name: "server.drain",
        kind: Kind::Time { min: Duration::ZERO, max: super::DAY, off: false },
        default: Default::Is("0s"),
        summary: "How long the server still accepts connections and calls after a signal to stop, while /readyz \
                  already reports that it is stopping",
        reason: "Only a server behind a load balancer needs it: the time until the load balancer has noticed",
        set: |startup, value| startup.drain = value.time().unwrap_or_default(),
        ..ROW
    },
    Setting {
        name: "server.loops",
        kind: count(1, 256),
        default: Default::Made(|| Config::default().loops.to_string(), "half the cores, 1 to 8"),
        summary: "Number of event loops that always share the connections",
        reason: "Clients on the same machine need cores, too: on two cores, two loops would compete with them",
        reloads: false,
        set: |startup, value| startup.config.loops = value.size(),
        ..ROW
    },
    Setting {
        name: "server.loops_max",
        kind: count(1, 256),
        default: Default::Made(
            || Config::default().loops_max.to_string(),
            "the cores, 1 to 16; 1 on systems other than Linux",
        ),
        summary: "Number of event loops, if that is more than server.loops. While the loops in use are busy and cores \
                  are idle, one more takes over a part of the connections, and keeps them if the server then answers \
                  more calls. On systems other than Linux, the load of threads is not known, and server.loops are used",
        reason: "Clients on other machines leave all cores to the server; sixteen loops are enough to keep the handlers \
                  of a large machine busy",
        reloads: false,
        set: |startup, value| startup.config.loops_max = value.size(),
        ..ROW
    },
    Setting {
        name: "server.busy_poll",
        kind: Kind::Time { min: Duration::ZERO, max: Duration::from_millis(1), off: true },
        default: Default::Made(
            || of_time(Config::default().busy_poll),
            "50us; 0s if the process may use a single core",
        ),
        summary: "How long an event loop that has answered a call looks for the next one before it sleeps, which saves \
                  the time to wake it. A loop stops if the next call rarely comes in time, while many connections keep \
                  it busy, while calls run on workers, and if the client or other threads need its core. It tries again \
                  after some hundred or thousand calls",
        reason: "A client on another core that sends one call after the other gets its answers about twice as fast. The \
                 loop uses its core all the time then; a call takes as much processor time as without polling if the \
                 next one comes at once, and up to twice as much if it comes about 20 µs later",
        set: |startup, value| startup.config.busy_poll = value.time().unwrap_or_default(),
        ..ROW
    },
    Setting {
        name: "server.fast_path",
        kind: Kind::Choice(&["false", "true", "always"]),
        default: Default::Is("true"),
        summary: "Run a get or a write of one row, or of up to 32, on the event loop that received it if its message has \
                  at most 4 KiB, its lane has a free handler, no call about tables is under way, and such calls have \
                  been fast lately. A call that turns out to read much is moved to its lane, and so is a write that has \
                  to wait, and a batch with both puts and deletes. always: even if such calls have been slow lately. \
                  false: never",
        reason: "Handing a call to another thread costs more than the call itself",
        set: |startup, value| {
            startup.config.fast_path = match value.text() {
                "always" => FastPath::Always,
                _ if value.is_true() => FastPath::WhileFast,
                _ => FastPath::Never,
            };
        },
        ..ROW
    },
];

// A stall limit below the latency of the network would close healthy connections.

pub(super) const STALL: Kind = time(1);
