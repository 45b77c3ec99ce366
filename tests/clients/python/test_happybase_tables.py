"""HappyBase: tables, families, regions, compaction."""
from contextlib import closing

import happybase
import pytest
from Hbase_thrift import AlreadyExists, IllegalArgument
from Hbase_thrift import IOError as HBaseError


def test_the_life_cycle_of_a_table(db, table_name):
    assert table_name not in db.tables()
    db.create_table(table_name, {"a": {}, "b:": dict(max_versions=7, time_to_live=3600, compression="GZ", in_memory=True)})
    assert table_name in db.tables()
    assert db.is_table_enabled(table_name)
    with pytest.raises(AlreadyExists):
        db.create_table(table_name, {"a": {}})
    with pytest.raises(HBaseError, match="TableNotDisabledException"):
        db.delete_table(table_name)
    db.disable_table(table_name)
    assert not db.is_table_enabled(table_name)
    with pytest.raises(HBaseError, match="TableNotEnabledException"):
        db.table(table_name).row(b"r")
    db.enable_table(table_name)
    assert db.table(table_name).row(b"r") == {}
    db.delete_table(table_name, disable=True)
    assert table_name not in db.tables()


def test_families_are_read_back(db, table_name):
    db.create_table(table_name, {"a": {}, "b": dict(max_versions=7, time_to_live=3600, compression="GZ", in_memory=True)})
    families = db.table(table_name).families()
    assert sorted(families) == [b"a", b"b"]
    assert families[b"a"]["max_versions"] == 3
    b = families[b"b"]
    assert (b["max_versions"], b["time_to_live"], b["compression"], b["in_memory"]) == (7, 3600, b"GZ", True)


def test_a_bad_family_is_refused(db, table_name):
    with pytest.raises((IllegalArgument, HBaseError)):
        db.create_table(table_name, {"a": dict(max_versions=0)})
    assert table_name not in db.tables()


def test_a_new_table_is_one_region(table):
    region, = table.regions()
    assert (region["start_key"], region["end_key"]) == (b"", b"")
    assert region["name"].startswith(table.name + b",,")
    assert region["port"] > 0 and region["server_name"]


def test_compaction_is_accepted_and_loses_nothing(db, table):
    for ts in range(1, 10):
        table.put(b"r", {b"f:a": b"%d" % ts}, timestamp=ts)
    table.delete(b"r", columns=[b"f:a"], timestamp=7)
    db.compact_table(table.name)
    assert table.cells(b"r", b"f:a", versions=9) == [b"9", b"8"]
    db.compact_table(table.name, major=True)
    assert table.cells(b"r", b"f:a", versions=9) == [b"9", b"8"]


def test_table_prefixes_separate_tables(address, db, table_name):
    with closing(happybase.Connection(*address, table_prefix=table_name)) as mine:
        mine.create_table("inner", {"f": {}})
        assert mine.tables() == [b"inner"]
        assert table_name + b"_inner" in db.tables()
        mine.delete_table("inner", disable=True)
