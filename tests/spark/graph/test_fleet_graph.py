"""The graph of a fleet: its vertices and edges, what it keeps, and what it says without the jar."""

import gc
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark import FleetSnapshot, InputError
from spark.graph.fleet_graph import PACKAGES, Grain, coordinate, coupled_groups, fleet_graph
from spark.graph.vertices import NUMBER_BITS, RANK_BITS, VERTEX_KINDS
from tests.paths import ROOT
from tests.support.fleets import Fleet
from tests.support.graph_fleets import Plain, random_fleet, vertex
from tests.support.kept import kept_in

FLEET = random_fleet(clusters=6, seed=3)


@pytest.fixture(scope="module")
def snapshot(graphframes: SparkSession) -> FleetSnapshot:
    return FLEET.snapshot(graphframes)


@pytest.mark.parametrize("grain", ["partition", "topic"])
def test_vertices_and_edges_are_those_of_the_tables(snapshot: FleetSnapshot, grain: Grain) -> None:
    """Whatever is listed or claimed is a vertex, once; every edge ends in two of them."""
    plain = Plain(FLEET, grain)
    with fleet_graph(snapshot, grain) as graph:
        vertices, edges = graph.vertices.collect(), graph.edges.collect()
    named = {row["id"]: vertex(row) for row in vertices}
    assert len(named) == len(vertices)
    assert sorted(named.values(), key=str) == sorted(plain.vertices, key=str)
    assert {vertex(row) for row in vertices if row["listed"]} == plain.listed
    for kind in ("subscribes", "owns", "led_by"):
        result = [(named[row["src"]], named[row["dst"]]) for row in edges if row["kind"] == kind]
        assert sorted(result, key=str) == sorted(getattr(plain, kind), key=str)


def test_an_edge_to_a_topic_tells_for_how_many_partitions_it_stands(
    graphframes: SparkSession,
) -> None:
    """Claims of one partition by several generations count once; the highest is told."""
    fleet = Fleet().topic("t", 3)
    for row in fleet.rows["partitions"]:
        row["leader"] = 7
    fleet.group("g", {"a": ["t"]}, [("t", 0, "a", 4), ("t", 0, "a", 5), ("t", 2, "a", 3)])
    facts = {("subscribes", 3, None), ("owns", 2, 5), ("led_by", 3, None)}
    with fleet_graph(fleet.snapshot(graphframes), "topic") as graph:
        rows = graph.edges.select("kind", "partitions", "generation").collect()
        assert {tuple(row) for row in rows} == facts


def test_ids_are_packed_as_documented_and_follow_from_names_alone(
    graphframes: SparkSession, settings: Any
) -> None:
    """Whatever the order of rows and the number of shuffle partitions."""
    fleet = Fleet().topic("t", 2, cluster="a").topic("t", [0, 2**31 - 1], cluster="b")
    for row in fleet.rows["partitions"]:
        row["leader"] = 2**31 - 1
    fleet.group("g", {"x": ["t"], "y": ["t"]}, cluster="a").group("f", {"x": []}, cluster="b")
    wanted = {
        ("member", "a", "g", "x"): (0, 0),
        ("member", "a", "g", "y"): (0, 1),
        ("member", "b", "f", "x"): (1, 0),
        ("partition", "a", "t", 0): (0, 0),
        ("partition", "a", "t", 1): (0, 1),
        ("partition", "b", "t", 0): (1, 0),
        ("partition", "b", "t", 2**31 - 1): (1, 2**31 - 1),
        ("broker", "a", 2**31 - 1): (0, 2**31 - 1),
        ("broker", "b", 2**31 - 1): (1, 2**31 - 1),
    }
    for shuffle, turn in ((1, 1), (8, -1)):
        for rows in fleet.rows.values():
            rows[:] = rows[::turn]
        with (
            settings({"spark.sql.shuffle.partitions": str(shuffle)}),
            fleet_graph(fleet.snapshot(graphframes)) as graph,
        ):
            result = {vertex(row): row["id"] for row in graph.vertices.collect()}
        assert result == {
            name: ((VERTEX_KINDS.index(name[0]) << RANK_BITS) + rank << NUMBER_BITS) + number
            for name, (rank, number) in wanted.items()
        }
    assert ((len(VERTEX_KINDS) << RANK_BITS) - 1 << NUMBER_BITS) + 2**31 - 1 == 2**63 - 1  # a long


def test_rows_that_contradict_each_other_make_one_vertex(graphframes: SparkSession) -> None:
    """A member listed twice, a partition listed twice and one of a negative number."""
    fleet = Fleet().topic("t", [0, 0, -1]).group("g", {"a": ["t"]}, [("t", -1, "a")])
    fleet.add("members", group="g", member_id="a", host="h")
    with fleet_graph(fleet.snapshot(graphframes)) as graph:
        result = {(row["kind"], row["partition"], row["host"]) for row in graph.vertices.collect()}
        assert result == {("member", None, "h"), ("partition", 0, None)}
        assert [row["kind"] for row in graph.edges.collect()] == ["subscribes"]


@pytest.mark.alone
def test_release_frees_all_that_was_kept(
    snapshot: FleetSnapshot, graphframes: SparkSession
) -> None:
    """Its own at once, and what GraphX leaves behind when the JVM collects its garbage."""
    before = kept_in(graphframes)
    with fleet_graph(snapshot, "topic") as graph:
        assert coupled_groups(graph).count()
        frames = list(graph._kept)
        assert len(frames) > 6
        assert all(frame.is_cached for frame in frames)
        assert kept_in(graphframes) - before
    assert not any(frame.is_cached for frame in frames)
    del graph, frames
    for _ in range(50):
        gc.collect()
        graphframes.sparkContext._jvm.System.gc()
        if kept_in(graphframes) <= before:
            break
        time.sleep(0.2)
    assert kept_in(graphframes) <= before


def test_without_the_jar_one_sentence_says_what_to_add(snapshot: FleetSnapshot) -> None:
    """A thread of its own has no class loader with the jar that was added in another one."""
    with ThreadPoolExecutor(1) as elsewhere:
        error = elsewhere.submit(fleet_graph, snapshot).exception()
    assert isinstance(error, InputError)
    assert f"`--packages {coordinate('graphframes')}`" in str(error)
    assert "\n" not in str(error)


def test_an_unknown_grain_is_bad_input(snapshot: FleetSnapshot) -> None:
    with pytest.raises(InputError, match="no grain 'group': choose partition or topic"):
        fleet_graph(snapshot, "group")  # type: ignore[arg-type]


def test_graphframes_is_imported_only_when_it_is_used() -> None:
    program = "import spark, sys; sys.exit('graphframes' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == 0


def test_coordinates_are_written_in_one_file() -> None:
    """What the package reads is the file in conf/."""
    in_conf = tomllib.loads((ROOT / "conf" / "packages.toml").read_text(encoding="utf-8"))
    assert coordinate("graphframes") == in_conf["packages"]["graphframes"]
    assert PACKAGES.resolve() == ROOT / "conf" / "packages.toml"
