"""Descriptors of tables and column families, with all of HBase's attributes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple


@dataclass(frozen=True)
class Family:
    """A column family with HBase's defaults, such as one version, for `Database.create_table` and
    `Database.add_family`.

    `attributes`: HBase's attributes by name (``VERSIONS``, ``TTL`` in seconds, ``MIN_VERSIONS``, ``BLOOMFILTER``, …).
    They can also be given as keywords, as in the HBase shell: ``Family(VERSIONS=3)``. `configuration`: settings that
    override HBase's configuration for this family.

    >>> Family(VERSIONS=3).attributes
    {'VERSIONS': 3}
    """

    attributes: Mapping[Any, Any] = field(default_factory=dict)
    configuration: Mapping[Any, Any] = field(default_factory=dict)

    def __init__(
        self, attributes: Mapping[Any, Any] | None = None, configuration: Mapping[Any, Any] | None = None, **more: Any
    ) -> None:
        object.__setattr__(self, "attributes", {**(attributes or {}), **more})
        object.__setattr__(self, "configuration", dict(configuration or {}))


@dataclass(frozen=True)
class TableDescriptor:
    """The description of a table that `Database.describe_table` returns."""

    name: bytes
    """The full name, with the namespace unless that is ``default``."""
    families: dict[bytes, Family]
    """The families by name."""
    attributes: dict[bytes, bytes]
    """The attributes of the table, such as ``READONLY`` and ``DURABILITY``."""


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


def family_argument(name: Any, options: Any) -> FamilyArgument:
    """Converts the description of a family.

    Raises `TypeError` if `options` is neither a dict, nor `None`, nor a `Family`.
    """
    if isinstance(options, Family):
        return FamilyArgument(name, attributes=dict(options.attributes), configuration=dict(options.configuration))
    if options is None or isinstance(options, dict):
        return FamilyArgument(name, options)
    raise TypeError(
        f"the options of the family {name!r} must be a dict, None or hjall.Family, not {type(options).__name__}"
    )


def family_arguments(families: Mapping[Any, Any]) -> list[FamilyArgument]:
    """Converts the descriptions of families by name. Raises the errors of `family_argument`."""
    return [family_argument(name, options) for name, options in families.items()]
