"""By which strategy a group goes on that uses its own."""

from __future__ import annotations

from typing import Any

from optimizer.strategies import STRATEGIES
from spark.fleet import CONNECT, CONSUMER

OF_SERVER = {"uniform": "uniform", "range": "server-range"}
"""Strategies by the names of the coordinator's assignors (group.consumer.assignors)."""

OF_CONNECT = {"default": "connect-eager"}
"""Strategies by Connect's protocols, where they aren't the incremental cooperative one."""

DEFAULT_STRATEGY = "range"
"""What consumers use that say nothing of it (partition.assignment.strategy)."""

UNKNOWN_STRATEGY = "groups whose own strategy isn't known use range, as consumers do by default"


def own_strategy(row: Any) -> str:
    """The strategy that a group's row states; where it states none, what consumers use then."""
    stated = row.group_strategy
    if row.type == CONSUMER:
        return OF_SERVER.get(stated, "uniform")
    if row.type == CONNECT:
        return OF_CONNECT.get(stated, "connect-cooperative")
    return stated if stated in STRATEGIES else DEFAULT_STRATEGY
