"""Scripts: -e, files, standard input, exit codes, formats, logins, and folders that a server has open."""
import csv
import io
import json
import os
import pathlib
import signal
import subprocess

import pytest

from serving import Hjall, binary


def ran(shell, *options, input=None, status=0, folder=None, environment=None):
    """Runs a shell to its end; what it printed."""
    home = {"HOME": str(folder)} if folder else {}
    done = subprocess.run([*shell, *options], input=input, stdin=subprocess.DEVNULL if input is None else None, capture_output=True, text=True,
                          timeout=120, cwd=folder, env=dict(os.environ, TZ="UTC", **home, **(environment or {})))
    assert done.returncode == status, (done.returncode, done.stdout, done.stderr)
    return done


def filled(shell):
    """Creates a table with two rows."""
    ran(shell, "-e", "create 't', 'f'", "-e", "put 't', 'a', 'f:q', \"1,\\\"\\x00\", 1", "-e", "put 't', 'b', 'f:q', 'two', 2")


def test_commands_run_without_prompts(shell):
    done = ran(shell, "-e", "create 't', 'f'", "-e", "x = 2", "-e", "for i in 1..x\n  put 't', i, 'f:q', i, i\nend", "-e", "scan 't'")
    assert "hbase:" not in done.stdout and "HBase Shell" not in done.stdout
    assert " 2 column=f:q, timestamp=1970-01-01T00:00:00.002, value=2\n2 row(s)\n" in done.stdout


def test_an_error_ends_the_commands(shell):
    done = ran(shell, "-e", "puts 'before'", "-e", "put 'none', 'r', 'f:q', 'v'", "-e", "puts 'after'", status=1)
    assert done.stdout.startswith("before\nTook ") and "after" not in done.stdout
    assert done.stderr.splitlines()[-2:] == [
        "ERROR RuntimeError: Unknown table none!", "hjall: create it, or choose another name; list shows the tables"]


def test_an_unfinished_command_is_an_error(shell):
    assert "SyntaxError" in ran(shell, "-e", "scan 't', {LIMIT =>", status=1).stderr


def test_the_status_of_exit(shell):
    assert ran(shell, "-e", "exit 7", status=7).stdout == ""


def test_a_script_can_rescue(shell, tmp_path):
    script = tmp_path / "script.rb"
    script.write_text("begin\n  put 'none', 'r', 'f:q', 'v'\nrescue => e\n  puts \"rescued #{e}\"\nend\nexit 0\n")
    assert "rescued Unknown table none!" in ran(shell, "-n", str(script)).stdout


def test_a_script_without_n_is_followed_by_an_interactive_shell(shell, tmp_path):
    script = tmp_path / "script.rb"
    script.write_text("puts 1\n")
    done = ran(shell, str(script), input="puts 2\n")
    assert done.stdout.index("1\n") < done.stdout.index("HBase Shell") < done.stdout.index("hbase:001:0> puts 2\n2\n")


def test_json(shell):
    filled(shell)
    rows = json.loads(ran(shell, "--format", "json", "-e", "scan 't'").stdout)
    assert rows == [{"row": "a", "column": "f:q", "timestamp": 1, "value": '1,"\\x00'}, {"row": "b", "column": "f:q", "timestamp": 2, "value": "two"}]
    assert json.loads(ran(shell, "--format", "json", "-e", "scan 't', {STARTROW => 'z'}").stdout) == []


def test_json_lines(shell):
    filled(shell)
    lines = ran(shell, "--format", "jsonl", "-e", "get 't', 'b'", "-e", "count 't'", "-e", "list").stdout.splitlines()
    assert [json.loads(line) for line in lines] == [
        {"row": "b", "column": "f:q", "timestamp": 2, "value": "two"}, {"count": 2}, {"table": "t"}]


def test_csv(shell):
    filled(shell)
    rows = list(csv.reader(io.StringIO(ran(shell, "--format", "csv", "-e", "scan 't'").stdout)))
    assert rows == [["row", "column", "timestamp", "value"], ["a", "f:q", "1", '1,"\\x00'], ["b", "f:q", "2", "two"]]


def test_errors_are_not_among_records(shell):
    done = ran(shell, "--format", "jsonl", input="scan 'none'\nputs 'goes on'\n")
    assert done.stdout == "goes on\n" and "ERROR: Unknown table none!" in done.stderr


def test_a_closed_pipe_ends_a_scan(folder_shell):
    ran(folder_shell, "-e", "create 't', 'f'", "-e", "(1..3000).each { |i| put 't', i, 'f:q', 'x' * 100 }")
    shell = subprocess.Popen([*folder_shell, "-e", "scan 't'"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert shell.stdout.readline() == "ROW  COLUMN+CELL\n"
    shell.stdout.close()
    assert shell.wait(60) == 1 and shell.stderr.read() == ""
    shell.stderr.close()


def test_control_c_ends_a_script(folder_shell):
    shell = subprocess.Popen([*folder_shell, "-e", "puts 'running'; loop { sleep 1 }"], stdout=subprocess.PIPE, text=True)
    assert shell.stdout.readline() == "running\n", "what was printed is passed on before the script sleeps"
    shell.send_signal(signal.SIGINT)
    assert shell.wait(60) == 130
    shell.stdout.close()


@pytest.mark.parametrize("fed", ["FILE", "-n FILE", "input", "-n input"])
def test_control_c_ends_a_script_with_all_that_follows(folder_shell, tmp_path, fed):
    script = tmp_path / "script.rb"
    script.write_text("puts 'running'; $stdout.flush\nwhile true do 1 end\ncreate 'after', 'f'\n")
    options = fed.replace("FILE", str(script)).replace("input", "").split()
    with open(script if "input" in fed else os.devnull) as given:
        shell = subprocess.Popen([*folder_shell, *options], stdin=given, stdout=subprocess.PIPE, text=True)
    shown = "\n"
    while "\nrunning\n" not in shown:
        line = shell.stdout.readline()
        assert line, shown
        shown += line
    shell.send_signal(signal.SIGINT)
    assert shell.wait(60) == 130
    shell.stdout.close()
    assert json.loads(ran(folder_shell, "--format", "json", "-e", "list").stdout) == []


@pytest.mark.parametrize("begin", ["$stdout.sync = true; puts 'running'", "puts 'running'; $stdout.flush"])
def test_output_is_passed_on_when_a_script_asks_for_it(folder_shell, begin):
    shell = subprocess.Popen([*folder_shell, "-e", f"{begin}; loop {{ 1 }}"], stdout=subprocess.PIPE, text=True)
    assert shell.stdout.readline() == "running\n"
    shell.send_signal(signal.SIGINT)
    assert shell.wait(60) == 130
    shell.stdout.close()


def wait_for_handler(process):
    """Waits until a process catches SIGINT."""
    while process.poll() is None:
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        caught = int(next(line for line in status.splitlines() if line.startswith("SigCgt"))[8:], 16)
        if caught & (1 << (signal.SIGINT - 1)):
            return True
    return False


def test_a_folder_that_a_server_has_open_names_its_address():
    with Hjall() as server:
        done = ran([str(binary()), "shell", "--data", str(server.folder)], "-e", "list", status=4)
        assert f"hjall shell --server {server.address}" in done.stderr


def test_a_server_that_is_not_there():
    done = ran([str(binary()), "shell", "--server", "127.0.0.1:1"], "-e", "list", status=1)
    assert "cannot reach 127.0.0.1:1" in done.stderr


def test_a_command_that_the_server_cannot_run(tmp_path):
    with Hjall() as server:
        shell = [str(binary()), "shell", "--server", server.address]
        ran(shell, "-e", "create 't', 'f'")
        assert "hjall shell --data DIR" in ran(shell, "-e", "flush 't'", status=1).stderr


def test_the_state_of_compactions_is_known_in_a_folder_only(folder_shell):
    """A script that waits for NONE must not continue while a server compacts."""
    assert "NONE" in ran(folder_shell, "-e", "create 't', 'f'", "-e", "major_compact 't'", "-e", "compaction_state 't'").stdout
    with Hjall() as server:
        shell = [str(binary()), "shell", "--server", server.address]
        done = ran(shell, "-e", "create 't', 'f'", "-e", "major_compact 't'", "-e", "compaction_state 't'", status=1)
        assert "NONE" not in done.stdout and "not part of Thrift2" in done.stderr and "hjall_compactor_running" in done.stderr
        assert "Unknown table none!" in ran(shell, "-e", "compaction_state 'none'", status=1).stderr


@pytest.mark.parametrize("options", [["--framed"], ["--compact"], ["--framed", "--compact"]])
def test_transports_and_protocols(options):
    with Hjall() as server:
        shell = [str(binary()), "shell", "--server", server.address, *options]
        assert "2 row(s)" in ran(shell, "-e", "create 'a', 'f'", "-e", "create 'b', 'f'", "-e", "list").stdout


@pytest.mark.parametrize("source, said", [
    ("class A; end", "'class' is not part of this shell"),
    ("eval '1'", "'eval' is not part of this shell (line 1, column 1)"),
    ("x = 1\n  y = 'a'.casecmp('b')", "String#casecmp is not part of this shell (line 1,"),
    ("`ls`", "not part of this shell"),
    ("puts 'a' 5", "unexpected number 5"),
])
def test_what_is_not_part_of_the_shell(folder_shell, source, said):
    assert said in ran(folder_shell, "-e", source, status=1).stderr


def test_deep_nesting_is_an_error(folder_shell, tmp_path):
    for source in ("(" * 5000, "[" * 5000 + "]" * 5000, "1" + "+1" * 100_000, "a" + ".b" * 100_000, "def f; f; end; f", "!" * 100_000 + "1",
                   "a = []; 100000.times { a = [a] }; puts 'fine'; exit 1"):
        script = tmp_path / "deep.rb"
        script.write_text(source + "\n")
        ran(folder_shell, "-n", str(script), status=1)


def test_a_line_that_is_too_long_runs_no_part_of_itself(folder_shell):
    filled(folder_shell)
    # A comment whose part behind 8 MiB would be a command.
    long = "# " + "a" * ((8 << 20) - 2) + "deleteall 't', 'a'\ncreate 'after', 'f'\n"
    assert "longer than 8 MiB" in ran(folder_shell, input=long, status=1).stderr
    assert json.loads(ran(folder_shell, "--format", "json", "-e", "count 't'", "-e", "list").stdout.replace("]\n[", ",")) == [{"count": 2}, {"table": "t"}]


def test_a_statement_that_is_too_long_runs_no_part_of_itself(folder_shell):
    filled(folder_shell)
    long = "x = '" + ("a" * 999 + "\n") * 8500 + "deleteall 't', 'a'\n"
    assert "longer than 8 MiB" in ran(folder_shell, input=long, status=1).stderr
    assert "2 row(s)" in ran(folder_shell, "-e", "count 't'").stdout


@pytest.mark.parametrize("lines", ["x = [\n{}]\n", "1.times do\n{}end\n", "x = '\n{}'\n", "def f\n  if true\n{}  end\nend\n"])
def test_the_cost_of_a_long_statement_grows_with_its_length(folder_shell, lines):
    # With a cost that grows with the square of the lines, this would take an hour.
    line = "  1,\n" if "[" in lines else "  1\n"
    assert "done" in ran(folder_shell, "-n", input=lines.format(line * 20_000) + "puts 'done'\n").stdout


@pytest.mark.parametrize("command", ["list", "puts 'x' * 100_000", "get 't', 'a'"])
@pytest.mark.parametrize("format", ["table", "jsonl"])
def test_output_that_cannot_be_written(folder_shell, command, format):
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full")
    filled(folder_shell)
    with open("/dev/full", "w") as full:
        done = subprocess.run([*folder_shell, "--format", format, "-e", command, "-e", "put 't', 'c', 'f:q', 'v'"], stdout=full,
                              stderr=subprocess.PIPE, text=True, timeout=60)
    assert done.returncode == 1 and "standard output cannot be written" in done.stderr
    assert "2 row(s)" in ran(folder_shell, "-e", "count 't'").stdout


def test_a_file_of_splits_that_cannot_be_read(folder_shell, tmp_path):
    said = ran(folder_shell, "-e", f"create 'z', 'f', SPLITS_FILE => '{tmp_path}'", status=1).stderr
    assert f"ERROR IOError: the file {tmp_path} of SPLITS_FILE cannot be read: Is a directory" in said and "doesn't exist" not in said, said


def test_a_file_of_splits_without_an_end(folder_shell):
    said = ran(folder_shell, "-e", "create 'z', 'f', SPLITS_FILE => '/dev/zero'", status=1).stderr
    assert "/dev/zero of SPLITS_FILE cannot be read: it has more than 64 MiB" in said, said


def test_a_folder_as_script(folder_shell, tmp_path):
    assert "cannot be read" in ran(folder_shell, "-n", str(tmp_path), status=1).stderr


def test_raw_cells_as_csv_have_as_many_fields_as_the_header(folder_shell):
    filled(folder_shell)
    done = ran(folder_shell, "--format", "csv", "-e", "deleteall 't', 'b', 'f:q', 5", "-e", "scan 't', {RAW => true, VERSIONS => 3}")
    rows = list(csv.reader(io.StringIO(done.stdout)))
    assert rows[0] == ["row", "column", "timestamp", "value", "type"] and [row[4] for row in rows[1:]] == ["Put", "DeleteColumn", "Put"]


def test_csv_of_records_with_different_fields(folder_shell):
    ran(folder_shell, "-e", "create 't', 'a', {NAME => 'b', METADATA => {'x' => 'y'}}")
    done = ran(folder_shell, "--format", "csv", "-e", "describe 't'")
    assert len({len(row) for row in csv.reader(io.StringIO(done.stdout))}) == 1


def test_the_array_of_a_command_that_failed_is_not_closed(folder_shell):
    assert ran(folder_shell, "--format", "json", "-e", "scan 'none'", status=1).stdout == ""


def test_a_list_of_nothing_is_an_empty_array(folder_shell):
    filled(folder_shell)
    assert ran(folder_shell, "--format", "json", "-e", "get_splits 't'").stdout == "[]\n"


def test_records_have_numbers_and_fields(folder_shell):
    filled(folder_shell)
    done = ran(folder_shell, "--format", "jsonl", "-e", "list_regions 't'", "-e", "locate_region 't', 'a'")
    regions, place = [json.loads(line) for line in done.stdout.splitlines()]
    assert isinstance(regions["size"], int) and isinstance(regions["req"], int)
    assert place["start_key"] == "" and place["end_key"] == "" and place["region"] == regions["region_name"]


def test_the_arguments_of_a_script(folder_shell, tmp_path):
    script = tmp_path / "script.rb"
    script.write_text("p ARGV, $0 == __FILE__, $PROGRAM_NAME, __LINE__\n")
    shown = ran(folder_shell, "-n", str(script), "a", "-x", "--", "b c").stdout
    assert f'["a", "-x", "--", "b c"]\ntrue\n"{script}"\n1\n' in shown
    assert '["a", "b"]\n' in ran(folder_shell, "-e", "p ARGV", "a", "b").stdout


def test_options_of_hbase(folder_shell):
    done = ran(folder_shell, "-r", "--top-level-defs", "-Dhbase.zookeeper.quorum=a,b", "-Draining=false", "-e", "1 + 1")
    assert "=> 2" in done.stdout and "-D hbase.zookeeper.quorum has no effect" in done.stderr and "-D raining" in done.stderr
    assert "(RuntimeError)" in ran(folder_shell, "-d", input="scan 'none'\n").stdout
    assert "unexpected argument '-z'" in ran(folder_shell, "-z", status=1).stderr


@pytest.mark.parametrize("options", [["--server", "127.0.0.1:9090"], ["--tls"], ["--user", "a"], ["--framed"], ["--timeout", "5"]])
def test_options_that_do_not_apply_together(folder_shell, options):
    assert options[0] in ran(folder_shell, *options, "-e", "list", status=1).stderr
    assert not pathlib.Path(folder_shell[-1]).exists()


@pytest.mark.parametrize("given", ["off", "0"])
def test_a_call_without_a_time_limit(given):
    with Hjall() as server:
        assert "0 row(s)" in ran([str(binary()), "shell", "--server", server.address, "--timeout", given], "-e", "list").stdout


def test_a_wrong_time_limit():
    said = ran([str(binary()), "shell", "--timeout", "5x"], "-e", "list", status=1).stderr
    assert "'5x'" in said and "--timeout" in said and "write a whole number of seconds, or off" in said, said


def test_a_password_without_a_terminal():
    environment = {name: value for name, value in os.environ.items() if name != "HJALL_PASSWORD"}
    done = subprocess.run([binary(), "shell", "--user", "alice", "-e", "list"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=60, env=environment, start_new_session=True)
    assert done.returncode == 1 and "the password of alice" in done.stderr and "set the environment variable HJALL_PASSWORD" in done.stderr, done


def test_options_of_a_folder_need_one():
    done = ran([str(binary()), "shell", "--set", "store.cache=1"], "-e", "list", status=1)
    assert "--set" in done.stderr and "--data" in done.stderr


def test_a_new_folder_is_announced(folder_shell):
    assert "did not exist" in ran(folder_shell, "-e", "list").stderr
    assert ran(folder_shell, "-e", "list").stderr == ""


def test_a_file_instead_of_a_folder(tmp_path):
    (tmp_path / "file").write_text("")
    done = ran([str(binary()), "shell", "--data", str(tmp_path / "file")], "-e", "list", status=1)
    assert "is a file" in done.stderr


@pytest.mark.parametrize("typed, meant", [("lst", "list"), ("creat 't', 'f'", "create"), ("show_filter", "show_filters"), ("sacn 't'", "scan")])
def test_did_you_mean(folder_shell, typed, meant):
    shown = ran(folder_shell, input=typed + "\n").stdout
    assert f")\nDid you mean?  {meant}\n" in shown


@pytest.mark.parametrize("command, remedy", [("snapshot 't', 's'", "hjall backup"), ("grant 'a', 'R'", "hjall user"), ("balancer", "balances")])
def test_commands_that_are_missing_say_why(folder_shell, command, remedy):
    assert remedy in ran(folder_shell, "-e", command, status=1).stderr
    assert remedy in ran(folder_shell, "-e", f"help '{command.split()[0]}'").stdout


def test_a_block_for_a_table_is_an_error(folder_shell):
    done = ran(folder_shell, "-e", "t = create 't', 'f'", "-e", "t.scan(LIMIT => 1) { |r| p r }", status=1)
    assert "a block for the method scan of a table is not part of this shell" in done.stderr


@pytest.mark.parametrize("command", [
    "explain scan 't', FILTER => \"PrefixFilter('1') AND ValueFilter(=, 'binary:x')\"",
    "explain 'scan', 't', {FILTER => \"PrefixFilter('1') AND ValueFilter(=, 'binary:x')\"}",
    "explain 't', {FILTER => \"PrefixFilter('1') AND ValueFilter(=, 'binary:x')\"}"])
def test_explain_prints_the_plan_and_runs_nothing(folder_shell, command):
    filled(folder_shell)
    shown = ran(folder_shell, "-e", command).stdout
    assert "PrefixFilter('1') AND ValueFilter(=, 'binary:x')" in shown and "seek '1' and read up to '2'" in shown
    assert "the scan ends before '2'" in shown and "row(s)" not in shown and "Some(" not in shown


def test_explain_a_get(folder_shell):
    filled(folder_shell)
    assert "seek row 'a'" in ran(folder_shell, "-e", "explain get 't', 'a', {COLUMN => 'f:q'}").stdout


@pytest.mark.parametrize("source, said", [
    ("put \u2018t\u2019, 'r'", "is a typographic quote; type '"),
    ("scan 't', 5", "the options are a dictionary"),
    ("scan 't', {LIMIT => '5'}", "LIMIT is a number"),
    ("incr 't', 'r', 'f:q', 'x'", "a whole number is needed"),
])
def test_wrong_arguments_say_what_to_write(folder_shell, source, said):
    filled(folder_shell)
    assert said in ran(folder_shell, "-e", source, status=1).stderr


def test_a_byte_order_mark_and_a_block_of_comments(folder_shell, tmp_path):
    script = tmp_path / "script.rb"
    script.write_bytes(b"\xef\xbb\xbfputs 1\n=begin\nnonsense '\n=end\nputs 2\n")
    shown = ran(folder_shell, "-n", str(script)).stdout
    assert "\n1\n" in shown and "\n2\n" in shown


def test_standard_output_and_standard_error(folder_shell):
    done = ran(folder_shell, "-e", "$stdout.puts 'a'; STDOUT.print 'b'; $stdout.flush; $stderr.puts 'c'; STDERR << 'd'; nil")
    assert (done.stdout, done.stderr.splitlines()[-2:]) == ("a\nb", ["c", "d"])


def test_every_missing_command_is_in_the_document():
    root = pathlib.Path(__file__).resolve().parents[2]
    source = (root / "shell/src/commands/missing.rs").read_text().split("pub const MISSING")[1].split("\n];")[0]
    names = [line.strip().strip('",') for line in source.splitlines() if line.strip().startswith('"')]
    names += [name.strip().strip('"') for line in source.splitlines() if "names: &[\"" in line
              for name in line.split("[", 1)[1].split("]")[0].split(",")]
    document = (root / "docs/shell.md").read_text()
    assert len(names) > 100 and [name for name in names if f"`{name}`" not in document] == []


def test_every_filter_is_in_the_document(folder_shell):
    root = pathlib.Path(__file__).resolve().parents[2]
    filters = [json.loads(line)["filter"] for line in ran(folder_shell, "--format", "jsonl", "-e", "show_filters").stdout.splitlines()]
    document = (root / "docs/filters.md").read_text()
    assert len(filters) > 15 and [name for name in filters if f"`{name}(" not in document] == []
