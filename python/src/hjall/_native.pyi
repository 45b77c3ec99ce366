"""The extension module. It has no stable API: use the package `hjall`.

`make check-python-types` checks this file against the module (stubtest) and the package against this file
(mypy --strict).
"""

from collections.abc import Callable, Iterable
from datetime import timedelta
from types import TracebackType
from typing import Any, ClassVar, Literal, TypeAlias, TypeVar, final, overload

from typing_extensions import CapsuleType, Self, disjoint_base

from hjall.arrow.names import ColumnRequest, Target
from hjall.arrow.protocol import ArrowArray, ArrowStream
from hjall.descriptors import FamilyArgument, SplitArgument
from hjall.mutations import Marker, Mutation
from hjall.scan import ScanArguments
from hjall.types import BytesLike, Columns, CopyProgress, Data, Durability, Name, Row, Text, TimeRange

__all__ = [
    "Admin",
    "ArrowBatches",
    "ArrowScan",
    "ArrowTable",
    "Batch",
    "Comparator",
    "Database",
    "Filter",
    "ManualClock",
    "Scanner",
    "Server",
    "Table",
    "__version__",
    "command",
    "forked",
    "load_arrow",
    "read_inline",
    "restore",
    "scan_arrow",
]

__version__: str

_Filtering: TypeAlias = "Filter | Text | None"
# The fields of `hjall.Cell`: column, value, timestamp, kind.
_CellFields = tuple[bytes, bytes, int, str]
_Result = TypeVar("_Result")

def forked() -> None: ...
def command(arguments: list[str]) -> int: ...
def read_inline(
    method: Callable[..., _Result], arguments: tuple[Any, ...], options: dict[str, Any] | None, in_memory: bool
) -> tuple[_Result | None, bool]: ...

@final
class ManualClock:
    def __new__(cls, now_ms: int = 1_700_000_000_000) -> Self: ...
    @property
    def now_ms(self) -> int: ...
    def advance(self, step: int | timedelta) -> None: ...
    def set(self, now_ms: int) -> None: ...

@final
class Database:
    def __new__(
        cls,
        path: Any,
        *,
        encoding: str | None = None,
        clock: ManualClock | None = None,
        cache_bytes: int | None = None,
        row_cache_bytes: int | None = None,
        write_buffer_bytes: int | None = None,
        catalog_bytes: int | None = None,
        cell_bytes_max: int | None = None,
        durability: str | None = None,
        sync_interval: float | None = None,
        read_only: bool = False,
    ) -> Self: ...
    @property
    def is_open(self) -> bool: ...
    def open(self) -> None: ...
    def close(self) -> None: ...
    def sharing(self, encoding: str | None = None) -> Database: ...
    def cluster_id(self) -> str: ...
    def now_ms(self) -> int: ...

@final
class Admin:
    def __new__(cls, database: Database) -> Self: ...
    def tables(self) -> list[bytes]: ...
    def table_exists(self, name: Name) -> bool: ...
    def create_table(
        self, name: Name, families: list[FamilyArgument], attributes: dict[Any, Any], splits: SplitArgument
    ) -> None: ...
    def modify_table(self, name: Name, families: list[FamilyArgument], attributes: dict[Any, Any]) -> None: ...
    def set_attributes(self, name: Name, attributes: dict[Any, Any]) -> None: ...
    def add_family(self, name: Name, family: FamilyArgument) -> None: ...
    def modify_family(self, name: Name, family: FamilyArgument) -> None: ...
    def delete_family(self, name: Name, family: Name) -> None: ...
    def delete_table(self, name: Name) -> None: ...
    def enable_table(self, name: Name) -> None: ...
    def disable_table(self, name: Name, method: str = "disable_table") -> None: ...
    def is_table_enabled(self, name: Name, method: str = "is_table_enabled") -> bool: ...
    def truncate_table(self, name: Name, preserve_splits: bool) -> None: ...
    def compact_table(self, name: Name, major: bool, progress: Callable[[int], object] | None = None) -> None: ...
    def flush_table(self, name: Name) -> None: ...
    def backup(self, folder: Any, progress: CopyProgress | None = None, incremental: bool = False) -> None: ...
    def table_statistics(self, name: Name) -> Any: ...
    def statistics(self) -> Any: ...
    def describe(self, name: Name, method: str = "describe_table") -> dict[str, Any]: ...
    def families(self, name: Name) -> dict[bytes, dict[str, Any]]: ...
    def regions(self, name: Name) -> list[dict[str, Any]]: ...
    def namespaces(self) -> list[str]: ...
    def put_namespace(self, name: str, configuration: dict[str, str], new: bool) -> None: ...
    def describe_namespace(self, name: str) -> dict[str, str]: ...
    def delete_namespace(self, name: str) -> None: ...

@disjoint_base
class Table:
    def __new__(cls, database: Database, name: Name) -> Self: ...
    @property
    def name(self) -> bytes: ...
    @overload
    def row(
        self,
        row: Text,
        columns: Columns = None,
        timestamp: int | None = None,
        include_timestamp: Literal[False] = False,
        *,
        time_range: TimeRange | None = None,
        filter: _Filtering = None,
    ) -> dict[bytes, bytes]: ...
    @overload
    def row(
        self,
        row: Text,
        columns: Columns = None,
        timestamp: int | None = None,
        *,
        include_timestamp: Literal[True],
        time_range: TimeRange | None = None,
        filter: _Filtering = None,
    ) -> dict[bytes, tuple[bytes, int]]: ...
    @overload
    def row(
        self,
        row: Text,
        columns: Columns,
        timestamp: int | None,
        include_timestamp: Literal[True],
        *,
        time_range: TimeRange | None = None,
        filter: _Filtering = None,
    ) -> dict[bytes, tuple[bytes, int]]: ...
    @overload
    def row(
        self,
        row: Text,
        columns: Columns = None,
        timestamp: int | None = None,
        include_timestamp: bool = False,
        *,
        time_range: TimeRange | None = None,
        filter: _Filtering = None,
    ) -> Row: ...
    @overload
    def rows(
        self,
        rows: Iterable[Text],
        columns: Columns = None,
        timestamp: int | None = None,
        include_timestamp: Literal[False] = False,
        *,
        time_range: TimeRange | None = None,
        filter: _Filtering = None,
    ) -> list[tuple[bytes, dict[bytes, bytes]]]: ...
    @overload
    def rows(
        self,
        rows: Iterable[Text],
        columns: Columns = None,
        timestamp: int | None = None,
        *,
        include_timestamp: Literal[True],
        time_range: TimeRange | None = None,
        filter: _Filtering = None,
    ) -> list[tuple[bytes, dict[bytes, tuple[bytes, int]]]]: ...
    @overload
    def rows(
        self,
        rows: Iterable[Text],
        columns: Columns,
        timestamp: int | None,
        include_timestamp: Literal[True],
        *,
        time_range: TimeRange | None = None,
        filter: _Filtering = None,
    ) -> list[tuple[bytes, dict[bytes, tuple[bytes, int]]]]: ...
    @overload
    def rows(
        self,
        rows: Iterable[Text],
        columns: Columns = None,
        timestamp: int | None = None,
        include_timestamp: bool = False,
        *,
        time_range: TimeRange | None = None,
        filter: _Filtering = None,
    ) -> list[tuple[bytes, Row]]: ...
    @overload
    def cells(
        self,
        row: Text,
        column: Text,
        versions: int | None = None,
        timestamp: int | None = None,
        include_timestamp: Literal[False] = False,
        *,
        time_range: TimeRange | None = None,
        filter: _Filtering = None,
    ) -> list[bytes]: ...
    @overload
    def cells(
        self,
        row: Text,
        column: Text,
        versions: int | None = None,
        timestamp: int | None = None,
        *,
        include_timestamp: Literal[True],
        time_range: TimeRange | None = None,
        filter: _Filtering = None,
    ) -> list[tuple[bytes, int]]: ...
    @overload
    def cells(
        self,
        row: Text,
        column: Text,
        versions: int | None,
        timestamp: int | None,
        include_timestamp: Literal[True],
        *,
        time_range: TimeRange | None = None,
        filter: _Filtering = None,
    ) -> list[tuple[bytes, int]]: ...
    @overload
    def cells(
        self,
        row: Text,
        column: Text,
        versions: int | None = None,
        timestamp: int | None = None,
        include_timestamp: bool = False,
        *,
        time_range: TimeRange | None = None,
        filter: _Filtering = None,
    ) -> list[Any]: ...
    def exists(
        self,
        row: Text,
        columns: Columns = None,
        timestamp: int | None = None,
        *,
        time_range: TimeRange | None = None,
        filter: _Filtering = None,
    ) -> bool: ...
    def put(
        self,
        row: Text,
        data: Data,
        timestamp: int | None = None,
        wal: bool | None = ...,
        *,
        ttl_ms: int | None = None,
        durability: Durability | None = None,
    ) -> None: ...
    def delete(
        self,
        row: Text,
        columns: Iterable[Text | Marker] | None = None,
        timestamp: int | None = None,
        wal: bool | None = ...,
        *,
        ttl_ms: int | None = None,
        durability: Durability | None = None,
    ) -> None: ...
    def counter_inc(self, row: Text, column: Text, value: int = 1) -> int: ...
    def _row_cells(
        self,
        row: Text,
        columns: Columns,
        versions: int | None,
        time_range: TimeRange | None,
        filter: _Filtering,
        limit: int | None,
        offset: int,
        raw: bool,
    ) -> list[_CellFields]: ...
    def _scanner(self, arguments: ScanArguments, method: str = "scan", expected: int | None = None) -> Scanner: ...
    def _delete_rows(self, keys: list[bytes], durability: Durability | None) -> None: ...
    def _put_many(
        self,
        rows: list[tuple[Text, Data]],
        timestamp: int | None,
        ttl_ms: int | None,
        durability: Durability | None,
    ) -> list[Any]: ...
    def _bulk_load(
        self,
        rows: Iterable[tuple[Text, Data]],
        timestamp: int | None,
        ttl_ms: int | None,
        progress: Callable[[int], object] | None,
    ) -> int: ...
    def _mutate_row(self, row: Text, mutations: list[Mutation]) -> None: ...
    def _check_and_mutate(
        self,
        row: Text,
        column: Text,
        compare: str,
        value: Text | None,
        mutations: list[Mutation],
        method: str,
    ) -> bool: ...
    def _count(self, row: Text, column: Text, value: int, method: str) -> int: ...
    def _counter_set(self, row: Text, column: Text, stored: bytes) -> None: ...
    def _increment(
        self, row: Text, amounts: list[tuple[Any, int]], ttl_ms: int | None, durability: Durability | None
    ) -> list[_CellFields]: ...
    def _append(
        self, row: Text, suffixes: list[tuple[Any, Any]], ttl_ms: int | None, durability: Durability | None
    ) -> list[_CellFields]: ...

@final
class Scanner:
    def rows(
        self, n: int, include_timestamp: bool = False, sorted_columns: bool = False
    ) -> list[tuple[bytes, Row]]: ...
    def cells(self, n: int) -> list[tuple[bytes, list[_CellFields], bool]]: ...
    def skip(self, n: int) -> int: ...
    def keys(self, n: int) -> list[bytes]: ...
    def stop(self) -> None: ...
    def close(self) -> None: ...

@disjoint_base
class Batch:
    def __new__(
        cls,
        table: Table,
        timestamp: int | None = None,
        batch_size: int | None = None,
        transaction: bool = False,
        wal: bool | None = ...,
        *,
        ttl_ms: int | None = None,
        durability: Durability | None = None,
    ) -> Self: ...
    def put(self, row: Text, data: Data, wal: bool | None = None) -> None: ...
    def delete(self, row: Text, columns: Iterable[Text | Marker] | None = None, wal: bool | None = None) -> None: ...
    def send(self) -> None: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, _value: BaseException | None, _trace: TracebackType | None
    ) -> None: ...

@final
class Server:
    def __new__(cls, database: Database, host: str, port: int, grace_seconds: float) -> Self: ...
    @property
    def address(self) -> tuple[str, int]: ...
    def is_open(self) -> bool: ...
    def close(self) -> bool: ...

@final
class Comparator:
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def _describe(self, expression: str) -> None: ...
    @staticmethod
    def binary(value: BytesLike) -> Comparator: ...
    @staticmethod
    def binary_prefix(value: BytesLike) -> Comparator: ...
    @staticmethod
    def binary_component(value: BytesLike, offset: int) -> Comparator: ...
    @staticmethod
    def regex(pattern: str) -> Comparator: ...
    @staticmethod
    def substring(text: str) -> Comparator: ...
    @staticmethod
    def bit(value: BytesLike, op: str) -> Comparator: ...
    @staticmethod
    def null() -> Comparator: ...
    @staticmethod
    def long(value: int) -> Comparator: ...

_With = Comparator | BytesLike

@final
class Filter:
    __hash__: ClassVar[None]  # type: ignore[assignment]
    def __eq__(self, value: object, /) -> bool: ...
    def __ne__(self, value: object, /) -> bool: ...
    def __and__(self, value: Filter, /) -> Filter: ...
    def __rand__(self, value: Filter, /) -> Filter: ...
    def __or__(self, value: Filter, /) -> Filter: ...
    def __ror__(self, value: Filter, /) -> Filter: ...
    def _describe(self, expression: str) -> None: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(data: BytesLike) -> Filter: ...
    @staticmethod
    def parse(text: BytesLike | str) -> Filter: ...
    @staticmethod
    def all(filters: list[Filter]) -> Filter: ...
    @staticmethod
    def one(filters: list[Filter]) -> Filter: ...
    @staticmethod
    def skip(inner: Filter) -> Filter: ...
    @staticmethod
    def while_match(inner: Filter) -> Filter: ...
    @staticmethod
    def key_only(length_as_value: bool) -> Filter: ...
    @staticmethod
    def first_key_only() -> Filter: ...
    @staticmethod
    def first_key_value_matching_qualifiers(qualifiers: list[BytesLike]) -> Filter: ...
    @staticmethod
    def prefix(prefix: BytesLike) -> Filter: ...
    @staticmethod
    def column_prefix(prefix: BytesLike) -> Filter: ...
    @staticmethod
    def multiple_column_prefix(prefixes: list[BytesLike]) -> Filter: ...
    @staticmethod
    def column_count_get(limit: int) -> Filter: ...
    @staticmethod
    def page(size: int) -> Filter: ...
    @staticmethod
    def column_pagination(limit: int, offset: int, column_offset: BytesLike | None) -> Filter: ...
    @staticmethod
    def inclusive_stop(row: BytesLike) -> Filter: ...
    @staticmethod
    def timestamps(timestamps: list[int], can_hint: bool) -> Filter: ...
    @staticmethod
    def row(compare: str, with_: _With, /) -> Filter: ...
    @staticmethod
    def family(compare: str, with_: _With, /) -> Filter: ...
    @staticmethod
    def qualifier(compare: str, with_: _With, /) -> Filter: ...
    @staticmethod
    def value(compare: str, with_: _With, /) -> Filter: ...
    @staticmethod
    def column_range(
        min: BytesLike | None, min_inclusive: bool, max: BytesLike | None, max_inclusive: bool
    ) -> Filter: ...
    @staticmethod
    def single_column_value(
        family: BytesLike,
        qualifier: BytesLike,
        compare: str,
        with_: _With,
        filter_if_missing: bool,
        latest_version_only: bool,
        /,
    ) -> Filter: ...
    @staticmethod
    def single_column_value_exclude(
        family: BytesLike,
        qualifier: BytesLike,
        compare: str,
        with_: _With,
        filter_if_missing: bool,
        latest_version_only: bool,
        /,
    ) -> Filter: ...
    @staticmethod
    def column_value(family: BytesLike, qualifier: BytesLike, compare: str, with_: _With, /) -> Filter: ...
    @staticmethod
    def dependent(
        family: BytesLike, qualifier: BytesLike, drop_column: bool, compare: str | None, with_: _With | None, /
    ) -> Filter: ...
    @staticmethod
    def random_row(chance: float) -> Filter: ...
    @staticmethod
    def fuzzy_row(pairs: list[tuple[BytesLike, BytesLike]]) -> Filter: ...
    @staticmethod
    def multi_row_range(ranges: list[tuple[BytesLike, BytesLike, bool, bool]]) -> Filter: ...

@final
class ArrowTable:
    @property
    def num_rows(self) -> int: ...
    @property
    def column_names(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def __arrow_c_schema__(self) -> CapsuleType: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> CapsuleType: ...

@final
class ArrowBatches:
    def __iter__(self) -> ArrowBatches: ...
    def __next__(self) -> ArrowTable: ...
    def collect(self) -> ArrowTable: ...
    def _is_ahead(self) -> bool: ...
    def stop(self) -> None: ...

@final
class ArrowScan:
    @property
    def column_names(self) -> list[str]: ...
    def collect(self) -> ArrowTable: ...
    def __iter__(self) -> ArrowBatches: ...
    def __arrow_c_schema__(self) -> CapsuleType: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> CapsuleType: ...

def restore(backup: Any, folder: Any, progress: CopyProgress | None = None) -> None: ...
def scan_arrow(
    table: Table,
    arguments: ScanArguments,
    *,
    columns: list[ColumnRequest] | None,
    values: str,
    row: str | None,
    row_type: str,
    timestamps: bool,
    batch_rows: int,
    null_on_error: bool,
) -> ArrowScan: ...
def load_arrow(
    table: Table,
    data: ArrowStream | ArrowArray,
    *,
    row: str,
    columns: list[Target] | None,
    family: bytes | None,
    timestamp: int | str | None,
    ttl_ms: int | None,
    durability: Durability | None,
    batch_rows: int,
    progress: Callable[[int], object] | None,
    bulk: bool,
) -> int: ...
