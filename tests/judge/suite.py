"""What `make test` replays: every transcript that is covered, in the wire forms that are served."""
import pathlib

import known
from replay import replay, total

HERE = pathlib.Path(__file__).resolve().parent
GOLDEN = HERE / "golden"
JOBS = 4

# A transcript, or one scenario of it, and the wire forms it is replayed in. The first form has everything; the others have what shows
# that they carry the same values, errors and sizes.
ALL_FORMS = ("buffered/binary", "framed/binary", "buffered/compact", "framed/compact")
COVERED = (
    ("smoke.json", None, ALL_FORMS),
    ("thrift1_data.json", None, ("buffered/binary", "framed/binary")),
    ("thrift1_scan_admin.json", None, ("buffered/binary",)),
    ("thrift2_data.json", None, ALL_FORMS),
    ("thrift2_admin.json", None, ALL_FORMS),
    ("data_model.json", None, ("buffered/binary", "framed/compact")),
    ("filters.json", None, ("buffered/binary", "framed/compact")),
)


def run(address, extra, verbose):
    """Replays all that is covered, and the transcripts in `extra`; returns (passed, failed) scenarios."""
    passed = failed = 0
    work = [(GOLDEN / name, only, form) for name, only, forms in COVERED for form in forms]
    work += [(path, None, "buffered/binary") for path in extra]
    for path, only, form in work:
        outcomes = replay(address, form.split("/"), [path], only=only, known=known.load(), verbose=verbose, jobs=JOBS)
        good, bad = total(outcomes, f"{path.name} {form}: ")
        passed, failed = passed + good, failed + bad
    return passed, failed
