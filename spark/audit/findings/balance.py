"""Groups whose load is uneven."""

from __future__ import annotations

from pyspark.sql import DataFrame

from spark.audit.finding import Finding, Setting, rows_found
from spark.audit.sql_text import counted, decimal, filled, sentence


def unbalanced(planned: DataFrame, setting: Setting) -> DataFrame:
    """Most loaded member against that of the best assignment."""
    uneven = planned.where(f"max_load > 0 and found_max_load - max_load >= {setting('least')}")
    return rows_found(
        uneven,
        subject=filled("group {group}"),
        measure="found_max_load / nullif(max_load, 0)",
        sentence=sentence(
            "The most loaded member of group {group} has {found}; the best assignment gives nobody "
            "more than {max_load}, and {moved} would have to move for it.",
            found=counted("found_max_load", "partition"),
            moved=counted("moves", "partition"),
        ),
    )


UNBALANCED = Finding(
    name="unbalanced",
    tells="a member has more partitions than it would have to have",
    measure="partitions of the most loaded member ÷ those in the best assignment",
    advice="Let the group use cooperative-sticky, or uniform on the new protocol; "
    "`evenfleet plan` shows the best assignment.",
    advice_to_connect="A rebalance evens tasks out: restart one worker, or update those that "
    "leave them uneven (KAFKA-12495); `evenfleet plan` shows the best assignment.",
    find=unbalanced,
    reads=("planned",),
    info=1.1,
    warning=1.25,
    critical=2.0,
    settings={"least": 2},
)


def range_skew(settled: DataFrame, setting: Setting) -> DataFrame:
    """What Range gives its first member, of the topics that all members read.

    Range deals each topic anew, ⌈partitions ÷ members⌉ to the first members of them all.
    """
    dealt = settled.where("strategy = 'range' and size(member_ids) > 1").selectExpr(
        "cluster",
        "`group`",
        "size(member_ids) as members",
        "filter(arrays_zip(topic_sizes, subscriber_counts), topic -> topic.topic_sizes > 0 and "
        "topic.subscriber_counts = size(member_ids)).topic_sizes as sizes",
    )

    def summed(one: str) -> str:
        return f"aggregate(sizes, 0L, (total, size) -> total + cast({one} as bigint))"

    skewed = (
        dealt.where(f"size(sizes) >= {setting('topics')}")
        .selectExpr(
            "*",
            f"{summed('ceil(size / nullif(members, 0))')} as first",
            f"{summed('floor(size / nullif(members, 0))')} as last",
            f"{summed('size')} / nullif(members, 0) as mean",
        )
        .where(f"mean > 0 and first - ceil(mean) >= {setting('least')}")
    )
    return rows_found(
        skewed,
        subject=filled("group {group}"),
        measure="first / nullif(mean, 0)",
        sentence=sentence(
            "Range deals each of the {topics} topics of group {group} anew, beginning with the "
            "same members: the first gets {first} of their partitions, the last {last}, the mean "
            "is {mean}.",
            topics="size(sizes)",
            mean=decimal("mean"),
        ),
    )


RANGE_SKEW = Finding(
    name="range-skew",
    tells="Range over many topics gives the same first members one more of each",
    measure="partitions that Range gives its first member ÷ the mean",
    advice="Change partition.assignment.strategy to cooperative-sticky, in two rolling restarts: "
    "first beside range, then without it.",
    find=range_skew,
    reads=("settled",),
    needs=("groups.strategy",),
    info=1.1,
    warning=1.25,
    settings={"topics": 3, "least": 2},
)


def eager_rebalances(settled: DataFrame, setting: Setting) -> DataFrame:
    """Partitions that stop when a group of an eager strategy rebalances: all (KIP-429).

    Members of the new protocol give up only what moves. Where the snapshot doesn't tell a group's
    type, ids of 22 characters are taken for theirs.
    """
    eager = settled.where(
        "strategy in ('range', 'roundrobin', 'sticky') "
        f"and size(member_ids) >= {setting('members')} "
        "and if(type is null, not forall(member_ids, member -> length(member) = 22), "
        "type = 'classic')"
    )
    return rows_found(
        eager,
        subject=filled("group {group}"),
        measure="size(claim_partitions)",
        sentence=sentence(
            "All {owned} partitions of group {group} stop at each rebalance of its {members} "
            "members: {strategy} is an eager strategy.",
            owned="size(claim_partitions)",
            members="size(member_ids)",
        ),
    )


EAGER_REBALANCES = Finding(
    name="eager-rebalances",
    tells="a large group uses a strategy under which everything stops at each rebalance",
    measure="partitions that stop at each rebalance",
    advice="Change to cooperative-sticky, in two rolling restarts, or to the new protocol "
    "(group.protocol=consumer): then only what moves stops.",
    find=eager_rebalances,
    reads=("settled",),
    needs=("groups.strategy",),
    info=200,
    warning=1000,
    settings={"members": 2},
)
