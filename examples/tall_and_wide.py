#!/usr/bin/env python3
"""Usage statistics of social networks: one wide row per user, or one row per user and day.

    tall_and_wide.py [HOST:PORT]
"""
import sys

import happybase

FAMILIES = {"i": {}, "fb": {}, "tw": {}, "t": {}}
DAYS = [f"201511{day:02d}" for day in range(1, 31)]
HOURS = [f"{hour:02d}" for hour in range(24)]


def seconds(day, hour):
    """The seconds of usage in one hour; any numbers will do."""
    return (int(day) * 7 + int(hour) * 13) % 600


def wide(table):
    """Row: user. Column: day and hour, as in `fb:2015110410`. A month is one row of 720 columns."""
    with table.batch(batch_size=1000) as b:
        b.put(b"A", {b"i:name": b"Ann"})
        for day in DAYS:
            b.put(b"A", {f"fb:{day}{hour}".encode(): str(seconds(day, hour)).encode() for hour in HOURS})
    assert len(table.row(b"A", columns=[b"fb"])) == 720
    # A filter selects a range of columns without reading the others.
    day = b"ColumnRangeFilter('2015110400', true, '2015110500', false)"
    (_, hours), = table.scan(row_start=b"A", row_stop=b"A\0", columns=[b"fb"], filter=day, sorted_columns=True)
    print("wide: the hours of one day:", [column.decode() for column in hours][:3], "…")
    assert list(hours) == [f"fb:20151104{hour}".encode() for hour in HOURS]
    # Another filter returns a page of the columns: 10 columns after the first 100.
    page = b"ColumnPaginationFilter(10, 100)"
    (_, page), = table.scan(row_start=b"A", row_stop=b"A\0", columns=[b"fb"], filter=page, sorted_columns=True)
    assert list(page) == [f"fb:{DAYS[4]}{hour}".encode() for hour in HOURS[4:14]]


def tall(table):
    """Row: user and day, as in `A|20151104`. Column: hour, as in `tw:10`. A period is a range of rows."""
    with table.batch(batch_size=1000) as b:
        for user in ("A", "B"):
            for day in DAYS:
                hours = {f"tw:{hour}".encode(): str(seconds(day, hour)).encode() for hour in HOURS}
                b.put(f"{user}|{day}".encode(), hours)
    week = list(table.scan(row_start=b"A|20151102", row_stop=b"A|20151109", columns=[b"tw"]))
    total = sum(int(value) for _, row in week for value in row.values())
    print(f"tall: {len(week)} days, {total} seconds")
    assert [key for key, _ in week] == [f"A|{day}".encode() for day in DAYS[1:8]]
    assert total == sum(seconds(day, hour) for day in DAYS[1:8] for hour in HOURS)
    # A prefix selects the rows of one user.
    assert sum(1 for _ in table.scan(row_prefix=b"A|")) == 30


def main():
    host, port = (sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:9090").rsplit(":", 1)
    db = happybase.Connection(host, int(port))
    for show in (wide, tall):
        name = f"social-usage-{show.__name__}"
        db.create_table(name, FAMILIES)
        try:
            show(db.table(name))
        finally:
            db.delete_table(name, disable=True)


if __name__ == "__main__":
    main()
