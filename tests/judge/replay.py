"""Replays transcripts and compares the answers."""
import json
import multiprocessing
import pathlib
import re
import time

from gateways import Gateways
from known import reasons
from steps import Run

FAILED_ACTIONS = re.compile(r"\bFailed (\d+) actions?: ")


def failed_actions(answer):
    """The number of actions of a batch that have failed, as its exception says."""
    return FAILED_ACTIONS.findall(answer.get("message") or "")[:1]


def same(kind_a, a, kind_b, b):
    """Whether two answers are equal. Of an exception, its type, its Java class, its retry flag and the number of failed
    actions are compared."""
    if kind_a != kind_b:
        return False
    if kind_a == "returns":
        return a == b
    if failed_actions(a) != failed_actions(b):
        return False
    return all(a.get(k) == b.get(k) for k in ("exception", "class", "type", "canRetry") if k in a or k in b)


def stripped(value, fields):
    """The answer without these fields."""
    if isinstance(value, dict):
        return {key: stripped(item, fields) for key, item in value.items() if key not in fields}
    return [stripped(item, fields) for item in value] if isinstance(value, list) else value


class Outcome:
    """The outcome of one scenario. Answers are compared without the fields in `without`."""

    def __init__(self, name, known, without=()):
        self.name, self.path = name, name.partition("/")[0]
        self.equal, self.different, self.intended, self.lines = 0, 0, 0, []
        self.without = without
        self.reasons, self.strict = reasons(known, name)

    def add(self, n, step, kind, got):
        """Compares the answer to step `n` with the recorded one."""
        reason = self.reasons.get(str(n))
        want_kind = "returns" if "returns" in step else "throws"
        want, got = step[want_kind], json.loads(json.dumps(got))
        if same(want_kind, stripped(want, self.without), kind, stripped(got, self.without)):
            self.equal += 1
            if reason and self.strict:
                self.different += 1
                self.lines.append(f"  step {n}: listed as a difference ({reason}), but equal: remove it from the list")
        elif reason:
            self.intended += 1
        else:
            self.different += 1
            self.lines.append(f"  step {n}: {step['call']}({short(step['args'])})\n    HBase {want_kind}: {short(step[want_kind])}"
                              f"\n    hjall {kind}: {short(got)}")

    def report(self, verbose):
        """The text to print."""
        shown = self.lines if verbose else self.lines[:3]
        left = [f"  … {len(self.lines) - len(shown)} more (-v shows them)"] if len(shown) < len(self.lines) else []
        head = f"{'DIFF' if self.different else 'ok  '} {self.name}: {self.equal} equal, {self.different} different"
        return "\n".join([head + (f", {self.intended} intentionally different" if self.intended else ""), *shown, *left])


# If the calls of a scenario with waits take longer than SLOW_S between two waits, or a wait takes that much longer than
# it should, its result is inconclusive, because the shortest TTL in a transcript is one second. The scenario is then
# replayed, up to TURNS times.
SLOW_S = 0.8
TURNS = 5


def play(job):
    """Replays one scenario against a server."""
    for _ in range(TURNS):
        outcome, slowest = play_once(job)
        if not outcome.different or slowest < SLOW_S:
            break
    return outcome


def play_once(job):
    """Returns the outcome, and the longest time of the calls between two waits, or by which a wait was too long, in
    seconds; 0 without waits."""
    name, scenario, known, address, wire, stop_after, without = job
    server, outcome = Gateways(*address, *wire), Outcome(name, known, without)
    run = Run(server, scenario["scope"])
    run.wipe()
    slowest, waits, since = 0, False, time.monotonic()
    for n, step in enumerate(scenario["steps"]):
        if "sleep" in step:
            slowest, waits = max(slowest, time.monotonic() - since), waits or step["sleep"] >= 0.1
            began = time.monotonic()
            time.sleep(step["sleep"])
            since = time.monotonic()
            slowest = max(slowest, since - began - step["sleep"])
        if "call" in step:
            kind, got = run.call(step["call"], step["args"], step.get("save"))
            outcome.add(n, step, kind, got)
        if stop_after and outcome.different >= stop_after:
            break
    slowest = max(slowest, time.monotonic() - since)
    run.wipe()
    server.close()
    return outcome, slowest if waits else 0


def play_in_turn(group):
    """Replays scenarios one after another."""
    return [play(job) for job in group]


def groups(jobs):
    """Groups jobs that must not run in parallel. A scenario first drops all tables whose names contain its scope, and
    some scopes contain others."""
    out = []
    for job in jobs:
        scope = job[1]["scope"]
        near = [g for g in out if any(scope in other[1]["scope"] or other[1]["scope"] in scope for other in g)]
        out = [g for g in out if g not in near] + [[job] + [other for g in near for other in g]]
    return out


def replay(address, wire, paths, *, only=None, known=None, verbose=False, stop_after=0, jobs=2, without=()):
    """Replays transcripts; returns the outcomes. Independent scenarios run in parallel. Answers are compared without
    the fields in `without`."""
    todo = []
    for path in map(pathlib.Path, paths):
        for s in json.loads(path.read_text())["scenarios"]:
            name = f"{path.name}/{s['name']}"
            if not only or only in name:
                todo.append((name, s, known or {}, address, wire, stop_after, without))
    todo = groups(todo)
    todo.sort(key=lambda group: -sum(step.get("sleep", 0) for job in group for step in job[1]["steps"]))
    outcomes = []
    with multiprocessing.get_context("spawn").Pool(max(1, min(jobs, len(todo)))) as pool:
        for played in pool.imap_unordered(play_in_turn, todo):
            outcomes += played
            for outcome in played:
                print(outcome.report(verbose), flush=True)
    return outcomes


def total(outcomes, label=""):
    """Prints the totals; returns the numbers of passed and failed scenarios."""
    equal, different, intended = (sum(getattr(o, k) for o in outcomes) for k in ("equal", "different", "intended"))
    print(f"{label}{len(outcomes)} scenarios, {equal + different + intended} calls: {equal} equal, {different} different, {intended} intentionally different",
          flush=True)
    failed = sum(1 for o in outcomes if o.different)
    return len(outcomes) - failed, failed


def short(value, limit=700):
    """Formats a value for output, shortened to `limit` characters."""
    text = json.dumps(value)
    return text if len(text) <= limit else text[:limit] + "…"
