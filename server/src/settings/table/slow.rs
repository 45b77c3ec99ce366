//! Which calls are slow.

use super::{Default, Kind, ROW, Setting, count, key, key_in, time_or_off};

const SIZE: Kind = Kind::Bytes { min: 1, max: 1 << 40, off: true };

// The thresholds of scans come after those that they are by default.
pub(super) static SETTINGS: [Setting; 7] = [
    Setting {
        name: "slow.time",
        hbase: &[key_in("hbase.ipc.warn.response.time", "ms")],
        kind: time_or_off(0),
        default: Default::Is("10s"),
        says: "A call that runs for longer is logged",
        because: "HBase's",
        set: |launch, value| {
            launch.config.slow.time = value.time();
            launch.config.slow.scan_time = value.time();
        },
        ..ROW
    },
    Setting {
        name: "slow.size",
        hbase: &[key_in("hbase.ipc.warn.response.size", "B")],
        kind: SIZE,
        default: Default::Is("100MiB"),
        says: "A call whose reply is longer is logged",
        because: "HBase's",
        set: |launch, value| {
            launch.config.slow.bytes = value.number();
            launch.config.slow.scan_bytes = value.number();
        },
        ..ROW
    },
    Setting {
        name: "slow.scan_time",
        hbase: &[key_in("hbase.ipc.warn.response.time.scan", "ms")],
        kind: time_or_off(0),
        default: Default::Unset("slow.time"),
        says: "The same for fetches of scanners",
        because: "HBase's",
        set: |launch, value| launch.config.slow.scan_time = value.time(),
        ..ROW
    },
    Setting {
        name: "slow.scan_size",
        hbase: &[key_in("hbase.ipc.warn.response.size.scan", "B")],
        kind: SIZE,
        default: Default::Unset("slow.size"),
        says: "The same for fetches of scanners",
        because: "HBase's",
        set: |launch, value| launch.config.slow.scan_bytes = value.number(),
        ..ROW
    },
    Setting {
        name: "slow.thrift_call",
        hbase: &[key_in("hbase.thrift.slow.response.nano.second", "ns")],
        kind: time_or_off(0),
        default: Default::Is("10ms"),
        says: "A call that runs for longer is counted as slowThriftCall",
        because: "HBase's",
        set: |launch, value| launch.config.slow.thrift_call = value.time().unwrap_or(super::DAY),
        ..ROW
    },
    Setting {
        name: "slow.keep",
        hbase: &[key("hbase.regionserver.slowlog.buffer.enabled")],
        says: "Keep logged calls for getSlowLogResponses",
        because: "HBase's",
        set: |launch, value| launch.config.slow.ring = value.is_true(),
        ..ROW
    },
    Setting {
        name: "slow.keep_count",
        hbase: &[key("hbase.regionserver.slowlog.ringbuffer.size")],
        kind: count(1, 1 << 20),
        default: Default::Is("256"),
        says: "How many of them are kept, the newest",
        because: "HBase's",
        reloads: false,
        set: |launch, value| launch.config.slow.ring_size = value.size(),
        ..ROW
    },
];
