"""Servers for the tests of the REST gateway."""
import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from serving import Hjall  # noqa: E402


@pytest.fixture(scope="session")
def server():
    """A server with a port for REST beside the common one."""
    with Hjall(None, "--rest-listen", "127.0.0.1:0") as running:
        yield running


@pytest.fixture(scope="session")
def address(server):
    """The common port."""
    return server.address


@pytest.fixture(scope="session")
def rest_address(server):
    """The port of REST."""
    found = [port for line in server.said for port in re.findall(r"127\.0\.0\.1:(\d+)", line)]
    return f"127.0.0.1:{next(port for port in found if int(port) != server.port)}"
