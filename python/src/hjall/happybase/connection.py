"""The names of ``happybase.connection``."""

from hjall.happybase import (
    COMPAT_MODES,
    DEFAULT_COMPAT,
    DEFAULT_HOST,
    DEFAULT_PORT,
    DEFAULT_PROTOCOL,
    DEFAULT_TRANSPORT,
    THRIFT_PROTOCOLS,
    THRIFT_TRANSPORTS,
    Connection,
)

__all__ = [
    "COMPAT_MODES",
    "DEFAULT_COMPAT",
    "DEFAULT_HOST",
    "DEFAULT_PORT",
    "DEFAULT_PROTOCOL",
    "DEFAULT_TRANSPORT",
    "THRIFT_PROTOCOLS",
    "THRIFT_TRANSPORTS",
    "Connection",
]
