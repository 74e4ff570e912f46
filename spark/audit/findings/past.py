"""What only many snapshots tell."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, functions as F

from spark.audit.finding import ALL_GROUPS, PastFinding, Settings, rows_found
from spark.audit.sql_expressions import counted, decimal, filled, sentence

OF_GROUP = filled("group {group}")

AT_LEAST = "if(at_least, 'at least ', '')"


def _sql(text: str, name: str) -> Column:
    return F.expr(text).alias(name)


def frequent_rebalances(rebalanced: DataFrame, settings: Settings) -> DataFrame:
    """Groups that rebalance so often that they hardly work; times that nobody saw don't count."""
    often = rebalanced.where(f"generations >= {settings['least']!r}D and hours > 0")
    return rows_found(
        often,
        group="`group`",
        subject=OF_GROUP,
        measure="generations / hours",
        sentence=sentence(
            "Group {group} rebalanced {times} in {hours} hours; the likeliest cause is: {cause}.",
            times=counted("generations", "time"),
            hours=decimal("hours"),
        ),
    )


FREQUENT_REBALANCES = PastFinding(
    name="frequent-rebalances",
    tells="a group rebalances again and again",
    measure="rebalances an hour",
    advice="Look for members that crash, or that take longer than max.poll.interval.ms; give "
    "members a group.instance.id so that restarts cause none. `evenfleet history` tells when.",
    find=frequent_rebalances,
    reads=("rebalanced",),
    needs=("history",),
    info=1,
    warning=4,
    settings={"least": 4},
)


def balance_worsens(excess: DataFrame, settings: Settings) -> DataFrame:
    """Groups whose most loaded member is further above the optimum than it was."""
    return rows_found(
        excess,
        group="`group`",
        subject=OF_GROUP,
        measure="now - was",
        sentence=sentence(
            "The most loaded member of group {group} has {now} more than in the best assignment; "
            "in snapshot {since} it was {was}.",
            now=counted("now", "partition"),
        ),
    )


BALANCE_WORSENS = PastFinding(
    name="balance-worsens",
    tells="a group's balance gets worse",
    measure="partitions by which the most loaded member's excess over the optimum grew",
    advice="Plan the group again (evenfleet plan), and replay its past under other strategies "
    "(evenfleet replay).",
    find=balance_worsens,
    reads=("excess",),
    needs=("history",),
    info=1,
    warning=5,
)


def falls_behind(consumption: DataFrame, settings: Settings) -> DataFrame:
    """Groups with partitions whose lag grows steadily."""
    late = consumption.where("falls_behind")
    of_group = late.groupBy("cluster", "group").agg(
        *(_sql(f"max_by({name}, lag_trend)", name) for name in ("topic", "partition", "lag")),
        _sql("count(*)", "partitions"),
        _sql("sum(lag_trend)", "grows"),
    )
    return rows_found(
        of_group,
        group="`group`",
        subject=OF_GROUP,
        measure="partitions",
        sentence=sentence(
            "Group {group} falls behind on {partitions}, by {grows} records a second in all; most "
            "on {topic}-{partition}, where its lag is {lag}.",
            partitions=counted("partitions", "partition"),
            grows=decimal("grows"),
        ),
    )


FALLS_BEHIND = PastFinding(
    name="falls-behind",
    tells="a group reads more slowly than records come in",
    measure="partitions whose lag grows",
    advice="It needs more members or faster ones: `evenfleet members` tells how many. If few "
    "partitions get most of the records, look at the keys they are written with.",
    find=falls_behind,
    reads=("consumption",),
    needs=("history.offsets",),
    info=1,
    warning=10,
)


def lag_seconds(consumption: DataFrame, settings: Settings) -> DataFrame:
    """Groups that read what was written long ago."""
    late = consumption.where("lag_seconds > 0")
    of_group = late.groupBy("cluster", "group").agg(
        *(
            _sql(f"max_by({name}, lag_seconds)", name)
            for name in ("topic", "partition", "at_least")
        ),
        _sql("max(lag_seconds)", "seconds"),
    )
    return rows_found(
        of_group,
        group="`group`",
        subject=OF_GROUP,
        measure="seconds",
        sentence=sentence(
            "What group {group} reads of {topic}-{partition} was written {some}{seconds} seconds "
            "ago.",
            some=AT_LEAST,
            seconds="cast(seconds as bigint)",
        ),
    )


LAG_SECONDS = PastFinding(
    name="lag-seconds",
    tells="a group is late",
    measure="seconds since what it reads was written",
    advice="If it falls behind it needs more members; if it doesn't, it will catch up: "
    "`evenfleet rates` tells when.",
    find=lag_seconds,
    reads=("consumption",),
    needs=("history.offsets",),
    info=600,
    warning=3600,
)


def abandoned_group(unmanned: DataFrame, untouched: DataFrame, settings: Settings) -> DataFrame:
    """Groups that nobody runs any more, or that read nothing of what comes in."""
    empty = rows_found(
        unmanned,
        group="`group`",
        subject=OF_GROUP,
        measure="hours",
        sentence=sentence(
            "Group {group} has had no members for {some}{hours} hours.",
            some=AT_LEAST,
            hours=decimal("hours"),
        ),
    )
    idle = rows_found(
        untouched,
        group="`group`",
        subject=OF_GROUP,
        measure="hours",
        sentence=sentence(
            "Group {group} has members, and committed nothing in {hours} hours although records "
            "came on {partitions}.",
            hours=decimal("hours"),
            partitions=counted("partitions", "partition"),
        ),
    )
    return empty.unionAll(idle)


ABANDONED_GROUP = PastFinding(
    name="abandoned-group",
    tells="nobody runs a group any more, or it reads nothing",
    measure="hours without a member, or in which no commit moved though records came",
    advice="Delete it (kafka-consumer-groups --delete --group), or find out why it stands still.",
    find=abandoned_group,
    reads=("unmanned", "untouched"),
    needs=("history",),
    info=20,
)


def unread_topic(unread: DataFrame, settings: Settings) -> DataFrame:
    """Topics that no group subscribes to; Kafka's own, which begin with __, are left out."""
    own = unread.where(f"not startswith(topic, '__') and hours >= {settings['hours']!r}D")
    return rows_found(
        own,
        subject=filled("topic {topic}"),
        measure="partitions",
        sentence=sentence(
            "No group of cluster {cluster} has subscribed to topic {topic} in {hours} hours, which "
            "has {partitions}.",
            hours=decimal("hours"),
            partitions=counted("partitions", "partition"),
        ),
    )


UNREAD_TOPIC = PastFinding(
    name="unread-topic",
    tells="no group reads a topic",
    measure="partitions of the topic",
    advice="Unless something reads it without a group (a table, a backup, an assigned consumer), "
    "it costs disk and replication for nothing.",
    find=unread_topic,
    reads=("unread",),
    needs=("history", ALL_GROUPS),
    info=1,
    settings={"hours": 1},
)


def offsets_expire(unmanned: DataFrame, settings: Settings) -> DataFrame:
    """Groups without members whose offsets the coordinator is about to delete (KIP-211)."""
    return rows_found(
        unmanned.selectExpr("*", f"{settings['retention_hours']!r}D - hours as left"),
        group="`group`",
        subject=OF_GROUP,
        measure="left",
        sentence=sentence(
            "Group {group} has had no members for {some}{hours} hours: {when}.",
            some=AT_LEAST,
            hours=decimal("hours"),
            when="if(left > 0, concat('its offsets expire in ', "
            f"{decimal('left')}, ' hours'), 'its offsets have expired, unless brokers keep them "
            "longer')",
        ),
    )


OFFSETS_EXPIRE = PastFinding(
    name="offsets-expire",
    tells="a group's offsets are about to be deleted",
    measure="hours until offsets.retention.minutes have passed since it had members",
    advice="Start a member, or the group begins where auto.offset.reset says; brokers keep offsets "
    "for offsets.retention.minutes (seven days by default).",
    find=offsets_expire,
    reads=("unmanned",),
    needs=("history",),
    warning=24,
    below=True,
    settings={"retention_hours": 168},
)
