"""Data that change while they are converted, and objects whose methods do more than they should."""

import sys
import threading

import pytest

import hjall

WRITES = {
    "put": lambda table, data: table.put("r", data),
    "Batch.put": lambda table, data: send(table, lambda batch: batch.put("r", data)),
    "put_many": lambda table, data: table.put_many([("r", data)]),
    "bulk_load": lambda table, data: table.bulk_load([("r", data)]),
    "mutate_row": lambda table, data: table.mutate_row("r", [hjall.Put(data)]),
    "check_and_put": lambda table, data: table.check_and_put("r", "f:none", None, data),
}


def send(table, add):
    """Adds to a batch and sends it."""
    with table.batch() as batch:
        add(batch)


class Adding:
    """An integer whose conversion adds to a dict."""

    def __init__(self, added):
        self.dict, self.added = {}, added

    def __index__(self):
        self.dict.update(self.added)
        return 5

    __bool__ = __str__ = __index__


@pytest.fixture
def table():
    """A table with the family `f` that accepts `str`."""
    with hjall.memory(encoding="utf-8") as db:
        db.create_table("t", {"f": {}})
        yield db.table("t")


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_dict_that_grows_during_the_call_is_written_as_it_was(table, write):
    stamp = Adding({f"f:late{n}": "3" for n in range(50)})
    stamp.dict = data = {"f:a": ("1", stamp), "f:b": "2"}
    write(table, data)
    assert "f:late1" in data
    assert table.row("r") == {b"f:a": b"1", b"f:b": b"2"}


def test_options_of_families_that_grow_during_the_call_are_set_as_they_were(table):
    number = Adding({f"OPTION_{n}": "3" for n in range(50)})
    number.dict = options = {"max_versions": number, "VERSIONS": number, "in_memory": True}
    table.connection.add_family("t", "g", options)
    assert table.connection.describe_table("t").families[b"g"].attributes[b"VERSIONS"] == b"5"


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_dict_that_another_thread_changes_can_be_written(write):
    # This encoding is implemented in Python, so that other threads run during the conversion.
    with hjall.memory(encoding="punycode") as db:
        db.create_table("t", {"f": {}})
        data, stop = {f"f:{n}": f"ä{n}" for n in range(100)}, threading.Event()

        def change():
            while not stop.is_set():
                data["f:x"] = "1"
                data.pop("f:x")

        changing, interval = threading.Thread(target=change), sys.getswitchinterval()
        sys.setswitchinterval(1e-5)
        changing.start()
        try:
            for _ in range(20):
                write(db.table("t"), data)
        finally:
            stop.set()
            changing.join()
            sys.setswitchinterval(interval)
        assert len(db.table("t").row("r")) >= 100


def test_a_subclass_of_str_is_encoded_as_str_is(table):
    class Text(str):
        __slots__ = ()

        def encode(self, *_):
            return 5

    table.put(Text("r"), {Text("f:a"): Text("ä")})
    assert table.row("r") == {b"f:a": "ä".encode()}
