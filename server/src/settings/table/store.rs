//! Memory of the database and sizes of cells.

use std::time::Duration;

use super::{Default, Kind, ROW, Setting, bytes, flag, key_in, time_or_off};
use crate::settings::Value;
use crate::settings::setting::SWITCH;

const CELL: Kind = Kind::Bytes { min: 1, max: 1 << 40, off: true };

pub(super) static SETTINGS: [Setting; 8] = [
    Setting {
        name: "store.cache",
        flag: flag("cache-mib", "MIB", "MiB"),
        kind: bytes(0, 1 << 44),
        default: Default::Unset("a quarter of the memory of the machine or control group, 32 MiB to 8 GiB"),
        summary: "Maximum memory for cached blocks",
        reason: "It fills as blocks are read, and leaves room for the operating system's page cache",
        reloads: false,
        set: |startup, value| startup.options.cache_bytes = value.number(),
        effective: |startup| Some(Value::Bytes(startup.options.memory_limits().block_cache)),
        ..ROW
    },
    Setting {
        name: "store.row_cache",
        kind: bytes(0, 1 << 44),
        default: Default::Unset("an eighth of store.cache, and at least 96 MiB if that is not set either"),
        summary: "Maximum memory for the row cache, which keeps rows that are read repeatedly. 0 switches it off",
        reason: "Rows that are read often are few compared with the blocks that contain them",
        reloads: false,
        set: |startup, value| startup.options.row_cache_bytes = value.number(),
        effective: |startup| Some(Value::Bytes(startup.options.memory_limits().row_cache)),
        ..ROW
    },
    Setting {
        name: "store.write_buffer",
        kind: bytes(1 << 20, 1 << 44),
        default: Default::Is("128MiB"),
        summary: "Memory for data that is not yet in files, over all tables. Above it, the largest part is flushed; at \
                  twice this size, writes wait",
        reason: "Enough for a few files of each table that is being written",
        reloads: false,
        set: |startup, value| startup.options.write_buffer_bytes = value.number(),
        ..ROW
    },
    Setting {
        name: "store.catalog",
        kind: bytes(1 << 20, 1 << 44),
        default: Default::Is("64MiB"),
        summary: "Maximum memory for the descriptors of tables and namespaces, with attributes and regions. Beyond it, \
                  none can be added or extended",
        reason: "Enough for several thousand tables, or for 200,000 regions",
        reloads: false,
        set: |startup, value| startup.options.catalog_bytes = value.number(),
        ..ROW
    },
    Setting {
        name: "store.durability",
        hbase: &[key_in("hbase.wal.hsync", SWITCH)],
        kind: Kind::Choice(&["SYNC_WAL", "FSYNC_WAL"]),
        default: Default::Is("SYNC_WAL"),
        summary: "What a write waits for if its durability is SYNC_WAL or not given: SYNC_WAL until the operating system has \
                  accepted it, FSYNC_WAL until it is on disk",
        as_in_hbase: true,
        reason: "",
        reloads: false,
        set: |startup, value| startup.options.fsync = value.text() == "FSYNC_WAL",
        ..ROW
    },
    Setting {
        name: "store.sync_interval",
        kind: time_or_off(1),
        default: Default::Is("1s"),
        summary: "Writes that did not wait for the disk are on disk after this time. 0 or off: when the operating \
                  system writes them",
        reason: "A crash of the machine loses at most about a second, and one sync per second costs next to nothing",
        reloads: false,
        set: |startup, value| startup.options.sync_interval = Some(value.time().unwrap_or(Duration::ZERO)),
        ..ROW
    },
    Setting {
        name: "store.cell",
        hbase: &[key_in("hbase.client.keyvalue.maxsize", "B")],
        kind: CELL,
        default: Default::Is("10MiB"),
        summary: "Maximum size of a cell in a put, measured as by HBase's client",
        as_in_hbase: true,
        reloads: false,
        set: |startup, value| startup.options.limits.client_cell_bytes = limit(value.number()),
        ..ROW
    },
    Setting {
        name: "store.cell_stored",
        hbase: &[key_in("hbase.server.keyvalue.maxsize", "B")],
        kind: CELL,
        default: Default::Is("10MiB"),
        summary: "Maximum size of a stored cell, measured as by HBase's servers. Includes the results of append",
        as_in_hbase: true,
        reloads: false,
        set: |startup, value| startup.options.limits.server_cell_bytes = limit(value.number()),
        ..ROW
    },
];

/// Converts to the engine's convention, in which 0 means no limit.
fn limit(bytes: Option<u64>) -> i64 {
    bytes.map_or(0, |bytes| i64::try_from(bytes).unwrap_or(i64::MAX))
}
