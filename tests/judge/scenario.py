"""Scenarios, which are scripts of calls, and the recording of their answers."""
import importlib.util
import json
import pathlib
import random
import re
import time

from steps import Run
from values import clean

SCENARIOS = []


def scenario(name):
    """Decorator that registers a scenario, a function of a Recorder."""
    def register(function):
        SCENARIOS.append((name, function))
        return function
    return register


class Recorder:
    """The argument of a scenario: `j.t1.method(arg=…)`, `j.t2.method(arg=…)`, `j.sleep(s)`, `j.now(ms)`, `j.table(x)`.

    Calls return the answer of the server (for a scanner, a variable that can be used in later arguments). `j.rng` is
    seeded with the name of the scenario.
    """

    OPENERS = re.compile(r"^(scannerOpen\w*|openScanner)$")

    def __init__(self, server, scope, rng):
        self.run, self.steps, self.scope, self.rng, self.count = Run(server, scope), [], scope, rng, 0
        self.t1, self.t2 = Dialect(self, "t1"), Dialect(self, "t2")

    def table(self, name="t"):
        """A table name that no other scenario uses."""
        return f"{self.scope}{name}"

    def now(self, offset_ms=0):
        """The time of the call, both when recording and when replaying."""
        return {"$now": offset_ms}

    def sleep(self, seconds):
        """Waits, both when recording and when replaying, for instance for a TTL to expire."""
        self.steps.append({"sleep": seconds})
        time.sleep(seconds)

    def note(self, text):
        """Adds a remark to the transcript."""
        self.steps.append({"note": text})

    def call(self, name, args):
        """Makes a call and records it with its answer."""
        save = None
        if self.OPENERS.match(name.split(".")[1]):
            self.count += 1
            save = f"s{self.count}"
        step = {"call": name, "args": args}
        if save:
            step["save"] = save
        kind, value = self.run.call(name, args, save)
        step[kind] = value
        self.steps.append(step)
        return {"$var": save} if save and kind == "returns" else value


class Dialect:
    """Maps attribute access to calls of one service."""

    def __init__(self, recorder, name):
        self._recorder, self._name = recorder, name

    def __getattr__(self, method):
        return lambda **args: self._recorder.call(f"{self._name}.{method}", clean(args))


def wait_until_ready(server):
    """Waits until tables can be created. HBase's gateways answer before its master is ready; errors up to then
    must not be recorded."""
    run, name = Run(server, "j_ready_"), "j_ready_t"
    for _ in range(20):  # each attempt waits in HBase's client
        run.wipe()
        kind, answer = server.call("t1", "createTable", {"tableName": name, "columnFamilies": [{"name": "f:"}]})
        if kind == "returns":
            return run.wipe()
    raise SystemExit(f"the server cannot create tables: {answer}")


def load(path):
    """The scenarios of a script, as (name, function)."""
    SCENARIOS.clear()
    spec = importlib.util.spec_from_file_location("scenarios_" + path.stem, path)
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
    return list(SCENARIOS)


def play(server, name, function, seed):
    """Runs one scenario against a server; returns its name, scope and steps."""
    scope = "j_" + re.sub(r"\W", "_", name) + "_"
    recorder = Recorder(server, scope, random.Random(f"{name}/{seed}"))
    recorder.run.wipe()
    function(recorder)
    recorder.run.wipe()
    return name, scope, recorder.steps


def record(server, paths, out, seed):
    """Runs scenario scripts against a server and writes a transcript for each."""
    wait_until_ready(server)
    pathlib.Path(out).mkdir(parents=True, exist_ok=True)
    for path in map(pathlib.Path, paths):
        done = []
        for name, function in load(path):
            done.append(play(server, name, function, seed))
            print(f"recorded {path.stem}/{name}: {len(done[-1][2])} steps", flush=True)
        write(pathlib.Path(out) / (path.stem + (f"-{seed}" if seed else "") + ".json"), done)


def write(target, scenarios):
    """Writes a transcript with one step per line, so that diffs are readable."""
    with open(target, "w") as f:
        f.write('{"judge": "Apache HBase 2.6.1", "scenarios": [')
        for i, (name, scope, steps) in enumerate(scenarios):
            f.write((",\n" if i else "\n") + f'{{"name": {json.dumps(name)}, "scope": {json.dumps(scope)}, "steps": [\n')
            f.write(",\n".join("  " + json.dumps(s) for s in steps) + "\n]}")
        f.write("\n]}\n")
