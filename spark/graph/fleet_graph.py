"""The graph of a fleet, and the questions that are easier to ask of a graph than of tables.

The only file that needs GraphFrames. Its Python package comes along with evenfleet; its jar has to
be in the session, by the coordinate in conf/packages.toml.
"""

import tomllib
from collections.abc import Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
from graphframes import GraphFrame
from numpy.typing import NDArray
from pyspark.sql import DataFrame, SparkSession, Window, functions as F

from spark.errors import InputError
from spark.fleet import FleetSnapshot, escaped_rows
from spark.graph.vertices import (
    BROKER,
    LED_BY,
    MEMBER,
    OWNS,
    PARTITION,
    SUBSCRIBES,
    TOPIC,
    Tables,
    edges_of,
    name_of,
    vertices_of,
)
from spark.unpersist_handle import Handle

PACKAGES = Path(__file__).with_name("packages.toml")
"""In a checkout a link to conf/packages.toml, in a wheel a copy of it."""


def coordinate(package: str) -> str:
    """The text for `--packages` of a package named in conf/packages.toml."""
    coordinates: dict[str, str] = tomllib.loads(PACKAGES.read_text(encoding="utf-8"))["packages"]
    return coordinates[package]


Ids = NDArray[np.int64]

Grain = Literal["partition", "topic"]

GRAINS = (PARTITION, TOPIC)

ROWS_PER_TASK = 100_000
"""Of vertices or edges, in each step of an iteration over the graph."""


class FleetGraph(GraphFrame, Handle):
    """A GraphFrame of a fleet: vertices and edges as in the files of these names.

    `parts` has the vertices and edges of each kind; `grain` says whether members are tied to
    partitions or to topics. Each part, and what questions have to compute on the way, stays in
    Spark's cache from first use until `release`; as a context manager the graph releases itself.
    """

    def __init__(self, snapshot: Tables, grain: str) -> None:
        self._kept: list[DataFrame] = []
        tables = {name: escaped_rows(table) for name, table in snapshot.items()}
        vertices = self._keep_each(vertices_of(tables, grain))
        edges = self._keep_each(edges_of(tables, vertices, grain))
        self.grain = grain
        self.parts = vertices | edges
        super().__init__(_union(vertices), _union(edges))

    def _keep_each(self, parts: dict[str, DataFrame]) -> dict[str, DataFrame]:
        """Told apart outside of the cache: a kind that isn't asked for is never computed."""
        return {
            kind: self.keep(rows).withColumn("kind", F.lit(kind)) for kind, rows in parts.items()
        }

    def keep(self, rows: DataFrame) -> DataFrame:
        """Keep rows from their first use until the graph is released."""
        self._kept.append(rows.persist())
        return rows

    def release(self) -> None:
        """Free all that is kept; what is asked later is computed again."""
        while self._kept:
            self._kept.pop().unpersist()


def fleet_graph(snapshot: FleetSnapshot, grain: Grain = "partition") -> FleetGraph:
    """The graph of a snapshot: members, partitions or topics, brokers, and what ties them.

    With partitions there are as many `subscribes` edges as pairs of a member and a partition that
    it may read; a group of thousands of members is better examined by topics. InputError for
    another grain, for null keys, and when the session lacks GraphFrames' jar.
    """
    if grain not in GRAINS:
        raise InputError(f"a graph has no grain {grain!r}: choose {' or '.join(GRAINS)}")
    tables = snapshot.validate().tables
    if not has_graphframes(tables["members"].sparkSession):
        raise InputError(
            "GraphFrames' jar is missing: start Spark with "
            f"`--packages {coordinate('graphframes')}`, everything but the graph works without"
        )
    return FleetGraph(tables, grain)


def has_graphframes(session: SparkSession) -> bool:
    """Whether the session can make graphs: whether its JVM has GraphFrames' classes."""
    vertices = session.range(0)
    try:
        GraphFrame(vertices, vertices.select(F.col("id").alias("src"), F.col("id").alias("dst")))
    except Exception as error:  # of anything that Java throws
        if "ClassNotFoundException" in str(error):
            return False
        raise
    return True


def coupled_groups(graph: FleetGraph, hub: int | None = None) -> DataFrame:
    """Groups that share topics, directly or through other groups: one row a group with members.

    Groups of different components can be rolled out independently of each other. Topics that more
    than `hub` groups read don't couple anybody; by default all do.

    cluster, group, component (the first of its groups by name), component_groups (how many they
    are), shared_topics (topics that the group shares with others, hubs left out), hub_topics.
    """
    readers = F.count("*").over(Window.partitionBy("dst"))
    reads = graph.keep(
        graph.parts[SUBSCRIBES]
        .select(name_of("src").alias("src"), name_of("dst").alias("dst"))
        .distinct()
        .withColumn("readers", readers)
    )
    is_hub = F.lit(False) if hub is None else F.col("readers") > hub
    through = reads.where((F.col("readers") > 1) & ~is_hub).select("src", "dst")
    groups = graph.parts[MEMBER].select(name_of("id").alias("id"), "cluster", "group").distinct()
    ids = groups.select("id").unionAll(through.select("dst").distinct())
    counts = (
        reads.where("readers > 1")
        .groupBy(F.col("src").alias("id"))
        .agg(
            F.count_if(~is_hub).alias("shared_topics"),
            F.count_if(is_hub).alias("hub_topics"),
        )
    )
    of_component = Window.partitionBy("component_id")
    return (
        groups.join(_component_ids(graph, ids, through), "id")
        .join(counts, "id", "left")
        .na.fill({"shared_topics": 0, "hub_topics": 0})
        .select(
            *("cluster", "group", F.min("group").over(of_component).alias("component")),
            F.count("*").over(of_component).alias("component_groups"),
            *("shared_topics", "hub_topics"),
        )
    )


def components(graph: FleetGraph, cluster: str, group: str) -> DataFrame:
    """The parts of one group that share no member and no partition: one row a vertex.

    No partition can go from one component to another, so each is balanced on its own. A member
    that may read nothing is a component of its own.

    component (the first of its members' ids), kind, member_id or topic (and partition, if the graph
    has partitions), partitions (how many that is). InputError when there is no such group.
    """
    members = _members(graph, cluster, group)
    vertices, edges = _members_part(graph, members, [SUBSCRIBES])
    first = F.min("member_id").over(Window.partitionBy("component_id"))
    return vertices.join(_component_ids(graph, vertices.select("id"), edges), "id").select(
        first.alias("component"), "kind", "member_id", "topic", "partition", "partitions"
    )


def competitors(graph: FleetGraph, cluster: str, group: str, member_id: str) -> DataFrame:
    """Members of a member's group that may read what it may read: one row a competitor.

    cluster, group, member_id, instance_id, client_id, host, shared (partitions that both may
    read), owned (of those that the member may read, how many the competitor owns). InputError when
    there is no such member.
    """
    members = _members(graph, cluster, group)
    if members.where(F.col("member_id") == member_id).isEmpty():
        raise InputError(f"group {group!r} of cluster {cluster!r} has no member {member_id!r}")
    pairs = (
        GraphFrame(*_members_part(graph, members, [SUBSCRIBES, OWNS]))
        .find("(one)-[may]->(place); (other)-[does]->(place)")
        .where(F.col("one.member_id") == member_id)
        .where("may.kind = 'subscribes' and one.id != other.id")
    )
    of_kind = F.col("does.kind") == SUBSCRIBES
    columns = ("cluster", "group", "member_id", "instance_id", "client_id", "host")
    return (
        pairs.groupBy(*(F.col(f"other.{fact}").alias(fact) for fact in columns))
        .agg(
            F.sum(F.when(of_kind, F.col("place.partitions")).otherwise(0)).alias("shared"),
            F.sum(F.when(~of_kind, F.col("does.partitions")).otherwise(0)).alias("owned"),
        )
        .where("shared > 0")
    )


def reach(
    graph: FleetGraph,
    *,
    broker: int | None = None,
    rack: str | None = None,
    topic: str | None = None,
    cluster: str | None = None,
    depth: int | None = None,
) -> DataFrame:
    """The reach of a failing broker, rack or topic: every vertex, with its `depth`.

    A broker (depth 0) takes along the partitions that it leads (1), these the members that own them
    (2), these all that they own (3), these its owners in other groups (4), and so on, until nothing
    new is found or `depth` is reached. A topic starts with its partitions (0); a rack with all of
    its brokers. A broker that didn't fail itself is never touched.

    The columns of `spark.graph.vertices`, and depth. InputError unless exactly one of broker, rack
    and topic is given, and is there.
    """
    inputs = {"broker": broker, "rack": rack, "topic": topic}
    causes = [(name, value) for name, value in inputs.items() if value is not None]
    if len(causes) != 1:
        raise InputError("say what fails: a broker, a rack or a topic, one of them")
    ((name, value),) = causes
    kind = graph.grain if name == "topic" else BROKER
    failing = graph.parts[kind].where(F.col(name) == value)
    if cluster is not None:
        failing = failing.where(F.col("cluster") == cluster)
    (start,) = _numbers(failing, "id")
    if not len(start):
        searched = "the fleet" if cluster is None else f"cluster {cluster!r}"
        raise InputError(f"{searched} has no {name} {value!r}")
    owner, owned = _numbers(graph.parts[OWNS], "src", "dst")
    led_by = graph.parts[LED_BY].join(failing.selectExpr("id as dst"), "dst")
    led, leader = _numbers(led_by, "src", "dst")
    ids, depths = depths_from(
        start,
        causes=np.concatenate([owner, owned, leader]),
        touched=np.concatenate([owned, owner, led]),
        most=depth,
    )
    reached = pa.table({"id": ids, "depth": pa.array(depths, pa.int32())})
    return graph.vertices.join(graph.vertices.sparkSession.createDataFrame(reached), "id")


def _numbers(rows: DataFrame, *columns: str) -> list[Ids]:
    """Columns of ids, on the driver."""
    fetched = rows.select(*columns).toArrow()
    return [fetched[name].to_numpy() for name in columns]


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
        neighbors = others[at]
        frontier = np.unique(neighbors[depth[neighbors] < 0])
        depth[frontier] = step
    reached = np.flatnonzero(depth >= 0)
    return ids[reached], depth[reached]


def _members(graph: FleetGraph, cluster: str, group: str) -> DataFrame:
    of_group = (F.col("cluster") == cluster) & (F.col("group") == group)
    members = graph.parts[MEMBER].where(of_group)
    if members.isEmpty():
        raise InputError(f"cluster {cluster!r} has no group {group!r} with members")
    return members


def _members_part(
    graph: FleetGraph, members: DataFrame, kinds: Sequence[str]
) -> tuple[DataFrame, DataFrame]:
    """Vertices and edges of the members' part of the graph."""
    frame = _union({kind: graph.parts[kind] for kind in kinds})
    edges = graph.keep(frame.join(members.select(F.col("id").alias("src")), "src"))
    ends = edges.select(F.col("dst").alias("id"))
    return members.unionAll(graph.parts[graph.grain].join(ends, "id", "left_semi")), edges


def _component_ids(graph: FleetGraph, vertices: DataFrame, edges: DataFrame) -> DataFrame:
    """id and component_id of each vertex.

    By GraphX: GraphFrames' own algorithm either wants a folder for checkpoints, or its plans grow
    with each step beyond what Spark can plan. It computes its input more than once, so that is kept
    and spread again, by how much there is: each part of a union, or each of a session's hundreds of
    shuffle partitions, would else be a task of its own in each step. What GraphX caches on its way
    is freed by the JVM's garbage collection, once the result has been released.
    """
    spread = [
        rows.repartition(1 + rows.count() // ROWS_PER_TASK, key)
        for rows, key in ((vertices, "id"), (edges, "src"))
    ]
    for rows in spread:
        graph.keep(rows).count()
    labelled = GraphFrame(*spread).connectedComponents(algorithm="graphx")
    return graph.keep(labelled.select("id", F.col("component").alias("component_id")))


def _union(parts: Mapping[str, DataFrame]) -> DataFrame:
    return reduce(DataFrame.unionAll, parts.values())
