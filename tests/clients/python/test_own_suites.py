"""HappyBase's and aiohappybase's own test suites, from their source distributions, unchanged."""
import os
import pathlib
import subprocess
import sys
import tarfile

import pytest

HERE = pathlib.Path(__file__).resolve().parent
DOWNLOADS = pathlib.Path(sys.prefix) / "suites"


@pytest.fixture(scope="session")
def distributions():
    """The folder of the downloaded distributions. They are kept next to the installed packages."""
    wanted = [line.split()[0].replace("==", "-") + ".tar.gz" for line in (HERE / "suites.txt").read_text().splitlines() if "==" in line]
    if not all((DOWNLOADS / name).exists() for name in wanted):
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-binary", ":all:",
                        "--no-build-isolation", "--require-hashes", "-r", HERE / "suites.txt", "-d", DOWNLOADS], check=True)
    return DOWNLOADS


# `compat` selects the calls that the clients make. HappyBase's suite scans with a filter, which the modes 0.90 and 0.92
# do not support.
@pytest.mark.parametrize("client, compat, fewest", [
    ("happybase-1.3.0", "0.94", 27), ("happybase-1.3.0", "0.98", 27), ("aiohappybase-1.4.0", "0.90", 80), ("aiohappybase-1.4.0", "0.98", 80)])
def test_the_clients_own_suite_passes(address, distributions, tmp_path, client, compat, fewest):
    with tarfile.open(distributions / f"{client}.tar.gz") as archive:
        archive.extractall(tmp_path, [m for m in archive.getmembers() if m.name.startswith(f"{client}/tests/")])
    host, port = address
    env = dict(os.environ, PYTHONPATH=str(HERE), HAPPYBASE_HOST=host, HAPPYBASE_COMPAT=compat, AIOHAPPYBASE_HOST=host,
               AIOHAPPYBASE_PORT=str(port), AIOHAPPYBASE_COMPAT=compat)
    env.pop("HAPPYBASE_PORT", None)
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", "-p", "suite_plugin", "-o", "asyncio_mode=auto", "-W",
         "ignore", "--rootdir", tmp_path / client, "tests"],
        cwd=tmp_path / client, env=env, capture_output=True, text=True)
    closing = run.stdout.strip().splitlines()[-1]
    print(f"{client} (compat {compat}): {closing}")
    assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]
    assert int(closing.split()[0]) >= fewest, f"only {closing}"
