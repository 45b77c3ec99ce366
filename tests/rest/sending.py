"""Sends requests to a server's REST gateway as plain bytes or with http.client."""
import base64
import contextlib
import http.client
import json
import socket
import struct

JSON, XML, PROTOBUF, BYTES = "application/json", "text/xml", "application/x-protobuf", "application/octet-stream"


def b64(text):
    return base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()


def send(address, method, path, body=None, *, context=None, **headers):
    """The status, the headers and the body of the answer. Underscores in names of headers stand for hyphens."""
    kind = http.client.HTTPSConnection if context else http.client.HTTPConnection
    more = {"context": context} if context else {}
    connection = kind(*address.split(":"), timeout=60, **more)
    with contextlib.closing(connection):
        connection.putrequest(method, path, skip_accept_encoding=True)
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        data = body.encode() if isinstance(body, str) else body
        if data is not None:
            connection.putheader("Content-Length", str(len(data)))
        connection.endheaders(data or None)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read()


def cells(*rows):
    """A cell set in JSON of (row, column, value)."""
    return json.dumps({"Row": [{"key": b64(row), "Cell": [{"column": b64(column), "$": b64(value)}]} for row, column, value in rows]})


def raw(address, request, reset=False):
    """Sends bytes and returns everything that comes back. With `reset`, resets the connection instead of reading."""
    host, port = address.split(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall(request)
        if reset:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return b""
        got = b""
        while piece := connection.recv(1 << 16):
            got += piece
        return got
