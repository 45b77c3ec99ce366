//! No source crashes the parser, exhausts the stack, or takes time out of proportion.

use std::collections::HashSet;

use hjall_shell::language::{Statement, SyntaxError, parse};

use super::value_of;

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

/// Statements that would panic, overflow the stack or run without an end.
#[test]
fn extreme_values_are_bounded() {
    let nested = "a = [1]; 60.times { a = [a, a] }; b = [1]; 60.times { b = [b, b] };";
    for (source, expected) in [
        ("(-2**63).times { }", "-9223372036854775808"),
        ("(0...(-2**63)).max", "-9223372036854775809"),
        ("(1...(-2**63)).sum", "0"),
        ("1 ** (2**40)", "1"),
        ("(-1) ** (2**40 + 1)", "-1"),
        ("0 ** 0", "1"),
        (&format!("{nested} a == b"), "true"),
        (&format!("{nested} a <=> b"), "0"),
        (&format!("{nested} a == a.dup"), "true"),
        ("a = []; 1000000.times { a = [a] }; b = []; 1000000.times { b = [b] }; a <=> b", "nil"),
        ("h = {1 => [2]}; h[:self] = h; [h, h]", "[{1=>[2], :self=>{...}}, {1=>[2], :self=>{...}}]"),
        ("h = {1 => 2}; 20.times { |n| h[n] = h }; h.inspect.length", "210"),
        ("a = [1]; a << [a]; a", "[1, [[...]]]"),
        ("(1..10**15).to_a", "ArgumentError: argument too big"),
        ("[*(1...10**15)]", "ArgumentError: argument too big"),
        ("(1..).to_a", "RangeError: cannot convert endless range to an array"),
        ("(1..).first(2)", "[1, 2]"),
        ("(-2**63..2**62).size", "13835058055282163713"),
        ("[1, 2].product([3], [4, 5])", "[[1, 3, 4], [1, 3, 5], [2, 3, 4], [2, 3, 5]]"),
        ("('a' * 1_000_000 + \"\\xff\").length", "1000001"),
    ] {
        let found = value_of(source);
        assert!(found.starts_with(expected), "{source}: {}", found.chars().take(200).collect::<String>());
    }
}

#[test]
fn bytes_that_are_no_text_are_not_changed() {
    for method in ["upcase", "downcase", "capitalize", "gsub('a', 'b')", "sub('a', 'b')", "split(',')", "tr('a', 'b')"]
    {
        let found = value_of(&format!("\"\\xFFabc\".{method}"));
        assert!(found.starts_with("ArgumentError: invalid byte sequence"), "{method}: {found}");
    }
    assert_eq!(value_of("\"\\xFFabc\".bytes"), "[255, 97, 98, 99]");
}

/// Every statement gives the same tree, or the same error, whether its lines arrive one by one or at once.
#[test]
fn lines_one_by_one() {
    for source in [
        "foo = [1,\n 2,\n 3]\n",
        "x = 'a\nb'\n",
        "x = \"a\n#{1 +\n 2}\n\"\n",
        "<<~A\n  one\nA\n",
        "[1, 2].each do |x|\n  [x]\n  .first\nend\n",
        "if true\n 1\nelse\n 2\nend\n",
        "=begin\nx '\n=end\n1\n",
        "f(1,\n '2\n3',\n <<A, <<B)\none\nA\ntwo\nB\n",
        "1 + \\\n 2\n",
        "foo ]\n",
    ] {
        let mut statement = Statement::default();
        let mut last = None;
        for line in source.trim_end_matches('\n').split('\n') {
            last = Some(statement.add(line.as_bytes(), &HashSet::new()).map(|node| node.height));
        }
        let whole = parse(source.as_bytes(), &HashSet::new()).map(|node| node.height);
        assert_eq!(last, Some(whole), "{source}");
    }
}

/// The time to read a statement line by line grows with its length: these would take hours otherwise.
#[test]
fn long_statements_line_by_line() {
    for (first, line, last) in [("x = [", " 1,", "]"), ("1.times do", " if x\n  y\n end", "end"), ("x = '", "a", "'")] {
        let mut statement = Statement::default();
        let mut add = |line: &str| statement.add(line.as_bytes(), &HashSet::new()).map(drop);
        assert!(matches!(add(first), Err(SyntaxError::Incomplete { .. })));
        for _ in 0..30_000 {
            for line in line.split('\n') {
                assert!(matches!(add(line), Err(SyntaxError::Incomplete { .. })));
            }
        }
        assert_eq!(add(last), Ok(()));
    }
}

/// The function of the fuzz target over sources of tests, changed at random.
#[test]
fn changed_sources_end() {
    const SOURCES: &[&str] = &[
        "put 't', 'r', 'f:q', \"v\\x00#{1 + 2}\", {TTL => 5}\n",
        "scan 't', {COLUMNS => ['f:a', 'f:b'], FILTER => \"PrefixFilter('a')\", LIMIT => 5}\n",
        "create 't', {NAME => 'f', VERSIONS => 3}, SPLITS => %w[a b c]\n",
        "for i in 1..10 do put 't', \"r#{i}\", 'f:q', i ** 2 end\n",
        "def f(a, b = 1, *rest, key: 2, &block)\n  case a\n  when 1 then b\n  else rest.map { |x| x&.to_s }\n  end\nend\n",
        "begin\n  get 't', <<~R\n    row\n  R\nrescue => e\n  puts e.message\nensure\n  x ||= 1\nend\n",
        "a, (b, *c) = 1, [2, 3]; p(*c, &:to_s) if /x#{a}/i =~ '%d' % b and not c.empty? ? ?a : :\"sym\"\n",
    ];
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for _ in 0..20_000 {
        let mut source = SOURCES[(next() % SOURCES.len() as u64) as usize].as_bytes().to_vec();
        for _ in 0..next() % 6 {
            let at = (next() % source.len().max(1) as u64) as usize;
            match next() % 4 {
                0 if !source.is_empty() => drop(source.remove(at)),
                1 if !source.is_empty() => source[at] = next() as u8,
                2 => {
                    let other = SOURCES[(next() % SOURCES.len() as u64) as usize].as_bytes();
                    let from = (next() % other.len() as u64) as usize;
                    let length = (next() % 16) as usize;
                    let at = at.min(source.len());
                    source.splice(at..at, other[from..].iter().copied().take(length));
                }
                _ => source.truncate(source.len().saturating_sub((next() % 8) as usize)),
            }
        }
        let known: HashSet<String> = ["a", "b", "t"].map(str::to_owned).into();
        drop((parse(&source, &HashSet::new()), parse(&source, &known)));
        let mut statement = Statement::default();
        for line in source.split(|byte| *byte == b'\n') {
            if !matches!(statement.add(line, &known), Err(SyntaxError::Incomplete { .. })) {
                statement = Statement::default();
            }
        }
    }
}
