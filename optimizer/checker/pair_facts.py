"""What is true of partitions and members together, by the bare facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from optimizer.model import IntArray

Flags = NDArray[np.bool_]


class PairFacts(Protocol):
    """What is true of partition p and member m hangs on the row of p and the column of m.

    No two rows are the same.
    """

    @property
    def row_of(self) -> IntArray: ...

    @property
    def column_of(self) -> IntArray: ...

    @property
    def rows(self) -> int: ...

    def flags(self, row: IntArray, column: IntArray) -> Mapping[str, Flags]:
        """What is true of rows and columns, by name."""


class TableFacts(NamedTuple):
    """Facts of one name, as a table of rows and columns."""

    row_of: IntArray
    column_of: IntArray
    name: str
    table: Flags

    @property
    def rows(self) -> int:
        return len(self.table)

    def flags(self, row: IntArray, column: IntArray) -> Mapping[str, Flags]:
        return {self.name: self.table[row, column]}
