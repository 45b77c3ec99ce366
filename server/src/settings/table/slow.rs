//! Thresholds of the slow-call log.

use super::{Default, Kind, ROW, Setting, count, key, key_in, time_or_off};
use crate::settings::Value;

const SIZE: Kind = Kind::Bytes { min: 1, max: 1 << 40, off: true };

// Settings are applied in order: slow.time and slow.size also set the thresholds of scans, which the later rows
// may override.

pub(super) static SETTINGS: [Setting; 7] = [
    Setting {
        name: "slow.time",
        hbase: &[key_in("hbase.ipc.warn.response.time", "ms")],
        kind: time_or_off(0),
        default: Default::Is("10s"),
        summary: "Calls that run longer than this are logged",
        as_in_hbase: true,
        set: |startup, value| {
            startup.config.slow.time = value.time();
            startup.config.slow.scan_time = value.time();
        },
        ..ROW
    },
    Setting {
        name: "slow.size",
        hbase: &[key_in("hbase.ipc.warn.response.size", "B")],
        kind: SIZE,
        default: Default::Is("100MiB"),
        summary: "Calls whose reply is larger than this are logged",
        as_in_hbase: true,
        set: |startup, value| {
            startup.config.slow.bytes = value.number();
            startup.config.slow.scan_bytes = value.number();
        },
        ..ROW
    },
    Setting {
        name: "slow.scan_time",
        hbase: &[key_in("hbase.ipc.warn.response.time.scan", "ms")],
        kind: time_or_off(0),
        default: Default::Unset("the value of slow.time"),
        summary: "Scanner fetches that run longer than this are logged",
        as_in_hbase: true,
        set: |startup, value| startup.config.slow.scan_time = value.time(),
        effective: |startup| Some(startup.config.slow.scan_time.map_or(Value::Off, Value::Time)),
        ..ROW
    },
    Setting {
        name: "slow.scan_size",
        hbase: &[key_in("hbase.ipc.warn.response.size.scan", "B")],
        kind: SIZE,
        default: Default::Unset("the value of slow.size"),
        summary: "Scanner fetches whose reply is larger than this are logged",
        as_in_hbase: true,
        set: |startup, value| startup.config.slow.scan_bytes = value.number(),
        effective: |startup| Some(startup.config.slow.scan_bytes.map_or(Value::Off, Value::Bytes)),
        ..ROW
    },
    Setting {
        name: "slow.thrift_call",
        hbase: &[key_in("hbase.thrift.slow.response.nano.second", "ns")],
        kind: time_or_off(0),
        default: Default::Is("10ms"),
        summary: "Calls that run longer than this are counted as slowThriftCall",
        as_in_hbase: true,
        set: |startup, value| startup.config.slow.thrift_call = value.time().unwrap_or(super::DAY),
        ..ROW
    },
    Setting {
        name: "slow.keep",
        hbase: &[key("hbase.regionserver.slowlog.buffer.enabled")],
        summary: "Keep logged calls in memory for getSlowLogResponses",
        as_in_hbase: true,
        set: |startup, value| startup.config.slow.ring = value.is_true(),
        ..ROW
    },
    Setting {
        name: "slow.keep_count",
        hbase: &[key("hbase.regionserver.slowlog.ringbuffer.size")],
        kind: count(1, 1 << 20),
        default: Default::Is("256"),
        summary: "Number of logged calls that are kept. The oldest are dropped",
        as_in_hbase: true,
        reloads: false,
        set: |startup, value| startup.config.slow.ring_size = value.size(),
        ..ROW
    },
];
