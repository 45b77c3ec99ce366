"""Connections that use up file descriptors: the store must still be able to open its files."""
import urllib.request

import happybase
from attacking import connect


def test_silent_connections_leave_descriptors_to_the_store(attacked, bystander):
    server = attacked(on_disk=True, open_files=128)
    database = happybase.Connection("127.0.0.1", server.port, timeout=30_000)
    database.create_table("t", {"f": {}})
    silent = []
    with bystander(server) as reader:
        # The server closes connections above its limit, so some of these end.
        for _ in range(200):
            silent.append(connect(server.port))
        table = database.table("t")
        for round_number in range(5):
            with table.batch() as batch:
                for i in range(200):
                    batch.put(b"%d-%d" % (round_number, i), {b"f:q": bytes(1000)})
            # Flushes the memory to new files.
            database.compact_table("t", major=True)
        assert len(list(table.scan())) == 1000
        reader.reads(20)
        assert urllib.request.urlopen(server.info + "/healthz", timeout=30).status == 200
    assert not reader.failures
    for connection in silent:
        connection.close()
    database.close()
    log = "".join(server.said)
    assert "open files" in log and "Too many open files" not in log
