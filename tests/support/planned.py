"""Former names of `tests.support.rows`."""

from __future__ import annotations

from types import SimpleNamespace

from tests.support import rows
from tests.support.fleets import Fleet

COLUMNS, solved, planned_row = rows.COLUMNS, rows.solved, rows.planned


def planned_group(fleet: Fleet, strategy: str = "optimal", group: str = "g") -> SimpleNamespace:
    return planned_row(rows.rows_of(fleet, group), strategy)
