//! Which texts of the filter language HBase takes and which it refuses: its own recorded answers. A parser that is tidier than HBase's fails
//! here, and so does one that takes a regular expression which Java refuses.

use hjall_engine::filter::FilterSpec;

/// Lines of `+` (taken) or `-` (refused), a space, and the text with `\xHH` for what is not printable.
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
fn the_parser_takes_and_refuses_what_hbase_does() {
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
