"""A solved group as one row, with its plan as arrays; and from such rows to tables by names."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import DataFrame

from optimizer.model import NOBODY, IntArray, Problem, classes_of, max_host_load
from spark.groups import (
    Bytes,
    EncodedRow,
    Flag,
    FleetGroup,
    Int,
    Ints,
    Long,
    Outcome,
    Real,
    Row,
    Text,
    Texts,
    Tinies,
    columns_of,
)

ACTIONS = ("keep", "move", "takeover", "new", "drop")


def _nothing() -> NDArray[np.int32]:
    return np.empty(0, np.int32)


@dataclass(slots=True, kw_only=True)
class GroupRow(Outcome):
    """A group in the tables of a plan and of a comparison; measures are null without a plan.

    `unread` counts partitions that no member owns though one subscribes to their topics: now in a
    plan, under the strategy in a comparison.
    """

    strategy: Text
    members: Int
    partitions: Int = None
    max_load: Long = None
    min_load: Long = None
    sum_squares: Long = None
    moves: Long = None
    takeovers: Long = None
    balance_optimal: Flag = None
    moves_optimal: Flag = None
    seconds: Real = 0.0
    unread: Int = None


@dataclass(slots=True, kw_only=True)
class PlannedGroup(GroupRow):
    """A group in a plan's table `groups`.

    `local_reads` and `remote_reads` count reads within a rack and across racks, planned and as
    found; null where goals or facts have no racks. `goals` are there if they aren't the default
    ones (`spark.settings.goals_to_text`); `certificate` proves the plan (`optimizer.checker`).
    Those of weight are null unless it is what the group is balanced by: `max_weight` is the largest
    load of a member for a unit of its capacity, `weight_bound` one below which no plan's can be,
    `weight_gap` the first over the second, minus 1; `bound_kind` (`set` or `prices`) is what shows
    the bound, and `bound_shown` says it in words. `moves_bound`: the fewest moves of any plan that
    is as low. `weights_known`: the share of partitions whose own weight was known.
    `max_host_load` is the most that a host's members have together, where some members share a
    host, and `hosts_optimal` is whether nothing is more even over hosts.
    `spread` is Σ over topics and members of (partitions that the member has of the topic)²;
    `spread_optimal` is null where the group is too large to look at it, or a level above it isn't
    optimal.
    """

    local_reads: Long = None
    remote_reads: Long = None
    racks_optimal: Flag = None
    current_local_reads: Long = None
    current_remote_reads: Long = None
    goals: Text = None
    certificate: Bytes = None
    spread: Long = None
    spread_optimal: Flag = None
    max_weight: Real = None
    weight_bound: Real = None
    weight_gap: Real = None
    bound_kind: Text = None
    moves_bound: Long = None
    weights_known: Real = None
    bound_shown: Text = None
    max_host_load: Long = None
    hosts_optimal: Flag = None


@dataclass(kw_only=True)  # rows with slots of their own have these columns beside others
class AdvisedRow(Row):
    """Columns of `optimizer.advice.Advice`; null without advice, or by another strategy."""

    judged_by: Text = None
    now_to_best: Real = None
    after_to_best: Real = None
    severity: Text = None
    advice_kind: Text = None
    advice: Text = None
    advice_strategy: Text = None
    advice_moves: Long = None
    uneven: Flag = None
    follows: Flag = None
    can_follow: Flag = None


ADVICE_COLUMNS = columns_of(AdvisedRow)


@dataclass(slots=True, kw_only=True)
class SolvedRow(AdvisedRow, PlannedGroup):
    """A planned group, its advice, how it was found, and its plan as arrays by partition.

    `held_by` names the goals that keep loads of an optimal plan two or more apart, if any do;
    `limits` are those of its goals that are about any of its members and partitions, in words;
    `of_balance` is how bad its balance alone is; `spare` members can't get anything, whoever
    assigns.
    `target` and `previous` are indexes into `names`, `topic` into `topics`, `action` into ACTIONS;
    -1 is nobody.
    """

    current_max_load: Long = None
    current_min_load: Long = None
    current_sum_squares: Long = None
    current_max_host_load: Long = None
    current_max_weight: Real = None
    held_by: Texts = ()
    limits: Texts = ()
    of_balance: Text = None
    spare: Int = None
    names: Texts = ()
    topics: Texts = ()
    topic: Ints = field(default_factory=_nothing)
    partition: Ints = field(default_factory=_nothing)
    target: Ints = field(default_factory=_nothing)
    previous: Ints = field(default_factory=_nothing)
    action: Tinies = field(default_factory=_nothing)


def plan_columns(row: EncodedRow, group: FleetGroup, strategy: str) -> dict[str, Any]:
    """The columns of a group that never depend on its plan; `row` is the encoded one."""
    return group.outcome(row) | {"strategy": strategy, "members": len(row.member_ids)}


def plan_arrays(group: FleetGroup, problem: Problem, target: IntArray) -> dict[str, Any]:
    """How the group was found, and its plan as arrays."""
    keepable = classes_of(problem).keepable
    action = actions(keepable, group.previous, target)
    partitions = np.flatnonzero(action >= 0)
    topic = problem.topic_of[partitions]
    loads = np.bincount(problem.owner[keepable], minlength=len(problem.member_ids))
    return {
        "unread": group.unread,
        "current_max_load": int(loads.max()),
        "current_min_load": int(loads.min()),
        "current_sum_squares": int(loads @ loads),
        "current_max_host_load": max_host_load(problem, loads),
        "names": group.names,
        "topics": problem.topics,
        # Arrow takes arrays of its own width as they are, and others number by number.
        "topic": topic.astype(np.int32),
        "partition": (partitions - problem.topic_offsets[topic]).astype(np.int32),
        "target": target[partitions].astype(np.int32),
        "previous": group.previous[partitions].astype(np.int32),
        "action": action[partitions].astype(np.int8),
    }


def actions(keepable: NDArray[np.bool_], previous: IntArray, target: IntArray) -> IntArray:
    """The action on each partition, as an index into ACTIONS; -1 where there is nothing to say.

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


def plan_groups(solved: DataFrame, advice: bool = True) -> DataFrame:
    """The plan's table `groups`: one row a group of the snapshot."""
    return solved.select(*columns_of(PlannedGroup), *(ADVICE_COLUMNS if advice else ()))


def plan_assignments(solved: DataFrame) -> DataFrame:
    """The plan's table `assignments`: one row a partition of a planned group."""
    partitions = solved.selectExpr("*", "posexplode(topic) as (entry, at)")
    action_names = ", ".join(f"'{action}'" for action in ACTIONS)
    return partitions.selectExpr(
        *("cluster", "`group`", "get(topics, at) as topic", "get(partition, entry) as partition"),
        "get(names, get(target, entry)) as member_id",
        "get(names, get(previous, entry)) as previous_member_id",
        f"get(array({action_names}), get(action, entry)) as action",
    )
