"""The names of attributes: misspelt ones are refused, and others are stored."""

import ast
import pathlib
import re

import pytest

import hjall
from hjall.attributes import ALIASES, NAMES, meant

ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("name", "level", "attribute"),
    [
        ("DURABILTY", "table", "DURABILITY"),
        ("DRUABILITY", "table", "DURABILITY"),
        ("URABILITY", "table", "DURABILITY"),
        ("durability", "table", "DURABILITY"),
        ("READ_ONLY", "table", "READONLY"),
        ("maxFileSize", "table", "MAX_FILESIZE"),
        ("NORMALIZER_TARGET_REGION_SIZE_BM", "table", "NORMALIZER_TARGET_REGION_SIZE_MB"),
        ("TLL", "family", "TTL"),
        ("ttl", "family", "TTL"),
        ("TTLS", "family", "TTL"),
        ("TLT", "family", "TTL"),
        ("VERSON", "family", "VERSIONS"),
        ("version", "family", "VERSIONS"),
        ("MAX_VERSION", "family", "VERSIONS"),
        ("min-versions", "family", "MIN_VERSIONS"),
        ("BLOOM_FILTER_TYPE", "family", "BLOOMFILTER"),
        ("time_to_live", "family", "TTL"),
        ("TTL", "family", None),
        ("COMPRESSION_COMPACT", "family", None),
        ("owner", "family", None),
        ("STL", "family", None),
        ("T", "family", None),
        ("", "family", None),
        ("SESSIONS", "family", None),
        ("hbase.store.file-tracker.impl", "table", None),
        ("coprocessor$1", "table", None),
    ],
)
def test_names_that_resemble_an_attribute(name, level, attribute):
    assert meant(name, level) == attribute


@pytest.mark.parametrize("level", ["family", "table"])
def test_no_attribute_is_taken_for_another(level):
    assert [name for name in NAMES[level] if meant(name, level)] == []
    assert set(ALIASES[level].values()) <= set(NAMES[level])
    assert not set(NAMES["family"]) & set(NAMES["table"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda db: db.create_table("x", {"f": {}}, attributes={"DURABILTY": "FSYNC_WAL"}), "create_table: unknown"),
        (lambda db: db.create_table("x", {"f": {}}, attributes={b"DURABILTY": b"FSYNC_WAL"}), "create_table: unknown"),
        (lambda db: db.alter_table("t", attributes={"durability": "FSYNC_WAL"}), "alter_table: unknown attribute"),
        (
            lambda db: db.alter_table("t", attributes={"durability": "FSYNC_WAL"}, families={"f": {}}),
            "alter_table: unknown attribute 'durability': did you mean 'DURABILITY'",
        ),
        (lambda db: db.alter_table("t", families={"f": {"TLL": 60}}), "alter_table: family 'f': unknown attribute"),
        (lambda db: db.create_table("x", {"f": {"TLL": 60}}), "create_table: family 'f': unknown attribute 'TLL'"),
        (lambda db: db.create_table("x", {"f": {"MAX_VERSIONS": 3}}), "'MAX_VERSIONS': did you mean 'VERSIONS'"),
        (lambda db: db.add_family("t", "g", {"VERSON": 3}), "add_family: family 'g': unknown attribute 'VERSON'"),
        (lambda db: db.modify_family("t", b"f", {"VERSON": 3}), "modify_family: family b'f': unknown attribute"),
        (lambda db: hjall.Family(VERSONS=3), "Family: unknown attribute 'VERSONS': did you mean 'VERSIONS'"),
        (lambda db: hjall.Family({b"ttl": 3}), "Family: unknown attribute 'ttl': did you mean 'TTL'"),
        (lambda db: db.create_table("x", {"f": {}}, attributes={"TTL": 60}), "'TTL' is an attribute of families"),
        (lambda db: db.create_table("x", {"f": {"READONLY": True}}), "'READONLY' is an attribute of tables"),
        (lambda db: db.create_table("x", {"f": {}}, metadata=5), "metadata must be a dict, not int"),
        (lambda db: hjall.Family(metadata=5), "metadata must be a dict, not int"),
    ],
)
def test_misspelt_attributes_are_refused(call, message):
    with hjall.memory() as db:
        db.create_table("t", {"f": {"max_versions": 5}}, attributes={"DURABILITY": "SKIP_WAL"})
        before = db.describe_table("t")
        with pytest.raises(TypeError, match=re.escape(message)):
            call(db)
        assert db.tables() == [b"t"]
        assert db.describe_table("t") == before


def test_metadata_may_have_any_names():
    family = hjall.Family({"VERSIONS": 2}, metadata={"TLL": "1"}, owner="ann")
    with hjall.memory() as db:
        db.create_table("t", {"f": family, "g": {"NOTE": "2"}}, attributes={"owner": "ann"}, metadata={"ttl": "3"})
        described = db.describe_table("t")
        assert [described.families[b"f"].attributes[name] for name in (b"VERSIONS", b"TLL", b"owner")] == [
            b"2",
            b"1",
            b"ann",
        ]
        assert described.families[b"g"].attributes[b"NOTE"] == b"2"
        assert (described.attributes[b"owner"], described.attributes[b"ttl"]) == (b"ann", b"3")

        # A description can be used again, and what was stored before can be removed.
        db.create_table("copy", described.families, metadata=described.attributes)
        assert db.describe_table("copy").families == described.families
        db.alter_table("t", attributes={"ttl": ""}, metadata={"Durability": "4"})
        assert b"ttl" not in db.describe_table("t").attributes
        db.alter_table("t", metadata={b"Durability": b""}, families=described.families)
        assert b"Durability" not in db.describe_table("t").attributes


def test_metadata_is_checked_like_attributes_otherwise():
    with hjall.memory() as db, pytest.raises(ValueError, match="DURABILITY"):
        db.create_table("t", {"f": {}}, metadata={"DURABILITY": "FSYNC"})


def test_the_node_package_knows_the_same_names():
    text = (ROOT / "node/lib/attributes.js").read_text()
    found = {
        constant: ast.literal_eval(re.sub(r"^( *)(\w+):", r"\1'\2':", literal, flags=re.MULTILINE))
        for constant, literal in re.findall(r"^const (NAMES|ALIASES) = (\{.*?^\});", text, re.DOTALL | re.MULTILINE)
    }
    assert found["ALIASES"] == ALIASES
    assert {level: tuple(names) for level, names in found["NAMES"].items()} == NAMES


def test_the_names_that_other_parts_have_are_known():
    engine = (ROOT / "engine/src/schema/text.rs").read_text()
    for constant, level in ("FAMILY_KEYS", "family"), ("TABLE_KEYS", "table"):
        (listed,) = re.findall(rf"const {constant}: [^=]* = \[(.*?)\]", engine, re.DOTALL)
        assert set(re.findall(r"[A-Z_]+", listed)) <= set(NAMES[level])
    options = re.findall(r"^  \w+: \['([A-Z_]+)', ", (ROOT / "node/lib/schema.js").read_text(), re.MULTILINE)
    assert options
    assert set(options) <= {*NAMES["family"], *NAMES["table"]}
