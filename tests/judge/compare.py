#!/usr/bin/env python3
"""Prints the differences between two recordings of the same scenarios.

    compare.py GOLDEN_DIR RECORDED_DIR

Recordings with a seed are ignored, because their random scenarios differ. The exit status is 1 if an answer differs.
"""
import json
import pathlib
import sys

from replay import same, short


def answer(step):
    """The answer recorded in a step."""
    return ("returns", step["returns"]) if "returns" in step else ("throws", step.get("throws"))


def compare(golden, recorded):
    """Prints the steps of one transcript that differ; returns their number."""
    fresh = {s["name"]: s for s in json.loads(recorded.read_text())["scenarios"]}
    differ = 0
    for s in json.loads(golden.read_text())["scenarios"]:
        name = f"{golden.name}/{s['name']}"
        if s["name"] not in fresh:
            differ += 1
            print(f"{name}: no longer recorded")
            continue
        for n, (old, new) in enumerate(zip(s["steps"], fresh.pop(s["name"])["steps"])):
            if "call" not in old:
                continue
            if old["call"] != new.get("call") or not same(*answer(old), *answer(new)):
                differ += 1
                print(f"{name} step {n}: {old['call']}({short(old['args'], 200)})\n    was {short(answer(old))}\n    is  {short(answer(new))}")
    for name in fresh:
        print(f"{golden.name}/{name}: new, not in {golden.parent.name}/ yet")
    return differ


def main():
    """Compares all transcripts in the first folder."""
    golden, recorded = map(pathlib.Path, sys.argv[1:3])
    differ = sum(compare(path, recorded / path.name) for path in sorted(golden.glob("*.json")))
    print(f"{differ} answers of HBase differ from {golden}")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
