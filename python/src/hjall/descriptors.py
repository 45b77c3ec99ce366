"""Descriptors of tables and column families, with all of HBase's attributes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from hjall.arguments import a_dict
from hjall.attributes import check_names

# How to store an attribute of any name, for messages.
_METADATA = "metadata={%s: …}"
_FAMILY_METADATA = "hjall.Family(metadata={%s: …})"


@dataclass(frozen=True)
class Family:
    """A column family with HBase's defaults, such as one version, for `Database.create_table` and
    `Database.add_family`.

    `attributes`: HBase's attributes by name (``VERSIONS``, ``TTL`` in seconds, ``MIN_VERSIONS``, ``BLOOMFILTER``, …).
    They can also be given as keywords, as in the HBase shell: ``Family(VERSIONS=3)``. HBase stores attributes of other
    names, too; one that resembles a name of HBase is refused, since it is probably misspelt. `configuration`: settings
    that override HBase's configuration for this family. `metadata`: further attributes, of any names.

    Raises `TypeError` for the name of an attribute that is probably misspelt, or is one of tables.

    >>> Family(VERSIONS=3, metadata={"version": "2024-05"}).attributes
    {'VERSIONS': 3, 'version': '2024-05'}
    >>> Family(ttl=60)
    Traceback (most recent call last):
    TypeError: Family: unknown attribute 'ttl': did you mean 'TTL'? (metadata={'ttl': …} stores a name of your own)
    """

    attributes: Mapping[Any, Any] = field(default_factory=dict)
    configuration: Mapping[Any, Any] = field(default_factory=dict)

    def __init__(
        self,
        attributes: Mapping[Any, Any] | None = None,
        configuration: Mapping[Any, Any] | None = None,
        *,
        metadata: Mapping[Any, Any] | None = None,
        **more: Any,
    ) -> None:
        given = {**(attributes or {}), **more}
        check_names(given, "family", "Family", _METADATA)
        object.__setattr__(self, "attributes", {**given, **a_dict("Family: metadata", metadata)})
        object.__setattr__(self, "configuration", dict(configuration or {}))


@dataclass(frozen=True)
class TableDescriptor:
    """The description of a table that `Database.describe_table` returns."""

    name: bytes
    """The full name, with the namespace unless that is ``default``."""
    families: dict[bytes, Family]
    """The families by name."""
    attributes: dict[bytes, bytes]
    """The attributes of the table, such as ``READONLY`` and ``DURABILITY``, and those of other names. `create_table`
    takes them as `attributes`, or as `metadata`, of which it checks no names."""


class FamilyArgument(NamedTuple):
    """A family in the form that the native module takes: HappyBase's options, or HBase's attributes and
    configuration."""

    name: Any
    options: dict[str, Any] | None = None
    attributes: dict[Any, Any] | None = None
    configuration: dict[Any, Any] | None = None


class SplitArgument(NamedTuple):
    """The splits of a new table: at keys, or by an algorithm into a number of regions."""

    keys: list[Any] | None
    num_regions: int | None
    algorithm: str | None


def family_argument(name: Any, options: Any, method: str) -> FamilyArgument:
    """Converts the description of a family, for a method, which messages name.

    Raises `TypeError` if `options` is neither a dict, nor `None`, nor a `Family`, or has the name of an attribute that
    is probably misspelt.
    """
    if isinstance(options, Family):
        return FamilyArgument(name, attributes=dict(options.attributes), configuration=dict(options.configuration))
    if options is None or isinstance(options, dict):
        # Names in upper case are those of attributes, the others HappyBase's options, which the native module checks.
        attributes = {key: value for key, value in (options or {}).items() if isinstance(key, str) and key.isupper()}
        check_names(attributes, "family", f"{method}: family {name!r}", _FAMILY_METADATA)
        return FamilyArgument(name, options)
    raise TypeError(
        f"the options of the family {name!r} must be a dict, None or hjall.Family, not {type(options).__name__}"
    )


def family_arguments(families: Mapping[Any, Any], method: str) -> list[FamilyArgument]:
    """Converts the descriptions of families by name. Raises the errors of `family_argument`."""
    return [family_argument(name, options, method) for name, options in families.items()]


def table_attributes(attributes: object, metadata: object, method: str) -> dict[Any, Any]:
    """Converts the arguments `attributes` and `metadata` of a method to one dict.

    Raises `TypeError` if they are no dicts, and for the name of an attribute that is probably misspelt, or is one of
    families.
    """
    given = a_dict("attributes", attributes)
    check_names(given, "table", method, _METADATA)
    return {**given, **a_dict("metadata", metadata)}
