#!/usr/bin/env python3
"""Reads rows from memory, as many times as its argument says. bench/instructions.py counts the instructions."""

from __future__ import annotations

import sys
import tempfile

import hjall

ROWS = 100

with tempfile.TemporaryDirectory() as folder:
    db = hjall.open(folder)
    db.create_table("t", {"f": {}})
    table = db.table("t")
    keys = [b"row%08d" % n for n in range(ROWS)]
    for key in keys:
        table.put(key, {b"f:q": b"v" * 100})
    for n in range(int(sys.argv[1])):
        assert table.row(keys[n % ROWS])
    db.close()
