"""Every benchmark runs in a short form: it ends, without an error. Its figures are not judged.

Comparisons with Redis run without it where it is not installed.
"""
import os
import pathlib
import shutil
import subprocess
import xml.etree.ElementTree

import pytest

from serving import ROOT, binary

REDIS = shutil.which("redis-server")
NEEDS_REDIS = pytest.mark.skipif(not REDIS, reason="redis-server is not installed (Debian: apt install redis-server)")
LINUX = pytest.mark.skipif(not pathlib.Path("/proc/self/stat").exists(), reason="reads /proc")
SHORT = ("--rounds", "1", "--seconds", "0.1", "--rows", "1000", "--large", "2000,3000", "--records", "300")


def bench(*arguments):
    """Runs a benchmark with the binaries of `make build`; returns what it prints."""
    program = binary().with_name(binary().name.replace("hjall", "hjall-bench"))
    if not program.exists():
        raise RuntimeError(f"{program} does not exist: run `make build`")
    done = subprocess.run(
        [program, *arguments], env={**os.environ, "HJALL_RELEASE_BIN": str(binary())}, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"hjall-bench {' '.join(arguments)}:\n{done.stdout}\n{done.stderr}"
    return done.stdout


@LINUX
def test_comparison(tmp_path):
    """All parts, with their tables and plots."""
    bench("compare", *SHORT, "--redis", REDIS or "", "--out", str(tmp_path))
    report = (tmp_path / "results.md").read_text(encoding="utf-8")
    for section in ("Gets", "Puts", "Scans", "Gets during scans", "While other programs run", "Batches of puts",
                    "Gets of rows that are not in the row cache", "Gets without a server", "YCSB"):
        assert f"\n## {section}\n" in report
    for line in ("| getRow, rows written once, in the row cache | 50 | hjall |", "|  |  | raw fjall |",
                 "| getRow of absent rows, 0.003 million rows, after a major compaction | 8 | hjall |",
                 "| E: 95 % scans, 5 % inserts | 50 | hjall |", "| A at half load, open loop: reads | 50 | hjall |"):
        assert line in report, f"{line} is missing in:\n{report}"
    plots = sorted(tmp_path.glob("*.svg"))
    assert len(plots) == 10
    for plot in plots:
        assert xml.etree.ElementTree.parse(plot).getroot().tag.endswith("svg")


@LINUX
def test_comparison_in_frames_without_redis():
    report = bench("compare", *SHORT, "--framed", "--redis", "", "--only", "get,put", "--baseline", str(binary()))
    assert "| mutateRow (SYNC_WAL) | 8 | hjall |" in report and "baseline" in report and "Redis" not in report.split("## Gets")[1]


@LINUX
def test_scale():
    table = bench("scale", "--rows", "2000,3000", "--seconds", "0.1")
    assert "| rows | 0.002 million | 0.003 million |" in table


@pytest.mark.parametrize("arguments", [
    pytest.param(("load", "--seconds", "1", "--rows", "1000", "--connections", "2"), marks=NEEDS_REDIS),
    pytest.param(("mixed", "--seconds", "1", "--rounds", "1", "--rows", "1000"), marks=[NEEDS_REDIS, LINUX]),
    pytest.param(("sync", "--seconds", "1", "--rounds", "1", "--connections", "2"), marks=NEEDS_REDIS),
    ("pressure", "--seconds", "1", "--rounds", "1"),
    pytest.param(("ageing", "--seconds", "1", "--interval", "1", "--deletes", "500"), marks=LINUX),
    pytest.param(("start", "--megabytes", "1", "--families", "4", "--runs", "1"), marks=LINUX),
    ("hot", "--versions", "500", "--markers", "500"),
    ("engine", "--rows", "1000", "--gets", "500"),
    ("filters", "--rows", "2000"),
    ("cores", "--rounds", "1", "--milliseconds", "20"),
    pytest.param(("idle", "--connections", "20"), marks=LINUX),
    pytest.param(("lanes", "--seconds", "1", "--rows", "1000"), marks=LINUX),
    pytest.param(("overload", "--seconds", "1"), marks=LINUX),
], ids=lambda arguments: arguments[0])
def test_other_benchmarks(arguments):
    assert bench(*arguments)
