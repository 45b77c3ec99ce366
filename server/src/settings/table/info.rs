//! The info port: metrics and health.

use super::{Default, Kind, ROW, Setting, count, flag, key};
use crate::settings::Value;

pub(super) static SETTINGS: [Setting; 5] = [
    Setting {
        name: "info.listen",
        flag: flag("info-listen", "ADDR", ""),
        kind: Kind::Text("HOST:PORT such as 127.0.0.1:9095, or off"),
        default: Default::Unset("info.address and info.port"),
        summary: "Address of the info port: /metrics, /jmx, /healthz and /readyz. off: no info port",
        reason: "One address is easier to write than its two parts",
        reloads: false,
        set: |startup, value| startup.parts.info_listen = Some(value.text().to_owned()),
        effective: |startup| {
            let listen = startup.info.map_or_else(|| "off".to_owned(), |info| info.addr.to_string());
            Some(Value::Text(listen))
        },
        ..ROW
    },
    Setting {
        name: "info.address",
        hbase: &[key("hbase.thrift.info.bindAddress")],
        kind: Kind::Text("a host name or an IP address"),
        default: Default::Is("127.0.0.1"),
        summary: "Host or IP address of the info port, unless the same layer of settings or a later one sets info.listen",
        reason: "The info port shows table names and has no authentication (HBase: 0.0.0.0)",
        reloads: false,
        set: |startup, value| startup.parts.info_address = value.text().to_owned(),
        ..ROW
    },
    Setting {
        name: "info.port",
        hbase: &[key("hbase.thrift.info.port")],
        kind: Kind::Count { min: 0, max: 65_535, off: true },
        default: Default::Is("9095"),
        summary: "Info port, unless the same layer of settings or a later one sets info.listen. off (in HBase, a \
                  negative number): no info port",
        as_in_hbase: true,
        reloads: false,
        set: |startup, value| startup.parts.info_port = value.number().and_then(|n| n.try_into().ok()),
        ..ROW
    },
    Setting {
        name: "info.tables",
        kind: count(0, 100_000),
        default: Default::Is("200"),
        summary: "Number of tables that have their own metrics, the first ones created. The others are counted together",
        reason: "Each table adds four series to what Prometheus stores",
        reloads: false,
        set: |startup, value| startup.parts.info_tables = value.size(),
        ..ROW
    },
    Setting {
        name: "info.regions",
        kind: count(0, 100_000),
        default: Default::Is("200"),
        summary: "Number of regions that have their own metrics. The others are counted together",
        reason: "Each region adds four series to what Prometheus stores",
        reloads: false,
        set: |startup, value| startup.parts.info_regions = value.size(),
        ..ROW
    },
];
