"""The REST gateway inside TLS."""
import ssl

import pytest
from certificates import self_signed
from sending import BYTES, JSON, XML, cells, send
from serving import Hjall


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server with TLS, and the context of a client that trusts it."""
    certificate, key = self_signed(tmp_path_factory.mktemp("tls"), names="DNS:localhost,IP:127.0.0.1")
    with Hjall(None, "--memory", "--tls-cert", str(certificate), "--tls-key", str(key), "--set", "tls.plain=refuse") as running:
        running.context = ssl.create_default_context(cafile=str(certificate))
        yield running


def test_requests_inside_tls_are_answered(server):
    def https(*arguments, **headers):
        return send(server.address, *arguments, context=server.context, **headers)

    status, headers, _ = https("PUT", "/t/schema", '{"ColumnSchema":[{"name":"f"}]}', Content_Type=JSON)
    assert (status, headers["Location"]) == (201, f"https://{server.address}/t/schema")
    assert https("PUT", "/t/r", cells(*((f"r{n}", "f:a", bytes(100_000)) for n in range(30))), Content_Type=JSON)[0] == 200
    assert https("GET", "/t/r7/f:a", Accept=BYTES)[2] == bytes(100_000)
    status, headers, body = https("GET", "/t/r*", Accept=XML)
    assert status == 200 and headers["Content-Length"] is None and body.count(b"<Row ") == 30
    location = https("PUT", "/t/scanner", '{"batch":10}', Content_Type=JSON)[1]["Location"]
    assert location.startswith("https://")
    assert https("GET", location.split(server.address)[1], Accept=JSON)[0] == 200


def test_a_request_without_tls_is_told_to_use_https(server):
    status, _, body = send(server.address, "GET", "/version")
    assert status == 403 and b"https://" in body and b"org.apache" not in body
