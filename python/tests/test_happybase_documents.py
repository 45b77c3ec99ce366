"""The subjects of HappyBase's user guide as programs, which run on the embedded database and on HappyBase with the
server. Only the connection differs."""

import functools
import types

import happybase
import pytest

import hjall
from serving import Hjall


@pytest.fixture(scope="module")
def server():
    """The built binary."""
    with Hjall() as running:
        yield running


@pytest.fixture(params=["embedded", "stock"])
def place(request, tmp_path):
    """The functions with which a program connects: hjall's or HappyBase's."""
    if request.param == "embedded":
        yield types.SimpleNamespace(
            Connection=functools.partial(hjall.open, tmp_path),
            Pool=functools.partial(hjall.ConnectionPool, path=tmp_path),
            **vars(hjall),
        )
        return
    port = request.getfixturevalue("server").port
    connect = functools.partial(happybase.Connection, "127.0.0.1", port)
    yield types.SimpleNamespace(
        Connection=connect,
        Pool=functools.partial(happybase.ConnectionPool, host="127.0.0.1", port=port),
        NoConnectionsAvailable=happybase.NoConnectionsAvailable,
    )
    with_all = connect()
    for name in with_all.tables():
        with_all.delete_table(name, disable=True)
    with_all.close()


def test_explicit_connections_and_tables(place):
    connection = place.Connection(autoconnect=False)
    connection.open()
    assert connection.tables() == []
    connection.create_table(
        "measures",
        {"raw": dict(max_versions=10), "mean": dict(max_versions=1, block_cache_enabled=False), "note": dict()},
    )
    table = connection.table("measures")
    assert connection.tables() == [b"measures"] == [table.name]
    families = table.families()
    assert (
        families[b"raw"]["max_versions"],
        families[b"mean"]["block_cache_enabled"],
        families[b"note"]["max_versions"],
    ) == (10, False, 3)
    connection.close()


def test_projects_with_table_prefixes(place):
    ours, all_of_it = place.Connection(table_prefix="weather"), place.Connection()
    ours.create_table("days", {"d": {}})
    all_of_it.create_table("days", {"d": {}})
    assert ours.tables() == [b"days"] and all_of_it.tables() == [b"days", b"weather_days"]
    ours.table("days").put(b"monday", {b"d:sun": b"8h"})
    assert all_of_it.table("days").row(b"monday") == {}
    assert (
        all_of_it.table("weather_days").row(b"monday")
        == {b"d:sun": b"8h"}
        == all_of_it.table("weather_days", use_prefix=False).row(b"monday")
    )


def test_rows_columns_families_and_times(place):
    connection = place.Connection()
    connection.create_table("planets", {"orbit": {}, "moon": {"max_versions": 3}})
    planets = connection.table("planets")
    planets.put(b"mars", {b"orbit:days": b"687", b"moon:1": b"Phobos", b"moon:2": b"Deimos"}, timestamp=2000)
    planets.put(b"earth", {b"orbit:days": b"365", b"moon:1": b"Moon"}, timestamp=1000)
    assert planets.row(b"mars")[b"orbit:days"] == b"687"
    assert planets.row(b"mars", columns=[b"moon"]) == {b"moon:1": b"Phobos", b"moon:2": b"Deimos"}
    assert planets.row(b"mars", columns=[b"moon:2", b"orbit:"]) == {b"moon:2": b"Deimos"}
    assert planets.row(b"mars", timestamp=2000) == {}
    assert planets.row(b"earth", include_timestamp=True)[b"moon:1"] == (b"Moon", 1000)
    assert dict(planets.rows([b"mars", b"earth", b"pluto"], columns=[b"orbit:days"])) == {
        b"mars": {b"orbit:days": b"687"},
        b"earth": {b"orbit:days": b"365"},
    }
    for key, data in planets.rows([b"earth"]):
        assert (key, data[b"moon:1"]) == (b"earth", b"Moon")
    planets.put(b"earth", {b"moon:1": b"Luna"}, timestamp=3000)
    assert planets.cells(b"earth", b"moon:1", versions=2) == [b"Luna", b"Moon"]
    assert planets.cells(b"earth", b"moon:1", versions=3, include_timestamp=True) == [(b"Luna", 3000), (b"Moon", 1000)]


def test_scans_of_all_kinds(place):
    connection = place.Connection()
    connection.create_table("log", {"m": {}})
    log = connection.table("log")
    with log.batch() as batch:
        for host in "abc":
            for hour in range(24):
                batch.put(b"%s-%02d" % (host.encode(), hour), {b"m:load": b"%d" % (hour % 5), b"m:host": host.encode()})
    assert len(list(log.scan())) == 72
    assert [key for key, _ in log.scan(row_start=b"b-22")][:2] == [b"b-22", b"b-23"]
    assert len(list(log.scan(row_stop=b"b"))) == 24
    assert [key for key, _ in log.scan(row_start=b"a-05", row_stop=b"a-07")] == [b"a-05", b"a-06"]
    assert len(list(log.scan(row_prefix=b"c-1"))) == 10
    assert next(log.scan(row_prefix=b"c", reverse=True, limit=1))[0] == b"c-23"
    assert {
        key
        for key, data in log.scan(filter="SingleColumnValueFilter('m', 'load', =, 'binary:4')", row_prefix=b"a")
        if data
    } == {
        b"a-04",
        b"a-09",
        b"a-14",
        b"a-19",
    }
    assert next(log.scan(columns=[b"m:host"], include_timestamp=False)) == (b"a-00", {b"m:host": b"a"})
    assert list(next(log.scan(sorted_columns=True))[1]) == [b"m:host", b"m:load"]
    scan = log.scan(batch_size=5)
    assert next(scan)[0] == b"a-00"
    scan.close()


def test_deleting_by_row_column_and_time(place):
    connection = place.Connection()
    connection.create_table("t", {"cf": {}})
    table = connection.table("t")
    for time in (100, 200):
        table.put(b"key", {b"cf:one": b"%d" % time, b"cf:two": b"%d" % time}, timestamp=time)
    table.delete(b"key", columns=[b"cf:one"], timestamp=150)
    assert table.cells(b"key", b"cf:one") == [b"200"]
    table.delete(b"key", columns=[b"cf:one", b"cf:none"])
    assert table.row(b"key") == {b"cf:two": b"200"}
    table.delete(b"key")
    assert table.row(b"key") == {}


def test_batches(place):
    connection = place.Connection()
    connection.create_table("t", {"cf": {}, "cf1": {}})
    table = connection.table("t")
    b = table.batch(timestamp=500)
    b.put(b"one", {b"cf:a": b"1", b"cf:b": b"2"})
    b.put(b"two", {b"cf:a": b"3"})
    b.delete(b"three")
    assert table.row(b"one") == {}
    b.send()
    assert table.row(b"one", include_timestamp=True) == {b"cf:a": (b"1", 500), b"cf:b": (b"2", 500)}
    for transaction, found in ((True, {}), (False, {b"cf:a": b"4"})):
        with pytest.raises(ValueError):
            with table.batch(transaction=transaction) as b:
                b.put(b"four", {b"cf:a": b"4"})
                raise ValueError("something went wrong")
        assert table.row(b"four") == found
    with table.batch(batch_size=1000) as b:
        for n in range(1200):
            b.put(b"row-%04d" % n, {b"cf1:x": b"v1", b"cf1:y": b"v2"})
            if n == 499:
                # The thousandth mutation has just sent the first half.
                assert table.row(b"row-0000") == {b"cf1:x": b"v1", b"cf1:y": b"v2"}
        assert table.row(b"row-1199") == {}
    assert len(list(table.scan(row_prefix=b"row-"))) == 1200


def test_counters(place):
    connection = place.Connection()
    connection.create_table("t", {"cf": {}})
    table = connection.table("t")
    assert table.counter_inc(b"page", b"cf:hits") == 1
    assert table.counter_inc(b"page", b"cf:hits", value=10) == 11
    assert table.counter_dec(b"page", b"cf:hits") == 10
    assert table.counter_get(b"page", b"cf:hits") == 10
    table.counter_set(b"page", b"cf:hits", 99)
    assert table.row(b"page")[b"cf:hits"] == (99).to_bytes(8, "big")


def test_a_pool_with_nested_blocks(place):
    pool = place.Pool(size=2)
    with pool.connection() as connection:
        connection.create_table("t", {"cf": {}})
        connection.table("t").put(b"r", {b"cf:a": b"1"})
        with pool.connection() as again:
            assert again is connection
    with pool.connection() as connection:
        row = connection.table("t").row(b"r")
    assert row == {b"cf:a": b"1"}
