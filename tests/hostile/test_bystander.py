"""The control: without an attack, a bystander reads without a failure."""
from attacking import connect, message, peak_rss, rss


def test_a_bystander_reads_without_failures(attacked, bystander):
    server = attacked(limits=["limits.connections=20"])
    with bystander(server) as reader:
        with connect(server.port) as raw:
            raw.sendall(message("getTableNames"))
            assert b"bystander" in raw.recv(1 << 16)
        reader.reads(20)
    assert not reader.failures and len(reader.latencies) >= 20
    assert 1 << 20 < rss(server) <= peak_rss(server)
