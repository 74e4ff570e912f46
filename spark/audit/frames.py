"""What findings read: a fleet's tables and what several findings derive from them, once each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark.audit.previous import replaced, stuck
from spark.audit.sql_text import quoted
from spark.audit.thresholds import TIMEOUTS, AuditSettings, matches
from spark.fleet import REBALANCING_STATES, FleetSnapshot, is_foreign
from spark.groups import GROUP_KEYS, coordinating_brokers, coordinators

KEYS = list(GROUP_KEYS)
NAMED = ("cluster", "`group`")

HAS_MEMBERS = "size(member_ids) > 0"
"""SQL text, of an encoded group."""

IS_FOREIGN = is_foreign(HAS_MEMBERS)


@dataclass(frozen=True)
class Frames:
    """The frames by name, each a DataFrame that is computed when it is used.

    `encoded` and `solved` are those of the snapshot (`spark.groups.encode`, `spark.solve`);
    `previous` is the snapshot before, or None, and `from_before` what `spark.audit.previous` solves
    from it.
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
    def _named(self) -> DataFrame:
        """Encoded groups, with the columns by which foreign ones are told."""
        return self.encoded.withColumnRenamed("group_strategy", "strategy")

    @cached_property
    def _of_consumers(self) -> DataFrame:
        return self._named.where(f"not ({IS_FOREIGN})")

    @cached_property
    def settled(self) -> DataFrame:
        """Encoded groups of consumers whose ownership isn't on its way."""
        moving = ", ".join(map(quoted, sorted(REBALANCING_STATES)))
        return self._of_consumers.where(f"coalesce(state, '') not in ({moving})")

    @cached_property
    def partitions(self) -> DataFrame:
        return self.snapshot.tables["partitions"]

    @cached_property
    def reads(self) -> DataFrame:
        """A row a group and topic: its partitions, and the owner of each (index, -1 is nobody).

        The entries of a topic stand together in a plan's arrays.
        """
        # slices of rows that are left out raise no error: Spark may cut before it looks
        first = "cast(array_position(topic, at) as int)"
        last = "cast(size(topic) + 1 - array_position(reverse(topic), at) as int)"
        of_topic = self.planned.selectExpr(
            *(*NAMED, "members", "names", "topic", "partition", "previous"),
            "posexplode(topics) as (at, name)",
        )
        return (
            of_topic.selectExpr("*", f"{first} as first", f"{last} - {first} + 1 as length")
            .where("first > 0")
            .selectExpr(
                *(*NAMED, "name as topic", "members", "names"),
                "slice(partition, greatest(first, 1), length) as partitions",
                "slice(previous, greatest(first, 1), length) as owners",
            )
        )

    @cached_property
    def brokers(self) -> DataFrame:
        """cluster, brokers: how many are listed, lead a partition or have a replica of one."""
        replicas = "concat(array(leader), coalesce(replicas, array()))"
        known = self.partitions.selectExpr("cluster", f"explode({replicas}) as broker").distinct()
        if "brokers" in self.snapshot.tables:
            listed = self.snapshot.tables["brokers"].select("cluster", "broker")
            known = known.unionAll(listed).distinct()
        of_cluster = known.where("broker >= 0").groupBy("cluster")
        return of_cluster.agg(F.expr("count(*)").alias("brokers"))

    @cached_property
    def led(self) -> DataFrame:
        """cluster, group, owner (index), leader, leader_rack, and how many partitions that is."""
        entries = "sort_array(collect_list(struct(partition, leader, leader_rack)))"
        leaders = self.partitions.groupBy("cluster", "topic").agg(F.expr(entries).alias("led"))
        owned = (
            self.reads.join(leaders, ["cluster", "topic"])
            .selectExpr(
                *(*NAMED, "members", "led"),
                "inline(arrays_zip(partitions, owners)) as (number, owner)",
            )
            .where("owner between 0 and members - 1")
            .selectExpr(*NAMED, "owner", "get(led, number) as one")
        )
        of_owner = owned.groupBy(*KEYS, "owner", "one.leader", "one.leader_rack")
        return of_owner.agg(F.expr("count(*)").alias("partitions"))

    @cached_property
    def _claims(self) -> DataFrame:
        """A row a claim of the groups that have two on one partition, or several generations."""
        places = (
            "zip_with(claim_topics, claim_partitions, (topic, number) -> xxhash64(topic, number))"
        )
        doubtful = self.settled.selectExpr(
            "*",
            "greatest(array_max(generations), array_max(claim_generations)) as newest",
            "array_min(filter(concat(generations, claim_generations), one -> one >= 0)) as oldest",
        ).where(f"oldest < newest or size(array_distinct({places})) < size(claim_topics)")
        rows = doubtful.selectExpr(
            *(*NAMED, "newest", "member_hashes", "generations"),
            *("claimed_topics", "claimed_topic_hashes", "claimants", "claimant_hashes"),
            "inline(arrays_zip(claim_topics, claim_partitions, claim_members, claim_generations)) "
            "as (topic_hash, partition, member_hash, stated)",
        )

        def found(array: str, hashes: str, one: str) -> str:
            return f"get({array}, cast(array_position({hashes}, {one}) - 1 as int))"

        of_member = found("generations", "member_hashes", "member_hash")
        return rows.selectExpr(
            *(*NAMED, "newest", "partition"),
            f"{found('claimed_topics', 'claimed_topic_hashes', 'topic_hash')} as topic",
            f"{found('claimants', 'claimant_hashes', 'member_hash')} as member_id",
            "array_contains(member_hashes, member_hash) as present",
            f"if(stated >= 0, stated, coalesce({of_member}, -1)) as generation",
        )

    @cached_property
    def disputes(self) -> DataFrame:
        """Partitions with several claimants; `claimants` are those of the newest generation."""
        claims = self._claims.groupBy(*KEYS, "topic", "partition").agg(
            F.expr("collect_set(struct(-generation as age, member_id))").alias("claims")
        )
        return (
            claims.where("size(claims) > 1")
            .selectExpr(*(*NAMED, "topic", "partition"), "sort_array(claims) as claims")
            .selectExpr(
                *(*NAMED, "topic", "partition"),
                "filter(claims, one -> one.age = claims[0].age).member_id as claimants",
            )
        )

    @cached_property
    def stale(self) -> DataFrame:
        """Claims that members who are there make by a generation which is over."""
        return self._claims.where("present and generation >= 0 and generation < newest")

    @cached_property
    def offsets(self) -> DataFrame:
        """The table, with lag as stated or what is left to the end, or how far `beyond` that it is.

        Beyond the end is no lag: where the group goes on is for its auto.offset.reset to say.
        """
        stated = "coalesce(lag, try_subtract(end_offset, committed_offset))"
        beyond = "coalesce(try_subtract(committed_offset, end_offset), try_subtract(0L, lag))"
        columns = ("topic", "partition", "committed_offset", "end_offset")
        return self.snapshot.tables["offsets"].selectExpr(
            *(*NAMED, *columns, f"{beyond} as beyond"),
            f"if({beyond} > 0 or {stated} < 0, null, {stated}) as lag",
        )

    def _of_reads(self, rows: DataFrame) -> DataFrame:
        """Offsets of topics that a group has left remain for days, and nobody is to follow them."""
        return rows.join(self.reads.select(*KEYS, "topic"), [*KEYS, "topic"], "left_semi")

    @cached_property
    def lags(self) -> DataFrame:
        """A row a group and topic: partitions with known lags, these lags, and their sum."""
        known = self.offsets.where("lag is not null").groupBy(*KEYS, "topic")
        of_topic = known.agg(
            F.expr("sort_array(collect_list(struct(partition, lag)))").alias("entries"),
            F.expr("try_sum(lag)").alias("lag"),
        )
        return self._of_reads(of_topic).selectExpr(
            *(*NAMED, "topic", "lag"), "entries.partition as partitions", "entries.lag as lags"
        )

    @cached_property
    def beyond(self) -> DataFrame:
        """The rows of offsets that are committed beyond the end of what the group reads."""
        return self._of_reads(self.offsets.where("beyond > 0"))

    @cached_property
    def stuck(self) -> DataFrame:
        assert self.previous
        return self._of_reads(stuck(self.offsets, self.previous))

    @cached_property
    def replaced(self) -> DataFrame:
        assert self.previous
        foreign = F.broadcast(self._named.where(IS_FOREIGN).select(*KEYS))
        return replaced(self.snapshot, self.previous).join(foreign, KEYS, "left_anti")

    @cached_property
    def seats(self) -> DataFrame:
        """Who coordinates each group: see `spark.groups.coordinators`."""
        return coordinators(self.encoded.select(*KEYS), self.snapshot.tables)

    @cached_property
    def coordinators(self) -> DataFrame:
        """A row a broker that coordinates groups, or could; a group's load is members x partitions.

        cluster, broker, groups, members, partitions (of the topics that a group subscribes to) and
        load are sums over its groups; `inferred` says whether a group's coordinator was inferred;
        `heaviest` is its group of most load (load, group, seat). Then the cluster's brokers, groups
        and load, and `load_to_mean`. Clusters of which no coordinator is known are left out.
        """
        sizes = "aggregate(filter(topic_sizes, one -> one > 0), 0L, (total, one) -> total + one)"
        of_group = (
            self.encoded.selectExpr(*NAMED, "size(member_ids) as members", f"{sizes} as partitions")
            .join(self.seats.where("coordinator is not null"), KEYS)
            .withColumnRenamed("coordinator", "broker")
            .withColumn("load", F.expr("members * partitions"))
        )
        key = ["cluster", "broker"]
        of_broker = of_group.groupBy(*key).agg(
            F.expr("count(*)").alias("groups"),
            *(F.expr(f"sum({one})").alias(one) for one in ("members", "partitions", "load")),
            F.expr("bool_or(inferred)").alias("inferred"),
            F.expr("max(struct(load, `group`, seat))").alias("heaviest"),
        )
        every = coordinating_brokers(self.snapshot.tables).join(of_broker, key, "left")
        filled = every.selectExpr(
            *key,
            *(
                f"coalesce({one}, 0L) as {one}"
                for one in ("groups", "members", "partitions", "load")
            ),
            "coalesce(inferred, false) as inferred",
            "heaviest",
        )
        of_cluster = filled.groupBy("cluster").agg(
            F.expr("count(*)").alias("cluster_brokers"),
            F.expr("sum(groups)").alias("cluster_groups"),
            F.expr("sum(load)").alias("cluster_load"),
        )
        return filled.join(of_cluster.where("cluster_groups > 0"), "cluster").selectExpr(
            "*", "try_divide(load * cluster_brokers, cluster_load) as load_to_mean"
        )

    @cached_property
    def joined(self) -> DataFrame:
        """Groups that subscribe to several topics of a co-partitioned set, with their sizes."""
        rows = []
        for rule in self.settings.copartitioned:
            named = ", ".join(map(quoted, rule.topics))
            of_set = (
                "filter(arrays_zip(topics, topic_sizes), "
                f"one -> one.topics in ({named}) and one.topic_sizes >= 0)"
            )
            groups = self.settled.where(matches(rule.cluster, rule.match))
            rows.append(groups.selectExpr(*NAMED, f"{of_set} as of_set"))
        return reduce(DataFrame.unionAll, rows).selectExpr(
            *NAMED, "of_set.topics as topics", "of_set.topic_sizes as sizes"
        )

    @cached_property
    def timeouts(self) -> DataFrame:
        """Groups of consumers with members, and the time-outs by the first rule for them."""
        columns = []
        for name in TIMEOUTS:
            cases = " ".join(
                f"when {matches(rule.cluster, rule.match)} then {getattr(rule, name) or 'null'}"
                for rule in self.settings.timeouts
            )
            columns.append(f"cast(case {cases} end as bigint) as {name}")
        return self._of_consumers.where(HAS_MEMBERS).selectExpr(*NAMED, *columns)
