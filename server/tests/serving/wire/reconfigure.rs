//! Settings that change while calls run and wait: every call is answered once, and every permit is returned.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use hjall_server::Config;
use hjall_server::settings::config::{FastPath, Limits, QueueOrder, QueueSettings};
use hjall_server::wire::method::LaneKind;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::client::{Answer, Client, NO_ARGS, WAYS};
use super::echo::{config, lane, limited, serve};

fn queued(queues: QueueSettings) -> Config {
    Config { fast_path: FastPath::Never, queues, ..config() }
}

#[test]
fn additional_handlers_run_waiting_calls() {
    let few = QueueSettings { handlers: 2, ..QueueSettings::default() };
    let (server, gate) = serve(queued(few.clone()));
    let mut clients = [WAYS[0]; 3].map(|way| Client::new(server.addr(), way));
    for client in &mut clients {
        let bytes = client.bytes("getVer", NO_ARGS);
        client.stream.write_all(&bytes).unwrap();
    }
    gate.started.recv().unwrap();
    assert!(gate.started.is_empty(), "one handler runs one call");
    let told = server.reconfigure(&queued(QueueSettings { handlers: 12, ..few.clone() }));
    assert_eq!((told.applied, told.refused), (vec!["queues.handlers"], vec![]));
    for _ in 0..2 {
        gate.started.recv().unwrap();
    }
    // Fewer handlers again while the calls run: each call is finished.
    server.reconfigure(&queued(few));
    // The order in which they continue is unspecified.
    clients.iter().for_each(|_| gate.resume.send(()).unwrap());
    for client in &mut clients {
        assert_eq!(client.answer("getVer"), Answer::Success("Thrift1 getVer".to_owned()));
    }
    assert_eq!(lane(&server, LaneKind::Read).running_max, 1);
}

#[test]
fn calls_of_a_lane_that_is_removed_are_run() {
    let split = QueueSettings { handlers: 2, ..QueueSettings::default() };
    let (server, gate) = serve(queued(split.clone()));
    let mut clients = [WAYS[0]; 2].map(|way| Client::new(server.addr(), way));
    for client in &mut clients {
        let bytes = client.bytes("getVer", NO_ARGS);
        client.stream.write_all(&bytes).unwrap();
    }
    gate.started.recv().unwrap();
    server.reconfigure(&queued(QueueSettings { read_ratio: 0.0, ..split }));
    assert_eq!(server.lanes().iter().map(|lane| lane.kind).collect::<Vec<_>>(), [LaneKind::Admin, LaneKind::General]);
    let mut other = Client::new(server.addr(), WAYS[3]);
    assert_eq!(other.call("getRow", NO_ARGS), Answer::Success("Thrift1 getRow".to_owned()));
    // The order in which they continue is unspecified.
    clients.iter().for_each(|_| gate.resume.send(()).unwrap());
    for client in &mut clients {
        assert_eq!(client.answer("getVer"), Answer::Success("Thrift1 getVer".to_owned()));
    }
}

#[test]
fn limits_apply_from_the_next_call_on_and_fixed_settings_are_named() {
    let (server, _gate) = serve(limited(Limits { connections_max: 1, ..Limits::default() }));
    let mut first = Client::new(server.addr(), WAYS[0]);
    assert_eq!(first.call("getRow", NO_ARGS), Answer::Success("Thrift1 getRow".to_owned()));
    let mut wanted = limited(Limits { connections_max: 2, reply_bytes_max: 1 << 16, ..Limits::default() });
    wanted.queues.order = QueueOrder::Codel;
    wanted.host = Some("elsewhere".to_owned());
    let told = server.reconfigure(&wanted);
    assert_eq!(told.applied, ["limits.connections_max", "limits.reply_bytes_max"]);
    let refused: Vec<_> = told.refused.iter().map(|(name, why)| (*name, why.contains("restart"))).collect();
    assert_eq!(refused, [("host", true), ("queues.order", true)]);
    let mut second = Client::new(server.addr(), WAYS[0]);
    assert_eq!(second.call("getRow", NO_ARGS), Answer::Success("Thrift1 getRow".to_owned()));
    assert!(matches!(first.call("getRowWithColumns", NO_ARGS), Answer::IoError(..)), "its reply is 1 MiB");
    assert_eq!(server.reconfigure(&wanted).applied, Vec::<&str>::new(), "settings in force are not changes");
}

fn settings(order: QueueOrder) -> impl Strategy<Value = QueueSettings> {
    let waiting = proptest::option::of(0..4usize);
    (1..12usize, 0.0..=1.0f32, select(vec![0.0f32, 0.3, 0.5, 1.0]), select(vec![0.0f32, 0.5, 1.0]), waiting).prop_map(
        move |(handlers, handler_factor, read_ratio, scan_ratio, waiting_max)| QueueSettings {
            handlers,
            handler_factor,
            read_ratio,
            scan_ratio,
            waiting_max,
            order,
            ..QueueSettings::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn every_call_is_answered_once_whatever_changes(
        order in select(QueueOrder::ALL.to_vec()),
        changes in vec(settings(QueueOrder::Fifo), 1..8),
        calls in vec(select(vec!["getRow", "mutateRow", "scannerGet", "getTableNames"]), 1..40),
    ) {
        let changes: Vec<_> = changes.into_iter().map(|s| QueueSettings { order, ..s }).collect();
        let (server, _gate) = serve(queued(changes[0].clone()));
        let done = AtomicBool::new(false);
        let (answered, refused) = std::thread::scope(|threads| {
            let changer = threads.spawn(|| {
                for next in changes.iter().cycle() {
                    let told = server.reconfigure(&queued(next.clone()));
                    assert_eq!(told.refused, []);
                    if done.load(Ordering::Relaxed) {
                        break;
                    }
                    std::thread::yield_now();
                }
            });
            let clients: Vec<_> = (0..6).map(|n| threads.spawn({
                let (server, calls) = (&server, &calls);
                move || {
                    let mut client = Client::new(server.addr(), WAYS[n]);
                    let (mut answered, mut refused) = (0u64, 0u64);
                    for name in calls {
                        // An answer to another call, or a second one, would be out of sequence.
                        match client.call(name, NO_ARGS) {
                            Answer::Success(text) => {
                                assert!(text.ends_with(name), "{text}");
                                answered += 1;
                            }
                            Answer::IoError(text, true) if text.contains("CallQueueTooBigException") => refused += 1,
                            // On a slow machine, CoDel may drop calls.
                            Answer::IoError(text, true) if text.contains("CallDroppedException") => refused += 1,
                            other => panic!("{other:?}"),
                        }
                    }
                    (answered, refused)
                }
            })).collect();
            let ended: Vec<_> = clients.into_iter().map(|client| client.join()).collect();
            done.store(true, Ordering::Relaxed);
            changer.join().unwrap();
            ended.into_iter().map(Result::unwrap).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1))
        });
        prop_assert_eq!(answered + refused, 6 * calls.len() as u64);
        let (mut finished, mut turned_away) = (0, 0);
        for all in server.all_lanes() {
            prop_assert_eq!((all.under_way, all.running, all.waiting), (0, 0, 0), "{:?}", all.kind);
            finished += all.finished;
            turned_away += all.refused_length + all.dropped_overloaded;
        }
        prop_assert_eq!((finished, turned_away), (answered, refused));
        prop_assert!(server.shutdown());
    }
}
