"""Filters: the filter language (Thrift1 scans, Thrift2 gets and scans) and serialised filters (Thrift2 filterBytes)."""
import struct

from scenario import scenario

FAMILIES = (("f", 3), ("g", 1))

# row: cells as (column, value, timestamp)
ZOO = (
    ("r1", ("f:a", "1", 1), ("f:a", "2", 2), ("f:a", "3", 3), ("f:b", "2", 2), ("g:c", "3", 3)),
    ("r15", ("g:c", "3", 1)),
    ("r2", ("f:a", "2", 5), ("f:ab", "x", 5), ("g:a", "1", 1)),
    ("r22", ("f:b", "5", 1), ("f:b", "4", 2)),
    ("s1", ("f:", "e", 4), ("f:a", "", 4)),
    ("s2", ("f:b", "10", 2), ("g:b", "11", 2), ("g:d", "WORLD", 3)),
    ("t", ("f:a", "3", 3)),
)

PACKAGE = "org.apache.hadoop.hbase.filter."
LESS, LESS_OR_EQUAL, EQUAL, NOT_EQUAL, GREATER_OR_EQUAL, GREATER, NO_OP = range(7)
BIT_AND, BIT_OR, BIT_XOR = 1, 2, 3


# ---------------------------------------------------------------- tables and scans

def create(j, families=FAMILIES, splits=None, name="t"):
    t = j.table(name)
    j.t2.createTable(desc={"tableName": {"qualifier": t},
                           "columns": [{"name": n, "maxVersions": v} for n, v in families]}, splitKeys=splits)
    return t


def fill(j, t, rows=ZOO):
    j.t2.putMultiple(table=t, tputs=[{"row": row, "columnValues": [
        {"family": c.split(":", 1)[0], "qualifier": c.split(":", 1)[1], "value": v, "timestamp": ts}
        for c, v, ts in cells]} for row, *cells in rows])


def zoo(j):
    t = create(j)
    fill(j, t)
    return t


def scan2(j, t, text=None, rows=100, **more):
    """A complete scan in one Thrift2 call."""
    scan = dict(more)
    if text is not None:
        scan["filterString"] = text
    return j.t2.getScannerResults(table=t, tscan=scan, numRows=rows)


def scanb(j, t, message, **more):
    return scan2(j, t, None, filterBytes=message, **more)


def scan1(j, t, text=None, rows=100, **more):
    """A scan of Thrift1: open, read, close."""
    scan = dict(more)
    if text is not None:
        scan["filterString"] = text
    s = j.t1.scannerOpenWithScan(tableName=t, scan=scan, attributes={})
    if isinstance(s, dict) and "$var" in s:
        j.t1.scannerGetList(id=s, nbRows=rows)
        j.t1.scannerClose(id=s)


def get2(j, t, row, text=None, **more):
    get = {"row": row, **more}
    if text is not None:
        get["filterString"] = text
    return j.t2.get(table=t, tget=get)


def each(j, t, *texts, **more):
    for text in texts:
        scan2(j, t, text, **more)


# ---------------------------------------------------------------- serialised filters

def raw(x):
    return x.encode("latin-1") if isinstance(x, str) else x


def varint(n):
    n &= (1 << 64) - 1
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def text(field, x):
    return varint(field << 3 | 2) + varint(len(raw(x))) + raw(x)


def number(field, n):
    return varint(field << 3) + varint(int(n))


def real(field, x):
    return varint(field << 3 | 5) + struct.pack("<f", x)


def maybe(writer, field, x):
    return b"" if x is None else writer(field, x)


def pb(name, body=b"", package=PACKAGE):
    return text(1, package + name) + text(2, body)


def bytes_cmp(value, kind="BinaryComparator"):
    return text(1, PACKAGE + kind) + text(2, text(1, text(1, value)))


def bit_cmp(value, op):
    return text(1, PACKAGE + "BitComparator") + text(2, text(1, text(1, value)) + number(2, op))


def null_cmp():
    return text(1, PACKAGE + "NullComparator") + text(2, b"")


def regex_cmp(pattern, flags=32, charset="UTF-8", engine=None):
    return text(1, PACKAGE + "RegexStringComparator") + text(
        2, text(1, pattern) + number(2, flags) + text(3, charset) + maybe(text, 4, engine))


def substring_cmp(s):
    return text(1, PACKAGE + "SubstringComparator") + text(2, text(1, s))


def component_cmp(value, offset):
    return text(1, PACKAGE + "BinaryComponentComparator") + text(2, text(1, value) + number(2, offset))


def long_cmp(n):
    return bytes_cmp(struct.pack(">q", n), "LongComparator")


def decimal_bytes(scale, unscaled):
    return struct.pack(">i", scale) + unscaled.to_bytes((unscaled.bit_length() + 8) // 8, "big", signed=True)


def decimal_cmp(scale, unscaled):
    return bytes_cmp(decimal_bytes(scale, unscaled), "BigDecimalComparator")


def compare(op, comparator=None):
    return number(1, op) + maybe(text, 2, comparator)


def pb_compare(name, op, comparator=None):
    return pb(name, text(1, compare(op, comparator)))


def pb_list(op, *filters):
    return pb("FilterList", number(1, op) + b"".join(text(2, f) for f in filters))


def pb_and(*filters):
    return pb_list(1, *filters)


def pb_or(*filters):
    return pb_list(2, *filters)


def pb_skip(f):
    return pb("SkipFilter", text(1, f))


def pb_while(f):
    return pb("WhileMatchFilter", text(1, f))


def single(family, qualifier, op, comparator, missing=None, latest=None):
    return (maybe(text, 1, family) + maybe(text, 2, qualifier) + number(3, op) + text(4, comparator)
            + maybe(number, 5, missing) + maybe(number, 6, latest))


def pb_single(*a, **k):
    return pb("SingleColumnValueFilter", single(*a, **k))


def pb_single_exclude(*a, **k):
    return pb("SingleColumnValueExcludeFilter", text(1, single(*a, **k)))


def pb_dependent(family, qualifier, drop=None, op=NO_OP, comparator=None):
    return pb("DependentColumnFilter", text(1, compare(op, comparator)) + maybe(text, 2, family)
              + maybe(text, 3, qualifier) + maybe(number, 4, drop))


def pb_fuzzy(*pairs, v2=None):
    return pb("FuzzyRowFilter", b"".join(text(1, text(1, k) + text(2, m)) for k, m in pairs) + maybe(number, 2, v2))


def row_range(start, start_in, stop, stop_in):
    return maybe(text, 1, start) + maybe(number, 2, start_in) + maybe(text, 3, stop) + maybe(number, 4, stop_in)


def pb_ranges(*ranges):
    return pb("MultiRowRangeFilter", b"".join(text(1, r) for r in ranges))


def pb_page(n):
    return pb("PageFilter", number(1, n))


def pb_prefix(p):
    return pb("PrefixFilter", text(1, p))


# ---------------------------------------------------------------- the language

A, B, C, D = "PrefixFilter('r1')", "PrefixFilter('r2')", "QualifierFilter(=,'binary:c')", "ValueFilter(!=,'binary:3')"


def spell(template):
    """A template with the letters A, B, C and D as placeholders for filters."""
    return "".join({"A": A, "B": B, "C": C, "D": D}.get(w, w) for w in
                   __import__("re").split(r"(?<![A-Za-z])([ABCD])(?![A-Za-z])", template))


def spelled(j, t, *templates):
    for x in templates:
        scan2(j, t, spell(x))


@scenario("filters-examples")
def examples(j):
    t = create(j)
    fill(j, t, (("r1", ("f:a", "1", 1), ("f:b", "2", 1), ("g:c", "3", 1)), ("r2", ("f:a", "2", 1)),
                ("r3", ("f:b", "5", 1), ("g:c", "1", 1))))
    for x in ("PrefixFilter('r1')", "RowFilter(>=, 'binary:r2')", "FamilyFilter(=, 'binary:g')",
              "QualifierFilter(=, 'substring:A')", "ValueFilter(=, 'binary:2')",
              "SingleColumnValueFilter('f','a',=,'binary:2')",
              "SingleColumnValueFilter('f','a',=,'binary:2',true,true)", "SKIP ValueFilter(!=,'binary:1')",
              "WHILE RowFilter(<, 'binary:r2')", "PageFilter(2)", "KeyOnlyFilter()", "FirstKeyOnlyFilter()",
              "ColumnRangeFilter('a',true,'b',false)", "ColumnPaginationFilter(1,1)",
              "(PrefixFilter('r1') AND QualifierFilter(=,'binary:a')) OR RowFilter(=,'binary:r3')",
              "ColumnValueFilter('f','b',>,'binary:2')", "DependentColumnFilter('f','a')",
              "PrefixFilter(\"r1\")", "prefixfilter('r1')", "PrefixFilter('it''s')"):
        scan2(j, t, x)
        scan1(j, t, x)


@scenario("filters-operator-precedence")
def precedence(j):
    t = zoo(j)
    spelled(j, t, "A", "A AND D", "A OR B", "A OR B AND D", "A AND D OR B", "B AND D OR A AND C", "A OR B OR C",
            "A AND C AND D", "A OR B OR C AND D", "A AND D OR B AND D OR C", "SKIP D", "WHILE A", "SKIP D AND A",
            "A AND SKIP D", "A OR SKIP D", "SKIP D OR A", "SKIP D AND SKIP C", "SKIP A OR WHILE B", "SKIP SKIP D",
            "SKIP WHILE D", "WHILE SKIP D", "WHILE WHILE A", "A OR SKIP D AND B", "SKIP D AND B OR A",
            "A OR WHILE B AND D", "WHILE A AND D", "D AND WHILE A", "D AND SKIP WHILE A")


@scenario("filters-parentheses")
def parentheses(j):
    t = zoo(j)
    spelled(j, t, "(A)", "((A))", "(A OR B) AND D", "D AND (A OR B)", "(A OR B) AND (C OR D)", "((A OR B))",
            "(A AND D) OR B", "(A AND D OR B)", "(A AND D AND C OR B)", "(A OR (B AND D))", "(A OR B OR C)",
            "((A OR B) AND D)", "(A OR (B AND D) OR C)", "(A AND (B OR D))", "(A AND (B OR D) OR C)", "(SKIP D)",
            "SKIP (D)", "SKIP(D)", "SKIP (D AND D)", "SKIP (C OR D)", "(SKIP D AND A)", "(SKIP D OR A)",
            "A OR (SKIP D AND B)", "A AND (SKIP D OR B)", "WHILE (A OR B)", "WHILE (A AND D)", "(WHILE A) OR C",
            "(SKIP(D))", "A AND(D)", "(A)AND(D)", "(A)OR B", "(A)OR(B)", "((A) OR (B)) AND ((D))")


@scenario("filters-parentheses-bug")
def parentheses_bug(j):
    j.note("A group whose operators are of two kinds with the tighter one last is refused inside brackets only.")
    t = zoo(j)
    spelled(j, t, "(A OR B AND D)", "(A AND SKIP D)", "(A OR SKIP D)", "(A OR WHILE B)", "(A AND WHILE B)",
            "(SKIP SKIP D)", "(SKIP WHILE D)", "(WHILE SKIP D)", "(A OR B AND SKIP D)", "((A OR B AND D))",
            "(A OR B AND D) OR C", "C OR (A OR B AND D)", "(A OR SKIP (D))", "(A OR B AND (D))", "((A OR B) AND SKIP D)",
            "(A OR (B AND SKIP D))", "A OR (B OR C AND D)", "(A AND D OR B AND C)", "(A AND D OR SKIP B)",
            "SKIP (A OR B AND D)", "(A OR SKIP D OR B)", "(SKIP A AND SKIP D)", "(SKIP A OR B AND D)",
            "(A OR B AND D", "(A AND SKIP D", "(SKIP SKIP D", "((SKIP SKIP D)", "((SKIP WHILE D)", "((WHILE SKIP D)",
            "((SKIP SKIP D) OR A", "(((SKIP SKIP SKIP D)")


@scenario("filters-brackets-unbalanced")
def unbalanced(j):
    t = zoo(j)
    spelled(j, t, "(A", "((A", "((A)", "A)", "(A))", ")", "(", "()", "(())", "(()", "())", ")(", ")A(", "A OR (B", "(A OR B",
            "(A OR (B AND D", "A (", "A ((", "A(", "()A", "A()", "A ()", "() D ()", "()()A", "(A)()", "(A OR B)(", "A AND (",
            "(A OR B) )", "A)OR B", "SKIP(D", "SKIP (", "(A)(B)", "(A) (B)", "(A OR) B", "(A OR ) B", "(A B OR ) AND D")


@scenario("filters-operators-misplaced")
def misplaced(j):
    t = zoo(j)
    spelled(j, t, "A B", "A OR", "A OR ", "OR A", " OR A", "AND A", "A AND", "A AND ", "SKIP", "SKIP ", "WHILE", "OR", " OR ",
            "A SKIP", "D SKIP ", "D SKIP OR A", "A B OR ", "A B OR", " OR A B", " AND B D", "A OR OR B", "A AND AND D",
            "A OR AND B", "SKIP OR A", "SKIP A OR", "NOT A", "A XOR B", "A NOT B", "A && B", "A || B", "A,B", "A, B", "A;", "A #",
            "A 'x'", "'x'", "SKIP A SKIP B OR ", "A B D OR AND ", "D C AND A OR ", "A B C OR OR ", "D WHILE SKIP ", "SKIP SKIP")


@scenario("filters-whitespace-and-case")
def whitespace(j):
    t = zoo(j)
    spelled(j, t, " A", "A ", "  A  ", "\tA", "A\t", "\nA", "A\n", "\rA", "\x0bA", "\xa0A", "A  OR  B", "A\tOR\tB", "A OR\tB", "A\tOR B",
            "A \tOR \tB", "A\nOR B", "A OR\nB", "A OR B", "A or B", "A Or B", "A and D", "skip D", "Skip D", "while A",
            "A ORB", "AORB", "AOR B", "(A)OR(B)", "SKIPA", "SKIP\tD", "SKIP  D", "\tSKIP D", " SKIP D", "A OR SKIP  D")
    each(j, t, "PrefixFilter ('r1')", "PrefixFilter  ('r1')", "PrefixFilter\t('r1')", "PrefixFilter( 'r1' )",
         "PrefixFilter(\t'r1')", "PrefixFilter('r1'\t)", "PrefixFilter(\n'r1')", "prefixFilter('r1')", "PREFIXFILTER('r1')",
         "PrefixFilter x('r1')", "Prefix Filter('r1')", " PrefixFilter ( 'r1' ) ", "RowFilter( = , 'binary:r1' )",
         "RowFilter(=,\t'binary:r1')", "RowFilter(=\t,'binary:r1')", "RowFilter(= 'binary:r1')", "RowFilter(=  ,,  'binary:r1')")
    scan1(j, t, "\tPrefixFilter('r1') ")
    scan1(j, t, "PrefixFilter('r1')\n")


@scenario("filters-empty-and-names")
def names(j):
    t = zoo(j)
    each(j, t, "", " ", "\t", "x", "PrefixFilter", "PrefixFilter(", "PrefixFilter)", "PrefixFilter 'r1'", "('r1')", " ('r1')",
         "Filter('r1')", "SkipFilter(PrefixFilter('r1'))", "WhileMatchFilter()", "FilterList()", "FuzzyRowFilter('r?')",
         "RandomRowFilter(1)", "MultiRowRangeFilter('a','b')", "FirstKeyValueMatchingQualifiersFilter('a')",
         "FilterAllFilter()", "BinaryComparator('a')", "org.apache.hadoop.hbase.filter.PrefixFilter('r1')",
         "ColumnInterpreter()", "\x00", "\xff\xfe", "Pr\xc3\xa9fixFilter('r1')", "PrefixFilter('r1')\x00")
    scan1(j, t, "")
    scan1(j, t, "Unknown('a')")
    scan1(j, t, None)
    get2(j, t, "r1", "")
    get2(j, t, "r1", "Unknown('a')")
    get2(j, t, "r1", None)


@scenario("filters-quoting")
def quoting(j):
    t = create(j)
    fill(j, t, tuple((row, ("f:a", value, 1)) for row, value in (
        ("it's", "1"), ("'", "2"), ("''", "3"), (")", "4"), ("a)b", "5"), ("a,b", "6"), ("a b", "7"), ("(", "8"),
        ("r1", "it's"), ("r2", "a'b'c"), ("r3", "\\x41"), ("r4", "A"), ("r5", "a:b"), ("r6", "\x00\x01"), ("r7", "\xff"),
        ("r8", "x OR y"), ("r9", "\"q\""), ("\\", "9"))))
    for x in ("PrefixFilter('it''s')", "PrefixFilter('it'')", "PrefixFilter('''')", "PrefixFilter('''''')", "PrefixFilter(''')",
              "PrefixFilter('')", "PrefixFilter(')')", "PrefixFilter('a)')", "PrefixFilter('a,')", "PrefixFilter('a ')",
              "PrefixFilter('(')", "PrefixFilter('r1'x)", "PrefixFilter('r1'xy)", "PrefixFilter('r1''x)", "PrefixFilter('r1'')",
              "PrefixFilter(''r1')", "PrefixFilter('r1", "PrefixFilter('r1)", "PrefixFilter('r1'", "PrefixFilter(r1')",
              "PrefixFilter(\"r1\")", "PrefixFilter(`r1`)", "PrefixFilter('\\')", "PrefixFilter('\\\\')", "PrefixFilter('\\x72')",
              "PrefixFilter('\\'r')", "PrefixFilter('''' )", "PrefixFilter('r'1)", "PrefixFilter('r' )", "PrefixFilter('r',)"):
        scan2(j, t, x)
    for x in ("'binary:it''s'", "'binary:a''b''c'", "'binary:\\x41'", "'binary:A'", "'binary:a:b'", "'binary:\x00\x01'",
              "'binary:\xff'", "'binary:x OR y'", "'binary:\"q\"'", "'substring: OR '", "'substring:'''", "'binaryprefix:a'''",
              "'regexstring:''.'''", "'binary:1' ", "'binary:1'x", "'binary:1''", "''binary:1'", "'binary'':1'"):
        scan2(j, t, f"ValueFilter(=,{x})")
    scan1(j, t, "ValueFilter(=,'binary:it''s')")
    scan1(j, t, "ValueFilter(=,'binary:\xff')")
    each(j, t, "MultipleColumnPrefixFilter('a' 'b')", "MultipleColumnPrefixFilter('a''b')", "MultipleColumnPrefixFilter('a'x'b')",
         "MultipleColumnPrefixFilter('b',,'a')", "SingleColumnValueFilter('f' 'a' = 'binary:A')",
         "SingleColumnValueFilter('f','a',='binary:A')", "SingleColumnValueFilter('f'.'a'.=,'binary:A')", rows=100)


@scenario("filters-numbers")
def numbers(j):
    t = zoo(j)
    for n in ("1", "0", "2", "01", "007", "-0", "-", "-1", "+1", "1.0", "1e1", "0x1", "1L", "'1'", "1 2", "", " 1 ", "1,", ",1", ",,1,,", "\t1",
              "9223372036854775807", "9223372036854775808", "9223372036854775809", "-9223372036854775808",
              "-9223372036854775807", "18446744073709551615", "18446744073709551616", "18446744073709551617",
              "36893488147419103234", "99999999999999999999", "-18446744073709551617", "--1", "1-", "true", "\xd9\xa1"):
        scan2(j, t, f"PageFilter({n})")
    for n in ("2147483647,0", "2147483648,0", "-1,0", "0,-1", "1,-", "0,0", "1,2147483647", "1,2147483648", "1,-2147483648",
              "18446744073709551617,0", "4294967297,0", "2,18446744073709551617"):
        scan2(j, t, f"ColumnPaginationFilter({n})")
    for n in ("1,2,3", "1 2 3", "5", "0", "-1", "1,-2", "9223372036854775807", "9223372036854775808", "18446744073709551621", "'1'", "1.5", "1,1"):
        scan2(j, t, f"TimestampsFilter({n})")
    scan1(j, t, "PageFilter(18446744073709551617)")
    scan1(j, t, "PageFilter(-1)")


@scenario("filters-argument-count")
def arity(j):
    t = zoo(j)
    each(j, t, "KeyOnlyFilter(true,true)", "FirstKeyOnlyFilter(1)", "FirstKeyOnlyFilter('a')", "PrefixFilter()",
         "PrefixFilter('a','b')", "ColumnPrefixFilter()", "ColumnPrefixFilter('a','b')", "ColumnCountGetFilter()",
         "ColumnCountGetFilter(1,2)", "PageFilter()", "PageFilter(1,2)", "ColumnPaginationFilter()",
         "ColumnPaginationFilter(1)", "ColumnPaginationFilter(1,0,0)", "InclusiveStopFilter()", "InclusiveStopFilter('a','b')",
         "TimestampsFilter()", "MultipleColumnPrefixFilter()", "RowFilter()", "RowFilter(=)", "RowFilter(=,'binary:r1','x')",
         "RowFilter('binary:r1')", "FamilyFilter(=)", "QualifierFilter(=,'binary:a',=)", "ValueFilter()", "ColumnRangeFilter()",
         "ColumnRangeFilter('a',true,'b')", "ColumnRangeFilter('a',true,'b',true,true)", "SingleColumnValueFilter('f','a',=)",
         "SingleColumnValueFilter('f','a',=,'binary:1',true)", "SingleColumnValueFilter('f','a',=,'binary:1',true,true,true)",
         "SingleColumnValueExcludeFilter('f','a')", "SingleColumnValueExcludeFilter('f','a',=,'binary:1',false)",
         "DependentColumnFilter()", "DependentColumnFilter('f')", "DependentColumnFilter('f','a',true,=)",
         "DependentColumnFilter('f','a',=,'binary:2')", "DependentColumnFilter('f','a',true,=,'binary:2',true)",
         "ColumnValueFilter('f','a')", "ColumnValueFilter('f','a',=,'binary:2',true)", "ColumnValueFilter('f','a',=)")


@scenario("filters-argument-types")
def argument_types(j):
    t = zoo(j)
    each(j, t, "KeyOnlyFilter(true)", "KeyOnlyFilter(TRUE)", "KeyOnlyFilter(TrUe)", "KeyOnlyFilter(FALSE)", "KeyOnlyFilter(false)",
         "KeyOnlyFilter('true')", "KeyOnlyFilter(1)", "KeyOnlyFilter(yes)", "KeyOnlyFilter(t)", "KeyOnlyFilter('')", "PrefixFilter(r1)",
         "PrefixFilter(1)", "ColumnPrefixFilter(a)", "MultipleColumnPrefixFilter(a)", "MultipleColumnPrefixFilter('a','a')",
         "InclusiveStopFilter(r2)", "RowFilter('=','binary:r1')", "RowFilter(=,binary:r1)", "RowFilter(=,'r1')",
         "RowFilter(EQUAL,'binary:r1')", "RowFilter(==,'binary:r1')", "RowFilter(<>,'binary:r1')", "RowFilter(=<,'binary:r1')",
         "RowFilter(=>,'binary:r1')", "RowFilter(!,'binary:r1')", "RowFilter(!==,'binary:r1')", "RowFilter(,'binary:r1')",
         "RowFilter(='binary:r1')", "RowFilter('binary:r1',=)", "RowFilter(=,'BINARY:r1')", "RowFilter(=,' binary:r1')",
         "RowFilter(=,'binary :r1')", "RowFilter(=,'binary: r1')", "RowFilter(=,'null:')", "RowFilter(=,'null')",
         "RowFilter(=,'bit:1')", "RowFilter(=,'long:1')", "RowFilter(=,'bigdecimal:1')", "RowFilter(=,'binaryPrefix:r')",
         "RowFilter(=,'regexString:r')", "RowFilter(=,'')", "RowFilter(=,':')", "RowFilter(=,':r1')", "RowFilter(=,'binary')",
         "ColumnRangeFilter('a',yes,'b',true)", "ColumnRangeFilter('a','true','b',true)", "ColumnRangeFilter(a,true,b,true)",
         "ColumnRangeFilter('a',TRUE,'b',False)", "SingleColumnValueFilter(f,a,=,'binary:1')",
         "SingleColumnValueFilter('f','a',=,'binary:1',1,1)", "SingleColumnValueFilter('f','a','=','binary:1')",
         "DependentColumnFilter('f','a','true')", "ColumnValueFilter(f,'a',=,'binary:2')", "TimestampsFilter(a)")


# ---------------------------------------------------------------- comparators

@scenario("filters-compare-binary")
def compare_binary(j):
    t = zoo(j)
    for op in ("<", "<=", "=", "!=", ">", ">="):
        each(j, t, f"RowFilter({op},'binary:r2')", f"FamilyFilter({op},'binary:g')", f"QualifierFilter({op},'binary:ab')",
             f"ValueFilter({op},'binary:3')", columns=[{"family": "f"}, {"family": "g"}])
    each(j, t, "RowFilter(=,'binary:')", "RowFilter(>,'binary:')", "RowFilter(<,'binary:')", "QualifierFilter(=,'binary:')",
         "QualifierFilter(>,'binary:')", "QualifierFilter(<=,'binary:')", "ValueFilter(=,'binary:')", "ValueFilter(!=,'binary:')",
         "FamilyFilter(=,'binary:')", "FamilyFilter(=,'binary:none')", "ValueFilter(<,'binary:2')", "ValueFilter(>,'binary:10')")


@scenario("filters-compare-binaryprefix")
def compare_prefix(j):
    t = zoo(j)
    for op in ("<", "<=", "=", "!=", ">", ">="):
        each(j, t, f"RowFilter({op},'binaryprefix:r2')", f"QualifierFilter({op},'binaryprefix:aa')",
             f"ValueFilter({op},'binaryprefix:1')", f"FamilyFilter({op},'binaryprefix:f')")
    each(j, t, "RowFilter(=,'binaryprefix:')", "RowFilter(<,'binaryprefix:')", "RowFilter(>=,'binaryprefix:')",
         "QualifierFilter(=,'binaryprefix:a')", "ValueFilter(=,'binaryprefix:WO')", "ValueFilter(=,'binaryprefix:WORLDS')")


@scenario("filters-compare-substring")
def compare_substring(j):
    t = create(j)
    fill(j, t, tuple((row, (c, v, 1)) for row, c, v in (
        ("r1", "f:a", "Hello World"), ("r2", "f:B", "HELLO"), ("r3", "f:ab", ""), ("r4", "f:AB", "stra\xc3\x9fe"),
        ("r5", "g:a", "\xc3\x84pfel"), ("r6", "g:b", "\xc3\xa4pfel"), ("r7", "g:c", "\xff\xfe"), ("r8", "g:d", "\xce\xa3\xce\xa3"),
        ("r9", "g:e", "\xcf\x83\xcf\x82"), ("s1", "g:f", "a\nb"), ("s2", "g:g", "\xc4\xb0x"), ("s3", "g:h", "ABC\x00DEF"))))
    for x in ("hello", "HELLO", "o W", "", "lo world!", "\xc3\x9f", "SS", "\xc3\x84PFEL", "\xc3\xa4pf", "\xff", "\xef\xbf\xbd", "\xce\xa3", "\xcf\x83",
              "\xcf\x82", "\n", "A\nB", "i\xcc\x87", "\xc4\xb0", "c\x00d", ".", "l*", "''", "a:b"):
        scan2(j, t, f"ValueFilter(=,'substring:{x}')")
    each(j, t, "QualifierFilter(=,'substring:b')", "QualifierFilter(=,'substring:AB')", "QualifierFilter(!=,'substring:a')",
         "RowFilter(=,'substring:R1')", "RowFilter(!=,'substring:r')", "FamilyFilter(=,'substring:G')",
         "ValueFilter(!=,'substring:')", "RowFilter(<,'substring:r')", "RowFilter(>,'substring:r')", "RowFilter(>=,'substring:r')",
         "ValueFilter(<=,'substring:r')", "QualifierFilter(<,'substring:r')", "FamilyFilter(>,'substring:r')",
         "SingleColumnValueFilter('f','a',>,'substring:r')", "ColumnValueFilter('f','a',<,'substring:r')",
         "SingleColumnValueExcludeFilter('f','a',<=,'substring:r')", "DependentColumnFilter('f','a',false,<,'substring:zzz')",
         "DependentColumnFilter('f','a',false,<=,'substring:hello')", "DependentColumnFilter('f','a',false,>,'substring:hello')",
         "DependentColumnFilter('f','a',false,>=,'substring:hello')", "DependentColumnFilter('f','a',false,!=,'substring:zzz')")
    scan1(j, t, "ValueFilter(=,'substring:HELLO')")


WORDS = ("", "a", "A", "abc", "ABC", "abcabc", "a.c", "a\nc", "foo bar", "foo\tbar", "foo_bar", "12", "12ab", "-3.5", "2024-01-31",
         "x=1;y=2", "aaa", "aab", "tel: 555", "[x]", "a|b", "$5", "^", "caf\xc3\xa9")


def words(j, values=WORDS):
    t = create(j, (("f", 1),))
    fill(j, t, (("r", *((f"f:{i:02d}", v, 1) for i, v in enumerate(values))),))
    return t


def regexes(j, t, *patterns, kind="regexstring"):
    for p in patterns:
        scan2(j, t, f"ValueFilter(=,'{kind}:{p}')")


@scenario("filters-regex")
def regex(j):
    t = words(j)
    regexes(j, t, "abc", "^abc$", "^abc", "c$", "^$", "^", "a.c", "^a.c$", "a\\.c", ".", "^.$", "^..$", "^[a-c]+$", "[^a-c]", "\\d+",
            "^\\d+$", "^\\w+$", "\\W", "\\s", "\\S+\\s\\S+", "\\bbar\\b", "\\Bbar", "^(abc){2}$", "^(abc)+$", "(a)(b)c\\1\\2", "(?:ab)c", "^a|b$",
            "^(a|A)$", "a{2}", "^a{2,3}$", "a{3,}", "^a??$", "a+?b", "a*+b", "[.]", "\\[x\\]", "a\\|b", "\\Qa.c\\E", "\\$\\d", "\\^", "\\t", "\\n", "\\x41", "\\u0041",
            "\\p{Upper}", "\\p{Lu}", "\\p{Alpha}+", "\\p{Punct}", "[[:alpha:]]", "[a-c&&[^b]]", "^[abc&&[bc]]", "[a-c[1-2]]+$")
    scan2(j, t, "ValueFilter(!=,'regexstring:^a')")
    scan2(j, t, "ValueFilter(!=,'regexstring:.')")
    scan1(j, t, "ValueFilter(=,'regexstring:^a.c$')")


@scenario("filters-regex-lookaround-and-flags")
def regex_more(j):
    t = words(j)
    regexes(j, t, "a(?=b)", "a(?!b)", "^(?!a)", "(?<=b)c", "(?<!b)c", "(?<==)\\d", "^(?=.*\\d)(?=.*[a-z])", "(?>a+)b", "(?>a+)a", "(?<y>\\d{4})-\\d\\d", "(?<x>a)\\k<x>",
            "(?i)abc", "(?i:A)bc", "a(?i)BC", "(?i)a(?-i)BC", "(?s)a.c", "(?-s)a.c", "(?m)^c", "(?m)a$", "a$", "^c", "(?x) a b c # words", "(?d)a.c", "(?u)\xc3\xa9", "(?iu)CAF\xc3\x89",
            "(?i)CAF\xc3\x89", "(?U)\\w$", "\\w$", "\\Ac", "\\Aa", "c\\z", "c\\Z", "\\R", "a\\Rc", "\\h", "\\v", "\\H+$", "caf.$", "caf..$", "\xc3\xa9", "\\xe9", "\\u00e9", "[\xc3\xa0-\xc3\xbf]", "\\p{L}$", "\\X$", "\\N{LATIN SMALL LETTER A}",
            "\\G1", "a{0}", "(a)?b", "(|a)c", "\\0101", "\\cA", "\\e", "\\a")
    regexes(j, t, "abc", "^A$", "CAF\xc3\x89", "CAF", "[A-C]+$", "^[^a]", "A.C", "(?-i)A", "\\p{Upper}", "\\p{Lu}", "\\x41", kind="regexstringnocase")


@scenario("filters-regex-refused")
def regex_refused(j):
    t = words(j, ("a", "b(", "[", "*", "a{", "}"))
    regexes(j, t, "[", "[a", "(", "a(b", "a)", ")", "*", "+", "?", "a**", "a{", "a{2,1}", "a{,2}", "{", "}", "]", "a{1", "\\", "(?<a", "(?<1a>x)", "(?z)a", "(?", "[z-a]", "\\k<no>", "\\p{Nope}", "\\x",
            "\\u12", "\\y", "\\_", "\\8", "(?P<n>a)", "(?<=a+)b", "(?<=a*)", "[]a]", "[^]a]", "(?#note)a", "\\Q[", "[\\Q]\\E]", "a||b", "|", "()", "\\-", "[a-]", "[-a]")
    regexes(j, t, "[", "(?z)", kind="regexstringnocase")
    each(j, t, "RowFilter(<,'regexstring:a')", "RowFilter(>=,'regexstringnocase:a')", "ValueFilter(>,'regexstring:[')",
         "DependentColumnFilter('f','00',false,<,'regexstring:a')", "DependentColumnFilter('f','00',false,=,'regexstring:[')")
    scan1(j, t, "ValueFilter(=,'regexstring:[')")


@scenario("filters-regex-bytes")
def regex_bytes(j):
    t = words(j, ("\xff", "\x80a", "\xc3", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xed\xa0\x80", "a\x00b", "\x00", "\xc0\x80", "e\xcc\x81", "\r\n", "a\rb", "\xc2\x85", "\xe2\x80\xa8", "\xc2\xa0"))
    regexes(j, t, "^.$", "^..$", "^...$", "\xef\xbf\xbd", "\\ufffd", "\\x{1f600}", "\\ud83d\\ude00", "\xe2\x82\xac", "\\x00", "\\00", "a.b", "a\x00b", "\\p{So}", "\\p{Sc}", "\\s", "(?U)\\s", "\\R", "^\\R$", "[\xe2\x82\xac\xf0\x9f\x98\x80]", "\\p{IsLatin}",
            "\\p{Cntrl}", "[^\\p{ASCII}]", "$", "a$", "\xff", "[\xff]", "\\h", "\\v", "\\x80")


@scenario("filters-regex-keys")
def regex_keys(j):
    t = zoo(j)
    each(j, t, "RowFilter(=,'regexstring:^r[12]$')", "RowFilter(=,'regexstring:2')", "RowFilter(!=,'regexstring:2')",
         "RowFilter(=,'regexstring:R')", "RowFilter(=,'regexstringnocase:^R')", "QualifierFilter(=,'regexstring:^a')",
         "QualifierFilter(=,'regexstring:^$')", "QualifierFilter(!=,'regexstring:.')", "QualifierFilter(=,'regexstring:^.b$')",
         "FamilyFilter(=,'regexstring:[e-f]')", "FamilyFilter(!=,'regexstring:f')", "ValueFilter(=,'regexstring:^[0-9]{2}$')",
         "SingleColumnValueFilter('f','a',=,'regexstring:^[23]$',true,true)", "SingleColumnValueFilter('f','a',!=,'regexstring:3')",
         "ColumnValueFilter('f','a',=,'regexstring:^$')", "DependentColumnFilter('f','a',false,=,'regexstring:3')")


# ---------------------------------------------------------------- each filter

@scenario("filters-rows")
def row_filters(j):
    t = zoo(j)
    each(j, t, "PrefixFilter('r')", "PrefixFilter('r2')", "PrefixFilter('')", "PrefixFilter('q')", "PrefixFilter('z')", "PrefixFilter('r22')",
         "PrefixFilter('r222')", "InclusiveStopFilter('r2')", "InclusiveStopFilter('r19')", "InclusiveStopFilter('')",
         "InclusiveStopFilter('zz')", "InclusiveStopFilter('r')", "RowFilter(<=,'binary:r2')", "RowFilter(>,'binary:r22')")
    for more in ({"startRow": "r2"}, {"stopRow": "s1"}, {"startRow": "r15", "stopRow": "s2"}, {"startRow": "r9"}):
        each(j, t, "PrefixFilter('r')", "PrefixFilter('s')", "InclusiveStopFilter('r22')", "RowFilter(!=,'binary:r2')",
             "WHILE PrefixFilter('r')", **more)
    scan1(j, t, "PrefixFilter('r2')", startRow="r15")
    scan1(j, t, "InclusiveStopFilter('r2')", stopRow="s")


@scenario("filters-columns")
def column_filters(j):
    t = create(j)
    fill(j, t, (("r1", *((f"f:{q}", q, 1) for q in ("", "a", "ab", "abc", "ac", "b", "ba", "c"))),
                ("r2", *((f"g:{q}", q, 1) for q in ("a", "aa", "b")), ("f:zz", "z", 1)),
                ("r3", ("f:\x00", "0", 1), ("f:\x7f", "7", 1), ("f:\xff", "f", 1), ("f:\xff\xff", "g", 1), ("g:d", "d", 1))))
    each(j, t, "ColumnPrefixFilter('a')", "ColumnPrefixFilter('ab')", "ColumnPrefixFilter('')", "ColumnPrefixFilter('zz')",
         "ColumnPrefixFilter('\xff')", "ColumnPrefixFilter('abcd')", "MultipleColumnPrefixFilter('a','b')",
         "MultipleColumnPrefixFilter('b','a')", "MultipleColumnPrefixFilter('a','ab')", "MultipleColumnPrefixFilter('ab','a','b')",
         "MultipleColumnPrefixFilter('ab','z')", "MultipleColumnPrefixFilter('')", "MultipleColumnPrefixFilter('','a')",
         "MultipleColumnPrefixFilter('abc','ac','c')", "MultipleColumnPrefixFilter('\xff')", "MultipleColumnPrefixFilter('a','aaa')")
    each(j, t, "ColumnRangeFilter('a',true,'b',true)", "ColumnRangeFilter('a',false,'b',false)", "ColumnRangeFilter('a',true,'b',false)",
         "ColumnRangeFilter('a',false,'b',true)", "ColumnRangeFilter('',true,'b',true)", "ColumnRangeFilter('',false,'b',false)",
         "ColumnRangeFilter('ab',true,'',true)", "ColumnRangeFilter('ab',false,'',false)", "ColumnRangeFilter('',true,'',true)",
         "ColumnRangeFilter('',false,'',false)", "ColumnRangeFilter('b',true,'a',true)", "ColumnRangeFilter('ab',true,'ab',true)",
         "ColumnRangeFilter('ab',true,'ab',false)", "ColumnRangeFilter('ab',false,'ab',true)", "ColumnRangeFilter('aaa',true,'abz',true)",
         "ColumnRangeFilter('\x80',true,'\xff',true)")
    each(j, t, "ColumnPaginationFilter(1,0)", "ColumnPaginationFilter(2,1)", "ColumnPaginationFilter(0,0)", "ColumnPaginationFilter(0,2)",
         "ColumnPaginationFilter(100,3)", "ColumnPaginationFilter(3,100)", "ColumnPaginationFilter(2,3)", "ColumnPaginationFilter(1,1)")
    each(j, t, "FirstKeyOnlyFilter()", "KeyOnlyFilter()", "KeyOnlyFilter(true)", "KeyOnlyFilter() AND FirstKeyOnlyFilter()",
         "FirstKeyOnlyFilter() AND KeyOnlyFilter(true)", "KeyOnlyFilter() AND ValueFilter(=,'binary:a')",
         "ValueFilter(=,'binary:a') AND KeyOnlyFilter()", "KeyOnlyFilter() OR KeyOnlyFilter(true)",
         "KeyOnlyFilter() OR ValueFilter(=,'binary:a')", "KeyOnlyFilter(true) AND KeyOnlyFilter(true)", "SKIP KeyOnlyFilter()",
         "KeyOnlyFilter(true) AND KeyOnlyFilter()")
    scan1(j, t, "ColumnPrefixFilter('ab')")
    scan1(j, t, "ColumnPaginationFilter(2,1)")


@scenario("filters-column-count")
def column_count(j):
    j.note("Meant for gets; on a scan it closes a family once a further cell is looked at after the limit.")
    t = zoo(j)
    for n in (0, 1, 2, 3, 100):
        for row in ("r1", "r2", "s2", "absent"):
            get2(j, t, row, f"ColumnCountGetFilter({n})")
        get2(j, t, "r1", f"ColumnCountGetFilter({n})", maxVersions=3)
    get2(j, t, "s2", "ColumnCountGetFilter(2)", columns=[{"family": "g"}])
    get2(j, t, "s2", "ColumnCountGetFilter(1) AND ColumnPrefixFilter('b')")
    get2(j, t, "s2", "ColumnPrefixFilter('bb') AND ColumnCountGetFilter(1)")
    get2(j, t, "s2", "ColumnCountGetFilter(1) OR ColumnPrefixFilter('d')")
    each(j, t, "ColumnCountGetFilter(1)", "ColumnCountGetFilter(2)", "ColumnCountGetFilter(3)", "ColumnCountGetFilter(0)")


@scenario("filters-versions")
def versions(j):
    t = create(j)
    fill(j, t, (("r1", ("f:a", "1", 1), ("f:a", "2", 2), ("f:a", "3", 3), ("f:a", "4", 4), ("f:b", "3", 1), ("f:b", "1", 5)),
                ("r2", ("f:a", "9", 9), ("f:a", "1", 8), ("g:a", "5", 5)),
                ("r3", ("g:a", "1", 1), ("g:b", "2", 2))))
    fill(j, t, (("r3", ("g:a", "7", 7)),))
    for more in ({}, {"maxVersions": 2}, {"maxVersions": 10}):
        each(j, t, None, "ValueFilter(=,'binary:1')", "ValueFilter(<,'binary:4')", "ValueFilter(=,'binary:3')", "ValueFilter(=,'binary:2')",
             "TimestampsFilter(1)", "TimestampsFilter(2,3)", "TimestampsFilter(1,5,8)", "TimestampsFilter(7,2)", "FirstKeyOnlyFilter()",
             "ColumnPaginationFilter(1,0)", "ColumnPaginationFilter(1,1)", "ColumnPrefixFilter('a')", "KeyOnlyFilter()",
             "ColumnValueFilter('f','a',<,'binary:4')", "SKIP ValueFilter(!=,'binary:2')", "WHILE ValueFilter(!=,'binary:2')",
             "TimestampsFilter(3) OR ValueFilter(=,'binary:1')", "TimestampsFilter(2,3) AND ValueFilter(!=,'binary:3')", **more)
    for window in ((1, 4), (2, 3), (5, 9), (0, 1), (4, 4)):
        each(j, t, "ValueFilter(<,'binary:4')", "TimestampsFilter(1,3)", maxVersions=3,
             timeRange={"minStamp": window[0], "maxStamp": window[1]})
    for more in ({"timestamp": 3}, {"timestamp": 5}, {}):
        scan1(j, t, "ValueFilter(<,'binary:4')", **more)
        scan1(j, t, "TimestampsFilter(1,2,3)", **more)


@scenario("filters-single-column-value")
def single_column(j):
    t = zoo(j)
    for name in ("SingleColumnValueFilter", "SingleColumnValueExcludeFilter"):
        for op in ("<", "<=", "=", "!=", ">", ">="):
            scan2(j, t, f"{name}('f','a',{op},'binary:2',true,true)")
        for missing in ("true", "false"):
            for latest in ("true", "false"):
                each(j, t, f"{name}('f','a',=,'binary:2',{missing},{latest})", maxVersions=3)
                each(j, t, f"{name}('f','a',=,'binary:2',{missing},{latest})")
        each(j, t, f"{name}('f','a',=,'binary:3')", f"{name}('g','a',=,'binary:3')", f"{name}('g','c',=,'binary:3',true,true)",
             f"{name}('f','none',=,'binary:3')", f"{name}('f','none',=,'binary:3',true,true)", f"{name}('nofam','a',=,'binary:3')",
             f"{name}('nofam','a',=,'binary:3',true,true)", f"{name}('','',=,'binary:3')", f"{name}('f','',=,'binary:e',true,true)",
             f"{name}('f','a',=,'binary:',true,true)", f"{name}('f','a',=,'substring:',true,true)",
             f"{name}('f','b',=,'binaryprefix:1',true,true)", f"{name}('f','b',=,'binary:5',true,false)")
        for columns in ([{"family": "g"}], [{"family": "f", "qualifier": "b"}], [{"family": "f", "qualifier": "a"}],
                        [{"family": "f", "qualifier": "b"}, {"family": "f", "qualifier": "a"}]):
            for missing in ("true", "false"):
                scan2(j, t, f"{name}('f','a',=,'binary:2',{missing},true)", columns=columns)
    scan1(j, t, "SingleColumnValueFilter('f','a',=,'binary:2',true,true)")
    scan1(j, t, "SingleColumnValueExcludeFilter('f','a',=,'binary:2',true,true)")


@scenario("filters-single-column-value-combined")
def single_column_lists(j):
    t = zoo(j)
    s, m = "SingleColumnValueFilter('f','a',=,'binary:3',true,true)", "SingleColumnValueFilter('f','a',=,'binary:3')"
    x = "SingleColumnValueExcludeFilter('f','a',!=,'binary:3',true,true)"
    other = "SingleColumnValueFilter('g','a',=,'binary:1',true,true)"
    for q in ("QualifierFilter(!=,'binary:a')", "FamilyFilter(=,'binary:g')", "PageFilter(1)", "PrefixFilter('r')", "KeyOnlyFilter()",
              "ColumnPaginationFilter(1,0)", "FirstKeyOnlyFilter()", "ValueFilter(=,'binary:3')", other):
        each(j, t, f"{s} AND {q}", f"{s} OR {q}", f"{q} OR {m}", f"{x} AND {q}", f"{q} OR {x}")
    each(j, t, f"SKIP {s}", f"WHILE {s}", f"SKIP {m}", f"WHILE {m}", f"SKIP {x}", f"WHILE {x}")


@scenario("filters-dependent-column")
def dependent(j):
    t = create(j)
    fill(j, t, (("r1", ("f:a", "1", 1), ("f:a", "2", 2), ("f:b", "x", 1), ("f:c", "y", 2), ("g:a", "z", 1)),
                ("r2", ("f:a", "3", 7), ("f:b", "q", 8), ("g:b", "w", 7)),
                ("r3", ("f:b", "5", 5), ("g:b", "6", 5)),
                ("r4", ("f:a", "4", 4))))
    each(j, t, "DependentColumnFilter('f','a')", "DependentColumnFilter('f','a',false)", "DependentColumnFilter('f','a',true)",
         "DependentColumnFilter('g','b')", "DependentColumnFilter('f','none')", "DependentColumnFilter('none','a')",
         "DependentColumnFilter('','')", "DependentColumnFilter('f','a',false,=,'binary:1')",
         "DependentColumnFilter('f','a',true,!=,'binary:2')", "DependentColumnFilter('f','a',false,>,'binary:1')",
         "DependentColumnFilter('f','a',true,<=,'binary:3')", "DependentColumnFilter('f','a',false,=,'binaryprefix:')",
         "DependentColumnFilter('f','a') AND QualifierFilter(=,'binary:b')", "QualifierFilter(=,'binary:b') AND DependentColumnFilter('f','a')",
         "DependentColumnFilter('f','a') OR QualifierFilter(=,'binary:b')", "DependentColumnFilter('f','a') AND PageFilter(1)",
         "PageFilter(1) AND DependentColumnFilter('f','a')", "SKIP DependentColumnFilter('f','a')", "WHILE DependentColumnFilter('f','a')",
         "SKIP DependentColumnFilter('f','a',true)", "DependentColumnFilter('f','a') AND DependentColumnFilter('g','b')",
         "DependentColumnFilter('f','a') OR DependentColumnFilter('g','b')")
    for n in (2, 3):
        each(j, t, "DependentColumnFilter('f','a')", "DependentColumnFilter('f','a',true)", "DependentColumnFilter('f','a',false,=,'binary:1')",
             "DependentColumnFilter('f','a',true,=,'binary:1')", maxVersions=n)
    scan2(j, t, "DependentColumnFilter('f','a')", columns=[{"family": "f", "qualifier": "b"}])
    scan2(j, t, "DependentColumnFilter('f','a')", columns=[{"family": "g"}])
    scan2(j, t, "DependentColumnFilter('f','a')", columns=[{"family": "f"}])
    get2(j, t, "r1", "DependentColumnFilter('f','a',true)", maxVersions=3)


@scenario("filters-column-value")
def column_value(j):
    t = zoo(j)
    for op in ("<", "<=", "=", "!=", ">", ">="):
        scan2(j, t, f"ColumnValueFilter('f','a',{op},'binary:2')", maxVersions=3)
    each(j, t, "ColumnValueFilter('f','a',=,'binary:')", "ColumnValueFilter('g','a',=,'binary:3')", "ColumnValueFilter('g','c',!=,'binary:')",
         "ColumnValueFilter('f','none',=,'binary:2')", "ColumnValueFilter('none','a',=,'binary:2')", "ColumnValueFilter('','a',=,'binary:2')",
         "ColumnValueFilter('f','',=,'binary:e')", "ColumnValueFilter('f','b',=,'substring:1')", "ColumnValueFilter('f','a',=,'binary:2')",
         "ColumnValueFilter('f','a',=,'binary:3') OR ColumnValueFilter('f','b',=,'binary:2')",
         "ColumnValueFilter('f','a',=,'binary:3') OR ColumnValueFilter('g','c',=,'binary:3')",
         "ColumnValueFilter('g','c',=,'binary:3') OR ColumnValueFilter('f','a',=,'binary:3')",
         "ColumnValueFilter('f','a',=,'binary:3') AND ColumnValueFilter('f','b',=,'binary:2')",
         "ColumnValueFilter('f','a',=,'binary:3') AND PageFilter(1)", "ColumnValueFilter('f','a',=,'binary:3') OR PrefixFilter('s')",
         "SKIP ColumnValueFilter('f','a',=,'binary:3')", "WHILE ColumnValueFilter('f','a',=,'binary:3')")
    scan2(j, t, "ColumnValueFilter('f','a',=,'binary:3')", columns=[{"family": "g"}])
    scan2(j, t, "ColumnValueFilter('f','a',=,'binary:3')", columns=[{"family": "f", "qualifier": "a"}])
    scan2(j, t, "ColumnValueFilter('f','a',=,'binary:3')", columns=[{"family": "f", "qualifier": "b"}])


@scenario("filters-page")
def page(j):
    t = zoo(j)
    for n in (0, 1, 3, 7, 8):
        scan2(j, t, f"PageFilter({n})")
    each(j, t, "PageFilter(2) AND PrefixFilter('s')", "PrefixFilter('s') AND PageFilter(2)", "PageFilter(2) OR PrefixFilter('s')",
         "PrefixFilter('s') OR PageFilter(2)", "PageFilter(2) AND ValueFilter(=,'binary:3')", "ValueFilter(=,'binary:3') AND PageFilter(2)",
         "PageFilter(2) OR ValueFilter(=,'binary:3')", "PageFilter(1) OR PageFilter(3)", "PageFilter(1) AND PageFilter(3)",
         "PageFilter(2) AND QualifierFilter(=,'binary:none')", "SKIP PageFilter(2)", "WHILE PageFilter(2)", "SKIP PageFilter(0)", "WHILE PageFilter(0)",
         "PageFilter(2) AND RowFilter(>,'binary:r15')", "RowFilter(>,'binary:r15') AND PageFilter(2)",
         "PageFilter(2) AND SingleColumnValueFilter('f','a',=,'binary:3',true,true)",
         "SingleColumnValueFilter('f','a',=,'binary:3',true,true) AND PageFilter(2)", "PageFilter(0) OR PrefixFilter('s')",
         "SKIP ValueFilter(!=,'binary:3') AND PageFilter(2)", "PageFilter(2) AND SKIP ValueFilter(!=,'binary:3')")
    each(j, t, "PageFilter(2)", startRow="r2")
    each(j, t, "PageFilter(2)", "PageFilter(2) AND PrefixFilter('r')", reversed=True)
    each(j, t, "PageFilter(3)", limit=2)
    each(j, t, "PageFilter(3)", limit=5)
    each(j, t, "PageFilter(3)", caching=1)
    scan2(j, t, "PageFilter(3)", rows=1)
    scan2(j, t, "PageFilter(3)", rows=0)
    s = j.t2.openScanner(table=t, tscan={"filterString": "PageFilter(3)", "caching": 1})
    for n in (1, 1, 5, 5):
        j.t2.getScannerRows(scannerId=s, numRows=n)
    j.t2.closeScanner(scannerId=s)
    s = j.t1.scannerOpenWithScan(tableName=t, scan={"filterString": "PageFilter(3)", "caching": 1}, attributes={})
    for n in (1, 1, 5, 5):
        j.t1.scannerGetList(id=s, nbRows=n)
    j.t1.scannerClose(id=s)


SPLIT_ROWS = tuple((r, ("f:a", r[0], 1), ("g:b", r[1], 2)) for r in ("a1", "a2", "a3", "b1", "b2", "b3", "d1", "d2", "e1"))


@scenario("filters-page-across-regions")
def page_regions(j):
    j.note("Four regions: up to b, up to c, up to d, the rest; the third is empty.")
    t = create(j, splits=["b", "c", "d"])
    fill(j, t, SPLIT_ROWS)
    for n in (0, 1, 2, 3, 10):
        each(j, t, f"PageFilter({n})")
        each(j, t, f"PageFilter({n})", reversed=True)
        each(j, t, f"PageFilter({n})", caching=1)
    each(j, t, "PageFilter(2)", limit=3)
    each(j, t, "PageFilter(2)", limit=2)
    each(j, t, "PageFilter(2)", startRow="a2")
    each(j, t, "PageFilter(1)", stopRow="d2")
    each(j, t, "PageFilter(1) AND PrefixFilter('b')", "PageFilter(1) OR PrefixFilter('b')", "PageFilter(1) AND ValueFilter(=,'binary:2')",
         "SKIP PageFilter(1)", "WHILE PageFilter(1)", "PageFilter(0) OR PrefixFilter('d')")
    s = j.t2.openScanner(table=t, tscan={"filterString": "PageFilter(1)"})
    for n in (1, 1, 1, 5):
        j.t2.getScannerRows(scannerId=s, numRows=n)
    j.t2.closeScanner(scannerId=s)
    scan1(j, t, "PageFilter(1)")
    scan1(j, t, "PageFilter(2)", reversed=True)
    scan1(j, t, "PageFilter(2)", batchSize=1)


@scenario("filters-early-end-across-regions")
def early_end_regions(j):
    t = create(j, splits=["b", "c", "d"])
    fill(j, t, SPLIT_ROWS)
    for x in ("PrefixFilter('a')", "PrefixFilter('b')", "PrefixFilter('a2')", "PrefixFilter('c')", "PrefixFilter('d')", "InclusiveStopFilter('a2')", "InclusiveStopFilter('b1')",
              "InclusiveStopFilter('a3')", "InclusiveStopFilter('c')", "WHILE PrefixFilter('a')", "WHILE RowFilter(<,'binary:b2')", "WHILE RowFilter(!=,'binary:a2')",
              "WHILE RowFilter(!=,'binary:b1')", "WHILE ValueFilter(!=,'binary:2')", "WHILE ValueFilter(!=,'binary:b')", "WHILE QualifierFilter(=,'binary:a')",
              "WHILE RowFilter(!=,'binary:a1')", "WHILE RowFilter(!=,'binary:a3')", "WHILE PageFilter(2)", "WHILE RowFilter(!=,'binary:a2') OR PrefixFilter('d')",
              "WHILE RowFilter(!=,'binary:a2') AND PrefixFilter('d')", "InclusiveStopFilter('a2') OR InclusiveStopFilter('b1')",
              "ColumnPaginationFilter(1,1)", "FirstKeyOnlyFilter()", "SingleColumnValueFilter('f','a',=,'binary:b',true,true)",
              "SKIP ValueFilter(!=,'binary:2')"):
        scan2(j, t, x)
    for x in ("PrefixFilter('b')", "InclusiveStopFilter('b2')", "WHILE RowFilter(!=,'binary:d2')", "WHILE PrefixFilter('e')", "WHILE RowFilter(!=,'binary:b2')"):
        scan2(j, t, x, reversed=True)
    for x in ("InclusiveStopFilter('a2')", "WHILE RowFilter(!=,'binary:a2')", "WHILE RowFilter(!=,'binary:a1')"):
        scan2(j, t, x, caching=1)
        scan1(j, t, x)


@scenario("filters-skip-and-while")
def skip_while(j):
    t = zoo(j)
    inner = ("ValueFilter(!=,'binary:3')", "ValueFilter(=,'binary:3')", "RowFilter(<,'binary:r2')", "RowFilter(!=,'binary:r15')", "PrefixFilter('r')", "PrefixFilter('s')",
             "QualifierFilter(=,'binary:a')", "QualifierFilter(!=,'binary:b')", "FamilyFilter(=,'binary:f')", "FamilyFilter(=,'binary:g')", "KeyOnlyFilter()", "FirstKeyOnlyFilter()",
             "ColumnPrefixFilter('a')", "ColumnPrefixFilter('')", "ColumnRangeFilter('a',true,'c',true)", "ColumnPaginationFilter(5,0)", "ColumnPaginationFilter(1,0)",
             "InclusiveStopFilter('r2')", "TimestampsFilter(3)", "TimestampsFilter(1,2,3,4,5)", "MultipleColumnPrefixFilter('a','b')",
             "SingleColumnValueFilter('f','a',=,'binary:3',true,true)", "SingleColumnValueFilter('f','a',=,'binary:3')",
             "ColumnValueFilter('f','a',=,'binary:3')", "PageFilter(2)", "(PrefixFilter('r') AND ValueFilter(!=,'binary:3'))",
             "(PrefixFilter('s') OR ValueFilter(=,'binary:3'))", "(ValueFilter(=,'binary:1') OR ValueFilter(=,'binary:2'))")
    for x in inner:
        scan2(j, t, f"SKIP {x}")
        scan2(j, t, f"WHILE {x}")
    for x in inner[:8]:
        scan2(j, t, f"SKIP {x}", maxVersions=3)
        scan2(j, t, f"WHILE {x}", maxVersions=3)
        scan2(j, t, f"WHILE {x}", startRow="r2")
    scan1(j, t, "SKIP ValueFilter(!=,'binary:3')")
    scan1(j, t, "WHILE ValueFilter(!=,'binary:3')")


@scenario("filters-lists")
def lists(j):
    t = zoo(j)
    q, c, v, o, k = ("ColumnPrefixFilter('a')", "ColumnRangeFilter('b',true,'c',true)", "ValueFilter(=,'binary:3')", "ColumnPaginationFilter(1,0)",
                     "FirstKeyOnlyFilter()")
    m, ts, p, i = "MultipleColumnPrefixFilter('a','b')", "TimestampsFilter(2,3)", "PrefixFilter('r')", "InclusiveStopFilter('r2')"
    for one in (q, c, v, o, k):
        for two in (m, ts, p, i, "FamilyFilter(=,'binary:g')"):
            each(j, t, f"{one} AND {two}", f"{one} OR {two}", stopRow="s")
    each(j, t, f"{q} OR {c}", f"{c} AND {q}", f"{o} AND {v}", f"{v} AND {o}", f"{o} OR {v}", f"{k} OR {v}", f"{k} AND {v}", f"{v} AND {k}",
         f"{q} OR {c} OR {v}", f"({q} OR {c}) AND {v}", f"({q} OR {c}) AND {o}", f"{o} AND ({q} OR {c})", f"{p} AND ({q} OR {ts})",
         f"({p} AND {q}) OR ({i} AND {c})", f"({o} OR {q}) AND ({m} OR {v})", f"{q} AND {m} AND {ts}", f"{p} AND {i} AND {m}",
         f"{q} OR {m} OR {ts}", f"{o} OR ColumnPaginationFilter(1,1)", f"{o} AND ColumnPaginationFilter(1,0)",
         f"ColumnPaginationFilter(2,0) AND ColumnPaginationFilter(1,1)", f"{k} OR {o}", f"{p} OR {i}", f"{p} AND {i}")
    each(j, t, f"{q} OR {ts}", f"{m} OR {ts}", f"{o} OR {ts}", f"{ts} AND {v}", f"{ts} OR {v}", f"{q} AND {ts}", f"{o} AND {ts}", f"{ts} AND {o}", maxVersions=3)


@scenario("filters-reversed")
def reverse(j):
    t = zoo(j)
    each(j, t, "PrefixFilter('r')", "PrefixFilter('r2')", "PrefixFilter('s')", "InclusiveStopFilter('r2')", "InclusiveStopFilter('r16')", "InclusiveStopFilter('')", "InclusiveStopFilter('z')",
         "RowFilter(<,'binary:s')", "PageFilter(3)", "PageFilter(0)", "WHILE PrefixFilter('s')", "WHILE RowFilter(>,'binary:r22')", "WHILE ValueFilter(!=,'binary:10')", "SKIP ValueFilter(!=,'binary:3')",
         "SKIP PrefixFilter('s')", "WHILE InclusiveStopFilter('r2')", "SKIP InclusiveStopFilter('r2')", "WHILE PrefixFilter('t')", "ColumnPrefixFilter('b')",
         "ColumnRangeFilter('b',true,'c',true)", "MultipleColumnPrefixFilter('a','c')", "ColumnPaginationFilter(1,1)", "FirstKeyOnlyFilter()", "TimestampsFilter(3)",
         "ValueFilter(=,'binary:3')", "DependentColumnFilter('f','a')", "SingleColumnValueFilter('f','a',=,'binary:3')",
         "ColumnPrefixFilter('a') AND ColumnRangeFilter('ab',true,'',true)", "ColumnPrefixFilter('a') OR ColumnPrefixFilter('c')",
         "PrefixFilter('r') AND InclusiveStopFilter('r2')", "PrefixFilter('s') OR PrefixFilter('r1')", "PrefixFilter('r') AND PageFilter(2)", "KeyOnlyFilter(true)", reversed=True)
    each(j, t, "PrefixFilter('r')", "PageFilter(2)", "InclusiveStopFilter('r15')", reversed=True, startRow="r22", stopRow="r1")
    each(j, t, "ValueFilter(<,'binary:4')", "ColumnPaginationFilter(1,1)", reversed=True, maxVersions=3)
    scan1(j, t, "PrefixFilter('r2')", reversed=True)
    scan1(j, t, "InclusiveStopFilter('r2')", reversed=True, startRow="s1")


@scenario("filters-reversed-lists")
def reverse_lists(j):
    j.note("Backwards, lists compare cells the other way round inside a row as well, so OR can lose cells.")
    t = zoo(j)
    a, c, d, m = "ColumnPrefixFilter('a')", "ColumnPrefixFilter('c')", "ColumnRangeFilter('b',true,'d',true)", "MultipleColumnPrefixFilter('ab','d')"
    each(j, t, f"{a} OR {c}", f"{c} OR {a}", f"{a} OR {d}", f"{d} OR {m}", f"{a} OR {m}", f"{a} OR {c} OR {d}", f"{a} AND {m}", f"{m} AND {d}", f"({a} OR {c}) AND {d}",
         f"({a} AND {m}) OR {d}", f"{c} OR ValueFilter(=,'binary:3')", f"{a} AND {d}", f"SKIP ({a} OR {c})", reversed=True)
    each(j, t, f"{a} OR {c}", f"{a} OR {d}", f"{d} OR {m}")


@scenario("filters-reversed-refused")
def reverse_refused(j):
    j.note("Filters that need one family only cannot be scanned backwards when another family is scanned as well.")
    t = zoo(j)
    s, x = "SingleColumnValueFilter('f','a',=,'binary:3',true,true)", "SingleColumnValueExcludeFilter('f','a',=,'binary:3',true,true)"
    c = "ColumnValueFilter('f','a',=,'binary:3')"
    for one in (s, x, c, f"SKIP {s}", f"WHILE {c}", f"{s} AND {c}", f"{s} OR {c}", f"{s} AND PrefixFilter('r')", f"{c} OR PageFilter(2)",
                f"{s} AND SingleColumnValueFilter('g','a',=,'binary:3',true,true)", f"({s} AND {c}) OR {x}"):
        scan2(j, t, one, reversed=True)
    each(j, t, s, c, reversed=True, columns=[{"family": "f"}])
    each(j, t, s, c, reversed=True, columns=[{"family": "g"}])
    each(j, t, s, c, reversed=True, columns=[{"family": "f", "qualifier": "a"}, {"family": "g", "qualifier": "a"}])
    scan1(j, t, s, reversed=True)
    scan1(j, t, c, reversed=True)
    scan1(j, t, s, reversed=True, columns=["f"])
    one = create(j, (("f", 3),), name="one")
    fill(j, one, (("r1", ("f:a", "3", 1), ("f:b", "1", 1)), ("r2", ("f:b", "3", 1)), ("r3", ("f:a", "3", 1))))
    each(j, one, s, x, c, reversed=True)


@scenario("filters-batch-and-limit")
def batch(j):
    t = zoo(j)
    for x in ("PrefixFilter('r')", "FirstKeyOnlyFilter()", "ColumnPaginationFilter(1,1)", "ColumnPaginationFilter(2,0)", "ValueFilter(!=,'binary:3')",
              "ColumnPrefixFilter('a')", "InclusiveStopFilter('r2')", "RowFilter(!=,'binary:r1')", "PrefixFilter('r') AND ValueFilter(!=,'binary:3')"):
        each(j, t, x, batchSize=1)
        each(j, t, x, batchSize=2, maxVersions=3)
    for x in ("PageFilter(2)", "SKIP ValueFilter(=,'binary:3')", "WHILE PrefixFilter('r')", "SingleColumnValueFilter('f','a',=,'binary:3')",
              "PrefixFilter('r') AND PageFilter(2)"):
        scan2(j, t, x, batchSize=1)
    scan2(j, t, "DependentColumnFilter('f','a') OR PrefixFilter('r')", batchSize=100)
    scan1(j, t, "PageFilter(2)", batchSize=2)
    scan1(j, t, "PrefixFilter('r')", batchSize=2)
    scan1(j, t, "ColumnPaginationFilter(2,1)", batchSize=1)
    each(j, t, "PageFilter(2)", batchSize=0)
    each(j, t, "PageFilter(2)", batchSize=-1)
    for n in (1, 2, 4):
        each(j, t, "ValueFilter(=,'binary:3')", "PrefixFilter('s')", "SKIP ValueFilter(=,'binary:3')", limit=n)
        each(j, t, "ValueFilter(=,'binary:3')", caching=n)
    each(j, t, "ValueFilter(!=,'binary:3')", "PrefixFilter('r')", limit=2, batchSize=1)
    scan2(j, t, "ValueFilter(=,'binary:3')", rows=2)
    s = j.t2.openScanner(table=t, tscan={"filterString": "ValueFilter(!=,'binary:3')", "batchSize": 1})
    for n in (1, 2, 3, 100):
        j.t2.getScannerRows(scannerId=s, numRows=n)
    j.t2.closeScanner(scannerId=s)


@scenario("filters-column-selection")
def selection(j):
    t = zoo(j)
    for columns in ([{"family": "f"}], [{"family": "g"}], [{"family": "f", "qualifier": "a"}], [{"family": "f", "qualifier": "b"}, {"family": "g", "qualifier": "c"}],
                    [{"family": "f", "qualifier": "none"}]):
        each(j, t, "FamilyFilter(=,'binary:f')", "QualifierFilter(=,'binary:a')", "ValueFilter(=,'binary:3')", "FirstKeyOnlyFilter()", "ColumnPaginationFilter(1,0)", "PageFilter(2)",
             "SKIP ValueFilter(!=,'binary:3')", "KeyOnlyFilter()", columns=columns)
    for columns in (["f"], ["f:"], ["g:c"], ["f:a", "g:a"], ["f:none"]):
        scan1(j, t, "ValueFilter(=,'binary:3')", columns=columns)
        scan1(j, t, "PageFilter(2)", columns=columns)
    scan2(j, t, "ValueFilter(=,'binary:3')", columns=[{"family": "nofam"}])
    scan1(j, t, "ValueFilter(=,'binary:3')", columns=["nofam"])
    scan2(j, j.table("absent"), "PrefixFilter('a')")
    scan1(j, j.table("absent"), "PrefixFilter('a')")
    scan2(j, j.table("absent"), "Bad('a')")
    scan1(j, j.table("absent"), "Bad('a')")


@scenario("filters-thrift1-scan-options")
def thrift1_options(j):
    t = zoo(j)
    for more in ({"sortColumns": True}, {"caching": 1}, {"startRow": "r2", "stopRow": "s2"}, {"timestamp": 4}, {"batchSize": 1}, {"cacheBlocks": False}):
        for x in ("ValueFilter(!=,'binary:3')", "ColumnPrefixFilter('a')", "FirstKeyOnlyFilter()"):
            scan1(j, t, x, **more)
    s = j.t1.scannerOpenWithScan(tableName=t, scan={"filterString": "WHILE PrefixFilter('r')"}, attributes={})
    for _ in range(6):
        j.t1.scannerGet(id=s)
    j.t1.scannerClose(id=s)
    s = j.t1.scannerOpenWithScan(tableName=t, scan={"filterString": "ValueFilter(=,'binary:3')"}, attributes={})
    j.t1.scannerGetList(id=s, nbRows=1)
    j.t1.scannerGetList(id=s, nbRows=1)
    j.t1.scannerGetList(id=s, nbRows=10)
    j.t1.scannerGetList(id=s, nbRows=10)
    j.t1.scannerClose(id=s)


@scenario("filters-get")
def gets(j):
    t = zoo(j)
    for x in ("PrefixFilter('r')", "PrefixFilter('r2')", "PrefixFilter('s')", "RowFilter(=,'binary:r1')", "RowFilter(!=,'binary:r1')", "FamilyFilter(=,'binary:g')", "QualifierFilter(!=,'binary:a')", "ValueFilter(=,'binary:2')",
              "PageFilter(0)", "PageFilter(1)", "KeyOnlyFilter()", "FirstKeyOnlyFilter()", "ColumnPaginationFilter(1,1)", "InclusiveStopFilter('r')", "InclusiveStopFilter('r1')", "TimestampsFilter(2)",
              "SKIP ValueFilter(!=,'binary:3')", "WHILE QualifierFilter(=,'binary:a')", "SingleColumnValueFilter('f','a',=,'binary:3',true,true)", "SingleColumnValueFilter('f','a',=,'binary:1')",
              "SingleColumnValueExcludeFilter('f','a',=,'binary:3')", "DependentColumnFilter('f','a',true)", "ColumnValueFilter('g','c',=,'binary:3')", "ColumnPrefixFilter('b') OR FamilyFilter(=,'binary:g')"):
        get2(j, t, "r1", x)
        get2(j, t, "r1", x, maxVersions=3)
        j.t2.exists(table=t, tget={"row": "r1", "filterString": x})
    get2(j, t, "none", "PrefixFilter('n')")
    for limit, offset in ((1, 0), (1, 1), (2, 1), (0, 0), (5, 2)):
        get2(j, t, "r1", "ValueFilter(!=,'binary:9')", storeLimit=limit, storeOffset=offset)
        get2(j, t, "r1", "ValueFilter(!=,'binary:2')", storeLimit=limit, storeOffset=offset, maxVersions=3)
    get2(j, t, "r1", "ColumnPrefixFilter('b')", columns=[{"family": "f"}])
    get2(j, t, "r1", "ColumnPrefixFilter('b')", columns=[{"family": "f", "qualifier": "a"}])
    get2(j, t, "r1", "ValueFilter(<,'binary:3')", timeRange={"minStamp": 1, "maxStamp": 3})
    get2(j, t, "r1", "ValueFilter(<,'binary:3')", timestamp=1)
    get2(j, t, "r1", "ValueFilter(=,'binary:3')", existence_only=True)
    get2(j, t, "r1", "ValueFilter(=,'binary:9')", existence_only=True)
    j.t2.getMultiple(table=t, tgets=[{"row": r, "filterString": "ValueFilter(=,'binary:3')"} for r in ("r1", "r2", "t", "none")])
    j.t2.getMultiple(table=t, tgets=[{"row": "r1", "filterString": "Bad()"}, {"row": "r2"}])
    j.t2.existsAll(table=t, tgets=[{"row": r, "filterString": "ValueFilter(=,'binary:3')"} for r in ("r1", "r2", "t", "none")])
    get2(j, t, "r1", "ValueFilter(=,'binary:3')", columns=[{"family": "nofam"}])
    get2(j, t, "", "PrefixFilter('r')")


@scenario("filters-and-deletes")
def deletes(j):
    t = zoo(j)
    j.t2.deleteSingle(table=t, tdelete={"row": "r1", "columns": [{"family": "f", "qualifier": "a", "timestamp": 3}], "deleteType": 0})
    j.t2.deleteSingle(table=t, tdelete={"row": "r2", "columns": [{"family": "f", "qualifier": "a", "timestamp": 9}], "deleteType": 1})
    j.t2.deleteSingle(table=t, tdelete={"row": "s2", "columns": [{"family": "g", "timestamp": 2}], "deleteType": 2})
    j.t2.deleteSingle(table=t, tdelete={"row": "t", "timestamp": 9})
    for x in (None, "ValueFilter(=,'binary:3')", "ValueFilter(=,'binary:2')", "FirstKeyOnlyFilter()", "PageFilter(3)", "PageFilter(6)", "ColumnPaginationFilter(1,0)", "ColumnPrefixFilter('a')",
              "SingleColumnValueFilter('f','a',=,'binary:2',true,true)", "SingleColumnValueFilter('f','a',=,'binary:3')", "SKIP ValueFilter(!=,'binary:2')", "WHILE ValueFilter(!=,'binary:3')",
              "TimestampsFilter(3)", "WHILE RowFilter(!=,'binary:t')", "KeyOnlyFilter(true)", "DependentColumnFilter('f','a',false)"):
        scan2(j, t, x)
        scan2(j, t, x, maxVersions=3)


@scenario("filters-bytes-in-keys")
def binary_keys(j):
    t = create(j)
    fill(j, t, (("\x00", ("f:\x00", "\x00", 1)), ("\x01\xff", ("f:\xff", "\xff", 1)), ("\x7f", ("f:q", "\x7f", 1)), ("\x80", ("f:\x80", "\x80\x00", 1)),
                ("\xff", ("f:q", "\xfe", 1)), ("\xff\xff", ("g:\x01", "\xff\xff", 1))))
    each(j, t, "PrefixFilter('\xff')", "PrefixFilter('\x00')", "PrefixFilter('\xff\xff\xff')", "RowFilter(>,'binary:\x7f')", "RowFilter(<=,'binary:\x80')", "ValueFilter(>=,'binary:\x80')", "ValueFilter(<,'binary:\x7f')",
         "ValueFilter(=,'binaryprefix:\xff')", "QualifierFilter(>,'binary:a')", "ColumnPrefixFilter('\xff')", "ColumnRangeFilter('\x80',true,'',true)", "MultipleColumnPrefixFilter('\x00','\xff')",
         "InclusiveStopFilter('\x80')", "InclusiveStopFilter('\xff')", "ValueFilter(=,'substring:\x7f')", "ValueFilter(=,'regexstring:^.$')", "SingleColumnValueFilter('f','\xff',=,'binary:\xff',true,true)",
         "KeyOnlyFilter(true)")
    each(j, t, "PrefixFilter('\xff')", "PrefixFilter('\x01')", "InclusiveStopFilter('\x80')", reversed=True)
    scan1(j, t, "PrefixFilter('\xff')")
    scan1(j, t, "ValueFilter(>=,'binary:\x80')")


# ---------------------------------------------------------------- filterBytes

@scenario("filterbytes-every-filter")
def pb_every(j):
    t = zoo(j)
    column_limit = number(1, 1)
    for m in (pb("ColumnCountGetFilter", number(1, 5)), pb("ColumnPaginationFilter", column_limit + number(2, 1)), pb("ColumnPaginationFilter", column_limit),
              pb("ColumnPaginationFilter", number(1, 2) + text(3, "ab")), pb("ColumnPaginationFilter", number(1, 2) + number(2, 1) + text(3, "b")),
              pb("ColumnPaginationFilter", number(1, 1) + text(3, "")), pb("ColumnPaginationFilter", number(1, 1) + text(3, "zz")),
              pb("ColumnPrefixFilter", text(1, "a")), pb("ColumnPrefixFilter", text(1, "")), pb("ColumnRangeFilter"),
              pb("ColumnRangeFilter", text(1, "a") + number(2, 1)), pb("ColumnRangeFilter", text(1, "a")), pb("ColumnRangeFilter", text(3, "b")),
              pb("ColumnRangeFilter", text(3, "b") + number(4, 1)), pb("ColumnRangeFilter", text(1, "a") + number(2, 0) + text(3, "b") + number(4, 1)),
              pb("ColumnRangeFilter", text(1, "")), pb("ColumnRangeFilter", text(3, "")),
              pb("ColumnValueFilter", text(1, "f") + text(2, "a") + number(3, GREATER) + text(4, bytes_cmp("2"))),
              pb_dependent("f", "a"), pb_dependent("f", "a", True), pb_dependent("f", "a", False, EQUAL, bytes_cmp("3")), pb_dependent(None, None),
              pb_dependent("f", "a", None, EQUAL), pb_dependent("f", None), pb_compare("FamilyFilter", EQUAL, bytes_cmp("g")),
              pb_compare("QualifierFilter", LESS, bytes_cmp("b")), pb_compare("RowFilter", GREATER_OR_EQUAL, bytes_cmp("s")),
              pb_compare("ValueFilter", EQUAL, bytes_cmp("3")), pb("FirstKeyOnlyFilter"), pb("FirstKeyValueMatchingQualifiersFilter", text(1, "b")),
              pb("FirstKeyValueMatchingQualifiersFilter", text(1, "ab") + text(1, "b")), pb("FirstKeyValueMatchingQualifiersFilter"), pb("InclusiveStopFilter", text(1, "r2")),
              pb("KeyOnlyFilter", number(1, 1)), pb("KeyOnlyFilter", number(1, 0)), pb("MultipleColumnPrefixFilter", text(1, "a") + text(1, "c")), pb("MultipleColumnPrefixFilter"),
              pb_page(2), pb_page(0), pb_prefix("r2"), pb("PrefixFilter"), pb("RandomRowFilter", real(1, -1.0)), pb("RandomRowFilter", real(1, 2.0)), pb("RandomRowFilter", real(1, 0.0)),
              pb_single("f", "a", EQUAL, bytes_cmp("3")), pb_single("f", "a", EQUAL, bytes_cmp("2"), True, False), pb_single("f", "a", EQUAL, bytes_cmp("2"), True, True),
              pb_single("f", "a", EQUAL, bytes_cmp("2"), True), pb_single(None, None, EQUAL, bytes_cmp("3")), pb_single(None, None, EQUAL, bytes_cmp("3"), True),
              pb_single_exclude("f", "a", EQUAL, bytes_cmp("3"), True, True), pb_single_exclude("f", "a", NOT_EQUAL, bytes_cmp("3")),
              pb("TimestampsFilter", number(1, 2) + number(1, 3)), pb("TimestampsFilter", text(1, varint(2) + varint(3))), pb("TimestampsFilter", number(1, 2) + number(2, 1)), pb("TimestampsFilter")):
        scanb(j, t, m)
    for m in (pb("TimestampsFilter", number(1, 1) + number(1, 3) + number(2, 1)), pb("TimestampsFilter", number(1, 2) + number(2, 1)), pb_single("f", "a", EQUAL, bytes_cmp("2"), True, False),
              pb_single("f", "a", EQUAL, bytes_cmp("2"), True), pb_dependent("f", "a", True)):
        scanb(j, t, m, maxVersions=3)
    scanb(j, t, pb("FilterWrapper", text(1, pb_prefix("r2"))))


@scenario("filterbytes-comparators")
def pb_comparators(j):
    t = create(j, (("f", 1),))
    fill(j, t, tuple((f"{i}", ("f:v", v, 1)) for i, v in enumerate((
        struct.pack(">q", 5).decode("latin-1"), struct.pack(">q", -5).decode("latin-1"), struct.pack(">q", 0).decode("latin-1"),
        struct.pack(">q", 1 << 40).decode("latin-1")))))
    ops = (LESS, LESS_OR_EQUAL, EQUAL, NOT_EQUAL, GREATER_OR_EQUAL, GREATER)
    for op in ops:
        scanb(j, t, pb_compare("ValueFilter", op, long_cmp(0)))
        scanb(j, t, pb_compare("ValueFilter", op, null_cmp()))
        scanb(j, t, pb_compare("ValueFilter", op, bit_cmp(b"\0\0\0\0\0\0\0\1", BIT_AND)))
        scanb(j, t, pb_compare("RowFilter", op, substring_cmp("2")))
        scanb(j, t, pb_compare("RowFilter", op, regex_cmp("[12]")))
        scanb(j, t, pb_compare("RowFilter", op, bytes_cmp("1")))
        scanb(j, t, pb_compare("RowFilter", op, bytes_cmp("1", "BinaryPrefixComparator")))
        scanb(j, t, pb_compare("RowFilter", op, component_cmp("2", 0)))
    scanb(j, t, pb_compare("RowFilter", NO_OP, bytes_cmp("1")))
    scanb(j, t, pb_compare("ValueFilter", NO_OP, bytes_cmp("1")))
    scanb(j, t, pb_compare("QualifierFilter", NO_OP, bytes_cmp("v")))
    scanb(j, t, pb_compare("FamilyFilter", NO_OP, bytes_cmp("f")))
    for op in (BIT_AND, BIT_OR, BIT_XOR):
        for value in (b"\0" * 8, b"\0\0\0\0\0\0\0\5", b"\xff" * 8, b"\1"):
            scanb(j, t, pb_compare("ValueFilter", EQUAL, bit_cmp(value, op)))
    for m in (regex_cmp("^V$", 2), regex_cmp("^V$"), regex_cmp("v", 16), regex_cmp(".", 16), regex_cmp("v # x", 4), regex_cmp("v", 32, "ISO-8859-1"), regex_cmp("v", 0, "US-ASCII"),
              regex_cmp("^v$", 32, "UTF-8", "JAVA"), regex_cmp("^v$", 32, "UTF-8", "JONI"), regex_cmp("^V$", 2, "UTF-8", "JONI"), substring_cmp("V"), substring_cmp(""), null_cmp()):
        scanb(j, t, pb_compare("QualifierFilter", EQUAL, m))
    scanb(j, t, pb_compare("ValueFilter", EQUAL, component_cmp("\5", 7)))
    scanb(j, t, pb_compare("ValueFilter", LESS, component_cmp("\x80", 0)))


@scenario("filterbytes-decimals-and-flags")
def pb_decimals(j):
    t = create(j, (("f", 1),))
    numbers = ((0, 5), (1, 50), (2, -125), (0, 0), (-3, 7), (0, 1 << 70))
    fill(j, t, tuple((f"{i}", ("f:v", decimal_bytes(s, u).decode("latin-1"), 1)) for i, (s, u) in enumerate(numbers)))
    for op in (LESS, LESS_OR_EQUAL, EQUAL, NOT_EQUAL, GREATER_OR_EQUAL, GREATER):
        scanb(j, t, pb_compare("ValueFilter", op, decimal_cmp(0, 5)))
        scanb(j, t, pb_compare("ValueFilter", op, decimal_cmp(2, -125)))
    u = create(j, (("f", 1),), name="words")
    fill(j, u, tuple((f"{i:02d}", ("f:v", v, 1)) for i, v in enumerate(("abc", "ABC", "a\nbc", "x.y", "\xc3\xa9", "\xc3\x89", "e\xcc\x81", "\xe9"))))
    for pattern, flags in (("abc", 2), ("a.bc", 0), ("a.bc", 32), ("^bc", 8), ("^bc", 0), ("a$", 8), ("x.y", 16), (".", 16), ("a b c", 4), ("\xc3\xa9", 2), ("\xc3\xa9", 66), ("\xc3\xa9", 128), ("\\w", 0), ("\\w", 256),
                           ("^.bc", 1), ("a.bc", 1)):
        scanb(j, u, pb_compare("ValueFilter", EQUAL, regex_cmp(pattern, flags)))
    scanb(j, u, pb_compare("ValueFilter", EQUAL, regex_cmp("\xc3\xa9", 0, "ISO-8859-1")))
    scanb(j, u, pb_compare("ValueFilter", EQUAL, regex_cmp("^..$", 0, "ISO-8859-1")))
    scanb(j, u, pb_compare("ValueFilter", EQUAL, regex_cmp("^.$", 0, "UTF-8")))


FUZZY_ROWS = ("a", "a1x", "a1y", "a2x", "ab", "b1x", "b2y", "b2yz", "c", "c9x", "\xff1x")


@scenario("filterbytes-fuzzy-rows")
def fuzzy(j):
    t = create(j, (("f", 1),))
    fill(j, t, tuple((r, ("f:b" if r in ("b1x", "c") else "f:a", "v", 1)) for r in FUZZY_ROWS))
    fixed, any1, any2 = "\xff", "\x00", "\x02"
    for message in (pb_fuzzy(("\x001x", any2 + fixed + fixed), v2=True), pb_fuzzy(("a\x00x", fixed + any2 + fixed), v2=True), pb_fuzzy(("a\0\0", fixed + any2 + any2), v2=True),
                    pb_fuzzy(("\0\0\0", any2 * 3), v2=True), pb_fuzzy(("a1x", fixed * 3), v2=True), pb_fuzzy(("b", fixed), v2=True), pb_fuzzy(("b2y", fixed * 3), v2=True),
                    pb_fuzzy(("a1x", fixed * 3), ("\x002y", any2 + fixed * 2), v2=True), pb_fuzzy(("zzz", fixed * 3), v2=True), pb_fuzzy(("\0\0x", any2 + any2 + fixed), ("c", fixed), v2=True),
                    pb_fuzzy(("\x001x", any1 + fixed + fixed), v2=False), pb_fuzzy(("\x001x", any1 + fixed + fixed)), pb_fuzzy(("a1x", fixed * 3)),
                    pb_fuzzy(("a1x", "\0\0\0"), v2=True), pb_fuzzy(("?1x", "\1\0\0"), v2=True), pb_fuzzy(("?1x", "\1\0\0")), pb_fuzzy(("a1x", "\0\0\0")), pb_fuzzy(("a??", "\0\1\1")),
                    pb_fuzzy(("a?x", fixed + any2 + fixed), v2=True), pb_fuzzy(("", ""), v2=True), pb_fuzzy(("a1", fixed), v2=True), pb_fuzzy(v2=True), pb_fuzzy()):
        scanb(j, t, message)
    for message in (pb_fuzzy(("\x001x", any2 + fixed + fixed), v2=True), pb_fuzzy(("a\0x", fixed + any2 + fixed), v2=True), pb_fuzzy(("a1x", fixed * 3), ("c\0x", fixed + any2 + fixed), v2=True),
                    pb_fuzzy(("\0\0x", any2 + any2 + fixed), v2=True), pb_fuzzy(("\0\0\0", any2 * 3), v2=True)):
        scanb(j, t, message, reversed=True)
        scanb(j, t, message, startRow="a2", stopRow="c")
        scanb(j, t, pb_and(message, pb_page(2)))
        scanb(j, t, pb_or(message, pb_prefix("c")))
        scanb(j, t, pb_skip(message))
        scanb(j, t, pb_while(message))
    j.t2.get(table=t, tget={"row": "a1x", "filterBytes": pb_fuzzy(("a\0x", fixed + any2 + fixed), v2=True)})
    j.t2.get(table=t, tget={"row": "a1y", "filterBytes": pb_fuzzy(("a\0x", fixed + any2 + fixed), v2=True)})


@scenario("filterbytes-row-ranges")
def ranges(j):
    t = create(j, (("f", 1),))
    fill(j, t, tuple((r, ("f:b" if r in ("b1x", "c") else "f:a", "v", 1)) for r in FUZZY_ROWS))
    cases = ((row_range("a1y", True, "b1x", True),), (row_range("a1y", False, "b1x", False),), (row_range("a1y", True, "b1x", False),), (row_range("a1y", False, "b1x", True),),
             (row_range("", True, "a2x", False),), (row_range("b", True, "", True),), (row_range("", True, "", True),), (row_range(None, None, "ab", True),), (row_range("b2", True, None, None),), (row_range(None, None, None, None),),
             (row_range("a", True, "a", True),), (row_range("a", True, "a", False),), (row_range("a", False, "a", True),), (row_range("c", True, "a", True),), (),
             (row_range("a", True, "a1", True), row_range("b2y", True, "b2y", True)), (row_range("b", True, "c", True), row_range("a", True, "a2", True)),
             (row_range("a", True, "b", True), row_range("a2", True, "b2", True)), (row_range("a", True, "ab", False), row_range("ab", True, "c", True)), (row_range("a", True, "ab", False), row_range("ab", False, "c", True)),
             (row_range("a", True, "zz", True), row_range("a1", True, "a2", True)), (row_range("a", True, "b", True), row_range("c", True, "b", True)), (row_range("a1", False, "b", False), row_range("a1", True, "ab", False)),
             (row_range("x", True, "y", True),), (row_range("a1x", None, "ab", None),),
             (row_range("a1x", False, "b", False), row_range("a1x", True, "ab", False)), (row_range("a1x", True, "ab", False), row_range("a1x", False, "b1x", True)),
             (row_range("a", True, "a2x", False), row_range("a1", True, "a2x", True)))
    for case in cases:
        scanb(j, t, pb_ranges(*case))
    for case in cases[:8] + cases[15:20]:
        scanb(j, t, pb_ranges(*case), reversed=True)
    two = pb_ranges(*cases[15])
    for m in (pb_and(two, pb_page(2)), pb_or(two, pb_prefix("c")), pb_and(two, pb("ColumnPrefixFilter", text(1, "b"))), pb_skip(two), pb_while(two), pb_while(pb_ranges(*cases[1]))):
        scanb(j, t, m)
    scanb(j, t, two, startRow="a1x", stopRow="b2z")
    j.t2.get(table=t, tget={"row": "a1x", "filterBytes": two})
    j.t2.get(table=t, tget={"row": "b2y", "filterBytes": two})


@scenario("filterbytes-row-ranges-of-one-row")
def one_row_ranges(j):
    """Reversed scans and (row, row], which contains no row. HBase returns the row if it is the first of a region."""
    t = create(j, (("f", 1),), splits=["d"])
    fill(j, t, tuple((r, ("f:a", "v", 1)) for r in ("a", "aa", "b", "c", "d", "e", "f")))
    open_range = row_range("e", False, "", False)
    for points in (("c",), ("b",), ("f",), ("a", "c"), ("b", "c"), ("aa", "b", "c"), ("a", "aa", "b", "c", "d", "e", "f"), ("bb",)):
        point_ranges = [row_range(r, False, r, True) for r in points]
        for ranges in (point_ranges, [*point_ranges, open_range], [row_range("a", True, "b", False), *point_ranges], [*point_ranges, row_range("c", False, "cc", True)],
                       [row_range("a", False, "c", False), *point_ranges]):
            m = pb_ranges(*ranges)
            for more in ({}, {"startRow": "c"}, {"startRow": "b"}, {"startRow": "f"}):
                scanb(j, t, m, reversed=True, **more)
            scanb(j, t, m)
            for m in (pb_and(m, pb_prefix("")), pb_or(m, pb_prefix("a")), pb_while(m)):
                scanb(j, t, m, reversed=True)
    for ranges in ((("a", "", True), ("c", "b", True)), (("a", "", True), ("b", "b", False)), (("a", "", True), ("c", "b", True), ("d", "c", True)),
                   (("", "b", True), ("a", "", True), ("c", "b", True)), (("", "a", True), ("b", "", True), ("c", "b", True)), (("c", "b", True), ("d", "", True), ("e", "a", True))):
        scanb(j, t, pb_ranges(*(row_range(start, True, stop, last) for start, stop, last in ranges)))


@scenario("filterbytes-empty-component")
def empty_component(j):
    t = zoo(j)
    for value in ("", "3"):
        for offset in (0, 1, 3, 2**31 - 1):
            for op in (EQUAL, NOT_EQUAL, LESS, LESS_OR_EQUAL):
                scanb(j, t, pb_compare("ValueFilter", op, component_cmp(value, offset)))


@scenario("filterbytes-other-wire-types")
def other_wire_types(j):
    """Fields whose wire type is not that of their number, which protobuf-java skips."""
    t = zoo(j)
    name = text(1, PACKAGE + "PageFilter")
    for m in (name + number(2, 7), number(1, 7), number(1, 7) + text(2, number(1, 2)), name + text(2, number(1, 2)) + number(2, 7), number(1, 7) + name + text(2, number(1, 2)),
              name + real(2, 1), name + text(2, text(1, "2")), name + text(2, number(1, 2) + text(1, "2")), name + text(2, real(1, 2)), name + varint(1 << 3 | 1) + b"12345678" + text(2, number(1, 2)),
              pb("PrefixFilter", number(1, 2)), pb("PrefixFilter", text(1, "r") + number(1, 2)), pb("KeyOnlyFilter", text(1, "x")), pb("FilterList", number(1, 1) + number(2, 1)),
              pb("FilterList", text(1, "x") + text(2, pb_page(2))), pb("FilterList", number(1, 1) + text(2, pb_page(2)) + number(2, 1)), pb("SkipFilter", number(1, 1)),
              pb("FilterList", number(1, 1) + text(2, name + number(2, 7))), pb("MultiRowRangeFilter", number(1, 2)), pb("ValueFilter", text(1, text(1, "x") + text(2, bytes_cmp("3")))), pb("RandomRowFilter", number(1, 1)),
              pb("TimestampsFilter", text(1, b"\1\2")), pb("TimestampsFilter", real(1, 1)), name + text(2, number(1, 2)) + b"\x18", name + text(2, b"\x08"), b"\x0a", b"\x0a\x05x"):
        scanb(j, t, m)
    j.t2.get(table=t, tget={"row": "r1", "filterBytes": number(1, 7)})


@scenario("filterbytes-lists-and-wrappers")
def pb_lists(j):
    t = zoo(j)
    p, v, q = pb_prefix("r"), pb_compare("ValueFilter", EQUAL, bytes_cmp("3")), pb("ColumnPrefixFilter", text(1, "a"))
    for m in (pb_and(), pb_or(), pb_and(p), pb_or(p), pb_and(p, v), pb_or(p, v), pb_and(p, pb_or(v, q)), pb_or(pb_and(p, q), v), pb_and(pb_and(), v), pb_or(pb_and(), v), pb_and(pb_or(), v), pb_or(pb_or(), v), pb_skip(v), pb_while(p),
              pb_skip(pb_skip(v)), pb_skip(pb_while(v)), pb_while(pb_or(p, v)), pb_skip(pb_and()), pb_while(pb_or()), pb_and(pb_page(2), v), pb_and(v, pb_page(2)), pb_or(pb_page(1), v), pb_and(p, pb_and(q, pb_and(v))),
              pb_skip(pb_single("f", "a", EQUAL, bytes_cmp("3"), True, True)), pb_and(pb("FirstKeyValueMatchingQualifiersFilter", text(1, "b")), p),
              pb_or(pb("FirstKeyValueMatchingQualifiersFilter", text(1, "b")), v), pb_and(pb("RandomRowFilter", real(1, 2.0)), v), pb_or(pb("RandomRowFilter", real(1, -1.0)), v),
              pb_or(pb("RandomRowFilter", real(1, -1.0)), p), pb("FilterWrapper", text(1, pb_page(2))), pb("FilterWrapper", text(1, v)), pb_and(pb("ColumnPaginationFilter", number(1, 1) + text(3, "b")), p),
              pb_or(pb("TimestampsFilter", number(1, 3) + number(2, 1)), q), pb_and(pb("TimestampsFilter", number(1, 3) + number(2, 1)), q)):
        scanb(j, t, m, **({"maxVersions": 3} if len(m) % 2 else {}))


@scenario("filterbytes-errors")
def pb_errors(j):
    t = zoo(j)
    v = bytes_cmp("3")
    for m in (b"", b"\xff", b"\xff\xff\xff", b"PrefixFilter('r1')", text(2, b""), text(1, ""), text(1, PACKAGE + "PageFilter"), text(1, "PrefixFilter"), pb("NoSuchFilter"), pb("FilterAllFilter"), pb("Filter"), pb("FilterBase"),
              pb("CompareFilter", compare(EQUAL, v)), pb("BinaryComparator", text(1, text(1, "x"))), pb("String", package="java.lang."), pb("Object", package="java.lang."), pb("ParseFilter"),
              pb("PageFilter"), pb("PageFilter", b"\xff"), pb_page(-1), pb("ColumnCountGetFilter", number(1, -3)), pb("ColumnPaginationFilter", number(1, -1)), pb("ColumnPaginationFilter", number(1, 1) + number(2, -1)),
              pb("ColumnPaginationFilter"), pb("ColumnPrefixFilter"), pb("KeyOnlyFilter"), pb("RowFilter"), pb("RowFilter", text(1, b"")), pb_compare("RowFilter", 9, v), pb_compare("RowFilter", EQUAL, b""),
              pb_compare("RowFilter", EQUAL, text(1, PACKAGE + "NoSuchComparator") + text(2, b"")), pb_compare("RowFilter", EQUAL, text(1, PACKAGE + "PrefixFilter") + text(2, b"")),
              pb_compare("ValueFilter", EQUAL, bit_cmp("1", 9)), pb_compare("ValueFilter", EQUAL, bytes_cmp("x", "LongComparator")), pb_compare("ValueFilter", EQUAL, regex_cmp("[")),
              pb_compare("ValueFilter", EQUAL, regex_cmp("a", 1 << 16)), pb_compare("ValueFilter", EQUAL, regex_cmp("a", 0, "NOPE")), pb_compare("ValueFilter", EQUAL, regex_cmp("a", 0, "UTF-8", "PERL")),
              pb("MultipleColumnPrefixFilter", text(1, "a") + text(1, "a")), pb("TimestampsFilter", number(1, -1)), pb_list(3), pb_list(0), pb("FilterList"), pb_and(b"\xff"), pb_and(pb("NoSuchFilter")), pb_skip(pb("NoSuchFilter")), pb("SkipFilter"),
              pb("WhileMatchFilter"), pb("RandomRowFilter"), pb("SingleColumnValueFilter"), pb("SingleColumnValueExcludeFilter"), pb("ColumnValueFilter", text(1, "f") + number(3, EQUAL) + text(4, v)),
              pb("DependentColumnFilter"), pb_fuzzy(("r1", "\xff"), v2=True), pb_fuzzy(v2=True), pb_ranges(), pb_ranges(row_range("b", True, "a", True)), pb("FilterWrapper")):
        scanb(j, t, m)
    for m in (pb("InclusiveStopFilter"), pb_compare("RowFilter", EQUAL), pb_single("f", "a", NO_OP, v), pb_compare("ValueFilter", EQUAL, component_cmp("1", 9))):
        scanb(j, t, m)
    j.t2.get(table=t, tget={"row": "r1", "filterBytes": b"\xff"})
    j.t2.get(table=t, tget={"row": "r1", "filterBytes": ""})
    j.t2.get(table=t, tget={"row": "r1", "filterBytes": pb("NoSuchFilter")})
    j.t2.exists(table=t, tget={"row": "r1", "filterBytes": pb("NoSuchFilter")})
    j.t2.getMultiple(table=t, tgets=[{"row": "r1"}, {"row": "r1", "filterBytes": pb("NoSuchFilter")}])
    j.t2.openScanner(table=t, tscan={"filterBytes": b"\xff"})
    j.t2.openScanner(table=t, tscan={"filterBytes": pb("NoSuchFilter")})


@scenario("filterbytes-and-filterstring")
def pb_and_string(j):
    t = zoo(j)
    scan2(j, t, "PrefixFilter('r1')", filterBytes=pb_prefix("r2"))
    scan2(j, t, "Bad()", filterBytes=pb_prefix("r2"))
    scan2(j, t, "PrefixFilter('r1')", filterBytes=b"\xff")
    scan2(j, t, "", filterBytes=pb_prefix("r2"))
    scan2(j, t, "PrefixFilter('r1')", filterBytes=b"")
    scan2(j, t, "PageFilter(1)", filterBytes=pb_prefix("r"), batchSize=1)
    for m in (pb_prefix("r1"), pb_prefix("s"), pb_page(1), pb("FirstKeyOnlyFilter"), pb("KeyOnlyFilter", number(1, 0)), pb_compare("ValueFilter", EQUAL, bytes_cmp("2")), pb_and(pb_prefix("r1"), pb("ColumnPrefixFilter", text(1, "b")))):
        j.t2.get(table=t, tget={"row": "r1", "filterBytes": m})
        j.t2.get(table=t, tget={"row": "r1", "filterBytes": m, "maxVersions": 3})
        j.t2.exists(table=t, tget={"row": "r1", "filterBytes": m})
        scanb(j, t, m, reversed=True)
        scanb(j, t, m, columns=[{"family": "f"}], limit=2)
    j.t2.get(table=t, tget={"row": "r1", "filterString": "PrefixFilter('s')", "filterBytes": pb_prefix("r1")})
    j.t2.get(table=t, tget={"row": "r1", "filterString": "Bad()", "filterBytes": pb_prefix("r1")})


# ---------------------------------------------------------------- random

RANDOM_ROWS = (
    ("a", ("f:a", "1", 1), ("f:a", "2", 2), ("g:a", "2", 2)),
    ("ab", ("f:ab", "3", 1), ("g:b", "1", 3)),
    ("b", ("f:a", "2", 2), ("f:b", "1", 1), ("f:b", "3", 3), ("g:ab", "12", 1)),
    ("ba", ("g:a", "2", 1)),
    ("c", ("f:a", "12", 3), ("f:ab", "", 2), ("f:b", "a", 1), ("g:a", "1", 3)),
    ("cc", ("f:b", "2", 2)),
)
ROWS, QUALIFIERS, VALUES = ("", "a", "ab", "b", "ba", "c", "d"), ("", "a", "ab", "b", "c"), ("", "1", "2", "3", "12", "a")


def random_comparator(rng, values):
    kind = rng.choice(("binary", "binary", "binary", "binaryprefix", "substring", "regexstring"))
    op = rng.choice(("=", "!=") if kind in ("substring", "regexstring") else ("<", "<=", "=", "!=", ">", ">="))
    value = rng.choice(("^a", "[12]$", ".", "b", "^.$", "") if kind == "regexstring" else values)
    return f"{op},'{kind}:{value}'"


def random_simple(rng):
    pick, flag = rng.choice, lambda: rng.choice(("true", "false"))
    name = pick(("Key", "FirstKey", "Prefix", "ColumnPrefix", "MultiplePrefix", "Page", "Pagination", "Stop", "Timestamps", "Row", "Row", "Family", "Qualifier", "Qualifier",
                 "Value", "Value", "Value", "Range", "Single", "Single", "Exclude", "Dependent", "ColumnValue"))
    if name == "Key":
        return pick(("KeyOnlyFilter()", "KeyOnlyFilter(true)"))
    if name == "FirstKey":
        return "FirstKeyOnlyFilter()"
    if name == "Prefix":
        return f"PrefixFilter('{pick(ROWS)}')"
    if name == "ColumnPrefix":
        return f"ColumnPrefixFilter('{pick(QUALIFIERS)}')"
    if name == "MultiplePrefix":
        return "MultipleColumnPrefixFilter(%s)" % ",".join(f"'{q}'" for q in rng.sample(QUALIFIERS, rng.randint(0, 3)))
    if name == "Page":
        return f"PageFilter({rng.randint(0, 4)})"
    if name == "Pagination":
        return f"ColumnPaginationFilter({rng.randint(0, 2)},{rng.randint(0, 2)})"
    if name == "Stop":
        return f"InclusiveStopFilter('{pick(ROWS)}')"
    if name == "Timestamps":
        return "TimestampsFilter(%s)" % ",".join(str(n) for n in rng.sample((1, 2, 3, 9), rng.randint(0, 3)))
    if name in ("Row", "Family", "Qualifier", "Value"):
        return f"{name}Filter({random_comparator(rng, {'Row': ROWS, 'Family': ('f', 'g', 'ff'), 'Qualifier': QUALIFIERS, 'Value': VALUES}[name])})"
    if name == "Range":
        return f"ColumnRangeFilter('{pick(QUALIFIERS)}',{flag()},'{pick(QUALIFIERS)}',{flag()})"
    column = f"'{pick(('f', 'f', 'g'))}','{pick(('a', 'ab', 'b', 'a', 'none'))}'"
    if name in ("Single", "Exclude"):
        tail = pick(("", f",{flag()},{flag()}"))
        return f"SingleColumnValue{'Exclude' if name == 'Exclude' else ''}Filter({column},{random_comparator(rng, VALUES)}{tail})"
    if name == "Dependent":
        tail = pick(("", f",{flag()}", f",{flag()},{random_comparator(rng, VALUES)}"))
        return f"DependentColumnFilter({column}{tail})"
    return f"ColumnValueFilter({column},{random_comparator(rng, VALUES)})"


def random_expression(rng, depth):
    shape = rng.random()
    if depth == 0 or shape < 0.35:
        return random_simple(rng)
    if shape < 0.5:
        return f"{rng.choice(('SKIP', 'WHILE'))} {random_expression(rng, depth - 1)}"
    if shape < 0.65:
        return f"({random_expression(rng, depth - 1)})"
    parts = [random_expression(rng, depth - 1) for _ in range(rng.choice((2, 2, 3)))]
    return "".join(p + (f" {rng.choice(('AND', 'OR'))} " if i + 1 < len(parts) else "") for i, p in enumerate(parts))


def spoil(rng, x):
    """Occasionally adds or removes a character."""
    at = rng.randrange(len(x))
    return x[:at] + rng.choice(("", "", " ", "'", "(", ")", ",", "\t")) + x[at + rng.choice((0, 1)):]


def random_options(rng, dialect):
    out = {}
    if rng.random() < 0.25:
        out["startRow"] = rng.choice(ROWS)
    if rng.random() < 0.2:
        out["stopRow"] = rng.choice(ROWS)
    if rng.random() < 0.15:
        out["reversed"] = True
    if rng.random() < 0.15:
        out["caching"] = rng.choice((1, 2))
    columns = rng.choice((("f",), ("g",), ("f:a",), ("f:b", "g:a")) if rng.random() < 0.2 else ((),))
    if columns:
        out["columns"] = list(columns) if dialect == 1 else [dict(zip(("family", "qualifier"), c.split(":"))) for c in columns]
    if dialect == 2 and rng.random() < 0.5:
        out["maxVersions"] = rng.choice((2, 3))
    if dialect == 2 and rng.random() < 0.15:
        out["limit"] = rng.choice((1, 2, 3))
    return out


def random_text(rng):
    x = random_expression(rng, rng.choice((0, 1, 1, 2, 2, 3)))
    return spoil(rng, x) if rng.random() < 0.08 else x


def random_scans2(j, calls, splits=None):
    t = create(j, splits=splits)
    fill(j, t, RANDOM_ROWS)
    for _ in range(calls):
        if j.rng.random() < 0.15:
            get2(j, t, j.rng.choice(ROWS[1:]), random_text(j.rng), **({"maxVersions": 3} if j.rng.random() < 0.5 else {}))
        else:
            scan2(j, t, random_text(j.rng), **random_options(j.rng, 2))


def random_scans1(j, calls):
    t = create(j)
    fill(j, t, RANDOM_ROWS)
    for _ in range(calls):
        scan1(j, t, random_text(j.rng), **random_options(j.rng, 1))


def random_pb_simple(rng):
    pick, flag = rng.choice, lambda: rng.choice((None, True, False))

    def comparator(values):
        return pick((bytes_cmp(pick(values)), bytes_cmp(pick(values)), bytes_cmp(pick(values), "BinaryPrefixComparator"), substring_cmp(pick(values)), regex_cmp(pick(("^a", "[12]$", "."))),
                     null_cmp(), bit_cmp(pick(("1", "\x0f", "\x80", "12")), pick((BIT_AND, BIT_OR, BIT_XOR)))))
    op = rng.randrange(6)
    name = pick(("compare", "compare", "compare", "fuzzy", "fuzzy", "ranges", "ranges", "matching", "page", "prefix", "offset", "timestamps", "range", "single", "exclude", "dependent", "columnvalue", "random"))
    if name == "compare":
        kind = pick(("Row", "Qualifier", "Value", "Family"))
        return pb_compare(kind + "Filter", op, comparator({"Row": ROWS, "Qualifier": QUALIFIERS, "Value": VALUES, "Family": ("f", "g")}[kind]))
    if name == "fuzzy":
        pairs = []
        for _ in range(rng.choice((1, 1, 2))):
            key = pick(("a", "b", "ab", "ba", "cc", "ca"))
            mask = "".join(pick(("\xff", "\x02")) for _ in key)
            pairs.append(("".join("\0" if m == "\x02" else k for k, m in zip(key, mask)), mask))
        return pb_fuzzy(*pairs, v2=True)
    if name == "ranges":
        found = []
        for _ in range(rng.choice((1, 2, 3))):
            start, stop = sorted((pick(ROWS), pick(ROWS)))
            found.append(row_range(start, pick((True, False)), stop, True) if start != stop else row_range(start, True, stop, True))
        return pb_ranges(*found)
    if name == "matching":
        return pb("FirstKeyValueMatchingQualifiersFilter", b"".join(text(1, q) for q in rng.sample(QUALIFIERS, rng.randint(0, 2))))
    if name == "page":
        return pb_page(rng.randint(0, 4))
    if name == "prefix":
        return pb_prefix(pick(ROWS))
    if name == "offset":
        return pb("ColumnPaginationFilter", number(1, rng.randint(0, 2)) + text(3, pick(QUALIFIERS)))
    if name == "timestamps":
        return pb("TimestampsFilter", b"".join(number(1, n) for n in rng.sample((1, 2, 3, 9), rng.randint(1, 3))) + number(2, pick((True, False))))
    if name == "range":
        return pb("ColumnRangeFilter", maybe(text, 1, pick((None,) + QUALIFIERS)) + maybe(number, 2, flag()) + maybe(text, 3, pick((None,) + QUALIFIERS)) + maybe(number, 4, flag()))
    family, qualifier = pick(("f", "f", "g")), pick(("a", "ab", "b"))
    if name == "single":
        return pb_single(family, qualifier, op, comparator(VALUES), flag(), flag())
    if name == "exclude":
        return pb_single_exclude(family, qualifier, op, comparator(VALUES), flag(), flag())
    if name == "dependent":
        return pick((pb_dependent(family, qualifier, flag()), pb_dependent(family, qualifier, flag(), op, comparator(VALUES))))
    if name == "columnvalue":
        return pb("ColumnValueFilter", text(1, family) + text(2, qualifier) + number(3, op) + text(4, comparator(VALUES)))
    return pb("RandomRowFilter", real(1, pick((-1.0, 2.0))))


def random_pb(rng, depth):
    shape = rng.random()
    if depth == 0 or shape < 0.4:
        return random_pb_simple(rng)
    if shape < 0.5:
        return pb_skip(random_pb(rng, depth - 1))
    if shape < 0.6:
        return pb_while(random_pb(rng, depth - 1))
    return rng.choice((pb_and, pb_or))(*(random_pb(rng, depth - 1) for _ in range(rng.choice((0, 1, 2, 2, 2, 3)))))


def random_messages(j, calls):
    t = create(j)
    fill(j, t, RANDOM_ROWS)
    for _ in range(calls):
        m = random_pb(j.rng, j.rng.choice((0, 0, 1, 1, 2)))
        if j.rng.random() < 0.15:
            j.t2.get(table=t, tget={"row": j.rng.choice(ROWS[1:]), "filterBytes": m})
        else:
            scanb(j, t, m, **random_options(j.rng, 2))


@scenario("filters-random-thrift2")
def random_thrift2(j):
    random_scans2(j, 180)


@scenario("filters-random-thrift1")
def random_thrift1(j):
    random_scans1(j, 70)


@scenario("filters-random-split-table")
def random_split(j):
    random_scans2(j, 60, splits=["b", "c"])


@scenario("filterbytes-random")
def random_bytes(j):
    random_messages(j, 120)
