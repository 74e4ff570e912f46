"""Encoded groups in, solved ones out, and from their numbers back to names."""

from __future__ import annotations

from spark.solve.columns import Flag, Int, Long, Real, Row, Text, columns_of, schema_of
from spark.solve.decode import plan_assignments, plan_groups
from spark.solve.homogeneous import targets_by_weight
from spark.solve.solve import solve_groups, solved_rows
from spark.solve.solved_row import ACTIONS, GroupRow, SolvedRow, actions, facts_of
from spark.solve.time_limit import TimeLimit, limited_to
from spark.solve.weights import max_weight, shown_bound

__all__ = [
    "ACTIONS",
    "Flag",
    "GroupRow",
    "Int",
    "Long",
    "Real",
    "Row",
    "SolvedRow",
    "Text",
    "TimeLimit",
    "actions",
    "columns_of",
    "facts_of",
    "limited_to",
    "max_weight",
    "plan_assignments",
    "plan_groups",
    "schema_of",
    "shown_bound",
    "solve_groups",
    "solved_rows",
    "targets_by_weight",
]
