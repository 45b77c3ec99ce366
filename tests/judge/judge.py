#!/usr/bin/env python3
"""Record what real HBase answers, and replay the same calls against hjall.

    judge.py record SCENARIOS.py... [--out DIR] [--seed N]   run scenario scripts against HBase, write transcripts
    judge.py replay TRANSCRIPT.json... [--only NAME] [-v]    run transcripts against a server, print what differs
    judge.py suite [TRANSCRIPT.json...]                      everything that is covered, against a server of its own

A transcript is JSON: scenarios of steps. Each step is one call with its arguments and either what it returned or
what it threw. Only what a server chooses for itself is masked: a timestamp it assigned ("<now>"), scanner ids ("$s1"),
region ids, host names and ports, and the wording of an error after its Java class. A call is compared by: what it
returned, or the Thrift exception, the Java class that its message names, and for TApplicationException its type.
"""
import argparse
import pathlib
import sys

import known
import suite
from gateways import Gateways
from replay import replay, total
from scenario import record

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from serving import Hjall  # noqa: E402


def options():
    """The command line."""
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("mode", choices=("record", "replay", "suite"))
    p.add_argument("files", nargs="*")
    p.add_argument("--thrift1", help="HOST:PORT; 127.0.0.1:19090 (HBase here) for record, 127.0.0.1:9090 for replay")
    p.add_argument("--thrift2", help="HOST:PORT; 127.0.0.1:19091 for record, --thrift1 for replay")
    p.add_argument("--start", action="store_true", help="replay against a server of its own: a free port, a temporary folder")
    p.add_argument("--transport", choices=("buffered", "framed"), default="buffered")
    p.add_argument("--protocol", choices=("binary", "compact"), default="binary")
    p.add_argument("--out", default=".judge/recorded", help="folder for transcripts")
    p.add_argument("--seed", type=int, default=0, help="other random scenarios than the recorded ones")
    p.add_argument("--only", help="scenarios whose file/name contains this")
    p.add_argument("--known", type=pathlib.Path, default=known.FILE, help="JSON {file/scenario: {step: reason}}: differences that are meant")
    p.add_argument("--jobs", type=int, default=2, help="scenarios at a time")
    p.add_argument("--stop-after", type=int, default=0, help="give a scenario up after this many differences")
    p.add_argument("-v", "--verbose", action="store_true", help="all differences, not three a scenario")
    return p.parse_intermixed_args()


def main():
    """Exit status 1 if anything differed, or nothing was compared."""
    a = options()
    if a.mode == "record":
        server = Gateways(a.thrift1 or "127.0.0.1:19090", a.thrift2 or "127.0.0.1:19091", a.transport, a.protocol)
        record(server, a.files, a.out, a.seed)
        return 0
    server = Hjall() if a.start or a.mode == "suite" else None
    one = a.thrift1 or (server.address if server else "127.0.0.1:9090")
    address = one, a.thrift2 or one
    try:
        if a.mode == "suite":
            passed, failed = suite.run(address, [pathlib.Path(f) for f in a.files], a.verbose)
        else:
            outcomes = replay(address, (a.transport, a.protocol), a.files, only=a.only, known=known.load(a.known),
                              verbose=a.verbose, stop_after=a.stop_after, jobs=a.jobs)
            passed, failed = total(outcomes)
    finally:
        if server:
            server.close()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
