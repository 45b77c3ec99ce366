"""Calls that take more memory than one connection may have: they can never succeed, so no client is asked to try again.
"""
import contextlib

import happybase
import pytest
from attacking import connect, framed, message, post, struct_field, structs_field, text_field, until_closed
from test_memory import LISTS, MIB, wide_row

# One connection may have 40 MiB then.
IN_FLIGHT = "limits.bytes_in_flight=64MiB"
AGAIN = (b"try again", b"RegionTooBusy", b"CallQueueTooBig", b"Retry-After", b"retry-after")


def check_final(answer):
    """Checks that an answer names the limit, and asks for no repetition."""
    assert b"limits.bytes_in_flight" in answer and not any(again in answer for again in AGAIN), answer[:500]


def sent(server, call):
    """The answer to a call on a connection of its own. The server may answer before it has received everything."""
    with connect(server.port) as raw:
        with contextlib.suppress(OSError):
            raw.sendall(call)
        return until_closed(raw) if call.startswith(b"POST") else raw.recv(1 << 16)


@pytest.fixture
def server(attacked):
    running = attacked("--set", IN_FLIGHT)
    database = happybase.Connection("127.0.0.1", running.port, timeout=30_000)
    database.create_table("t", {"f": {}})
    database.close()
    return running


@pytest.mark.parametrize("method", LISTS)
def test_arguments_that_are_too_large_when_decoded(server, method):
    count = 1_500_000 if method == "getRows" else 400_000
    answer = sent(server, message(method, LISTS[method](count) + b"\0"))
    # Some lists have too many elements for any message.
    assert b"send several smaller ones" in answer or not check_final(answer)


PUT = message("mutateRow", text_field(1, b"t") + text_field(2, b"r") +
              structs_field(3, [text_field(2, b"f:q") + text_field(3, bytes(60 * MIB))]) + b"\0")


@pytest.mark.parametrize("call", [PUT, framed(PUT), post(PUT, "Connection: close")], ids=["plain", "framed", "HTTP"])
def test_messages_that_are_too_large(server, call):
    check_final(sent(server, call))


def test_rows_that_are_too_large(attacked):
    server = attacked("--set", IN_FLIGHT, "--set", "limits.reply=100MiB", on_disk=True)
    wide_row(server, "t", 50)
    column = text_field(1, b"t") + text_field(2, b"r")
    for call in (message("getRow", column + b"\0"),
                 message("get", text_field(1, b"t") + struct_field(2, text_field(1, b"r")) + b"\0")):
        check_final(sent(server, call))
    # A part of it is not.
    assert b"Exception" not in sent(server, message("getRowWithColumns", column + b"\x0f\0\x03\x0b\0\0\0\1\0\0\0\6f:0001" + b"\0"))
