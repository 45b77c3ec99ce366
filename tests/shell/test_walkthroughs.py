"""What HBase's guides teach in the shell, as it is taught."""
import os
import subprocess


def printed(shell, *lines):
    """Runs lines with -n; what they print, without prompts, times and values."""
    done = subprocess.run([*shell, "-n"], input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=120, env=dict(os.environ, TZ="UTC"))
    assert done.returncode == 0, done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if not line.startswith(("hbase:", "Took ", "=> "))]


WEB_TABLE = [
    "create 'webtable', {NAME => 'contents', VERSIONS => 3}, 'anchor', 'people'",
    "put 'webtable', 'com.cnn.www', 'contents:html', '<html> t3', 3",
    "put 'webtable', 'com.cnn.www', 'contents:html', '<html> t5', 5",
    "put 'webtable', 'com.cnn.www', 'contents:html', '<html> t6', 6",
    "put 'webtable', 'com.cnn.www', 'anchor:cnnsi.com', 'CNN', 9",
    "put 'webtable', 'com.cnn.www', 'anchor:my.look.ca', 'CNN.com', 8",
    "put 'webtable', 'com.example.www', 'contents:html', '<html>', 5",
    "put 'webtable', 'com.example.www', 'people:author', 'John Doe', 5",
]


def test_the_web_table(shell):
    assert printed(shell, *WEB_TABLE, "get 'webtable', 'com.cnn.www'")[1:] == [
        "COLUMN  CELL",
        " anchor:cnnsi.com timestamp=1970-01-01T00:00:00.009, value=CNN",
        " anchor:my.look.ca timestamp=1970-01-01T00:00:00.008, value=CNN.com",
        " contents:html timestamp=1970-01-01T00:00:00.006, value=<html> t6",
        "1 row(s)",
    ]
    assert printed(shell, "get 'webtable', 'com.cnn.www', {COLUMN => 'contents:html', TIMESTAMP => 8}") == ["COLUMN  CELL", "0 row(s)"]
    assert printed(shell, "get 'webtable', 'com.cnn.www', {COLUMN => 'contents:html', VERSIONS => 3}")[1:] == [
        f" contents:html timestamp=1970-01-01T00:00:00.00{time}, value=<html> t{time}" for time in (6, 5, 3)] + ["1 row(s)"]
    assert printed(shell, "scan 'webtable', {COLUMNS => ['people']}")[1:] == [
        " com.example.www column=people:author, timestamp=1970-01-01T00:00:00.005, value=John Doe", "1 row(s)"]


def test_everyday_commands(shell):
    lines = printed(
        shell, "create 'test', 'cf'", "list 'test'", "describe 'test'", "put 'test', 'row1', 'cf:a', 'value1', 1", "put 'test', 'row2', 'cf:b', 'value2', 1",
        "put 'test', 'row3', 'cf:c', 'value3', 1", "scan 'test'", "get 'test', 'row1'", "alter 'test', {NAME => 'cf', VERSIONS => 5}", "exists 'test'",
        "count 'test'", "delete 'test', 'row1', 'cf:a'", "deleteall 'test', 'row2'", "incr 'test', 'row4', 'cf:n', 5", "get_counter 'test', 'row4', 'cf:n'",
        "disable 'test'", "is_disabled 'test'", "enable 'test'", "is_enabled 'test'", "truncate 'test'", "scan 'test'", "disable 'test'", "drop 'test'", "exists 'test'")
    assert " row3 column=cf:c, timestamp=1970-01-01T00:00:00.001, value=value3" in lines
    assert [line for line in lines if line.endswith("row(s)")] == [f"{n} row(s)" for n in (1, 1, 3, 1, 3, 0)]
    assert "COUNTER VALUE = 5" in lines and lines.count("true") == 2 and lines[-1] == "Table test does not exist"


def test_tall_and_wide(shell):
    lines = printed(
        shell, "create 'social-usage', 'i', 'fb', 'tw', 't'",
        "(0..23).each { |h| put 'social-usage', 'A', 'fb:20151104' + format('%02d', h), (h * 60).to_s, 1 }",
        "get 'social-usage', 'A', {FILTER => \"ColumnRangeFilter('2015110410', true, '2015110412', false)\"}",
        "get 'social-usage', 'A', {FILTER => \"ColumnPaginationFilter(2, 5)\"}",
        "(1..9).each { |d| put 'social-usage', \"A|2015110#{d}\", 'tw:10', (d * 10).to_s, 1 }",
        "scan 'social-usage', {STARTROW => 'A|20151103', STOPROW => 'A|20151106', COLUMNS => 'tw:10'}",
        "incr 'social-usage', 'A', 'i:visits'", "get 'social-usage', 'A', 'i:visits'", "get 'social-usage', 'A', 'i:visits:toLong'")
    assert " fb:2015110410 timestamp=1970-01-01T00:00:00.001, value=600" in lines
    assert [line.split()[0] for line in lines if line.startswith(" fb:")] == ["fb:2015110410", "fb:2015110411", "fb:2015110405", "fb:2015110406"]
    assert [line.split("value=")[1] for line in lines if line.startswith(" A|")] == ["30", "40", "50"]
    values = [line.split("value=")[1] for line in lines if line.startswith(" i:visits")]
    assert values == ["\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x01", "1"]


def test_row_keys(shell):
    lines = printed(
        shell, "create 'keys', 'f'", "salts = %w[a b c d]", "salts.each_with_index { |s, i| put 'keys', \"#{s}-foo#{format('%04d', i)}\", 'f:q', i, 1 }",
        "salts.each { |s| scan 'keys', {ROWPREFIXFILTER => \"#{s}-foo\"} }", "put 'keys', '15551234567'.reverse, 'f:q', 'phone', 1",
        "get 'keys', '76543215551', 'f:q'", "max = java.lang.Long::MAX_VALUE",
        "[1000, 2000, 3000].each { |t| put 'keys', 'metric' + format('%019d', max - t), 'f:t', t, 1 }", "scan 'keys', {ROWPREFIXFILTER => 'metric', LIMIT => 1}",
        "scan 'keys', {STARTROW => 'metric' + format('%019d', max - 2000), STOPROW => 'metric' + format('%019d', max - 999)}")
    assert [line.split()[0] for line in lines if "-foo" in line] == ["a-foo0000", "b-foo0001", "c-foo0002", "d-foo0003"]
    assert " f:q timestamp=1970-01-01T00:00:00.001, value=phone" in lines
    assert [line.split("value=")[1] for line in lines if line.startswith(" metric")] == ["3000", "2000", "1000"]


def test_pre_splitting(shell):
    lines = printed(
        shell, "create 'a', 'f', SPLITS => (1..9).map { |i| (i * 10).to_s }", "get_splits 'a'",
        "create 'b', 'f', {NUMREGIONS => 5, SPLITALGO => 'HexStringSplit'}", "get_splits 'b'",
        "splits = (1..3).map { |i| format('%016x', 0xffffffffffffffff / 4 * i) }", "create 'c', 'f', SPLITS => splits", "get_splits 'c'",
        "truncate_preserve 'a'", "get_splits 'a'", "truncate 'a'", "get_splits 'a'")
    counts = [line.rsplit(" ", 1)[1] for line in lines if line.startswith("Total number of splits")]
    assert counts == ["10", "5", "4", "10", "1"]
    assert "33333333" in lines and "7ffffffffffffffe" in lines


def test_families(shell):
    lines = printed(
        shell, "create 'f1', {NAME => 'f', VERSIONS => 3, MIN_VERSIONS => 1, TTL => 2592000, IN_MEMORY => true, BLOOMFILTER => 'ROW', COMPRESSION => 'GZ'}",
        "describe 'f1'", "disable 'f1'", "alter 'f1', NAME => 'f', VERSIONS => 5, DATA_BLOCK_ENCODING => 'DIFF'", "enable 'f1'", "major_compact 'f1'",
        "describe 'f1'", "alter 'f1', 'delete' => 'g'", "alter 'f1', {NAME => 'g', KEEP_DELETED_CELLS => 'TTL'}", "describe 'f1'")
    first, second, third = [at for at, line in enumerate(lines) if line == "COLUMN FAMILIES DESCRIPTION"]
    assert "TTL => '2592000 SECONDS (30 DAYS)'" in lines[first + 1] and "COMPRESSION => 'GZ'" in lines[first + 1]
    assert "VERSIONS => '5'" in lines[second + 1] and "DATA_BLOCK_ENCODING => 'DIFF'" in lines[second + 1]
    assert "KEEP_DELETED_CELLS => 'TTL'" in lines[third + 3]


def test_the_message_store(shell):
    lines = printed(
        shell, "create 'messages', {NAME => 'm', VERSIONS => 1}, SPLITS => (1..19).map { |i| format('%02d', i * 5) }",
        "create 'index', 'i', SPLITS => (1..9).map(&:to_s)", "max = 9999999999999",
        "3.times do |i|\n  row = '13800000001'.reverse + (max - i).to_s\n  put 'messages', row, 'm:text', \"text #{i}\", 1\n"
        "  put 'index', \"#{i % 10}20260131#{row}\", 'i:r', row, 1\nend",
        "scan 'messages', {ROWPREFIXFILTER => '10000000831', COLUMNS => 'm:text'}", "count 'index'",
        "scan 'index', {STARTROW => '120260131', STOPROW => '120260132', COLUMNS => 'i:r'}")
    assert [line.split("value=")[1] for line in lines if line.startswith(" 10000000831")] == ["text 2", "text 1", "text 0"]
    assert "3 row(s)" in lines and lines[-1] == "1 row(s)"
