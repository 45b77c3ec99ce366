//! The row cache compared with a database without it, for random writes.

use std::sync::Arc;

use bytes::Bytes;
use hjall_engine::clock::ManualClock;
use hjall_engine::mutation::{Delete, Increment, Marker, MarkerKind, Put, PutCell};
use hjall_engine::request::Get;
use hjall_engine::{Engine, LATEST, Options};
use proptest::prelude::*;

use crate::fixture::{NOW, descriptor, name};

#[derive(Debug, Clone)]
enum Step {
    Put { family: usize, time: i64, ttl_ms: Option<i64> },
    Delete { family: usize, kind: MarkerKind, time: i64 },
    Increment { family: usize },
    Get,
    Wait(i64),
    Flush,
    Compact,
}

const FAMILIES: [&str; 6] = [
    "a",
    "b VERSIONS=3",
    "c VERSIONS=2 TTL=1",
    "d VERSIONS=2 MIN_VERSIONS=1 TTL=1",
    "e VERSIONS=2 KEEP_DELETED_CELLS=TRUE",
    "f VERSIONS=2 NEW_VERSION_BEHAVIOR=true",
];

fn step() -> impl Strategy<Value = Step> {
    let (family, time) = (0..FAMILIES.len(), prop_oneof![Just(LATEST), NOW - 3..NOW + 6]);
    let kind = prop_oneof![
        Just(MarkerKind::Version),
        Just(MarkerKind::Column),
        Just(MarkerKind::Family),
        Just(MarkerKind::FamilyVersion)
    ];
    let ttl_ms = proptest::option::weighted(0.3, 1..300_i64);
    prop_oneof![
        6 => (family.clone(), time.clone(), ttl_ms).prop_map(|(family, time, ttl_ms)| Step::Put { family, time, ttl_ms }),
        2 => (family.clone(), kind, time).prop_map(|(family, kind, time)| Step::Delete { family, kind, time }),
        1 => family.prop_map(|family| Step::Increment { family }),
        6 => Just(Step::Get),
        1 => (1..400_i64).prop_map(Step::Wait),
        1 => Just(Step::Flush),
        1 => Just(Step::Compact),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A database with a row cache shows what one without shows, after every write.
    #[test]
    fn a_cached_row_is_what_the_store_shows(steps in proptest::collection::vec(step(), 1..80)) {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let clocks = [Arc::new(ManualClock::at(NOW)), Arc::new(ManualClock::at(NOW))];
        let options = |clock: &Arc<ManualClock>, bytes| {
            Options { clock: Some(clock.clone() as _), row_cache_bytes: Some(bytes), ..Options::default() }
        };
        let engines = [
            Engine::open(folders[0].path(), options(&clocks[0], 1 << 20)).unwrap(),
            Engine::open(folders[1].path(), options(&clocks[1], 0)).unwrap(),
        ];
        for engine in &engines {
            engine.create_table(descriptor("t", &FAMILIES), vec![]).unwrap();
        }
        let tables = engines.each_ref().map(|engine| engine.table(&name("t")));
        let family = |at: usize| Bytes::from(FAMILIES[at].split(' ').next().unwrap());
        for (n, step) in steps.into_iter().enumerate() {
            match step {
                Step::Put { family: at, time, ttl_ms } => {
                    let cell = PutCell { family: family(at), qualifier: "q".into(), timestamp: time, value: n.to_string().into() };
                    let put = Put { row: "r".into(), cells: vec![cell], ttl_ms, ..Put::default() };
                    tables.iter().for_each(|table| table.put(&put).unwrap());
                }
                Step::Delete { family: at, kind, time } => {
                    let marker = Marker { family: family(at), qualifier: "q".into(), kind, timestamp: time };
                    let delete = Delete { markers: vec![marker], ..Delete::row("r") };
                    tables.iter().for_each(|table| table.delete(&delete).unwrap());
                }
                Step::Increment { family: at } => {
                    let columns = vec![(family(at), "n".into(), 1)];
                    let increment = Increment { row: "r".into(), columns, ..Increment::default() };
                    tables.iter().for_each(|table| drop(table.increment(&increment).unwrap()));
                }
                Step::Get => {}
                Step::Wait(ms) => clocks.iter().for_each(|clock| clock.advance(ms)),
                Step::Compact => engines.iter().for_each(|engine| engine.compact(&name("t"), true).unwrap()),
                Step::Flush => engines.iter().for_each(|engine| engine.flush(&name("t")).unwrap()),
            }
            for get in [Get::new("r"), Get { max_versions: 3, ..Get::new("r") }] {
                let [cached, stored] = tables.each_ref().map(|table| table.get(&get).unwrap());
                prop_assert_eq!(cached, stored);
            }
        }
    }
}
