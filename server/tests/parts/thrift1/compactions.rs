//! The effects of `compact` and `majorCompact`. Both only request a compaction, so the tests wait for the effect.

use std::time::{Duration, Instant};

use hjall_engine::name::TableName;
use hjall_engine::request::Scan;
use hjall_idl::hbase1::*;

use super::gateway::{Gateway, bytes, delete, put};

/// The number of stored cells and markers, including hidden ones.
fn stored(gateway: &Gateway) -> usize {
    let table = gateway.context.engine.table(&TableName::parse(b"t").unwrap());
    let scan = Scan { raw: true, max_versions: i32::MAX, ..Scan::default() };
    table.scan(scan).unwrap().rows().map(|row| row.unwrap().cells.len()).sum()
}

fn wait_until_stored(gateway: &Gateway, count: usize) {
    let began = Instant::now();
    while stored(gateway) != count {
        assert!(began.elapsed() < Duration::from_secs(60), "{} are stored, not {count}", stored(gateway));
        std::thread::yield_now();
    }
}

#[test]
fn major_compact_drops_markers_and_what_they_hide() {
    for region in [false, true] {
        let gateway = Gateway::new(&["m"]);
        gateway.mutate_row("r", vec![put("f:q=deleted"), put("g:q=kept")]);
        gateway.mutate_row("r", vec![delete("f:q")]);
        assert_eq!(stored(&gateway), 3);
        let name = if region {
            let table = TableName::parse(b"t").unwrap();
            Some(gateway.context.engine.regions(&table).unwrap()[1].name(&table).to_vec())
        } else {
            bytes("t")
        };
        let minor: CompactResult =
            gateway.call("compact", CompactArgs { table_name_or_region_name: name.clone() }).unwrap();
        assert_eq!(minor.io, None);
        let major: MajorCompactResult =
            gateway.call("majorCompact", MajorCompactArgs { table_name_or_region_name: name }).unwrap();
        assert_eq!(major.io, None);
        wait_until_stored(&gateway, 1);
        assert_eq!(gateway.row("r"), "r g:q@1000000=kept");
    }
}

#[test]
fn compact_keeps_markers() {
    let gateway = Gateway::new(&[]);
    gateway.mutate_row("r", vec![put("f:q=deleted")]);
    gateway.mutate_row("r", vec![delete("f:q")]);
    let arguments = CompactArgs { table_name_or_region_name: bytes("t") };
    let _: CompactResult = gateway.call("compact", arguments).unwrap();
    wait_until_stored(&gateway, 1);
}
