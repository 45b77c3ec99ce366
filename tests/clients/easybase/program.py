"""Exercises easybase, the Thrift2 counterpart of HappyBase. Arguments: HOST PORT."""

import sys

import easybase


def main(host: str, port: int) -> None:
    connection = easybase.Connection(host=host, port=port, timeout=30_000, table_prefix="easybase")
    name = "diary"
    if connection.exist_table(name):
        connection.delete_table(name, disable=True)
    connection.create_table(name, {"f": {"max_versions": 3}, "g": {}})
    assert connection.exist_table(name)
    assert connection.is_table_enabled(name)
    assert [bytes(n) for n in connection.search_table("easybase_d.*", False)] == [b"easybase_diary"]

    table = connection.table(name)
    families = table.families()
    assert sorted(families) == ["f", "g"] and families["f"]["VERSIONS"] == "3", families

    table.put("a", {"f:q": b"old"}, timestamp=10)
    table.put("a", {"f:q": b"new", "g:q": b"other"}, timestamp=20)
    assert table.row("a") == {"f:q": "new", "g:q": "other"}
    assert table.row("a", columns=["f"], max_versions=3) == {"f:q": [("new", 20), ("old", 10)]}
    assert table.row("a", timestamp=10) == {"f:q": "old"}
    assert table.row("a", timerange=(0, 15)) == {"f:q": "old"}
    assert table.row("none") == {}

    table.puts({f"row{i:03}": {"data": {"f:n": str(i).encode()}} for i in range(250)})
    assert table.rows(["row007", "none", "row009"]) == [("row007", {"f:n": "7"}), ("row009", {"f:n": "9"})]
    assert [row for row, _ in table.scan(row_prefix="row01")] == [f"row01{i}" for i in range(10)]
    assert len(list(table.scan(row_start="row", row_stop="rox", batch_size=7))) == 250
    assert [row for row, _ in table.scan(row_start="row249", reversed=True, limit=3)] == ["row249", "row248", "row247"]
    assert [row for row, _ in table.scan(filter=b"PrefixFilter('row00') AND ValueFilter(>,'binary:7')")] == ["row008", "row009"]

    with table.batch(batch_size=50) as batch:
        for i in range(120):
            batch.put(f"batch{i:03}", {"f:n": b"x"})
    assert len(list(table.scan(row_prefix="batch"))) == 120

    table.delete("a", columns=["f:q"])
    assert table.row("a") == {"g:q": "other"}
    table.delete("a")
    assert table.row("a") == {}

    connection.disable_table(name)
    assert not connection.is_table_enabled(name)
    connection.enable_table(name)
    connection.delete_table(name, disable=True)
    assert not connection.exist_table(name)
    connection.close()
    print("easybase: ok")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
