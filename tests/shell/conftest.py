"""Shells on a data folder and on a server."""
import pytest

from certificates import authority  # noqa: F401  (a fixture)
from serving import Hjall, binary


@pytest.fixture(params=["folder", "server"])
def shell(request, tmp_path):
    """The command line of a shell, once on a data folder of its own, once on a server of its own."""
    if request.param == "folder":
        yield [str(binary()), "shell", "--data", str(tmp_path / "data")]
        return
    with Hjall() as server:
        yield [str(binary()), "shell", "--server", server.address]


@pytest.fixture
def folder_shell(tmp_path):
    """The command line of a shell on a data folder."""
    return [str(binary()), "shell", "--data", str(tmp_path / "data")]
