"""Tries the package as it was installed, from a folder that has none of its sources: run by `make test-sdist`."""

from __future__ import annotations

import importlib.metadata
import importlib.resources
import sys

import hjall


def main() -> None:
    """Fails with an assertion."""
    assert "site-packages" in hjall.__file__, f"{hjall.__file__} is not what was installed"
    distribution = importlib.metadata.distribution("hjall")
    assert distribution.version == hjall.__version__
    files = {str(file) for file in distribution.files or []}
    assert any(file.endswith("licenses/LICENSE") for file in files), "the licence is not in the wheel"
    package = importlib.resources.files("hjall")
    assert (package / "py.typed").is_file() and (package / "_native.pyi").is_file(), "the types are not in the wheel"
    assert any(point.value == "hjall.pytest_plugin" for point in distribution.entry_points if point.group == "pytest11")
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
