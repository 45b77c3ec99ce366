"""Spans for an OpenTelemetry collector: sent if the binary has the feature `otel`, refused with the remedy
otherwise."""
import http.server
import subprocess
import threading

import pytest
from serving import Hjall, binary
from speaking import Wire


@pytest.fixture
def collector():
    """A collector that records requests: (URL, list of paths and bodies)."""

    posted = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            posted.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1/traces", posted
    server.shutdown()
    thread.join()
    server.server_close()


def test_spans_reach_a_collector_or_the_setting_is_refused(collector):
    url, posted = collector
    setting = ("--set", f"log.traces={url}")
    asked = subprocess.run([binary(), "config", *setting], capture_output=True, text=True, timeout=60)
    if asked.returncode == 2:
        assert "log.traces" in asked.stderr and "--features otel" in asked.stderr
        return
    with Hjall(None, "--memory", *setting) as server:
        with Wire(server.port, framed=True) as wire:
            wire.make_table(b"traced")
        assert server.stop() == 0
    sent = b"".join(body for path, body in posted if path == "/v1/traces")
    assert b"createTable" in sent and b"traced" in sent and b"framed-binary" in sent and b"hjall" in sent
