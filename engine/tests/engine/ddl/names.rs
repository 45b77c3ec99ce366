//! The rules for names, and HBase's messages for illegal ones.
use hjall_engine::ErrorKind;
use hjall_engine::name::{NAME_LENGTH_MAX, TableName, check_family, check_family_length};

fn refusal(name: &str) -> String {
    TableName::parse(name.as_bytes()).unwrap_err().message().to_owned()
}

#[test]
fn legal_names_have_one_canonical_form() {
    for (given, canonical, sorted) in [
        ("a-b.c_d", "a-b.c_d", "default:a-b.c_d"),
        ("default:x", "x", "default:x"),
        ("ns_1:t", "ns_1:t", "ns_1:t"),
        ("_x", "_x", "default:_x"),
        ("9", "9", "default:9"),
        ("téléphone", "téléphone", "default:téléphone"),
        ("表٣", "表٣", "default:表٣"),
    ] {
        let name = TableName::parse(given.as_bytes()).unwrap();
        assert_eq!((name.to_string(), name.with_namespace()), (canonical.to_owned(), sorted.to_owned()));
    }
    assert_eq!(TableName::new("", "t").unwrap(), TableName::parse(b"t").unwrap());
}

#[test]
fn illegal_names_are_refused_with_hbases_messages() {
    for (given, words) in [
        ("", "Table qualifier must not be empty"),
        ("ns:", "Table qualifier must not be empty"),
        (":t", "Namespace name must not be empty"),
        (
            "-a",
            "Illegal first character <45> at 0. User-space table qualifiers can only start with 'alphanumeric characters' from any language: -a",
        ),
        (
            ".a",
            "Illegal first character <46> at 0. User-space table qualifiers can only start with 'alphanumeric characters' from any language: .a",
        ),
        (
            "a b",
            "Illegal character code:32, < > at 1. User-space table qualifiers may only contain 'alphanumeric characters' and digits: a b",
        ),
        (
            "a:b:c",
            "Illegal character code:58, <:> at 1. User-space table qualifiers may only contain 'alphanumeric characters' and digits: b:c",
        ),
        ("zookeeper", "Tables may not be named 'zookeeper'"),
        ("-ROOT-", "-ROOT- has been deprecated."),
        (".META.", ".META. no longer exists. The table has been renamed to hbase:meta"),
        (
            "n-s:.x",
            "Illegal character <-> at 1. Namespaces may only contain 'alphanumeric characters' from any language and digits: n-s",
        ),
    ] {
        assert_eq!(refusal(given), words);
    }
    for given in ["½", "x²", "\u{1D7D8}", "𐐀", "a\u{0}"] {
        assert!(TableName::parse(given.as_bytes()).is_err(), "{given}");
    }
    assert!(TableName::parse(&[b'a', 0xFF]).is_err(), "not UTF-8");
    assert!(TableName::new("hbase", "n:s").is_err(), "a qualifier must not contain a colon");
}

#[test]
fn names_that_no_table_can_have_are_refused_in_few_words() {
    let letters = vec![b'n'; NAME_LENGTH_MAX + 1];
    assert!(TableName::parse(&letters[1..]).is_ok());
    for long in [
        letters.clone(),
        vec![0; 1 << 20],
        vec![0xFF; 1 << 20],
        [b"n:", &letters[..]].concat(),
        [&letters[..], b":t"].concat(),
    ] {
        let error = TableName::parse(&long).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.message().len() < 5_000 && error.plain().len() < 5_000, "{}", error.plain().len());
    }
    assert!(refusal(&"n".repeat(1 << 20)).contains("1048576 bytes, and may have at most 65535"));
}

#[test]
fn family_names_are_bytes_with_few_exceptions() {
    for legal in [&b"f"[..], b"a b", &[0x80, 0xFF], b"-", &[b'x'; 300]] {
        check_family(legal).unwrap();
    }
    check_family_length(&[b'x'; 127]).unwrap();
    assert_eq!(
        check_family_length(&[b'x'; 128]).unwrap_err().message(),
        "The length of family name is bigger than 127"
    );
    for (illegal, words) in [
        (&b""[..], "Column Family name can not be empty"),
        (b".f", "Column Family names cannot start with a period: .f"),
        (b"a:b", "Illegal character <58>. Column Family names cannot contain control characters or colons: a:b"),
        (b"a\x1F", "Illegal character <31>. Column Family names cannot contain control characters or colons: a\x1F"),
        (b"a/b", "Illegal character <47>. Column Family names cannot contain control characters or colons: a/b"),
        (b"recovered.edits", "Column Family name cannot be: recovered.edits"),
    ] {
        assert_eq!(check_family(illegal).unwrap_err().message(), words);
    }
}
