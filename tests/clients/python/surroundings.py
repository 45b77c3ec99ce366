"""A pytest plugin: what the clients' own suites expect around them and current Python packages no longer give."""
import asyncio
import builtins
import os

import happybase.connection
import pytest

# HappyBase's suite once had this name from nose, and lost the import.
builtins.assert_raises = pytest.raises

# It passes HAPPYBASE_PORT on as text, which sockets refuse; the client's default is used where that is not set.
happybase.connection.DEFAULT_PORT = int(os.environ["AIOHAPPYBASE_PORT"])


@pytest.fixture(autouse=True)
def event_loop_for_tests_that_are_not_coroutines():
    """aiohappybase's synchronous tests ask for the thread's event loop; pytest-asyncio takes it away after each coroutine."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    loop.close()
