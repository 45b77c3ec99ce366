"""Fixtures for servers in memory."""
import pytest

from serving import Hjall


@pytest.fixture
def served():
    """Starts servers with the given options and stops them at the end of the test."""

    running = []

    def start(*options):
        running.append(Hjall(None, "--memory", "--info-listen", "127.0.0.1:0", *options))
        return running[-1]

    yield start
    for server in running:
        server.close()


@pytest.fixture(scope="module")
def module_server():
    """A server in memory for the tests of a module."""
    with Hjall(None, "--memory") as server:
        yield server
