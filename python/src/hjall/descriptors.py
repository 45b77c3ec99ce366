"""Descriptions of tables and families, with all of HBase's attributes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Family:
    """A column family with HBase's own defaults (one version, and so on), for `Database.create_table` and `Database.add_family`.

    `attributes`: HBase's attributes by their names (``VERSIONS``, ``TTL`` in seconds, ``MIN_VERSIONS``, ``BLOOMFILTER``, …), or HBase shell's way:
    ``Family(VERSIONS=3)``. `configuration`: settings of this family alone.

    >>> Family(VERSIONS=3).attributes
    {'VERSIONS': 3}
    """

    attributes: Mapping[Any, Any] = field(default_factory=dict)
    configuration: Mapping[Any, Any] = field(default_factory=dict)

    def __init__(self, attributes: Mapping[Any, Any] | None = None, configuration: Mapping[Any, Any] | None = None, **more: Any) -> None:
        object.__setattr__(self, "attributes", {**(attributes or {}), **more})
        object.__setattr__(self, "configuration", dict(configuration or {}))


@dataclass(frozen=True)
class TableDescriptor:
    """A table as HBase describes it: what `Database.describe_table` returns."""

    name: bytes
    """The name, with its namespace if that is not ``default``."""
    families: dict[bytes, Family]
    """The families by name."""
    attributes: dict[bytes, bytes]
    """Attributes of the table, such as ``READONLY`` and ``DURABILITY``."""


def described(families: Mapping[Any, Any]) -> list[tuple[Any, Any, Any, Any]]:
    """Families as the engine takes them.

    Raises `TypeError` for one that is neither a dict of options, nor `None`, nor a `Family`.
    """
    return [one(name, options) for name, options in families.items()]


def one(name: Any, options: Any) -> tuple[Any, Any, Any, Any]:
    """A family as the engine takes it: name, HappyBase's options, HBase's attributes, configuration."""
    if isinstance(options, Family):
        return name, None, dict(options.attributes), dict(options.configuration)
    if options is None or isinstance(options, dict):
        return name, options, None, None
    raise TypeError(f"a family is described by a dict of options, None or hjall.Family, not {type(options).__name__}")
