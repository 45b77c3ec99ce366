"""Fixtures for pytest: a database for each test, a Thrift server for clients that want one, and a clock that the test moves.

pytest finds them by itself once hjall is installed.
"""

from __future__ import annotations

from collections.abc import Generator

import pytest

import hjall


class ServedDatabase:
    """Where a database answers Thrift clients, and the database itself."""

    def __init__(self, server: hjall.Server, database: hjall.Database) -> None:
        self.server, self.database = server, database

    @property
    def address(self) -> tuple[str, int]:
        """Host and port, as in ``happybase.Connection(*hjall_server.address)``."""
        return self.server.address

    @property
    def host(self) -> str:
        """The host."""
        return self.server.host

    @property
    def port(self) -> int:
        """The port."""
        return self.server.port


@pytest.fixture
def hjall_clock() -> hjall.ManualClock:
    """A clock that only the test moves (``advance(ms)``, ``set(ms)``), for what depends on time: TTLs, timestamps. `hjall_db` of the same test goes by it."""
    return hjall.ManualClock()


@pytest.fixture
def hjall_db(request: pytest.FixtureRequest) -> Generator[hjall.Database, None, None]:
    """A fresh database in memory. It goes by `hjall_clock` if the test asks for that as well, else by the system's clock."""
    clock = request.getfixturevalue("hjall_clock") if "hjall_clock" in request.fixturenames else None
    with hjall.memory(clock=clock) as database:
        yield database


@pytest.fixture
def hjall_server(hjall_db: hjall.Database) -> Generator[ServedDatabase, None, None]:
    """A Thrift server of HBase's two services on a free port (``host``, ``port``, ``address``) for a fresh database in memory (``database``), which is the
    `hjall_db` of the same test.
    """
    with hjall_db.serve(port=0) as server:
        yield ServedDatabase(server, hjall_db)
