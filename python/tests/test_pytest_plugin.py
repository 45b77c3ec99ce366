"""The pytest plugin. Each test runs pytest on tests that use the fixtures."""

import os
import pathlib

import pytest

import hjall

pytest_plugins = ["pytester"]

CONFIGURATION = "[pytest]\naddopts = -p hjall.pytest_plugin -p no:cacheprovider\n"


@pytest.fixture
def run(pytester, monkeypatch):
    """Returns a function that runs tests with the plugin and expects `passed` of them to pass, none to fail and no
    error, unless `others` has other numbers. It returns the output."""
    source = str(pathlib.Path(hjall.__file__).parents[1])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([source, *filter(None, [os.environ.get("PYTHONPATH")])]))
    pytester.makeini(CONFIGURATION)

    def run(source, passed, **others):
        pytester.makepyfile(source)
        result = pytester.runpytest_subprocess()
        result.assert_outcomes(passed=passed, **others)
        return result.stdout

    return run


def test_each_test_has_a_new_database(run):
    run(
        """
        import pytest

        @pytest.mark.parametrize("n", range(3))
        def test_fresh(hjall_db, n):
            assert hjall_db.tables() == []
            hjall_db.create_table("t", {"f": {}})
            hjall_db.table("t").put(b"r", {b"f:q": b"1"})

        def test_open(hjall_db):
            assert hjall_db.is_open and hjall_db.path is None
    """,
        passed=4,
    )


def test_the_database_is_closed_afterwards(run):
    run(
        """
        kept = []

        def test_one(hjall_db):
            kept.append(hjall_db)

        def test_two():
            assert not kept[0].is_open
    """,
        passed=2,
    )


def test_stock_clients_reach_the_server(run):
    run(
        """
        import happybase

        def test_put_and_scan(hjall_server):
            assert hjall_server.address == (hjall_server.host, hjall_server.port)
            connection = happybase.Connection(*hjall_server.address)
            connection.create_table("t", {"f": {}})
            connection.table("t").put(b"r", {b"f:q": b"1"})
            assert hjall_server.database.table("t").row(b"r") == {b"f:q": b"1"}
            connection.close()

        def test_both_are_one(hjall_server, hjall_db):
            assert hjall_server.database is hjall_db and hjall_db.tables() == []
    """,
        passed=2,
    )


def test_the_test_moves_the_clock(run):
    run(
        """
        def test_expiry(hjall_db, hjall_clock):
            hjall_db.create_table("t", {"f": {"time_to_live": 60}})
            table = hjall_db.table("t")
            table.put(b"r", {b"f:q": b"1"})
            assert table.row(b"r", include_timestamp=True) == {b"f:q": (b"1", hjall_clock.now_ms)}
            hjall_clock.advance(60_001)
            assert table.row(b"r") == {}

        def test_expiry_behind_a_server(hjall_clock, hjall_server):
            hjall_server.database.create_table("t", {"f": {"time_to_live": 1}})
            hjall_server.database.table("t").put(b"r", {b"f:q": b"1"})
            hjall_clock.set(hjall_clock.now_ms + 1001)
            assert hjall_server.database.table("t").row(b"r") == {}

        def test_the_default_is_the_system_clock(hjall_db):
            import time
            assert abs(hjall_db.now_ms - time.time() * 1000) < 3_600_000
    """,
        passed=3,
    )


def test_a_clock_that_no_database_uses_is_refused(run):
    output = run(
        """
        import pytest

        @pytest.fixture(scope="module")
        def shop(hjall_session_db):
            return hjall_session_db

        def test_module(hjall_clock, hjall_module_db):
            pass

        def test_fixture_of_the_program(shop, hjall_clock):
            pass

        def test_requested_later(hjall_clock, request):
            request.getfixturevalue("hjall_module_db")

        def test_clock_requested_too_late(hjall_db, request):
            request.getfixturevalue("hjall_clock")
    """,
        passed=1,
        failed=1,
        errors=3,
    )
    output.fnmatch_lines(
        [
            "hjall_clock: hjall_module_db uses the system's clock, because *: use hjall_db, or *ManualClock())",
            "hjall_clock: hjall_session_db uses the system's clock, because *",
            "hjall_clock: hjall_module_db uses the system's clock, because *",
            "hjall_clock: the test's hjall_db is open already *: request hjall_clock before hjall_db, or *",
        ]
    )


def test_a_clock_that_a_database_uses_is_not_refused(run):
    run(
        """
        import hjall

        def test_beside_a_database_of_the_module(hjall_module_db, hjall_clock, hjall_db):
            assert hjall_db.now_ms == hjall_clock.now_ms

        def test_requested_in_the_test(request):
            clock = request.getfixturevalue("hjall_clock")
            assert request.getfixturevalue("hjall_server").database.now_ms == clock.now_ms

        def test_a_database_of_its_own(hjall_clock):
            with hjall.memory(clock=hjall_clock) as db:
                assert db.now_ms == hjall_clock.now_ms
    """,
        passed=3,
    )


def test_the_fixtures_are_listed(run, pytester):
    run("def test_nothing(): pass", passed=1)
    listed = pytester.runpytest_subprocess("--fixtures").stdout.str()
    for fixture in ("hjall_db", "hjall_server", "hjall_clock"):
        assert fixture in listed


def test_the_package_registers_the_plugin():
    pyproject = (pathlib.Path(__file__).parents[1] / "pyproject.toml").read_text()
    assert '[project.entry-points.pytest11]\nhjall = "hjall.pytest_plugin"' in pyproject


def test_databases_of_wider_scope(run):
    run(
        """
        import asyncio

        def test_module(hjall_module_db, hjall_session_db):
            hjall_module_db.create_table("m", {"f": {}})
            hjall_session_db.create_table("s", {"f": {}})

        def test_still_there(hjall_module_db, hjall_session_db, hjall_db):
            assert hjall_module_db.tables() == [b"m"] and hjall_session_db.tables() == [b"s"]
            assert hjall_db.tables() == []

        def test_asyncio(hjall_aio_db, hjall_db):
            async def main():
                await hjall_aio_db.create_table("t", {"f": {}})
                await hjall_aio_db.table("t").put(b"r", {b"f:a": b"1"})
            asyncio.run(main())
            assert hjall_db.table("t").row(b"r") == {b"f:a": b"1"}
    """,
        passed=3,
    )


def test_happybase_programs_run_without_a_server(run, pytester):
    pytester.makepyfile(
        program="""
        from happybase import Connection, ConnectionPool

        def save(name):
            connection = Connection("hbase.example.com", port=9090, table_prefix="shop")
            if b"orders" not in connection.tables():
                connection.create_table("orders", {"cf": dict()})
            connection.table("orders").put(name, {"cf:state": "new"})
            connection.close()

        def load(name):
            with ConnectionPool(2, host="hbase.example.com", table_prefix="shop").connection() as connection:
                return connection.table("orders").row(name)
    """
    )
    run(
        """
        import happybase
        import pytest
        from program import load, save

        def test_data_survives_close(hjall_happybase):
            save("o1")
            save("o2")
            assert load("o1") == {b"cf:state": b"new"}
            assert hjall_happybase.tables() == [b"shop_orders"]
            assert isinstance(happybase.Connection("any"), happybase.Connection)

        def test_each_test_has_its_own(hjall_happybase):
            save("o3")
            assert load("o1") == {}

        def test_afterwards_connections_are_real(hjall_server):
            connection = happybase.Connection(*hjall_server.address)
            assert type(connection).__module__ == "happybase.connection" and connection.tables() == []
            with pytest.raises(Exception, match="onnect"):
                save("o4")
    """,
        passed=3,
    )


def test_a_missing_happybase_is_named(run):
    run(
        """
        import sys
        import pytest
        import hjall
        from hjall import happybase

        @pytest.fixture(autouse=True)
        def missing(monkeypatch):
            # An import of a module that is None raises ModuleNotFoundError.
            for name in ("happybase", "Hbase_thrift"):
                monkeypatch.setitem(sys.modules, name, None)

        def test_the_fixture(request):
            with pytest.raises(ImportError, match="^happybase is not installed: pip install happybase$"):
                request.getfixturevalue("hjall_happybase")

        def test_the_client(hjall_db):
            with pytest.raises(ImportError, match="^happybase is not installed: pip install happybase$"):
                happybase.Connection(database=hjall_db).client
    """,
        passed=2,
    )
