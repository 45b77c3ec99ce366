"""A web page that tries to drop a table through a browser that can reach the server."""
import happybase
import pytest
from attacking import connect, message, post, text_field, until_closed

PAGES = {
    "a form": dict(content_type="text/plain", headers=["Origin: https://evil.example"]),
    "a request without a content type": dict(content_type=None, headers=["Origin: null"]),
    "an old browser that sends no origin": dict(content_type="text/plain", headers=[]),
    "a blob without a type": dict(content_type=None, headers=[]),
    "a script": dict(content_type="application/x-thrift", headers=["Origin: https://evil.example", "Sec-Fetch-Site: cross-site"]),
    "a page of another port": dict(content_type="application/x-thrift", headers=["Origin: http://localhost:3000"]),
    "DNS rebinding": dict(content_type="application/x-thrift", headers=[], host="evil.example:9090"),
}


@pytest.mark.parametrize("page", PAGES)
def test_a_web_page_cannot_drop_a_table(attacked, page):
    server = attacked()
    database = happybase.Connection("127.0.0.1", server.port, timeout=30_000)
    database.create_table("victim", {"f": {}})
    request = dict(PAGES[page])
    headers = request.pop("headers")
    for name in ("disableTable", "deleteTable"):
        with connect(server.port) as browser:
            browser.sendall(post(message(name, text_field(1, b"victim") + b"\0"), *headers, "Connection: close", **request))
            assert until_closed(browser).split(b" ", 2)[1] in (b"403", b"405", b"415", b"421")
    assert database.tables() == [b"victim"] and database.is_table_enabled("victim")
    database.close()


def test_a_client_over_http_is_served(attacked):
    server = attacked()
    with connect(server.port) as client:
        client.sendall(post(message("getTableNames"), "Connection: close"))
        answer = until_closed(client)
    assert answer.startswith(b"HTTP/1.1 200") and b"getTableNames" in answer
