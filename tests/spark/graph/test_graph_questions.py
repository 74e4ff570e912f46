"""Each question's answer equals that of a plain computation, on random fleets.

The clusters of one fleet are what varies: a question without a cluster asks all of them at once.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from pyspark.sql import SparkSession

from optimizer import Group, Member
from optimizer.model.numbering import problem_of
from optimizer.solver.demand import components as split
from spark import FleetSnapshot, InputError
from spark.graph import Question, answers
from spark.graph.fleet_graph import (
    FleetGraph,
    competitors,
    components,
    coupled_groups,
    fleet_graph,
    reach,
)
from tests.support.fleets import Fleet, odd, write_files
from tests.support.graph_fleets import RACKS, Plain, random_fleet, united, vertex
from tests.support.groups import demand

FLEET = random_fleet(clusters=25, seed=11)


@pytest.fixture(scope="module")
def by_partition(graphframes: SparkSession) -> Iterator[FleetGraph]:
    with fleet_graph(FLEET.snapshot(graphframes), "partition") as graph:
        yield graph


@pytest.fixture(scope="module")
def by_topic(graphframes: SparkSession) -> Iterator[FleetGraph]:
    with fleet_graph(FLEET.snapshot(graphframes), "topic") as graph:
        yield graph


class TestCoupledGroups:
    """Connected components over shared topics."""

    @pytest.mark.parametrize(
        ("grain", "hub"),
        [("topic", 2), pytest.param("partition", None, marks=pytest.mark.wide)],
    )
    def test_equal_to_union_find(
        self, request: pytest.FixtureRequest, grain: str, hub: int | None
    ) -> None:
        """Partitions couple groups as their topics do."""
        frame = coupled_groups(request.getfixturevalue(f"by_{grain}"), hub).collect()
        reads = {(item[1:3], topic) for item, topic in Plain(FLEET, "topic").subscribes}
        readers: dict[Any, set[Any]] = {}
        for group, topic in reads:
            readers.setdefault(topic, set()).add(group)
        coupling = [pair for pair in reads if not hub or len(readers[pair[1]]) <= hub]
        groups = {(row["cluster"], row["group"]) for row in FLEET.rows["members"]}
        parts = {
            frozenset(item for item in part if item in groups) for part in united(coupling, groups)
        } - {frozenset()}
        assert len(frame) == len(groups)
        wanted = {}
        for part in parts:
            for group in part:
                shared = [t for g, t in reads if g == group and len(readers[t]) > 1]
                hubs = [topic for topic in shared if hub and len(readers[topic]) > hub]
                numbers = (len(part), len(shared) - len(hubs), len(hubs))
                wanted[group] = (min(name for _, name in part), *numbers)
        assert {(row[0], row[1]): tuple(row)[2:] for row in frame} == wanted
        assert any(row["component_groups"] > 2 for row in frame)
        assert any(row["hub_topics"] for row in frame) == (hub is not None)


class TestReach:
    """What a failure touches, and how far away."""

    def test_of_a_broker(self, by_partition: FleetGraph) -> None:
        """In every cluster that has one of that number, to any depth."""
        self.check(Plain(FLEET, "partition"), reach(by_partition, broker=1), {1})

    def test_of_a_rack(self, by_topic: FleetGraph) -> None:
        """All of its brokers at once; of one cluster, and so far only, where that is said."""
        east = {broker for broker, rack in RACKS.items() if rack == "east"}
        rows = reach(by_topic, rack="east", cluster="cluster-20", depth=2)
        self.check(Plain(FLEET, "topic"), rows, east, depth=2, cluster="cluster-20")

    def test_of_a_topic(self, by_partition: FleetGraph) -> None:
        """It begins with its partitions, those that are only claimed too."""
        plain = Plain(FLEET, "partition")
        result = {
            vertex(row): row["depth"] for row in reach(by_partition, topic="topic-0").collect()
        }
        start = [item for item in plain.vertices if item[0] == "partition" and item[2] == "topic-0"]
        assert result == plain.reached(start)
        assert not any(kind == "broker" for kind, *_ in result)

    def test_of_names_that_are_no_valid_utf8_or_spelled_alike(
        self, graphframes: SparkSession, tmp_path: Path
    ) -> None:
        made, odd_name = Fleet(), odd(b"caf\xe9")
        for topic in (odd_name, r"caf\xe9"):
            made.topic(topic, 2)
        made.group("g", {"a": [], odd_name: []}, [(odd_name, 5, odd_name)])
        store = str(write_files(made.tables(), tmp_path))
        with fleet_graph(FleetSnapshot.read(graphframes, store)) as graph:
            rows = reach(graph, topic=r"caf\xe9").collect()
            assert sorted((row["depth"], row["partition"] or 0) for row in rows) == [
                *((0, 0), (0, 1), (0, 5), (1, 0))
            ]

    def check(
        self,
        plain: Plain,
        rows: Any,
        brokers: set[int],
        depth: int | None = None,
        cluster: str | None = None,
    ) -> None:
        start = [
            item
            for item in plain.vertices
            if item[0] == "broker" and item[2] in brokers and cluster in (None, item[1])
        ]
        wanted = plain.reached(start)
        result = rows.collect()
        assert len({row["id"] for row in result}) == len(result)
        assert {vertex(row): row["depth"] for row in result} == {
            item: far for item, far in wanted.items() if depth is None or far <= depth
        }
        assert max(wanted.values()) > (depth or 4)

    @pytest.mark.parametrize(
        ("asked", "said"),
        [
            ({}, "say what fails: a broker, a rack or a topic, one of them"),
            ({"broker": 1, "topic": "t"}, "say what fails: a broker, a rack or a topic"),
            ({"broker": 99}, "the fleet has no broker 99"),
            ({"rack": "east", "cluster": "x\n"}, r"cluster 'x\\n' has no rack 'east'"),
        ],
    )
    def test_of_nothing_that_is_there(
        self, by_topic: FleetGraph, asked: dict[str, Any], said: str
    ) -> None:
        with pytest.raises(InputError, match=said):
            reach(by_topic, **asked)


class TestInsideAGroup:
    """`components` and `competitors`."""

    @pytest.mark.wide
    def test_components_are_those_that_the_solver_splits_a_group_into(
        self, graphframes: SparkSession, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Apart from members that may read nothing, which the solver leaves out.

        The answer sums them up, of the one group that is called so, the largest first.
        """
        fleet, group = scattered(Random(5), blocks=40)
        with fleet_graph(fleet.snapshot(graphframes), "topic") as graph:
            found = components(graph, "c", "g").persist()
            rows = found.collect()
            monkeypatch.setattr(sys.modules[answers.__module__], "components", lambda *_: found)
            parts = answers(graph, Question.COMPONENTS, {"group": "g"})["components"].collect()
            found.unpersist()
        problem, _ = problem_of(group)
        counted = demand(problem)
        wanted = {
            frozenset(problem.member_ids[m] for m in np.unique(counted.members[pairs]).tolist())
            for pairs in split(counted)
        }
        members, topics, sizes = {}, {}, {}
        for row in rows:
            side = members if row["kind"] == "member" else topics
            side.setdefault(row["component"], set()).add(row["member_id"] or row["topic"])
            sizes[row["component"]] = sizes.get(row["component"], 0) + (row["partitions"] or 0)
        idle = {m.member_id for m in group.members if not m.topics}
        assert {frozenset(member) for member in members.values()} == wanted | {
            frozenset({member}) for member in idle
        }
        assert all(name == min(member) for name, member in members.items())
        for name, result in members.items():
            read = {t for m in group.members if m.member_id in result for t in m.topics}
            assert topics.get(name, set()) == read
            assert sizes[name] == sum(group.topics[topic] for topic in read)
        assert len(wanted) > 20
        counts = [(len(of), len(topics.get(name, ())), sizes[name]) for name, of in members.items()]
        assert sorted(tuple(row)[1:] for row in parts) == sorted(counts)
        assert [row[3] for row in parts] == sorted(sizes.values(), reverse=True)

    @pytest.mark.wide
    @pytest.mark.parametrize("grain", ["topic", "partition"])
    def test_competitors_share_what_a_member_may_read(
        self, request: pytest.FixtureRequest, grain: str
    ) -> None:
        graph = request.getfixturevalue(f"by_{grain}")
        plain = Plain(FLEET, "partition")
        mine = max(
            plain.vertices & {item for item, _ in plain.subscribes},
            key=lambda item: (sum(m[:3] == item[:3] for m, _ in plain.subscribes), item),
        )
        may: dict[Any, set[Any]] = {}
        for item, place in plain.subscribes:
            may.setdefault(item, set()).add(place)
        readable = {place if grain == "partition" else place[2] for place in may[mine]}
        wanted = {}
        for other in may.keys() - {mine}:
            shared = may[other] & may[mine]
            owned = [
                place
                for element, place in plain.owns
                if element == other and (place if grain == "partition" else place[2]) in readable
            ]
            if other[:3] == mine[:3] and shared:
                wanted[other[3]] = (len(shared), len(owned))
        asked = dict(zip(("cluster", "group", "member"), mine[1:], strict=True))
        frame = answers(graph, Question.COMPETITORS, asked)["competitors"].collect()
        assert {row["member_id"]: (row["shared"], row["owned"]) for row in frame} == wanted
        assert len(wanted) > 1

    def test_what_is_not_there_is_bad_input(self, by_topic: FleetGraph) -> None:
        with pytest.raises(InputError, match="'cluster-1' has no group 'nobody' with members"):
            components(by_topic, "cluster-1", "nobody")
        with pytest.raises(InputError, match="'group-0' of cluster 'cluster-1' has no member 'x'"):
            competitors(by_topic, "cluster-1", "group-0", "x")
        for name, said in (
            ("group-00", "no cluster has a group 'group-00' with members; did you mean group-0?"),
            ("group-0", "several clusters have a group 'group-0': name its cluster (cluster-0, "),
        ):
            with pytest.raises(InputError, match=re.escape(said)):
                answers(by_topic, Question.COMPONENTS, {"group": name})


def scattered(draw: Random, blocks: int) -> tuple[Fleet, Group]:
    """A group of many small parts, its members in no order."""
    topics: dict[str, int] = {}
    members = []
    for block in range(blocks):
        names = [f"t{block}-{at}" for at in range(draw.randint(1, 4))]
        topics |= {name: draw.randint(1, 5) for name in names}
        members += [
            Member(f"m{draw.random()}", draw.sample(names, draw.randint(0, len(names))))
            for _ in range(draw.randint(1, 4))
        ]
    draw.shuffle(members)
    fleet = Fleet()
    for name, count in topics.items():
        fleet.topic(name, count)
    fleet.group("g", {member.member_id: member.topics for member in members})
    return fleet, Group(topics, members)
