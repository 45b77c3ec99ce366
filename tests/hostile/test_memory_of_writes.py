"""Large writes: the server uses no more memory than `hjall config` says."""
import contextlib
import json
import random
import struct
import subprocess
import threading

import happybase
import pytest
from attacking import AT_LENGTH, connect, framed, message, peak_rss, reset_peak_rss, rss, struct_field, structs_field, text_field

from serving import binary

MIB = 1 << 20
SMALL = ["limits.bytes_in_flight=64MiB", "store.cache=32MiB", "store.row_cache=8MiB", "store.write_buffer=8MiB", "limits.scanner_snapshot_writes=8MiB", "store.catalog=1MiB"]
OPTIONS = [part for setting in SMALL for part in ("--set", setting)]
CONNECTIONS = 16
# The sizes of all writes together.
WRITTEN = (4096 if AT_LENGTH else 256) * MIB


def allowed():
    """The sum that `hjall config` prints for as many connections as there are, in bytes."""
    command = [binary(), "config", "--json", *OPTIONS, "--set", f"limits.connections={CONNECTIONS + 1}"]
    printed = subprocess.run(command, capture_output=True, check=True, timeout=60).stdout
    return sum(json.loads(printed)["memory"].values())


def column_value(number, size):
    """A column with a value that cannot be compressed."""
    return text_field(1, b"f") + text_field(2, b"%d" % number) + text_field(3, random.Random(number).randbytes(size))


def put(number, _):
    """A put of five cells of 1 MiB."""
    cells = structs_field(2, [column_value(i, MIB) for i in range(5)])
    return message("put", text_field(1, b"t") + struct_field(2, text_field(1, b"r%d" % number) + cells) + b"\0"), 5 * MIB


def append(number, step):
    """An append of 100 KB to each of twenty cells, which grow up to 400 KB."""
    cells = structs_field(2, [column_value(i, 100_000) for i in range(20)])
    return message("append", text_field(1, b"t") + struct_field(2, text_field(1, b"a%d %d" % (number, step // 4)) + cells) + b"\0"), 8 * MIB


@pytest.mark.parametrize("write", [put, append])
def test_large_writes_use_no_more_memory_than_is_printed(attacked, bystander, write):
    server = attacked(*OPTIONS, on_disk=True)
    database = happybase.Connection("127.0.0.1", server.port, timeout=30_000)
    database.create_table("t", {"f": {}})
    database.close()
    answers = []

    def many(number):
        _, size = write(number, 0)
        for step in range(max(2, WRITTEN // CONNECTIONS // size)):
            call, refused = write(number, step)[0], True
            while refused:
                # A message for which there is no room is not received to its end.
                with contextlib.suppress(ConnectionError), connect(server.port, source=f"127.0.0.{2 + number % 3}") as raw:
                    raw.sendall(framed(call))
                    answer = received(raw)
                    answers.append(answer)
                    refused = b"limits.bytes_in_flight" in answer
                    assert refused or b"Exception" not in answer, answer

    def received(raw):
        """The beginning of a reply in a frame. All of it is received."""
        kept, left = b"", None
        while left != 0:
            part = raw.recv(1 << 20)
            if not part:
                raise ConnectionError(kept)
            kept = kept if len(kept) > 1000 else kept + part
            left = struct.unpack(">i", part[:4])[0] + 4 - len(part) if left is None else left - len(part)
        return kept[:1000]

    with bystander(server) as reader:
        reader.reads(20)
        process = rss(server)
        reset_peak_rss(server)
        writers = [threading.Thread(target=many, args=(number,)) for number in range(CONNECTIONS)]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
    done = sum(b"Exception" not in answer for answer in answers)
    most = allowed() + process
    print(f"{done} of {len(answers)} writes; peak {peak_rss(server) / MIB:.0f} of {most / MIB:.0f} MiB, before {process / MIB:.0f}")
    assert done >= 2 * CONNECTIONS and not reader.failures
    assert peak_rss(server) <= most
