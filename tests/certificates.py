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


# The days on which a certificate that has expired begins and ceases to be valid.
EXPIRED = ("20200101000000Z", "20200201000000Z")


def expired(folder, subject="/CN=localhost", names="DNS:localhost", authority=None):
    """A certificate that has expired and its key, as files in this folder: self-signed, or issued by this authority,
    which is the pair of its certificate and its key."""
    if not shutil.which("openssl"):
        pytest.skip("openssl is not installed")
    certificate, key, request, configuration = (folder / f"expired.{end}" for end in ("pem", "key", "csr", "cnf"))
    configuration.write_text("[ca]\ndefault_ca=own\n[own]\npolicy=any\ndefault_md=sha256\nrand_serial=yes\n"
                             f"database={folder}/index.txt\nnew_certs_dir={folder}\nx509_extensions=of_server\n"
                             "[any]\ncommonName=supplied\n"
                             f"[of_server]\nbasicConstraints=critical,CA:FALSE\nsubjectAltName={names}\n")
    (folder / "index.txt").write_text("")
    openssl("req", *CURVE, "-subj", subject, "-out", request, "-keyout", key)
    signer = ["-cert", authority[0], "-keyfile", authority[1]] if authority else ["-selfsign", "-keyfile", key]
    openssl("ca", "-batch", "-config", configuration, *signer, "-in", request, "-out", certificate, "-notext",
            "-startdate", EXPIRED[0], "-enddate", EXPIRED[1])
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

    issue.certificate, issue.key = own, key
    return issue
