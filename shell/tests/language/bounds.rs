//! No source crashes the parser, exhausts the stack, or takes time out of proportion.

use std::collections::HashSet;

use hjall_shell::language::{SyntaxError, parse};

fn parsed(source: &[u8]) -> Result<(), SyntaxError> {
    parse(source, &HashSet::new()).map(drop)
}

#[test]
fn deep_sources_are_refused_or_parsed() {
    let count = 20_000;
    let sources = [
        "(".repeat(count),
        "[".repeat(count),
        "{".repeat(count),
        "!".repeat(count) + "1",
        "-".repeat(count) + "1",
        "1".to_owned() + &"+1".repeat(count),
        "a".to_owned() + &".b".repeat(count),
        "a".to_owned() + &"[0]".repeat(count),
        "a = ".repeat(count) + "1",
        "if a\n".repeat(count),
        "x { ".repeat(count),
        "->(a) { ".repeat(count),
        "\"#{".repeat(count),
        "a ? ".repeat(count),
        "1 if ".repeat(count) + "1",
        "def f(a = ".repeat(count),
        "puts ".repeat(count),
        "a and ".repeat(count),
        "((a, ".repeat(count),
        "x { |(".to_owned() + &"(".repeat(count),
        "%w[".repeat(count),
        "case 1 when ".repeat(count),
        "begin\n".repeat(count),
        "not ".repeat(count),
        "a::".repeat(count),
        "if a then b elsif ".repeat(count),
        "a rescue ".repeat(count),
        "<<A".repeat(count),
    ];
    for source in sources {
        let _ = parsed(source.as_bytes());
    }
}

#[test]
fn random_sources_end() {
    const PARTS: &[&str] = &[
        "put", " 't'", ",", "(", ")", "[", "]", "{", "}", "|", "do", " end", "\n", ";", " if ", "=>", "=", "..", "#{",
        "\"", "'", "/", "%w[", "?", ":", "::", ".", "&", "*", "-", "1", "x", "NAME", "def ", "<<~E\n", "E\n", "\\",
        "\\x", "é", "\u{0}", " ", "rescue", "while ", "->", "@", "$", "0x", "1e", "#", "when ", "case ", "and ",
        "not ",
    ];
    let mut state = 88_172_645_463_325_252_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for _ in 0..20_000 {
        let length = next() % 24;
        let source: String = (0..length).map(|_| PARTS[(next() % PARTS.len() as u64) as usize]).collect();
        let _ = parsed(source.as_bytes());
        let bytes: Vec<u8> = (0..length).map(|_| next() as u8).collect();
        let _ = parsed(&bytes);
    }
}

#[test]
fn unfinished_sources_ask_for_more() {
    for (source, depth, quote) in [
        ("scan 't', {", 1, None),
        ("put 't',", 0, None),
        ("x = 'a", 0, Some('\'')),
        ("x = \"a", 0, Some('"')),
        ("1 +", 0, None),
        ("for i in 1..2", 1, None),
        ("<<~END\n  a", 0, Some('"')),
        ("a \\", 0, None),
    ] {
        let found = parsed(source.as_bytes());
        let Err(SyntaxError::Incomplete { depth: found_depth, quote: found_quote }) = found else {
            panic!("{source}: {found:?}")
        };
        assert_eq!((found_depth > 0, found_quote), (depth > 0, quote), "{source}");
    }
}

#[test]
fn wrong_sources_are_placed() {
    for (source, line, column) in
        [(")", 1, 1), ("x = 1\n  y = ]", 2, 7), ("class A", 1, 1), ("puts 'a' 5", 1, 10), ("`ls`", 1, 1)]
    {
        let Err(SyntaxError::Wrong { at, .. }) = parsed(source.as_bytes()) else { panic!("{source}") };
        assert_eq!((at.line, at.column), (line, column), "{source}");
    }
}
