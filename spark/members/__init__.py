"""Members that each group of a fleet needs."""

from spark.members.members import (
    HEADROOM,
    broker_commits,
    commit_rows,
    members_fleet,
    shortest_first,
    size_metrics,
)
from spark.members.members_row import verdict_of
from spark.members.split import split_fleet, split_verdict
