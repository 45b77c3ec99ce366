//! Counters of reads and writes by table and region.

use bytes::Bytes;
use hjall_engine::mutation::{Append, Delete, Increment, Put, PutCell};
use hjall_engine::name::TableName;
use hjall_engine::request::{Get, Scan};
use hjall_engine::schema::{FamilyDescriptor, TableDescriptor};
use hjall_engine::{Engine, LATEST, Options, Traffic};

fn engine(splits: &[&'static str]) -> Engine {
    let engine = Engine::memory(Options::default()).unwrap();
    engine.create_table(descriptor(), splits.iter().map(|&split| Bytes::from(split)).collect()).unwrap();
    engine
}

fn descriptor() -> TableDescriptor {
    let mut descriptor = TableDescriptor::new(name());
    descriptor.add_family(FamilyDescriptor::new("f").unwrap()).unwrap();
    descriptor
}

fn name() -> TableName {
    TableName::parse(b"t").unwrap()
}

fn put(row: &'static str, value: &'static str) -> Put {
    let cell = PutCell { family: "f".into(), qualifier: "q".into(), timestamp: LATEST, value: value.into() };
    Put { row: row.into(), cells: vec![cell], ..Put::default() }
}

fn by_region(engine: &Engine) -> Vec<Traffic> {
    let tables = engine.traffic();
    assert_eq!(tables.len(), 1, "{tables:?}");
    tables[0].regions().map(|(_, traffic)| traffic).collect()
}

#[test]
fn reads_and_writes_count_in_the_region_of_their_row() {
    let engine = engine(&["m"]);
    let table = engine.table(&name());
    // Row, family, qualifier and value: 1 + 1 + 1 + 2 bytes.
    table.put_many(&[put("a", "12"), put("b", "34"), put("x", "56")]).into_iter().for_each(|put| put.unwrap());
    table.delete(&Delete::row("b")).unwrap();
    table.get(&Get::new("a")).unwrap();
    table.get(&Get::new("a")).unwrap();
    table.get(&Get::new("b")).unwrap();
    assert!(table.exists(&Get::new("x")).unwrap());
    let row = |reads, writes, read_bytes, written_bytes| Traffic { reads, writes, read_bytes, written_bytes };
    assert_eq!(by_region(&engine), [row(3, 3, 10, 10), row(1, 1, 0, 5)]);
    assert_eq!(table.scan(Scan::default()).unwrap().next(10).unwrap().len(), 2);
    assert_eq!(by_region(&engine), [row(4, 3, 15, 10), row(2, 1, 5, 5)]);
    let of_table = engine.traffic_of(&name()).unwrap();
    assert_eq!(of_table.sum(), row(6, 4, 20, 15));
    assert_eq!(of_table.regions().map(|(region, _)| region.start.clone()).collect::<Vec<_>>(), ["", "m"]);
    for other in ["none", "hbase:meta"] {
        assert!(engine.traffic_of(&TableName::parse(other.as_bytes()).unwrap()).is_none(), "{other}");
    }
}

#[test]
fn writes_that_fail_do_not_count() {
    let engine = engine(&[]);
    let table = engine.table(&name());
    let mut wrong = put("a", "1");
    wrong.cells[0].family = "none".into();
    table.put(&wrong).unwrap_err();
    assert_eq!(by_region(&engine), [Traffic::default()]);
    let column = |amount| ("f".into(), "n".into(), amount);
    table.increment(&Increment { row: "a".into(), columns: vec![column(1)], ..Increment::default() }).unwrap();
    let columns = vec![("f".into(), "s".into(), "xyz".into())];
    table.append(&Append { row: "a".into(), columns, ..Append::default() }).unwrap();
    let traffic = by_region(&engine)[0];
    assert_eq!((traffic.writes, traffic.written_bytes), (2, 11 + 6));
}

#[test]
fn an_alteration_keeps_the_counters_and_a_new_table_begins_at_zero() {
    let engine = engine(&["m"]);
    engine.table(&name()).put(&put("a", "1")).unwrap();
    let before = by_region(&engine);
    let number = engine.traffic()[0].number();
    engine.disable_table(&name()).unwrap();
    engine.enable_table(&name()).unwrap();
    engine.modify_table(descriptor()).unwrap();
    assert_eq!(by_region(&engine), before);
    engine.disable_table(&name()).unwrap();
    engine.delete_table(&name()).unwrap();
    engine.create_table(descriptor(), Vec::new()).unwrap();
    assert_eq!(by_region(&engine), [Traffic::default()]);
    assert!(engine.traffic()[0].number() > number);
}
