"""Opening a database, writing and reading."""

import asyncio
import shutil
import subprocess
import sys

import pytest

import hjall
from hjall import aio, happybase


@pytest.fixture(params=["memory", "folder"])
def db(request, tmp_path):
    """A new database in memory or in a folder."""
    with hjall.memory() if request.param == "memory" else hjall.open(tmp_path) as database:
        yield database


def test_a_put_row_can_be_read(db):
    db.create_table("t", {"f": {}})
    table = db.table("t")
    table.put(b"r", {b"f:a": b"1", b"f:": bytearray(b"2")})
    assert table.row(b"r") == {b"f:": b"2", b"f:a": b"1"}
    assert table.row(memoryview(b"none")) == {}


def test_text_is_refused_with_the_remedy(db):
    db.create_table("t", {"f": {}})
    with pytest.raises(TypeError, match=r"'r'\.encode\(\)"):
        db.table("t").row("r")


def test_values_and_rows_of_other_types_are_refused_with_the_remedy(db):
    db.create_table("t", {"f": {}})
    with pytest.raises(
        TypeError,
        match=r"the value of b'f:a' in row b'r' must be bytes.*not int: encode it, for example a counter with",
    ):
        db.table("t").put(b"r", {b"f:a": 1})
    with pytest.raises(TypeError, match=r"rows must be an iterable of row keys, not bytes: write \[b'r'\]"):
        db.table("t").rows(b"r")


def test_what_is_no_folder_is_refused_with_the_remedy(tmp_path):
    with pytest.raises(ValueError, match=r"use hjall.memory\(\)"):
        hjall.open(":memory:")
    occupied = tmp_path / "file"
    occupied.write_bytes(b"")
    with pytest.raises(hjall.StorageError, match="a database is a folder, and this path names a file"):
        hjall.open(occupied)


def test_the_error_of_a_closed_database_names_the_remedy(tmp_path):
    unopened = r"^the database has not been opened: call open\(\), or with hjall\.aio, await the database"
    folder = hjall.open(tmp_path / "db", autoconnect=False)
    with pytest.raises(hjall.Closed, match=unopened):
        folder.tables()
    folder.open()
    folder.close()
    with pytest.raises(hjall.Closed, match=r"^the database is closed: call open\(\) to open it again$"):
        folder.tables()
    folder.open()
    folder.close()
    memory = hjall.memory()
    memory.create_table("t", {"f": {}})
    used = memory.table("t")
    assert used.row(b"r") == {}
    memory.close()
    for use in (memory.tables, lambda: used.row(b"r"), lambda: list(used.scan()), lambda: memory.table("t").count()):
        with pytest.raises(hjall.Closed, match=r"closed and its data is gone: create one with hjall\.memory\(\)$"):
            use()
    with pytest.raises(hjall.Closed, match=r"create a new one with hjall\.memory\(\)$"):
        memory.open()
    with hjall.memory() as memory:
        shared = happybase.Connection(database=memory)
        shared.close()
        with pytest.raises(hjall.Closed, match=r"call open\(\) to open it again$"):
            shared.tables()
        shared.open()
        assert shared.tables() == []


def test_a_forgotten_await_is_named(tmp_path):
    async def use(db):
        with pytest.raises(hjall.Closed, match=r"`db = await aio\.open\(folder\)`"):
            await db.tables()
        with pytest.raises(hjall.Closed, match=r"`db = await aio\.open\(folder\)`"):
            await db.table("t").row(b"r")

    for db in (aio.open(tmp_path / "db"), aio.memory()):
        asyncio.run(use(db))


def test_a_missing_table_is_a_lookup_error(db):
    with pytest.raises(LookupError) as raised:
        db.table("none").row(b"r")
    assert isinstance(raised.value, hjall.Error)


@pytest.mark.parametrize("options", [{"durability": "FSYNC_WAL"}, {"sync_interval": 0}, {"sync_interval": 0.25}])
def test_durability_is_an_option_of_the_database(tmp_path, options):
    with hjall.open(tmp_path, **options) as db:
        db.create_table("t", {"f": {}})
        db.table("t").put(b"r", {b"f:a": b"x"})
        with pytest.raises(hjall.InvalidArgument, match="other options"):
            hjall.open(tmp_path)
    with hjall.open(tmp_path, durability="SYNC_WAL") as db:
        assert db.table("t").row(b"r") == {b"f:a": b"x"}


@pytest.mark.parametrize(
    "options", [{"durability": "SKIP_WAL"}, {"sync_interval": -1}, {"sync_interval": float("nan")}]
)
def test_an_unknown_durability_of_the_database_is_refused(tmp_path, options):
    with pytest.raises(ValueError, match=next(iter(options))):
        hjall.open(tmp_path, **options)
    with pytest.raises(ValueError, match="in memory"):
        hjall.memory(sync_interval=1)


@pytest.mark.parametrize(
    "option", ["cache_bytes", "row_cache_bytes", "write_buffer_bytes", "catalog_bytes", "cell_bytes_max"]
)
def test_an_open_folder_cannot_be_opened_with_other_options(tmp_path, option):
    with hjall.open(tmp_path), pytest.raises(hjall.InvalidArgument, match="other options"):
        hjall.open(tmp_path, **{option: 1 << 20})


def test_the_descriptors_of_tables_have_a_limit():
    with hjall.memory(catalog_bytes=50_000) as db:
        db.create_table("t", {"f": {}})
        with pytest.raises(hjall.InvalidDescriptor, match="the descriptors of all tables and namespaces"):
            db.create_table("large", {f"f{n}": {} for n in range(100)})
        assert db.tables() == [b"t"]


def test_an_incremental_backup_replaces_an_earlier_one(tmp_path):
    with hjall.open(tmp_path / "db") as db:
        db.create_table("t", {"f": {}})
        for value in (b"1", b"2"):
            db.table("t").put(b"r", {b"f:a": value})
            db.flush_table("t")
            db.backup(tmp_path / "copy", incremental=True)
        with pytest.raises(hjall.InvalidArgument, match="is not an empty folder"):
            db.backup(tmp_path / "copy")
    with hjall.open(tmp_path / "copy") as copy:
        assert copy.table("t").row(b"r") == {b"f:a": b"2"}


def test_a_relative_folder_stays_the_same_when_the_working_directory_changes(tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    database = hjall.open("data")
    database.create_table("t", {"f": {}})
    pool = hjall.ConnectionPool(2, "data")
    database.close()
    monkeypatch.chdir(tmp_path / "elsewhere")
    database.open()
    assert database.tables() == [b"t"]
    with pool.connection() as connection:
        assert connection.tables() == [b"t"]
    database.close()
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not remove a folder that is in use")
def test_a_removed_folder_is_named(tmp_path):
    database = hjall.open(tmp_path / "data")
    database.create_table("t", {"f": {}})
    database.table("t").put(b"r", {b"f:a": b"1"})
    shutil.rmtree(tmp_path / "data")
    for call in lambda: database.flush_table("t"), database.close:
        with pytest.raises(hjall.StorageError, match="data was removed or renamed"):
            call()


def test_the_text_of_a_database_has_its_state(tmp_path):
    with hjall.memory() as memory:
        assert repr(memory) == "<hjall.database.Database memory>"
    assert repr(memory) == "<hjall.database.Database memory (closed)>"
    database = hjall.open(tmp_path / "data", autoconnect=False)
    assert repr(database) == f"<hjall.database.Database path={str(tmp_path / 'data')!r} (closed)>"
    with database:
        database.open()
        assert repr(database) == f"<hjall.database.Database path={str(tmp_path / 'data')!r}>"
    assert repr(aio.memory()) == "<hjall.aio.database.Database memory (closed)>"


def test_modules_are_imported_when_they_are_used():
    program = "import hjall; hjall.aio.open, hjall.happybase.Connection; print('aio' in vars(hjall)); hjall.none"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stdout == "True\n" and "module 'hjall' has no attribute 'none'" in done.stderr


def test_the_module_lists_what_programs_use():
    listed = [name for name in dir(hjall) if not name.startswith("_")]
    assert listed == sorted([*hjall.__all__, "aio", "arrow", "filters", "happybase"])
    assert all(hasattr(hjall, name) for name in dir(hjall))


@pytest.mark.parametrize("name", ["Connection", "connect"])
def test_a_connection_is_refused_with_the_remedy(name):
    assert not hasattr(hjall, name)
    with pytest.raises(AttributeError, match=r"hjall\.open\(folder\) .* hjall\.happybase .* happybase\.Connection"):
        getattr(hjall, name)
    with pytest.raises(AttributeError, match=r"^module 'hjall' has no attribute 'memry'") as raised:
        hjall.memry  # noqa: B018
    assert (raised.value.name, raised.value.obj) == ("memry", hjall)


def test_a_scan_is_a_generator_which_can_be_used_once(db):
    db.create_table("t", {"f": {}})
    table = db.table("t")
    for key in b"a", b"b":
        table.put(key, {b"f:a": b"1"})
    scan = table.scan()
    assert next(scan)[0] == b"a"
    assert [[key for key, _ in scan] for _ in range(2)] == [[b"b"], []]
    assert len(list(table.scan())) == 2
