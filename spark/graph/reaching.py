"""What failures reach: sought among numbers on the driver, and told of what is reached alone.

For it nothing of the graph is built but its brokers: names are hashed in Spark, those of members
and topics come to the driver once, and with them two numbers for each claim.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame, functions as F

from spark.errors import InputError
from spark.fleet import MEMBER_KEYS, PARTITION_KEYS, TOPIC_KEYS, escaped
from spark.graph.vertices import (
    MEMBER,
    MEMBER_FACTS,
    NUMBER_BITS,
    PARTITION,
    Tables,
    as_vertices,
    id_of,
    vertex_kinds,
)

Ids = NDArray[np.int64]


def depths_from(start: Ids, causes: Ids, touched: Ids, most: int | None) -> tuple[Ids, Ids]:
    """All that is touched at once or through others, and in how many steps; `start` in none.

    What is in `causes` touches what stands at the same place of `touched`. Nothing is looked for
    beyond `most` steps.
    """
    ids, index = np.unique(np.concatenate([start, causes, touched]), return_inverse=True)
    frontier, cause, other = np.split(index, np.cumsum([len(start), len(causes)]))
    order = np.argsort(cause, kind="stable")
    others = other[order]
    first = np.searchsorted(cause[order], np.arange(len(ids) + 1))
    depth = np.full(len(ids), -1)
    depth[frontier] = step = 0
    while len(frontier) and step != most:
        step += 1
        counts = first[frontier + 1] - first[frontier]
        # of each its own run of `others`, one behind the other
        ends = counts.cumsum()
        at = np.arange(counts.sum()) + (first[frontier] - ends + counts).repeat(counts)
        result = others[at]
        frontier = np.unique(result[depth[result] < 0])
        depth[frontier] = step
    reached = np.flatnonzero(depth >= 0)
    return ids[reached], depth[reached]


MEMBER_HASH = "xxhash64(cluster, `group`, member_id)"
TOPIC_HASH = "xxhash64(cluster, topic)"
"""SQL text. Hashes are of the bytes that a table has: of a name that is no valid UTF-8 as well."""


@dataclass(frozen=True)
class Names:
    """Vertices of a kind: their names as `escaped` spells them, and the ids that these have.

    `rows` has the names, `ids` are aligned with it, and `order` sorts these by their `hashes`.
    Names that are spelled alike have one id.
    """

    rows: pa.Table
    ids: Ids
    order: Ids
    hashes: Ids

    def of(self, hashes: Ids) -> Ids:
        """The id of each hash; all of them are known."""
        return self.ids[self.order[self.hashes.searchsorted(hashes)]]

    def among(self, ids: Ids) -> pa.Table:
        """The names that have one of these ids, with their `id` and their `hash`."""
        mask = np.isin(self.ids, ids)
        return self.rows.append_column("id", pa.array(self.ids)).filter(pa.array(mask))


def member_names(tables: Tables) -> Names:
    """Whoever is listed, subscribes or owns something."""
    named = [
        tables[name].where("member_id is not null").select(*MEMBER_KEYS)
        for name in ("members", "subscriptions", "assignments")
    ]
    rows = _sorted(named, MEMBER_KEYS, MEMBER_HASH)
    is_new_group, is_new = _begins(rows, MEMBER_KEYS[:-1]), _begins(rows, MEMBER_KEYS)
    at = is_new.cumsum() - 1
    rank = is_new_group.cumsum() - 1
    return _names(rows, id_of(MEMBER, rank, at - at[is_new_group][rank]), MEMBER_KEYS)


def topic_names(tables: Tables, grain: str) -> Names:
    """Every topic that has a partition which is listed or owned; a negative number is nobody's.

    Where the grain is partitions, its id is that of partition 0, whether that is there or not.
    """
    owned = tables["assignments"].where("member_id is not null")
    named = [
        rows.select(*PARTITION_KEYS).where("partition >= 0").select(*TOPIC_KEYS)
        for rows in (tables["partitions"], owned)
    ]
    rows = _sorted(named, TOPIC_KEYS, TOPIC_HASH)
    return _names(rows, id_of(grain, _begins(rows, TOPIC_KEYS).cumsum() - 1, 0), TOPIC_KEYS)


def _sorted(named: Sequence[DataFrame], keys: Sequence[str], hashed: str) -> pa.Table:
    """The distinct names with their `hash`, in the order of their UTF-8 bytes."""
    distinct = reduce(DataFrame.unionAll, named).distinct()
    spelled = (f"{escaped(f'`{key}`')} as `{key}`" for key in keys)
    rows = distinct.selectExpr(f"{hashed} as hash", *spelled).toArrow().combine_chunks()
    return rows.sort_by([(key, "ascending") for key in keys]).combine_chunks()


def _begins(rows: pa.Table, keys: Sequence[str]) -> NDArray[np.bool_]:
    """Where sorted rows have another name than the one before."""
    begins = np.zeros(len(rows), np.bool_)
    begins[:1] = True
    for key in keys:
        names = rows[key]
        begins[1:] |= pc.not_equal(names[1:], names[:-1]).to_numpy(zero_copy_only=False)
    return begins


def _names(rows: pa.Table, ids: Ids, keys: Sequence[str]) -> Names:
    """Raises InputError where two names have one hash."""
    order = np.argsort(rows["hash"].to_numpy(), kind="stable")
    hashes = rows["hash"].to_numpy()[order]
    if (same := np.flatnonzero(hashes[1:] == hashes[:-1])).size:
        a, b = (rows[keys[-1]][at].as_py() for at in order[same[0] : same[0] + 2].tolist())
        raise InputError(f"{a!r} and {b!r} have one 64-bit hash: rename one of them")
    return Names(rows, ids, order, hashes)


BROADCAST_ROWS = 100_000
"""Rows that are sent to where all others are, instead of these to them."""


@dataclass(frozen=True)
class Reaching:
    """Seeks in a fleet's tables, whose names are as the source spells them.

    `grain` says whether members are tied to partitions or to topics: both are places.
    """

    tables: Tables
    grain: str

    @cached_property
    def _members(self) -> Names:
        return member_names(self.tables)

    @cached_property
    def _topics(self) -> Names:
        return topic_names(self.tables, self.grain)

    def vertices_named(self, topic: str, cluster: str | None) -> Ids:
        """The places of a topic, in one cluster or in all."""
        names = self._topics.rows
        and_ = pc.equal(names["topic"], topic)
        if cluster is not None:
            and_ = pc.and_(and_, pc.equal(names["cluster"], cluster))
        hashes = names.filter(and_).select(["hash"])
        owned, _ = self._owns
        of_topic = np.isin(_topic_of(owned), self._topics.of(hashes["hash"].to_numpy()))
        listed = self._partitions().join(self._rows(hashes), "hash")
        return np.unique(np.concatenate([owned[of_topic], self._unique_vertices(listed)]))

    def led_by(self, brokers: DataFrame) -> Ids:
        """The places that these brokers (cluster, broker) lead something of."""
        numbers = [row.broker for row in brokers.select("broker").distinct().collect()]
        led = self._partitions("cluster", "leader").where(F.col("leader").isin(numbers))
        named = led.selectExpr(
            *("hash", "partition", "leader as broker"), f"{escaped('cluster')} as cluster"
        )
        return self._unique_vertices(
            named.join(F.broadcast(brokers), ["cluster", "broker"], "left_semi")
        )

    def depths(self, failing: Ids, led: Ids, most: int | None) -> tuple[Ids, Ids]:
        """All that is reached, in ascending order, and how far away; what fails leads `led`."""
        owned, owner = self._owns
        return depths_from(
            failing,
            causes=np.concatenate([owned, owner, failing[:1].repeat(len(led))]),
            touched=np.concatenate([owner, owned, led]),
            most=most,
        )

    def reached_rows(self, ids: Ids, depths: Ids) -> list[DataFrame]:
        """Vertices, but for brokers, of these ids and depths, with the columns of a graph's."""
        reached = pa.table({"id": ids, "depth": pa.array(depths, pa.int32())})
        kinds = vertex_kinds(ids)
        members, grain_vertices = (
            reached.filter(pa.array(kinds == kind)) for kind in (MEMBER, self.grain)
        )
        return [self._member_rows(members), self._place_rows(grain_vertices)]

    def _member_rows(self, reached: pa.Table) -> DataFrame:
        names = self._members.among(reached["id"].to_numpy())
        listed = (
            self.tables["members"]
            .selectExpr(f"{MEMBER_HASH} as hash", *MEMBER_FACTS)
            .join(self._rows(names.select(["hash", "id"])), "hash")
            .groupBy("id")
            .agg(F.lit(True).alias("listed"), *map(_least, MEMBER_FACTS))
        )
        named = self._rows(_once(names)).join(self._rows(reached), "id")
        return _vertices(MEMBER, _with_facts(named, listed))

    def _place_rows(self, reached: pa.Table) -> DataFrame:
        names = self._topics.among(_topic_of(reached["id"].to_numpy()))
        topic = f"(id >> {NUMBER_BITS}) << {NUMBER_BITS}"
        grain_vertices = self._rows(reached).selectExpr(
            *("id", "depth", f"cast(id - ({topic}) as int) as partition", f"{topic} as topic_id")
        )
        named = grain_vertices.join(
            self._rows(_once(names).rename_columns(["topic_id", "cluster", "topic"])), "topic_id"
        )
        hashes = self._rows(names.select(["hash", "id"]))
        result = self._partitions("leader_rack as rack").join(hashes, "hash")
        if self.grain == PARTITION:
            of_partition = result.withColumn("id", F.expr("id + partition")).groupBy("id")
            listed = of_partition.agg(F.lit(True).alias("listed"), _least("rack"))
            rows = _with_facts(named, listed).withColumn("partitions", F.lit(1))
        else:
            count = F.count_distinct("partition").alias("partitions")
            listed = result.groupBy("id").agg(F.lit(True).alias("listed"), count)
            rows = _with_facts(named.drop("partition"), listed).na.fill({"partitions": 0})
        return _vertices(self.grain, rows)

    @cached_property
    def _owns(self) -> tuple[Ids, Ids]:
        """Each claim's place and member."""
        claims = (
            self.tables["assignments"]
            .where("member_id is not null and partition >= 0")
            .selectExpr(f"{TOPIC_HASH} as hash", "partition", f"{MEMBER_HASH} as member")
        )
        result = claims.toArrow()
        return self._places_in(result), self._members.of(result["member"].to_numpy())

    def _partitions(self, *columns: str) -> DataFrame:
        """The partitions that are listed: the `hash` of the topic, `partition`, and these."""
        listed = self.tables["partitions"].where("partition >= 0")
        return listed.selectExpr(f"{TOPIC_HASH} as hash", "partition", *columns)

    def _unique_vertices(self, partitions: DataFrame) -> Ids:
        """The places of partitions with the `hash` of their topics."""
        return np.unique(self._places_in(partitions.select("hash", "partition").toArrow()))

    def _places_in(self, partitions: pa.Table) -> Ids:
        topics = self._topics.of(partitions["hash"].to_numpy())
        return topics + partitions["partition"].to_numpy() if self.grain == PARTITION else topics

    def _rows(self, table: pa.Table) -> DataFrame:
        rows = self.tables["members"].sparkSession.createDataFrame(table)
        return F.broadcast(rows) if len(table) < BROADCAST_ROWS else rows


def _topic_of(grain_vertices: Ids) -> Ids:
    """The place of the same topic whose number is 0."""
    return grain_vertices >> NUMBER_BITS << NUMBER_BITS


def _once(names: pa.Table) -> pa.Table:
    """Each `id` once, first, and its names."""
    first = np.unique(names["id"].to_numpy(), return_index=True)[1]
    named = [name for name in names.column_names if name not in ("id", "hash")]
    return names.take(pa.array(first)).select(["id", *named])


def _least(fact: str) -> Column:
    return F.min(F.expr(escaped(fact))).alias(fact)


def _with_facts(named: DataFrame, listed: DataFrame) -> DataFrame:
    return named.join(listed, "id", "left").na.fill({"listed": False})


def _vertices(kind: str, rows: DataFrame) -> DataFrame:
    return as_vertices(rows.withColumn("kind", F.lit(kind)), "kind", "depth")
