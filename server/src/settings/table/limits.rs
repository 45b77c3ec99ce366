//! Limits on connections, messages, memory and scanners.

use super::server::STALL;
use super::{Default, Kind, ROW, Setting, bytes, count, flag, key_in, time, time_or_off};
use crate::settings::Value;
use crate::settings::config::WhenFull;

const MIB: u64 = 1 << 20;
/// Close to the largest length that Thrift can express, 2^31 − 1 bytes.
const LONGEST: u64 = 2047 * MIB;

pub(super) static SETTINGS: [Setting; 19] = [
    Setting {
        name: "limits.connections",
        flag: flag("max-connections", "N", ""),
        kind: count(1, 1 << 24),
        default: Default::Is("16000"),
        summary: "Maximum number of connections",
        reason: "An idle connection takes 6 KiB, with HTTP and TLS up to 36 KiB, and no thread",
        set: |startup, value| startup.config.limits.connections_max = value.size(),
        ..ROW
    },
    Setting {
        name: "limits.connections_per_address",
        kind: count(1, 1 << 24),
        default: Default::Is("12000"),
        summary: "Maximum number of connections from one address",
        reason: "A single misbehaving host cannot use up all connections",
        set: |startup, value| startup.config.limits.connections_per_address_max = value.size(),
        ..ROW
    },
    Setting {
        name: "limits.when_full",
        flag: flag("when-full", "WORD", ""),
        kind: Kind::Choice(&["refuse", "wait"]),
        default: Default::Is("refuse"),
        summary: "What happens to a connection above the limit: it is refused, or it waits until another one closes",
        reason: "A refused client can try another server",
        set: |startup, value| {
            startup.config.limits.when_full = match value.text() {
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
        summary: "Maximum size of an unframed message or of the body of an HTTP request",
        reason: "The limit of libthrift",
        set: |startup, value| startup.config.limits.message_bytes_max = value.size(),
        ..ROW
    },
    Setting {
        name: "limits.frame",
        flag: flag("max-frame-mib", "MIB", "MiB"),
        hbase: &[key_in("hbase.regionserver.thrift.framed.max_frame_size_in_mb", "MiB")],
        kind: bytes(1024, LONGEST),
        default: Default::Is("100MiB"),
        summary: "Maximum size of a frame",
        reason: "The same as for unframed messages (HBase: 2 MiB, which closes the connection when a client puts a \
                  large cell)",
        set: |startup, value| startup.config.limits.frame_bytes_max = value.size(),
        ..ROW
    },
    Setting {
        name: "limits.reply",
        kind: bytes(64 << 10, LONGEST),
        default: Default::Is("256MiB"),
        summary: "Maximum size of a reply. A larger reply becomes an error",
        reason: "More than a client with libthrift's default limit can read, and small enough to hold several in \
                  memory",
        set: |startup, value| startup.config.limits.reply_bytes_max = value.size(),
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
        summary: "Size of the rows at which one fetch of a scanner ends. The next fetch continues after them",
        reason: "A client that asks for too many rows at once gets them in parts",
        set: |startup, value| startup.config.limits.page_bytes_max = value.size(),
        ..ROW
    },
    Setting {
        name: "limits.bytes_in_flight",
        hbase: &[key_in("hbase.ipc.server.max.callqueue.size", "B")],
        kind: bytes(64 << 10, 1 << 50),
        default: Default::Is("1GiB"),
        summary: "Total memory of the messages, arguments, filters and replies in flight on all connections, and of what \
                  scanners keep. Calls for which there is no room are refused. One sixteenth, at most 64 MiB, is \
                  reserved for small messages and replies (up to 64 KiB). One client may hold at most three times the \
                  bytes that remain free, one connection twice as many",
        as_in_hbase: true,
        set: |startup, value| startup.config.limits.held_bytes_max = value.size(),
        ..ROW
    },
    Setting {
        name: "limits.scanners",
        kind: count(1, 1 << 24),
        default: Default::Is("65536"),
        summary: "Maximum number of open scanners",
        reason: "Each holds a snapshot and a few KiB, or up to 160 KiB if it has read ahead. Scanners that clients forget to close normally expire first",
        set: |startup, value| startup.config.limits.scanners_max = value.size(),
        ..ROW
    },
    Setting {
        name: "limits.scanners_per_address",
        kind: count(1, 1 << 24),
        default: Default::Is("49152"),
        summary: "Maximum number of open scanners created by the connections from one address",
        reason: "A single misbehaving host cannot use up all scanners",
        set: |startup, value| startup.config.limits.scanners_per_address_max = value.size(),
        ..ROW
    },
    Setting {
        name: "limits.scanners_per_connection",
        kind: count(1, 1 << 24),
        default: Default::Is("4096"),
        summary: "Maximum number of open scanners created by one connection",
        reason: "A client that never closes its scanners cannot use up all of them",
        set: |startup, value| startup.config.limits.scanners_per_connection_max = value.size(),
        ..ROW
    },
    Setting {
        name: "limits.scanner_timeout",
        hbase: &[key_in("hbase.client.scanner.timeout.period", "ms"), key_in("hbase.regionserver.lease.period", "ms")],
        kind: time(1),
        default: Default::Is("60s"),
        summary: "Scanners that are not used for this long are closed; in Thrift1, after twice this time",
        as_in_hbase: true,
        set: |startup, value| startup.config.limits.scanner_timeout = value.time().unwrap_or_default(),
        ..ROW
    },
    Setting {
        name: "limits.scanner_orphan_timeout",
        kind: time(1),
        default: Default::Is("10s"),
        summary: "Scanners whose connection has closed are closed if they are not used for this long",
        reason: "A scanner holds a snapshot of the store, and hardly any client continues it on another connection",
        set: |startup, value| startup.config.limits.scanner_orphan_timeout = value.time().unwrap_or_default(),
        ..ROW
    },
    Setting {
        name: "limits.scanner_snapshot",
        kind: time_or_off(1),
        default: Default::Is("30s"),
        summary: "A scanner whose snapshot is older than this continues after its last row on a new one, where it sees \
                  later writes. Off: a scanner keeps its snapshot",
        reason: "A snapshot keeps replaced data in memory and on disk. HBase promises a consistent view of each row only",
        set: |startup, value| startup.config.limits.scanner_snapshot_max = value.time(),
        ..ROW
    },
    Setting {
        name: "limits.scanner_snapshot_writes",
        kind: Kind::Bytes { min: 1, max: 1 << 50, off: true },
        default: Default::Unset("store.write_buffer"),
        summary: "A scanner continues after its last row on a new snapshot once this many bytes have been written since \
                  its snapshot was taken. Off: a scanner keeps its snapshot",
        reason: "What is written while a snapshot is in use stays in memory, also after it has been flushed to files",
        set: |startup, value| startup.config.limits.scanner_snapshot_writes = value.number(),
        effective: |startup| Some(startup.config.limits.scanner_snapshot_writes.map_or(Value::Off, Value::Bytes)),
        ..ROW
    },
    Setting {
        name: "limits.idle",
        flag: flag("idle-timeout", "SECONDS", "s"),
        hbase: &[key_in("hbase.thrift.server.socket.read.timeout", "ms")],
        kind: time_or_off(1),
        default: Default::Is("off"),
        summary: "Close connections that make no call for this long. 0 or off: keep them open",
        reason: "Clients with connection pools need not reconnect, and an idle connection costs little (HBase: 60 s)",
        set: |startup, value| startup.config.limits.idle_max = value.time(),
        ..ROW
    },
    Setting {
        name: "limits.first_call",
        kind: time_or_off(1),
        default: Default::Is("120s"),
        summary: "Close new connections that send nothing for this long. 0 or off: keep them open",
        reason: "A connection that never makes a call only takes a file descriptor (HBase: 60 s)",
        set: |startup, value| startup.config.limits.first_call_max = value.time(),
        ..ROW
    },
    Setting {
        name: "limits.min_rate",
        kind: Kind::Bytes { min: 1, max: 1 << 40, off: true },
        default: Default::Is("1KiB"),
        summary: "Close connections on which a message or a reply waits for the client and makes less progress than \
                  this many bytes per second, averaged over limits.stall. Off: any progress is enough",
        reason: "A client that sends or reads a byte occasionally cannot hold memory indefinitely; the slowest networks \
                 are faster",
        set: |startup, value| startup.config.limits.min_rate = value.number(),
        ..ROW
    },
    Setting {
        name: "limits.stall",
        kind: STALL,
        default: Default::Is("60s"),
        summary: "Close connections on which a message or a reply makes no progress for this long",
        reason: "The time that HBase's gateway waits for a byte",
        set: |startup, value| startup.config.limits.stall_max = value.time().unwrap_or_default(),
        ..ROW
    },
];
