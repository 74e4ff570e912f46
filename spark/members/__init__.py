"""How many members each group of a fleet needs."""

from spark.members.members import (
    HEADROOM,
    broker_commits,
    commit_rows,
    members_fleet,
    shortest_first,
    size_metrics,
)
from spark.members.split import split_fleet
