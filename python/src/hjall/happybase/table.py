"""The name of ``happybase.table``."""

from hjall.happybase import Table

__all__ = ["Table"]
