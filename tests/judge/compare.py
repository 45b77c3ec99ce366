#!/usr/bin/env python3
"""Says where two recordings of the same scenarios differ.

    compare.py GOLDEN_DIR RECORDED_DIR

Recordings with a seed are left out: their random scenarios ask other questions. Exit status 1 if an answer differs.
"""
import json
import pathlib
import sys

from replay import same, short


def answer(step):
    """What a step was answered."""
    return ("returns", step["returns"]) if "returns" in step else ("throws", step.get("throws"))


def compare(golden, recorded):
    """Prints the differing steps of one transcript; returns their number."""
    fresh = {s["name"]: s for s in json.loads(recorded.read_text())["scenarios"]}
    differ = 0
    for s in json.loads(golden.read_text())["scenarios"]:
        name = f"{golden.name}/{s['name']}"
        if s["name"] not in fresh:
            differ += 1
            print(f"{name}: recorded no more")
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
    """Every transcript of the first folder."""
    golden, recorded = map(pathlib.Path, sys.argv[1:3])
    differ = sum(compare(path, recorded / path.name) for path in sorted(golden.glob("*.json")))
    print(f"{differ} answers of HBase differ from {golden}")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
