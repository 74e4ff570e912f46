"""Members that have nothing to do."""

from __future__ import annotations

from pyspark.sql import DataFrame

from spark.audit.finding import Finding, rows_found
from spark.audit.sql_text import counted, filled, sentence
from spark.solve import ACTIONS

KEEPABLE = f"({ACTIONS.index('keep')}, {ACTIONS.index('move')})"
"""What happens to partitions whose owner is there and subscribed."""


def _idle(planned: DataFrame) -> DataFrame:
    """Groups in which somebody is idle: how many are, as found and in the best assignment."""
    working = f"filter(arrays_zip(previous, action), entry -> entry.action in {KEEPABLE}).previous"
    return planned.where("found_min_load = 0 or min_load = 0").selectExpr(
        *("cluster", "`group`", "members", "partitions", "found_max_load"),
        f"members - size(array_distinct({working})) as idle",
        "members - size(array_distinct(filter(target, member -> member >= 0))) as spare",
    )


def idle_members(planned: DataFrame) -> DataFrame:
    """Members without a partition that the best assignment would give one.

    Where nobody has several, what they lack is with nobody: those are unread partitions.
    """
    return rows_found(
        _idle(planned).where("idle > spare and found_max_load > 1"),
        subject=filled("group {group}"),
        measure="idle - spare",
        sentence=sentence(
            "{idle} of the {members} members of group {group} {own} nothing while one has {found}; "
            "the best assignment has work for {given} of them.",
            own="if(idle = 1, 'owns', 'own')",
            found=counted("found_max_load", "partition"),
            given="idle - spare",
        ),
    )


IDLE_MEMBERS = Finding(
    name="idle-members",
    tells="members own nothing while others carry several partitions",
    measure="members that could have work and have none",
    advice="If the group has settled, change its strategy to cooperative-sticky, or uniform on "
    "the new protocol; `evenfleet compare` shows what each would do.",
    advice_to_connect="A rebalance evens tasks out: restart one worker, or update those that "
    "leave them uneven (KAFKA-12495); `evenfleet plan` shows the best assignment.",
    find=idle_members,
    reads=("planned",),
    warning=1,
)


def spare_members(planned: DataFrame) -> DataFrame:
    """Members that no assignment can give anything."""
    return rows_found(
        _idle(planned).where("spare > 0"),
        subject=filled("group {group}"),
        measure="spare",
        sentence=sentence(
            "{spare} of the {members} members of group {group} can't own anything under any "
            "strategy: there are more members than partitions for them ({partitions} in all)."
        ),
    )


SPARE_MEMBERS = Finding(
    name="spare-members",
    tells="there are more members than partitions for them",
    measure="members that no assignment can give anything",
    advice="Take these members away, or add partitions if the group is to grow; "
    "keep them if they stand by on purpose.",
    advice_to_connect="Take these workers away, or raise tasks.max of connectors that can use "
    "more; keep them if they stand by on purpose.",
    find=spare_members,
    reads=("planned",),
    info=1,
    warning=10,
)
