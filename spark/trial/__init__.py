"""One group under several strategies: asked once, timed, failed to a row; league and verdict."""

from spark.trial.trial import (
    CostRow,
    OutcomeOf,
    Trial,
    idle_limits,
    need_racks,
    rows_by_strategy,
    run_events,
    same_partitions,
    try_groups,
)
from spark.trial.verdict import (
    Row,
    best_first,
    kafkas_own,
    lag_text,
    of_racks,
    over_bound,
    row_of,
    verdicts,
)
