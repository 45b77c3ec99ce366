//! Regions and compactions by name.

use hjall_engine::name::TableName;
use hjall_engine::region::digests_computed;
use hjall_idl::hbase1::*;

use super::gateway::{Gateway, bytes, raised};

fn regions(gateway: &Gateway) -> Vec<TRegionInfo> {
    let arguments = GetTableRegionsArgs { table_name: bytes("t") };
    gateway.call::<GetTableRegionsResult>("getTableRegions", arguments).unwrap().success.unwrap()
}

fn at_or_before(gateway: &Gateway, key: Vec<u8>) -> GetRegionInfoResult {
    gateway.call("getRegionInfo", GetRegionInfoArgs { row: Some(key) }).unwrap()
}

#[test]
fn a_region_is_found_by_its_name_and_by_a_row_in_it() {
    let gateway = Gateway::new(&["g", "g,h", "p"]);
    let all = regions(&gateway);
    assert_eq!(all.len(), 4);
    for region in &all {
        assert_eq!(at_or_before(&gateway, region.name.clone().unwrap()).success.as_ref(), Some(region));
        let row = [b"t,", &region.start_key.clone().unwrap()[..], b"\x00,99999999999999"].concat();
        assert_eq!(at_or_before(&gateway, row).success.as_ref(), Some(region));
    }
    assert_eq!(raised(&at_or_before(&gateway, b"a".to_vec()).io), ("IOException".to_owned(), true));
}

#[test]
fn a_compaction_accepts_a_table_or_any_name_of_a_region() {
    let gateway = Gateway::new(&["g"]);
    let compact = |name: &[u8]| {
        let arguments = CompactArgs { table_name_or_region_name: Some(name.to_vec()) };
        gateway.call::<CompactResult>("compact", arguments)
    };
    let full = regions(&gateway)[1].name.clone().unwrap();
    let hash = full[full.len() - 33..full.len() - 1].to_vec();
    let short = full[..full.len() - 34].to_vec();
    for name in [&b"t"[..], b"default:t", &full, &hash, &short] {
        assert_eq!(compact(name).unwrap(), CompactResult::default(), "{name:?}");
    }
    gateway.context.engine.disable_table(&TableName::parse(b"t").unwrap()).unwrap();
    assert_eq!(compact(b"t").unwrap(), CompactResult::default());
    assert_eq!(raised(&compact(&hash).unwrap().io), ("NotServingRegionException".to_owned(), true));
    assert_eq!(raised(&compact(&[b'0'; 32]).unwrap().io), ("TableNotFoundException".to_owned(), false));
    assert!(compact(b"t,x,1.").is_err(), "not a legal name of a table");
}

/// The digests that a call computes for names of regions.
fn digests(work: impl FnOnce()) -> u64 {
    let before = digests_computed();
    work();
    digests_computed() - before
}

#[test]
fn a_name_of_one_region_takes_the_work_of_one_region() {
    let gateway = Gateway::new(&[]);
    let name = TableName::parse(b"many").unwrap();
    let mut table = gateway.context.engine.describe(&TableName::parse(b"t").unwrap()).unwrap();
    table.name = name.clone();
    let splits = (1..1000).map(|n| format!("{n:04}").into()).collect();
    gateway.context.engine.create_table(table, splits).unwrap();
    let region = gateway.context.engine.regions(&name).unwrap()[500].clone();
    let (full, hash) = (region.name(&name), region.encoded_name(&name));
    let short = &full[..full.len() - 34];
    let compact = |name: &[u8]| {
        let arguments = CompactArgs { table_name_or_region_name: Some(name.to_vec()) };
        let _ = gateway.call::<CompactResult>("compact", arguments);
    };
    for name in [&b"many"[..], b"abc", b"none", &hash.as_bytes()[1..], b"many,5,1.", b"none,0500,1."] {
        assert_eq!(digests(|| compact(name)), 0, "{}", name.escape_ascii());
    }
    for name in [&full[..], short, b"many,0500,1."] {
        assert_eq!(digests(|| compact(name)), 1, "{}", name.escape_ascii());
    }
    assert!(digests(|| compact(hash.as_bytes())) <= 501, "a hash is compared with that of each region before it");
    assert!(digests(|| compact(&[b'0'; 32])) <= 1001);
    for key in [&full[..], b"many,0500,99999999999999", b"many,0500", b"z"] {
        // One for the search, and one for the answer.
        assert!(digests(|| drop(at_or_before(&gateway, key.to_vec()))) <= 2, "{}", key.escape_ascii());
    }
}
