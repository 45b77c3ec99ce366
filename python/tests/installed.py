"""Checks the installed package. `make test-sdist` runs this program from a folder without the package's sources."""

from __future__ import annotations

import importlib.metadata
import importlib.resources
import sys

import hjall


def main() -> None:
    """Checks the package. Raises `AssertionError` if it is incomplete."""
    assert "site-packages" in hjall.__file__, f"{hjall.__file__} is not the installed package"
    distribution = importlib.metadata.distribution("hjall")
    assert distribution.version == hjall.__version__
    files = {str(file) for file in distribution.files or []}
    assert any(file.endswith("licenses/LICENSE") for file in files), "the wheel lacks the licence"
    package = importlib.resources.files("hjall")
    assert (package / "py.typed").is_file() and (package / "_native.pyi").is_file(), (
        "the wheel lacks the type information"
    )
    assert any(point.value == "hjall.pytest_plugin" for point in distribution.entry_points if point.group == "pytest11")
    scripts = [point.name for point in distribution.entry_points if point.group == "console_scripts"]
    assert scripts == ["hjall"], scripts
    with hjall.memory() as db:
        db.create_table("t", {"f": {}})
        db.table("t").put(b"r", {b"f:q": b"1"})
        assert db.table("t").row(b"r") == {b"f:q": b"1"}
        assert len(db.table("t").scan_arrow(["f:q"]).collect()) == 1
        with db.serve(port=0) as server:
            assert server.port
    print(f"hjall {hjall.__version__} works as installed, on Python {sys.version.split()[0]}")


if __name__ == "__main__":
    main()
