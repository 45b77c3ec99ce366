"""How a HappyBase program is tested with hjall's fixtures: run this file with pytest, with hjall and happybase installed."""

from __future__ import annotations

import happybase

import hjall


def overdue(orders: happybase.Table | hjall.Table, before_ms: int) -> list[bytes]:
    """The program under test: orders whose state is older than that."""
    return [key for key, _ in orders.scan(columns=[b"cf:state"], timestamp=before_ms)]


def test_in_process(hjall_db: hjall.Database, hjall_clock: hjall.ManualClock) -> None:
    """Without a server, and with a clock that the test moves."""
    hjall_db.create_table("orders", {"cf": {"time_to_live": 3600}})
    orders = hjall_db.table("orders")
    orders.put(b"early", {b"cf:state": b"new"})
    hjall_clock.advance(60_000)
    orders.put(b"late", {b"cf:state": b"new"})
    assert overdue(orders, hjall_clock.now_ms) == [b"early"]
    hjall_clock.advance(3_600_001)
    assert overdue(orders, hjall_clock.now_ms + 1) == []


def test_through_a_socket(hjall_server) -> None:
    """With stock HappyBase."""
    connection = happybase.Connection(*hjall_server.address)
    connection.create_table("orders", {"cf": {}})
    connection.table("orders").put(b"old", {b"cf:state": b"new"}, timestamp=1)
    assert overdue(connection.table("orders"), 2) == [b"old"]
    connection.close()
