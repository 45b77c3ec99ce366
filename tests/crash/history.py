"""Records what a writer sent and what was acknowledged."""
import happybase
from thriftpy2.transport import TTransportException

# The errors of a client whose server disappears. Any other error fails the test.
GONE = (TTransportException, OSError, EOFError)
COLUMNS = (b"a:1", b"a:2", b"a:3", b"b:1", b"b:2")
ROWS = 40


def whole(value):
    """A complete row: the same value in all columns of both families."""
    return {column: value for column in COLUMNS}


class Writer:
    """Writes its own rows, one call after another, until the server disappears.

    The history of each row in this round consists of `before`, its state at the start of the round, `sent`, the states
    written by calls in order, and `acked`, how many of those calls were acknowledged.
    """

    def __init__(self, port, name, number, round_number, rng, state):
        self.name, self.number, self.round, self.rng = name, number, round_number, rng
        self.port, self.before = port, dict(state)
        self.sent, self.acked = {}, {}
        self.counted = self.tried = 0
        self.failure = None

    def key(self, i):
        """One of this writer's rows."""
        return b"w%d-%02d" % (self.number, i)

    def write_until_killed(self, acknowledged):
        """Writes until the server disappears; calls `acknowledged()` after every answer."""
        try:
            connection = happybase.Connection("127.0.0.1", self.port)
            table = connection.table(self.name)
            for step in range(1_000_000):
                self.one(table, b"%d.%d" % (self.round, step))
                acknowledged()
        except GONE:
            return
        except Exception as e:
            self.failure = e

    def one(self, table, value):
        """Makes one call: a put, a delete of a row, a batch of several rows, or a counter increment."""
        kind = self.rng.choice(("put", "put", "put", "delete", "batch", "counter"))
        if kind == "counter":
            self.tried += 1
            table.counter_inc(b"counter-%d" % self.number, b"a:n")
            self.counted += 1
            return
        keys = [self.key(self.rng.randrange(ROWS)) for _ in range(1 if kind != "batch" else 10)]
        keys = list(dict.fromkeys(keys))
        wanted = None if kind == "delete" else value
        for key in keys:
            self.sent.setdefault(key, []).append(wanted)
        if kind == "delete":
            table.delete(keys[0])
        elif kind == "put":
            table.put(keys[0], whole(value))
        else:
            with table.batch() as b:
                for key in keys:
                    b.put(key, whole(value))
        for key in keys:
            self.acked[key] = len(self.sent[key])

    def allowed(self, key, durable=None):
        """The states the row may be in: the last acknowledged one, or one that was sent later and not answered.

        `durable` replaces the numbers of acknowledged calls, if later ones may be lost.
        """
        sent = self.sent.get(key, [])
        acked = (self.acked if durable is None else durable).get(key, 0)
        return [sent[acked - 1] if acked else self.before.get(key)] + sent[acked:]
