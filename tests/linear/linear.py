"""Checks linearizability at length, or a kept history again.

linear.py run [--minutes M] [--seed SEED] [--keep FOLDER]    until the time is up; exit code 1 after a violation
linear.py check FILE...                                      checks histories that were kept
"""

import argparse
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import row_model  # noqa: E402
from checker import Undecided, Violation, check  # noqa: E402
from rounds import ROWS, Failed, Rounds, description, load, start  # noqa: E402

REPORT_SECONDS = 10


def report(rounds):
    """Prints the figures so far."""
    ended = ", ".join(f"{count} × {end}" for end, count in rounds.ended.items())
    print(
        f"linear: {rounds.rounds} rounds ({ended}), {rounds.rounds * len(ROWS)} histories of rows, "
        f"{rounds.operations} operations, {rounds.unknown} of them with an unknown outcome",
        flush=True,
    )


def run(minutes, seed, keep):
    """Runs rounds until the time is up."""
    end, reported = time.monotonic() + minutes * 60, time.monotonic()
    with tempfile.TemporaryDirectory(prefix="hjall-linear-") as folder, start(folder) as server:
        rounds = Rounds(server, seed, keep)
        try:
            while time.monotonic() < end:
                rounds.run()
                if time.monotonic() - reported > REPORT_SECONDS:
                    reported = time.monotonic()
                    report(rounds)
        except Failed as e:
            report(rounds)
            print(f"linear: VIOLATION: {e}\nCheck it again: {sys.argv[0]} check {e.saved}", flush=True)
            return 1
        report(rounds)
    print("linear: every history is linearizable", flush=True)
    return 0


def check_again(files):
    """Checks histories that were kept."""
    failed = 0
    for file in files:
        initial, operations = load(file)
        try:
            check(row_model, operations, initial)
            print(f"{file}: linearizable, {len(operations)} operations")
        except (Violation, Undecided) as e:
            failed = 1
            print(f"{file}: {description(e)}")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run", help="run rounds until the time is up")
    running.add_argument("--minutes", type=float, default=5)
    running.add_argument("--seed", default=str(time.time_ns()), help="selects the calls; printed")
    running.add_argument("--keep", default="target/linear", help="folder for histories with a violation")
    checking = commands.add_parser("check", help="check kept histories again")
    checking.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    if arguments.command == "check":
        return check_again(arguments.files)
    print(f"linear: seed {arguments.seed}", flush=True)
    return run(arguments.minutes, arguments.seed, arguments.keep)


if __name__ == "__main__":
    sys.exit(main())
