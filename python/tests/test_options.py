"""Options for opening a database: unknown ones, and addresses of servers, are refused with the remedy."""

import pytest

import hjall
from hjall import aio


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "::1", "hbase:9090", "hbase.example.com", "10.1.2.3"])
def test_addresses_are_no_folders(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for call in (
        hjall.open,
        aio.open,
        lambda path: hjall.ConnectionPool(1, path),
        lambda path: aio.ConnectionPool(1, path),
    ):
        with pytest.raises(ValueError, match=r"looks like the address of a server.*happybase\.Connection.*\./"):
            call(name)
    assert list(tmp_path.iterdir()) == []
    if ":" not in name:
        hjall.open(f"./{name}").close()
        hjall.open(name).close()


URLS = ["http://x", "https://hbase.example.com:8080/", "thrift://localhost:9090", "HBASE+thrift://x/y"]


@pytest.mark.parametrize("name", URLS)
def test_urls_are_no_folders(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for call in (hjall.open, aio.open):
        with pytest.raises(ValueError, match=r"looks like the address of a server.*happybase\.Connection.*\./"):
            call(name)
    for call in (hjall.open, aio.open):
        with pytest.raises(ValueError, match=r"'file:///data' is a URL: name the folder by its path"):
            call("file:///data")
    assert list(tmp_path.iterdir()) == []
    hjall.open(f"./{name}").close()
    hjall.open(name).close()


@pytest.mark.parametrize("option", ["host", "port", "timeout", "transport", "protocol", "compat"])
def test_options_of_connections_are_refused(option, tmp_path):
    for call in (
        lambda **options: hjall.open(tmp_path / "db", **options),
        hjall.memory,
        aio.memory,
        lambda **options: hjall.ConnectionPool(2, **options),
        lambda **options: aio.ConnectionPool(2, **options),
    ):
        with pytest.raises(TypeError, match=f"connects to no server.*option {option!r}.*happybase"):
            call(**{option: None})


@pytest.mark.parametrize("name, call", [("hjall.open", hjall.open), ("hjall.aio.open", aio.open)])
def test_a_missing_folder_is_named_with_the_remedy(name, call):
    for option in "host", "port":
        with pytest.raises(TypeError, match=rf"^{name} .*connects to no server.*option {option!r}.*happybase"):
            call(**{option: "localhost"})
    with pytest.raises(
        TypeError, match=rf'^{name} opens the database in a folder: name one, as in {name}\("\./data"\)'
    ):
        call()


def test_unknown_options_are_refused_by_name(tmp_path):
    with pytest.raises(TypeError, match=r"hjall\.open has no option 'cache_size': did you mean 'cache_bytes'"):
        hjall.open(tmp_path / "db", cache_size=1)
    with pytest.raises(TypeError, match=r"hjall\.memory has no option 'zzz': the options are autoconnect, cache_bytes"):
        hjall.memory(zzz=1)
    assert not (tmp_path / "db").exists()


@pytest.mark.parametrize(
    "option, value, error, message",
    [
        ("cache_bytes", "1G", TypeError, "cache_bytes must be an integer, a number of bytes, not str"),
        ("row_cache_bytes", -1, ValueError, "row_cache_bytes must not be negative: -1"),
        ("clock", 5, TypeError, r"clock must be a hjall\.ManualClock, not int"),
        ("encoding", "utf8888", hjall.InvalidArgument, r"encoding must name a text .* \"utf-8\", not 'utf8888'"),
        # A codec, but not one that encodes text.
        ("encoding", "hex", hjall.InvalidArgument, r"encoding must name a text .* not 'hex'"),
        ("encoding", "utf\0", hjall.InvalidArgument, r"encoding must name a text .* not 'utf\\x00'"),
    ],
)
def test_messages_name_the_option(option, value, error, message):
    for call in (hjall.memory, aio.memory, lambda **options: hjall.ConnectionPool(1, "x", **options)):
        with pytest.raises(error, match=rf"^hjall\.\w+: {message}"):
            call(**{option: value})


def test_a_pool_names_its_database(tmp_path):
    for call in (hjall.ConnectionPool, aio.ConnectionPool):
        with pytest.raises(TypeError, match=r"path=.*database="):
            call(2)
    with hjall.memory() as db:
        pool = hjall.ConnectionPool(2, database=db)
        with pool.connection() as connection:
            connection.create_table("t", {"f": {}})
        assert db.tables() == [b"t"]
    with hjall.ConnectionPool(2, tmp_path).connection() as connection:
        assert connection.tables() == []
        connection.close()
