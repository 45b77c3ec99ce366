"""The control socket in the data folder, and a process of the same user that sends requests slowly."""
import socket
import threading
import time

from attacking import until_closed
from serving import Hjall

REQUESTS_MAX = 4


def connected(server):
    raw = socket.socket(socket.AF_UNIX)
    raw.settimeout(60)
    raw.connect(str(server.folder / "control"))
    return raw


def drip(raw):
    """Sends a byte of a request every half second until the server ends the connection."""
    try:
        raw.sendall(b"backup 60000\n")
        while True:
            raw.sendall(b"/")
            time.sleep(0.5)
    except OSError:
        pass


def test_requests_that_arrive_slowly_leave_their_places(attacked):
    server = attacked(on_disk=True)
    slow = [connected(server) for _ in range(REQUESTS_MAX)]
    threads = [threading.Thread(target=drip, args=(raw,), daemon=True) for raw in slow]
    for thread in threads:
        thread.start()
    for raw in slow:
        assert until_closed(raw) == b""
    with connected(server) as raw:
        raw.sendall(b"\xff\xfe\n")
        assert until_closed(raw).startswith(b"failed 1 the server does not understand the request")
    with connected(server) as raw:
        raw.sendall(b"addresses\n")
        assert f"progress 127.0.0.1:{server.port}\ndone\n".encode() == until_closed(raw)


def test_a_stop_ends_requests_that_have_not_arrived(tmp_path):
    server = Hjall(tmp_path / "data")
    with connected(server) as silent, connected(server) as slow:
        slow.sendall(b"backup 60")
        # Served after those, so both are being read.
        with connected(server) as raw:
            raw.sendall(b"addresses\n")
            assert until_closed(raw).endswith(b"done\n")
        began = time.monotonic()
        assert server.stop() == 0
        assert until_closed(silent) == until_closed(slow) == b"failed 1 the server is stopping; run the command again\n"
        print(f"stopped after {time.monotonic() - began:.2f} s")
