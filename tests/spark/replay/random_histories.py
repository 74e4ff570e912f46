"""Random histories of single groups: fleets by snapshot, and the same as looks at each group."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from optimizer import Group, Member
from tests.support.fleets import Fleet, Row
from tests.support.histories import random_history

START = datetime(2026, 11, 1, tzinfo=UTC)

RACKS = ("r1", "r2", "r3")

Partition = tuple[str, int]


def leader_of(topic: str, partition: int) -> str:
    return RACKS[(len(topic) + ord(topic[-1]) + partition) % 3]


def replicas_of(topic: str, partition: int) -> list[str]:
    return sorted({leader_of(topic, partition), leader_of(topic, partition + 1)})


@dataclass(frozen=True, eq=False)
class Look:
    """The group of a cluster in one snapshot; owners are those of partitions that are there."""

    readers: Mapping[str, tuple[str, ...]]
    instances: Mapping[str, str | None]
    rack_of: Mapping[str, str | None]
    topics: Mapping[str, int]
    owners: dict[Partition, str]
    is_judged: bool

    @property
    def racks(self) -> bool:
        return any(self.rack_of.values())

    def who(self, member: str) -> str:
        return self.instances[member] or member

    def group(self, owners: Mapping[Partition, str]) -> Group:
        """What `assign` is asked, with these owners by member id."""
        members = [
            Member(
                member,
                topics=list(topics),
                owned=sorted(p for p, owner in owners.items() if owner == member),
                instance_id=self.instances[member],
                rack=self.rack_of[member],
            )
            for member, topics in sorted(self.readers.items())
        ]
        leaders, replicas = (
            {topic: [of(topic, p) for p in range(n)] for topic, n in self.topics.items()}
            if self.racks
            else {}
            for of in (leader_of, replicas_of)
        )
        return Group(self.topics, members, leader_racks=leaders, replica_racks=replicas)


@dataclass(frozen=True)
class History:
    """Snapshots of a cluster of one group, and the group in each; None where it isn't there."""

    cluster: str
    ids: Sequence[str]
    looks: Sequence[Look | None]


def random_histories(seeds: Iterable[int]) -> tuple[dict[str, Fleet], list[History]]:
    """Fleets by snapshot, and the history of each cluster: two of them a seed."""
    fleets: dict[str, Fleet] = defaultdict(Fleet)
    histories = []
    for seed in seeds:
        clusters = [f"c{seed:03}{letter}" for letter in "ab"]
        made = random_history(seed, groups=1, hours=12, clusters=clusters)
        for cluster in clusters:
            present = {}
            for at, fleet in enumerate(made.values()):
                rows = {name: _of(cluster, rows) for name, rows in fleet.rows.items()}
                if rows["partitions"]:
                    present[id_of(at)] = rows
            _make_odd(random.Random(cluster), list(present.values()))
            for item, rows in present.items():
                for table in rows:
                    fleets[item].rows[table] += rows[table]
            looks = [_look_at(rows) if rows["groups"] else None for rows in present.values()]
            histories.append(History(cluster, [*present], looks))
    return fleets, histories


def id_of(at: int) -> str:
    """Ten hours apart, and once two days."""
    hours = timedelta(hours=10 * at + 48 * (at > 7))
    return (START + hours).strftime("%Y%m%dT%H%M%SZ")


def _of(cluster: str, rows: Sequence[Row]) -> list[Row]:
    return [row for row in rows if row["cluster"] == cluster]


def _make_odd(draw: random.Random, snapshots: Sequence[dict[str, list[Row]]]) -> None:
    """Rebalances, racks in some clusters, and topics that are lost for some time, or all at last.

    Their claims remain.
    """
    has_racks, loses_all = draw.random() < 0.3, draw.random() < 0.1
    rack_of: dict[str, str] = {}
    lost = {f"t{t}": range(first := draw.randint(1, 20), first + 4) for t in range(3)}
    if loses_all:
        lost = dict.fromkeys(lost, range(draw.randint(1, 9), 99))
    for at, rows in enumerate(snapshots):
        for group in rows["groups"]:
            group["hidden_topics"] = []  # what isn't there was deleted
            group["strategy"] = "range"
            if rows["members"] and draw.random() < 0.06:
                group["state"] = "PreparingRebalance"
        unread = {"topic": "unread", "partition": 0, "cluster": rows["partitions"][0]["cluster"]}
        there = [row for row in rows["partitions"] if at not in lost[row["topic"]]]
        rows["partitions"] = [*there, unread]
        if has_racks:
            for row in there:
                place = (row["topic"], row["partition"])
                row |= {"leader_rack": leader_of(*place), "replica_racks": replicas_of(*place)}
            for row in rows["members"]:
                who = row["instance_id"] or row["member_id"]
                row["rack"] = rack_of.setdefault(who, draw.choice(RACKS))


def _look_at(rows: Mapping[str, Sequence[Row]]) -> Look:
    """The group that these rows describe: with none of its topics it isn't judged."""
    readers = {row["member_id"]: tuple[str, ...]() for row in rows["members"]}
    for row in rows["subscriptions"]:
        readers[row["member_id"]] += (row["topic"],)
    topics = Counter(row["topic"] for row in rows["partitions"])
    claims = {(row["topic"], row["partition"]): row["member_id"] for row in rows["assignments"]}
    read = {topic for of in readers.values() for topic in of}
    (group,) = rows["groups"]
    return Look(
        readers={member: tuple(sorted(of)) for member, of in readers.items()},
        instances={row["member_id"]: row["instance_id"] for row in rows["members"]},
        rack_of={row["member_id"]: row.get("rack") for row in rows["members"]},
        topics=topics,
        owners={place: owner for place, owner in claims.items() if place[1] < topics[place[0]]},
        is_judged=bool(readers)
        and group["state"] == "Stable"
        and not ((claims or read) and not read & topics.keys()),
    )
