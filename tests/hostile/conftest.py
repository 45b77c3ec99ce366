"""Fixture for the servers that are attacked."""
import pytest

from attacking import AT_LENGTH, Bystander
from certificates import authority  # noqa: F401  (a fixture)
from serving import Hjall


@pytest.fixture
def attacked(tmp_path):
    """Starts servers and stops them at the end of the test.

    `limits` are settings such as "limits.connections=20"; `make hostile` leaves them out, so that the defaults apply.
    `options` are other command line options. `on_disk` keeps the data in a folder. `open_files` is the process's limit
    on file descriptors.
    """
    running = []

    def start(*options, limits=(), on_disk=False, open_files=None):
        small = [part for limit in limits if not AT_LENGTH for part in ("--set", limit)]
        place = () if on_disk else ("--memory",)
        folder = tmp_path / f"data-{len(running)}" if on_disk else None
        running.append(Hjall(folder, *place, "--info-listen", "127.0.0.1:0", *small, *options, open_files=open_files))
        return running[-1]

    yield start
    for server in running:
        survived = server.process.poll() is None
        server.close()
        assert survived, "the server has ended:\n" + "".join(server.said[-20:])


@pytest.fixture
def bystander():
    """Starts bystanders of servers, each in a `with` statement."""
    return lambda server, **options: Bystander(server.port, **options)
