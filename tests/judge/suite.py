"""The replay in `make test`: all covered transcripts, in all wire formats."""
import pathlib

import known
from replay import replay, total

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = HERE / "golden"
JOBS = 4

# Every transcript is replayed in every wire format, since each must transmit the same values, errors and sizes.
FORMS = ("buffered/binary", "framed/binary", "buffered/compact", "framed/compact")
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
)


def run(address, extra, verbose):
    """Replays the covered transcripts and those in `extra`; returns the numbers of (passed, failed) scenarios."""
    passed = failed = 0
    work = [(GOLDEN / name, form) for name in COVERED for form in FORMS]
    work += [(path, "buffered/binary") for path in extra]
    for path, form in work:
        outcomes = replay(address, form.split("/"), [path], known=known.load(), verbose=verbose, jobs=JOBS)
        good, bad = total(outcomes, f"{path.name} {form}: ")
        passed, failed = passed + good, failed + bad
    return passed, failed
