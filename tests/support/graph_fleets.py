"""Random fleets, and their graphs as plain sets: what the graph is checked against."""

from collections.abc import Iterable
from random import Random
from typing import Any

from tests.support.fleets import Fleet

Vertex = tuple[Any, ...]
"""("member", cluster, group, member id), ("partition", cluster, topic, number), …"""


BEYOND = 99
"""A partition that no topic has, and somebody claims."""

BROKERS = 4
RACKS = {0: "east", 1: "east", 2: "west"}
"""The brokers that are listed; the last one is known from what it leads alone."""


def random_fleet(clusters: int, seed: int) -> Fleet:
    """Each cluster is a fleet of its own: groups and topics are called the same in all."""
    fleet = Fleet()
    for number in range(clusters):
        _add_cluster(fleet, f"cluster-{number}", Random(f"{seed}-{number}"))
    return fleet


def _add_cluster(fleet: Fleet, cluster: str, draw: Random) -> None:
    topics = {f"topic-{at}": draw.randint(1, 4) for at in range(draw.randint(3, 9))}
    for topic, count in topics.items():
        fleet.topic(topic, count, cluster=cluster)
    for row in fleet.rows["partitions"]:
        if row["cluster"] == cluster:
            row["leader"] = draw.choice([*range(BROKERS), None])
    for broker, rack in RACKS.items():
        fleet.add("brokers", cluster=cluster, broker=broker, rack=rack)
    for group in range(draw.randint(2, 6)):
        few = draw.sample(sorted(topics), draw.randint(1, min(3, len(topics))))
        members = {f"m{at}": draw.sample(few, draw.randint(0, len(few))) for at in range(4)}
        places = [(topic, number) for topic in few for number in range(topics[topic])]
        claims = {(*place, draw.choice([*members, "gone"])) for place in places * 2}
        kept = [claim for claim in sorted(claims) if draw.random() < 0.5]
        if draw.random() < 0.3:
            kept.append((draw.choice(few), BEYOND, "m0"))
        fleet.group(f"group-{group}", members, kept, cluster=cluster)


class Plain:
    """The graph of a fleet, of partitions or of topics, as sets."""

    def __init__(self, fleet: Fleet, grain: str) -> None:
        self.rows = fleet.rows
        self.grain = grain
        listed = {self.place(row) for row in self.rows["partitions"]}
        of_topic: dict[Any, set[Vertex]] = {}
        for row in self.rows["partitions"]:
            of_topic.setdefault((row["cluster"], row["topic"]), set()).add(self.place(row))
        self.subscribes = {
            (member(row), place)
            for row in self.rows["subscriptions"]
            for place in of_topic.get((row["cluster"], row["topic"]), ())
        }
        self.owns = {(member(row), self.place(row)) for row in self.rows["assignments"]}
        self.led_by = {
            (self.place(row), ("broker", row["cluster"], row["leader"]))
            for row in self.rows["partitions"]
            if row.get("leader") is not None
        }
        self.listed = listed | {member(row) for row in self.rows["members"]}
        self.listed |= {("broker", row["cluster"], row["broker"]) for row in self.rows["brokers"]}
        ends = {end for edge in self.subscribes | self.owns | self.led_by for end in edge}
        self.vertices = self.listed | ends

    def place(self, row: dict[str, Any]) -> Vertex:
        if self.grain == "topic":
            return ("topic", row["cluster"], row["topic"])
        return ("partition", row["cluster"], row["topic"], row["partition"])

    def reached(self, start: Iterable[Vertex]) -> dict[Vertex, int]:
        """Breadth first, from brokers to what they lead, and then between owners and owned."""
        after: dict[Vertex, set[Vertex]] = {}
        for owner, owned in self.owns:
            after.setdefault(owner, set()).add(owned)
            after.setdefault(owned, set()).add(owner)
        for led, broker in self.led_by:
            after.setdefault(broker, set()).add(led)
        depth = dict.fromkeys(start, 0)
        queue = list(depth)
        for vertex in queue:
            for result in after.get(vertex, set()) - depth.keys():
                depth[result] = depth[vertex] + 1
                queue.append(result)
        return depth


def member(row: dict[str, Any]) -> Vertex:
    return ("member", row["cluster"], row["group"], row["member_id"])


def vertex(row: Any) -> Vertex:
    """A row of a graph's vertices as `Plain` has it."""
    names = {
        "member": ("group", "member_id"),
        "partition": ("topic", "partition"),
        "topic": ("topic",),
        "broker": ("broker",),
    }
    return (row["kind"], row["cluster"], *(row[name] for name in names[row["kind"]]))


def united(pairs: Iterable[tuple[Any, Any]], alone: Iterable[Any]) -> set[frozenset[Any]]:
    """Union-find: what pairs connect, and what nothing connects."""
    leader: dict[Any, Any] = {item: item for item in alone}

    def find(one: Any) -> Any:
        leader.setdefault(one, one)
        while leader[one] != one:
            one = leader[one]
        return one

    for a, b in pairs:
        leader[find(a)] = find(b)
    parts: dict[Any, set[Any]] = {}
    for item in list(leader):
        parts.setdefault(find(item), set()).add(item)
    return set(map(frozenset, parts.values()))
