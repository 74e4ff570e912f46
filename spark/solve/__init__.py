"""Encoded groups in, solved ones out, and from their numbers back to names."""

from spark.solve.advice import (
    LevelsOf,
    Planned,
    add_advice,
    advice_counts,
    advice_in_words,
    claims_of_row,
    default_levels,
)
from spark.solve.homogeneous import is_homogeneous
from spark.solve.solve import idle_limits_of, max_weight, planned_groups, shown_bound, solve_groups
from spark.solve.solved_row import (
    ACTIONS,
    ADVICE_COLUMNS,
    AdvisedRow,
    GroupRow,
    SolvedRow,
    actions,
    plan_assignments,
    plan_columns,
    plan_groups,
)
from spark.solve.time_limit import TimeLimit, limited_to
