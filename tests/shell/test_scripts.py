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
    assert done.stderr == "ERROR RuntimeError: Unknown table none!\n"


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
    # What was printed is not passed on before the statement ends, so the statement is known to run by its first flush.
    shell.send_signal(signal.SIGINT) if shell.poll() is None and wait_for_handler(shell) else None
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
