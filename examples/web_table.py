#!/usr/bin/env python3
"""The web table: pages by reversed domain, with the anchor texts of links to them.

    web_table.py [HOST:PORT]
"""
import sys

import happybase

# Reversed domains keep the rows of a site together: com.cnn.www follows com.cnn.edition.
CNN, EXAMPLE = b"com.cnn.www", b"com.example.www"


def fill(table):
    """Writes the pages with the timestamps 3, 5 and 6, and the links with the timestamps 8 and 9."""
    for time, html in ((3, b"<html>...3"), (5, b"<html>...5"), (6, b"<html>...6")):
        table.put(CNN, {b"contents:html": html}, timestamp=time)
    table.put(CNN, {b"anchor:cnnsi.com": b"CNN"}, timestamp=9)
    table.put(CNN, {b"anchor:my.look.ca": b"CNN.com"}, timestamp=8)
    table.put(EXAMPLE, {b"contents:html": b"<html>..."}, timestamp=5)
    table.put(EXAMPLE, {b"people:author": b"John Doe"}, timestamp=5)


def show(table):
    """Runs the queries that the books show with this table."""
    newest = table.row(CNN, include_timestamp=True)
    print("newest of each column:", newest)
    assert newest == {
        b"anchor:cnnsi.com": (b"CNN", 9), b"anchor:my.look.ca": (b"CNN.com", 8), b"contents:html": (b"<html>...6", 6)}

    versions = table.cells(CNN, b"contents:html", versions=3, include_timestamp=True)
    print("versions of a page, newest first:", versions)
    assert versions == [(b"<html>...6", 6), (b"<html>...5", 5), (b"<html>...3", 3)]

    # A read with a timestamp returns only older cells: the page before time 6.
    past = table.row(CNN, timestamp=6)
    print("before time 6:", past)
    assert past == {b"contents:html": b"<html>...5"}

    # Columns are sparse: a row stores only the columns that were written.
    assert table.row(CNN, columns=[b"people:author"]) == {}
    assert table.row(EXAMPLE) == {b"contents:html": b"<html>...", b"people:author": b"John Doe"}

    site = [key for key, _ in table.scan(row_prefix=b"com.cnn.")]
    print("pages of one site:", site)
    assert site == [CNN]

    # The columns of a row are sorted by family and qualifier.
    (_, columns), = table.scan(row_prefix=b"com.cnn.", sorted_columns=True)
    assert list(columns) == [b"anchor:cnnsi.com", b"anchor:my.look.ca", b"contents:html"]


def main():
    host, port = (sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:9090").rsplit(":", 1)
    db = happybase.Connection(host, int(port))
    db.create_table("webtable", {"contents": dict(max_versions=3), "anchor": {}, "people": {}})
    try:
        fill(db.table("webtable"))
        show(db.table("webtable"))
    finally:
        db.delete_table("webtable", disable=True)


if __name__ == "__main__":
    main()
