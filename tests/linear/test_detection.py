"""That the rounds detect a server that breaks its promises: a check that accepts everything would pass as well."""

import shutil

import pytest

import row_model
from checker import Violation, check
from lying_proxy import LyingProxy
from rounds import OPTIONS, Failed, Rounds, load, start
from serving import Hjall

ROUNDS = 20
FRAMED = [(True, False)]


def failing(rounds):
    """Runs rounds until one fails; returns the file of its history."""
    with pytest.raises(Failed) as failed:
        for _ in range(ROUNDS):
            rounds.run()
    assert "not linearizable" in str(failed.value)
    return failed.value.saved


@pytest.mark.parametrize("lie", ["drop", "late", "twice"])
def test_a_lying_proxy_is_detected(lie, tmp_path):
    with start(tmp_path / "data") as server, LyingProxy(lie) as proxy:
        saved = failing(Rounds(server, "1", tmp_path / "kept", proxy.through, FRAMED, ends={"go on": 1}))
    initial, operations = load(saved)
    with pytest.raises(Violation):
        check(row_model, operations, initial)


class Forgetful(Hjall):
    """A server that loses in a kill what it acknowledged since its last start."""

    def start(self):
        older = self.folder.with_name("older")
        if older.exists():
            shutil.rmtree(self.folder)
            shutil.copytree(older, self.folder)
        return super().start()

    def remember(self):
        """From now on, a kill leads back to the present state."""
        assert self.stop() == 0
        shutil.copytree(self.folder, self.folder.with_name("older"), dirs_exist_ok=True)
        self.start()


def test_a_server_that_loses_acknowledged_writes_is_detected(tmp_path):
    with Forgetful(tmp_path / "data", *OPTIONS) as server:
        rounds = Rounds(server, "1", tmp_path / "kept", ends={"kill": 1})
        server.remember()
        failing(rounds)
