"""Why one group's plan is as it is; of a store, without Spark."""

from spark.explain.explain import GroupExplanation, explain_group, explain_rows, rows_of_groups
from spark.explain.summary import (
    lags_of,
    loads_of,
    problems_of,
    share_topics,
    stalled_in,
    summary_of,
)
