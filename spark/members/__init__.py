"""How many members each group of a fleet needs."""

from spark.members.commits import broker_commits, commit_rows, size_metrics
from spark.members.members import HEADROOM, members_fleet, shortest_first
from spark.members.split import split_fleet
