"""A pytest plugin: `hjall.open` in the place of `happybase.Connection`, for HappyBase's own test suite."""

import builtins
import functools
import os

import happybase
import pytest

import hjall

# Tests of the Thrift transport itself, with the reason why they have no meaning here.
TRANSPORT = {
    "test_connection_pool": "closes the connection's `transport` and raises Thrift's exception, to see the pool replace the socket: there is none",
}

FOLDER = os.environ["HJALL_IN_PLACE"]

# HappyBase's suite once had this name from nose, and lost the import.
builtins.assert_raises = pytest.raises

# The suite names one column by a str: Connection encodes it, and open() does if it is told to.
happybase.Connection = functools.partial(hjall.open, FOLDER, encoding="utf-8")
happybase.ConnectionPool = functools.partial(hjall.ConnectionPool, path=FOLDER, encoding="utf-8")
happybase.NoConnectionsAvailable = hjall.NoConnectionsAvailable


def pytest_collection_modifyitems(config, items):
    """Leaves out what stands in the list."""
    out = [item for item in items if item.name in TRANSPORT]
    config.hook.pytest_deselected(items=out)
    items[:] = [item for item in items if item not in out]
