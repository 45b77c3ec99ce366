"""Opening a database, writing and reading."""

import pytest

import hjall


@pytest.fixture(params=["memory", "folder"])
def db(request, tmp_path):
    """A new database in memory or in a folder."""
    with hjall.memory() if request.param == "memory" else hjall.open(tmp_path) as database:
        yield database


def test_a_put_row_can_be_read(db):
    db.create_table("t", {"f": {}})
    table = db.table("t")
    table.put(b"r", {b"f:a": b"1", b"f:": bytearray(b"2")})
    assert table.row(b"r") == {b"f:": b"2", b"f:a": b"1"}
    assert table.row(memoryview(b"none")) == {}


def test_text_is_refused_with_the_remedy(db):
    db.create_table("t", {"f": {}})
    with pytest.raises(TypeError, match=r"'r'\.encode\(\)"):
        db.table("t").row("r")


def test_a_missing_table_is_a_lookup_error(db):
    with pytest.raises(LookupError) as raised:
        db.table("none").row(b"r")
    assert isinstance(raised.value, hjall.Error)


@pytest.mark.parametrize("option", ["cache_bytes", "row_cache_bytes", "write_buffer_bytes", "cell_bytes_max"])
def test_an_open_folder_cannot_be_opened_with_other_options(tmp_path, option):
    with hjall.open(tmp_path), pytest.raises(hjall.InvalidArgument, match="other options"):
        hjall.open(tmp_path, **{option: 1 << 20})
