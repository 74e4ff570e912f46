"""What a source has read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa


@dataclass(frozen=True)
class SourceTables:
    """The tables of a snapshot by name, and what to know of them, a sentence each.

    `notes` tell what was assumed, what is missing, what contradicts; `left_out` what should be in
    the tables and isn't. Every source returns this, and any of them can be written to a store by
    `write_store`.
    """

    tables: Mapping[str, pa.Table]
    notes: Sequence[str] = ()
    left_out: Sequence[str] = ()
