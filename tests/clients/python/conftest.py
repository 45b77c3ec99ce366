"""One server for all client tests. Every test creates its own tables."""
import os
import secrets

import happybase
import pytest

from serving import Hjall


@pytest.fixture(scope="session")
def address():
    """HOST and PORT of the server: the built hjall on a temporary folder, or the server in ANSWERING, such as a
    real HBase."""
    if elsewhere := os.environ.get("ANSWERING"):
        host, port = elsewhere.rsplit(":", 1)
        yield host, int(port)
        return
    with Hjall() as server:
        yield "127.0.0.1", server.port


@pytest.fixture
def db(address):
    """A HappyBase connection."""
    connection = happybase.Connection(*address)
    yield connection
    connection.close()


@pytest.fixture
def table_name(db):
    """A table name that no other test uses. The table is dropped after the test."""
    name = b"t_" + secrets.token_hex(6).encode()
    yield name
    if name in db.tables():
        if db.is_table_enabled(name):
            db.disable_table(name)
        db.delete_table(name)


@pytest.fixture
def table(db, table_name):
    """A table with the families f (3 versions) and g (1 version)."""
    db.create_table(table_name, {"f": dict(max_versions=3), "g": dict(max_versions=1)})
    return db.table(table_name)
