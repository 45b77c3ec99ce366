//! Tables created by Thrift1 clients.

use hjall_idl::hbase1::*;

use super::gateway::{Gateway, bytes, raised};

fn create(gateway: &Gateway, table: &str, families: Vec<ColumnDescriptor>) -> CreateTableResult {
    let arguments = CreateTableArgs { table_name: bytes(table), column_families: Some(families) };
    gateway.call("createTable", arguments).unwrap()
}

fn family(name: &str) -> ColumnDescriptor {
    ColumnDescriptor { name: bytes(name), ..ColumnDescriptor::default() }
}

#[test]
fn omitted_attributes_of_a_family_have_the_contracts_defaults() {
    let gateway = Gateway::new(&[]);
    assert_eq!(create(&gateway, "made", vec![family("a:dropped"), family("b:")]), CreateTableResult::default());
    let arguments = GetColumnDescriptorsArgs { table_name: bytes("made") };
    let result: GetColumnDescriptorsResult = gateway.call("getColumnDescriptors", arguments).unwrap();
    let families = result.success.unwrap();
    assert_eq!(families.keys().collect::<Vec<_>>(), [b"a:", b"b:"]);
    let made = ColumnDescriptor {
        name: bytes("a:"),
        max_versions: Some(3),
        compression: bytes("NONE"),
        in_memory: Some(false),
        bloom_filter_type: bytes("NONE"),
        bloom_filter_vector_size: Some(0),
        bloom_filter_nb_hashes: Some(0),
        block_cache_enabled: Some(false),
        time_to_live: Some(i32::MAX),
    };
    assert_eq!(families[&b"a:"[..]], made);
}

#[test]
fn invalid_utf8_is_not_the_name_of_a_compression() {
    let gateway = Gateway::new(&[]);
    let compression = Some(b"G\xc3".to_vec());
    let refused = create(&gateway, "made", vec![ColumnDescriptor { compression, ..family("a") }]);
    let message = refused.ia.unwrap().message.unwrap();
    assert!(
        message.starts_with("java.lang.IllegalArgumentException: Unsupported compression algorithm name: g\u{fffd}"),
        "{message}"
    );
}

#[test]
fn a_refused_table_does_not_exist() {
    let gateway = Gateway::new(&[]);
    let bzip2 = ColumnDescriptor { compression: bytes("Bzip2"), ..family("a") };
    assert_eq!(raised(&create(&gateway, "made", vec![bzip2]).io), ("DoNotRetryIOException".to_owned(), false));
    assert_eq!(raised(&create(&gateway, "made", vec![]).io), ("DoNotRetryIOException".to_owned(), false));
    assert_eq!(
        raised(&create(&gateway, "no:made", vec![family("a")]).io),
        ("NamespaceNotFoundException".to_owned(), false)
    );
    assert!(create(&gateway, "made", vec![family("a"), family("a:")]).ia.is_some());
    assert_eq!(
        create(&gateway, "default:t", vec![family(".")]).exist.unwrap().message.unwrap(),
        "table name already in use: t: choose another one, or delete the table first"
    );
    let names: GetTableNamesResult = gateway.call("getTableNames", GetTableNamesArgs {}).unwrap();
    assert_eq!(names.success.unwrap(), [b"t"]);
}
