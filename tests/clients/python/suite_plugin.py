"""A pytest plugin that provides what the clients' own test suites need and current Python packages no longer have."""
import asyncio
import builtins
import os

import happybase.connection
import pytest

# HappyBase's suite uses this name from nose without importing it.
builtins.assert_raises = pytest.raises

# The suite passes HAPPYBASE_PORT as a string, which sockets refuse. Without it, the client uses its default.
happybase.connection.DEFAULT_PORT = int(os.environ["AIOHAPPYBASE_PORT"])


@pytest.fixture(autouse=True)
def event_loop_for_tests_that_are_not_coroutines():
    """Restores the event loop of the thread, which aiohappybase's synchronous tests use and pytest-asyncio
    removes after each coroutine."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    loop.close()
