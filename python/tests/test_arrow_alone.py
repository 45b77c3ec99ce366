"""Arrow data without the optional libraries: each test runs an interpreter in which they cannot be imported."""

import os
import pathlib
import subprocess
import sys
import textwrap

import pytest

import hjall


def run(program, without):
    """Runs a program in which imports of the packages `without` fail."""
    blocked = f"import sys\nfor name in {without!r}: sys.modules[name] = None\n"
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(hjall.__file__).parents[1])}
    return subprocess.run(
        [sys.executable, "-c", blocked + textwrap.dedent(program)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


FILL = """
    import hjall
    db = hjall.memory()
    db.create_table("t", {"f": {}})
    table = db.table("t")
    table.put(b"r", {b"f:q": b"1"})
    scan = table.scan_arrow({"f:q": "int_text"})
"""


def test_polars_needs_no_pyarrow():
    program = (
        FILL
        + """
    import polars
    assert scan.to_polars().rows() == [(b"r", 1)]
    assert polars.DataFrame(scan).rows() == [(b"r", 1)]
    assert table.load_arrow(polars.DataFrame({"row": ["s"], "f:q": ["2"]})) == 1
    assert len(scan.collect()) == 2
    """
    )
    done = run(program, without=["pyarrow", "pandas"])
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "method, package",
    [("to_polars", "polars"), ("to_pyarrow", "pyarrow"), ("to_reader", "pyarrow"), ("to_pandas", "pyarrow")],
)
def test_a_missing_library_is_named_with_the_command_that_installs_it(method, package):
    done = run(FILL + f"\n    scan.{method}()", without=["pyarrow", "pandas", "polars"])
    assert done.returncode == 1 and f"pip install {package}" in done.stderr, done.stderr
