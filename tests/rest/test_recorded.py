"""HBase's recorded answers, and the rules by which they are compared."""
import json

import pytest
import recorded

SCENARIOS = recorded.scenarios()
KNOWN = json.loads(recorded.KNOWN.read_text())


@pytest.mark.parametrize("name", SCENARIOS)
def test_answers_are_those_of_hbase(address, name):
    found, known = recorded.replay(recorded.Client(address), SCENARIOS[name])
    assert found == {}
    assert known == KNOWN.get(name, {}), "known.json lists the requests whose answers differ by a rule"


def test_the_port_of_rest_answers_alike(rest_address):
    name = "other methods and addresses"
    assert recorded.replay(recorded.Client(rest_address), SCENARIOS[name]) == ({}, KNOWN[name])


def answer(status, body="", headers=None):
    return {"status": status, "headers": headers or {}, "body": body}


def test_only_a_clients_mistake_may_differ():
    sent, text = {"method": "GET"}, {"content-type": "text/plain"}
    mistake = answer(400, "Bad request\r\nlimit is no number\r\n", text)

    def outcome(expected, actual, method="GET"):
        wrong, reason = recorded.different({**sent, "method": method}, expected, actual)
        return bool(wrong), bool(reason)

    same, intended, different = (False, False), (True, True), (True, False)
    assert outcome(answer(500), mistake) == intended
    assert outcome(answer(503), mistake) == intended
    assert outcome(answer(500), answer(400, "", text)) == different
    assert outcome(answer(500), answer(404)) == different
    assert outcome(answer(404), mistake) == different
    assert outcome(answer(415), answer(415, "Unsupported media type\r\nuse JSON\r\n", text)) == intended
    assert outcome(answer(415), answer(415, "Unsupported media type\r\n", text)) == different
    assert outcome(answer(405, "", {"allow": "GET"}), answer(405, "Method not allowed\r\nuse GET\r\n", text)) == different
    assert outcome(answer(500), answer(204, "", {"allow": "GET,OPTIONS"}), "OPTIONS") == intended
    assert outcome(answer(404, "Not found\r\nx"), answer(404, "Not found\r\ny")) == same
    assert outcome(answer(200, "Not found\r\nx"), answer(200, "Not found\r\ny")) == different
