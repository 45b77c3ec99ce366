//! Replies that consist of rows: the bytes that are written directly are those that the generated code writes.

use std::collections::BTreeSet;
use std::fmt::Debug;

use bytes::Bytes;
use hjall_engine::mutation::{Put, PutCell};
use hjall_engine::name::TableName;
use hjall_engine::schema::{FamilyDescriptor, TableDescriptor};
use hjall_idl::{hbase1, hbase2};
use hjall_server::dispatch::call::Services;
use hjall_server::dispatch::call_scope::CallScope;
use hjall_server::gateway::context::Context;
use hjall_server::wire::method::{Method, Thrift1, Thrift2};
use hjall_server::wire::reply::{Buffer, Output};
use hjall_server::wire::{Encoding, arguments};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use thrift::protocol::{TBinaryOutputProtocol, TCompactOutputProtocol, TSerializable};

use super::gateways::{caller, context};

const BOTH: [Encoding; 2] = [Encoding::Binary, Encoding::Compact];

/// The names of columns of the second family precede those of the first one, but its cells follow them.
const FAMILIES: [&str; 3] = ["a", "a!", "long-name"];

/// The bytes that the generated code writes.
fn generated(encoding: Encoding, value: &impl TSerializable) -> Vec<u8> {
    let mut out = Vec::new();
    match encoding {
        Encoding::Binary => value.write_to_out_protocol(&mut TBinaryOutputProtocol::new(&mut out, true)).unwrap(),
        Encoding::Compact => value.write_to_out_protocol(&mut TCompactOutputProtocol::new(&mut out)).unwrap(),
    }
    out
}

/// Makes a call in each encoding. Its result has to be what the generated code writes for it.
fn call<R: TSerializable + Debug + PartialEq>(context: &Context, method: Method, given: &impl TSerializable) -> R {
    let [binary, compact] = BOTH.map(|encoding| {
        let given = generated(encoding, given);
        let mut written = b"before".to_vec();
        let mut output = Output::new(encoding, Buffer::new(&mut written, 64 << 20));
        let (caller, mut input) = (caller(), arguments(encoding, &given));
        context.call(&CallScope::unlimited(&caller), method, input.as_dyn(), &mut output).unwrap();
        let written = written.strip_prefix(b"before").unwrap();
        let result = R::read_from_in_protocol(arguments(encoding, written).as_dyn()).unwrap();
        assert_eq!(written, generated(encoding, &result), "{encoding:?} {method:?}: {result:?}");
        result
    });
    assert_eq!(binary, compact);
    binary
}

fn cell() -> impl Strategy<Value = PutCell> {
    let qualifier = prop_oneof![
        select(vec!["", "q", "~", "\0"]).prop_map(Bytes::from),
        vec(any::<u8>(), 0..3).prop_map(Bytes::from)
    ];
    let timestamp = prop_oneof![0..3_i64, Just(1_700_000_000_000), Just(i64::MAX - 1)];
    // Long values have lengths of several bytes in the compact protocol.
    let value = prop_oneof![vec(any::<u8>(), 0..4), vec(any::<u8>(), 120..300)].prop_map(Bytes::from);
    (select(FAMILIES.to_vec()), qualifier, timestamp, value).prop_map(|(family, qualifier, timestamp, value)| PutCell {
        family: family.into(),
        qualifier,
        timestamp,
        value,
    })
}

/// The rows `row0` to `row39`, some of them without cells.
fn table() -> impl Strategy<Value = Vec<Vec<PutCell>>> {
    vec(vec(cell(), 0..6), 1..40)
}

fn key(n: usize) -> Vec<u8> {
    format!("row{n}").into_bytes()
}

fn get(row: Vec<u8>, max_versions: Option<i32>) -> hbase2::TGet {
    hbase2::TGet {
        row,
        columns: None,
        timestamp: None,
        time_range: None,
        max_versions,
        filter_string: None,
        attributes: None,
        authorizations: None,
        consistency: None,
        target_replica_id: None,
        cache_blocks: None,
        store_limit: None,
        store_offset: None,
        existence_only: None,
        filter_bytes: None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn rows_are_written_as_the_generated_code_writes_them(rows in table()) {
        let context = context();
        let name = TableName::parse(b"rows").unwrap();
        let mut descriptor = TableDescriptor::new(name.clone());
        for family in FAMILIES {
            let mut family = FamilyDescriptor::new(family).unwrap();
            family.set("VERSIONS", "3");
            descriptor.add_family(family).unwrap();
        }
        context.engine.create_table(descriptor, vec![]).unwrap();
        let table = context.engine.table(&name);
        let mut names = BTreeSet::new();
        for (n, cells) in rows.iter().enumerate().filter(|(_, cells)| !cells.is_empty()) {
            names.insert(key(n));
            table.put(&Put { row: key(n).into(), cells: cells.clone(), ..Put::default() }).unwrap();
        }
        let keys: Vec<_> = (0..rows.len()).map(key).collect();
        let t = || Some(b"rows".to_vec());

        for (n, cells) in rows.iter().enumerate() {
            let one = hbase1::GetRowArgs { table_name: t(), row: Some(key(n)), attributes: None };
            let result: hbase1::GetRowResult = call(&context, Method::Thrift1(Thrift1::GetRow), &one);
            let found = result.success.unwrap();
            prop_assert_eq!(found.len(), usize::from(!cells.is_empty()));
            if let Some(found) = found.first() {
                let columns: BTreeSet<_> = cells.iter().map(|c| [&c.family[..], b":", &c.qualifier].concat()).collect();
                prop_assert!(found.columns.as_ref().unwrap().keys().eq(&columns));
            }
            let tget = get(key(n), Some(3));
            let result: hbase2::GetResult =
                call(&context, Method::Thrift2(Thrift2::Get), &hbase2::GetArgs { table: b"rows".to_vec(), tget });
            prop_assert_eq!(result.success.unwrap().row, (!cells.is_empty()).then(|| key(n)));
        }
        let several = hbase1::GetRowsArgs { table_name: t(), rows: Some(keys.clone()), attributes: None };
        let result: hbase1::GetRowsResult = call(&context, Method::Thrift1(Thrift1::GetRows), &several);
        let found = result.success.unwrap();
        prop_assert_eq!(found.iter().map(|row| row.row.clone().unwrap()).collect::<BTreeSet<_>>(), names.clone());

        let tgets = keys.iter().map(|row| get(row.clone(), None)).collect();
        let several = hbase2::GetMultipleArgs { table: b"rows".to_vec(), tgets };
        let result: hbase2::GetMultipleResult = call(&context, Method::Thrift2(Thrift2::GetMultiple), &several);
        prop_assert_eq!(result.success.unwrap().len(), rows.len());

        let tscan = hbase2::TScan::default();
        let scan = hbase2::GetScannerResultsArgs { table: b"rows".to_vec(), tscan, num_rows: Some(100) };
        let result: hbase2::GetScannerResultsResult =
            call(&context, Method::Thrift2(Thrift2::GetScannerResults), &scan);
        prop_assert_eq!(result.success.unwrap().len(), names.len());

        let of_first_family = |cells: &[PutCell]| cells.iter().any(|cell| cell.family == FAMILIES[0]);
        let rows_of_first_family = rows.iter().filter(|cells| of_first_family(cells)).count();
        for (sorted, one_family) in [(false, false), (true, false), (false, true), (true, true)] {
            let expected = if one_family { rows_of_first_family } else { names.len() };
            let columns = one_family.then(|| vec![FAMILIES[0].into()]);
            let scan = hbase1::TScan { sort_columns: Some(sorted), columns, ..hbase1::TScan::default() };
            let open = hbase1::ScannerOpenWithScanArgs { table_name: t(), scan: Some(scan), attributes: None };
            // One scanner for each encoding.
            let ids: Vec<_> = (0..2)
                .map(|_| {
                    let encoding = Encoding::Binary;
                    let (given, mut out, caller) = (generated(encoding, &open), Vec::new(), caller());
                    let mut output = Output::new(encoding, Buffer::new(&mut out, 1 << 20));
                    let method = Method::Thrift1(Thrift1::ScannerOpenWithScan);
                    let mut input = arguments(encoding, &given);
                    context.call(&CallScope::unlimited(&caller), method, input.as_dyn(), &mut output).unwrap();
                    let result = hbase1::ScannerOpenWithScanResult::read_from_in_protocol(arguments(encoding, &out).as_dyn());
                    result.unwrap().success.unwrap()
                })
                .collect();
            for id in ids {
                let mut rows = 0;
                loop {
                    // The two encodings of one call fetch successive pages of one size, as long as there are rows.
                    let fetch = hbase1::ScannerGetListArgs { id: Some(id), nb_rows: Some(7) };
                    let encoding = BOTH[rows % 2];
                    let (given, mut out, caller) = (generated(encoding, &fetch), Vec::new(), caller());
                    let mut output = Output::new(encoding, Buffer::new(&mut out, 1 << 20));
                    let method = Method::Thrift1(Thrift1::ScannerGetList);
                    let mut input = arguments(encoding, &given);
                    context.call(&CallScope::unlimited(&caller), method, input.as_dyn(), &mut output).unwrap();
                    let result =
                        hbase1::ScannerGetListResult::read_from_in_protocol(arguments(encoding, &out).as_dyn()).unwrap();
                    prop_assert_eq!(&out, &generated(encoding, &result));
                    let page = result.success.unwrap();
                    if !sorted && !one_family {
                        for row in &page {
                            prop_assert_eq!(Some(row), found.iter().find(|found| found.row == row.row));
                        }
                    }
                    prop_assert!(page.iter().all(|row| row.sorted_columns.is_some() == sorted));
                    if page.is_empty() {
                        break;
                    }
                    rows += page.len();
                }
                prop_assert_eq!(rows, expected);
            }
        }
    }
}

/// A reply that exceeds its limit is an error, with the text that the generated code leads to.
#[test]
fn a_reply_of_rows_has_a_limit() {
    let context = context();
    let name = TableName::parse(b"rows").unwrap();
    let mut descriptor = TableDescriptor::new(name.clone());
    descriptor.add_family(FamilyDescriptor::new("f").unwrap()).unwrap();
    context.engine.create_table(descriptor, vec![]).unwrap();
    let cell = PutCell { family: "f".into(), qualifier: "q".into(), timestamp: 1, value: vec![0; 1_000].into() };
    context.engine.table(&name).put(&Put { row: "r".into(), cells: vec![cell], ..Put::default() }).unwrap();
    let given = hbase1::GetRowArgs { table_name: Some(b"rows".to_vec()), row: Some(b"r".to_vec()), attributes: None };
    for encoding in BOTH {
        let given = generated(encoding, &given);
        let run = |limit| {
            let (mut out, caller) = (Vec::new(), caller());
            let mut output = Output::new(encoding, Buffer::new(&mut out, limit));
            let mut input = arguments(encoding, &given);
            let method = Method::Thrift1(Thrift1::GetRow);
            context.call(&CallScope::unlimited(&caller), method, input.as_dyn(), &mut output).map(|()| out.len())
        };
        let length = run(usize::MAX).unwrap();
        assert_eq!(run(length).unwrap(), length);
        let error = run(length - 1).unwrap_err();
        assert!(format!("{error:?}").contains("limits.reply"), "{error:?}");
    }
}
