"""Groups that stay in a state in which nobody reads, or that lose what they haven't read."""

from __future__ import annotations

from pyspark.sql import DataFrame

from spark.audit.finding import PastFinding, Settings, rows_found
from spark.audit.sql_expressions import decimal, filled, sentence

OF_GROUP = filled("group {group}")


def stuck_rebalance(unsettled: DataFrame, settings: Settings) -> DataFrame:
    """Groups that each of the last snapshots saw in a rebalance."""
    return rows_found(
        unsettled,
        group="`group`",
        subject=OF_GROUP,
        measure="snapshots",
        sentence=sentence(
            "Group {group} is in {state}, and was in a rebalance in each of the last {snapshots} "
            "snapshots, for {hours} hours.",
            hours=decimal("hours"),
        ),
    )


STUCK_REBALANCE = PastFinding(
    name="stuck-rebalance",
    tells="a group doesn't get out of a rebalance",
    measure="snapshots running in which it was in a rebalance",
    advice="PreparingRebalance waits for members to join, CompletingRebalance for the leader's "
    "assignment: look for a member that processes longer than max.poll.interval.ms or joins "
    "again and again, and at the leader's log.",
    find=stuck_rebalance,
    reads=("unsettled",),
    needs=("history",),
    warning=2,
    critical=4,
)
