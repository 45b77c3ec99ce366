"""Every example runs to its end against a fresh server, with all it asserts, and leaves no table behind."""
import pathlib
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


def test_every_example_is_listed():
    listed = (HERE / "README.md").read_text()
    assert all(f"({p.name})" in listed for p in HERE.glob("*.py") if p.name != "test_examples.py")
