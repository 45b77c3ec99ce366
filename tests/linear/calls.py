"""Executes operations of row_model over Thrift1 and Thrift2.

Each method makes one call and returns the results of its operations in their order. Any method raises one of GONE if
the connection breaks; the outcome of its writes is unknown then.
"""

import thriftpy2
from thriftpy2.protocol import TCompactProtocol
from thriftpy2.protocol.cybin import TCyBinaryProtocol
from thriftpy2.thrift import TClient
from thriftpy2.transport import TBufferedTransport, TFramedTransport, TSocket, TTransportException
from thriftpy2.transport.buffered import TCyBufferedTransport
from thriftpy2.transport.framed import TCyFramedTransport

from row_model import COLUMNS, decode, encode
from serving import ROOT

IDL = ROOT / "idl" / "thrift"
one = thriftpy2.load(str(IDL / "hbase1.thrift"), module_name="hbase1_thrift")
two = thriftpy2.load(str(IDL / "hbase2.thrift"), module_name="hbase2_thrift")

# The errors of a client whose server disappears. Any other error fails the test.
GONE = (TTransportException, OSError, EOFError)
# Beside other programs the server may get little time: its workers of writes and scans yield to them.
TIMEOUT_MS = 600_000


def named(column):
    """Returns the family and qualifier of a column."""
    return [part.encode() for part in column.split(":")]


def from_columns(columns):
    """Converts Thrift1's map of columns to values by column."""
    return {name.decode(): decode(name.decode(), cell.value) for name, cell in columns.items()}


def from_cells(cells):
    """Converts Thrift2's list of cells to values by column."""
    columns = [(f"{cell.family.decode()}:{cell.qualifier.decode()}", cell.value) for cell in cells]
    return {column: decode(column, value) for column, value in columns}


class Connection:
    """One connection with a client for each service."""

    def __init__(self, port, framed=False, compact=False):
        if compact:
            transport, protocol = TFramedTransport if framed else TBufferedTransport, TCompactProtocol
        else:
            transport, protocol = TCyFramedTransport if framed else TCyBufferedTransport, TCyBinaryProtocol
        self.transport = transport(TSocket("127.0.0.1", port, socket_timeout=TIMEOUT_MS))
        self.transport.open()
        spoken = protocol(self.transport)
        self.one, self.two = TClient(one.Hbase, spoken), TClient(two.THBaseService, spoken)

    def whole(self, table, row, rng):
        """All columns of a row, by a get and by a scan."""
        [found] = self.read(table, [row], COLUMNS, rng)
        return found, dict(self.scan(table, row, row + b"\0", rng)).get(row, {})

    def close(self):
        """Closes the connection."""
        self.transport.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Thrift1(Connection):
    """The calls of Thrift1."""

    @staticmethod
    def mutations(values, deleted=(), to_wal=True):
        """Puts and deletes of columns."""
        puts = [
            one.Mutation(column=column.encode(), value=encode(column, value), writeToWAL=to_wal)
            for column, value in values.items()
        ]
        return [one.Mutation(column=column.encode(), isDelete=True) for column in deleted] + puts

    def put(self, table, row, values, rng):
        """mutateRow."""
        self.one.mutateRow(table, row, self.mutations(values, to_wal=rng.random() < 0.7), {})

    def put_many(self, table, rows, rng):
        """mutateRows: {row: values}."""
        self.one.mutateRows(
            table, [one.BatchMutation(row=row, mutations=self.mutations(values)) for row, values in rows.items()], {}
        )

    def delete(self, table, row, columns, rng):
        """mutateRow, or deleteAll for one column."""
        if len(columns) == 1 and rng.random() < 0.5:
            self.one.deleteAll(table, row, columns[0].encode(), {})
        else:
            self.one.mutateRow(table, row, self.mutations({}, columns), {})

    def delete_family(self, table, row, family, rng):
        """mutateRow with a family without a colon, since `f:` is the column with the empty qualifier."""
        self.one.mutateRow(table, row, [one.Mutation(column=family.encode(), isDelete=True)], {})

    def delete_row(self, table, row, rng):
        """deleteAllRow."""
        self.one.deleteAllRow(table, row, {})

    def increment(self, table, row, amounts, rng):
        """atomicIncrement for one column, which returns the new value, or incrementRows, which does not."""
        if len(amounts) == 1 and rng.random() < 0.6:
            [(column, amount)] = amounts.items()
            return {column: self.one.atomicIncrement(table, row, column.encode(), amount)}
        self.one.incrementRows(
            [
                one.TIncrement(table=table, row=row, column=column.encode(), ammount=amount)
                for column, amount in amounts.items()
            ]
        )
        return None

    def append(self, table, row, texts, rng):
        """append; its cells come in the order of cells."""
        cells = self.one.append(
            one.TAppend(
                table=table,
                row=row,
                columns=[column.encode() for column in texts],
                values=[text.encode() for text in texts.values()],
            )
        )
        return {column: cell.value.decode() for column, cell in zip(sorted(texts), cells, strict=True)}

    def checked_put(self, table, row, column, expected, values, rng):
        """checkAndPut, which writes one column."""
        value = None if expected is None else encode(column, expected)
        [mutation] = self.mutations(values)
        return self.one.checkAndPut(table, row, column.encode(), value, mutation, {})

    def read(self, table, rows, columns, rng):
        """Reads several rows, by getRow, getRows or one of their variants."""
        wanted = [column.encode() for column in columns]
        if len(rows) == 1 and rng.random() < 0.5:
            found = self.one.getRowWithColumns(table, rows[0], wanted, {})
        else:
            found = self.one.getRowsWithColumns(table, rows, wanted, {})
        found = {result.row: from_columns(result.columns) for result in found}
        return [found.get(row, {}) for row in rows]

    def scan(self, table, start, stop, rng):
        """Yields rows and their values: (row, {column: value})."""
        number = self.one.scannerOpenWithScan(
            table, one.TScan(startRow=start, stopRow=stop, caching=rng.choice((1, 10))), {}
        )
        while found := self.one.scannerGetList(number, rng.choice((1, 2, 10))):
            yield from ((result.row, from_columns(result.columns)) for result in found)
        self.one.scannerClose(number)


class Thrift2(Connection):
    """The calls of Thrift2."""

    @staticmethod
    def put_of(row, values, rng):
        """A TPut with some durability."""
        cells = [two.TColumnValue(*named(column), encode(column, value)) for column, value in values.items()]
        return two.TPut(row=row, columnValues=cells, durability=rng.choice(list(two.TDurability._VALUES_TO_NAMES)))

    @staticmethod
    def delete_of(row, columns):
        """A TDelete of all versions of columns."""
        return two.TDelete(
            row=row,
            columns=[two.TColumn(*named(column)) for column in columns],
            deleteType=two.TDeleteType.DELETE_COLUMNS,
        )

    def mutations(self, row, values, deleted, rng):
        """TRowMutations."""
        mutations = [two.TMutation(put=self.put_of(row, values, rng))] if values else []
        if deleted:
            mutations.append(two.TMutation(deleteSingle=self.delete_of(row, deleted)))
        rng.shuffle(mutations)
        return two.TRowMutations(row=row, mutations=mutations)

    def put(self, table, row, values, rng):
        """put, or mutateRow with one put."""
        if rng.random() < 0.8:
            self.two.put(table, self.put_of(row, values, rng))
        else:
            self.two.mutateRow(table, self.mutations(row, values, [], rng))

    def put_many(self, table, rows, rng):
        """putMultiple: {row: values}."""
        self.two.putMultiple(table, [self.put_of(row, values, rng) for row, values in rows.items()])

    def delete(self, table, row, columns, rng):
        """deleteSingle, or deleteMultiple."""
        if rng.random() < 0.7:
            self.two.deleteSingle(table, self.delete_of(row, columns))
        elif failed := self.two.deleteMultiple(table, [self.delete_of(row, columns)]):
            raise AssertionError(f"deleteMultiple did not delete {failed}")

    def delete_family(self, table, row, family, rng):
        """deleteSingle of a family."""
        self.two.deleteSingle(
            table,
            two.TDelete(row=row, columns=[two.TColumn(family.encode())], deleteType=two.TDeleteType.DELETE_FAMILY),
        )

    def delete_row(self, table, row, rng):
        """deleteSingle without columns."""
        self.two.deleteSingle(table, two.TDelete(row=row))

    def mutate(self, table, row, values, deleted, rng):
        """mutateRow."""
        self.two.mutateRow(table, self.mutations(row, values, deleted, rng))

    def increment(self, table, row, amounts, rng):
        """increment."""
        columns = [two.TColumnIncrement(*named(column), amount) for column, amount in amounts.items()]
        return from_cells(self.two.increment(table, two.TIncrement(row=row, columns=columns)).columnValues)

    def append(self, table, row, texts, rng):
        """append."""
        columns = [two.TColumnValue(*named(column), text.encode()) for column, text in texts.items()]
        return from_cells(self.two.append(table, two.TAppend(row=row, columns=columns)).columnValues)

    def checked(self, table, row, column, expected, then, rng):
        """checkAndPut, checkAndDelete or checkAndMutate."""
        family, qualifier = named(column)
        value = None if expected is None else encode(column, expected)
        match then:
            case ("put", values):
                if expected is not None and rng.random() < 0.3:
                    return self.two.checkAndMutate(
                        table, row, family, qualifier, two.TCompareOp.EQUAL, value, self.mutations(row, values, [], rng)
                    )
                return self.two.checkAndPut(table, row, family, qualifier, value, self.put_of(row, values, rng))
            case ("delete", columns):
                return self.two.checkAndDelete(table, row, family, qualifier, value, self.delete_of(row, columns))
            case ("mutate", values, deleted):
                return self.two.checkAndMutate(
                    table,
                    row,
                    family,
                    qualifier,
                    two.TCompareOp.EQUAL,
                    value,
                    self.mutations(row, values, deleted, rng),
                )
        raise ValueError(f"no call checks before {then}")

    @staticmethod
    def get_of(row, columns):
        """A TGet."""
        return two.TGet(row=row, columns=[two.TColumn(*named(column)) for column in columns])

    def read(self, table, rows, columns, rng):
        """Reads several rows, by get or getMultiple."""
        if len(rows) == 1 and rng.random() < 0.7:
            return [from_cells(self.two.get(table, self.get_of(rows[0], columns)).columnValues)]
        return [
            from_cells(found.columnValues)
            for found in self.two.getMultiple(table, [self.get_of(row, columns) for row in rows])
        ]

    def exists(self, table, row, columns, rng):
        """exists."""
        return self.two.exists(table, self.get_of(row, columns))

    def scan(self, table, start, stop, rng):
        """Yields rows and their values: (row, {column: value})."""
        scan = two.TScan(startRow=start, stopRow=stop, caching=rng.choice((1, 10)))
        if rng.random() < 0.5:
            yield from (
                (found.row, from_cells(found.columnValues)) for found in self.two.getScannerResults(table, scan, 100)
            )
            return
        number = self.two.openScanner(table, scan)
        while results := self.two.getScannerRows(number, rng.choice((1, 2, 10))):
            yield from ((found.row, from_cells(found.columnValues)) for found in results)
        self.two.closeScanner(number)


def create_table(connection, name, versions, attributes):
    """Creates a table with the families of row_model; `versions` are those that each keeps."""
    families = [
        two.TColumnFamilyDescriptor(name=family.encode(), maxVersions=kept, attributes=attributes)
        for family, kept in versions.items()
    ]
    connection.two.createTable(two.TTableDescriptor(tableName=two.TTableName(qualifier=name), columns=families), [])
