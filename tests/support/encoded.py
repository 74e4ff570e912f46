"""A former name of `tests.support.rows.rows_of`."""

from typing import Any

from tests.support.fleets import Fleet
from tests.support.rows import rows_of


def encoded_group(fleet: Fleet, group: str = "g", cluster: str = "c") -> Any:
    return rows_of(fleet, group, cluster)
