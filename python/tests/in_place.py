"""A pytest plugin that replaces `happybase` by `hjall.happybase`, for HappyBase's own test suite."""

import builtins
import os

import happybase as stock
import pytest

import hjall
from hjall import happybase

# HappyBase's suite uses this name from nose without importing it.
builtins.assert_raises = pytest.raises

for name in happybase.__all__:
    if name != "redirect":
        setattr(stock, name, getattr(happybase, name))


def pytest_sessionstart(session):
    """Gives all connections a database in a folder."""
    session.config.redirected = happybase.redirect(hjall.open(os.environ["HJALL_IN_PLACE"]))
    session.config.redirected.__enter__()


def pytest_sessionfinish(session):
    """Closes the database."""
    hjall.happybase._target.close()
    session.config.redirected.__exit__(None, None, None)
