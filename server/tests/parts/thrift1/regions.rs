//! Regions and compactions by name.

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
    gateway.context.engine.disable_table(&hjall_engine::name::TableName::parse(b"t").unwrap()).unwrap();
    assert_eq!(compact(b"t").unwrap(), CompactResult::default());
    assert_eq!(raised(&compact(&hash).unwrap().io), ("NotServingRegionException".to_owned(), true));
    assert_eq!(raised(&compact(&[b'0'; 32]).unwrap().io), ("TableNotFoundException".to_owned(), false));
    assert!(compact(b"t,x,1.").is_err(), "not a legal name of a table");
}
