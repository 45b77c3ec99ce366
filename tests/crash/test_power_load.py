"""Power failures during bulk loads: all rows of a load must be present afterwards, in all families, or none.

A program loads rows into a table with two families, of which none, one or both have rows already. The power fails at
one call of the load. POWER_LOAD_POINTS is the number of points that are tried; `all` tries every call.
"""
import collections
import itertools
import os
import random
import shutil
import subprocess
import sys

import hjall
import pytest

from power import Power, build_layer

POINTS = os.environ.get("POWER_LOAD_POINTS", "16")
SEED = int(os.environ.get("POWER_SEED", "1"))

# Opens a folder, waits for a line, loads, and says so.
PROGRAM = """
import sys, hjall
db = hjall.open(sys.argv[1])
print("open", flush=True)
sys.stdin.readline()
db.table("t").bulk_load((b"%04d" % n, {b"f:q": b"load" * 50, b"g:q": b"load"}) for n in range(2000))
print("loaded", flush=True)
db.table("t").put(b"later", {b"f:q": b"put"})
db.close()
print("closed", flush=True)
"""
LOADED = 2000
# Kinds of calls, parts of paths, and when in a call.
CALLS = [
    ("write", "/data", "bah"),
    ("sync", "/data", "ba"),
    ("sync-names", "/data", "ba"),
    ("create", "/data", "ba"),
    ("mkdir", "/data", "ba"),
    ("rename", "/data", "ba"),
    ("unlink", "/data", "ba"),
]
FILLED = [(), (b"f",), (b"f", b"g")]

pytestmark = pytest.mark.skipif(sys.platform != "linux" or not shutil.which(os.environ.get("CC", "cc")), reason="needs Linux and a C compiler")


def fill(folder, families):
    """Creates the table, and puts rows into these families."""
    with hjall.open(folder) as db:
        db.create_table("t", {"f": {}, "g": {}})
        for family in families:
            db.table("t").put_many([(b"%04d+" % n, {family + b":q": b"put"}) for n in range(300)])


def check(folder, families, said, about):
    """Checks what is left. Returns whether the load is."""
    with hjall.open(folder) as db:
        rows = dict(db.table("t").scan())
        later = rows.pop(b"later", None)
        loaded = {key: row for key, row in rows.items() if len(key) == 4}
        kept = {key: row for key, row in rows.items() if len(key) == 5}
        assert kept == ({b"%04d+" % n: {family + b":q": b"put" for family in families} for n in range(300)} if families else {}), about
        assert len(loaded) in (0, LOADED), f"{about}: {len(loaded)} rows"
        assert all(row == {b"f:q": b"load" * 50, b"g:q": b"load"} for row in loaded.values()), about
        assert loaded or "loaded" not in said, f"{about}: the load was reported as done"
        assert loaded or later is None, f"{about}: a later put is there"
        # The table can be loaded and compacted.
        db.table("t").bulk_load([(b"x", {b"f:q": b"1", b"g:q": b"2"})])
        db.compact_table("t", major=True)
        assert db.table("t").row(b"x") == {b"f:q": b"1", b"g:q": b"2"}
        assert db.table("t").count() == len(rows) + 1 + (later is not None)
    return bool(loaded)


def run(base, library, families, point, arbitrary):
    """One load and power failure. Returns whether the point was reached, and whether the load is there."""
    shutil.rmtree(base, ignore_errors=True)
    base.mkdir()
    power = Power(base, library)
    power.folder.rmdir()
    fill(power.folder, families)
    power.record()
    package = os.path.dirname(os.path.dirname(hjall.__file__))
    layer = {"PYTHONPATH": package, "LD_PRELOAD": str(library), "POWER_FOLDER": str(power.folder), "POWER_SHADOW": str(power.shadow)}
    program = subprocess.Popen([sys.executable, "-c", PROGRAM, power.folder], env={**os.environ, **layer}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert program.stdout.readline() == "open\n"
    power.fail_at(*point)
    said, _ = program.communicate("\n", timeout=120)
    reached = program.returncode == -9
    print(f"rows in {families}, power failure at {point}, {'reached' if reached else 'not reached'}", flush=True)
    assert reached or (program.returncode == 0 and "closed" in said), said
    about = f"rows in {families}, power failure at {point}, {'an arbitrary part is left' if arbitrary else 'only what was synced is left'}, said {said!r}"
    power.fail(random.Random(f"{SEED}/{point}/{families}") if arbitrary else None)
    return reached, check(power.folder, families, said, about)


def points(call, part, whens):
    """All points of a kind of call."""
    return ((call, part, when, number) for number in itertools.count(1) for when in whens)


def test_a_power_failure_leaves_all_of_a_load_or_nothing(tmp_path):
    library = build_layer(tmp_path)
    figures = collections.Counter()
    if POINTS == "all":
        for families, (call, part, whens) in itertools.product(FILLED, CALLS):
            for when in whens:
                for number in itertools.count(1):
                    reached, loaded = run(tmp_path / "run", library, families, (call, part, when, number), number % 2 == 1)
                    figures["points" if reached else "complete"] += 1
                    figures["with the load" if loaded else "without it"] += 1
                    if not reached:
                        break
    else:
        rng = random.Random(SEED)
        while figures["points"] < int(POINTS):
            families, (call, part, whens) = rng.choice(FILLED), rng.choice(CALLS)
            point = (call, part, rng.choice(whens), rng.randint(1, 12))
            reached, loaded = run(tmp_path / "run", library, families, point, rng.random() < 0.5)
            figures["points" if reached else "complete"] += 1
            figures["with the load" if loaded else "without it"] += 1
    print(dict(figures))
    assert figures["with the load"] and figures["without it"]
