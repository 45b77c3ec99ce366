//! Requirements on the generated code beyond the Thrift compiler's: absent fields stay absent, and fields of a
//! wrong type are skipped.

#![allow(clippy::unwrap_used, reason = "tests fail by panics")]

use hjall_idl::{hbase1, hbase2};
use thrift::protocol::{
    TBinaryInputProtocol, TBinaryOutputProtocol, TFieldIdentifier, TOutputProtocol, TSerializable, TType,
};

fn written(write: impl FnOnce(&mut dyn TOutputProtocol) -> thrift::Result<()>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&mut TBinaryOutputProtocol::new(&mut bytes, true)).unwrap();
    bytes
}

fn read<T: TSerializable>(bytes: &[u8]) -> thrift::Result<T> {
    T::read_from_in_protocol(&mut TBinaryInputProtocol::new(bytes, true))
}

#[test]
fn what_is_not_sent_is_absent() {
    let args: hbase1::GetVerTsArgs = read(&[0]).unwrap();
    assert_eq!(args, hbase1::GetVerTsArgs::default());
    assert_eq!((args.table_name, args.timestamp, args.num_versions, args.attributes), (None, None, None, None));
    let descriptor: hbase1::ColumnDescriptor = read(&[0]).unwrap();
    assert_eq!((descriptor.max_versions, descriptor.compression), (None, None));
}

#[test]
fn what_is_absent_is_not_written() {
    assert_eq!(written(|out| hbase1::TRowResult::default().write_to_out_protocol(out)), [0]);
    assert_eq!(written(|out| hbase1::GetResult::default().write_to_out_protocol(out)), [0]);
}

#[test]
fn a_field_of_another_type_is_passed_over() {
    let bytes = written(|out| {
        out.write_field_begin(&TFieldIdentifier::new("tableName", TType::I64, 1))?;
        out.write_i64(7)?;
        out.write_field_begin(&TFieldIdentifier::new("row", TType::String, 2))?;
        out.write_bytes(b"r")?;
        out.write_field_stop()
    });
    let args: hbase1::GetArgs = read(&bytes).unwrap();
    assert_eq!((args.table_name, args.row), (None, Some(b"r".to_vec())));
}

#[test]
fn the_second_service_refuses_what_lacks_a_required_field() {
    assert!(read::<hbase2::GetArgs>(&[0]).is_err(), "table and tget are required");
    assert!(read::<hbase2::TMutation>(&[0]).is_err(), "an empty union");
    assert_eq!(read::<hbase2::GetScannerRowsArgs>(&[8, 0, 1, 0, 0, 0, 5, 0]).unwrap().num_rows, None);
}

#[test]
fn a_list_that_promises_too_much_is_an_error_without_the_memory_for_it() {
    let bytes = [15, 0, 2, 11, 0x7f, 0xff, 0xff, 0xff, 0];
    assert!(read::<hbase1::GetRowsArgs>(&bytes).is_err());
    let negative = read::<hbase1::GetRowsArgs>(&[15, 0, 2, 11, 0xff, 0xff, 0xff, 0xff, 0]);
    assert!(negative.map_or(true, |args| args.rows.is_none_or(|rows| rows.is_empty())), "no panic, and no rows");
}
