"""What findings read: a fleet's tables and what several findings derive from them, once each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from spark.encode import ABSENT, GROUP_KEYS
from spark.findings.earlier import comings, commits
from spark.findings.java_hash import coordinating_partition
from spark.group_row import REBALANCING_STATES
from spark.snapshot import FleetSnapshot
from spark.thresholds import TIMEOUTS, AuditSettings, matches

KEYS = list(GROUP_KEYS)
OFFSETS_TOPIC = "__consumer_offsets"


@dataclass(frozen=True)
class Frames:
    """The frames by name, each a DataFrame that is computed when it is used.

    `encoded` and `solved` are those of the snapshot (`spark.encode`, `spark.solve`); `previous` is
    the snapshot before, or None, and `from_before` what `spark.findings.earlier` solves from it.
    `settings` tell which topics are joined, and groups' time-outs.
    """

    settings: AuditSettings
    snapshot: FleetSnapshot
    previous: FleetSnapshot | None
    encoded: DataFrame
    solved: DataFrame
    from_before: DataFrame | None

    def __getitem__(self, name: str) -> DataFrame:
        frame: DataFrame = getattr(self, name)
        return frame

    @cached_property
    def planned(self) -> DataFrame:
        """Groups that have a plan, one row each as the solver gave it."""
        return self.solved.where("max_load is not null")

    @cached_property
    def settled(self) -> DataFrame:
        """Encoded groups whose ownership isn't on its way."""
        return self.encoded.where(~F.coalesce("state", F.lit("")).isin(*REBALANCING_STATES))

    @cached_property
    def listed(self) -> DataFrame:
        """cluster, group, strategy: each group once, with null where it isn't told."""
        if "groups" not in self.snapshot.tables:
            return self.encoded.select(*KEYS, F.lit(None).cast("string").alias("strategy"))
        return (
            self.snapshot.tables["groups"].groupBy(*KEYS).agg(F.min("strategy").alias("strategy"))
        )

    @cached_property
    def subscribed(self) -> DataFrame:
        """Encoded groups with their strategy: who subscribes to what."""
        columns = ("member_ids", "racks", "topics", "topic_sizes", "subscriber_counts")
        return self.settled.select(*KEYS, *columns).join(self.listed, KEYS, "left")

    @cached_property
    def owning(self) -> DataFrame:
        """Planned groups with their strategy and members: who owns what."""
        facts = self.encoded.select(*KEYS, "member_ids").join(self.listed, KEYS)
        return self.planned.drop("strategy").join(facts, KEYS)

    @cached_property
    def reads(self) -> DataFrame:
        """A row a group and topic: its partitions, and the owner of each (index, -1 is nobody).

        The entries of a topic stand together in a plan's arrays.
        """
        of_topic = self.planned.select(
            *(*KEYS, "topic", "partition", "previous"), F.posexplode("topics").alias("at", "name")
        )
        first = F.array_position("topic", F.col("at")).cast("int")
        last = F.size("topic") - F.array_position(F.reverse("topic"), F.col("at")).cast("int") + 1
        return of_topic.where(first > 0).select(
            *KEYS,
            F.col("name").alias("topic"),
            F.slice("partition", first, last - first + 1).alias("partitions"),
            F.slice("previous", first, last - first + 1).alias("owners"),
        )

    @cached_property
    def led(self) -> DataFrame:
        """cluster, group, owner (index), leader, leader_rack, and how many partitions that is."""
        leaders = self.partitions.groupBy("cluster", "topic").agg(
            F.sort_array(F.collect_list(F.struct("partition", "leader", "leader_rack"))).alias(
                "led"
            )
        )
        owned = self.reads.join(leaders, ["cluster", "topic"]).select(
            *(*KEYS, "led"), F.explode(F.arrays_zip("partitions", "owners")).alias("entry")
        )
        led = F.get("led", F.col("entry.partitions"))
        return (
            owned.where("entry.owners >= 0")
            .select(*KEYS, F.col("entry.owners").alias("owner"), led.alias("led"))
            .groupBy(*KEYS, "owner", "led.leader", "led.leader_rack")
            .agg(F.count("*").alias("partitions"))
        )

    @cached_property
    def partitions(self) -> DataFrame:
        return self.snapshot.tables["partitions"]

    @cached_property
    def _claims(self) -> DataFrame:
        """A row a claim in the groups that have any reason to be looked at, names as hashes."""
        places = F.transform(
            F.arrays_zip("claim_topics", "claim_partitions"),
            lambda place: F.xxhash64(place.claim_topics, place.claim_partitions),
        )
        newest = F.greatest(F.array_max("generations"), F.array_max("claim_generations"))
        oldest = F.array_min(
            F.filter(F.concat("generations", "claim_generations"), lambda number: number != ABSENT)
        )
        doubtful = self.settled.where(
            (F.size(F.array_distinct(places)) < F.size("claim_topics")) | (oldest < newest)
        ).withColumn("newest", newest)
        claim = F.explode(
            F.arrays_zip("claim_topics", "claim_partitions", "claim_members", "claim_generations")
        )
        names = ("claimed_topics", "claimed_topic_hashes", "claimants", "claimant_hashes")
        facts = ("member_ids", "member_hashes", "generations")
        rows = doubtful.select(*KEYS, *names, *facts, "newest", claim.alias("claim"))
        of_member = F.array_position("member_hashes", F.col("claim.claim_members")).cast("int")
        stated = F.col("claim.claim_generations")
        return rows.select(
            *KEYS,
            "newest",
            _named("claimed_topics", "claimed_topic_hashes", "claim.claim_topics").alias("topic"),
            F.col("claim.claim_partitions").alias("partition"),
            _named("claimants", "claimant_hashes", "claim.claim_members").alias("member_id"),
            (of_member > 0).alias("present"),
            F.when(stated != ABSENT, stated)
            .otherwise(F.coalesce(F.get("generations", of_member - 1), F.lit(ABSENT)))
            .alias("generation"),
        )

    @cached_property
    def disputes(self) -> DataFrame:
        """Partitions with several claimants: those of the newest generation, `peers` of them."""
        claim = F.struct((-F.col("generation")).alias("age"), "member_id")
        claims = F.array_sort(F.collect_set(claim.alias("claim")))
        newest = F.filter("claims", lambda one: one.age == F.get("claims", F.lit(0)).age)
        return (
            self._claims.groupBy(*KEYS, "topic", "partition")
            .agg(claims.alias("claims"))
            .where(F.size("claims") > 1)
            .select(
                *(*KEYS, "topic", "partition"),
                F.transform(newest, lambda one: one.member_id).alias("claimants"),
                F.size(newest).alias("peers"),
            )
        )

    @cached_property
    def stale(self) -> DataFrame:
        """Claims that members who are there make by a generation which is over."""
        return self._claims.where(f"present and generation != {ABSENT} and generation < newest")

    @cached_property
    def lags(self) -> DataFrame:
        """A row a group and topic: partitions with known lags, these lags, and their sum."""
        entry = F.struct("partition", "lag")
        return (
            self.offsets.where("lag is not null")
            .groupBy(*KEYS, "topic")
            .agg(F.sort_array(F.collect_list(entry)).alias("entries"), F.sum("lag").alias("lag"))
            .select(
                *(*KEYS, "topic", "lag"),
                F.col("entries.partition").alias("partitions"),
                F.col("entries.lag").alias("lags"),
            )
        )

    @cached_property
    def offsets(self) -> DataFrame:
        return _with_lag(self.snapshot.tables["offsets"])

    @cached_property
    def commits(self) -> DataFrame:
        """`spark.findings.earlier.commits` of groups that have members."""
        assert self.previous
        active = self.planned.select(*KEYS)
        return commits(self.offsets.join(active, KEYS, "left_semi"), self.previous)

    @cached_property
    def comings(self) -> DataFrame:
        assert self.previous
        return comings(self.snapshot, self.previous)

    @cached_property
    def coordinators(self) -> DataFrame:
        """cluster, broker, groups: how many groups each broker coordinates."""
        led = self.partitions.where(F.col("topic") == OFFSETS_TOPIC)
        of_cluster = led.groupBy("cluster").agg(F.count("*").alias("n"))
        groups = self.encoded.select(*KEYS).join(F.broadcast(of_cluster), "cluster")
        on_partition = (
            groups.withColumn("partition", coordinating_partition("group", "n"))
            .groupBy("cluster", "partition")
            .agg(F.count("*").alias("groups"))
        )
        return (
            led.where("leader >= 0")
            .select("cluster", "partition", F.col("leader").alias("broker"))
            .join(on_partition, ["cluster", "partition"], "left")
            .select("cluster", "broker", F.coalesce("groups", F.lit(0)).alias("groups"))
        )

    @cached_property
    def joined(self) -> DataFrame:
        """Groups that subscribe to several topics of a co-partitioned set, with their sizes."""
        rows = [
            self.subscribed.where(matches(rule.cluster, rule.match)).select(
                *KEYS, _subscribed_of(rule.topics).alias("set")
            )
            for rule in self.settings.copartitioned
        ]
        return reduce(DataFrame.unionAll, rows).select(
            *KEYS, F.col("set.topics").alias("topics"), F.col("set.topic_sizes").alias("sizes")
        )

    @cached_property
    def timeouts(self) -> DataFrame:
        """Groups with members, and the time-outs that the first rule for them gives."""
        rule = F.lit(None)
        for number, given in reversed(list(enumerate(self.settings.timeouts))):
            rule = F.when(matches(given.cluster, given.match), number).otherwise(rule)
        columns = {
            name: F.get(
                F.array(*(F.lit(getattr(given, name)) for given in self.settings.timeouts)),
                F.col("rule"),
            )
            for name in TIMEOUTS
        }
        present = self.encoded.where(F.size("member_ids") > 0).select(*KEYS)
        return present.withColumn("rule", rule).where("rule is not null").withColumns(columns)


def _named(names: str, hashes: str, hashed: str) -> Column:
    return F.get(names, F.array_position(hashes, F.col(hashed)).cast("int") - 1)


def _subscribed_of(topics: Sequence[str]) -> Column:
    """Those of `topics` to which a group subscribes and that exist, with their sizes."""
    return F.filter(
        F.arrays_zip("topics", "topic_sizes"),
        lambda topic: topic.topics.isin(*topics) & (topic.topic_sizes >= 0),
    )


def _with_lag(offsets: DataFrame) -> DataFrame:
    """Lag as stated, or what is left to the end."""
    left = F.col("end_offset") - F.col("committed_offset")
    return offsets.withColumn("lag", F.coalesce("lag", F.greatest(left, F.lit(0))))
