//! Hostile input to the filter parsers: random bytes, damaged filters, deeply nested and long ones. None may cause a
//! panic, a stack overflow or excessive use of memory, and every refusal gives its reason.

use hjall_engine::ErrorKind;
use hjall_engine::filter::{DEPTH_MAX, FilterSpec, LENGTH_MAX};
use proptest::collection::vec;
use proptest::prelude::*;

const WORDS: &[&str] = &[
    "(",
    ")",
    " ",
    "\t",
    ",",
    "'",
    "''",
    "AND",
    " AND ",
    "OR",
    " OR ",
    "SKIP ",
    "WHILE ",
    "PrefixFilter",
    "('a')",
    "()",
    "PageFilter(",
    "1",
    "-",
    "99999999999999999999",
    "RowFilter(=,'",
    "binary:",
    "regexstring:",
    "[a-z]+",
    "(?<=",
    "{2,",
    "substring:",
    "=",
    "!=",
    ">=",
    "true",
    "KeyOnlyFilter()",
    "ColumnRangeFilter('a',true,'b',false)",
    "\u{e9}",
    "SingleColumnValueFilter('f','q',=,'binary:1')",
    "TimestampsFilter(1,2,3)",
    "\\",
    "\\Q",
    "&&",
    "[",
    "]",
    "(?i)",
];

fn text() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        vec(any::<u8>(), 0..60),
        vec(proptest::sample::select(WORDS), 0..25).prop_map(|words| words.concat().into_bytes()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn texts_are_accepted_or_refused_and_accepted_filters_can_be_used(text in text()) {
        match FilterSpec::parse(&text) {
            Ok(filter) => {
                prop_assert!(filter.start(false).is_ok());
                prop_assert_eq!(FilterSpec::from_bytes(&filter.to_bytes()).unwrap(), filter);
            }
            Err(error) => {
                prop_assert_eq!(error.kind(), ErrorKind::InvalidArgument);
                prop_assert!(error.message().contains("byte"), "no position: {}", error);
            }
        }
    }

    #[test]
    fn bytes_are_accepted_or_refused_and_accepted_filters_can_be_used(bytes in vec(any::<u8>(), 0..80)) {
        used(&bytes)?;
    }

    #[test]
    fn damaged_filters_are_accepted_or_refused(
        text in text(),
        damage in vec((any::<prop::sample::Index>(), any::<u8>(), any::<bool>()), 1..4),
    ) {
        let text = [b"PrefixFilter('a') AND ", &text[..]].concat();
        let base = FilterSpec::parse(&text)
            .or_else(|_| FilterSpec::parse(b"SKIP RowFilter(=,'regexstring:a+b') OR PageFilter(3) AND TimestampsFilter(1,2)"))
            .unwrap();
        let mut bytes = base.to_bytes();
        for (at, byte, cut) in damage {
            if bytes.is_empty() {
                break;
            }
            let at = at.index(bytes.len());
            if cut {
                bytes.remove(at);
            } else {
                bytes[at] = byte;
            }
        }
        used(&bytes)?;
    }
}

fn used(bytes: &[u8]) -> Result<(), TestCaseError> {
    match FilterSpec::from_bytes(bytes) {
        Ok(filter) => prop_assert!(filter.start(false).is_ok()),
        Err(error) => {
            let known = matches!(error.kind(), ErrorKind::FilterMalformed | ErrorKind::FilterRejected(_));
            prop_assert!(known, "{:?}: {}", error.kind(), error);
            prop_assert!(!error.message().is_empty());
        }
    }
    Ok(())
}

#[test]
fn nested_filters_have_a_largest_depth() {
    let nested = |depth: usize| "SKIP ".repeat(depth - 1) + "PageFilter(1)";
    assert!(FilterSpec::parse(nested(DEPTH_MAX).as_bytes()).is_ok());
    let error = FilterSpec::parse(nested(DEPTH_MAX + 1).as_bytes()).unwrap_err();
    assert!(error.message().contains(&DEPTH_MAX.to_string()), "{error}");
    assert!(FilterSpec::parse("SKIP ".repeat(200_000).as_bytes()).is_err());
    assert!(FilterSpec::parse("(".repeat(500_000).as_bytes()).is_err());

    let mut filter = FilterSpec::first_key_only();
    for _ in 1..DEPTH_MAX {
        filter = FilterSpec::while_match(filter);
    }
    let bytes = filter.to_bytes();
    assert!(FilterSpec::from_bytes(&bytes).is_ok());
    let deeper = FilterSpec::while_match(filter);
    let error = FilterSpec::from_bytes(&deeper.to_bytes()).unwrap_err();
    assert!(error.message().contains(&DEPTH_MAX.to_string()), "{error}");
    assert!(deeper.start(false).is_err());
}

#[test]
fn filters_have_a_largest_length() {
    let text = format!("PrefixFilter('{}')", "a".repeat(LENGTH_MAX));
    let error = FilterSpec::parse(text.as_bytes()).unwrap_err();
    assert!(error.message().contains(&LENGTH_MAX.to_string()), "{error}");
    let bytes = FilterSpec::prefix("a".repeat(LENGTH_MAX)).to_bytes();
    let error = FilterSpec::from_bytes(&bytes).unwrap_err();
    assert!(error.message().contains(&LENGTH_MAX.to_string()), "{error}");
}

#[test]
fn endless_backtracking_of_a_regular_expression_is_ended() {
    let filter = FilterSpec::parse(br"RowFilter(=,'regexstring:^(a|aa)+(?=c)\1$')").unwrap();
    let mut running = filter.start(false).unwrap();
    let error = running.filter_row_key(&b"a".repeat(60)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unprocessable);
    assert!(error.message().contains("backtrack"), "{error}");
}
