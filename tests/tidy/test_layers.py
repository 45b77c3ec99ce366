"""Crates do not use what the column "must not use" in ARCHITECTURE.md forbids, neither in manifests nor in sources."""
import re
import tomllib

from tree import text, written

CODE = re.compile(r"`([^`]+)`")


def forbidden(document):
    """Maps each folder of the table of crates to the crates that its column "must not use" names as code spans."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in document.splitlines() if line.startswith("|")]
    head = next(row for row in rows if "must not use" in row)
    column = head.index("must not use")
    crates = [row for row in rows[rows.index(head) + 2:] if len(row) == len(head) and row[1].startswith("hjall-")]
    return {CODE.findall(row[0])[0].strip("/"): tuple(CODE.findall(row[column])) for row in crates}


# Maps folders to the crates that they may neither depend on nor name in their sources, tests included.
MUST_NOT = forbidden(text("ARCHITECTURE.md"))


def test_the_table_has_every_crate_of_the_workspace():
    members = set(tomllib.loads(text("Cargo.toml"))["workspace"]["members"])
    assert set(MUST_NOT) == members and all(MUST_NOT.values()), MUST_NOT


def dependencies(manifest):
    """The names of all dependencies, including those for builds and tests."""
    parsed = tomllib.loads(text(manifest))
    tables = [parsed, *parsed.get("target", {}).values()]
    return {detail.get("package", name) if isinstance(detail, dict) else name
            for table in tables for kind in ("dependencies", "dev-dependencies", "build-dependencies") for name, detail in table.get(kind, {}).items()}


def test_manifests_have_no_forbidden_dependency():
    for crate, banned in MUST_NOT.items():
        used = dependencies(f"{crate}/Cargo.toml") & set(banned)
        assert not used, f"{crate}/Cargo.toml depends on {sorted(used)}, which the table of crates in ARCHITECTURE.md forbids"


def uses(crate):
    """A pattern for paths that begin with the name of a crate."""
    return re.compile(rf"(?<![\w:]){crate.replace('-', '_')}::")


def test_sources_name_no_forbidden_crate():
    for crate, banned in MUST_NOT.items():
        for path in written(".rs"):
            if path.startswith(f"{crate}/"):
                found = [b for b in banned if uses(b).search(text(path))]
                assert not found, f"{path} names {found}, which the table of crates in ARCHITECTURE.md forbids"


def test_only_the_store_and_its_measurement_name_fjall():
    for path in written(".rs"):
        if not path.startswith(("engine/src/store/", "engine/tests/", "engine/benches/", "engine/examples/", "bench/src/raw_fjall.rs")):
            assert not uses("fjall").search(text(path)), f"{path} names fjall: only engine/src/store/ and bench/src/raw_fjall.rs may"


def test_the_engine_is_synchronous():
    for path in written(".rs"):
        if path.startswith("engine/src/"):
            assert not re.search(r"\basync (fn|move|\{)|\.await\b", text(path)), f"{path} contains asynchronous code, which the engine must not have"


def test_the_engine_does_not_name_the_generated_codecs():
    """Only the gateways convert Thrift structs."""
    for path in written(".rs"):
        if path.startswith("engine/"):
            assert "hjall_idl" not in text(path), f"{path} names hjall_idl, which the engine must not use"
