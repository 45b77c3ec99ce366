//! The port for whoever watches the server.

use super::{Default, Kind, ROW, Setting, flag, key};

pub(super) static SETTINGS: [Setting; 3] = [
    Setting {
        name: "info.listen",
        flag: flag("info-listen", "ADDR", ""),
        kind: Kind::Text("HOST:PORT such as 127.0.0.1:9095, or off"),
        default: Default::Unset("info.address and info.port"),
        says: "Address for metrics and health: /metrics, /jmx, /healthz, /readyz; off: none",
        because: "one address is easier to write than two parts",
        reloads: false,
        set: |launch, value| launch.parts.info_listen = Some(value.text().to_owned()),
        ..ROW
    },
    Setting {
        name: "info.address",
        hbase: &[key("hbase.thrift.info.bindAddress")],
        kind: Kind::Text("a host name or an IP address"),
        default: Default::Is("127.0.0.1"),
        says: "Host or IP address of that port where info.listen says nothing",
        because: "names of tables show in it, and nobody asks a password (HBase: 0.0.0.0)",
        reloads: false,
        set: |launch, value| launch.parts.info_address = value.text().to_owned(),
        ..ROW
    },
    Setting {
        name: "info.port",
        hbase: &[key("hbase.thrift.info.port")],
        kind: Kind::Count { min: 0, max: 65_535, off: true },
        default: Default::Is("9095"),
        says: "That port where info.listen says nothing; off (below 0 in HBase): none",
        because: "HBase's",
        reloads: false,
        set: |launch, value| launch.parts.info_port = value.number().and_then(|n| n.try_into().ok()),
        ..ROW
    },
];
