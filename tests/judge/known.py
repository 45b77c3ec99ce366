"""The list of intended differences: known.json, {"transcript/scenario": {"step": "reason"}}."""
import json
import pathlib
import re

FILE = pathlib.Path(__file__).resolve().with_name("known.json")
SEEDED = re.compile(r"-\d+(?=\.json/)")


def load(path=FILE):
    """Reads the list."""
    return json.loads(path.read_text())


def reasons(known, name):
    """Returns the differences listed for a scenario, and whether all of them must occur.

    A recording with a seed has the same scenarios under another file name. The steps of random scenarios differ.
    """
    recorded = SEEDED.sub("", name)
    return known.get(recorded, {}), recorded == name
