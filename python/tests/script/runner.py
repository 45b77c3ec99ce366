"""Runs the steps of a script on a database."""

import struct

import hjall
from script.line import Line, family
from script.text import escape, show_cell, unescape, value

# Results per fetch of a scan, unless the script sets `--caching`.
FETCH = 3


class Runner:
    """A database with a clock that only the script moves."""

    def __init__(self, path):
        self.clock = hjall.ManualClock()
        self.db = hjall.memory(clock=self.clock) if path is None else hjall.open(path, clock=self.clock)

    def run(self, text):
        """Returns the lines of a step's answer. For an error, this is the one line `! Kind: message`."""
        line = Line(text)
        try:
            step = getattr(self, "do_" + line.verb.replace("-", "_"))
            return step(line) or []
        except hjall.Error as error:
            return [f"! {error.kind}: {error.hbase_message or error}"]

    def table(self, line):
        """The table that the first word names."""
        return self.db.table(line.words[0])

    def do_now(self, line):
        self.clock.set(int(line.words[0]))

    def do_advance(self, line):
        self.clock.advance(int(line.words[0]))

    def do_reopen(self, line):
        if self.db.path is not None:
            self.db.close()
            self.db.open()

    def do_create(self, line):
        splits = [unescape(key) for key in line.options["splits"].split(",")] if "splits" in line.options else None
        attributes = {key: unescape(text) for key, text in line.options.items() if key != "splits"}
        self.db.create_table(line.words[0], line.families, split_keys=splits, attributes=attributes)

    def do_modify(self, line):
        self.db.alter_table(
            line.words[0],
            families=line.families,
            attributes={key: unescape(text) for key, text in line.options.items()},
        )

    def do_drop(self, line):
        self.db.delete_table(line.words[0])

    def do_truncate(self, line):
        self.db.truncate_table(line.words[0], preserve_splits="preserve" in line.options)

    def do_enable(self, line):
        self.db.enable_table(line.words[0])

    def do_disable(self, line):
        self.db.disable_table(line.words[0])

    def do_add_family(self, line):
        self.db.add_family(line.words[0], *family(line.words[1]))

    def do_modify_family(self, line):
        self.db.modify_family(line.words[0], *family(line.words[1]))

    def do_delete_family(self, line):
        self.db.delete_family(line.words[0], unescape(line.words[1]))

    def do_create_namespace(self, line):
        self.db.create_namespace(line.words[0])

    def do_delete_namespace(self, line):
        self.db.delete_namespace(line.words[0])

    def do_flush(self, line):
        self.db.flush_table(line.words[0])

    def do_compact(self, line):
        self.db.compact_table(line.words[0], major="major" in line.options)

    def do_tables(self, line):
        # The scripts list system tables; HappyBase's `tables` does not.
        names = [name.decode() for name in self.db.tables()]
        return [name if self.db.is_table_enabled(name) else f"{name} (disabled)" for name in names] + ["hbase:meta"]

    def do_regions(self, line):
        return [f"{escape(region['start_key'])}..{escape(region['end_key'])}" for region in self.table(line).regions()]

    def do_put(self, line):
        cells = list(line.cells(line.words[2:]))
        if cells:
            self.table(line).put(line.row, cells, **line.mutation_options)
        else:
            # `put` accepts a put without columns, as in HappyBase; `put_many` reports the error.
            [error] = self.table(line).put_many([(line.row, cells)], **line.mutation_options)
            raise error

    def do_puts(self, line):
        rows = [words.split() for words in " ".join(line.words[1:]).split(";")]
        done = self.table(line).put_many(
            [(value(row), list(line.cells(cells))) for row, *cells in rows], **line.mutation_options
        )
        return ["ok" if error is None else f"! {error.kind}: {error.hbase_message or error}" for error in done]

    def do_delete(self, line):
        self.table(line).delete(
            line.row, list(line.markers(line.words[2:])) or None, line.number("at"), **line.mutation_options
        )

    def do_mutate(self, line):
        self.table(line).mutate_row(line.row, line.mutations(2))

    def do_check(self, line):
        compare, given, text = line.words[3].partition("=")
        expected = value(text) if given else None
        return [
            str(
                self.table(line).check_and_mutate(
                    line.row, unescape(line.words[2]), expected, line.mutations(4), compare=compare
                )
            ).lower()
        ]

    def do_increment(self, line):
        amounts = [(name, int(text)) for name, text in line.amounts()]
        if len(dict(amounts)) < len(amounts):
            # A column that is named twice has two results, which a dict cannot hold.
            return [
                show_cell(hjall.Cell(*cell))
                for cell in self.table(line)._increment(line.row, amounts, **line.mutation_options)
            ]
        counts = self.table(line).increment(line.row, dict(amounts), include_timestamp=True, **line.mutation_options)
        return [show_cell(hjall.Cell(name, struct.pack(">q", count), time)) for name, (count, time) in counts.items()]

    def do_append(self, line):
        suffixes = [(name, value(text)) for name, text in line.amounts()]
        if len(dict(suffixes)) < len(suffixes):
            return [
                show_cell(hjall.Cell(*cell))
                for cell in self.table(line)._append(line.row, suffixes, **line.mutation_options)
            ]
        values = self.table(line).append(line.row, dict(suffixes), include_timestamp=True, **line.mutation_options)
        return [show_cell(hjall.Cell(name, data, time)) for name, (data, time) in values.items()]

    def do_get(self, line):
        cells = self.table(line).row_cells(
            line.row,
            line.columns(2),
            versions=line.number("versions", 1),
            time_range=line.time_range,
            filter=line.filter,
            limit=line.number("limit"),
            offset=line.number("offset", 0),
            raw="raw" in line.options,
        )
        return [show_cell(cell) for cell in cells]

    def do_exists(self, line):
        return [
            str(
                self.table(line).exists(line.row, line.columns(2), time_range=line.time_range, filter=line.filter)
            ).lower()
        ]

    def do_scan(self, line):
        scan = self.table(line).scan_cells(
            unescape(line.options["start"]) if "start" in line.options else None,
            unescape(line.options["stop"]) if "stop" in line.options else None,
            columns=line.columns(1),
            versions=line.number("versions", 1),
            time_range=line.time_range,
            filter=line.filter,
            batch_size=line.number("caching", FETCH),
            scan_batching=line.number("batch"),
            limit=line.number("limit"),
            reverse="reversed" in line.options,
            raw="raw" in line.options,
        )
        return [
            " ".join([escape(row), *map(show_cell, cells), *(["…"] if partial else [])]) for row, cells, partial in scan
        ]
