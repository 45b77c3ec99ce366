//! Call queues: HBase's settings and hjall's own.

use super::{Default, Kind, RATIO, ROW, Setting, count, key, key_in, time, time_or_off};
use crate::settings::Value;
use crate::settings::config::{QueueOrder, QueueSettings, cores};

const MANY: u64 = 1 << 20;

pub(super) static SETTINGS: [Setting; 17] = [
    Setting {
        name: "queues.handlers",
        hbase: &[key("hbase.regionserver.handler.count")],
        kind: count(1, 10_000),
        default: Default::Made(|| QueueSettings::default().handlers.to_string(), "twice the cores, at least 30"),
        summary: "Number of handlers for reads, writes and scans together",
        reason: "Handlers wait for disks. At least HBase's 30, because writers that wait together share one sync",
        set: |startup, value| startup.config.queues.handlers = value.size(),
        ..ROW
    },
    Setting {
        name: "queues.handler_factor",
        hbase: &[key("hbase.ipc.server.callqueue.handler.factor")],
        kind: RATIO,
        default: Default::Is("0.1"),
        summary: "Number of queues per handler",
        as_in_hbase: true,
        reason: "Here it only affects how many calls may wait",
        set: |startup, value| startup.config.queues.handler_factor = value.ratio() as f32,
        ..ROW
    },
    Setting {
        name: "queues.read_ratio",
        hbase: &[key("hbase.ipc.server.callqueue.read.ratio")],
        kind: RATIO,
        default: Default::Is("0.5"),
        summary: "Share of the handlers reserved for reads and scans. With 0, reads, writes and scans share one lane",
        reason: "Gets stay fast while writes and scans run (HBase: 0)",
        set: |startup, value| startup.config.queues.read_ratio = value.ratio() as f32,
        ..ROW
    },
    Setting {
        name: "queues.scan_ratio",
        hbase: &[key("hbase.ipc.server.callqueue.scan.ratio")],
        kind: RATIO,
        default: Default::Is("0.5"),
        summary: "Share of the read handlers reserved for scans. With 0, scans wait together with reads",
        reason: "Gets stay fast while scans run (HBase: 0)",
        set: |startup, value| startup.config.queues.scan_ratio = value.ratio() as f32,
        ..ROW
    },
    Setting {
        name: "queues.length",
        hbase: &[key("hbase.ipc.server.max.callqueue.length")],
        kind: count(0, MANY),
        default: Default::Unset("ten per handler"),
        summary: "Calls that may wait in one of HBase's queues. If reads and writes have separate lanes, values \
                  below 250 count as 250",
        as_in_hbase: true,
        set: |startup, value| startup.config.queues.length_max = Some(value.size()),
        effective: |startup| Some(count_of(startup.config.queues.length())),
        ..ROW
    },
    Setting {
        name: "queues.waiting",
        kind: count(0, MANY),
        default: Default::Unset("no further limit"),
        summary: "Upper limit on the calls that may wait in a lane, in addition to the settings taken from HBase",
        reason: "The settings taken from HBase already limit it",
        set: |startup, value| startup.config.queues.waiting_max = Some(value.size()),
        ..ROW
    },
    Setting {
        name: "queues.order",
        hbase: &[key("hbase.ipc.server.callqueue.type")],
        kind: Kind::Choice(&["fifo", "deadline", "codel"]),
        default: Default::Is("fifo"),
        summary: "Order in which waiting calls run",
        as_in_hbase: true,
        reason: "The oldest call of a client runs first, and clients take turns",
        reloads: false,
        set: |startup, value| {
            let named = QueueOrder::ALL.into_iter().find(|order| order.name() == value.text());
            startup.config.queues.order = named.unwrap_or_default();
        },
        ..ROW
    },
    Setting {
        name: "queues.codel_target",
        hbase: &[key_in("hbase.ipc.server.callqueue.codel.target.delay", "ms")],
        kind: time(1),
        default: Default::Is("100ms"),
        summary: "codel: acceptable wait of a call under normal load",
        as_in_hbase: true,
        set: |startup, value| startup.config.queues.codel_target = value.time().unwrap_or_default(),
        ..ROW
    },
    Setting {
        name: "queues.codel_interval",
        hbase: &[key_in("hbase.ipc.server.callqueue.codel.interval", "ms")],
        kind: time(1),
        default: Default::Is("100ms"),
        summary: "codel: interval at which the shortest wait is evaluated",
        as_in_hbase: true,
        set: |startup, value| startup.config.queues.codel_interval = value.time().unwrap_or_default(),
        ..ROW
    },
    Setting {
        name: "queues.codel_lifo_threshold",
        hbase: &[key("hbase.ipc.server.callqueue.codel.lifo.threshold")],
        kind: RATIO,
        default: Default::Is("0.8"),
        summary: "codel: fill level above which the newest call runs first",
        as_in_hbase: true,
        set: |startup, value| startup.config.queues.codel_lifo_threshold = value.ratio(),
        ..ROW
    },
    Setting {
        name: "queues.call_delay",
        hbase: &[key_in("hbase.ipc.server.queue.max.call.delay", "ms")],
        kind: time(0),
        default: Default::Is("5s"),
        summary: "deadline: maximum delay added to a long scan",
        as_in_hbase: true,
        set: |startup, value| startup.config.queues.max_call_delay = value.time().unwrap_or_default(),
        ..ROW
    },
    Setting {
        name: "queues.scan_weight",
        hbase: &[key("hbase.ipc.server.scan.vtime.weight")],
        kind: Kind::Ratio { min: 0.0, max: 1_000_000.0 },
        default: Default::Is("1.0"),
        summary: "deadline: delay added to a scan for each of its fetches",
        as_in_hbase: true,
        set: |startup, value| startup.config.queues.scan_vtime_weight = value.ratio() as f32,
        ..ROW
    },
    Setting {
        name: "queues.scans_running",
        kind: count(1, 10_000),
        default: Default::Unset("one fewer than the cores, at least 1"),
        summary: "Scans that run concurrently, however many scan handlers there are. Applies only if scans have \
                  their own lane",
        reason: "Queues do not divide processor time; this leaves one core to all other calls",
        set: |startup, value| startup.config.queues.scan_running_max = Some(value.size()),
        effective: |startup| Some(count_of(startup.config.queues.scans_running(cores()))),
        ..ROW
    },
    Setting {
        name: "queues.scan_slice",
        kind: time_or_off(1),
        default: Default::Is("100ms"),
        summary: "How long a fetch of a scan runs while other calls wait for its handler. Then it returns to the end of \
                  the queue, and continues from there. Off: it runs to its end",
        reason: "A scan whose filter rejects most rows of a large table does not keep other scans waiting",
        set: |startup, value| startup.config.queues.scan_slice = value.time(),
        ..ROW
    },
    Setting {
        name: "queues.admin_handlers",
        hbase: &[key("hbase.regionserver.metahandler.count")],
        kind: count(1, 1000),
        default: Default::Is("4"),
        summary: "Number of handlers for calls about tables and the server",
        reason: "Table changes run one after another (HBase's 20 also serve its meta table)",
        set: |startup, value| startup.config.queues.admin_handlers = value.size(),
        ..ROW
    },
    Setting {
        name: "queues.admin_waiting",
        hbase: &[key("hbase.ipc.server.priority.max.callqueue.length")],
        kind: count(0, MANY),
        default: Default::Is("1000"),
        summary: "Calls about tables and the server that may wait",
        reason: "More than administration ever sends at once",
        set: |startup, value| startup.config.queues.admin_waiting_max = value.size(),
        ..ROW
    },
    Setting {
        name: "queues.wait",
        hbase: &[key_in("hbase.rpc.timeout", "ms")],
        kind: time_or_off(1),
        default: Default::Is("60s"),
        summary: "Calls that have waited longer than this are dropped instead of run",
        as_in_hbase: true,
        reason: "By then the client has given up",
        set: |startup, value| startup.config.queues.wait_max = value.time(),
        ..ROW
    },
];

fn count_of(count: usize) -> Value {
    Value::Count(u64::try_from(count).unwrap_or(u64::MAX))
}
