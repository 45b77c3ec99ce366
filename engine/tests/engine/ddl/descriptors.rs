//! Descriptors: defaults, setters, the checks of HBase's master, and the printed form.

use crate::fixture::{descriptor, family};
use hjall_engine::ErrorKind as E;
use hjall_engine::schema::{FamilyDescriptor, check_table};

fn refusal(families: &[&str]) -> String {
    let error = check_table(&descriptor("t", families)).unwrap_err();
    assert_eq!(error.kind(), E::InvalidDescriptor);
    error.message().replace(
        " Set hbase.table.sanity.checks to false at conf or table descriptor if you want to bypass sanity checks",
        "",
    )
}

#[test]
fn an_empty_value_restores_the_default_or_removes_the_key() {
    let mut f = family("f VERSIONS=3 note=x");
    f.set("VERSIONS", "").set("note", "");
    assert_eq!(f, FamilyDescriptor::new("f").unwrap());
    f.set_configuration("a", "1").set_configuration("b", "").set_configuration("a", "");
    assert!(f.configuration.is_empty());
}

#[test]
fn setters_refuse_what_hbases_builder_refuses() {
    let mut f = FamilyDescriptor::new("f").unwrap();
    assert_eq!(f.set_max_versions(0).unwrap_err().message(), "Maximum versions must be positive");
    f.set_max_versions(5).unwrap().set_min_versions(3);
    assert_eq!(
        f.set_max_versions(2).unwrap_err().message(),
        "Set MaxVersion to 2 while minVersion is 3. Maximum versions must be >= minimum versions "
    );
    assert_eq!(f.set_versions(0, 1).unwrap_err().message(), "Minimum versions must be positive");
    assert_eq!(
        f.set_versions(2, 1).unwrap_err().message(),
        "Unable to set MaxVersion to 1 and set MinVersion to 2, as maximum versions must be >= minimum versions."
    );
    assert!(f.set_dfs_replication(-1).is_err());
    f.set_dfs_replication(0).unwrap();
    assert_eq!(f.attributes[&b"DFS_REPLICATION"[..]], "0", "a default that is given is kept");
}

#[test]
fn raw_values_are_parsed_as_in_java() {
    let f = family("f IN_MEMORY=maybe BLOCKCACHE=TRUE BLOOMFILTER=row COMPRESSION=gz VERSIONS=+2");
    assert!(!f.in_memory() && f.block_cache());
    assert_eq!((f.bloom_filter().unwrap().name(), f.compression().unwrap().name()), ("ROW", "GZ"));
    assert_eq!(f.max_versions().unwrap(), 2);
    for bad in [
        "VERSIONS=many",
        "TTL=FOREVER",
        "BLOCKSIZE=64KB",
        "TTL=2147483648",
        "KEEP_DELETED_CELLS=x",
        "DATA_BLOCK_ENCODING=x",
    ] {
        let error = check_table(&descriptor("t", &[&format!("f {bad}")])).unwrap_err();
        assert_eq!(error.kind(), E::Unprocessable, "{bad}");
    }
}

#[test]
fn the_masters_checks_name_the_invalid_value() {
    for (bad, words) in [
        ("f TTL=0", "TTL for column family f must be positive."),
        ("f TTL=-1", "TTL for column family f must be positive."),
        ("f BLOCKSIZE=1023", "Block size for column family f  must be between 1K and 16MB."),
        ("f MIN_VERSIONS=-1", "Min versions for column family f  must be positive."),
        ("f MIN_VERSIONS=2", "Min versions for column family f must be less than the Max versions."),
        ("f REPLICATION_SCOPE=x", "For input string: \"x\""),
        ("f REPLICATION_SCOPE=3", "Replication scope for column family f is 3 which is invalid."),
        ("f COMPRESSION=BZIP2", "java.lang.UnsupportedOperationException"),
        (
            "f COMPRESSION=LZMA",
            "java.lang.RuntimeException: java.lang.ClassNotFoundException: org.apache.hadoop.hbase.io.compress.xz.LzmaCodec",
        ),
        ("f COMPRESSION=x", "No enum constant org.apache.hadoop.hbase.io.compress.Compression.Algorithm.X"),
        ("f BLOOMFILTER=ROWPREFIX_FIXED_LENGTH", "Failed to get bloom filter param"),
    ] {
        assert_eq!(refusal(&[bad]), words);
    }
    assert_eq!(refusal(&[]), "Table should have at least one column family.");
    // Each check covers all families before the next check begins.
    assert_eq!(
        refusal(&["a TTL=0", "b REPLICATION_SCOPE=9"]),
        "Replication scope for column family b is 9 which is invalid."
    );
    check_table(&descriptor("t", &["f VERSIONS=0"])).unwrap();
}

#[test]
fn only_attributes_that_name_a_coprocessor_are_refused() {
    let check = |value: &'static str| {
        let mut table = descriptor("t", &["f"]);
        table.set("coprocessor$1", value);
        check_table(&table).map_err(|error| error.message().to_owned())
    };
    for stored in ["nope", "a|b", "|a", "|a|x|", "|a|-1|", "|a|1 2|", "| |1|", "|a|1|x\ny"] {
        assert_eq!(check(stored), Ok(()), "{stored}");
    }
    for (refused, begin) in [
        ("|a|", "Class a cannot be loaded "),
        ("|a|1", "Class a cannot be loaded "),
        (" | a | 1 |x|y", "Class a cannot be loaded "),
        (" b |a|1", "b Set "),
        ("|a|99999999999|", "For input string: \"99999999999\" "),
    ] {
        let message = check(refused).unwrap_err();
        assert!(message.starts_with(begin), "{refused}: {message}");
    }
}

#[test]
fn the_checks_can_be_switched_off_but_numbers_must_be_numbers() {
    let mut lax = descriptor("t", &["f TTL=0 COMPRESSION=BZIP2"]);
    lax.set("hbase.table.sanity.checks", "false").set("REGION_REPLICATION", "0");
    check_table(&lax).unwrap();
    lax.set("REGION_REPLICATION", "65536");
    check_table(&lax).unwrap();
    lax.set("REGION_REPLICATION", "65537");
    let refused = check_table(&lax).unwrap_err();
    assert_eq!(refused.kind(), E::InvalidDescriptor);
    assert!(refused.message().ends_with("ReplicaId cannot be greater than 65535"), "{refused}");
    lax.set("REGION_REPLICATION", "0");
    lax.set("MAX_FILESIZE", "big");
    assert_eq!(check_table(&lax).unwrap_err().kind(), E::Unprocessable);
    lax.set("hbase.table.sanity.checks", "true").set("MAX_FILESIZE", "2097151");
    assert!(check_table(&lax).unwrap_err().message().starts_with("MAX_FILESIZE for table descriptor"));
}

#[test]
fn the_names_of_settings_are_checked_as_their_attributes() {
    let with = |key: &str, value: &str| {
        let mut table = descriptor("t", &["f"]);
        table.set(key.to_owned(), value.to_owned());
        check_table(&table).map_err(|error| error.kind())
    };
    for key in ["hbase.hregion.max.filesize", "hbase.hregion.memstore.flush.size"] {
        assert_eq!(with(key, " 4194304 "), Ok(()));
        assert_eq!(with(key, "0x400000"), Ok(()));
        assert_eq!(with(key, "5"), Err(E::InvalidDescriptor));
        assert_eq!(with(key, "x"), Err(E::Unprocessable));
    }
    assert_eq!(with("hbase.hstore.blockingStoreFiles", "20"), Ok(()));
    assert_eq!(with("hbase.hstore.blockingStoreFiles", "x"), Err(E::InvalidDescriptor));
}

#[test]
fn families_with_fifo_compaction_need_a_ttl_and_many_files() {
    let refusal = |family: &str, files: &str| {
        let mut table = descriptor("t", &[family]);
        table
            .set(
                "hbase.hstore.defaultengine.compactionpolicy.class",
                "org.apache.hadoop.hbase.regionserver.compactions.FIFOCompactionPolicy",
            )
            .set("hbase.hstore.blockingStoreFiles", files.to_owned())
            .set("hbase.table.sanity.checks", "false");
        check_table(&table).err().map(|error| error.message().to_owned()).unwrap_or_default()
    };
    assert_eq!(refusal("f TTL=9", "1000"), "", "these checks cannot be switched off");
    assert!(
        refusal("f TTL=9", "999").starts_with("Blocking file count 'hbase.hstore.blockingStoreFiles' 999 is below")
    );
    assert!(refusal("f", "1000").starts_with("Default TTL is not supported for FIFO compaction"));
    assert!(refusal("f TTL=9 VERSIONS=2 MIN_VERSIONS=1", "1000").starts_with("MIN_VERSION > 0 is not supported"));
}

#[test]
fn descriptors_are_printed_as_hbase_prints_them() {
    let mut f = family("f TTL=90061 BLOCKSIZE=10240 NEW_VERSION_BEHAVIOR=true");
    f.set_configuration("x", "1");
    let defaults = |ttl: &str, block: &str| {
        format!(
            "INDEX_BLOCK_ENCODING => 'NONE', VERSIONS => '1', KEEP_DELETED_CELLS => 'FALSE', DATA_BLOCK_ENCODING => 'NONE', TTL => '{ttl}', MIN_VERSIONS => '0', REPLICATION_SCOPE => '0', BLOOMFILTER => 'ROW', IN_MEMORY => 'false', COMPRESSION => 'NONE', BLOCKCACHE => 'true', BLOCKSIZE => '{block}'"
        )
    };
    let f_text = format!(
        "{{NAME => 'f', {}, METADATA => {{'NEW_VERSION_BEHAVIOR' => 'true'}}, CONFIGURATION => {{'x' => '1'}}}}",
        defaults("90061 SECONDS (1 DAY 1 HOUR 1 MINUTE 1 SECOND)", "10240 B (10KB)")
    );
    assert_eq!(f.to_string(), f_text);
    let mut table = descriptor("t", &["g"]);
    table.add_family(f).unwrap().set("READONLY", "true").set("IS_META", "false").set("note", "n");
    table.set("SPLIT_POLICY", "p").set("MAX_FILESIZE", "10240");
    assert_eq!(
        table.to_string(),
        format!(
            "'t', {{TABLE_ATTRIBUTES => {{MAX_FILESIZE => '10240 B (10KB)', READONLY => 'true', METADATA => {{'SPLIT_POLICY' => 'p', 'note' => 'n'}}}}}}, {f_text}, {{NAME => 'g', {}}}",
            defaults("FOREVER", "65536 B (64KB)")
        )
    );
}
