"""Runs HappyBase's own test suite with `hjall.happybase` in place of `happybase`."""

import os
import pathlib
import subprocess
import sys
import tarfile

import pytest

HERE = pathlib.Path(__file__).resolve().parent
SUITES = HERE.parents[1] / "tests/clients/python/suites.txt"
DOWNLOADS = pathlib.Path(sys.prefix) / "suites"
SUITE = "happybase-1.3.0"

# All tests of the suite.
PASSED = 27


@pytest.fixture(scope="session")
def source():
    """HappyBase's source distribution, which the tests of clients use too."""
    archive = DOWNLOADS / f"{SUITE}.tar.gz"
    if not archive.exists():
        subprocess.run(
            [
                sys.executable,
                "-m",
                "pip",
                "download",
                "--quiet",
                "--disable-pip-version-check",
                "--no-deps",
                "--no-binary",
                ":all:",
                "--no-build-isolation",
                "--require-hashes",
                "-r",
                SUITES,
                "-d",
                DOWNLOADS,
            ],
            check=True,
        )
    return archive


def test_the_suite_passes(source, tmp_path):
    with tarfile.open(source) as archive:
        archive.extractall(tmp_path, [m for m in archive.getmembers() if m.name.startswith(f"{SUITE}/tests/")])
    paths = os.pathsep.join([str(HERE), str(HERE.parent / "src")])
    env = dict(os.environ, PYTHONPATH=paths, HJALL_IN_PLACE=str(tmp_path / "data"))
    run = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "--no-header",
            "-p",
            "no:cacheprovider",
            "-p",
            "in_place",
            "-W",
            "ignore",
            "--rootdir",
            tmp_path / SUITE,
            "tests",
        ],
        cwd=tmp_path / SUITE,
        env=env,
        capture_output=True,
        text=True,
    )
    closing = (run.stdout.strip().splitlines() or [""])[-1]
    print(f"{SUITE} on hjall.happybase: {closing}")
    assert run.returncode == 0, run.stdout[-6000:] + run.stderr[-2000:]
    assert closing.startswith(f"{PASSED} passed"), closing
