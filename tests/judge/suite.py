"""The replay in `make test`: all covered transcripts, in all wire formats."""
import pathlib

import known
from replay import replay, total
from serving import Hjall

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = HERE / "golden"
JOBS = 4

# Every transcript is replayed in every wire format, since each must transmit the same values, errors and sizes: twice
# against a server with a folder, and twice against one that keeps its data in memory.
FORMS = {"buffered/binary": (), "framed/binary": ("--memory",), "buffered/compact": ("--memory",), "framed/compact": ()}
COVERED = (
    "smoke.json",
    "thrift1_data.json",
    "thrift1_scan_admin.json",
    "thrift2_data.json",
    "thrift2_admin.json",
    "data_model.json",
    "filters.json",
    "mixed.json",
    "calls.json",
    "corners.json",
    "ddl_mistakes.json",
    "alterations.json",
    "open_scanners.json",
)


def run(extra, verbose):
    """Replays the covered transcripts and those in `extra`; returns the numbers of (passed, failed) scenarios.

    Each wire format has a new server. The differences are printed once more at the end, since the log of a whole run is
    often cut to its last lines.
    """
    differing, passed = [], 0
    for number, (form, options) in enumerate(FORMS.items()):
        paths = [GOLDEN / name for name in COVERED] + (extra if number == 0 else [])
        with Hjall(None, *options) as server:
            outcomes = replay((server.address, server.address), form.split("/"), paths, known=known.load(), verbose=verbose, jobs=JOBS)
        for path in paths:
            total([outcome for outcome in outcomes if outcome.path == path.name], f"{path.name} {form}: ")
        differing += [(form, outcome) for outcome in outcomes if outcome.different]
        passed += sum(not outcome.different for outcome in outcomes)
    for form, outcome in differing:
        print(f"{form} {outcome.report(verbose)}", flush=True)
    return passed, len(differing)
