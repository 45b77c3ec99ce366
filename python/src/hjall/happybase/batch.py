"""The name of ``happybase.batch``."""

from hjall.happybase import Batch

__all__ = ["Batch"]
