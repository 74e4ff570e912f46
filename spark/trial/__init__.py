"""One group under several strategies: asked once, timed, failed to a row; league and verdict."""

from __future__ import annotations

from spark.trial.league import best_first as best_first, over_bound as over_bound
from spark.trial.rows import (
    OutcomeOf as OutcomeOf,
    need_racks as need_racks,
    rows_by_strategy as rows_by_strategy,
    tried as tried,
)
from spark.trial.simulated import simulated as simulated
from spark.trial.trial import Trial as Trial
from spark.trial.verdict import (
    Row as Row,
    kafkas_own as kafkas_own,
    of_racks as of_racks,
    row_of as row_of,
    verdicts as verdicts,
)
