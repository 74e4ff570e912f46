"""What only many snapshots tell."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, functions as F

from spark.audit.finding import ALL_GROUPS, NO_GROUP, Facts, PastFinding, Settings, rows_found
from spark.audit.text import decimal, sentence
from spark.text import counted


def _sql(text: str, name: str) -> Column:
    return F.expr(text).alias(name)


def _at_least(facts: Facts) -> str:
    return "at least " if facts["at_least"] else ""


def frequent_rebalances(rebalanced: DataFrame, settings: Settings) -> DataFrame:
    """Groups that rebalance so often that they hardly work; times that nobody saw don't count."""
    often = rebalanced.where(f"generations >= {settings['least']!r}D and hours > 0")
    return rows_found(often, "generations / hours", "generations", "hours", "cause")


def describe_frequent_rebalances(facts: Facts, settings: Settings) -> str:
    return sentence(
        "Group {group} rebalanced {times} in {hours} hours; the likeliest cause is: {cause}.",
        group=facts["group"],
        times=counted(facts["generations"], "time"),
        hours=decimal(facts["hours"]),
        cause=facts["cause"],
    )


FREQUENT_REBALANCES = PastFinding(
    name="frequent-rebalances",
    tells="a group rebalances again and again",
    measure="rebalances an hour",
    advice="Look for members that crash, or that take longer than max.poll.interval.ms; give "
    "members a group.instance.id so that restarts cause none. `evenfleet history` tells when.",
    find=frequent_rebalances,
    describe=describe_frequent_rebalances,
    reads=("rebalanced",),
    needs=("history",),
    info=1,
    warning=4,
    settings={"least": 4},
)


def balance_worsens(excess: DataFrame, settings: Settings) -> DataFrame:
    """Groups whose most loaded member is further above the optimum than it was."""
    return rows_found(excess, "now - was", "now", "was", "since")


def describe_balance_worsens(facts: Facts, settings: Settings) -> str:
    return sentence(
        "The most loaded member of group {group} has {now} more than in the best assignment; "
        "in snapshot {since} it was {was}.",
        group=facts["group"],
        now=counted(facts["now"], "partition"),
        since=facts["since"],
        was=facts["was"],
    )


BALANCE_WORSENS = PastFinding(
    name="balance-worsens",
    tells="a group's balance gets worse",
    measure="partitions by which the most loaded member's excess over the optimum grew",
    advice="Plan the group again (evenfleet plan), and replay its past under other strategies "
    "(evenfleet replay).",
    find=balance_worsens,
    describe=describe_balance_worsens,
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
    return rows_found(of_group, "partitions", "partitions", "grows", "topic", "partition", "lag")


def describe_falls_behind(facts: Facts, settings: Settings) -> str:
    return sentence(
        "Group {group} falls behind on {partitions}, by {grows} records a second in all; most "
        "on {topic}-{partition}, where its lag is {lag}.",
        group=facts["group"],
        partitions=counted(facts["partitions"], "partition"),
        grows=decimal(facts["grows"]),
        **{name: facts[name] for name in ("topic", "partition", "lag")},
    )


FALLS_BEHIND = PastFinding(
    name="falls-behind",
    tells="a group reads more slowly than records come in",
    measure="partitions whose lag grows",
    advice="It needs more members or faster ones: `evenfleet members` tells how many. If few "
    "partitions get most of the records, look at the keys they are written with.",
    find=falls_behind,
    describe=describe_falls_behind,
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
    return rows_found(of_group, "seconds", "seconds", "topic", "partition", "at_least")


def describe_lag_seconds(facts: Facts, settings: Settings) -> str:
    return sentence(
        "What group {group} reads of {topic}-{partition} was written {some}{seconds} seconds ago.",
        group=facts["group"],
        topic=facts["topic"],
        partition=facts["partition"],
        some=_at_least(facts),
        seconds=int(facts["seconds"]),
    )


LAG_SECONDS = PastFinding(
    name="lag-seconds",
    tells="a group is late",
    measure="seconds since what it reads was written",
    advice="If it falls behind it needs more members; if it doesn't, it will catch up: "
    "`evenfleet rates` tells when.",
    find=lag_seconds,
    describe=describe_lag_seconds,
    reads=("consumption",),
    needs=("history.offsets",),
    info=600,
    warning=3600,
)


def abandoned_group(unmanned: DataFrame, untouched: DataFrame, settings: Settings) -> DataFrame:
    """Groups that nobody runs any more, or that read nothing of what comes in."""
    empty = rows_found(unmanned, "hours", "hours", "at_least")
    return empty.unionAll(rows_found(untouched, "hours", "hours", "partitions"))


def describe_abandoned_group(facts: Facts, settings: Settings) -> str:
    group, hours = facts["group"], decimal(facts["hours"])
    if "at_least" in facts:
        return sentence(
            "Group {group} has had no members for {some}{hours} hours.",
            group=group,
            some=_at_least(facts),
            hours=hours,
        )
    return sentence(
        "Group {group} has members, and committed nothing in {hours} hours although records "
        "came on {partitions}.",
        group=group,
        hours=hours,
        partitions=counted(facts["partitions"], "partition"),
    )


ABANDONED_GROUP = PastFinding(
    name="abandoned-group",
    tells="nobody runs a group any more, or it reads nothing",
    measure="hours without a member, or in which no commit moved though records came",
    advice="Delete it (kafka-consumer-groups --delete --group), or find out why it stands still.",
    find=abandoned_group,
    describe=describe_abandoned_group,
    reads=("unmanned", "untouched"),
    needs=("history",),
    info=20,
)


def unread_topic(unread: DataFrame, settings: Settings) -> DataFrame:
    """Topics that no group subscribes to; Kafka's own, which begin with __, are left out."""
    own = unread.where(f"not startswith(topic, '__') and hours >= {settings['hours']!r}D")
    return rows_found(own, "partitions", "partitions", "topic", "hours", group=NO_GROUP)


def describe_unread_topic(facts: Facts, settings: Settings) -> str:
    return sentence(
        "No group of cluster {cluster} has subscribed to topic {topic} in {hours} hours, which "
        "has {partitions}.",
        cluster=facts["cluster"],
        topic=facts["topic"],
        hours=decimal(facts["hours"]),
        partitions=counted(facts["partitions"], "partition"),
    )


UNREAD_TOPIC = PastFinding(
    name="unread-topic",
    tells="no group reads a topic",
    measure="partitions of the topic",
    advice="Unless something reads it without a group (a table, a backup, an assigned consumer), "
    "it costs disk and replication for nothing.",
    find=unread_topic,
    describe=describe_unread_topic,
    reads=("unread",),
    needs=("history", ALL_GROUPS),
    info=1,
    settings={"hours": 1},
)


def offsets_expire(unmanned: DataFrame, settings: Settings) -> DataFrame:
    """Groups without members whose offsets the coordinator is about to delete (KIP-211)."""
    left = f"{settings['retention_hours']!r}D - hours"
    return rows_found(unmanned, left, "hours", "at_least")


def describe_offsets_expire(facts: Facts, settings: Settings) -> str:
    left = settings["retention_hours"] - facts["hours"]
    when = (
        f"its offsets expire in {decimal(left)} hours"
        if left > 0
        else "its offsets have expired, unless brokers keep them longer"
    )
    return sentence(
        "Group {group} has had no members for {some}{hours} hours: {when}.",
        group=facts["group"],
        some=_at_least(facts),
        hours=decimal(facts["hours"]),
        when=when,
    )


OFFSETS_EXPIRE = PastFinding(
    name="offsets-expire",
    tells="a group's offsets are about to be deleted",
    measure="hours until offsets.retention.minutes have passed since it had members",
    advice="Start a member, or the group begins where auto.offset.reset says; brokers keep offsets "
    "for offsets.retention.minutes (seven days by default).",
    find=offsets_expire,
    describe=describe_offsets_expire,
    reads=("unmanned",),
    needs=("history",),
    warning=24,
    below=True,
    settings={"retention_hours": 168},
)
