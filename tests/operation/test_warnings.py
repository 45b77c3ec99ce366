"""The warnings about settings: `hjall config` prints those of a start."""
import re
import subprocess

import pytest

from certificates import CURVE, expired, openssl, self_signed
from serving import Hjall, binary


def of_config(*options, code=0):
    """The warnings of `hjall config`."""
    done = subprocess.run([binary(), "config", *map(str, options)], capture_output=True, text=True, timeout=60)
    assert done.returncode == code, done.stderr
    return [line.removeprefix("hjall: warning: ") for line in done.stderr.splitlines() if line.startswith("hjall: warning: ")]


def of_start(*options):
    """The warnings of a start, before the server is ready."""
    with Hjall(None, *map(str, options)) as server:
        server.stop()
        return [found[1] for line in server.said if (found := re.search(r" WARN (.*)", line))]


def both(*options):
    """The warnings of both, which are the same."""
    options = "--memory", "--listen", "127.0.0.1:0", "--info-listen", "off", *options
    printed, logged = of_config(*options), of_start(*options)
    assert sorted(printed) == sorted(logged)
    return printed


def authority(folder):
    """A certificate of an authority."""
    pem, key = folder / "authority.pem", folder / "authority.key"
    openssl("req", "-x509", *CURVE, "-days", "2", "-subj", "/CN=all", "-addext", "subjectAltName=DNS:localhost", "-out", pem, "-keyout", key)
    key.chmod(0o600)
    return pem, key


@pytest.fixture
def users(tmp_path):
    """Writes a users file."""
    def write(text):
        path = tmp_path / "users.toml"
        path.write_text(text)
        path.chmod(0o600)
        return path
    return write


ALICE = '[users.alice]\ncertificates = ["cn:alice"]\n'


def test_an_open_server_and_an_open_info_port():
    said = both("--listen", "0.0.0.0:0", "--info-listen", "0.0.0.0:0")
    assert any(line.startswith("OPEN TO THE NETWORK") for line in said) and any(line.startswith("INFO PORT OPEN") for line in said)


def test_logins_that_cannot_succeed(users):
    assert any(line.startswith("no client can log in: there is no TLS") for line in both("--users", users(ALICE)))
    allowed = "--set", "auth.without_tls=loopback"
    assert not any("log in" in line for line in both("--users", users(ALICE), *allowed))
    path = users("")
    assert any(line.startswith(f"no client can log in: {path}") for line in both("--users", path, *allowed))
    path = users(ALICE + '[users.carl]\nread = ["x"]\n')
    expected = f"the user carl can never log in: {path} (auth.users) gives it no password, no token and no certificate"
    assert any(line.startswith(expected) for line in both("--users", path, *allowed))
    done = subprocess.run([binary(), "user", "check", "--users", path], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and expected in done.stderr and "alice" not in done.stderr


def test_files_that_others_can_read(tmp_path, users):
    pem, key = self_signed(tmp_path)
    path = users(ALICE)
    for each in (key, path):
        each.chmod(0o644)
    said = both("--users", path, "--tls-cert", pem, "--tls-key", key)
    assert [line.split(" can access ")[1].split(";")[0] for line in sorted(said)] == [f"the private key {key}", f"the users file {path}"]


def test_certificates_that_clients_refuse(tmp_path):
    pem, key = expired(tmp_path)
    key.chmod(0o600)
    assert any(f"the certificate {pem} (tls.certificate) expired on 2020-02-01" in line for line in both("--tls-cert", pem, "--tls-key", key))
    every, its_key = authority(tmp_path)
    said = both("--tls-cert", every, "--tls-key", its_key)
    assert any(f"the certificate {every} (tls.certificate) is one of an authority (CA:TRUE)" in line for line in said), said
    own = tmp_path / "own"
    own.mkdir()
    good, good_key = self_signed(own)
    good_key.chmod(0o600)
    said = both("--tls-cert", good, "--tls-key", good_key, "--tls-client-ca", pem)
    assert any(f"in {pem} (tls.client_ca) expired on 2020-02-01" in line for line in said), said
    assert both("--tls-cert", good, "--tls-key", good_key, "--tls-client-ca", every) == []


@pytest.mark.parametrize(("settings", "said"), [
    (["limits.page=64MiB", "limits.reply=1MiB"], "--set: limits.reply makes fetches of scanners fail"),
    (["limits.bytes_in_flight=1MiB"], "--set: limits.bytes_in_flight limits messages to 655360 bytes, which is less than limits.message"),
    (["limits.connections=10", "limits.connections_per_address=11"], "--set: limits.connections_per_address has no effect"),
    (["auth.without_tls=allow"], "--set: auth.without_tls has no effect without auth.users"),
    (["tls.plain=allow"], "--set: tls.plain has no effect without tls.certificate"),
])
def test_settings_with_another_effect_than_they_seem_to_have(settings, said):
    options = [part for setting in settings for part in ("--set", setting)]
    assert any(line.startswith(said) for line in both(*options)), both(*options)


def test_strict_warnings_fail_the_check():
    command = [binary(), "config", "--memory", "--strict"]
    sound = subprocess.run([*command, "--set", "info.port=off"], capture_output=True, text=True, timeout=60)
    assert (sound.returncode, sound.stderr) == (0, "")
    done = subprocess.run([*command, "--set", "tls.plain=allow"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and done.stderr.endswith("hjall: there is a warning, and --strict does not allow any\n"), done.stderr


def test_a_sound_start_has_no_warnings():
    assert both() == [] and both("--set", "limits.connections=10") == []


def test_a_low_limit_on_open_files():
    options = ["--memory", "--listen", "127.0.0.1:0", "--info-listen", "off", "--set", "limits.connections=10000"]
    with Hjall(None, *options, open_files=1024) as server:
        server.stop()
        said = "".join(server.said)
    assert "the limit on open files is 1024, and limits.connections = 10000 needs 10928:" in said, said
    assert "only 384 connections can be open, 288 of them from one address; raise the limit" in said, said


def test_a_privileged_port_is_named():
    done = subprocess.run(["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all",
                           binary(), "serve", "--memory", "--listen", "127.0.0.1:80"], capture_output=True, text=True, timeout=60)
    if "Operation not permitted" in done.stderr or "Permission denied" in done.stderr and "ports below" not in done.stderr:
        pytest.skip("this user cannot run commands as others, or others cannot run the binary")
    if done.returncode != 3:
        pytest.skip("every user may listen on all ports here")
    assert "ports below 1024 need root, or the capability CAP_NET_BIND_SERVICE" in done.stderr
