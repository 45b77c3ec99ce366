#!/usr/bin/env python3
"""Repeats the last line of each test runner in a log, and adds up what passed and what failed.

    tally.py LOG BROKEN      BROKEN: the number of goals that make reported as failed

Counts cargo's `test result:` lines, pytest's last lines, node:test's `ℹ pass N` and `ℹ fail N`, the judge's `N passed,
N failed`, and the lines `check NAME: ok` and `client NAME: ok`. A goal that failed although no runner counted a failure
(because something did not compile, for instance) counts as one failure.
"""
import re
import sys

CARGO = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed")
JUDGE = re.compile(r"^(\d+) passed, (\d+) failed$")
NODE = re.compile(r"^ℹ (pass|fail|cancelled) (\d+)$")
CHECK = re.compile(r"^(?:check|client) [\w-]+: (ok|FAILED)$")
PYTEST = re.compile(r"^(?:=+ )?((?:\d+ \w+,? ?)+) in [\d.]+s(?: \([\d:]+\))?(?: =+)?$")


def counted(line):
    """(passed, failed) if this is the last line of a runner's report, otherwise None."""
    if found := CARGO.match(line) or JUDGE.match(line):
        return int(found[1]), int(found[2])
    if found := NODE.match(line):
        return (int(found[2]), 0) if found[1] == "pass" else (0, int(found[2]))
    if found := CHECK.match(line):
        return (1, 0) if found[1] == "ok" else (0, 1)
    if found := PYTEST.match(line):
        words = {word.rstrip("s"): int(n) for n, word in re.findall(r"(\d+) (\w+)", found[1])}
        return words.get("passed", 0), words.get("failed", 0) + words.get("error", 0)
    return None


def main():
    with open(sys.argv[1], encoding="utf-8", errors="replace") as log:
        closing = [(line.rstrip(), count) for line in log if (count := counted(line.rstrip()))]
    passed, failed = (sum(count[i] for _, count in closing) for i in (0, 1))
    failed = max(failed, int(sys.argv[2]))
    print()
    for line, _ in closing:
        print(line)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
