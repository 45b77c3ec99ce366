"""Compares the results of random programs on the embedded database and on HappyBase with the server."""

import os
import random

import happybase
import pytest
from differential.programs import FAMILIES, program
from differential.sides import run

import hjall
from hjall import happybase as hjall_happybase
from serving import Hjall

STEPS = 60
# Set these variables to run other or more programs: DIFFERENTIAL_SEED=100 DIFFERENTIAL_ROUNDS=500 make test-python.
SEED = int(os.environ.get("DIFFERENTIAL_SEED", "0"))
ROUNDS = int(os.environ.get("DIFFERENTIAL_ROUNDS", "40"))


@pytest.fixture(scope="module")
def remote():
    """HappyBase, connected to the built server."""
    with Hjall() as server:
        connection = happybase.Connection("127.0.0.1", server.port)
        yield connection
        connection.close()


@pytest.fixture(scope="module")
def embedded(tmp_path_factory):
    """The embedded database, with the package's own API and with HappyBase's names."""
    with hjall.open(tmp_path_factory.mktemp("embedded")) as db:
        yield [db, hjall_happybase.Connection(database=db)]


def without_reversed_prefixes(steps):
    """Replaces reversed scans of a prefix, of which HappyBase and `hjall.Table.scan` return different rows."""
    for verb, arguments, options in steps:
        differs = verb == "scan" and options.get("row_prefix") is not None and options.get("reverse")
        yield verb, arguments, {**options, "reverse": False} if differs else options


@pytest.mark.parametrize("seed", range(SEED, SEED + ROUNDS))
def test_both_have_the_same_results(embedded, remote, seed):
    name = f"t{seed}"
    steps = program(random.Random(seed), STEPS)
    embedded = embedded[seed % 2]
    if not isinstance(embedded, hjall_happybase.Connection):
        steps = list(without_reversed_prefixes(steps))
    for side in (embedded, remote):
        side.create_table(name, FAMILIES)
    ours, theirs = run(embedded, name, steps), run(remote, name, steps)
    for step, our, their in zip(steps, ours, theirs, strict=True):
        assert our == their, f"seed {seed}, {step}\n embedded  {our}\n HappyBase {their}"
    assert embedded.tables() == remote.tables()
