"""Ctrl-C ends a long scan where it is, not after its last row."""

import os

import pytest
from programs import run


@pytest.mark.skipif(not hasattr(os, "fork"), reason="signals are of another kind here")
def test_a_signal_ends_a_fetch_that_finds_nothing_for_long():
    run("""
        import functools, operator, signal, hjall
        from hjall.filters import RegexStringComparator, RowFilter, SubstringComparator, ValueFilter
        db = hjall.memory()
        db.create_table("t", {"f": {}})
        table = db.table("t")
        with table.batch(batch_size=1000) as batch:
            for n in range(20_000):
                batch.put(b"%06d" % n, {b"f:n": b"a text of some length, to be looked through again and again"})
        # Slow for every row, and the last row alone is kept.
        slow = [ValueFilter("!=", RegexStringComparator(f"(x+x+)+y{n}")) for n in range(10)]
        slow = functools.reduce(operator.and_, slow) & RowFilter("=", SubstringComparator("19999"))

        def beat(number, frame):
            raise KeyboardInterrupt

        signal.signal(signal.SIGALRM, beat)
        scanner = table._scanner(dict(start=None, stop=None, prefix=None, columns=None, filter=slow, timestamp=None, time_range=None, versions=1, batch=0,
                                      limit=-1, caching=0, reverse=False, raw=False))
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.01)
            scanner.rows(1)
            raise AssertionError("not interrupted")
        except KeyboardInterrupt:
            pass
        # Had the fetch gone on to its end, its row would be gone.
        assert [key for key, _ in scanner.rows(1)] == [b"019999"]
        assert table.row(b"000000")
    """)


def test_what_a_handler_does_is_not_in_the_way(tmp_path):
    """A handler that raises nothing lets the scan go on, and may itself use the database."""
    if not hasattr(os, "fork"):
        pytest.skip("signals are of another kind here")
    run("""
        import signal, hjall
        db = hjall.memory()
        db.create_table("t", {"f": {}})
        table = db.table("t")
        with table.batch(batch_size=1000) as batch:
            for n in range(20_000):
                batch.put(b"%06d" % n, {b"f:n": b"%d" % n})
        signal.signal(signal.SIGALRM, lambda number, frame: table.put(b"beat", {b"f:n": b"1"}))
        signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
        assert sum(1 for _ in table.scan(filter="ValueFilter(=, 'regexstring:.')", row_stop=b"b")) == 20_000
        signal.setitimer(signal.ITIMER_REAL, 0)
    """)
