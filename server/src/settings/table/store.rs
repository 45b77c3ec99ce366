//! The database's memory and the size of cells.

use super::{Default, Kind, ROW, Setting, bytes, flag, key_in};

const CELL: Kind = Kind::Bytes { min: 1, max: 1 << 40, off: true };

pub(super) static SETTINGS: [Setting; 4] = [
    Setting {
        name: "store.cache",
        flag: flag("cache-mib", "MIB", "MiB"),
        kind: bytes(0, 1 << 44),
        default: Default::Unset("a quarter of the machine's or control group's memory, 32 MiB to 8 GiB"),
        says: "Memory for cached blocks",
        because: "it is taken as blocks are read, and leaves room for the system's own cache. Rows that are read often take \
                  an eighth of it on top (64 MiB where nothing is set)",
        reloads: false,
        set: |launch, value| launch.options.cache_bytes = value.number(),
        ..ROW
    },
    Setting {
        name: "store.write_buffer",
        kind: bytes(1 << 20, 1 << 44),
        default: Default::Is("128MiB"),
        says: "Memory for what is not yet in files, over all tables; at twice as much writes wait",
        because: "a few files' worth for the tables that are written at one time",
        reloads: false,
        set: |launch, value| launch.options.write_buffer_bytes = value.number(),
        ..ROW
    },
    Setting {
        name: "store.cell",
        hbase: &[key_in("hbase.client.keyvalue.maxsize", "B")],
        kind: CELL,
        default: Default::Is("10MiB"),
        says: "Largest cell of a put, as HBase's client measures it",
        because: "HBase's",
        reloads: false,
        set: |launch, value| launch.options.limits.client_cell_bytes = limit(value.number()),
        ..ROW
    },
    Setting {
        name: "store.cell_stored",
        hbase: &[key_in("hbase.server.keyvalue.maxsize", "B")],
        kind: CELL,
        default: Default::Is("10MiB"),
        says: "Largest cell that is stored, as HBase's servers measure it: what appending makes counts too",
        because: "HBase's",
        reloads: false,
        set: |launch, value| launch.options.limits.server_cell_bytes = limit(value.number()),
        ..ROW
    },
];

/// As the engine has it: 0 is no limit.
fn limit(bytes: Option<u64>) -> i64 {
    bytes.map_or(0, |bytes| i64::try_from(bytes).unwrap_or(i64::MAX))
}
