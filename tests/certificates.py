"""Certificates for tests, issued by an authority of their own."""
import shutil
import subprocess

import pytest

CURVE = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]


def openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)


def self_signed(folder, subject="/CN=localhost", names="DNS:localhost", new_key=CURVE):
    """A self-signed certificate and its key, as files in this folder, which are replaced if they exist. `new_key` are
    openssl's options for the key."""
    if not shutil.which("openssl"):
        pytest.skip("openssl is not installed")
    certificate, key = folder / "cert.pem", folder / "key.pem"
    openssl("req", "-x509", *new_key, "-days", "2", "-subj", subject, "-addext", f"subjectAltName={names}",
            "-addext", "basicConstraints=critical,CA:FALSE", "-out", certificate, "-keyout", key)
    return certificate, key


@pytest.fixture
def authority(tmp_path):
    """Issues certificates: a function from a subject and alternative names to (certificate, key)."""
    if not shutil.which("openssl"):
        pytest.skip("openssl is not installed")
    key, own = tmp_path / "ca.key", tmp_path / "ca.pem"
    openssl("req", "-x509", *CURVE, "-days", "2", "-subj", "/CN=authority", "-out", own, "-keyout", key)

    def issue(subject, names=None):
        stem = tmp_path / f"issued-{len(list(tmp_path.glob('issued-*.key')))}"
        request, issued, its_key, extensions = (stem.with_suffix(end) for end in (".csr", ".pem", ".key", ".ext"))
        openssl("req", *CURVE, "-subj", subject, "-out", request, "-keyout", its_key)
        extensions.write_text(f"subjectAltName={names}\n" if names else "basicConstraints=CA:FALSE\n")
        openssl("x509", "-req", "-in", request, "-CA", own, "-CAkey", key, "-CAcreateserial", "-days", "2",
                "-extfile", extensions, "-out", issued)
        return issued, its_key

    issue.certificate = own
    return issue
