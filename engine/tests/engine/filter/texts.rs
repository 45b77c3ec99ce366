//! HBase's recorded answers on which texts of the filter language are valid. Catches a parser that is stricter than
//! HBase's, and one that accepts a regular expression that Java refuses.

use hjall_engine::filter::FilterSpec;

/// Each line is `+` (accepted) or `-` (refused), a space, and the text with `\xHH` for unprintable bytes.
const TEXTS: &str = include_str!("../../data/filter_texts.txt");

fn unescaped(line: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find(r"\x") {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        bytes.push(u8::from_str_radix(&rest[at + 2..at + 4], 16).unwrap());
        rest = &rest[at + 4..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

#[test]
fn the_parser_accepts_the_same_texts_as_hbase() {
    let mut wrong = Vec::new();
    for line in TEXTS.lines() {
        let (taken, text) = line.split_at(2);
        match (taken, FilterSpec::parse(&unescaped(text))) {
            ("+ ", Err(error)) => wrong.push(format!("refused: {text}\n    {error}")),
            ("- ", Ok(filter)) => wrong.push(format!("taken: {text}\n    {filter:?}")),
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{} of {} texts:\n{}", wrong.len(), TEXTS.lines().count(), wrong.join("\n"));
}
