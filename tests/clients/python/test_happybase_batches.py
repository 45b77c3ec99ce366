"""HappyBase: batches."""
import pytest


def test_a_batch_is_sent_at_its_end(table):
    with table.batch() as b:
        for i in range(500):
            b.put(b"r%03d" % i, {b"f:a": b"%d" % i, b"g:b": b"x"})
        b.delete(b"r007")
        assert table.row(b"r000") == {}
    assert sum(1 for _ in table.scan()) == 499
    assert table.row(b"r123") == {b"f:a": b"123", b"g:b": b"x"}


def test_a_batch_with_a_size_is_sent_in_pieces(table):
    with table.batch(batch_size=10) as b:
        for i in range(10):
            b.put(b"r%d" % i, {b"f:a": b"1"})
        assert len(list(table.scan())) == 10
        b.put(b"last", {b"f:a": b"1"})
    assert table.row(b"last") == {b"f:a": b"1"}


def test_a_batch_has_one_timestamp(table):
    with table.batch(timestamp=77) as b:
        b.put(b"r", {b"f:a": b"1"})
        b.put(b"s", {b"g:a": b"2"})
    assert table.row(b"r", include_timestamp=True) == {b"f:a": (b"1", 77)}
    assert table.row(b"s", include_timestamp=True) == {b"g:a": (b"2", 77)}


def test_a_transaction_that_fails_sends_nothing(table):
    with pytest.raises(ZeroDivisionError):
        with table.batch(transaction=True) as b:
            b.put(b"r", {b"f:a": b"1"})
            1 / 0
    assert table.row(b"r") == {}


def test_large_values_and_many_columns(table):
    table.put(b"large", {b"f:a": b"x" * 5_000_000})
    assert table.row(b"large") == {b"f:a": b"x" * 5_000_000}
    wide = {b"f:%05d" % i: b"%d" % i for i in range(20_000)}
    table.put(b"wide", wide)
    assert table.row(b"wide") == wide
    assert list(table.row(b"wide", columns=[b"f:00042"])) == [b"f:00042"]
