//! What clients may take of the server.

use super::server::STALL;
use super::{Default, Kind, ROW, Setting, bytes, count, flag, key_in, time, time_or_off};
use crate::settings::config::WhenFull;

const MIB: u64 = 1 << 20;
/// As long as a Thrift length can be.
const LONGEST: u64 = 2047 * MIB;

pub(super) static SETTINGS: [Setting; 13] = [
    Setting {
        name: "limits.connections",
        flag: flag("max-connections", "N", ""),
        kind: count(1, 1 << 24),
        default: Default::Is("16000"),
        says: "Connections at once",
        because: "an idle one costs a few KiB and no thread",
        set: |launch, value| launch.config.limits.connections_max = value.size(),
        ..ROW
    },
    Setting {
        name: "limits.connections_per_address",
        kind: count(1, 1 << 24),
        default: Default::Is("12000"),
        says: "Connections at once from one address",
        because: "one machine run wild leaves room for the others",
        set: |launch, value| launch.config.limits.connections_per_address_max = value.size(),
        ..ROW
    },
    Setting {
        name: "limits.when_full",
        flag: flag("when-full", "WORD", ""),
        kind: Kind::Choice(&["refuse", "wait"]),
        default: Default::Is("refuse"),
        says: "What one connection too many meets: it is refused, or it waits until another ends",
        because: "a client that is told can go elsewhere",
        set: |launch, value| {
            launch.config.limits.when_full = match value.text() {
                "wait" => WhenFull::Wait,
                _ => WhenFull::Refuse,
            }
        },
        ..ROW
    },
    Setting {
        name: "limits.message",
        flag: flag("max-message-mib", "MIB", "MiB"),
        hbase: &[key_in("hbase.ipc.max.request.size", "B")],
        kind: bytes(1024, LONGEST),
        default: Default::Is("100MiB"),
        says: "Longest message without a frame, or in the body of an HTTP request",
        because: "libthrift's",
        set: |launch, value| launch.config.limits.message_bytes_max = value.size(),
        ..ROW
    },
    Setting {
        name: "limits.frame",
        flag: flag("max-frame-mib", "MIB", "MiB"),
        hbase: &[key_in("hbase.regionserver.thrift.framed.max_frame_size_in_mb", "MiB")],
        kind: bytes(1024, LONGEST),
        default: Default::Is("100MiB"),
        says: "Longest frame",
        because: "as without a frame; HBase's 2 MiB close the connection of whoever puts a large cell",
        set: |launch, value| launch.config.limits.frame_bytes_max = value.size(),
        ..ROW
    },
    Setting {
        name: "limits.reply",
        kind: bytes(64 << 10, LONGEST),
        default: Default::Is("256MiB"),
        says: "Longest reply; a longer one becomes an error",
        because: "more than a client can read with libthrift's own limit, and little enough for several at once",
        set: |launch, value| launch.config.limits.reply_bytes_max = value.size(),
        ..ROW
    },
    Setting {
        name: "limits.page",
        hbase: &[
            key_in("hbase.client.scanner.max.result.size", "B"),
            key_in("hbase.server.scanner.max.result.size", "B"),
        ],
        kind: bytes(1, LONGEST),
        default: Default::Is("64MiB"),
        says: "Rows of one fetch of a scanner: the fetch ends with the row that makes it so long, and the next one goes on",
        because: "a client that asks for too many rows at once gets them in parts",
        set: |launch, value| launch.config.limits.page_bytes_max = value.size(),
        ..ROW
    },
    Setting {
        name: "limits.bytes_in_flight",
        hbase: &[key_in("hbase.ipc.server.max.callqueue.size", "B")],
        kind: bytes(64 << 10, 1 << 50),
        default: Default::Is("1GiB"),
        says: "Messages and replies under way in all connections; while there are more, calls are refused",
        because: "HBase's",
        set: |launch, value| launch.config.limits.held_bytes_max = value.size(),
        ..ROW
    },
    Setting {
        name: "limits.scanners",
        kind: count(1, 1 << 24),
        default: Default::Is("65536"),
        says: "Scanners open at once",
        because: "each holds a snapshot and a few KiB; clients that forget to close them meet the lease first",
        set: |launch, value| launch.config.limits.scanners_max = value.size(),
        ..ROW
    },
    Setting {
        name: "limits.scanners_per_connection",
        kind: count(1, 1 << 24),
        default: Default::Is("4096"),
        says: "Scanners open at once that one connection opened",
        because: "one client that never closes them leaves room for the others",
        set: |launch, value| launch.config.limits.scanners_per_connection_max = value.size(),
        ..ROW
    },
    Setting {
        name: "limits.scanner_timeout",
        hbase: &[key_in("hbase.client.scanner.timeout.period", "ms"), key_in("hbase.regionserver.lease.period", "ms")],
        kind: time(1),
        default: Default::Is("60s"),
        says: "A scanner that nobody uses for so long ends, twice that in Thrift1",
        because: "HBase's",
        set: |launch, value| launch.config.limits.scanner_timeout = value.time().unwrap_or_default(),
        ..ROW
    },
    Setting {
        name: "limits.idle",
        flag: flag("idle-timeout", "SECONDS", "s"),
        hbase: &[key_in("hbase.thrift.server.socket.read.timeout", "ms")],
        kind: time_or_off(1),
        default: Default::Is("off"),
        says: "Close connections without a call for so long; 0 or off: keep them",
        because: "clients with pools need not reconnect, and an idle connection costs little (HBase: 60 s)",
        set: |launch, value| launch.config.limits.idle_max = value.time(),
        ..ROW
    },
    Setting {
        name: "limits.stall",
        kind: STALL,
        default: Default::Is("60s"),
        says: "A message or a reply that makes no progress for so long ends its connection",
        because: "as long as HBase's gateway waits for a byte",
        set: |launch, value| launch.config.limits.stall_max = value.time().unwrap_or_default(),
        ..ROW
    },
];
