"""Tests a HappyBase program with hjall's fixtures. Run this file with pytest; it needs hjall and happybase."""

from __future__ import annotations

import happybase

import hjall


def overdue(orders: happybase.Table | hjall.Table, before_ms: int) -> list[bytes]:
    """The program under test: returns the orders whose state is older than `before_ms`."""
    return [key for key, _ in orders.scan(columns=[b"cf:state"], timestamp=before_ms)]


def test_in_process(hjall_db: hjall.Database, hjall_clock: hjall.ManualClock) -> None:
    """Runs the program without a server, with a clock that the test moves."""
    hjall_db.create_table("orders", {"cf": {"time_to_live": 3600}})
    orders = hjall_db.table("orders")
    orders.put(b"early", {b"cf:state": b"new"})
    hjall_clock.advance(60_000)
    orders.put(b"late", {b"cf:state": b"new"})
    assert overdue(orders, hjall_clock.now_ms) == [b"early"]
    hjall_clock.advance(3_600_001)
    assert overdue(orders, hjall_clock.now_ms + 1) == []


def test_through_a_socket(hjall_server) -> None:
    """Runs the program with HappyBase on a server."""
    connection = happybase.Connection(*hjall_server.address)
    connection.create_table("orders", {"cf": {}})
    connection.table("orders").put(b"old", {b"cf:state": b"new"}, timestamp=1)
    assert overdue(connection.table("orders"), 2) == [b"old"]
    connection.close()
