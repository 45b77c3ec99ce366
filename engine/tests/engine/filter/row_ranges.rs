//! MultiRowRangeFilter: reversed scans with a range without an end, in which HBase misses ranges, or with `(row, row]`,
//! and the ends of merged ranges. The answers are those of HBase 2.6.1.

use bytes::Bytes;
use hjall_engine::filter::{FilterSpec, RowRange};
use hjall_engine::request::Scan;

use crate::fixture::{Database, put};

fn range(text: &'static str) -> RowRange {
    let (start, stop) = text[1..text.len() - 1].split_once(',').unwrap();
    RowRange {
        start: start.into(),
        start_inclusive: text.starts_with('['),
        stop: stop.into(),
        stop_inclusive: text.ends_with(']'),
    }
}

#[test]
fn ranges_that_are_missed_or_returned_by_mistake_are_those_of_hbase() {
    let database = Database::memory();
    let table = database.table("t", &["f"]);
    for row in ["a", "aa", "b", "ba", "c", "ca", "d"] {
        table.put(&put(row, &[("f:1", 1, "v")])).unwrap();
    }
    for (ranges, start, rows) in [
        ("[b,b] [c,)", "", "d ca c"),
        ("[b,b] [c,)", "ca", "ca c"),
        ("[b,b] [c,)", "b", ""),
        ("[b,b] (c,)", "", "d ca"),
        ("[b,ba] [c,)", "", "d ca c"),
        ("[b,ba] [c,)", "b", ""),
        ("[b,ba) [c,)", "ca", "ca c"),
        ("[c,)", "b", ""),
        ("[aa,aa] [b,b] [c,)", "", "d ca c"),
        ("[aa,aa] [b,b] [c,)", "b", "b aa"),
        ("[b,b] [c,c] [d,)", "", "d"),
        ("[b,b] [c,c] [d,)", "ca", ""),
        ("[b,b] [c,c] [d,)", "b", "b"),
        ("[aa,b) [ba,)", "", "d ca c ba"),
        ("[b,b] [c,d]", "", "d ca c b"),
        ("(b,b]", "", ""),
        ("(b,b]", "b", "b"),
        ("(b,b] [a,b)", "b", "b aa a"),
        ("(aa,aa] (b,b] (c,)", "", "d ca"),
        ("(aa,aa] (b,b] (c,)", "b", "b"),
    ] {
        let filter = FilterSpec::multi_row_range(ranges.split(' ').map(range).collect()).unwrap();
        let scan = Scan { start: Bytes::from(start), reversed: true, filter: Some(filter.into()), ..Scan::default() };
        let found: Vec<_> = table.scan(scan).unwrap().next(100).unwrap().into_iter().map(|row| row.key).collect();
        assert_eq!(found.join(&b' '), rows.as_bytes(), "{ranges} from {start:?}");
    }
}

#[test]
fn merged_ranges_include_their_end_as_in_hbase() {
    let database = Database::memory();
    let table = database.table("t", &["f"]);
    for row in ["a", "aa", "b", "ba", "c", "ca", "d"] {
        table.put(&put(row, &[("f:1", 1, "v")])).unwrap();
    }
    for (ranges, rows) in [
        ("[aa,c] [b,ba)", "aa b ba c"),
        ("[aa,c) [b,ba]", "aa b ba"),
        ("[aa,b] [b,c)", "aa b ba"),
        ("[aa,b] [b,c) [b,ba)", "aa b ba"),
        ("[aa,b) [b,c) [b,ba]", "aa b ba c"),
        ("[b,c) [aa,b] [b,ba]", "aa b ba c"),
        ("[aa,b) [b,c) [b,ba) [b,ba]", "aa b ba c"),
        ("[aa,b] [b,c) [ca,d)", "aa b ba ca"),
        ("(aa,c) [aa,b]", "b ba"),
    ] {
        let filter = FilterSpec::multi_row_range(ranges.split(' ').map(range).collect()).unwrap();
        let scan = Scan { filter: Some(filter.into()), ..Scan::default() };
        let found: Vec<_> = table.scan(scan).unwrap().next(100).unwrap().into_iter().map(|row| row.key).collect();
        assert_eq!(found.join(&b' '), rows.as_bytes(), "{ranges}");
    }
}
