"""The shell on servers with TLS, logins and client certificates."""
import shutil
import subprocess

import pytest

from serving import Hjall, binary
from test_scripts import ran

PASSWORD = "correct horse"


def openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)


@pytest.fixture
def authority(tmp_path):
    """Issues certificates: a function from a subject and names to (certificate, key)."""
    if not shutil.which("openssl"):
        pytest.skip("openssl is not installed")
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    openssl("req", "-x509", *curve, "-days", "2", "-subj", "/CN=authority", "-out", tmp_path / "ca.pem", "-keyout", tmp_path / "ca.key")

    def issue(name, names=None):
        paths = [tmp_path / f"{name}.{end}" for end in ("csr", "pem", "key", "ext")]
        openssl("req", *curve, "-subj", f"/CN={name}", "-out", paths[0], "-keyout", paths[2])
        paths[3].write_text(f"subjectAltName={names}\n" if names else "basicConstraints=CA:FALSE\n")
        openssl("x509", "-req", "-in", paths[0], "-CA", tmp_path / "ca.pem", "-CAkey", tmp_path / "ca.key", "-CAcreateserial", "-days", "2",
                "-extfile", paths[3], "-out", paths[1])
        return paths[1], paths[2]

    issue.certificate = tmp_path / "ca.pem"
    return issue


@pytest.fixture
def users(tmp_path):
    """A users file: alice has a password and all roles, bob a certificate and may read."""
    done = subprocess.run([binary(), "user", "hash"], input=PASSWORD + "\n", capture_output=True, text=True, timeout=60, check=True)
    path = tmp_path / "users.toml"
    path.write_text(f'[users.alice]\npassword = "{done.stdout.strip()}"\nread = ["*"]\nwrite = ["*"]\nadmin = ["*"]\n'
                    '[users.bob]\ncertificates = ["cn:bob"]\nread = ["*"]\n')
    path.chmod(0o600)
    return path


@pytest.fixture
def served(authority, users):
    """A server with TLS and users, and the options that trust it."""
    pem, key = authority("localhost", "DNS:localhost,IP:127.0.0.1")
    with Hjall(None, "--users", str(users), "--tls-cert", str(pem), "--tls-key", str(key), "--tls-client-ca", str(authority.certificate),
               "--set", "tls.client_certificates=request") as server:
        yield [str(binary()), "shell", "--server", f"localhost:{server.port}", "--tls", "--tls-ca", str(authority.certificate)]


def test_a_login_inside_tls(served):
    alice = [*served, "--user", "alice"]
    done = ran(alice, "-e", "create 't', 'f'", "-e", "put 't', 'r', 'f:q', 'v' * 100_000, 1", "-e", "scan 't', {MAXLENGTH => 60}", "-e", "whoami",
               environment={"HJALL_PASSWORD": PASSWORD})
    assert "1 row(s)" in done.stdout and "alice (auth:SIMPLE)" in done.stdout


def test_a_wrong_password(served):
    done = ran([*served, "--user", "alice"], "-e", "list", environment={"HJALL_PASSWORD": "wrong"}, status=1)
    assert "cannot log in" in done.stderr


def test_no_login(served):
    assert "AccessDeniedException" in ran(served, "-e", "list_namespace", status=1).stderr


def test_a_client_certificate(served, authority):
    pem, key = authority("bob")
    bob = [*served, "--tls-cert", str(pem), "--tls-key", str(key)]
    assert "0 row(s)" in ran(bob, "-e", "list").stdout
    assert "AccessDeniedException" in ran(bob, "-e", "create 't', 'f'", status=1).stderr


def test_a_server_that_is_not_trusted(served, tmp_path):
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=other", "-out", tmp_path / "other.pem", "-keyout", tmp_path / "other.key")
    shell = [*served[:-1], str(tmp_path / "other.pem")]
    assert "cannot reach" in ran(shell, "-e", "list", status=1).stderr
