//! HBase's arithmetic of handlers and queues in worked examples, and the resulting lanes.

use hjall_server::settings::config::QueueSettings;
use hjall_server::settings::lane_size::{Division, Group, LaneSize, Lanes};
use hjall_server::wire::method::CallKind;
use hjall_server::wire::method::LaneKind::{self, Admin, General, Read, Scan, Write};

/// Handlers, factor, read ratio, scan ratio; then queues and handlers of writes, reads and scans.
type Example = (usize, f32, f32, f32, (usize, usize), (usize, usize), Option<(usize, usize)>);

const SPLIT: [Example; 15] = [
    (30, 0.1, 0.5, 0.0, (1, 15), (2, 15), None),
    (30, 0.1, 0.5, 0.5, (1, 15), (1, 8), Some((1, 7))),
    (30, 0.1, 0.7, 0.3, (1, 9), (1, 15), Some((1, 6))),
    (30, 0.1, 1.0, 0.0, (1, 1), (2, 29), None),
    (30, 1.0, 0.5, 0.5, (15, 15), (8, 8), Some((7, 7))),
    (30, 0.0, 0.5, 0.5, (1, 15), (1, 8), Some((1, 7))),
    (10, 0.1, 0.5, 0.0, (1, 5), (1, 5), None),
    (10, 0.1, 0.9, 0.5, (1, 1), (1, 5), Some((1, 4))),
    (1, 0.1, 0.5, 0.5, (1, 1), (1, 1), None),
    (4, 1.0, 0.5, 0.5, (2, 2), (1, 1), Some((1, 1))),
    (60, 0.2, 0.7, 0.4, (4, 18), (5, 26), Some((3, 16))),
    (64, 0.5, 0.5, 0.25, (16, 32), (12, 24), Some((4, 8))),
    (100, 0.1, 0.6, 0.5, (4, 40), (3, 30), Some((3, 30))),
    (200, 0.1, 0.8, 0.25, (4, 40), (12, 120), Some((4, 40))),
    (20, 0.1, 0.9, 0.0, (1, 2), (1, 18), None),
];

/// Handlers, factor, queues.
const BALANCED: [(usize, f32, usize); 9] = [
    (30, 0.1, 3),
    (30, 0.0, 1),
    (30, 1.0, 30),
    (10, 0.1, 1),
    (5, 0.1, 1),
    (25, 0.1, 3),
    (35, 0.1, 4),
    (100, 0.15, 15),
    (1, 0.1, 1),
];

fn group((queues, handlers): (usize, usize)) -> Group {
    Group { queues, handlers }
}

#[test]
fn handlers_and_queues_are_divided_as_hbase_does() {
    for (handlers, factor, reads, scans, write, read, scan) in SPLIT {
        let expected = Division::Split { write: group(write), read: group(read), scan: scan.map(group) };
        assert_eq!(
            Division::of(handlers, factor, reads, scans),
            expected,
            "{handlers} handlers, factor {factor}, read ratio {reads}, scan ratio {scans}"
        );
    }
    for (handlers, factor, queues) in BALANCED {
        let expected = Division::Balanced(Group { queues, handlers });
        assert_eq!(Division::of(handlers, factor, 0.0, 0.5), expected, "{handlers} handlers, factor {factor}");
    }
}

#[test]
fn a_factor_above_one_counts_as_one_and_one_below_zero_gives_one_queue() {
    assert_eq!(Division::of(30, 7.5, 0.0, 0.0), Division::of(30, 1.0, 0.0, 0.0));
    assert_eq!(Division::of(30, -3.0, 0.0, 0.0), Division::Balanced(Group { queues: 1, handlers: 30 }));
}

fn size(settings: &QueueSettings, kind: LaneKind) -> LaneSize {
    Lanes::on(settings, 8).size(kind).unwrap()
}

#[test]
fn places_follow_the_number_of_queues_and_their_length() {
    let hbase = QueueSettings { handlers: 30, ..QueueSettings::default() };
    assert_eq!(size(&hbase, Write).waiting_max, 300, "ten places for each handler, in one queue");
    let short = QueueSettings { length_max: Some(10), ..hbase.clone() };
    assert_eq!(size(&short, Read).waiting_max, 250, "the queues of a split executor hold at least 250");
    let together = QueueSettings { read_ratio: 0.0, ..short.clone() };
    assert_eq!((size(&together, General).waiting_max, size(&together, General).queues), (30, 3));
    assert_eq!(size(&together, General).capacity, 750);
    let ours = QueueSettings { waiting_max: Some(7), ..short.clone() };
    assert_eq!(size(&ours, Read).waiting_max, 7);
    let nothing = QueueSettings { length_max: Some(0), read_ratio: 0.0, ..hbase.clone() };
    assert_eq!(size(&nothing, General).calls_max(), 0, "a balanced executor of length 0 refuses everything");
    let running = QueueSettings { waiting_max: Some(0), ..hbase };
    assert_eq!(size(&running, Read).calls_max(), 8, "without places only the handlers remain");
}

#[test]
fn calls_go_where_their_kind_has_queues() {
    let split = Lanes::on(&QueueSettings::default(), 2);
    let two = Lanes::on(&QueueSettings { scan_ratio: 0.0, ..QueueSettings::default() }, 2);
    let one = Lanes::on(&QueueSettings { read_ratio: 0.0, ..QueueSettings::default() }, 2);
    let routes = |lanes: &Lanes| CallKind::ALL.map(|kind| lanes.of_calls(kind));
    assert_eq!(routes(&split), [Read, Write, Scan, Admin]);
    assert_eq!(routes(&two), [Read, Write, Read, Admin]);
    assert_eq!(routes(&one), [General, General, General, Admin]);
    for lanes in [split, two, one] {
        for kind in CallKind::ALL {
            assert!(lanes.size(lanes.of_calls(kind)).is_some());
        }
    }
}

#[test]
fn scans_leave_a_core_to_the_others() {
    let settings = QueueSettings { handlers: 30, ..QueueSettings::default() };
    for (cores, running_max) in [(1, 1), (2, 1), (4, 3), (64, 7)] {
        let scan = Lanes::on(&settings, cores).size(Scan).unwrap();
        assert_eq!((scan.handlers, scan.running_max), (7, running_max), "{cores} cores");
    }
    let own = QueueSettings { scan_running_max: Some(5), ..settings };
    assert_eq!(Lanes::on(&own, 2).size(Scan).unwrap().running_max, 5);
}
