"""Encoded groups in, solved ones out, and from their numbers back to names."""

from spark.solve.advice import LevelsOf, Planned, add_advice, claims_of_row, default_levels
from spark.solve.advised import advice_counts, advice_in_words
from spark.solve.decode import plan_assignments, plan_groups
from spark.solve.solve import idle_limits_of, solve_groups, solved_rows
from spark.solve.solved_row import (
    ACTIONS,
    ADVICE_COLUMNS,
    GroupRow,
    SolvedRow,
    actions,
    plan_columns,
)
from spark.solve.time_limit import TimeLimit, limited_to
from spark.solve.weights import max_weight, shown_bound
