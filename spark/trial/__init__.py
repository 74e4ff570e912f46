"""One group under several strategies: asked once, timed, failed to a row; league and verdict."""

from spark.trial.rows import (
    CostRow,
    OutcomeOf,
    idle_limits,
    need_racks,
    rows_by_strategy,
    simulated,
    tried,
)
from spark.trial.trial import Trial, same_partitions
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
