"""A table: HappyBase's verbs, and what HappyBase cannot say."""

from hjall import _native


class Table(_native.Table):
    """A table; `Database.table` makes one."""
