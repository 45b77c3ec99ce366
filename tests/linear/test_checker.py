"""Tests of the checker: histories known to be linearizable or not, and a comparison with an exhaustive search."""

import itertools
import random

import pytest

import row_model
from checker import Operation, Undecided, Violation, check
from row_model import ABSENT, AT


def op(called, ended, *what, result=None, unknown=False):
    """An operation; times are small numbers."""
    return Operation(called, ended, what, result, unknown)


def put(called, ended, value, **more):
    return op(called, ended, "put", {"f:a": value}, **more)


def read(called, ended, value):
    return op(called, ended, "read", ["f:a"], result={} if value is None else {"f:a": value})


def add(called, ended, result, **more):
    return op(called, ended, "increment", {"f:n": 1}, result=result if result is None else {"f:n": result}, **more)


LINEARIZABLE = {
    "nothing": [],
    "one after another": [put(0, 1, "x"), read(2, 3, "x"), put(4, 5, "y"), read(6, 7, "y")],
    "a read concurrent with a put sees either state": [put(0, 9, "x"), read(1, 2, None), read(3, 4, "x")],
    "puts in either order": [put(0, 9, "x"), put(0, 9, "y"), read(10, 11, "x")],
    "reads between puts": [put(0, 20, "x"), put(1, 21, "y"), read(2, 3, "y"), read(4, 5, "x"), read(22, 23, "x")],
    "concurrent increments": [add(0, 9, 2), add(0, 9, 1), add(0, 9, 3)],
    "an increment without a result": [add(0, 9, None), add(1, 2, 2)],
    "an unknown write happened": [put(0, 5, "x", unknown=True), read(6, 7, "x")],
    "an unknown write did not happen": [put(0, 5, "x", unknown=True), read(6, 7, None), read(8, 9, None)],
    "unknown increments, some of which happened": [
        add(0, 5, None, unknown=True),
        add(1, 5, None, unknown=True),
        op(6, 7, "read", ["f:n"], result={"f:n": 1}),
    ],
    "a checked write that succeeded": [
        put(0, 1, "x"),
        op(2, 9, "checked", "f:a", "x", ("put", {"f:b": "1"}), result=True),
        put(3, 4, "y"),
        op(10, 11, "read", ["f:a", "f:b"], result={"f:a": "y", "f:b": "1"}),
    ],
    "calls with equal times": [put(0, 5, "x"), read(5, 6, None)],
}
NOT_LINEARIZABLE = {
    "a lost put": [put(0, 1, "x"), read(2, 3, None)],
    "a value that was never written": [read(0, 1, "x")],
    "a value from the future": [read(0, 1, "x"), put(2, 3, "x")],
    "reads that go back": [put(0, 9, "x"), read(1, 2, "x"), read(3, 4, None)],
    "a stale read": [put(0, 1, "x"), put(2, 3, "y"), read(4, 5, "x")],
    "contradictory reads": [put(0, 9, "x"), put(0, 9, "y"), read(10, 11, "x"), read(12, 13, "y")],
    "a lost increment": [add(0, 9, 1), add(0, 9, 1)],
    "an increment that counted twice": [add(0, 1, 1), op(2, 3, "read", ["f:n"], result={"f:n": 2})],
    "half a row": [op(0, 1, "put", {"f:a": "x", "g:a": "y"}), op(2, 3, "read", ["f:a", "g:a"], result={"f:a": "x"})],
    "an unknown write after the server was gone": [put(0, 3, "x", unknown=True), read(4, 5, None), read(6, 7, "x")],
    "both of two checked writes": [
        op(0, 9, "checked", "f:a", None, ("put", {"f:a": "1"}), result=True),
        op(0, 9, "checked", "f:a", None, ("put", {"f:a": "2"}), result=True),
    ],
    "a checked write that should have hit": [
        put(0, 1, "x"),
        op(2, 3, "checked", "f:a", "x", ("delete", ["f:a"]), result=False),
    ],
    "a row that exists after its delete": [
        put(0, 1, "x"),
        op(2, 3, "delete row"),
        op(4, 5, "exists", ["f:a"], result=True),
    ],
}


@pytest.mark.parametrize("name", LINEARIZABLE)
def test_accepts(name):
    check(row_model, LINEARIZABLE[name], {ABSENT})


@pytest.mark.parametrize("name", NOT_LINEARIZABLE)
def test_refuses(name):
    with pytest.raises(Violation):
        check(row_model, NOT_LINEARIZABLE[name], {ABSENT})


def test_the_last_states_are_all_that_are_possible():
    ends = check(row_model, [put(0, 9, "x"), put(0, 9, "y"), put(0, 9, "z", unknown=True)], {ABSENT})
    assert {state[AT["f:a"]] for state in ends} == {"x", "y", "z"}


def test_the_violation_names_the_operation_and_the_states():
    with pytest.raises(Violation) as violation:
        check(row_model, [put(0, 1, "x"), put(2, 9, "y"), read(3, 4, "z")], {ABSENT})
    assert violation.value.operation == read(3, 4, "z")
    assert {state[AT["f:a"]] for state in violation.value.states} >= {"x"}
    assert put(2, 9, "y") in violation.value.running


def test_a_limit_ends_the_search():
    appends = [op(0, 9, "append", {"f:l": str(n)}) for n in range(9)]
    with pytest.raises(Undecided):
        check(
            row_model,
            [*appends, op(1, 2, "read", ["f:l"], result={"f:l": "none of them"})],
            {ABSENT},
            configurations_max=1000,
        )


def by_every_order(operations, initial):
    """Whether some order explains a history, by trying every subset of unknown operations in every order."""
    known = [operation for operation in operations if not operation.unknown]
    unknown = [operation for operation in operations if operation.unknown]
    for count in range(len(unknown) + 1):
        for happened in itertools.combinations(unknown, count):
            if any(explains(order, initial) for order in itertools.permutations([*known, *happened])):
                return True
    return False


def explains(order, state):
    """Whether this order respects real time, and every result follows from it."""
    for at, operation in enumerate(order):
        if any(later.ended < operation.called for later in order[at:]):
            return False
        state = row_model.step(state, operation)
        if state is None:
            return False
    return True


def random_history(rng):
    """A short history, made by a sequential execution whose results are sometimes changed."""
    state, operations = ABSENT, []
    for at in range(rng.randint(1, 6)):
        what = rng.choice(
            [
                ("put", {"f:a": rng.choice("xy")}),
                ("read", ["f:a"]),
                ("read", ["f:a", "f:n"]),
                ("increment", {"f:n": 1}),
                ("delete", ["f:a"]),
                ("append", {"f:l": rng.choice("xy")}),
                ("delete row",),
                ("exists", ["f:a", "f:l"]),
                ("checked", "f:a", rng.choice(["x", None]), ("put", {"f:a": "z"})),
            ]
        )
        kind = what[0]
        result = None
        if kind == "read":
            result = {column: state[AT[column]] for column in what[1] if state[AT[column]] is not None}
        elif kind == "exists":
            result = any(state[AT[column]] is not None for column in what[1])
        elif kind == "checked":
            result = state[AT[what[1]]] == what[2]
        elif kind in ("increment", "append"):
            result = row_model.grown(state, what[1], 0 if kind == "increment" else "")
        operation = op(10 * at - rng.randint(0, 25), 10 * at + rng.randint(1, 25), *what, result=result)
        state = row_model.step(state, operation)
        if kind not in ("read", "exists") and rng.random() < 0.2:
            operation = op(operation.called, operation.ended, *what, unknown=True)
            if rng.random() < 0.5 and at == 0:
                state = ABSENT
        elif kind == "read" and rng.random() < 0.2:
            operation = op(
                operation.called, operation.ended, *what, result=rng.choice([{}, {"f:a": "x"}, {"f:a": "z"}])
            )
        operations.append(operation)
    return operations


def test_agrees_with_trying_every_order():
    rng, found = random.Random(1), {True: 0, False: 0}
    for _ in range(1500):
        history = random_history(rng)
        try:
            check(row_model, history, {ABSENT})
            accepted = True
        except Violation:
            accepted = False
        assert accepted == by_every_order(history, ABSENT), history
        found[accepted] += 1
    assert min(found.values()) > 100, f"too few of one kind: {found}"
