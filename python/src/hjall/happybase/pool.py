"""The names of ``happybase.pool``."""

from hjall.happybase import ConnectionPool, NoConnectionsAvailable

__all__ = ["ConnectionPool", "NoConnectionsAvailable"]
