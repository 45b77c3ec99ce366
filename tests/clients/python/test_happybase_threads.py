"""HappyBase: many threads, connection pools, transports."""
import threading
from contextlib import closing

import happybase
import pytest
from thriftpy2.thrift import TException


def run_all(threads):
    """Runs functions in threads and waits for them; reraises the first exception."""
    raised = []

    def guarded(work):
        try:
            work()
        except Exception as e:
            raised.append(e)

    running = [threading.Thread(target=guarded, args=(work,)) for work in threads]
    for t in running:
        t.start()
    for t in running:
        t.join()
    if raised:
        raise raised[0]


def test_sixty_four_threads_with_separate_connections(address, table):
    def work(n):
        def go():
            with closing(happybase.Connection(*address)) as connection:
                mine = connection.table(table.name)
                for i in range(20):
                    mine.put(b"%02d-%02d" % (n, i), {b"f:a": b"%d" % i})
                    assert mine.row(b"%02d-%02d" % (n, i)) == {b"f:a": b"%d" % i}
                assert len(list(mine.scan(row_prefix=b"%02d-" % n))) == 20
        return go

    run_all([work(n) for n in range(64)])
    assert sum(1 for _ in table.scan(batch_size=100)) == 64 * 20


def test_a_pool_shared_by_sixty_four_threads(address, table):
    pool = happybase.ConnectionPool(8, host=address[0], port=address[1])

    def work(n):
        def go():
            for i in range(10):
                with pool.connection() as connection:
                    connection.table(table.name).put(b"%02d" % n, {b"f:%d" % i: b"x"})
        return go

    run_all([work(n) for n in range(64)])
    assert all(len(row) == 10 for _, row in table.scan())


def test_a_pool_replaces_a_connection_that_broke(address, table):
    pool = happybase.ConnectionPool(1, host=address[0], port=address[1])
    with pytest.raises(TException):
        with pool.connection() as connection:
            connection.transport.close()
            raise TException("the network went away")
    with pool.connection() as connection:
        assert table.name in connection.tables()


@pytest.mark.parametrize("compat", ["0.90", "0.92", "0.94", "0.96", "0.98"])
def test_every_compatibility_mode_and_transport_of_happybase(address, table, compat):
    with closing(happybase.Connection(*address, compat=compat)) as connection:
        mine = connection.table(table.name)
        mine.put(b"r", {b"f:a": compat.encode()})
        assert mine.row(b"r") == {b"f:a": compat.encode()}
        assert list(mine.scan()) == [(b"r", {b"f:a": compat.encode()})]
        assert len(mine.regions()) == 1
