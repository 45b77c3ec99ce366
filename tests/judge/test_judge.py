"""Tests of the judge itself: it must detect differences and nothing else."""
import json

import known
import replay
from masks import mask, scoped
from replay import Outcome

NOW = 1_700_000_000_000


def outcome(step, kind, got, listed=None, name="a.json/s"):
    result = Outcome(name, {"a.json/s": listed or {}})
    result.add(3, step, kind, got)
    return result.equal, result.different, result.intended


def test_a_different_value_is_a_difference():
    step = {"call": "t1.get", "args": {}, "returns": [{"value": "1", "timestamp": 5}]}
    assert outcome(step, "returns", [{"value": "1", "timestamp": 5}]) == (1, 0, 0)
    assert outcome(step, "returns", [{"value": "2", "timestamp": 5}]) == (0, 1, 0)
    assert outcome(step, "returns", [{"value": "1", "timestamp": 6}]) == (0, 1, 0)
    assert outcome(step, "throws", {"exception": "IOError"}) == (0, 1, 0)


def test_the_type_and_java_class_of_an_exception_are_compared_but_not_its_text():
    step = {"call": "t1.get", "args": {}, "throws": {"exception": "IOError", "class": "TableNotFoundException", "message": "a", "canRetry": False}}
    assert outcome(step, "throws", {"exception": "IOError", "class": "TableNotFoundException", "message": "b", "canRetry": False}) == (1, 0, 0)
    assert outcome(step, "throws", {"exception": "IOError", "message": "a", "canRetry": False}) == (0, 1, 0)
    assert outcome(step, "throws", {"exception": "IOError", "class": "TableNotFoundException", "canRetry": True}) == (0, 1, 0)
    failed = {"call": "t1.mutateRows", "args": {}, "throws": {"exception": "IOError", "message": "Failed 2 actions: a"}}
    assert outcome(failed, "throws", {"exception": "IOError", "message": "x: Failed 2 actions: b"}) == (1, 0, 0)
    assert outcome(failed, "throws", {"exception": "IOError", "message": "Failed 1 action: a"}) == (0, 1, 0)
    assert outcome(step, "throws", {"exception": "IllegalArgument", "class": "TableNotFoundException", "canRetry": False}) == (0, 1, 0)


def test_a_listed_difference_must_differ():
    step = {"call": "t1.get", "args": {}, "returns": 1}
    assert outcome(step, "returns", 2, {"3": "because"}) == (0, 0, 1)
    assert outcome(step, "returns", 1, {"3": "because"}) == (1, 1, 0)
    assert outcome(step, "returns", 2, {"4": "because"}) == (0, 1, 0)
    # A recording with a seed has another call at this step.
    assert outcome(step, "returns", 1, {"3": "because"}, "a-7.json/s") == (1, 0, 0)


def test_a_difference_counts_unless_the_calls_were_slower_than_a_ttl(monkeypatch):
    def played(*turns):
        left = list(turns)

        def once(_):
            different, slowest = left.pop(0)
            result = Outcome("a.json/s", {})
            result.different = different
            return result, slowest

        monkeypatch.setattr(replay, "play_once", once)
        return replay.play(None).different, len(turns) - len(left)

    assert played((1, 0.1), (0, 0.1)) == (1, 1)
    assert played((0, 3.0), (1, 0.1)) == (0, 1), "equal answers count even if the calls were slow"
    assert played((1, 3.0), (1, 3.0), (0, 0.1), (1, 0.1)) == (0, 3)
    assert played(*[(1, 3.0)] * 9) == (1, replay.TURNS)


def test_only_values_chosen_by_the_server_are_masked():
    masked = mask({"timestamp": NOW - 1000, "value": "1700000000000", "port": 16020, "serverName": "h"}, now=NOW)
    assert masked == {"timestamp": "<now>", "value": "1700000000000", "port": "<port>", "serverName": "<server>"}
    assert mask({"timestamp": 5}, now=NOW) == {"timestamp": 5}
    assert mask({"timestamp": NOW - 7_200_000}, now=NOW) == {"timestamp": NOW - 7_200_000}
    assert mask("t,row,1700000000000.0123456789abcdef0123456789abcdef.", now=NOW) == "t,row,<id>.<md5>."


def test_tables_of_other_scenarios_are_ignored():
    assert scoped("getTableNames", ["j_b_t", "j_a_u", "j_a_t"], "j_a_") == ["j_a_t", "j_a_u"]
    assert scoped("getTableNamesWithIsTableEnabled", {"j_a_t": True, "x": False}, "j_a_") == {"j_a_t": True}
    assert scoped("getRow", ["x"], "j_a_") == ["x"]


def test_every_listed_difference_names_a_recorded_call():
    golden = known.FILE.with_name("golden")
    for name, steps in known.load().items():
        file, scenario = name.split("/", 1)
        found = [s for s in json.loads((golden / file).read_text())["scenarios"] if s["name"] == scenario]
        assert found, f"known.json: scenario {name} does not exist"
        for n, reason in steps.items():
            assert "call" in found[0]["steps"][int(n)], f"known.json: {name} step {n} is not a call"
            assert len(reason) > 20, f"known.json: {name} step {n} has no reason"
