"""The files of TLS: errors name the setting, and the log warns of what clients or other users can make of them."""
import re
import signal
import subprocess

import pytest
from speaking import page

from certificates import expired, openssl, self_signed
from serving import binary

EXPIRY = "hjall_tls_certificate_expiry_timestamp_seconds"


def refused(*options):
    """What a server says that does not start with these options."""
    command = [binary(), "serve", "--memory", "--listen", "127.0.0.1:0", "--info-listen", "off", *map(str, options)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode != 0
    return done.stdout + done.stderr


def test_errors_name_the_setting(tmp_path):
    pem, key = self_signed(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    _, other_key = self_signed(other)
    said = refused("--tls-cert", "nope.pem", "--tls-key", key)
    assert "tls.certificate: cannot read nope.pem: No such file" in said
    assert f"tls.certificate: {key} contains no certificate in PEM format" in refused("--tls-cert", key, "--tls-key", key)
    assert "tls.key: cannot read nope.key: No such file" in refused("--tls-cert", pem, "--tls-key", "nope.key")
    assert f"tls.key: cannot read {pem}: it contains no private key" in refused("--tls-cert", pem, "--tls-key", pem)
    said = refused("--tls-cert", pem, "--tls-key", key, "--tls-client-ca", key)
    assert f"tls.client_ca: {key} contains no certificate" in said
    said = refused("--tls-cert", pem, "--tls-key", other_key)
    assert "(tls.certificate)" in said and "(tls.key) cannot be used together: the key is not that of the certificate" in said


def test_keys_and_certificates_that_are_encrypted_or_in_der_format_get_the_command_that_converts_them(tmp_path):
    pem, key = self_signed(tmp_path)
    made = {name: tmp_path / name for name in ("pkcs8.key", "old.key", "der.key", "der.pem")}
    openssl("pkey", "-in", key, "-aes256", "-passout", "pass:x", "-out", made["pkcs8.key"])
    openssl("ec", "-in", key, "-aes256", "-passout", "pass:x", "-out", made["old.key"])
    openssl("pkey", "-in", key, "-outform", "DER", "-out", made["der.key"])
    openssl("x509", "-in", pem, "-outform", "DER", "-out", made["der.pem"])
    for name in ("pkcs8.key", "old.key"):
        said = refused("--tls-cert", pem, "--tls-key", made[name])
        assert f"it is encrypted, and a server cannot ask for the password; decrypt it with openssl pkey -in {made[name]}" in said, said
    assert "it is in DER format; convert it to PEM format with openssl pkey" in refused("--tls-cert", pem, "--tls-key", made["der.key"])
    assert "it is in DER format: convert it with openssl x509" in refused("--tls-cert", made["der.pem"], "--tls-key", key)


def test_an_exposed_key_and_an_expired_certificate_are_warned_of(served, tmp_path):
    pem, key = expired(tmp_path)
    key.chmod(0o644)
    server = served("--tls-cert", str(pem), "--tls-key", str(key))
    exposed = f"can access the private key {key}; run chmod 600 {key}"
    old = f"the certificate {pem} (tls.certificate) expired on 2020-02-01 00:00:00 UTC; replace it, and send SIGHUP"

    server.process.send_signal(signal.SIGHUP)
    while not any("certificates read again" in line for line in server.said):
        assert server.process.poll() is None, server.said
    # Once at the start, and once for the signal.
    assert [sum(text in line for line in server.said) for text in (exposed, old)] == [2, 2], server.said
    assert f"{EXPIRY} 1580515200\n" in page(server, "/metrics")[1]


def test_a_certificate_and_a_key_without_fault_are_not_warned_of(served, tmp_path):
    pem, key = self_signed(tmp_path)
    key.chmod(0o600)
    server = served("--tls-cert", str(pem), "--tls-key", str(key))
    assert re.search(rf"^{EXPIRY} \d{{10}}$", page(server, "/metrics")[1], re.M)
    assert not any("WARN" in line for line in server.said), server.said


@pytest.mark.parametrize("more", [[], ["--tls-cert", "--tls-key"]], ids=["without TLS", "with TLS"])
def test_a_users_file_that_others_can_read_is_warned_of_once(served, tmp_path, more):
    users = tmp_path / "users.toml"
    users.write_text('[users.alice]\ncertificates = ["cn:alice"]\n')
    users.chmod(0o644)
    tls = [part for pair in zip(more, map(str, self_signed(tmp_path)), strict=False) for part in pair]
    server = served("--users", str(users), *tls)
    server.process.send_signal(signal.SIGHUP)
    while not any("users file read again" in line for line in server.said):
        assert server.process.poll() is None, server.said
    # Once at the start, and once for the signal.
    assert sum("can access the users file" in line for line in server.said) == 2, server.said
