"""Tables that findings about a fleet's past read, once each; and their rows, graded by levels."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property, reduce
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame, functions as F

from spark.audit.finding import OWN_COLUMNS, Measured, PastFinding
from spark.audit.thresholds import AuditSettings
from spark.fleet import PARTITION_KEYS, REBALANCING_STATES, STREAMS, UNKNOWN_STATE, escaped_rows
from spark.groups import GROUP_KEYS
from spark.history import FleetHistory, FleetRates, hours_between, worse
from spark.store import SNAPSHOT
from spark.unpersist_handle import Handle

if TYPE_CHECKING:
    import pandas as pd

KEEPS_STATE = r"^_|-(changelog|repartition)$|(?i:connect).*[-_.](?i:configs?|offsets?|status(es)?)$"
"""Names of topics that aren't written for readers: Kafka's own and those of schema registries and
ksqlDB, of Kafka Streams (StoreChangelogReader), and the three of a Connect cluster."""

UNMANNED = f"manned is null or manned < {SNAPSHOT}"


@dataclass(frozen=True)
class Past(Handle):
    """The frames by name, each a DataFrame that is computed when it is used.

    `recent` is the history of the window that findings look at, `full` all that was read, which
    may reach further back.
    """

    recent: FleetHistory
    full: FleetHistory

    def __getitem__(self, name: str) -> DataFrame:
        frame: DataFrame = getattr(self, name)
        return frame

    @staticmethod
    def of(history: FleetHistory, window: timedelta) -> Past:
        """The history, and the part of it that findings look at."""
        return Past(history.lately(window), history)

    @cached_property
    def rebalanced(self) -> DataFrame:
        """A row a group: generations it went through, the commonest cause, hours that were seen."""
        rows = self.recent.rebalances.groupBy(*GROUP_KEYS).agg(
            F.sum("generations").alias("generations"),
            F.mode("cause", deterministic=True).alias("cause"),
        )
        return rows.join(self._hours(self.recent), "cluster")

    @cached_property
    def excess(self) -> DataFrame:
        """A row a group whose excess grew: what it was, what it is now, since which snapshot."""
        return worse(self.recent.states_without_lag).selectExpr(
            *GROUP_KEYS, "excess_first as was", "excess_last as now", "first as since"
        )

    @cached_property
    def _rates(self) -> FleetRates:
        return self.recent.rates(claims=False)

    @cached_property
    def consumption(self) -> DataFrame:
        """A row a partition that a group has offsets of: see `FleetRates.consumption`."""
        return self.recent.keep(self._rates.consumption)

    @cached_property
    def untouched(self) -> DataFrame:
        """A row a group with members whose commits didn't move though records came; hours seen."""
        if "offsets" not in self.recent.tables:
            nothing = "cluster string, `group` string, partitions bigint, hours double"
            return self.recent.session.createDataFrame([], nothing)
        came = self._rates.rates.where("maximum > 0")
        moved = F.coalesce(F.bool_or(F.col("maximum") > 0), F.lit(False))
        consumption = self.consumption.where("pairs > 0")
        rows = consumption.groupBy(*GROUP_KEYS).agg(moved.alias("moved"))
        waiting = (
            consumption.join(came.select(*PARTITION_KEYS), list(PARTITION_KEYS))
            .groupBy(*GROUP_KEYS)
            .agg(F.count("*").alias("partitions"))
        )
        unread = rows.where("not moved").drop("moved").join(waiting, list(GROUP_KEYS))
        manned = unread.join(self.unmanned.select(*GROUP_KEYS), list(GROUP_KEYS), "left_anti")
        return manned.join(self._hours(self.recent), "cluster")

    @cached_property
    def unmanned(self) -> DataFrame:
        """A row a group that has no members now: since which snapshot, and for how many hours.

        `at_least` tells that no snapshot is known in which it had any.
        """
        return self.full.keep(_without_members(self.full))

    @cached_property
    def expiring(self) -> DataFrame:
        """The rows of `unmanned`, with the hours for which brokers keep offsets: `kept_hours`.

        These are null where the settings of the cluster's brokers aren't known.
        """
        if "configs" not in self.recent.tables:
            return self.unmanned.withColumn("kept_hours", F.lit(None).cast("double"))
        retention = "scope = 'broker' and key = 'offsets.retention.minutes'"
        kept = self._settings.where(retention).groupBy("cluster")
        least = kept.agg(F.expr("min(try_cast(value as double)) / 60 as kept_hours"))
        return self.unmanned.join(F.broadcast(escaped_rows(least)), "cluster", "left")

    @cached_property
    def _settings(self) -> DataFrame:
        """Each cluster's newest settings."""
        newest = _newest(self.recent)
        return self.recent.tables["configs"].join(newest, ["cluster", SNAPSHOT], "left_semi")

    @cached_property
    def unsettled(self) -> DataFrame:
        """A row a group in a rebalance now: state, for how many snapshots running, and hours."""
        if "groups" not in self.recent.tables:
            nothing = "cluster string, `group` string, state string, snapshots int, hours double"
            return self.recent.session.createDataFrame([], nothing)
        return _in_rebalance(self.recent)

    @cached_property
    def aged(self) -> DataFrame:
        """A row a group: the partition whose next record is oldest for its topic's retention."""
        of_topics = self._settings.where("scope = 'topic'")
        configs = of_topics.groupBy("cluster", F.col("name").alias("topic"))
        kept = configs.agg(
            F.expr("max(try_cast(if(key = 'retention.ms', value, null) as double)) / 1000 as kept"),
            F.expr("bool_or(key = 'cleanup.policy' and value like '%delete%') as deletes"),
        ).where("deletes and kept > 0")
        late = self.consumption.where("lag_seconds > 0").join(
            escaped_rows(kept), ["cluster", "topic"]
        )
        entry = (
            "struct(lag_seconds / kept as share, lag_seconds as seconds, kept, topic, partition, "
            "at_least)"
        )
        return (
            late.groupBy(*GROUP_KEYS)
            .agg(F.expr(f"max({entry}) as oldest"))
            .select(*GROUP_KEYS, "oldest.*")
        )

    @cached_property
    def unread(self) -> DataFrame:
        """A row a topic that nobody subscribed to in the window: its partitions, and hours seen.

        None of clusters with groups that weren't all seen, nor topics in which programs keep state.
        """
        tables = self.recent.tables
        newest = _newest(self.recent)
        current = tables["partitions"].join(newest, ["cluster", SNAPSHOT], "left_semi")
        topics = current.groupBy("cluster", "topic").agg(F.count("*").alias("partitions"))
        read = tables["subscriptions"].select("cluster", "topic").distinct()
        rows = topics.where(f"not topic rlike '{KEEPS_STATE}'")
        rows = rows.join(read, ["cluster", "topic"], "left_anti")
        if "groups" in tables:
            rows = rows.join(self._partly_seen, "cluster", "left_anti")
        if "configs" in tables:
            compacted = "scope = 'topic' and key = 'cleanup.policy' and value = 'compact'"
            state = self._settings.where(compacted).selectExpr("cluster", "name as topic")
            rows = rows.join(state, ["cluster", "topic"], "left_anti")
        return escaped_rows(rows).join(self._hours(self.recent), "cluster")

    @property
    def _partly_seen(self) -> DataFrame:
        """The clusters in which a group reads topics that nothing tells: it is there all the same.

        Groups of Kafka Streams came without members from older versions of `collect`.
        """
        tables, keys = self.recent.tables, [SNAPSHOT, *GROUP_KEYS]
        manned = tables["members"].select(*keys)
        untold = f"type = '{STREAMS}' and state not in ('Empty', 'Dead')"
        unmanned = tables["groups"].where(untold).join(manned, keys, "left_anti")
        unseen = f"startswith(state, '{UNKNOWN_STATE}') or size(hidden_topics) > 0"
        hidden = tables["groups"].where(unseen)
        return unmanned.select("cluster").union(hidden.select("cluster")).distinct()

    def _hours(self, history: FleetHistory) -> DataFrame:
        """How long each cluster was seen."""
        timeline = history.timeline
        rows = [
            (cluster, timeline.known_seconds(cluster, 0, timeline.last(cluster)) / 3600)
            for cluster in timeline.snapshots
        ]
        return history.session.createDataFrame(rows, "cluster string, hours double")

    def release(self) -> None:
        self.recent.release()
        self.full.release()


def _newest(history: FleetHistory) -> DataFrame:
    """Each cluster's last snapshot."""
    rows = [(cluster, ids[-1]) for cluster, ids in history.timeline.snapshots.items() if ids]
    return F.broadcast(history.session.createDataFrame(rows, f"cluster string, {SNAPSHOT} string"))


def _without_members(history: FleetHistory) -> DataFrame:
    tables, at = history.tables, (SNAPSHOT, *GROUP_KEYS)
    telling = [tables[name].select(*at) for name in ("groups", "offsets") if name in tables]
    manned = _first_and_last(tables["members"])
    seen = _first_and_last(reduce(DataFrame.unionAll, telling)) if telling else manned
    last = manned.select(*GROUP_KEYS, F.col(SNAPSHOT).alias("manned"))
    current = seen.join(_newest(history), ["cluster", SNAPSHOT]).join(last, [*GROUP_KEYS], "left")
    after = F.broadcast(_followers(history))
    rows = current.join(after, ["cluster", "manned"], "left").where(UNMANNED)
    since = F.coalesce("following", "first")
    return rows.select(
        *GROUP_KEYS,
        since.alias("since"),
        F.col("manned").isNull().alias("at_least"),
        hours_between(since, F.col(SNAPSHOT)).alias("hours"),
    )


def _first_and_last(rows: DataFrame) -> DataFrame:
    """A row a group: the `first` snapshot that names it, and its last one."""
    of_group = rows.groupBy(*GROUP_KEYS).agg(
        F.min(SNAPSHOT).alias("first"), F.max(SNAPSHOT).alias(SNAPSHOT)
    )
    return escaped_rows(of_group)


def _in_rebalance(history: FleetHistory) -> DataFrame:
    """By each group's states at positions of its cluster's timeline, up to the last."""
    position = F.broadcast(
        history.session.createDataFrame(
            [*history.timeline.positions()], f"cluster string, {SNAPSHOT} string, position int"
        )
    )
    states = ", ".join(f"'{state}'" for state in sorted(REBALANCING_STATES))
    seen = escaped_rows(history.tables["groups"]).join(position, ["cluster", SNAPSHOT])
    of_group = seen.groupBy(*GROUP_KEYS).agg(
        F.expr(f"sort_array(collect_list(struct(position, {SNAPSHOT}, state)), false) as seen")
    )
    # newest first: how long the group was seen in a rebalance, in neighbouring snapshots
    running = (
        f"aggregate(seen, 0, (n, x) -> if(seen[0].position - x.position = n and x.state in "
        f"({states}), n + 1, n))"
    )
    last = F.broadcast(_newest(history).withColumnRenamed(SNAPSHOT, "last"))
    rows = of_group.selectExpr(
        *GROUP_KEYS, f"seen[0].{SNAPSHOT} as last", "seen", f"{running} as snapshots"
    )
    return (
        rows.where("snapshots > 0")
        .join(last, ["cluster", "last"])
        .select(
            *GROUP_KEYS,
            F.expr("seen[0].state as state"),
            "snapshots",
            hours_between(F.expr(f"seen[snapshots - 1].{SNAPSHOT}"), F.col("last")).alias("hours"),
        )
    )


def _followers(history: FleetHistory) -> DataFrame:
    """Each snapshot of a cluster, and the one after it."""
    rows = [
        (cluster, before, after)
        for cluster, ids in history.timeline.snapshots.items()
        for before, after in pairwise(ids)
    ]
    return history.session.createDataFrame(rows, "cluster string, manned string, following string")


SCHEMA = ", ".join(
    f"`{name}` {'double' if name in ('measure', 'threshold') else 'string'}" for name in OWN_COLUMNS
)


def find_in_past(
    findings: Sequence[PastFinding], past: Past, levels: AuditSettings
) -> DataFrame | None:
    """Findings of `OWN_COLUMNS`; None if there is nothing to look for."""
    if not findings:
        return None
    rows = reduce(DataFrame.unionAll, (_rows(finding, past, levels) for finding in findings))
    by_name = {finding.name: finding for finding in findings}

    def grade(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        for batch in batches:
            cells = (_grade(row, by_name[row.finding], levels) for row in batch.itertuples())
            yield type(batch)([*filter(None, cells)], columns=OWN_COLUMNS)

    # few rows, and one task: each would be sent the plans of all these frames
    return rows.repartition(1).mapInPandas(grade, SCHEMA)


def _rows(finding: PastFinding, past: Past, levels: AuditSettings) -> DataFrame:
    thresholds = levels.values[finding.name]
    rows = finding.find([past[frame] for frame in finding.reads], thresholds)
    return rows.withColumn("finding", F.lit(finding.name))


def _grade(row: Any, finding: PastFinding, levels: AuditSettings) -> tuple[Any, ...] | None:
    """The cells of `OWN_COLUMNS`, or None where no level is passed."""
    by_finding = levels.values if row.group is None else levels.of(row.cluster, row.group)
    details = {"cluster": row.cluster, "group": row.group, **json.loads(row.details)}
    more = finding.more(details, levels.values[finding.name]) if finding.more else {}
    cells = finding.cells(Measured(row.measure, None, more), details, by_finding[finding.name])
    if cells is None:
        return None
    return tuple((details | cells)[name] for name in OWN_COLUMNS)
