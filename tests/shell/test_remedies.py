"""What HBase's messages lack follows on standard error: the name, the reason or the remedy."""
import subprocess

import pytest

from test_scripts import filled, ran

# A command, the message of HBase's shell, the remedy that follows.
REMEDIES = [
    ("get 't', 'a', 'no:q'", "NoSuchColumnFamilyException: Column family no does not exist", "table t has no column family no: name one of its families (f)"),
    ("incr 't', 'a', 'f:q', 1", "Field is not a long, it's 4 bytes wide", "a counter is a value of exactly 8 bytes"),
    ("scan 't', {FILTER => \"PageFilter('x')\"}", "Incorrect filter string PageFilter('x')", "at byte 11: expected a whole number without quotes"),
    ("scan 't', {FILTER => \"PrefixFilter('a'\"}", "Incorrect Filter String", "at byte 16: expected `)`, to close the filter that begins at byte 0"),
    ("scan 't', {FILTER => \"PrefixFilter()\"}", "Incorrect filter string PrefixFilter()", "at byte 0: expected 1 argument (the prefix), found 0"),
    ("scan 't', {FILTER => \"Prefix('x')\"}", "Filter Name Prefix not supported", "at byte 0: expected the name of a filter; did you mean PrefixFilter? The names are ColumnCountGetFilter, "),
    ("scan 't', {FILTER => \"PrefxFilter('x')\"}", "Filter Name PrefxFilter not supported", "did you mean PrefixFilter?"),
    ("scan 't', {FILTER => \"NoSuchFilter('x')\"}", "Filter Name NoSuchFilter not supported", "at byte 0: expected one of ColumnCountGetFilter, "),
    ("create 'new', {NAME => 'f', COMPRESSION => 'gzip'}", "Compression GZIP is not supported. Use one of LZO", "COMPRESSION must be one of NONE, GZ, SNAPPY, LZ4, LZO and ZSTD"),
    ("create 'new', {NAME => 'f', BLOOMFILTER => 'rows'}", "BloomFilter type ROWS is not supported.", "BLOOMFILTER must be one of NONE, ROW, ROWCOL and ROWPREFIX_FIXED_LENGTH"),
    *[(f"{change}, TTL => '1 week'}}", "TTL for column family f must be positive", "TTL => \"1 week\" is no time: write seconds, FOREVER, or days, hours,")
      for change in ("create 'new', {NAME => 'f'", "alter 't', {NAME => 'f'")],
    ("create 'new', {NAME => 'f', TTL => 0}", "TTL for column family f must be positive", "use seconds from 1"),
    ("create 'new', {NAME => 'f', COMPRESSION => 'BZIP2'}", "java.lang.UnsupportedOperationException", "COMPRESSION of family f is BZIP2"),
    ("create 'none:t', 'f'", "Unknown namespace none!", "create it with create_namespace, or choose another name"),
    ("list_namespace_tables 'none'", "Unknown namespace none!", "create it with create_namespace"),
    ("create 't', 'f'", "Table already exists: t!", "choose another name, or disable and drop it first"),
    ("create 'new', 'f', DURABILITY => 'FSYNC'", "No enum constant org.apache.hadoop.hbase.client.Durability.FSYNC",
     "DURABILITY must be one of USE_DEFAULT, SKIP_WAL, ASYNC_WAL, SYNC_WAL, FSYNC_WAL"),
    ("create 'new', {NAME => 'f', DATA_BLOCK_ENCODING => 'NOPE'}", "encoding.DataBlockEncoding.NOPE", "DATA_BLOCK_ENCODING must be one of NONE, PREFIX,"),
    ("scan 't', {CONSISTENCY => 'WEAK'}", "client.Consistency.WEAK", "CONSISTENCY must be one of STRONG, TIMELINE"),
    ("scan 't', {READ_TYPE => 'SLOW'}", "client.Scan.ReadType.SLOW", "READ_TYPE must be one of DEFAULT, STREAM, PREAD"),
    ("create 'new', {NAME => 'f', VERSIONS => 'three'}", 'For input string: "three"', "VERSIONS must be a whole number"),
    ("create 'new', {NAME => 'f', VERSIONS => 0}", "Maximum versions must be positive", "VERSIONS of family f is at least 1"),
    ("create 'new', 'f', MAX_FILESIZE => 'big'", 'For input string: "big"', "MAX_FILESIZE must be a whole number of 64 bits, as in MAX_FILESIZE => 10737418240"),
    ("create 'new', 'f', NUMREGIONS => 2", "Split algorithm must be specified", "NUMREGIONS => 2, SPLITALGO => 'HexStringSplit'"),
    ("create 'new', 'f', SPLITALGO => 'HexStringSplit'", "Number of regions must be specified", "NUMREGIONS => 4, SPLITALGO => 'HexStringSplit'"),
    ("create 'new', 'f', NUMREGIONS => 2, SPLITALGO => 'Hex'", "Class Hex not found", "SPLITALGO is one of HexStringSplit, "),
    ("create 'new', 'f', NUMREGIONS => 1, SPLITALGO => 'HexStringSplit'", "must be greater than 1", "leave NUMREGIONS and SPLITALGO out"),
    ("create 'new', 'f', SPLITS => ['a', 'a']", "found duplicate: a, a", "name each key once"),
    ("create 'new', 'f', SPLITS => ['']", "Empty split key", "leave it out"),
    ("create 'new', 'f', SPLITS_FILE => 'none.txt'", "Splits file none.txt doesn't exist", "one key in each line"),
    ("create 'new'", "Table must have at least one column family", "create 'new', 'f1'"),
    ("create 'new', 5", "Integer of 5 is not of Hash or String type", "as in create 't1', 'f1'"),
    ("create 'new', ''", "Column Family name can not be empty", "as in 'f1' or {NAME => 'f1'}"),
    ("create 'new', {NAME => 'f', METADATA => 'x'}", "METADATA must be a Hash type", "as in METADATA => {"),
    ("create :new, 'f'", "Table name must be of type String", "in quotes, as in 't1'"),
    ("scan ''", "Table qualifier must not be empty", "list shows the tables"),
    ("scan 5", "the name of a table is a string", "in quotes, as in 't1'"),
    ("scan 't', {STOPROW => 5}", "undefined method `to_java_bytes' for 5:Integer", "STOPROW must be a string: put it in quotes, as in '5'"),
    ("scan 't', {ENDROW => [1]}", "undefined method `to_java_bytes'", "ENDROW must be a string"),
    ("scan 't', {TIMERANGE => 5}", "maxStamp is smaller than minStamp", "TIMERANGE => [0, 1700000000000]"),
    ("scan 't', {COLUMNS => 5}", "COLUMNS must be specified as a String or an Array", "COLUMNS => 'f:q'"),
    ("scan 't', {BATCH => 2 ** 70}", "bignum too big to convert into `long'", "BATCH is between"),
    ("scan 't', {COLUMNS => 'f:q:toInt'}", "", "cannot be converted with toInt"),
    ("count 't', 'x'", "no implicit conversion of String into Hash", "count 't1', INTERVAL => 1000"),
    ("count 't', INTERVAL => 'x'", "divided by 0", "INTERVAL must be a whole number"),
    ("get 't'", "wrong number of arguments (given 1, expected 2+)", "write get as in get 't1', 'r1', with commas between the arguments; help 'get'"),
    ("get 't' 'a'", "wrong number of arguments (given 1, expected 2+)", "with commas between the arguments"),
    ("exists", "wrong number of arguments (given 0, expected 1)", "write exists as in exists 't1'; help 'exists'"),
    ("version 5", "wrong number of arguments (given 1, expected 0)", "version takes no arguments"),
    ("(get_table 't').put 'r'", "wrong number of arguments (given 2, expected 4..6)", "write put as in t.put 'r1', 'f:q', 'value', with commas"),
    ("get 't', 'a', {VERSIONS => 3}", "Failed parse of", "COLUMN => 'f:q'"),
    ("get 't', 'a', {COLUMN => 5}", "Failed parse column argument type", "COLUMN => 'f:q'"),
    ("put 't', 'r', 5, 'v'", "undefined method `to_java_bytes'", "the column must be a string"),
    ("put 't', 'r', ':q', 'v'", "Family cannot be null", "as in 'f:q'"),
    ("put 't', 'r', 'f:q', 'v', -1", "Timestamp cannot be negative", "milliseconds since 1970"),
    ("get_counter 't', 'b', 'f:q'", "Wrong length: 3, expected 8", "is not a counter"),
    *[(f"{command} 'nope'", "Table nope does not exist.", "list shows the tables") for command in ("disable", "enable", "drop", "describe")],
    *[(f"{command} 'nope'", "Unknown table nope!", "list shows the tables") for command in ("truncate", "is_enabled", "list_regions")],
    ("alter 'nope', 'f'", "Can't find a table: nope", "list shows the tables"),
    ("alter_status 'nope'", "Can't find a table: nope", "list shows the tables"),
    ("alter 't'", "There should be at least one argument but the table name", "alter 't1', NAME => 'f1'"),
    ("alter 't', METHOD => 'remove'", "Unknown method: remove", "METHOD is one of delete, "),
    ("alter 't', METHOD => 'delete'", "NAME parameter missing for delete method", "NAME => 'f1', METHOD => 'delete'"),
    ("alter 't', METHOD => 'table_att_unset', NAME => 'X'", "Could not find attribute: X", "describe 't' shows"),
    ("create_namespace 'n', 'x'", "is not of Hash or String type", "{'KEY' => 'VALUE'}"),
    ("alter_namespace 'default', {METHOD => 'add'}", "Unknown method add", "METHOD is 'set' or 'unset'"),
    ("list '['", "near index", "Java regular expression"),
    ("list_regions 't', {LOCALITY_THRESHOLD => 1}", "must be a float value", "LOCALITY_THRESHOLD => 0.8"),
    ("compact 't', 'no'", "column family no does not exist", "name one of the table's families (f)"),
]
# A statement that is wrong before a command runs, the class of the error, the beginning of its message, the remedy.
MISTAKES = [
    ("scan users", "NameError", "undefined local variable or method `users'", "text is put in quotes: 'users'; help lists the commands"),
    ("scan 't', {limit => 5}", "NameError", "undefined local variable or method `limit'", "an option is in capitals: LIMIT"),
    ("scan 't', {LIMITS => 5}", "NameError", "uninitialized constant HBaseReceiver::LIMITS", "the nearest name of an option is LIMIT"),
    ("scan 't', {Limit => 5}", "NameError", "uninitialized constant HBaseReceiver::Limit", "the nearest name of an option is LIMIT"),
    ("scan Users", "NameError", "uninitialized constant HBaseReceiver::Users", "text is put in quotes: 'Users'"),
    ("scan 't', {REVERSED => True}", "NameError", "uninitialized constant HBaseReceiver::True", "in small letters: true"),
    ("scan 't', FILTER => PrefixFilter('a')", "NoMethodError", "undefined method `PrefixFilter'", "a filter is text in quotes"),
    ("show 'tables'", "NoMethodError", "undefined method `show'", "there is no command show; use list, which help 'list' explains"),
    ("show tables", "NameError", "undefined local variable or method `tables'", "there is no command show; use list"),
    ("insert 't', 'r'", "NoMethodError", "undefined method `insert'", "there is no command insert; use put"),
    ("scan 't', {FILTER => 'PrefixFilter('a')'}", "SyntaxError", "(hbase):1:37: syntax error, unexpected 'a'", "so put it in double quotes"),
    ("'t'.scan", "NoMethodError", "undefined method `scan' for \"t\":String", "scan is a command; help 'scan'"),
    ("get_table('t').nope", "NoMethodError", "undefined method `nope'", "table_help lists the methods"),
    ("nil.nope", "NoMethodError", "undefined method `nope' for nil:NilClass", "the value before .nope is nil"),
    ("put 't', 'r' + 5, 'f:q', 'v'", "TypeError", "no implicit conversion of Integer into String", "to_s makes one"),
    ("5 + 'a'", "TypeError", "String can't be coerced into Integer", "to_i makes one"),
    ("def f(a); a; end; f 1, 2", "ArgumentError", "wrong number of arguments (given 2, expected 1)", "those of f (line 1, column 19)"),
    ("[1].nope", "NoMethodError", "undefined method `nope'", "docs/shell-language.md lists the methods of the class Array"),
    ("scan 't", "SyntaxError", "(hbase):1:1: syntax error, unexpected end-of-input", "the quote ' that begins in line 1 is not closed"),
    ("scan 't', {LIMIT => 5", "SyntaxError", "(hbase):1:1: syntax error, unexpected end-of-input", "a bracket or a block is not closed"),
    ("put 't',", "SyntaxError", "(hbase):1:1: syntax error, unexpected end-of-input", "an argument is missing at its end"),
    ("scan 't', {LIMIT = 5}", "SyntaxError", "(hbase):1:21: syntax error, unexpected '}', expecting '=>'", "{LIMIT => 5}"),
    ("scan 't' {LIMIT => 5}", "SyntaxError", "(hbase):1:17: syntax error, unexpected '=>'", "in braces after a comma"),
    ("scan ('t', 5)", "SyntaxError", "(hbase):1:10: syntax error, unexpected ','", "there must be no space"),
    ("get 't' 5", "SyntaxError", "(hbase):1:9: syntax error, unexpected number 5", "arguments have commas between them"),
]


@pytest.mark.parametrize("command, said, remedy", REMEDIES, ids=[command for command, *_ in REMEDIES])
def test_the_remedy_follows_an_error_on_standard_error(shell, command, said, remedy):
    filled(shell)
    done = ran(shell, "-e", command, status=1)
    error, after = done.stderr[done.stderr.index("ERROR "):].removesuffix("\n").rsplit("\n", 1)
    assert said in error and after.startswith("hjall: ") and remedy in after, done.stderr
    typed = ran(shell, input=command + "\n")
    assert "ERROR: " in typed.stdout and said in typed.stdout and remedy not in typed.stdout
    assert after in typed.stderr.splitlines()


@pytest.mark.parametrize("statement, kind, said, remedy", MISTAKES, ids=[statement for statement, *_ in MISTAKES])
def test_the_remedy_follows_a_mistake_in_the_language(folder_shell, statement, kind, said, remedy):
    *_, error, after = (line for line in ran(folder_shell, "-e", statement, status=1).stderr.splitlines() if not line.startswith("Did you"))
    assert error.startswith(f"ERROR {kind}: {said}") and after.startswith("hjall: ") and remedy in after, (error, after)
    typed = subprocess.run(folder_shell, input=statement + "\n", capture_output=True, text=True, timeout=60)
    assert kind in typed.stdout + typed.stderr and remedy not in typed.stdout and after in typed.stderr.splitlines(), typed


def test_a_rescued_error_has_the_message_of_hbase_only(folder_shell):
    done = ran(folder_shell, "-e", "begin; scan 'none'; rescue => e; puts e.message; end", "-e", "begin; scan users; rescue => e; puts e.message; end")
    assert "Unknown table none!\n" in done.stdout and "hjall: " not in done.stdout + done.stderr.replace("hjall: creating", "")


@pytest.mark.parametrize("script, error, remedy", [
    ("list\n\nput 't', 'r', 'f:q', '1\nput t, r\n", "(hbase):4:1: syntax error, unexpected end-of-input", "the quote ' that begins in line 3 is not closed"),
    ("put 't', # 'r'\n  'r', 'f:q', 'v\n", "(hbase):2:1: syntax error, unexpected end-of-input", "the quote ' that begins in line 2 is not closed"),
    ("list\nput 't', 'r', 'f:q', 'v\nscan 't'\n", "(hbase):3:1: syntax error, unexpected end-of-input", "the quote ' that begins in line 2 is not closed"),
    ("list\nput 't', 'r', 'f:q', 'v\nput 't', 'r', 'f:q', 'w\n", "syntax error, unexpected 't'", "a quote that begins in line 2 goes on in the next line: is the one that closes it missing?"),
])
def test_a_quote_that_is_not_closed_is_named_with_the_line_in_which_it_begins(folder_shell, script, error, remedy):
    done = ran([*folder_shell, "-n"], input=script, status=1)
    *_, said, after = done.stderr.splitlines()
    assert error in said and after == f"hjall: {remedy}", done.stderr
