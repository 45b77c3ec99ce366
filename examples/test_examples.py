"""Runs every example against a new server and checks that it leaves no tables behind."""
import doctest
import pathlib
import re
import subprocess
import sys

import happybase
import pytest

from serving import Hjall

HERE = pathlib.Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def server():
    with Hjall() as hjall:
        yield hjall


@pytest.mark.parametrize("program", sorted(p.name for p in HERE.glob("*.py") if p.name != "test_examples.py"))
def test_the_example_runs(server, program):
    run = subprocess.run([sys.executable, HERE / program, server.address], capture_output=True, text=True)
    print(run.stdout)
    assert run.returncode == 0, run.stdout + run.stderr
    assert happybase.Connection("127.0.0.1", server.port).tables() == []


def test_the_session_in_the_readme_runs_as_printed(server):
    """The session at the start of the README, with another port."""
    block = next(b for b in re.findall(r"```console\n(.*?)```", (HERE.parent / "README.md").read_text(), re.S) if ">>>" in b)
    pasted = block[block.index(">>>"):].replace('("127.0.0.1")', f'("127.0.0.1", {server.port})')
    session = doctest.DocTestParser().get_doctest(pasted, {}, "README.md", "README.md", 0)
    report = []
    result = doctest.DocTestRunner(verbose=False).run(session, out=report.append)
    assert result.attempted > 5 and not result.failed, "".join(report)
    happybase.Connection("127.0.0.1", server.port).delete_table("users", disable=True)


def test_every_example_is_listed():
    listed = (HERE / "README.md").read_text()
    assert all(f"({p.name})" in listed for p in HERE.glob("*.py") if p.name != "test_examples.py")


def test_every_example_can_be_run_by_its_name():
    for program in HERE.glob("*.py"):
        begins = program.read_text().startswith("#!")
        assert bool(program.stat().st_mode & 0o111) == begins, f"{program.name}: a program has #! and the mode 755"
