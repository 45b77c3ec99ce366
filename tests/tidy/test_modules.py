"""The top-level modules of a crate import only what the tables of ARCHITECTURE.md allow.

A table of modules is below a heading that names the crate. Its first column names the module as a code span, by name
(`wire`) or by path (`server/src/wire/`), and its column "may import" lists modules. The use of a name that the crate's
root re-exports is an import of the module that defines it. Tests are ignored, and the root (`lib.rs`) may import every
module.
"""
import functools
import graphlib
import re

import pytest
from rust_imports import imports
from tree import text, written

CRATES = ("engine", "server", "shell")
COLUMN = "may import"
CODE = re.compile(r"`([^`]+)`")
NAME = re.compile(r"[\w/.]+")


def cells(line):
    """The cells of a line of a table."""
    return [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]


def module(span):
    """The name of a module: `server/src/wire/`, `wire/` and `wire.rs` all denote the module wire."""
    return re.sub(r"^\w+/src/", "", span).strip("/").removesuffix(".rs").split("/")[0]


def tables(document):
    """Yields every table with a column "may import", as (heading above it, {module: modules that it may import})."""
    heading, column, rules = "", None, {}
    for line in [*document.splitlines(), ""]:
        if line.startswith("|"):
            row = cells(line)
            if column is None:
                column = row.index(COLUMN) if COLUMN in row else -1
            elif column >= 0 and not set(line) <= set("|-: "):
                for span in CODE.findall(row[0]):
                    rules[module(span)] = {module(named) for named in NAME.findall(row[column])}
            continue
        if rules:
            yield heading, rules
        column, rules = None, {}
        if line.startswith("#"):
            heading = line.strip("# ").lower()


@functools.cache
def rules_of(crate):
    """The rules from the table of modules below a heading that names the crate."""
    found = [rules for heading, rules in tables(text("ARCHITECTURE.md")) if re.search(rf"\b{crate}\b", heading)]
    assert len(found) == 1, (
        f"ARCHITECTURE.md has {len(found)} tables with a column '{COLUMN}' below headings that name the {crate}; there must be one")
    return found[0]


@functools.cache
def imports_of(crate):
    """The imports between the modules of a crate."""
    base = f"{crate}/src/"
    return imports({path.removeprefix(base): text(path) for path in written(".rs") if path.startswith(base)}, f"hjall_{crate}")


@pytest.mark.parametrize("crate", CRATES)
def test_modules_are_those_of_the_table(crate):
    rules, modules = set(rules_of(crate)), set(imports_of(crate))
    assert modules == rules, (
        f"{crate}/src: modules that are missing from ARCHITECTURE.md: {sorted(modules - rules)}; modules in ARCHITECTURE.md that do not "
        f"exist: {sorted(rules - modules)}")


@pytest.mark.parametrize("crate", CRATES)
def test_modules_import_what_the_table_allows(crate):
    rules = rules_of(crate)
    for name, used in imports_of(crate).items():
        extra = used - rules.get(name, set())
        assert not extra, f"{crate}/src: {name} imports {sorted(extra)}, which ARCHITECTURE.md does not allow"


@pytest.mark.parametrize("crate", CRATES)
def test_the_table_allows_only_what_is_used(crate):
    used = imports_of(crate)
    for name, allowed in rules_of(crate).items():
        spare = allowed - used.get(name, set())
        assert not spare, f"{crate}/src: {name} imports nothing from {sorted(spare)}: remove it from ARCHITECTURE.md"


@pytest.mark.parametrize("crate", CRATES)
def test_modules_form_no_cycle(crate):
    try:
        graphlib.TopologicalSorter(rules_of(crate)).prepare()
    except graphlib.CycleError as cycle:
        raise AssertionError(f"ARCHITECTURE.md: modules of the {crate} import each other: {' <- '.join(cycle.args[1])}") from None


def test_tables_are_read_by_their_heading():
    document = [
        "## The server", "",
        "| module | what | may import |", "|---|---|---|",
        "| `server/src/net/` | sockets | `wire`, `dispatch/` |", "| `wire` | bytes | |", "| `info` | figures | net wire |",
    ]
    assert list(tables("\n".join(document))) == [("the server", {"net": {"wire", "dispatch"}, "wire": set(), "info": {"net", "wire"}})]


def test_imports_are_found_in_every_form():
    sources = {
        "lib.rs": "mod a; mod b; mod c; mod d; mod e; mod f; mod g;\npub use f::{Error, kind::Kind as Sort};\n",
        "a/mod.rs": "use crate::{b::X, c::{self, Y}};\nuse super::d::Z;\n"
                    "fn f() { let _ = crate::e::g(); let _ = \"crate::g\"; }",
        "a/deep.rs": "use super::super::b;\nuse super::sibling;\nuse crate::Error;\nuse crate::a::Own;",
        "b.rs": "// crate::a\n/* crate::a */\npub(in crate::a) fn f<'a>(x: &'a str) -> char { '\"' }\n"
                "mod inner { use super::super::c; use super::own; }\n",
        "c.rs": "#[cfg(test)]\nmod tests { use crate::a; }\n#[cfg(test)]\nmod more;\nuse hjall_x::Sort;\n",
        "c/more.rs": "use crate::a;",
        "d.rs": "macro_rules! m { () => { $crate::e::f() }; }\nconst S: &str = r#\"crate::a \" \"#;\n",
        "e.rs": "", "f.rs": "", "g.rs": "",
    }
    expected = {"a": {"b", "c", "d", "e", "f"}, "b": {"c"}, "c": {"f"}, "d": {"e"}, "e": set(), "f": set(), "g": set()}
    assert imports(sources, "hjall_x") == expected
    with pytest.raises(ValueError, match="a.rs uses crate::nothing"):
        imports({"lib.rs": "mod a;", "a.rs": "use crate::nothing;"})
