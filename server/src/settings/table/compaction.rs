//! The schedule and the pace of compactions.

use std::time::Duration;

use super::{DAY, Default, Kind, RATIO, ROW, Setting, key, key_in};

const HOUR_OF_DAY: Kind = Kind::Count { min: 0, max: 23, off: true };

pub(super) static SETTINGS: [Setting; 8] = [
    Setting {
        name: "compaction.throughput",
        hbase: &[key_in("hbase.hstore.compaction.throughput.higher.bound", "B")],
        kind: Kind::Bytes { min: 1 << 20, max: 1 << 40, off: true },
        default: Default::Is("100MiB"),
        summary: "Data that requested and scheduled compactions read per second. Scheduled compactions that start in \
                  off-peak hours are not limited",
        as_in_hbase: true,
        reason: "Leaves most of a disk to clients",
        reloads: false,
        set: |startup, value| startup.config.compaction.throughput = value.number(),
        ..ROW
    },
    Setting {
        name: "compaction.major_period",
        hbase: &[key_in("hbase.hregion.majorcompaction", "ms")],
        kind: Kind::Time { min: Duration::from_secs(1), max: Duration::from_secs(3650 * 86_400), off: true },
        default: Default::Is("168h"),
        summary: "Age of a table's oldest file at which the table gets a major compaction, unless a sample of the table \
                  contains nothing to drop",
        as_in_hbase: true,
        reason: "Deleted and expired data leaves the disk after about a week",
        reloads: false,
        set: |startup, value| startup.config.compaction.major_period = value.time(),
        ..ROW
    },
    Setting {
        name: "compaction.major_jitter",
        hbase: &[key("hbase.hregion.majorcompaction.jitter")],
        kind: RATIO,
        default: Default::Is("0.5"),
        summary: "Share of compaction.major_period by which a table may be compacted earlier or later",
        as_in_hbase: true,
        reason: "Tables that were loaded together are not compacted together",
        reloads: false,
        set: |startup, value| startup.config.compaction.major_jitter = value.ratio(),
        ..ROW
    },
    Setting {
        name: "compaction.garbage_ratio",
        kind: RATIO,
        default: Default::Is("0.5"),
        summary: "Share of deleted, expired and excess data at which a table of 1 MiB or more gets a major compaction, \
                  estimated once an hour from a sample. 0 switches these compactions off",
        reason: "The compaction costs no more than it frees",
        reloads: false,
        set: |startup, value| startup.config.compaction.garbage_ratio = value.ratio(),
        ..ROW
    },
    Setting {
        name: "compaction.check",
        kind: Kind::Time { min: Duration::from_millis(1), max: DAY, off: false },
        default: Default::Is("10m"),
        summary: "How often the server looks for tables to compact",
        reason: "Short in relation to off-peak hours",
        reloads: false,
        set: |startup, value| startup.config.compaction.check = value.time().unwrap_or(DAY),
        ..ROW
    },
    Setting {
        name: "compaction.request_delay",
        kind: Kind::Time { min: Duration::ZERO, max: DAY, off: false },
        default: Default::Is("10s"),
        summary: "Time between Thrift1's majorCompact and the start of the compaction",
        reason: "Repeated requests for a table are carried out once. Programs written for HBase, where majorCompact keeps \
                 delete markers, are not affected by their removal during the calls that follow",
        reloads: false,
        set: |startup, value| startup.config.compaction.request_delay = value.time().unwrap_or(DAY),
        ..ROW
    },
    Setting {
        name: "compaction.offpeak_start",
        hbase: &[key("hbase.offpeak.start.hour")],
        kind: HOUR_OF_DAY,
        default: Default::Is("off"),
        summary: "First hour of the day, in local time, in which scheduled compactions may start. Requires \
                  compaction.offpeak_end",
        as_in_hbase: true,
        reason: "The server cannot know when it is idle",
        reloads: false,
        set: |startup, value| startup.parts.offpeak_start = value.number(),
        ..ROW
    },
    Setting {
        name: "compaction.offpeak_end",
        hbase: &[key("hbase.offpeak.end.hour")],
        kind: HOUR_OF_DAY,
        default: Default::Is("off"),
        summary: "Hour of the day from which scheduled compactions no longer start. May be less than \
                  compaction.offpeak_start",
        as_in_hbase: true,
        reason: "The server cannot know when it is idle",
        reloads: false,
        set: |startup, value| startup.parts.offpeak_end = value.number(),
        ..ROW
    },
];
