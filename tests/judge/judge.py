#!/usr/bin/env python3
"""Records the answers of real HBase, and replays the same calls against hjall.

    judge.py record SCENARIOS.py... [--out DIR] [--seed N]   run scenario scripts against HBase and write transcripts
    judge.py replay TRANSCRIPT.json... [--only NAME] [-v]    replay transcripts against a server and print differences
    judge.py suite [TRANSCRIPT.json...]                      replay all covered transcripts against a new server
    judge.py random SCENARIOS.py... [--seconds N] [--seed N] ask HBase and hjall the same random calls, seed after seed

A transcript is a JSON file of scenarios, which consist of steps. A step is a call with its arguments and either its
result or its exception. Only values that a server chooses itself are masked: timestamps it assigned ("<now>"),
scanner ids ("$s1"), region ids, host names and ports, and the text of an error after its Java class. Answers are
equal if their results are equal, or if the Thrift exception, the Java class named in its message and, for a
TApplicationException, its type are equal. So must be the number of failed actions of a batch.
"""
import argparse
import pathlib
import sys

import known
from gateways import Gateways
from replay import replay, total
from scenario import record

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import beside  # noqa: E402
import suite  # noqa: E402
from serving import Hjall  # noqa: E402


def options():
    """Parses the command line."""
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("mode", choices=("record", "replay", "suite", "random"))
    p.add_argument("files", nargs="*")
    p.add_argument("--thrift1", help="HOST:PORT; default 127.0.0.1:19090 (HBase) for record, 127.0.0.1:9090 for replay")
    p.add_argument("--thrift2", help="HOST:PORT; default 127.0.0.1:19091 for record, --thrift1 for replay")
    p.add_argument("--start", action="store_true", help="replay against a new server on a free port with a temporary folder")
    p.add_argument("--transport", choices=("buffered", "framed"), default="buffered")
    p.add_argument("--protocol", choices=("binary", "compact"), default="binary")
    p.add_argument("--out", default=".judge/recorded", help="folder for transcripts")
    p.add_argument("--seed", type=int, default=0, help="seed of the random scenarios; the first one for random")
    p.add_argument("--seconds", type=int, default=60, help="how long random asks")
    p.add_argument("--only", help="only scenarios whose file/name contains this")
    p.add_argument("--known", type=pathlib.Path, default=known.FILE, help="intended differences, as JSON {file/scenario: {step: reason}}")
    p.add_argument("--jobs", type=int, default=2, help="number of scenarios replayed in parallel")
    p.add_argument("--stop-after", type=int, default=0, help="abandon a scenario after this many differences")
    p.add_argument("-v", "--verbose", action="store_true", help="print all differences instead of three per scenario")
    return p.parse_intermixed_args()


def main():
    """Returns exit status 1 if anything differed or nothing was compared."""
    a = options()
    if a.mode == "record":
        server = Gateways(a.thrift1 or "127.0.0.1:19090", a.thrift2 or "127.0.0.1:19091", a.transport, a.protocol)
        record(server, a.files, a.out, a.seed)
        return 0
    if a.mode == "random":
        hbase = a.thrift1 or "127.0.0.1:19090", a.thrift2 or "127.0.0.1:19091"
        passed, failed = beside.run(hbase, a.files, pathlib.Path(a.out), a.seed, a.seconds, a.only)
    elif a.mode == "suite":
        passed, failed = suite.run([pathlib.Path(f) for f in a.files], a.verbose)
    else:
        passed, failed = replayed(a)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


def replayed(a):
    """Replays the files against a running server, or a new one; returns the numbers of (passed, failed) scenarios."""
    server = Hjall() if a.start else None
    one = a.thrift1 or (server.address if server else "127.0.0.1:9090")
    address = one, a.thrift2 or one
    try:
        outcomes = replay(address, (a.transport, a.protocol), a.files, only=a.only, known=known.load(a.known),
                          verbose=a.verbose, stop_after=a.stop_after, jobs=a.jobs)
        return total(outcomes)
    finally:
        if server:
            server.close()


if __name__ == "__main__":
    sys.exit(main())
