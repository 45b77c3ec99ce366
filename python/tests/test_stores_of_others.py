"""Two stores as programs on HappyBase write them: the online store of a feature store, as feast has it, and the
backend of a crawler, as frontera has it. They make those programs' calls, with their arguments and types."""

import binascii
import collections
import struct
import time

import pytest

import hjall
from hjall import happybase


class FeatureStore:
    """Values of features by entity: one row per entity and project, a column per feature, and two timestamps."""

    FAMILY = "default"

    def __init__(self, host=None, port=None, timeout=None):
        self.connection = happybase.Connection(host=host, port=port, timeout=timeout)

    def setup(self, table):
        if bytes(table, "utf-8") not in self.connection.tables():
            self.connection.create_table(table, {self.FAMILY: dict()})

    def write(self, table, values):
        batch = self.connection.table(table).batch()
        for entity, features, at in values:
            row = {f"{self.FAMILY}:{name}": value for name, value in features.items()}
            row[f"{self.FAMILY}:event_ts"] = struct.pack(">L", int(at))
            row[f"{self.FAMILY}:created_ts"] = struct.pack(">L", int(at))
            batch.put(entity, row)
        batch.send()

    def read(self, table, entities, names):
        columns = [f"{self.FAMILY}:{name}" for name in names] + [f"{self.FAMILY}:event_ts"]
        rows = dict(self.connection.table(table).rows(entities, columns=columns))
        found = []
        for entity in entities:
            cells = rows.get(entity.encode(), {})
            at = cells.get(b"default:event_ts")
            values = {column.decode("utf-8").split(":")[1]: value for column, value in cells.items()}
            values.pop("event_ts", None)
            found.append((None if at is None else struct.unpack(">L", at)[0], values))
        return found

    def teardown(self, table):
        if bytes(table, "utf-8") in self.connection.tables():
            self.connection.delete_table(table, disable=True)
        self.connection.close()


class Frontier:
    """A crawler's queue, states and metadata: batches that live as long as the program, text and bytes mixed."""

    def __init__(self, host, port, namespace, drop=False):
        self.connection = happybase.Connection(
            host=host,
            port=int(port),
            table_prefix=namespace,
            table_prefix_separator=":",
            transport="framed",
            protocol="compact",
        )
        self.states = self.connection.table(b"states").batch(batch_size=3)
        tables = set(self.connection.tables())
        for name, schema in {
            b"queue": {"f": {"max_versions": 1, "compression": "GZ"}},
            b"states": {
                "s": {"max_versions": 1, "block_cache_enabled": 1, "bloom_filter_type": "ROW", "in_memory": True}
            },
            b"metadata": {"m": {"max_versions": 1}, "c": {"max_versions": 1}},
        }.items():
            if drop and name in tables:
                self.connection.delete_table(name, disable=True)
                tables.remove(name)
            if name not in tables:
                self.connection.create_table(name, schema)
        self.metadata = self.connection.table(b"metadata").batch(batch_size=2)

    def schedule(self, partition, requests):
        rows = collections.defaultdict(lambda: collections.defaultdict(list))
        for fingerprint, score in requests:
            interval = int((1 - score) * 100)
            rows[f"{partition}_{interval:03d}_{time.time_ns()}"][f"f:{score:.3f}"].append(fingerprint)
        with self.connection.table(b"queue").batch(transaction=True) as batch:
            for key, columns in rows.items():
                data = {column: b",".join(items) for column, items in columns.items()}
                data[b"f:t"] = str(int(time.time()))
                batch.put(key, data)

    def next_requests(self, partition, limit):
        found, used = [], set()
        table = self.connection.table(b"queue")
        prefix = f"{partition}_".encode()
        for key, data in table.scan(limit=int(limit), batch_size=256, row_prefix=prefix, sorted_columns=True):
            assert isinstance(data, collections.OrderedDict)
            for column, value in data.items():
                if column != b"f:t":
                    found += value.split(b",")
            used.add(key)
        with table.batch(transaction=True) as batch:
            for key in used:
                batch.delete(key)
        return found

    def set_state(self, fingerprint, state):
        self.states.put(binascii.unhexlify(fingerprint), {"s:state": struct.pack(">B", state)})

    def fetch_states(self, fingerprints):
        keys = [binascii.unhexlify(fingerprint) for fingerprint in fingerprints]
        rows = self.connection.table(b"states").rows(keys, columns=[b"s:state"])
        return {binascii.hexlify(key): struct.unpack(">B", cells[b"s:state"])[0] for key, cells in rows}

    def crawled(self, fingerprint, url, body):
        data = {"m:url": url, "m:created_at": struct.pack(">Q", int(time.time())), "c:content": body}
        self.metadata.put(binascii.unhexlify(fingerprint), data)

    def close(self):
        self.states.send()
        self.metadata.send()
        self.connection.close()


@pytest.fixture
def db():
    with hjall.memory() as database, happybase.redirect(database):
        yield database


def test_a_feature_store(db):
    store = FeatureStore(host="hbase", port="9090")
    store.setup("project_drivers")
    store.setup("project_drivers")
    entities = [binascii.hexlify(b"driver-%d" % n).decode() for n in range(3)]
    store.write(
        "project_drivers",
        [(entities[0], {"rate": b"\x01", "trips": b"\x02"}, 17), (entities[1], {"rate": b"\x03"}, 18)],
    )
    store.write("project_drivers", [(entities[0], {"rate": b"\x09"}, 19)])
    assert store.read("project_drivers", entities, ["rate", "trips"]) == [
        (19, {"rate": b"\x09", "trips": b"\x02"}),
        (18, {"rate": b"\x03"}),
        (None, {}),
    ]
    store.teardown("project_drivers")
    assert db.tables() == []


def test_a_crawl_frontier(db):
    db.create_namespace("crawler")
    frontier = Frontier("hbase", "9090", "crawler")
    frontier.schedule(1, [(b"aa", 0.9), (b"bb", 0.2), (b"cc", 0.95)])
    frontier.schedule(2, [(b"dd", 0.5)])
    assert frontier.next_requests(1, 2.0) == [b"cc", b"aa"]
    assert frontier.next_requests(1, 10) == [b"bb"] and frontier.next_requests(1, 10) == []
    for n in range(4):
        frontier.set_state(b"0%d" % n, n)
    assert frontier.fetch_states([b"00", b"03"]) == {b"00": 0}
    frontier.crawled(b"aa", "http://example.com", b"<html>")
    frontier.close()
    again = Frontier("hbase", "9090", "crawler")
    assert again.fetch_states([b"00", b"03"]) == {b"00": 0, b"03": 3}
    assert again.connection.table("metadata").row(b"\xaa")[b"m:url"] == b"http://example.com"
    again.close()
    Frontier("hbase", "9090", "crawler", drop=True).close()
    assert db.table("crawler:states").count() == 0
