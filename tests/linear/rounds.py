"""Rounds of concurrent clients on one data folder, with flushes, compactions, kills and restarts; each is checked."""

import json
import pathlib
import random
import threading
import time

import row_model
from calls import GONE, Connection, create_table, one
from checker import Operation, Undecided, Violation, check
from client import Client, read_all
from serving import Hjall

CLIENTS = 6
# (framed, compact)
FORMS = [(False, False), (True, False), (True, True), (False, False), (True, False), (False, True)]
TABLES = {b"plain": {}, b"ordered": {b"NEW_VERSION_BEHAVIOR": b"true"}}
VERSIONS = {"f": 1, "g": 3}
ROWS = [(b"plain", b"row-1"), (b"plain", b"row-2"), (b"ordered", b"row-1")]
ANSWERS = (60, 400)
# Answers to the clients between two steps of the upkeep.
UPKEEP_EVERY = 10
ENDS = {"kill": 5, "stop": 2, "go on": 3}
# The smallest write buffer, so that the writes of Upkeep cause flushes.
OPTIONS = ("--set", "store.write_buffer=1MiB")
FILLING = 20 * [b"x" * 8192]
PATIENCE_SECONDS = 300


class Upkeep(threading.Thread):
    """Compacts tables, or fills them, which causes flushes: one such step for each release of `due`.

    Ends when the server disappears or `enough` is set.
    """

    def __init__(self, port, rng, enough):
        super().__init__(name="upkeep", daemon=True)
        self.port, self.rng, self.enough, self.failure = port, rng, enough, None
        self.due = threading.Semaphore(0)

    def run(self):
        try:
            with Connection(self.port) as connection:
                while not self.enough.is_set():
                    self.once(connection.one, self.rng.choice(list(TABLES)))
                    self.due.acquire()
        except GONE:
            pass
        except BaseException as e:
            self.failure = e

    def once(self, client, table):
        """Compacts, or writes to rows that no client reads."""
        match self.rng.choice(("compact", "major", "fill", "fill")):
            case "compact":
                client.compact(table)
            case "major":
                client.majorCompact(table)
            case "fill":
                client.mutateRows(
                    table,
                    [
                        one.BatchMutation(
                            row=b"filling-%d" % self.rng.randrange(1000),
                            mutations=[one.Mutation(column=b"%c:a" % self.rng.choice(b"fg"), value=value)],
                        )
                        for value in FILLING
                    ],
                    {},
                )


class Failed(Exception):
    """A history that no order explains, or that could not be checked. `saved` is the file with the history."""

    def __init__(self, text, saved):
        super().__init__(f"{text}\nThe history is in {saved}")
        self.saved = saved


class Rounds:
    """Runs rounds on one server, and keeps failing histories in the folder `keep`.

    `through(port)` may return another port, through which the clients call in these `forms`. `ends` are the weights
    of the ends of rounds.
    """

    def __init__(self, server, seed, keep, through=None, forms=FORMS, ends=ENDS):
        self.server, self.seed, self.keep, self.forms, self.ends = server, seed, pathlib.Path(keep), forms, ends
        self.through = through or (lambda port: port)
        self.states = {key: {row_model.ABSENT} for key in ROWS}
        self.rounds = self.operations = self.unknown = 0
        self.ended = dict.fromkeys(ends, 0)
        with Connection(server.port) as connection:
            for name, attributes in TABLES.items():
                create_table(connection, name, VERSIONS, attributes)

    def run(self, during=None):
        """Runs one round and checks it. Raises Failed, or what failed in a client.

        `during()` is called while the clients work; it returns more operations by (table, row).
        """
        self.rounds += 1
        rng = random.Random(f"{self.seed}/{self.rounds}")
        end = rng.choices(list(self.ends), self.ends.values())[0]
        recorders, more = self.load(rng, end, during)
        if end != "go on":
            self.server.start()
        histories = {key: [] for key in ROWS}
        for operations in [
            *(recorder.operations for recorder in recorders),
            more,
            read_all(self.server.port, ROWS, rng),
        ]:
            for key, found in operations.items():
                histories[key] += found
        self.ended[end] += 1
        for key, operations in histories.items():
            self.operations += len(operations)
            self.unknown += sum(operation.unknown for operation in operations)
            self.states[key] = self.check(key, operations)

    def load(self, rng, end, during=None):
        """Runs the clients until a random number of calls has been answered, and ends the round.

        Returns the recorders of the clients, and what `during` returned.
        """
        goal, answers, lock = rng.randint(*ANSWERS), [0], threading.Lock()
        reached, enough = threading.Event(), threading.Event()

        def answered():
            with lock:
                answers[0] += 1
                if answers[0] >= goal:
                    reached.set()
                if answers[0] % UPKEEP_EVERY == 0:
                    upkeep.due.release()

        port = self.through(self.server.port)
        clients = [
            Client(
                port,
                number,
                self.forms[number % len(self.forms)],
                ROWS,
                random.Random(f"{self.seed}/{self.rounds}/{number}"),
                enough,
                answered,
            )
            for number in range(1, CLIENTS + 1)
        ]
        upkeep = Upkeep(self.server.port, random.Random(f"{self.seed}/{self.rounds}/upkeep"), enough)
        threads = [*clients, upkeep]
        for client in clients:
            client.values = self.rounds * 10_000
        for thread in threads:
            thread.start()
        more = during() if during else {}
        for _ in range(PATIENCE_SECONDS * 10):
            if reached.wait(0.1) or any(thread.failure for thread in threads):
                break
        else:
            raise AssertionError(
                f"only {answers[0]} of {goal} answers in {PATIENCE_SECONDS} s:\n{''.join(self.server.said)}"
            )
        match end:
            case "kill":
                self.server.kill()
            case "stop":
                assert self.server.stop() == 0, f"the server did not stop in order:\n{''.join(self.server.said)}"
            case _:
                enough.set()
        ended = time.monotonic_ns()
        upkeep.due.release()
        for thread in threads:
            thread.join()
        for thread in threads:
            if thread.failure:
                raise thread.failure
        for client in clients:
            if end == "go on" and client.recorder.open:
                raise AssertionError(f"the server ended a connection by itself:\n{''.join(self.server.said)}")
            client.recorder.server_ended(ended)
        return [client.recorder for client in clients], more

    def check(self, key, operations):
        """Checks the history of a row in this round; returns the states in which it can be."""
        try:
            return check(row_model, operations, self.states[key])
        except (Violation, Undecided) as e:
            saved = self.keep / f"history-{self.seed}-{self.rounds}-{key[0].decode()}-{key[1].decode()}.json"
            save(saved, self.states[key], operations)
            raise Failed(
                f"round {self.rounds}, {key[1].decode()} of table {key[0].decode()}: {description(e)}", saved
            ) from e


def description(failure):
    """Describes a failed check."""
    if not isinstance(failure, Violation):
        return f"undecided: {failure}"
    lines = [f"not linearizable: {line(failure.operation)} cannot be explained.", "Before it, the row could be in"]
    lines += [f"  {dict(zip(row_model.COLUMNS, state))}" for state in sorted(failure.states, key=repr)[:10]]
    lines += ["Running at that moment:", *(f"  {line(operation)}" for operation in failure.running)]
    return "\n".join(lines)


def line(operation):
    """Formats an operation."""
    return f"{operation.what} = {'unknown' if operation.unknown else operation.result}"


def save(path, states, operations):
    """Writes a history to a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fields = [
        (op.called, op.ended, op.what, op.result, op.unknown) for op in sorted(operations, key=lambda op: op.called)
    ]
    path.write_text(json.dumps({"initial": sorted(states, key=repr), "operations": fields}, indent=1) + "\n")


def load(path):
    """Reads a history: (initial states, operations)."""
    read = json.loads(pathlib.Path(path).read_text())
    operations = [
        Operation(called, ended, tuple(what), result, unknown)
        for called, ended, what, result, unknown in read["operations"]
    ]
    return {tuple(state) for state in read["initial"]}, operations


def start(folder):
    """Starts a server for rounds."""
    return Hjall(folder, *OPTIONS)
