"""Signals: Ctrl-C interrupts a long scan, not only after its last row."""

import os

import pytest
from programs import run


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform has no SIGALRM")
def test_a_signal_interrupts_a_fetch_that_skips_many_rows():
    run("""
        import functools, operator, signal, hjall
        from hjall.filters import RegexStringComparator, RowFilter, SubstringComparator, ValueFilter
        from hjall.scan import ScanArguments
        db = hjall.memory()
        db.create_table("t", {"f": {}})
        table = db.table("t")
        with table.batch(batch_size=1000) as batch:
            for n in range(20_000):
                batch.put(b"%06d" % n, {b"f:n": b"a text of some length, which the regular expressions search"})
        # The filter is slow for every row and keeps only the last one.
        slow = [ValueFilter("!=", RegexStringComparator(f"(x+x+)+y{n}")) for n in range(10)]
        slow = functools.reduce(operator.and_, slow) & RowFilter("=", SubstringComparator("19999"))

        def interrupt(number, frame):
            raise KeyboardInterrupt

        signal.signal(signal.SIGALRM, interrupt)
        scanner = table._scanner(ScanArguments(filter=slow, batch_size=0))
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.01)
            scanner.rows(1)
            raise AssertionError("not interrupted")
        except KeyboardInterrupt:
            pass
        # If the fetch had run to its end, it would have consumed the row.
        assert [key for key, _ in scanner.rows(1)] == [b"019999"]
        assert table.row(b"000000")
    """)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform has no SIGALRM")
def test_a_handler_without_an_exception_does_not_interrupt_and_may_use_the_database():
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


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform has no SIGALRM")
@pytest.mark.parametrize("step", ["next(batches)", "batches.collect()"])
@pytest.mark.parametrize("again", ["next(batches)", "batches.collect()", "scanner.rows(1)", "scanner.close()"])
def test_a_handler_that_reads_from_the_scan_that_it_interrupts_gets_an_error(step, again):
    if "scanner" in again:
        step = "scanner.rows(1)"
    run(f"""
        import functools, operator, signal, hjall
        from hjall.filters import RegexStringComparator, ValueFilter
        from hjall.scan import ScanArguments
        db = hjall.memory()
        db.create_table("t", {{"f": {{}}}})
        table = db.table("t")
        with table.batch(batch_size=1000) as batch:
            for n in range(20_000):
                batch.put(b"%06d" % n, {{b"f:n": b"a text of some length, which the regular expressions search"}})
        # The filter is slow for every row and keeps none.
        slow = [ValueFilter("!=", RegexStringComparator(f"(x+x+)+y{{n}}")) for n in range(10)]
        slow = functools.reduce(operator.and_, slow) & ValueFilter("=", RegexStringComparator("(x+x+)+y"))
        inside, answers = False, []

        def handler(number, frame):
            # Signals also arrive between two steps.
            if inside and not answers:
                try:
                    answers.append({again})
                except ValueError as error:
                    answers.append(str(error))

        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
        while not answers:
            batches = iter(table.scan_arrow({{"f:n": str}}, filter=slow)._native)
            scanner = table._scanner(ScanArguments(filter=slow, batch_size=0))
            inside = True
            try:
                {step}
            except (StopIteration, hjall.Cancelled):
                pass
            inside = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        expected = None if "close" in {again!r} else "the scan is already executing"
        assert answers[0] == expected or expected in answers[0], answers
    """)
