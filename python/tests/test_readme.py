"""Runs the examples of python/README.md and python/examples, each in a new interpreter and an empty folder."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

import hjall

PYTHON = pathlib.Path(__file__).parents[1]
EXAMPLES = re.findall(r"^```python\n(.*?)^```", (PYTHON / "README.md").read_text(encoding="utf-8"), re.M | re.S)
FILES = sorted((PYTHON / "examples").glob("*.py"))


def environment():
    """An environment in which every interpreter finds hjall."""
    return {**os.environ, "PYTHONPATH": str(pathlib.Path(hjall.__file__).parents[1])}


def run(command, folder):
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("source", EXAMPLES, ids=lambda source: f"line {source[:40]!r}")
def test_an_example_of_the_readme_runs(source, tmp_path):
    if "def test_" in source:
        (tmp_path / "test_it.py").write_text(source, encoding="utf-8")
        run(["-m", "pytest", "-q", "-p", "hjall.pytest_plugin", "-p", "no:cacheprovider", "test_it.py"], tmp_path)
    else:
        run(["-c", source], tmp_path)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_an_example_program_runs(file, tmp_path):
    if file.name.startswith("test_"):
        run(
            [
                "-m",
                "pytest",
                "-q",
                "-p",
                "hjall.pytest_plugin",
                "-p",
                "no:cacheprovider",
                "--rootdir",
                str(tmp_path),
                str(file),
            ],
            tmp_path,
        )
    else:
        run([str(file)], tmp_path)


def test_there_are_examples():
    assert len(EXAMPLES) >= 7 and len(FILES) >= 2


def test_the_examples_pass_mypy_strict(tmp_path):
    """All examples but those for pytest, whose functions have no annotations."""
    pytest.importorskip("mypy")
    for number, source in enumerate(EXAMPLES):
        if "def test_" not in source:
            (tmp_path / f"example_{number}.py").write_text(source, encoding="utf-8")
    command = ["-m", "mypy", "--config-file", str(PYTHON / "pyproject.toml"), *map(str, tmp_path.iterdir())]
    done = subprocess.run(
        [sys.executable, *command],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(PYTHON / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
