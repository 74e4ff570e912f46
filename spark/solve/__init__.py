"""Encoded groups in, solved ones out, and from their numbers back to names."""

from __future__ import annotations

from spark.solve.decode import plan_assignments as plan_assignments, plan_groups as plan_groups
from spark.solve.homogeneous import targets_by_weight as targets_by_weight
from spark.solve.solve import solve_groups as solve_groups, solved_rows as solved_rows
from spark.solve.solved_row import (
    ACTIONS as ACTIONS,
    GroupRow as GroupRow,
    SolvedRow as SolvedRow,
    actions as actions,
    plan_columns as plan_columns,
)
from spark.solve.time_limit import TimeLimit as TimeLimit, limited_to as limited_to
from spark.solve.weights import max_weight as max_weight, shown_bound as shown_bound
