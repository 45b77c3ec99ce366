"""A pytest plugin that replaces `happybase.Connection` by `hjall.open`, for HappyBase's own test suite."""

import builtins
import functools
import os

import happybase
import pytest

import hjall

# Tests of the Thrift transport, which are left out, with the reason.
TRANSPORT = {
    "test_connection_pool": "closes the connection's transport and expects a new one; there is no transport",
}

FOLDER = os.environ["HJALL_IN_PLACE"]

# HappyBase's suite uses this name from nose without importing it.
builtins.assert_raises = pytest.raises

# The suite passes a column as a str, which happybase.Connection encodes.
happybase.Connection = functools.partial(hjall.open, FOLDER, encoding="utf-8")
happybase.ConnectionPool = functools.partial(hjall.ConnectionPool, path=FOLDER, encoding="utf-8")
happybase.NoConnectionsAvailable = hjall.NoConnectionsAvailable


def pytest_collection_modifyitems(config, items):
    """Deselects the tests in `TRANSPORT`."""
    out = [item for item in items if item.name in TRANSPORT]
    config.hook.pytest_deselected(items=out)
    items[:] = [item for item in items if item not in out]
