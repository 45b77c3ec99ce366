"""What tables can do with Arrow data: this part of `Table`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from hjall import _native
from hjall.arrow.names import Columns, Name, asked, column, decoder, target
from hjall.arrow.protocol import ArrowArray, ArrowStream
from hjall.arrow.scan import ArrowScan
from hjall.types import BytesLike, TimeRange

if TYPE_CHECKING:
    from hjall.filters import Filter



