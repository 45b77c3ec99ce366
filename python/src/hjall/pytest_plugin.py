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


# Whether the test's `hjall_db` has been opened with the system's clock.
_SYSTEM_CLOCK = pytest.StashKey[bool]()


@pytest.fixture
def hjall_clock(request: pytest.FixtureRequest) -> Generator[hjall.ManualClock, None, None]:
    """A clock that only the test moves, with ``advance(ms)`` and ``set(now_ms)``, for tests of TTLs and timestamps. The
    test's `hjall_db` uses it. `hjall_module_db` and `hjall_session_db` cannot, because they outlive it: the test fails
    if it has one of them and no `hjall_db`."""
    if request.node.stash.get(_SYSTEM_CLOCK, False):
        pytest.fail(
            "hjall_clock: the test's hjall_db is open already and uses the system's clock: request hjall_clock before "
            "hjall_db, or name both as arguments of the test",
            pytrace=False,
        )
    _refuse_wider_databases(request)
    yield hjall.ManualClock()
    # Those that the test has requested with `getfixturevalue`.
    _refuse_wider_databases(request)


def _refuse_wider_databases(request: pytest.FixtureRequest) -> None:
    """Fails if the databases of a test cannot use its `hjall_clock`."""
    wider = [name for name in ("hjall_module_db", "hjall_session_db") if name in request.fixturenames]
    if wider and "hjall_db" not in request.fixturenames:
        pytest.fail(
            f"hjall_clock: {wider[0]} uses the system's clock, because it is older than the test's hjall_clock: use "
            "hjall_db, or a fixture of your own that opens hjall.memory(clock=hjall.ManualClock())",
            pytrace=False,
        )


@pytest.fixture
def hjall_db(request: pytest.FixtureRequest) -> Generator[hjall.Database, None, None]:
    """A new database in memory. It uses `hjall_clock` if the test requests that fixture too, and the system's clock
    otherwise."""
    clock = request.getfixturevalue("hjall_clock") if "hjall_clock" in request.fixturenames else None
    request.node.stash[_SYSTEM_CLOCK] = clock is None
    with hjall.memory(clock=clock) as database:
        yield database
    # The same test may be run again.
    del request.node.stash[_SYSTEM_CLOCK]


@pytest.fixture(scope="module")
def hjall_module_db() -> Generator[hjall.Database, None, None]:
    """A new database in memory for all tests of a module. It uses the system's clock."""
    with hjall.memory() as database:
        yield database


@pytest.fixture(scope="session")
def hjall_session_db() -> Generator[hjall.Database, None, None]:
    """A new database in memory for all tests of a session. It uses the system's clock."""
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
