"""The list of differences that are meant: known.json, {"transcript/scenario": {"step": "reason"}}."""
import json
import pathlib
import re

FILE = pathlib.Path(__file__).resolve().with_name("known.json")
SEEDED = re.compile(r"-\d+(?=\.json/)")


def load(path=FILE):
    """The list."""
    return json.loads(path.read_text())


def reasons(known, name):
    """What is listed for a scenario, and whether all of it must differ.

    A recording with a seed has the same scenarios under its own file name; where they are random, their steps ask something else.
    """
    recorded = SEEDED.sub("", name)
    return known.get(recorded, {}), recorded == name
