"""What solving makes of a group: one row, its plan as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from optimizer.model import NOBODY, IntArray

ACTIONS = ("keep", "move", "takeover", "new", "drop")

GROUP_SCHEMA = """
cluster string, group string, status string, reason string, strategy string,
members int, partitions int, max_load long, min_load long, sum_squares long, moves long,
takeovers long, balance_optimal boolean, moves_optimal boolean, seconds double"""
"""A group's row in the tables of a plan and of a comparison; measures are null without a plan."""

RACK_SCHEMA = "local_reads long, remote_reads long, racks_optimal boolean"
"""Reads within a rack and across racks; null where goals or facts have no racks."""

PROOF_SCHEMA = f"""{RACK_SCHEMA},
found_local_reads long, found_remote_reads long, goals string, certificate binary"""
"""What a plan's row of a group has besides: reads before, its goals if they aren't the default ones
(`spark.fleet_goals.as_text`), and what proves it (`optimizer.checker.certificate`)."""

PLAN_SCHEMA = f"""{PROOF_SCHEMA},
found_max_load long, found_min_load long, found_sum_squares long,
names array<string>, topics array<string>,
topic array<int>, partition array<int>, target array<int>, previous array<int>,
action array<tinyint>"""
"""The proof, how the group was found, and its plan as arrays with one entry a partition.

`target` and `previous` are indexes into `names`, `topic` into `topics`, `action` into ACTIONS;
-1 is nobody.
"""

Cells = tuple[Any, ...]
"""A row, or some neighbouring cells of one."""


def actions(keepable: NDArray[np.bool_], previous: IntArray, target: IntArray) -> IntArray:
    """What happens to each partition, as an index into ACTIONS; -1 where there is nothing to say.

    A change of a `keepable` partition, one whose owner is present and still subscribed, is a move;
    otherwise somebody takes over, or the partition is new to the group.
    """
    keep, move, takeover, new, drop = range(len(ACTIONS))
    owned = previous != NOBODY
    action = np.where(owned, takeover, new)
    action[keepable] = move
    action[target == previous] = keep
    nobody = target == NOBODY
    action[nobody] = np.where(owned[nobody], drop, -1)
    return action


def columns_of(*schemas: str) -> list[str]:
    """The names of the columns of some schemas, in their order."""
    return [column.split()[0] for schema in schemas for column in schema.split(",")]
