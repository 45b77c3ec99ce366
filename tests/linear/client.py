"""A client that makes random calls on few rows, one after another, and records calls and results."""

import threading
import time

from calls import GONE, Thrift1, Thrift2
from checker import Operation
from row_model import COLUMNS, COUNTERS, LOGS, PLAIN

# The weight of each kind of call.
KINDS = {
    "put": 20,
    "put many": 6,
    "delete": 9,
    "delete family": 3,
    "delete row": 3,
    "mutate": 6,
    "increment": 16,
    "append": 10,
    "checked put": 12,
    "checked delete": 4,
    "checked mutate": 3,
    "read": 22,
    "exists": 3,
    "scan": 3,
}
ONLY_THRIFT2 = ("mutate", "checked delete", "checked mutate", "exists")


class Recorder:
    """The record of one client: `operations` by (table, row), and in `open` the calls without an answer."""

    def __init__(self):
        self.operations = {}
        self.open = []

    def call(self, pieces, made):
        """Makes a call, and records its operations.

        `pieces` are (table, row, operation); `made()` makes the call and returns their results in that order.
        """
        called = time.monotonic_ns()
        try:
            results = made()
        except GONE:
            self.open += [(key, called, what) for *key, what in pieces]
            raise
        ended = time.monotonic_ns()
        for (*key, what), result in zip(pieces, results, strict=True):
            self.add(tuple(key), Operation(called, ended, what, result))
        return results

    def add(self, key, operation):
        """Records one operation on a row."""
        self.operations.setdefault(key, []).append(operation)

    def server_ended(self, ended):
        """Records the unanswered calls. The server had ended at `ended`, so they took effect before, or never will."""
        for key, called, what in self.open:
            self.add(tuple(key), Operation(called, ended, what, unknown=True))
        self.open = []


class Client(threading.Thread):
    """Makes calls until `enough` is set or the server disappears.

    `rows` are (table, row) pairs, `form` is (framed, compact). `answered()` is called after each answer. `failure` is
    the error that ended it, unless it is one of GONE.
    """

    def __init__(self, port, number, form, rows, rng, enough, answered):
        super().__init__(name=f"client {number}", daemon=True)
        self.port, self.number, self.rows, self.rng = port, number, rows, rng
        self.enough, self.answered = enough, answered
        self.recorder, self.seen, self.failure, self.values = Recorder(), {}, None, 0
        self.form = form

    def run(self):
        try:
            with Thrift1(self.port, *self.form) as first, Thrift2(self.port, *self.form) as second:
                while not self.enough.is_set():
                    self.once(first, second)
                    self.answered()
        except GONE:
            pass
        except BaseException as e:
            self.failure = e

    def fresh(self, column):
        """Returns a unique value."""
        self.values += 1
        return self.number * 1_000_000 + self.values if column in COUNTERS else f"{self.number}.{self.values}"

    def some(self, columns, most):
        """Returns some of these columns, at least one."""
        return sorted(self.rng.sample(columns, self.rng.randint(1, min(most, len(columns)))))

    def puts(self, most=4):
        """Columns with new values."""
        return {column: self.fresh(column) for column in self.some(COLUMNS, most)}

    def expected(self, key, column):
        """Returns the expected value of a checked write, which is usually the last one that this client has read."""
        value = self.seen.get(key, {}).get(column)
        return value if self.rng.random() < 0.8 else self.rng.choice([None, self.fresh(column)])

    def once(self, first, second):
        """Makes one random call."""
        rng = self.rng
        kind = rng.choices(list(KINDS), KINDS.values())[0]
        by = second if kind in ONLY_THRIFT2 or rng.random() < 0.5 else first
        key = table, row = rng.choice(self.rows)
        call = self.recorder.call

        def single(what, made):
            return call([(table, row, what)], lambda: [made()])[0]

        match kind:
            case "put":
                values = self.puts()
                single(("put", values), lambda: by.put(table, row, values, rng))
            case "put many":
                others = sorted(
                    {row, *(other for named, other in rng.sample(self.rows, min(2, len(self.rows))) if named == table)}
                )
                rows = {other: self.puts() for other in others}
                call(
                    [(table, other, ("put", values)) for other, values in rows.items()],
                    lambda: by.put_many(table, rows, rng) or [None] * len(rows),
                )
            case "delete":
                columns = self.some(COLUMNS, 3)
                single(("delete", columns), lambda: by.delete(table, row, columns, rng))
            case "delete family":
                family = rng.choice("fg")
                single(("delete family", family), lambda: by.delete_family(table, row, family, rng))
            case "delete row":
                single(("delete row",), lambda: by.delete_row(table, row, rng))
            case "mutate":
                values = self.puts()
                deleted = self.some([column for column in COLUMNS if column not in values], 2)
                single(("mutate", values, deleted), lambda: by.mutate(table, row, values, deleted, rng))
            case "increment":
                amounts = {column: rng.randint(-3, 9) for column in self.some(COUNTERS, 2)}
                if by is second:
                    single(("increment", amounts), lambda: by.increment(table, row, amounts, rng))
                else:
                    # incrementRows increments each column separately.
                    pieces = [(table, row, ("increment", {column: amount})) for column, amount in amounts.items()]
                    call(pieces, lambda: [by.increment(table, row, amounts, rng)] * len(pieces))
            case "append":
                texts = {column: f"+{self.fresh(column)}" for column in self.some(LOGS, 2)}
                single(("append", texts), lambda: by.append(table, row, texts, rng))
            case "checked put" | "checked delete" | "checked mutate":
                self.checked(kind, by, key, single)
            case "read":
                columns = self.some(COLUMNS, len(COLUMNS))
                keys = (
                    [key] if rng.random() < 0.7 else sorted({key, *(other for other in self.rows if other[0] == table)})
                )
                found = call(
                    [(*other, ("read", columns)) for other in keys],
                    lambda: by.read(table, [other for _, other in keys], columns, rng),
                )
                for other, values in zip(keys, found):
                    self.seen[other] = dict.fromkeys(columns) | values
            case "exists":
                columns = self.some(COLUMNS, 2)
                single(("exists", columns), lambda: by.exists(table, row, columns, rng))
            case "scan":
                self.scan(by, table)

    def checked(self, kind, by, key, single):
        """Makes one of the checked writes."""
        (table, row), rng = key, self.rng
        column = rng.choice(COUNTERS + PLAIN)
        expected = self.expected(key, column)
        if isinstance(by, Thrift1):
            values = self.puts(1)
            single(
                ("checked", column, expected, ("put", values)),
                lambda: by.checked_put(table, row, column, expected, values, rng),
            )
            return
        match kind:
            case "checked put":
                then = ("put", self.puts())
            case "checked delete":
                then = ("delete", self.some(COLUMNS, 2))
            case _:
                # checkAndMutate needs a value to compare: EQUAL without one tests for a missing cell.
                expected = self.fresh(column) if expected is None else expected
                values = self.puts(3)
                then = ("mutate", values, self.some([other for other in COLUMNS if other not in values], 2))
        single(("checked", column, expected, then), lambda: by.checked(table, row, column, expected, then, rng))

    def scan(self, by, table):
        """Scans the rows. Each row is read at some time between the opening of the scanner and its answer."""
        rows = sorted(row for named, row in self.rows if named == table)
        called = time.monotonic_ns()
        missing = set(rows)
        for row, values in by.scan(table, rows[0], rows[-1] + b"\0", self.rng):
            missing.remove(row)
            self.recorder.add((table, row), Operation(called, time.monotonic_ns(), ("read", list(COLUMNS)), values))
        for row in missing:
            self.recorder.add((table, row), Operation(called, time.monotonic_ns(), ("read", list(COLUMNS)), {}))


def read_all(port, rows, rng):
    """Reads every row by gets and scans of both services; returns operations by (table, row)."""
    recorder = Recorder()
    with Thrift1(port) as first, Thrift2(port, framed=True) as second:
        for table, row in rows:
            recorder.call(
                [(table, row, ("read", list(COLUMNS)))] * 4,
                lambda: [*first.whole(table, row, rng), *second.whole(table, row, rng)],
            )
    return recorder.operations
