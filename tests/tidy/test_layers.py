"""What a crate may not use: the must-not column of ARCHITECTURE.md, in manifests and in sources."""
import re
import tomllib

from tree import text, written

# Folder → crates it may not depend on, nor name in its sources. Tests are held to it as well.
MUST_NOT = {
    "engine": ("tokio", "thrift", "hjall-idl", "hjall-server", "hyper", "futures", "async-trait"),
    "idl": ("hjall-engine", "hjall-server", "fjall", "tokio"),
    "server": ("fjall", "lsm-tree"),
    "bindings/python": ("hjall-idl", "thrift", "fjall", "tokio"),
    "bindings/node": ("hjall-idl", "thrift", "fjall", "tokio"),
    "bench": ("hjall-server", "fjall"),
}


def dependencies(manifest):
    """The names of all dependencies, whatever they are for."""
    parsed = tomllib.loads(text(manifest))
    tables = [parsed, *parsed.get("target", {}).values()]
    return {detail.get("package", name) if isinstance(detail, dict) else name
            for table in tables for kind in ("dependencies", "dev-dependencies", "build-dependencies") for name, detail in table.get(kind, {}).items()}


def test_manifests_keep_to_their_layer():
    for crate, banned in MUST_NOT.items():
        used = dependencies(f"{crate}/Cargo.toml") & set(banned)
        assert not used, f"{crate}/Cargo.toml depends on {sorted(used)}: ARCHITECTURE.md's table of crates forbids it"


def uses(crate):
    """Matches code that names a crate as a path."""
    return re.compile(rf"(?<![\w:]){crate.replace('-', '_')}::")


def test_sources_keep_to_their_layer():
    for crate, banned in MUST_NOT.items():
        for path in written(".rs"):
            if path.startswith(f"{crate}/"):
                found = [b for b in banned if uses(b).search(text(path))]
                assert not found, f"{path} names {found}"


def test_only_the_store_knows_fjall():
    for path in written(".rs"):
        if not path.startswith(("engine/src/store/", "engine/tests/", "engine/benches/", "engine/examples/")):
            assert not uses("fjall").search(text(path)), f"{path} names fjall: only engine/src/store/ may"


def test_the_engine_has_nothing_asynchronous():
    for path in written(".rs"):
        if path.startswith("engine/src/"):
            assert not re.search(r"\basync (fn|move|\{)|\.await\b", text(path)), f"{path} is asynchronous"


def test_generated_codecs_are_named_in_few_places():
    """The wire's structs stop at the gateways: nothing behind them may know Thrift."""
    for path in written(".rs"):
        if path.startswith("engine/"):
            assert "hjall_idl" not in text(path), path
