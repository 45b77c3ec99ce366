//! Programs and their values.

use super::value_of;

#[test]
fn programs_have_the_values_of_ruby() {
    let cases = [
        // literals
        (r#""a\x00\x01\xff""#, r#""a\u0000\u0001\xFF""#),
        (r"'a\x00\'b'", r#""a\\x00'b""#),
        ("\"\\u00e9\\101\\e\"", "\"éA\\e\""),
        ("'a' 'b'", "\"ab\""),
        ("%w[a b]", "[\"a\", \"b\"]"),
        ("{'k' => 1, NAME => 'f', k: 2, \"x y\": 3}", "{\"k\"=>1, \"NAME\"=>\"f\", :k=>2, :\"x y\"=>3}"),
        ("<<~END\n  a\n    b\nEND", "\"a\\n  b\\n\""),
        ("[1_000, 0xff, 0b11, 017, 1e3, -2]", "[1000, 255, 3, 15, 1000.0, -2]"),
        ("?a", "\"a\""),
        // operators
        ("2 ** 70", "1180591620717411303424"),
        ("[7 / 2, -7 / 2, 7 % 3, -7 % 3, 7.0 / 2]", "[3, -4, 1, 2, 3.5]"),
        ("-2 ** 2", "-4"),
        ("1 + 2 * 3 == 7 && !false", "true"),
        ("x = 1; x += 2; x <<= 1; x", "6"),
        ("a, (b), *c = 1, 2, 3, 4; [a, c]", "SyntaxError"),
        ("a, *b = 1, 2, 3; [a, b]", "[1, [2, 3]]"),
        ("a = 1; b = 2; a, b = b, a; [a, b]", "[2, 1]"),
        ("nil || 'x'", "\"x\""),
        ("true ? 'a' : 'b'", "\"a\""),
        ("not true", "false"),
        ("9223372036854775807 + 1", "9223372036854775808"),
        // commands
        ("command 'a', NAME => 1, x: 2", "[\"a\", {\"NAME\"=>1, :x=>2}]"),
        ("command('a',\n  'b')", "[\"a\", \"b\"]"),
        ("command *[1, 2], 3", "[1, 2, 3]"),
        ("x = command 1; x[0]", "1"),
        ("command -1", "[-1]"),
        ("command [1]", "[[1]]"),
        // control
        ("for i in 1..3 do puts i end", "1\n2\n3\n1..3"),
        ("i = 0; while i < 3; i += 1; break if i == 2; end; i", "2"),
        ("[1, 2, 3].each { |x| next if x == 2; print x }", "13[1, 2, 3]"),
        ("(1..10).each { |x| break x * 2 if x > 3 }", "8"),
        ("case 5 when 1..3 then 'low' when Integer then 'int' else 'other' end", "\"int\""),
        ("begin; 1 / 0; rescue ZeroDivisionError => e; e.message; ensure; print 'x'; end", "x\"divided by 0\""),
        ("if false then 1 elsif true then 2 else 3 end", "2"),
        ("x = 5 unless false; x", "5"),
        ("begin; raise ArgumentError, 'no'; rescue TypeError; 1; end", "ArgumentError: no"),
        // methods
        ("def f(a, b = 2, *c, d: 4); [a, b, c, d]; end; [f(1), f(1, 3, 5, d: 6)]", "[[1, 2, [], 4], [1, 3, [5], 6]]"),
        ("def f; yield 1, 2; end; f { |a, b| a + b }", "3"),
        ("def f(n); return 1 if n < 2; n * f(n - 1); end; f(20)", "2432902008176640000"),
        ("l = ->(x) { return x * 2 }; l.call(4)", "8"),
        ("[[1, [2, 3]]].map { |a, (b, c)| a + b + c }", "[6]"),
        ("%w[b a].sort_by { |x| x }.map(&:upcase)", "[\"A\", \"B\"]"),
        ("{a: 1, b: 2}.map { |k, v| \"#{k}#{v}\" }.join(',')", "\"a1,b2\""),
        ("(1..4).inject(:+)", "10"),
        ("('a'..'e').each_slice(2).to_a", "[[\"a\", \"b\"], [\"c\", \"d\"], [\"e\"]]"),
        ("'%05.1f|%-4s|%+d|%x' % [3.14159, 'a', 5, 255]", "\"003.1|a   |+5|ff\""),
        ("'a-b_c'.split(/[-_]/).reverse", "[\"c\", \"b\", \"a\"]"),
        ("'2026'.gsub(/(\\d)(\\d)/, '\\2\\1')", "\"0262\""),
        ("'az'.succ + 'zz'.succ + 'a9'.succ", "\"baaaab0\""),
        ("Time.at(1700000000).utc.strftime('%Y-%m-%d %H:%M:%S')", "\"2023-11-14 22:13:20\""),
        ("org.apache.hadoop.hbase.util.Bytes.toLong(\"\\x00\\x00\\x00\\x00\\x00\\x00\\x01\\x00\")", "256"),
        ("java.lang.Long::MAX_VALUE - 1", "9223372036854775806"),
        ("[3, 1, 2].sort { |a, b| b <=> a }", "[3, 2, 1]"),
        // regular expressions
        ("[\"a\\n\" =~ /a\\Z/, 'xF' =~ /x\\h/]", "[0, 0]"),
        ("['a\\Z' =~ /a\\\\Z/, 'a\\h' =~ /a\\\\h/]", "[0, 0]"),
        // random values
        ("[SecureRandom.hex.length, SecureRandom.hex(4).length, SecureRandom.hex(4) =~ /\\A\\h+\\z/]", "[32, 8, 0]"),
        ("java.util.UUID.randomUUID =~ /\\A\\h{8}-\\h{4}-4\\h{3}-[89ab]\\h{3}-\\h{12}\\z/", "0"),
        ("\"a\\xFF\".scrub", "\"a\u{FFFD}\""),
        ("[1.0e20, 1e-5, 100.0, 1.5e300]", "[1.0e+20, 1.0e-05, 100.0, 1.5e+300]"),
    ];
    for (source, expected) in cases {
        let found = value_of(source);
        assert!(
            found == expected || (expected == "SyntaxError" && found.starts_with("Wrong")),
            "{source}\n{found}\n{expected}"
        );
    }
}

#[test]
fn errors_name_what_is_missing() {
    let cases = [
        ("foo", "NameError: undefined local variable or method `foo' for #<HBaseReceiver:0x1f>"),
        ("foo 1", "NoMethodError: undefined method `foo' for #<HBaseReceiver:0x1f>"),
        ("FOO", "NameError: uninitialized constant HBaseReceiver::FOO"),
        ("nil.foo", "NoMethodError: undefined method `foo' for nil:NilClass"),
        ("1 + 'a'", "TypeError: String can't be coerced into Integer"),
        ("'a' + 1", "TypeError: no implicit conversion of Integer into String"),
        ("Integer('x')", "ArgumentError: invalid value for Integer(): \"x\""),
        ("eval '1'", "NotImplementedError: 'eval' is not part of this shell (line 1, column 1)"),
        ("srand 1", "NotImplementedError: 'srand' is not part of this shell (line 1, column 1)"),
        ("'a'.respond_to? :upcase", "NoMethodError: String#respond_to? is not part of this shell (line 1, column 4)"),
        ("[1].lazy", "NoMethodError: Array#lazy is not part of this shell (line 1, column 4)"),
        (
            "'a'.encode 'UTF-16'",
            "NotImplementedError: the encoding UTF-16 is not part of this shell: strings are bytes",
        ),
        ("x = 1\nsystem 'ls'", "NotImplementedError: 'system' is not part of this shell (line 2, column 1)"),
        (
            "command { 1 }",
            "NotImplementedError: a block for the command command is not part of this shell (line 1, column 1)",
        ),
    ];
    for (source, expected) in cases {
        assert_eq!(value_of(source), expected, "{source}");
    }
}
