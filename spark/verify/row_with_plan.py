"""A group of a snapshot beside what a plan says of it."""

from typing import Any, Protocol

from spark.groups import EncodedRow, Names, Numbers


class RowWithPlan(EncodedRow, Protocol):
    """An encoded group, its row of the plan, and its partitions there.

    `topics` is None where the snapshot lacks the group. Facts and measures are those of
    `spark.solve.SolvedRow`, as the plan states them; null where it doesn't.
    """

    plan_count: int
    """How many rows the plan has for the group."""
    status: str
    strategy: str
    goals: str | None
    partitions: Any
    moves: Any
    balance_optimal: Any
    moves_optimal: Any
    spread: Any
    spread_optimal: Any
    max_host_load: Any
    hosts_optimal: Any
    certificate: bytes | None
    bound_kind: str | None
    moves_bound: Any

    # one entry for each partition of the plan
    plan_topics: Names
    plan_partitions: Numbers
    plan_members: Names
    plan_previous: Names
    plan_actions: Names
