//! The row cache compared with a database without it, for random writes.

use std::sync::Arc;

use bytes::Bytes;
use hjall_engine::clock::ManualClock;
use hjall_engine::mutation::{Append, Check, CompareOp, Delete, Increment, Marker, MarkerKind, Mutation, Put, PutCell};
use hjall_engine::request::Get;
use hjall_engine::{Engine, LATEST, Options};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::fixture::{NOW, descriptor, name};

#[derive(Debug, Clone)]
enum Step {
    Put { family: usize, time: i64, ttl_ms: Option<i64> },
    Delete { family: usize, kind: MarkerKind, time: i64 },
    Increment { family: usize },
    Append { family: usize, times: usize },
    Check { family: usize, of: usize },
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

/// Rows of these families are cached in their packed form.
const PLAIN_FAMILIES: [&str; 2] = ["a", "b VERSIONS=3"];

fn step(families: usize) -> impl Strategy<Value = Step> {
    let (family, time) = (0..families, prop_oneof![Just(LATEST), NOW - 3..NOW + 6]);
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
        3 => family.clone().prop_map(|family| Step::Increment { family }),
        1 => (family.clone(), 1..3_usize).prop_map(|(family, times)| Step::Append { family, times }),
        1 => (family, 0..80_usize).prop_map(|(family, of)| Step::Check { family, of }),
        6 => Just(Step::Get),
        1 => (1..400_i64).prop_map(Step::Wait),
        1 => Just(Step::Flush),
        1 => Just(Step::Compact),
    ]
}

/// A database with a row cache, and one without.
struct Pair {
    engines: [Engine; 2],
    clocks: [Arc<ManualClock>; 2],
    _folders: [tempfile::TempDir; 2],
}

impl Pair {
    fn new(families: &[&'static str]) -> Self {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let clocks = [Arc::new(ManualClock::at(NOW)), Arc::new(ManualClock::at(NOW))];
        let options = |clock: &Arc<ManualClock>, bytes| Options {
            clock: Some(clock.clone() as _),
            row_cache_bytes: Some(bytes),
            ..Options::default()
        };
        let engines = [
            Engine::open(folders[0].path(), options(&clocks[0], 1 << 20)).unwrap(),
            Engine::open(folders[1].path(), options(&clocks[1], 0)).unwrap(),
        ];
        for engine in &engines {
            engine.create_table(descriptor("t", families), vec![]).unwrap();
        }
        Self { engines, clocks, _folders: folders }
    }

    /// Runs a step on both databases. Their results must be equal.
    fn run(&self, n: usize, step: Step, families: &[&'static str]) -> Result<(), TestCaseError> {
        let tables = self.engines.each_ref().map(|engine| engine.table(&name("t")));
        let family = |at: usize| Bytes::from(families[at].split(' ').next().unwrap());
        let put = |at: usize, time, ttl_ms| {
            let cell =
                PutCell { family: family(at), qualifier: "q".into(), timestamp: time, value: n.to_string().into() };
            Put { row: "r".into(), cells: vec![cell], ttl_ms, ..Put::default() }
        };
        match step {
            Step::Put { family: at, time, ttl_ms } => {
                tables.iter().for_each(|table| table.put(&put(at, time, ttl_ms)).unwrap());
            }
            Step::Delete { family: at, kind, time } => {
                let qualifier = if n.is_multiple_of(3) { "n" } else { "q" };
                let marker = Marker { family: family(at), qualifier: qualifier.into(), kind, timestamp: time };
                let delete = Delete { markers: vec![marker], ..Delete::row("r") };
                tables.iter().for_each(|table| table.delete(&delete).unwrap());
            }
            Step::Increment { family: at } => {
                let columns = vec![(family(at), "n".into(), 1)];
                let increment = Increment { row: "r".into(), columns, ..Increment::default() };
                let [cached, stored] = tables.each_ref().map(|table| table.increment(&increment).unwrap());
                prop_assert_eq!(cached, stored);
            }
            Step::Append { family: at, times } => {
                let columns = vec![(family(at), "q".into(), ".".into()); times];
                let append = Append { row: "r".into(), columns, ..Append::default() };
                let [cached, stored] = tables.each_ref().map(|table| table.append(&append).unwrap());
                prop_assert_eq!(cached, stored);
            }
            Step::Check { family: at, of } => {
                let value = (of > 0).then(|| of.to_string().into());
                let check = Check {
                    row: "r".into(),
                    family: family(at),
                    qualifier: "q".into(),
                    op: CompareOp::NotEqual,
                    value,
                };
                let mutations = [Mutation::Put(put(at, LATEST, None))];
                let [cached, stored] =
                    tables.each_ref().map(|table| table.check_and_mutate(&check, &mutations).unwrap());
                prop_assert_eq!(cached, stored);
            }
            Step::Get => {}
            Step::Wait(ms) => self.clocks.iter().for_each(|clock| clock.advance(ms)),
            Step::Compact => self.engines.iter().for_each(|engine| engine.compact(&name("t"), true).unwrap()),
            Step::Flush => self.engines.iter().for_each(|engine| engine.flush(&name("t")).unwrap()),
        }
        Ok(())
    }

    fn get(&self) -> Result<(), TestCaseError> {
        let tables = self.engines.each_ref().map(|engine| engine.table(&name("t")));
        for get in [Get::new("r"), Get { max_versions: 3, ..Get::new("r") }] {
            let [cached, stored] = tables.each_ref().map(|table| table.get(&get).unwrap());
            prop_assert_eq!(cached, stored);
        }
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// A database with a row cache shows what one without shows, after every write.
    #[test]
    fn a_cached_row_is_what_the_store_shows(steps in vec(step(FAMILIES.len()), 1..80)) {
        let both = Pair::new(&FAMILIES);
        for (n, step) in steps.into_iter().enumerate() {
            both.run(n, step, &FAMILIES)?;
            both.get()?;
        }
    }

    /// Increments, appends and checks read the row from the cache, and cache it themselves: few gets do.
    #[test]
    fn writes_that_read_a_cached_row_do_as_without_the_cache(steps in vec(step(PLAIN_FAMILIES.len()), 1..80)) {
        let both = Pair::new(&PLAIN_FAMILIES);
        for (n, step) in steps.into_iter().enumerate() {
            let is_get = matches!(step, Step::Get) && n.is_multiple_of(4);
            both.run(n, step, &PLAIN_FAMILIES)?;
            if is_get {
                both.get()?;
            }
        }
        both.get()?;
    }
}
