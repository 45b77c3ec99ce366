//! How calls wait: HBase's settings of call queues, and ours beside them.

use super::{Default, Kind, RATIO, ROW, Setting, count, key, key_in, time, time_or_off};
use crate::settings::config::{QueueOrder, QueueSettings};

const MANY: u64 = 1 << 20;

pub(super) static SETTINGS: [Setting; 16] = [
    Setting {
        name: "queues.handlers",
        hbase: &[key("hbase.regionserver.handler.count")],
        kind: count(1, 10_000),
        default: Default::Made(|| QueueSettings::default().handlers.to_string(), "twice the cores, at least 30"),
        says: "Handlers of reads, writes and scans together",
        because: "handlers wait for disks; HBase's 30 at least, since writers that wait together share one sync",
        set: |launch, value| launch.config.queues.handlers = value.size(),
        ..ROW
    },
    Setting {
        name: "queues.handler_factor",
        hbase: &[key("hbase.ipc.server.callqueue.handler.factor")],
        kind: RATIO,
        default: Default::Is("0.1"),
        says: "Queues for each handler",
        because: "HBase's; here it only decides how many calls may wait",
        set: |launch, value| launch.config.queues.handler_factor = value.ratio() as f32,
        ..ROW
    },
    Setting {
        name: "queues.read_ratio",
        hbase: &[key("hbase.ipc.server.callqueue.read.ratio")],
        kind: RATIO,
        default: Default::Is("0.5"),
        says: "The part of the handlers that is for reads and scans; 0: one lane for reads, writes and scans",
        because: "gets stay quick beside writes and scans (HBase: 0)",
        set: |launch, value| launch.config.queues.read_ratio = value.ratio() as f32,
        ..ROW
    },
    Setting {
        name: "queues.scan_ratio",
        hbase: &[key("hbase.ipc.server.callqueue.scan.ratio")],
        kind: RATIO,
        default: Default::Is("0.5"),
        says: "The part of those that is for scans; 0: scans wait with reads",
        because: "gets stay quick beside scans (HBase: 0)",
        set: |launch, value| launch.config.queues.scan_ratio = value.ratio() as f32,
        ..ROW
    },
    Setting {
        name: "queues.length",
        hbase: &[key("hbase.ipc.server.max.callqueue.length")],
        kind: count(0, MANY),
        default: Default::Unset("ten for each handler"),
        says: "Calls that may wait in one of HBase's queues; where reads and writes are apart, fewer than 250 count as 250",
        because: "HBase's",
        set: |launch, value| launch.config.queues.length_max = Some(value.size()),
        ..ROW
    },
    Setting {
        name: "queues.waiting",
        kind: count(0, MANY),
        default: Default::Unset("as the other settings say"),
        says: "Calls that may wait in a lane, however many HBase's settings allow",
        because: "HBase's settings bound it already",
        set: |launch, value| launch.config.queues.waiting_max = Some(value.size()),
        ..ROW
    },
    Setting {
        name: "queues.order",
        hbase: &[key("hbase.ipc.server.callqueue.type")],
        kind: Kind::Choice(&["fifo", "deadline", "codel"]),
        default: Default::Is("fifo"),
        says: "Which waiting call runs next",
        because: "HBase's; nothing overtakes while nothing is overloaded",
        reloads: false,
        set: |launch, value| {
            let named = QueueOrder::ALL.into_iter().find(|order| order.name() == value.text());
            launch.config.queues.order = named.unwrap_or_default();
        },
        ..ROW
    },
    Setting {
        name: "queues.codel_target",
        hbase: &[key_in("hbase.ipc.server.callqueue.codel.target.delay", "ms")],
        kind: time(1),
        default: Default::Is("100ms"),
        says: "codel: what a call may wait in good times",
        because: "HBase's",
        set: |launch, value| launch.config.queues.codel_target = value.time().unwrap_or_default(),
        ..ROW
    },
    Setting {
        name: "queues.codel_interval",
        hbase: &[key_in("hbase.ipc.server.callqueue.codel.interval", "ms")],
        kind: time(1),
        default: Default::Is("100ms"),
        says: "codel: how often the shortest wait is looked at",
        because: "HBase's",
        set: |launch, value| launch.config.queues.codel_interval = value.time().unwrap_or_default(),
        ..ROW
    },
    Setting {
        name: "queues.codel_lifo_threshold",
        hbase: &[key("hbase.ipc.server.callqueue.codel.lifo.threshold")],
        kind: RATIO,
        default: Default::Is("0.8"),
        says: "codel: a queue fuller than this part takes the newest call first",
        because: "HBase's",
        set: |launch, value| launch.config.queues.codel_lifo_threshold = value.ratio(),
        ..ROW
    },
    Setting {
        name: "queues.call_delay",
        hbase: &[key_in("hbase.ipc.server.queue.max.call.delay", "ms")],
        kind: time(0),
        default: Default::Is("5s"),
        says: "deadline: the most that a long scan is put back",
        because: "HBase's",
        set: |launch, value| launch.config.queues.max_call_delay = value.time().unwrap_or_default(),
        ..ROW
    },
    Setting {
        name: "queues.scan_weight",
        hbase: &[key("hbase.ipc.server.scan.vtime.weight")],
        kind: Kind::Ratio { min: 0.0, max: 1_000_000.0 },
        default: Default::Is("1.0"),
        says: "deadline: how much each fetch of a scan puts it back",
        because: "HBase's",
        set: |launch, value| launch.config.queues.scan_vtime_weight = value.ratio() as f32,
        ..ROW
    },
    Setting {
        name: "queues.scans_running",
        kind: count(1, 10_000),
        default: Default::Unset("one fewer than cores, at least 1"),
        says: "Scans that run at once, however many handlers they have; only where scans have a lane of their own",
        because: "queues do not share out processors: a core is left to everything else",
        set: |launch, value| launch.config.queues.scan_running_max = Some(value.size()),
        ..ROW
    },
    Setting {
        name: "queues.admin_handlers",
        hbase: &[key("hbase.regionserver.metahandler.count")],
        kind: count(1, 1000),
        default: Default::Is("4"),
        says: "Handlers of calls about tables and the server",
        because: "tables change one after the other; HBase's 20 serve its meta table as well",
        set: |launch, value| launch.config.queues.admin_handlers = value.size(),
        ..ROW
    },
    Setting {
        name: "queues.admin_waiting",
        hbase: &[key("hbase.ipc.server.priority.max.callqueue.length")],
        kind: count(0, MANY),
        default: Default::Is("1000"),
        says: "Calls about tables and the server that may wait",
        because: "more than any administration asks at once",
        set: |launch, value| launch.config.queues.admin_waiting_max = value.size(),
        ..ROW
    },
    Setting {
        name: "queues.wait",
        hbase: &[key_in("hbase.rpc.timeout", "ms")],
        kind: time_or_off(1),
        default: Default::Is("60s"),
        says: "A call that has waited for longer is dropped instead of run",
        because: "HBase's; its client has given it up",
        set: |launch, value| launch.config.queues.wait_max = value.time(),
        ..ROW
    },
];
