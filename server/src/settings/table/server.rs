//! Where the server listens and where its data is.

use std::time::Duration;

use super::{Default, Kind, ROW, Setting, count, flag, key, key_in, time};
use crate::settings::config::Config;

pub(super) static SETTINGS: [Setting; 12] = [
    Setting {
        name: "server.data",
        flag: flag("data", "DIR", ""),
        variable: Some("HJALL_DATA"),
        kind: Kind::Path,
        default: Default::Is("./hjall-data"),
        says: "Folder of the database; made if need be",
        because: "it is found where the server was started",
        reloads: false,
        set: |launch, value| launch.data = value.text().into(),
        ..ROW
    },
    Setting {
        name: "server.memory",
        flag: flag("memory", "", ""),
        says: "Keep everything in memory; nothing survives the process",
        because: "data is to stay",
        reloads: false,
        set: |launch, value| launch.memory = value.is_true(),
        ..ROW
    },
    Setting {
        name: "server.listen",
        flag: flag("listen", "ADDR", ""),
        variable: Some("HJALL_LISTEN"),
        kind: Kind::Addresses,
        default: Default::Unset("server.address and server.port, unless only the next two are given"),
        says: "Address for clients of both services; may be given several times. Port 0 takes any free one",
        because: "one port takes every client",
        reloads: false,
        set: |launch, value| launch.parts.listen = value.list().to_vec(),
        ..ROW
    },
    Setting {
        name: "server.listen_thrift1",
        flag: flag("listen-thrift1", "ADDR", ""),
        kind: Kind::Addresses,
        default: Default::Unset("none"),
        says: "Address for Thrift1 alone, whatever the calls look like",
        because: "calls tell themselves which service they are for",
        reloads: false,
        set: |launch, value| launch.parts.listen_thrift1 = value.list().to_vec(),
        ..ROW
    },
    Setting {
        name: "server.listen_thrift2",
        flag: flag("listen-thrift2", "ADDR", ""),
        kind: Kind::Addresses,
        default: Default::Unset("none"),
        says: "Address for Thrift2 alone",
        because: "calls tell themselves which service they are for",
        reloads: false,
        set: |launch, value| launch.parts.listen_thrift2 = value.list().to_vec(),
        ..ROW
    },
    Setting {
        name: "server.address",
        hbase: &[key("hbase.regionserver.thrift.ipaddress")],
        kind: Kind::Text("a host name or an IP address"),
        default: Default::Is("127.0.0.1"),
        says: "Host or IP address to listen on where server.listen says nothing",
        because: "nobody asks a password here: who opens the server to a network says so (HBase: 0.0.0.0)",
        reloads: false,
        set: |launch, value| launch.parts.address = value.text().to_owned(),
        ..ROW
    },
    Setting {
        name: "server.port",
        hbase: &[key("hbase.regionserver.thrift.port")],
        kind: count(0, 65_535),
        default: Default::Is("9090"),
        says: "Port to listen on where server.listen says nothing",
        because: "HBase's",
        reloads: false,
        set: |launch, value| launch.parts.port = value.number().and_then(|n| n.try_into().ok()).unwrap_or(0),
        ..ROW
    },
    Setting {
        name: "server.host",
        flag: flag("host", "NAME", ""),
        kind: Kind::Text("a host name"),
        default: Default::Unset("the first address"),
        says: "Host name in region locations and error texts",
        because: "clients that follow region locations find the way back",
        reloads: false,
        set: |launch, value| launch.config.host = Some(value.text().to_owned()),
        ..ROW
    },
    Setting {
        name: "server.read_only",
        flag: flag("read-only", "", ""),
        hbase: &[key("hbase.thrift.readonly")],
        says: "Refuse data mutations of Thrift2 clients; as in HBase, Thrift1 and administration go on",
        because: "HBase's",
        reloads: false,
        set: |launch, value| launch.config.calls.read_only = value.is_true(),
        ..ROW
    },
    Setting {
        name: "server.grace",
        flag: flag("grace", "SECONDS", "s"),
        hbase: &[key_in("hbase.thrift.stop.timeout.seconds", "s")],
        kind: Kind::Time { min: Duration::ZERO, max: super::DAY, off: false },
        default: Default::Is("60s"),
        says: "How long running calls may take to finish at the end",
        because: "HBase's; longer than any call that a client still waits for",
        set: |launch, value| launch.config.limits.grace = value.time().unwrap_or_default(),
        ..ROW
    },
    Setting {
        name: "server.loops",
        kind: count(1, 256),
        default: Default::Made(|| Config::default().loops.to_string(), "half the cores, 1 to 8"),
        says: "Event loops that connections are spread over",
        because: "on two cores two loops only take turns with each other; eight feed more handlers than machines have",
        reloads: false,
        set: |launch, value| launch.config.loops = value.size(),
        ..ROW
    },
    Setting {
        name: "server.fast_path",
        default: Default::Is("true"),
        says: "Run a get of one row where it arrives while its lane is free and quick",
        because: "handing a call to another thread costs more than the get",
        set: |launch, value| launch.config.fast_path = value.is_true(),
        ..ROW
    },
];

// Kept beside the row that it bounds: a stall shorter than a packet's way would end healthy connections.
pub(super) const STALL: Kind = time(1);
