"""Fixtures for pytest: databases for a test, a module or a session, a Thrift server, a clock that the test controls,
and HappyBase programs without a server.

pytest loads them automatically when hjall is installed.
"""

from __future__ import annotations

from collections.abc import Generator

import pytest

import hjall
from hjall import aio, happybase


class ServedDatabase:
    """A database and the Thrift server that serves it."""

    def __init__(self, server: hjall.Server, database: hjall.Database) -> None:
        self.server, self.database = server, database

    @property
    def address(self) -> tuple[str, int]:
        """The host and port of the server, as in ``happybase.Connection(*hjall_server.address)``."""
        return self.server.address

    @property
    def host(self) -> str:
        """The host of the server."""
        return self.server.host

    @property
    def port(self) -> int:
        """The port of the server."""
        return self.server.port


@pytest.fixture
def hjall_clock() -> hjall.ManualClock:
    """A clock that only the test moves, with ``advance(ms)`` and ``set(now_ms)``, for tests of TTLs and timestamps. The
    test's `hjall_db` uses it."""
    return hjall.ManualClock()


@pytest.fixture
def hjall_db(request: pytest.FixtureRequest) -> Generator[hjall.Database, None, None]:
    """A new database in memory. It uses `hjall_clock` if the test requests that fixture too, and the system's clock
    otherwise."""
    clock = request.getfixturevalue("hjall_clock") if "hjall_clock" in request.fixturenames else None
    with hjall.memory(clock=clock) as database:
        yield database


@pytest.fixture(scope="module")
def hjall_module_db() -> Generator[hjall.Database, None, None]:
    """A new database in memory for all tests of a module."""
    with hjall.memory() as database:
        yield database


@pytest.fixture(scope="session")
def hjall_session_db() -> Generator[hjall.Database, None, None]:
    """A new database in memory for all tests of a session."""
    with hjall.memory() as database:
        yield database


@pytest.fixture
def hjall_aio_db(hjall_db: hjall.Database) -> Generator[aio.Database, None, None]:
    """`hjall_db` for asyncio, as a `hjall.aio.Database`. It can be used in any event loop."""
    database = aio.Database.sharing(hjall_db)
    yield database
    database._threads.end()


@pytest.fixture
def hjall_happybase(hjall_db: hjall.Database, monkeypatch: pytest.MonkeyPatch) -> Generator[hjall.Database, None, None]:
    """`hjall_db`, which all connections and pools of HappyBase use during the test, regardless of their host and port,
    even where a program imported the classes before. The data survives ``close()`` of a connection. HappyBase must be
    installed."""
    for target, name, value in happybase._stock_names():
        monkeypatch.setattr(target, name, value)
    with happybase.redirect(hjall_db):
        yield hjall_db


@pytest.fixture
def hjall_server(hjall_db: hjall.Database) -> Generator[ServedDatabase, None, None]:
    """A Thrift server for HBase's two services on a free port (``host``, ``port``, ``address``). It serves the test's
    `hjall_db` (``database``)."""
    with hjall_db.serve(port=0) as server:
        yield ServedDatabase(server, hjall_db)
