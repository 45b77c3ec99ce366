"""Concurrent clients of a real server see linearizable rows, through flushes, compactions, kills and restarts."""

from rounds import Rounds, start

SEED, ROUNDS = "1", 8


def test_rows_are_linearizable(tmp_path):
    with start(tmp_path / "data") as server:
        rounds = Rounds(server, SEED, tmp_path / "kept")
        for _ in range(ROUNDS):
            rounds.run()
    assert rounds.ended["kill"] and rounds.ended["stop"] and rounds.unknown
