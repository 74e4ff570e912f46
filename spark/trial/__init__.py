"""One group under several strategies: asked once, timed, failed to a row; league and verdict."""

from spark.trial.league import best_first, over_bound
from spark.trial.limits import idle_limits
from spark.trial.rows import OutcomeOf, need_racks, rows_by_strategy, tried
from spark.trial.simulated import simulated
from spark.trial.trial import Trial
from spark.trial.verdict import Row, kafkas_own, of_racks, row_of, verdicts
