"""A linearizability checker: searches for an order of concurrent operations that respects real time.

The algorithm is the just-in-time linearization of G. Lowe, "Testing for linearizability" (2017), a refinement of the
search by Wing and Gong. It processes calls and returns in order of time and keeps all configurations that can explain
the results so far. A configuration is a state of the object and the set of running operations that have taken effect.
At a return, each configuration in which the operation has not taken effect is extended by running operations until it
has. Equal configurations are kept once (Lowe's memoization), so the work depends on how many operations run at once
and not on the length of the history.

Linearizability is local: a history of many objects is linearizable if the part of each object is. The caller splits it.
"""

from dataclasses import dataclass

# The largest number of configurations at one moment. Beyond it the checker gives up, to bound its memory.
CONFIGURATIONS_MAX = 1_000_000


@dataclass(frozen=True)
class Operation:
    """One operation. `called` and `ended` are times of one monotonic clock.

    An operation whose outcome is unknown (`unknown`) took effect before `ended`, or never: its server no longer ran
    then.
    """

    called: int
    ended: int
    what: tuple
    result: object = None
    unknown: bool = False


class Undecided(Exception):
    """There are more configurations than the checker can keep."""


class Violation(Exception):
    """No order explains the history. `operation` is the first whose return cannot be explained."""

    def __init__(self, operation, states, running):
        super().__init__(f"no order explains {operation.what} = {operation.result}")
        self.operation, self.states, self.running = operation, states, running


def check(model, operations, initial, configurations_max=CONFIGURATIONS_MAX):
    """Checks a history. Returns the set of states in which the object can be at its end.

    `initial` is the set of states in which it can be at the beginning. `model.step(state, operation)` returns the
    state after the operation, or None if the operation cannot have had its result in that state.
    `model.only_reads(operation)` tells whether it never changes a state. States are hashable.

    Raises Violation or Undecided.
    """
    # At equal times calls come first, which makes the operations concurrent.
    moments = sorted(
        [(op.called, 0, n) for n, op in enumerate(operations)] + [(op.ended, 1, n) for n, op in enumerate(operations)]
    )
    running = Running(model)
    configurations = {(state, 0) for state in initial}
    for _, returned, n in moments:
        operation = operations[n]
        if not returned:
            # An operation without a known result that changes nothing is no constraint.
            if operation.unknown and model.only_reads(operation):
                continue
            bit = running.add(n, operation)
            if model.only_reads(operation):
                configurations = {running.settle(*one) for one in configurations}
        elif bit := running.bit(n):
            explained = running.explain(configurations, bit, operation.unknown, configurations_max)
            if not explained:
                raise Violation(operation, {state for state, _ in configurations}, running.operations())
            running.remove(n)
            configurations = explained
    return {state for state, _ in configurations}


class Running:
    """The operations that have been called and have not returned. Each has a bit, which is free after its return."""

    def __init__(self, model):
        self.model = model
        self.bits, self.by_bit, self.readers = {}, {}, {}

    def add(self, n, operation):
        """Adds an operation under the number n."""
        bit = 1
        while bit in self.by_bit:
            bit <<= 1
        self.bits[n], self.by_bit[bit] = bit, operation
        if self.model.only_reads(operation):
            self.readers[bit] = operation
        return bit

    def bit(self, n):
        """The bit of an operation; 0 if it was not added."""
        return self.bits.get(n, 0)

    def remove(self, n):
        """Removes an operation that has returned."""
        bit = self.bits.pop(n)
        del self.by_bit[bit]
        self.readers.pop(bit, None)

    def operations(self):
        """Returns all running operations, in the order of their calls."""
        return sorted(self.by_bit.values(), key=lambda operation: operation.called)

    def settle(self, state, effected):
        """Returns a configuration after every running read that its state explains.

        Reads do not change the state, so a read that takes effect as early as possible excludes no order of the others.
        """
        for bit, operation in self.readers.items():
            if not effected & bit and self.model.step(state, operation) is not None:
                effected |= bit
        return state, effected

    def explain(self, configurations, bit, unknown, configurations_max):
        """Returns the configurations after the return of the operation with this bit."""
        explained, seen, open_ones = set(), set(configurations), list(configurations)
        if unknown:
            # It never took effect.
            explained = {one for one in configurations if not one[1] & bit}
        while open_ones:
            state, effected = open_ones.pop()
            if effected & bit:
                explained.add((state, effected & ~bit))
                continue
            for other, operation in self.by_bit.items():
                if effected & other or other in self.readers:
                    continue
                after = self.model.step(state, operation)
                if after is None:
                    continue
                one = self.settle(after, effected | other)
                if one not in seen:
                    seen.add(one)
                    open_ones.append(one)
            if len(seen) > configurations_max:
                raise Undecided(f"more than {configurations_max} configurations: run fewer clients at once on one row")
        return explained
