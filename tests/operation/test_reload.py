"""SIGHUP: reloadable settings change, the others are reported, and an invalid file changes nothing."""
import json
import os
import signal
import socket
import ssl

import pytest
from speaking import Wire, page

from certificates import expired, self_signed
from serving import Hjall


class Reloaded:
    """A server with a settings file that is rewritten while it runs."""

    def __init__(self, folder, text, *options):
        self.file = folder / "hjall.toml"
        self.file.write_text(text)
        self.server = Hjall(None, "--memory", "--info-listen", "127.0.0.1:0", "--config", str(self.file), *options)

    def reload(self, text, until):
        """Rewrites the file, sends SIGHUP, and waits for a log line that contains `until`."""
        self.file.write_text(text)
        return self.signal(until)

    def signal(self, until):
        """Sends SIGHUP, and waits for a log line that contains `until`."""
        before = len(self.server.said)
        self.server.process.send_signal(signal.SIGHUP)
        while not any(until in line for line in self.server.said[before:]):
            assert self.server.process.poll() is None, self.server.said
        return self.server.said[before:]

    def lane(self, name, figure="handlers"):
        lines = page(self.server, "/metrics")[1].splitlines()
        return next(int(line.split()[-1]) for line in lines if line.startswith(f'hjall_lane_{figure}{{lane="{name}"'))


@pytest.fixture
def reloaded(tmp_path):
    running = []

    def start(text, *options):
        running.append(Reloaded(tmp_path, text, *options))
        return running[-1]

    yield start
    for each in running:
        each.server.close()


def test_handlers_and_ratios_change_under_an_open_connection(reloaded):
    it = reloaded("[queues]\nhandlers = 30\nread_ratio = 0.5\nscan_ratio = 0.0\n")
    with Wire(it.server.port) as wire:
        wire.make_table()
        assert (it.lane("write"), it.lane("read")) == (15, 15)
        said = it.reload("[queues]\nhandlers = 60\nread_ratio = 0.7\nscan_ratio = 0.4\nhandler_factor = 0.2\n", "queues.scan_ratio")
        assert any("setting changed: queues.handlers 30 → 60" in line for line in said)
        assert (it.lane("write"), it.lane("read"), it.lane("scan")) == (18, 26, 16)
        wire.put(b"r")
        assert len(wire.one.getRow(b"t", b"r", {})) == 1


def test_limits_change(reloaded):
    it = reloaded("[limits]\nmessage = \"1MiB\"\n")
    with Wire(it.server.port) as wire:
        wire.make_table()
        it.reload("[limits]\nmessage = \"1KiB\"\nconnections = 77\n", "limits.message")
        assert "\nhjall_connections_max 77\n" in page(it.server, "/metrics")[1]
        with pytest.raises(Exception, match="(?i)larger|message|closed|Broken|TSocket"):
            wire.put(b"r", b"v" * 5000)


def test_the_log_and_its_thresholds_change(reloaded):
    it = reloaded("[log]\nfilter = \"warn\"\n[slow]\ntime = \"10s\"\n")
    it.reload("[log]\nfilter = \"debug\"\n[slow]\ntime = \"0ms\"\n", "setting changed: slow.time")
    with Wire(it.server.port) as wire:
        wire.make_table()
    it.server.stop()
    assert any("responseTooSlow" in line for line in it.server.said) and any("connection speaks Thrift" in line for line in it.server.said)


def test_a_reload_that_makes_the_log_quieter_is_logged(reloaded):
    it = reloaded("[log]\nfilter = \"info\"\n[slow]\ntime = \"10s\"\n")
    said = it.reload("[log]\nfilter = \"error\"\n[slow]\ntime = \"9s\"\n[queues]\norder = \"codel\"\n", "needs a restart to change: queues.order")
    assert any("setting changed: log.filter \"info\" → \"error\"" in line for line in said), said
    assert any("setting changed: slow.time" in line for line in said)
    it.server.stop()
    assert not any("stopping" in line for line in it.server.said), "the new filter applies afterwards"


def test_a_setting_that_needs_a_restart_is_reported_and_unchanged(reloaded):
    it = reloaded("[server]\nread_only = false\n[queues]\norder = \"fifo\"\n[limits]\nidle = \"1h\"\n")
    said = it.reload("[server]\nread_only = true\n[queues]\norder = \"codel\"\n[limits]\nidle = \"2h\"\n", "queues.order")
    assert [line for line in said if "needs a restart to change: server.read_only false → true" in line]
    assert [line for line in said if "setting changed: limits.idle" in line]
    again = it.reload(it.file.read_text(), "needs a restart to change: queues.order")
    assert not [line for line in again if "setting changed" in line], "a change is applied only once"


@pytest.mark.parametrize("wrong", [
    "[queues]\nread_ratio = 9\n",
    "[queues\n",
    "[log]\nfilter = \"inof\"\n[queues]\nhandlers = 44\n",
    "[log]\nfilter = \"a=b=c\"\n[queues]\nhandlers = 44\n",
    "[tls]\ncertificate = \"/no/c.pem\"\nkey = \"/no/k.pem\"\n[queues]\nhandlers = 44\n",
])
def test_an_invalid_file_changes_nothing(reloaded, wrong):
    it = reloaded("[queues]\nhandlers = 30\n")
    before = (it.lane("read"), it.lane("write"))
    said = it.reload(wrong, "settings are unchanged")
    assert any("ERROR" in line for line in said)
    assert (it.lane("read"), it.lane("write")) == before
    with Wire(it.server.port) as wire:
        wire.make_table()
    it.reload("[queues]\nhandlers = 40\n", "setting changed: queues.handlers 30 → 40")


@pytest.mark.parametrize("what", ["hjall.toml", "users.toml", "key.pem"])
def test_a_named_pipe_does_not_keep_signals_waiting(reloaded, tmp_path, what):
    self_signed(tmp_path, "/CN=localhost")
    (tmp_path / "users.toml").write_text("[users.alice]\ncertificates = [\"cn:alice\"]\n")
    files = {name: json.dumps(str(tmp_path / file)) for name, file in
             [("certificate", "cert.pem"), ("key", "key.pem"), ("users", "users.toml")]}
    text = f"[tls]\ncertificate = {files['certificate']}\nkey = {files['key']}\n[auth]\nusers = {files['users']}\n"
    it = reloaded(text)
    kept = (tmp_path / what).read_bytes()
    (tmp_path / what).unlink()
    os.mkfifo(tmp_path / what)
    it.signal("is not a regular file")
    (tmp_path / what).unlink()
    (tmp_path / what).write_bytes(kept)
    it.reload(text, "none has changed")
    assert it.server.stop() == 0


def test_a_reload_says_what_it_opens_to_the_network(reloaded, tmp_path):
    self_signed(tmp_path, "/CN=localhost")
    pem, key = (json.dumps(str(tmp_path / name)) for name in ("cert.pem", "key.pem"))
    text = f"[tls]\ncertificate = {pem}\nkey = {key}\n"
    secured = text + f"client_ca = {pem}\n"
    it = reloaded(secured, "--listen", "0.0.0.0:0")
    assert not any("OPEN TO THE NETWORK" in line for line in it.server.said)
    it.reload(text, "OPEN TO THE NETWORK")


def test_a_reload_without_changes_is_logged(reloaded):
    it = reloaded("[queues]\nhandlers = 30\n")
    it.reload("[queues]\nhandlers = 30\n# a comment\n", "none has changed")


def _speak_tls(port):
    """Opens a TLS connection; returns it and the server's certificate."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    stream = context.wrap_socket(socket.create_connection(("127.0.0.1", port), timeout=30))
    return stream, stream.getpeercert(binary_form=True)


def _cluster_id(stream):
    stream.sendall(b"\x80\x01\x00\x01\0\0\0\x0cgetClusterId\0\0\0\x01\0")
    return stream.recv(4096)


def test_certificates_are_read_again_and_open_connections_continue(reloaded, tmp_path):
    self_signed(tmp_path, "/CN=first")
    text = f"[tls]\ncertificate = {json.dumps(str(tmp_path / 'cert.pem'))}\nkey = {json.dumps(str(tmp_path / 'key.pem'))}\n"
    it = reloaded(text)
    old, shown = _speak_tls(it.server.port)
    assert b"first" in shown and b"getClusterId" in _cluster_id(old)
    self_signed(tmp_path, "/CN=second")
    it.reload(text, "certificates read again")
    new, shown = _speak_tls(it.server.port)
    assert b"second" in shown and b"getClusterId" in _cluster_id(new)
    assert b"getClusterId" in _cluster_id(old), "a connection opened before the reload keeps working"
    (tmp_path / "cert.pem").write_text("nonsense")
    it.reload(text, "settings are unchanged")
    third, shown = _speak_tls(it.server.port)
    assert b"second" in shown
    for stream in (old, new, third):
        stream.close()


def until_reloaded(it, succeeded):
    """Waits until the metrics say that the last reload succeeded, or failed, which they do after the log. Returns when
    one last succeeded."""
    while True:
        lines = dict(line.split() for line in page(it.server, "/metrics")[1].splitlines() if line.startswith("hjall_config_last_reload"))
        if lines["hjall_config_last_reload_successful"] == str(int(succeeded)):
            return int(lines["hjall_config_last_reload_success_timestamp_seconds"])
        assert it.server.process.poll() is None, it.server.said


def test_a_certificate_that_has_expired_does_not_replace_a_valid_one(reloaded, tmp_path):
    pem, key = self_signed(tmp_path, "/CN=first")
    text = f"[tls]\ncertificate = {json.dumps(str(pem))}\nkey = {json.dumps(str(key))}\n"
    it = reloaded(text)
    until_reloaded(it, succeeded=True)
    old = tmp_path / "old"
    old.mkdir()
    for made, used in zip(expired(old), (pem, key), strict=True):
        used.write_bytes(made.read_bytes())
    said = it.signal("settings are unchanged")
    assert any(f"the certificate {pem} (tls.certificate) expired on 2020-02-01" in line and "keeps the one before" in line
               and "replace it, and send SIGHUP" in line for line in said), said
    until_reloaded(it, succeeded=False)
    stream, shown = _speak_tls(it.server.port)
    stream.close()
    assert b"first" in shown
    self_signed(tmp_path, "/CN=third")
    it.signal("certificates read again")
    assert until_reloaded(it, succeeded=True) > 1.6e9


def test_a_users_file_without_users_changes_nothing(reloaded, tmp_path):
    users = tmp_path / "users.toml"
    users.write_text('[users.alice]\ncertificates = ["cn:alice"]\n')
    it = reloaded(f"[auth]\nusers = {json.dumps(str(users))}\nwithout_tls = 'loopback'\n")
    users.write_text("")
    said = it.signal("settings are unchanged")
    assert any(f"{users} has no user with a password, a token or a certificate" in line for line in said), said
    until_reloaded(it, succeeded=False)
    users.write_text('[users.alice]\ncertificates = ["cn:alice"]\n[users.carl]\nread = ["x"]\n')
    said = it.signal("audit: users changed")
    assert any("the user carl can never log in" in line for line in said), said
    until_reloaded(it, succeeded=True)


def test_a_change_of_a_setting_has_fields(reloaded):
    it = reloaded("[limits]\nconnections = 3\n", "--log-format", "json")
    said = it.reload("[limits]\nconnections = 50\n", "setting changed")
    line = next(json.loads(line) for line in said if "setting changed" in line)
    assert (line["setting"], line["before"], line["now"]) == ("limits.connections", "3", "50")


def test_variables_and_flags_still_override_the_file(reloaded):

    it = reloaded("[queues]\nhandlers = 30\n", "--set", "queues.handlers=50")
    said = it.reload("[queues]\nhandlers = 99\n", "queues.handlers = 99")
    assert any("has no effect" in line and "because --set overrides it" in line for line in said)
    said = it.reload("[queues]\n\nhandlers = 99\n", "none has changed")
    assert not any("handlers" in line for line in said), "it is reported once"
