"""A table: HappyBase's verbs, and under plain names what HappyBase cannot say."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from hjall.arrow import ArrowMethods
from hjall.batch import Batch
from hjall.errors import Error
from hjall.mutations import Mutation, Put, listed
from hjall.reading import Reading
from hjall.types import BytesLike, Data, Row

if TYPE_CHECKING:
    from hjall.database import Database

_COUNTER = struct.Struct(">q")


class Table(ArrowMethods, Reading):
    """A table by name; `Database.table` makes one. Safe to use from many threads.

    Rows, columns and values are bytes-like; a `str` is refused unless the database was opened with an encoding.
    """

    connection: Database
    """The database."""

    def __new__(cls, name: str | bytes, connection: Database) -> Table:
        """A table of a database, by its whole name; use `Database.table`."""
        self = super().__new__(cls, connection._native, name)
        self.connection = connection
        return self

    def __repr__(self) -> str:
        return f"<{type(self).__module__}.{type(self).__name__} name={self.name!r}>"

    def families(self) -> dict[bytes, dict[str, Any]]:
        """The table's column families by name, each with HappyBase's options; `Database.describe_table` tells all attributes.

        Raises `TableNotFound`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {"max_versions": 7}})
        >>> db.table("t").families()[b"f"]["max_versions"]
        7
        """
        return self.connection._admin.families(self.name)

    def regions(self) -> list[dict[str, Any]]:
        """The table's regions in order, each with start_key, end_key, id, name, version, server_name and port; none if there is no such table.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}}, split_keys=[b"m"])
        >>> [(region["start_key"], region["end_key"]) for region in db.table("t").regions()]
        [(b'', b'm'), (b'm', b'')]
        """
        found = self.connection._admin.regions(self.name)
        names = ("start_key", "end_key", "id", "name", "version", "server_name", "port")
        # The last three are of servers, which there are none of.
        return [dict(zip(names, (*region, 1, b"localhost", 0), strict=True)) for region in found]

    # -- writing ----------------------------------------------------------------------------------

    def batch(
        self,
        timestamp: int | None = None,
        batch_size: int | None = None,
        transaction: bool = False,
        wal: bool | None = True,
        *,
        ttl_ms: int | None = None,
        durability: str | None = None,
    ) -> Batch:
        """Gathers puts and deletes of any rows, to be sent together: by `send`, at the end of a ``with`` block, or each time that `batch_size` of them have
        been gathered.

        `transaction`: nothing is sent if the ``with`` block fails; it cannot be combined with `batch_size`. Each row's mutations are applied
        all at once, rows by themselves. The other arguments as for `put`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> table = db.table("t")
        >>> with table.batch(batch_size=1000) as batch:
        ...     for n in range(3):
        ...         batch.put(b"row-%d" % n, {b"f:n": b"%d" % n})
        ...     batch.delete(b"row-1")
        >>> [key for key, _ in table.scan()]
        [b'row-0', b'row-2']
        """
        return Batch(self, timestamp, batch_size, transaction, wal, ttl_ms=ttl_ms, durability=durability)

    def put_many(
        self,
        rows: Iterable[tuple[BytesLike, Data]],
        timestamp: int | None = None,
        *,
        ttl_ms: int | None = None,
        durability: str | None = None,
    ) -> list[Error | None]:
        """Puts several rows, each by itself, and tells of each how it went: `None`, or the exception that `put` would have raised.

        `rows`: ``(row, data)``; the other arguments as for `put`. Raises only for arguments of a wrong type, and if the database is not open.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> db.table("t").put_many([(b"a", {b"f:x": b"1"}), (b"b", {b"g:x": b"2"})])
        [None, FamilyNotFound(...)]
        """
        return self._put_many(list(rows), timestamp, ttl_ms, durability)

    def mutate_row(self, row: BytesLike, mutations: Iterable[Mutation]) -> None:
        """Puts and deletes of one row, all at once and at one time: a delete hides a put of the same call and time.

        `mutations`: `hjall.Put` and `hjall.Delete`. Raises what `put` raises.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> db.table("t").mutate_row(b"r", [hjall.Put({b"f:a": b"1"}), hjall.Delete([b"f:b"])])
        >>> db.table("t").row(b"r")
        {b'f:a': b'1'}
        """
        self._mutate(row, listed(mutations))

    def check_and_mutate(self, row: BytesLike, column: BytesLike, value: BytesLike | None, mutations: Iterable[Mutation], *, compare: str = "=") -> bool:
        """Mutates a row if a column of it, its newest version, stands to `value` as asked. Returns whether it did.

        `compare`: ``=``, ``!=``, ``<``, ``<=``, ``>``, ``>=``, with the **given value on the left**, as in HBase: ``compare=">"`` holds if `value` is greater
        than what is stored. `value` `None` with ``=``: if there is no such cell, or an empty one; with ``!=``: if there is one.
        The other arguments and errors as for `mutate_row`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> table = db.table("t")
        >>> table.check_and_mutate(b"r", b"f:state", None, [hjall.Put({b"f:state": b"new"})])
        True
        >>> table.check_and_mutate(b"r", b"f:state", b"old", [hjall.Delete()])
        False
        """
        return self._check(row, column, compare, value, listed(mutations))

    def check_and_put(
        self,
        row: BytesLike,
        column: BytesLike,
        value: BytesLike | None,
        data: Data,
        *,
        compare: str = "=",
        timestamp: int | None = None,
        ttl_ms: int | None = None,
        durability: str | None = None,
    ) -> bool:
        """Puts if a column stands to `value` as asked: `check_and_mutate` with one put.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> db.table("t").check_and_put(b"r", b"f:a", None, {b"f:a": b"first"})
        True
        """
        return self._check(row, column, compare, value, [Put(data, timestamp, ttl_ms, durability)])

    def append(self, row: BytesLike, data: Data, *, include_timestamp: bool = False, ttl_ms: int | None = None, durability: str | None = None) -> Row:
        """Appends to values of one row, all at once; returns the new values by column.

        `data`: from column to what is appended; a column that is not there begins empty. The other arguments and errors as for `put`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> table = db.table("t")
        >>> table.append(b"r", {b"f:log": b"one "}), table.append(b"r", {b"f:log": b"two "})
        ({b'f:log': b'one '}, {b'f:log': b'one two '})
        """
        cells = self._append(row, _pairs(data), ttl_ms, durability)
        return {name: (value, time) if include_timestamp else value for name, value, time, _ in cells}

    # -- counters ---------------------------------------------------------------------------------

    def increment(
        self,
        row: BytesLike,
        data: Mapping[Any, int] | Iterable[tuple[Any, int]],
        *,
        include_timestamp: bool = False,
        ttl_ms: int | None = None,
        durability: str | None = None,
    ) -> dict[bytes, Any]:
        """Adds to several counters of one row, all at once; returns the new counts by column.

        `data`: from column to the amount, which may be negative. Raises `NotACounter` for a value that is not 8 bytes long, and what `put` raises.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> db.table("t").increment(b"r", {b"f:up": 2, b"f:down": -1})
        {b'f:down': -1, b'f:up': 2}
        """
        cells = self._increment(row, _pairs(data), ttl_ms, durability)
        counts = ((name, _COUNTER.unpack(value)[0], time) for name, value, time, _ in cells)
        return {name: (count, time) if include_timestamp else count for name, count, time in counts}

    def counter_get(self, row: BytesLike, column: BytesLike) -> int:
        """The count of a counter; one that is not there is made and set to 0, as in HappyBase.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> db.table("t").counter_get(b"r", b"f:visits")
        0
        """
        return self.counter_inc(row, column, 0)

    def counter_set(self, row: BytesLike, column: BytesLike, value: int = 0) -> None:
        """Sets a counter: a signed number of 64 bits.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> db.table("t").counter_set(b"r", b"f:visits", 7)
        >>> db.table("t").counter_inc(b"r", b"f:visits")
        8
        """
        self.put(row, [(column, _COUNTER.pack(value))])

    def counter_dec(self, row: BytesLike, column: BytesLike, value: int = 1) -> int:
        """Subtracts from a counter and returns its new value, at once; see `counter_inc`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> db.table("t").counter_dec(b"r", b"f:stock", 3)
        -3
        """
        return self.counter_inc(row, column, -value)


def _pairs(data: Any) -> list[tuple[Any, Any]]:
    return list(data.items() if hasattr(data, "items") else data)
