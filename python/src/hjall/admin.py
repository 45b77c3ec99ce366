"""Making, changing and listing tables and namespaces: this part of `Database`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from hjall import _native
from hjall.descriptors import Family, TableDescriptor, described, one
from hjall.errors import InvalidDescriptor
from hjall.types import BytesLike, Name


class Admin:
    """What is done to whole tables and namespaces. `Database` is one."""

    _admin: _native.Admin
    table_prefix: bytes | None

    def _table_name(self, name: Name) -> bytes:
        raise NotImplementedError

    # -- tables -----------------------------------------------------------------------------------

    def tables(self) -> list[bytes]:
        """The names of all tables, in order; with a `table_prefix` of those that have it, without it.

        >>> import hjall
        >>> hjall.memory().tables()
        []
        """
        names = self._admin.tables()
        if self.table_prefix is None:
            return names
        prefix = self._table_name(b"")
        return [name[len(prefix) :] for name in names if name.startswith(prefix)]

    def table_exists(self, name: Name) -> bool:
        """Whether there is such a table.

        >>> import hjall
        >>> hjall.memory().table_exists("t")
        False
        """
        return self._admin.table_exists(self._table_name(name))

    def create_table(
        self,
        name: Name,
        families: Mapping[Any, Mapping[str, Any] | Family | None],
        *,
        split_keys: Iterable[BytesLike] | None = None,
        num_regions: int | None = None,
        split_algo: str | None = None,
        attributes: Mapping[Any, Any] | None = None,
    ) -> None:
        """Makes a table.

        `families`: from the name of each column family to its options, or `None`. The options are HappyBase's, with its defaults: max_versions (3),
        compression (``"NONE"``), in_memory, bloom_filter_type (``"NONE"``), block_cache_enabled, time_to_live (seconds); beyond them
        min_versions, block_size (bytes), keep_deleted_cells, data_block_encoding, new_version_behavior, scope, and HBase's attributes by their own names
        (``VERSIONS``). A `hjall.Family` has HBase's defaults instead. `split_keys`: where regions begin; or `num_regions` with `split_algo`:
        ``HexStringSplit``, ``DecimalStringSplit`` or ``UniformSplit``. `attributes` of the table: ``{"READONLY": True, "DURABILITY": "SKIP_WAL"}``.

        Raises `TypeError` and `ValueError` for arguments that cannot be, `TableExists`, `NamespaceNotFound`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {"max_versions": 5}, "g": None}, num_regions=4, split_algo="HexStringSplit")
        >>> [region["start_key"] for region in db.table("t").regions()]
        [b'', b'40000000', b'80000000', b'c0000000']
        """
        if not isinstance(families, dict):
            raise TypeError(f"families must be a dict from name to options, not {type(families).__name__}")
        if not families:
            error = InvalidDescriptor(f"Table should have at least one column family. {name_bytes(name)!r} was given none")
            error.kind = "InvalidDescriptor"
            raise error
        splits = (None if split_keys is None else list(split_keys), num_regions, split_algo)
        self._admin.create_table(self._table_name(name), described(families), dict(attributes or {}), splits)

    def delete_table(self, name: Name, disable: bool = False) -> None:
        """Deletes a disabled table with its data; `disable`: disables it first if need be.

        Raises `TableNotFound`, `TableNotDisabled`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> db.delete_table("t", disable=True)
        """
        if disable and self.is_table_enabled(name):
            self.disable_table(name)
        self._admin.delete_table(self._table_name(name))

    def enable_table(self, name: Name) -> None:
        """Brings a disabled table back. Raises `TableNotFound`, `TableNotDisabled`."""
        self._admin.enable_table(self._table_name(name))

    def disable_table(self, name: Name) -> None:
        """Takes a table out of use, as deleting and truncating it want. Raises `TableNotFound`, `TableDisabled`."""
        self._admin.disable_table(self._table_name(name))

    def is_table_enabled(self, name: Name) -> bool:
        """Whether a table is enabled. Raises `TableNotFound`."""
        return self._admin.is_table_enabled(self._table_name(name))

    def truncate_table(self, name: Name, *, preserve_splits: bool = False) -> None:
        """Empties a disabled table and enables it; without `preserve_splits` it has one region afterwards.

        Raises `TableNotFound`, `TableNotDisabled`.
        """
        self._admin.truncate_table(self._table_name(name), preserve_splits)

    def compact_table(self, name: Name, major: bool = False) -> None:
        """Rewrites a table's files into fewer; `major`: forgets all that is deleted, expired or in excess. Returns when it is done. A disabled table is
        left alone.

        Raises `TableNotFound`, `StorageError`.
        """
        self._admin.compact_table(self._table_name(name), major)

    def flush_table(self, name: Name) -> None:
        """Writes to files what a table has in memory. Raises `TableNotFound`, `StorageError`."""
        self._admin.flush_table(self._table_name(name))

    def describe_table(self, name: Name) -> TableDescriptor:
        """A table's description, with all attributes as HBase keeps them. Raises `TableNotFound`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": hjall.Family(VERSIONS=2)})
        >>> db.describe_table("t").families[b"f"].attributes[b"VERSIONS"]
        b'2'
        """
        full, families, attributes = self._admin.describe(self._table_name(name))
        return TableDescriptor(full, {family: Family(given, settings) for family, given, settings in families}, attributes)

    def alter_table(
        self,
        name: Name,
        *,
        attributes: Mapping[Any, Any] | None = None,
        families: Mapping[Any, Mapping[str, Any] | Family | None] | None = None,
    ) -> None:
        """Changes a table. `attributes`: those to set; an empty value removes one. `families`: **all** that it is to have; those that are left out are removed with
        their data. `add_family`, `modify_family` and `delete_family` change single ones.

        Raises `TableNotFound`, `InvalidDescriptor`.

        >>> import hjall
        >>> db = hjall.memory()
        >>> db.create_table("t", {"f": {}})
        >>> db.alter_table("t", attributes={"READONLY": True})
        >>> db.table("t").put(b"r", {b"f:a": b"1"})
        Traceback (most recent call last):
        hjall.errors.ReadOnly: table t is read only: set its READONLY attribute to false to write to it
        """
        full = self._table_name(name)
        if families is None:
            self._admin.set_attributes(full, dict(attributes or {}))
        else:
            kept = {**self.describe_table(name).attributes, **{_key(key): value for key, value in (attributes or {}).items()}}
            self._admin.modify_table(full, described(families), kept)

    def add_family(self, name: Name, family: Name, options: Mapping[str, Any] | Family | None = None) -> None:
        """Adds a column family to a table; `options` as for `create_table`. Raises `TableNotFound`, `FamilyError` if there is one of that name."""
        self._admin.add_family(self._table_name(name), one(family, options))

    def modify_family(self, name: Name, family: Name, options: Mapping[str, Any] | Family | None) -> None:
        """Replaces a column family's description; `options` as for `create_table`, and what they leave out has its default again.

        Raises `TableNotFound`, `FamilyError` if there is none of that name.
        """
        self._admin.modify_family(self._table_name(name), one(family, options))

    def delete_family(self, name: Name, family: Name) -> None:
        """Removes a column family with its data. Raises `TableNotFound`, `FamilyError` if there is none of that name, or no other."""
        self._admin.delete_family(self._table_name(name), family)

    # -- namespaces -------------------------------------------------------------------------------

    def namespaces(self) -> list[str]:
        """The names of all namespaces. A table of one is named ``namespace:table``.

        >>> import hjall
        >>> hjall.memory().namespaces()
        ['default', 'hbase']
        """
        return self._admin.namespaces()

    def create_namespace(self, name: str, configuration: Mapping[str, str] | None = None) -> None:
        """Makes a namespace. Raises `NamespaceExists`, `Refused` for an illegal name."""
        self._admin.put_namespace(name, dict(configuration or {}), True)

    def alter_namespace(self, name: str, configuration: Mapping[str, str]) -> None:
        """Replaces a namespace's configuration. Raises `NamespaceNotFound`."""
        self._admin.put_namespace(name, dict(configuration), False)

    def describe_namespace(self, name: str) -> dict[str, str]:
        """A namespace's configuration. Raises `NamespaceNotFound`."""
        return self._admin.describe_namespace(name)

    def delete_namespace(self, name: str) -> None:
        """Deletes an empty namespace. Raises `NamespaceNotFound`, `Refused` if it has tables or is reserved."""
        self._admin.delete_namespace(name)


def name_bytes(name: Name) -> bytes:
    """A name as bytes. Raises `TypeError` for what is neither str nor bytes."""
    if isinstance(name, str):
        return name.encode()
    if isinstance(name, bytes):
        return name
    raise TypeError(f"a name must be str or bytes, not {type(name).__name__}")


def _key(key: Any) -> Any:
    return key.encode() if isinstance(key, str) else key
