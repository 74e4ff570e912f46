"""What is true of partitions and members together, by the bare facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optimizer.model import IntArray

Flags = NDArray[np.bool_]


class PairFacts(NamedTuple):
    """Of partition p and member m a table says yes or no: `flags[name][row_of[p], column_of[m]]`.

    No two rows are the same in all tables.
    """

    row_of: IntArray
    column_of: IntArray
    flags: Mapping[str, Flags]
