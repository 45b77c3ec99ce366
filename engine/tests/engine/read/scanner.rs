//! Scanners during writes, changes of their table and failed fetches.

use std::sync::Arc;

use crate::world::{World, bytes, columns, descriptor, short};
use hjall_engine::ErrorKind;
use hjall_engine::filter::FilterSpec;
use hjall_engine::mutation::MarkerKind::Family;
use hjall_engine::name::TableName;
use hjall_engine::request::Scan;
use hjall_engine::schema::FamilyDescriptor;

fn letters() -> World {
    let world = World::new(&["f"]);
    for row in ["a", "b", "c", "d", "e"] {
        world.put(row, "f:1", 5, row);
    }
    world
}

fn t() -> TableName {
    TableName::parse(b"t").unwrap()
}

#[test]
fn a_scanner_sees_the_writes_before_its_first_fetch_only() {
    for (reversed, caching) in [(false, 1), (true, 1), (false, 0)] {
        let world = letters();
        let mut scanner = world.table.scan(Scan { caching, reversed, ..Scan::default() }).unwrap();
        assert!(scanner.next(0).unwrap().is_empty());
        world.put("c", "f:1", 6, "seen");
        let first = if reversed { "e f:1@5=e" } else { "a f:1@5=a" };
        assert_eq!(short(&scanner.next(1).unwrap()), first);
        world.put("c", "f:1", 7, "unseen");
        world.put("bb", "f:1", 7, "unseen");
        world.delete("b", "f:", Family, 9);
        let rest = short(&scanner.next(99).unwrap());
        assert!(rest.contains("c f:1@6=seen") && rest.contains("b f:1@5=b") && !rest.contains("unseen"), "{rest}");
    }
}

#[test]
fn fetched_rows_are_delivered_after_the_table_was_disabled() {
    let world = letters();
    let mut ahead = world.table.scan(Scan::default()).unwrap();
    let mut step = world.table.scan(Scan { caching: 1, ..Scan::default() }).unwrap();
    let mut ended = world.table.scan(Scan { start: bytes("e"), ..Scan::default() }).unwrap();
    for scanner in [&mut ahead, &mut step] {
        assert_eq!(short(&scanner.next(1).unwrap()), "a f:1@5=a");
    }
    assert_eq!(short(&ended.next(3).unwrap()), "e f:1@5=e");
    world.engine.disable_table(&t()).unwrap();
    assert_eq!(short(&ahead.next(2).unwrap()), "b f:1@5=b; c f:1@5=c");
    assert_eq!(step.next(1).unwrap_err().kind(), ErrorKind::TableDisabled);
    assert!(ended.next(1).unwrap().is_empty(), "an exhausted scanner stays exhausted");
    world.engine.enable_table(&t()).unwrap();
    world.put("bb", "f:1", 5, "new");
    assert_eq!(short(&step.next(2).unwrap()), "b f:1@5=b; c f:1@5=c", "it continues on its snapshot");
    assert_eq!(short(&ahead.next(9).unwrap()), "d f:1@5=d; e f:1@5=e");
    assert!(ended.next(1).unwrap().is_empty());
}

#[test]
fn a_scanner_continues_on_its_snapshot_in_an_altered_table() {
    type Change = fn(&World);
    let changes: [(&str, Change); 5] = [
        ("add a family", |world| world.engine.add_family(&t(), FamilyDescriptor::new("h").unwrap()).unwrap()),
        ("delete a family", |world| world.engine.delete_family(&t(), b"g").unwrap()),
        ("modify a family", |world| {
            let mut family = FamilyDescriptor::new("f").unwrap();
            family.set("TTL", "1000000");
            world.engine.modify_family(&t(), family).unwrap();
        }),
        ("disable and enable", |world| {
            world.engine.disable_table(&t()).unwrap();
            world.engine.enable_table(&t()).unwrap();
        }),
        ("twice", |world| {
            world.engine.add_family(&t(), FamilyDescriptor::new("h").unwrap()).unwrap();
            world.engine.delete_family(&t(), b"h").unwrap();
        }),
    ];
    for ((what, change), reversed, batch, first) in changes
        .iter()
        .flat_map(|change| [(change, false), (change, true)])
        .flat_map(|(change, reversed)| [(change, reversed, 0, true), (change, reversed, 1, false)])
    {
        let world = World::new(&["f", "g"]);
        for row in ["a", "b", "c", "d"] {
            world.put(row, "f:1", 5, "old");
            world.put(row, "f:2", 5, "old");
        }
        let mut scanner = world.table.scan(Scan { caching: 1, batch, reversed, ..Scan::default() }).unwrap();
        scanner.next(1).unwrap();
        let write = || {
            world.put("b", "f:1", 6, "new");
            world.put("bb", "f:1", 6, "new");
            world.delete("c", "f:", Family, 9);
        };
        if first {
            write();
        }
        change(&world);
        if !first {
            write();
        }
        let rest = short(&scanner.next(99).unwrap());
        assert!(!rest.contains("new") && rest.contains("c f:1@5=old"), "{what} {reversed} {batch}: {rest}");
        let mut fresh = world.table.scan(Scan { reversed, ..Scan::default() }).unwrap();
        let fresh = short(&fresh.next(99).unwrap());
        assert!(fresh.contains("bb f:1@6=new") && !fresh.contains("c f:1"), "{what}: {fresh}");
    }
}

#[test]
fn a_scanner_whose_table_cannot_be_read_for_a_while_keeps_its_snapshot_until_it_is_released() {
    let world = letters();
    let mut scanner = world.table.scan(Scan { caching: 1, ..Scan::default() }).unwrap();
    assert_eq!(short(&scanner.next(1).unwrap()), "a f:1@5=a");
    world.put("b", "f:1", 6, "new");
    world.engine.disable_table(&t()).unwrap();
    for _ in 0..2 {
        assert_eq!(scanner.next(1).unwrap_err().kind(), ErrorKind::TableDisabled);
        assert!(scanner.snapshot_age().is_some());
    }
    world.engine.enable_table(&t()).unwrap();
    assert_eq!(short(&scanner.next(1).unwrap()), "b f:1@5=b");
    world.put("c", "f:1", 6, "new");
    world.engine.disable_table(&t()).unwrap();
    assert_eq!(scanner.next(1).unwrap_err().kind(), ErrorKind::TableDisabled);
    scanner.release_snapshot();
    assert_eq!(scanner.snapshot_age(), None);
    world.engine.enable_table(&t()).unwrap();
    assert_eq!(short(&scanner.next(1).unwrap()), "c f:1@6=new");
    world.engine.truncate_table(&t(), false).unwrap_err();
    world.engine.disable_table(&t()).unwrap();
    world.engine.truncate_table(&t(), false).unwrap();
    world.put("d", "f:1", 7, "truncated");
    assert_eq!(short(&scanner.next(9).unwrap()), "d f:1@7=truncated");
}

#[test]
fn a_scanner_continues_in_a_recreated_table() {
    let world = letters();
    let mut scanner = world.table.scan(Scan { caching: 2, ..Scan::default() }).unwrap();
    let mut late = world.engine.table(&TableName::parse(b"later").unwrap()).scan(Scan::default()).unwrap();
    assert_eq!(late.next(1).unwrap_err().kind(), ErrorKind::TableNotFound);
    assert_eq!(short(&scanner.next(1).unwrap()), "a f:1@5=a");
    world.engine.disable_table(&t()).unwrap();
    world.engine.delete_table(&t()).unwrap();
    assert_eq!(scanner.next(2).unwrap_err().kind(), ErrorKind::TableNotFound);
    world.engine.create_table(descriptor(&t(), &["f"]), vec![]).unwrap();
    world.put("a", "f:1", 6, "new");
    world.put("x", "f:1", 6, "new");
    assert_eq!(
        short(&scanner.next(9).unwrap()),
        "b f:1@5=b; x f:1@6=new",
        "rows fetched before the failure are not lost"
    );
}

#[test]
fn a_scan_that_resumes_within_a_row_does_not_repeat_its_cells() {
    for reversed in [false, true] {
        let world = World::new(&["f", "g"]);
        for column in ["f:1", "f:2", "f:3", "g:1"] {
            world.put("r", column, 5, "v");
        }
        let mut scanner = world.table.scan(Scan { batch: 1, caching: 2, reversed, ..Scan::default() }).unwrap();
        assert_eq!(short(&scanner.next(2).unwrap()), "r f:1@5=v …; r f:2@5=v …");
        world.engine.disable_table(&t()).unwrap();
        world.engine.enable_table(&t()).unwrap();
        world.put("r", "f:0", 5, "behind");
        assert_eq!(short(&scanner.next(9).unwrap()), "r f:3@5=v …; r g:1@5=v");
    }
}

#[test]
fn an_unknown_family_fails_every_fetch_of_any_range() {
    let world = letters();
    for (start, stop) in [("", ""), ("zz", ""), ("z", "a")] {
        let scan =
            Scan { columns: columns(&["f:1", "no:2"]), start: bytes(start), stop: bytes(stop), ..Scan::default() };
        let mut scanner = world.table.scan(scan).unwrap();
        assert!(scanner.next(0).unwrap().is_empty());
        for _ in 0..2 {
            let error = scanner.next(1).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::FamilyNotFound);
            assert!(error.message().starts_with("Column family no does not exist in region t,,"), "{error}");
        }
        world.engine.disable_table(&t()).unwrap();
        assert_eq!(scanner.next(1).unwrap_err().kind(), ErrorKind::TableDisabled, "the table is checked first");
        world.engine.enable_table(&t()).unwrap();
    }
}

#[test]
fn a_scanner_without_its_snapshot_continues_after_its_last_row() {
    for reversed in [false, true] {
        let world = letters();
        let mut scanner = world.table.scan(Scan { caching: 1, reversed, ..Scan::default() }).unwrap();
        assert_eq!(scanner.snapshot_age(), None, "nothing has been read");
        let (first, next, passed, rest) = match reversed {
            false => ("a", "b", "0", "c f:1@5=c; d f:1@5=d; e f:1@5=e"),
            true => ("e", "d", "z", "c f:1@5=c; b f:1@5=b; a f:1@5=a"),
        };
        assert_eq!(short(&scanner.next(1).unwrap()), format!("{first} f:1@5={first}"));
        let before = scanner.snapshot_age().unwrap();
        world.put(next, "f:1", 6, "new");
        world.put(passed, "f:1", 6, "passed");
        let age = scanner.snapshot_age().unwrap();
        assert!(age.written_bytes > before.written_bytes, "{age:?}");
        scanner.release_snapshot();
        assert_eq!(scanner.snapshot_age(), None);
        assert_eq!(short(&scanner.next(1).unwrap()), format!("{next} f:1@6=new"));
        assert_eq!(scanner.snapshot_age().unwrap().written_bytes, 0);
        assert_eq!(short(&scanner.next(9).unwrap()), rest);
    }
}

#[test]
fn a_scanner_without_its_snapshot_keeps_the_state_of_its_filter() {
    let world = letters();
    let filter = FilterSpec::parse(b"PageFilter(3)").unwrap();
    let scan = Scan { caching: 1, filter: Some(Arc::new(filter)), ..Scan::default() };
    let mut scanner = world.table.scan(scan).unwrap();
    assert_eq!(short(&scanner.next(2).unwrap()), "a f:1@5=a; b f:1@5=b");
    scanner.release_snapshot();
    assert_eq!(short(&scanner.next(9).unwrap()), "c f:1@5=c", "it counts the rows before");
}

/// In an ascending scan, HBase reads rows that a filter rejects by their keys through that filter. In a descending one,
/// it seeks past them, so that WHILE does not end the scan at their cells.
#[test]
fn only_ascending_scans_show_the_filter_the_cells_of_rejected_rows() {
    let world = World::new(&["f"]);
    for (row, column) in [("b", "f:y"), ("ca", "f:q"), ("x", "f:y")] {
        world.put(row, column, 3, "v");
    }
    let found = |text: &str, reversed| {
        let filter = Some(Arc::new(FilterSpec::parse(text.as_bytes()).unwrap()));
        short(&world.table.scan(Scan { reversed, filter, ..Scan::default() }).unwrap().next(9).unwrap())
    };
    for row_filter in ["PrefixFilter('ca')", "RowFilter(=,'binary:ca')", "RowFilter(=,'substring:c')"] {
        let cells_first = format!("WHILE QualifierFilter(=,'binary:q') AND {row_filter}");
        assert_eq!(found(&cells_first, true), "ca f:q@3=v", "{row_filter}");
        assert_eq!(found(&cells_first, false), "", "{row_filter}");
    }
}

#[test]
fn a_scanner_keeps_its_snapshot_within_a_row() {
    let world = World::new(&["f"]);
    for column in ["f:1", "f:2", "f:3"] {
        world.put("r", column, 5, "v");
    }
    let mut scanner = world.table.scan(Scan { batch: 1, caching: 1, ..Scan::default() }).unwrap();
    assert_eq!(short(&scanner.next(1).unwrap()), "r f:1@5=v …");
    world.put("r", "f:2", 6, "new");
    scanner.release_snapshot();
    assert_eq!(short(&scanner.next(9).unwrap()), "r f:2@5=v …; r f:3@5=v");
}

/// A fetch that fails keeps the snapshot for the next one.
#[test]
fn a_scanner_whose_table_cannot_be_read_for_a_while_keeps_its_snapshot_within_a_row() {
    let world = World::new(&["f"]);
    for column in ["f:1", "f:2", "f:3"] {
        world.put("r", column, 5, "v");
    }
    world.put("s", "f:1", 5, "v");
    let mut scanner = world.table.scan(Scan { batch: 1, caching: 1, ..Scan::default() }).unwrap();
    assert_eq!(short(&scanner.next(1).unwrap()), "r f:1@5=v …");
    world.engine.disable_table(&t()).unwrap();
    for _ in 0..2 {
        assert_eq!(scanner.next(1).unwrap_err().kind(), ErrorKind::TableDisabled);
        scanner.release_snapshot();
    }
    world.engine.enable_table(&t()).unwrap();
    for column in ["f:2", "f:3"] {
        world.put("r", column, 6, "new");
    }
    world.put("s", "f:1", 6, "new");
    assert_eq!(short(&scanner.next(2).unwrap()), "r f:2@5=v …; r f:3@5=v");
    scanner.release_snapshot();
    assert_eq!(short(&scanner.next(9).unwrap()), "s f:1@6=new …");
}

#[test]
fn another_thread_can_stop_a_scan() {
    let world = letters();
    let mut scanner = world.table.scan(Scan { caching: 1, ..Scan::default() }).unwrap();
    let stopper = scanner.stopper();
    assert_eq!(short(&scanner.next(1).unwrap()), "a f:1@5=a");
    std::thread::spawn(move || stopper.stop()).join().unwrap();
    assert_eq!(scanner.next(1).unwrap_err().kind(), ErrorKind::Cancelled);
}
