"""Batches that are sent again after a failure."""

import pytest

import hjall


def unsynced_bytes(folder):
    """The bytes of the newest journal that are not known to be on disk."""
    (synced,) = folder.rglob("synced")
    (journal,) = folder.rglob("*.jnl")
    return len(journal.read_bytes().rstrip(b"\0")) - int.from_bytes(synced.read_bytes()[8:16], "little")


# The puts of a call of the engine are synced together, so that a put that is added later needs a call of its own.
LATER = {
    "put": (8192, lambda batch: batch.put(b"later", {b"f:a": b"1"})),
    "delete": (1, lambda batch: batch.delete(b"later")),
}


@pytest.mark.parametrize("rows, add", LATER.values(), ids=LATER)
@pytest.mark.parametrize("durability", ["SYNC_WAL", "FSYNC_WAL"])
def test_mutations_that_are_added_while_a_send_fails_keep_their_durability(
    tmp_path, monkeypatch, rows, add, durability
):
    with hjall.open(tmp_path, sync_interval=0) as db:
        db.create_table("t", {"f": {}})
        table = db.table("t")
        batch = table.batch(durability=durability)
        batch.put(b"first", {b"g:a": b"1"})
        for n in range(1, rows):
            batch.put(b"row %04d" % n, {b"f:a": b"1"})
        added = []

        def adding(name):
            """Looks up the class for the error of the batch, before that puts its mutations back."""
            monkeypatch.undo()
            add(batch)
            added.append(name)
            return getattr(hjall.errors, name)

        monkeypatch.delattr(hjall.errors, "FamilyNotFound")
        monkeypatch.setattr(hjall.errors, "__getattr__", adding, raising=False)
        with pytest.raises(hjall.FamilyNotFound):
            batch.send()
        assert added == ["FamilyNotFound"]
        db.add_family("t", "g")
        table.put(b"later", {b"f:b": b"1"}, durability="FSYNC_WAL")
        assert unsynced_bytes(tmp_path) <= 0
        batch.send()
        assert table.row(b"first") == {b"g:a": b"1"}
        assert (b"f:b" in table.row(b"later")) == (rows > 1), "the later mutation was not sent"
        assert (unsynced_bytes(tmp_path) > 0) == (durability == "SYNC_WAL")
