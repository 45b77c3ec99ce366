"""The shell on servers with TLS, logins and client certificates."""
import pathlib
import subprocess

import pytest

from certificates import expired, self_signed
from serving import Hjall, binary
from test_scripts import ran

PASSWORD = "correct horse"


@pytest.fixture
def users(tmp_path):
    """A users file: alice has a password and all roles; bob has a certificate, carol a password, and both may read."""
    done = subprocess.run([binary(), "user", "hash"], input=PASSWORD + "\n", capture_output=True, text=True, timeout=60, check=True)
    path = tmp_path / "users.toml"
    path.write_text(f'[users.alice]\npassword = "{done.stdout.strip()}"\nread = ["*"]\nwrite = ["*"]\nadmin = ["*"]\n'
                    '[users.bob]\ncertificates = ["cn:bob"]\nread = ["*"]\n'
                    f'[users.carol]\npassword = "{done.stdout.strip()}"\nread = ["*"]\n')
    path.chmod(0o600)
    return path


@pytest.fixture
def served(authority, users):
    """A server with TLS and users, and the options that trust it."""
    pem, key = authority("/CN=localhost", "DNS:localhost,IP:127.0.0.1")
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


def test_a_refusal_names_its_class_once_and_the_remedy(served):
    carol = [*served, "--user", "carol"]
    said = ran(carol, "-e", "create 't', 'f'", environment={"HJALL_PASSWORD": PASSWORD}, status=1).stderr
    assert said.count("org.apache.hadoop.hbase.security.AccessDeniedException: ") == 1 and "(user=carol, scope=default" in said, said
    assert said.splitlines()[-1].startswith("hjall: ") and "ask the operator of the server for the role admin (" in said, said
    said = ran(carol, "-e", "put 't', 'r', 'f:q', 'v'", environment={"HJALL_PASSWORD": PASSWORD}, status=1).stderr
    assert "ask the operator of the server for the role write (" in said, said


def test_no_login(served):
    assert "AccessDeniedException" in ran(served, "-e", "list_namespace", status=1).stderr


def test_a_client_certificate(served, authority):
    pem, key = authority("/CN=bob")
    bob = [*served, "--tls-cert", str(pem), "--tls-key", str(key)]
    assert "0 row(s)" in ran(bob, "-e", "list").stdout
    assert "AccessDeniedException" in ran(bob, "-e", "create 't', 'f'", status=1).stderr
    # As in HBase, every user sees the names of all namespaces, and descriptors only of those that it administers.
    assert "default" in ran(bob, "-e", "list_namespace").stdout
    assert "AccessDeniedException" in ran(bob, "-e", "describe_namespace 'default'", status=1).stderr


def test_a_server_that_is_not_trusted(served, tmp_path):
    stranger, _ = self_signed(tmp_path)
    shell = [*served[:-1], str(stranger)]
    assert "not signed by a trusted authority" in ran(shell, "-e", "list", status=1).stderr


def test_the_self_signed_certificate_of_the_documents(tmp_path, users):
    """The command of docs/security.md makes a certificate that the shell accepts."""
    document = (pathlib.Path(__file__).resolve().parents[2] / "docs/security.md").read_text()
    command = document.split("$ openssl req")[1].split("\n$")[0].replace("\\\n", " ").split("#")[0]
    subprocess.run("openssl req" + command, shell=True, cwd=tmp_path, check=True, capture_output=True)
    with Hjall(None, "--users", str(users), "--tls-cert", str(tmp_path / "server.pem"), "--tls-key", str(tmp_path / "server.key")) as server:
        shell = [str(binary()), "shell", "--server", f"localhost:{server.port}"]
        own = [*shell, "--tls", "--tls-ca", str(tmp_path / "server.pem")]
        assert "0 row(s)" in ran([*own, "--user", "alice"], "-e", "list", environment={"HJALL_PASSWORD": PASSWORD}).stdout
        assert "--user NAME" in ran(own, "-e", "list", status=1).stderr
        assert "--tls" in ran(shell, "-e", "list", status=1).stderr


def test_client_certificates_that_the_server_refuses(authority, tmp_path):
    """TLS 1.3 tells the shell only after the handshake. Connecting again does not help."""
    pem, key = authority("/CN=localhost", "DNS:localhost")
    tls = ("--tls-cert", str(pem), "--tls-key", str(key), "--tls-client-ca", str(authority.certificate))
    with Hjall(None, "--memory", *tls) as server:
        shell = [str(binary()), "shell", "--server", f"localhost:{server.port}", "--tls", "--tls-ca", str(authority.certificate)]
        old, stranger = expired(tmp_path, "/CN=bob", authority=(authority.certificate, authority.key)), self_signed(tmp_path, "/CN=bob")
        for own, why in [((), "asks for a client certificate"), (old, "has expired"), (stranger, "is not signed by an authority")]:
            options = [part for pair in zip(("--tls-cert", "--tls-key"), map(str, own), strict=False) for part in pair]
            said = ran([*shell, *options], "-e", "list", status=1).stderr
            assert why in said and "--tls-cert FILE and --tls-key FILE" in said, said
            assert "connects again" not in said and "fatal alert" not in said, said
        said = ran([*shell, "--tls-cert", str(pem), "--tls-key", str(stranger[1])], "-e", "list", status=1).stderr
        assert "is not that of the certificate" in said, said


def test_a_server_whose_certificate_has_expired(authority, tmp_path):
    pem, key = expired(tmp_path, authority=(authority.certificate, authority.key))
    with Hjall(None, "--memory", "--tls-cert", str(pem), "--tls-key", str(key)) as server:
        shell = [str(binary()), "shell", "--server", f"localhost:{server.port}", "--tls", "--tls-ca", str(authority.certificate)]
        said = ran(shell, "-e", "list", status=1).stderr
    assert "the server's certificate has expired; replace it on the server" in said, said
