"""Page views: counts them in a table, analyses them with polars, and writes the results to another table.

python3 views.py
"""

from __future__ import annotations

import polars

import hjall

PAGES = ["/", "/prices", "/docs", "/docs/install"]
DAYS = [f"2024-03-{day:02}" for day in range(1, 8)]


def count(views: hjall.Table) -> None:
    """Counts views, with one row per page and day and one counter per hour."""
    for number, page in enumerate(PAGES):
        for day, date in enumerate(DAYS):
            row = f"{page}|{date}".encode()
            views.increment(row, {f"h:{hour:02}".encode(): 1 + (number + day + hour) % 5 for hour in range(0, 24, 6)})


def analyse(views: hjall.Table) -> polars.DataFrame:
    """Adds up the hours of each row and returns the busiest day of each page."""
    hours = views.scan_arrow(["h:"], values="counter", row_type="utf8").to_polars()
    split = polars.col("row").str.split_exact("|", 1).struct.rename_fields(["page", "date"]).alias("parts")
    days = hours.select(split, polars.sum_horizontal(polars.exclude("row")).alias("views")).unnest("parts")
    return (
        days.sort("views", "date", descending=[True, False]).group_by("page", maintain_order=True).first().sort("page")
    )


def main() -> None:
    """Counts views, analyses them and writes the results."""
    with hjall.memory() as db:
        db.create_table("views", {"h": {"max_versions": 1}})
        db.create_table("busiest", {"r": {"max_versions": 1}})
        count(db.table("views"))
        busiest = analyse(db.table("views"))
        print(busiest)
        assert db.table("busiest").load_arrow(busiest, row="page", family="r") == len(PAGES)
        row = db.table("busiest").row(b"/")
        assert (
            row[b"r:date"].decode() in DAYS
            and int.from_bytes(row[b"r:views"], "big") == busiest.filter(page="/")["views"].item()
        )


if __name__ == "__main__":
    main()
