"""HBase's recorded answers, and the rules by which they are compared."""
import pytest
import recorded

SCENARIOS = recorded.scenarios()


@pytest.mark.parametrize("name", SCENARIOS)
def test_answers_are_those_of_hbase(address, name):
    assert recorded.replay(recorded.Client(address), SCENARIOS[name]) == {}


def test_the_port_of_rest_answers_alike(rest_address):
    name = "other methods and addresses"
    assert recorded.replay(recorded.Client(rest_address), SCENARIOS[name]) == {}


def answer(status, body="", headers=None):
    return {"status": status, "headers": headers or {}, "body": body}


def test_only_a_clients_mistake_may_differ():
    sent, text = {"method": "GET"}, {"content-type": "text/plain"}
    mistake = answer(400, "Bad request\r\nlimit is no number\r\n", text)
    assert recorded.different(sent, answer(500), mistake) == []
    assert recorded.different(sent, answer(500), answer(400, "", text))
    assert recorded.different(sent, answer(500), answer(404))
    assert recorded.different(sent, answer(503), mistake) == []
    assert recorded.different(sent, answer(404), mistake)
    assert recorded.different(sent, answer(400, "Bad request: x"), mistake)
    assert recorded.different({"method": "OPTIONS"}, answer(500), answer(204, "", {"allow": "GET,OPTIONS"})) == []
    assert recorded.different(sent, answer(404, "Not found\r\nx"), answer(404, "Not found\r\ny")) == []
    assert recorded.different(sent, answer(200, "Not found\r\nx"), answer(200, "Not found\r\ny"))
