"""Asks HBase and hjall the same random calls, seed after seed, and keeps what differs."""
import itertools
import pathlib
import re
import time

from gateways import Gateways
from replay import replay
from scenario import load, play, wait_until_ready, write
from serving import Hjall

# Random scenarios have this in their name.
RANDOM = "random"
# HBase's flag depends on what the next flush or compaction drops (docs/compatibility.md).
WITHOUT = ("partial",)
# Methods that change cells and are not examined for what they leave behind.
CHANGES = re.compile(r"delete|mutate|checkAnd|increment|append|putMultiple|atomicIncrement|modify|disable", re.I)


def leaves_nothing(steps):
    """Whether no step writes a marker, writes a cell twice, or lets the server choose a time."""
    written = set()
    for step in steps:
        method = step.get("call", "").partition(".")[2]
        if CHANGES.search(method):
            return False
        if method == "put":
            args = step["args"]
            for cell in args["tput"]["columnValues"]:
                key = args["table"], args["tput"]["row"], cell["family"], cell["qualifier"], cell.get("timestamp", args["tput"].get("timestamp"))
                if key in written or key[-1] is None:
                    return False
                written.add(key)
    return True


def intended(steps):
    """The steps whose answers may differ by intention, as in known.json: scans with a batch size and a limit."""
    found, scanners = {}, set()
    for n, step in enumerate(steps):
        args = step.get("args", {})
        scan = args.get("tscan") or {}
        if scan.get("batchSize", 0) > 0 and scan.get("limit", 0) > 0:
            scanners.add(step.get("save"))
            found[str(n)] = "a scan with batchSize and limit (docs/compatibility.md)"
        elif isinstance(args.get("scannerId"), dict) and args["scannerId"].get("$var") in scanners:
            found[str(n)] = "a scan with batchSize and limit (docs/compatibility.md)"
    return found


def run(hbase, paths, out, first, seconds, only):
    """Compares random scenarios for at least `seconds`. Transcripts with a difference are kept in `out`.

    `hbase` is its pair of addresses. Returns the numbers of (passed, failed) scenarios.
    """
    server = Gateways(*hbase)
    wait_until_ready(server)
    out.mkdir(parents=True, exist_ok=True)
    passed = failed = calls = 0
    until = time.monotonic() + seconds
    with Hjall() as hjall:
        for seed in itertools.count(first):
            for path in map(pathlib.Path, paths):
                for name, function in load(path):
                    if RANDOM not in name or (only and only not in f"{path.stem}/{name}"):
                        continue
                    played = play(server, name, function, seed)
                    transcript = out / f"{path.stem}-{name}-{seed}.json"
                    write(transcript, [played])
                    listed = {f"{path.stem}-{name}.json/{name}": intended(played[2])}
                    outcome, = replay((hjall.address, hjall.address), ("buffered", "binary"), [transcript], known=listed,
                                      jobs=1, without=() if leaves_nothing(played[2]) else WITHOUT)
                    calls += outcome.equal + outcome.different
                    if outcome.different:
                        failed += 1
                        print(f"differs: seed {seed}, kept in {transcript}", flush=True)
                    else:
                        passed += 1
                        transcript.unlink()
                    if time.monotonic() > until:
                        print(f"{calls} calls with the seeds {first} to {seed}")
                        return passed, failed
