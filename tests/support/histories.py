"""Random histories of small groups, each a function of its seed."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.support.fleets import Fleet

HOURS = [f"20261121T{hour:02}0000Z" for hour in range(24)]
"""Ids of snapshots."""


@dataclass
class RandomGroup:
    """A group that goes on from hour to hour: members come, go and return, topics grow."""

    name: str
    draw: random.Random
    members: dict[str, tuple[str | None, list[str]]] = field(default_factory=dict)
    owner: dict[tuple[str, int], str] = field(default_factory=dict)
    generation: int = 1
    born: int = 0

    def step(self, sizes: dict[str, int]) -> None:
        """One hour: often nothing happens."""
        if self.draw.random() < 0.5 and self.born:
            return
        before = (dict(self.members), dict(self.owner))
        for _ in range(self.draw.randint(0, 2) if self.born else 3):
            self._join(sorted(sizes))
        for member in self.draw.sample(sorted(self.members), len(self.members)):
            if self.draw.random() < 0.2:
                self._leave(member, sorted(sizes))
        self._rebalance(sizes)
        if before != (self.members, self.owner):
            self.generation += self.draw.randint(1, 2)
        if self.draw.random() < 0.05:
            self.generation = 1

    def _join(self, topics: Sequence[str], instance: str | None = None) -> None:
        self.born += 1
        static = instance or (f"i{self.born}" if self.draw.random() < 0.4 else None)
        topics = [topic for topic in topics if self.draw.random() < 0.7]
        self.members[f"m{self.born:03}"] = (static, topics)

    def _leave(self, member: str, topics: Sequence[str]) -> None:
        instance, _ = self.members.pop(member)
        if instance and self.draw.random() < 0.6:
            self._join(topics, instance)
            new = f"m{self.born:03}"
            for place, owner in self.owner.items():
                if owner == member:
                    self.owner[place] = new

    def _rebalance(self, sizes: dict[str, int]) -> None:
        """Anybody who may gets what has no owner, and now and then something else."""
        for topic, size in sizes.items():
            readers = sorted(m for m, (_, topics) in self.members.items() if topic in topics)
            for number in range(size):
                place = (topic, number)
                if not readers:
                    self.owner.pop(place, None)
                elif self.owner.get(place) not in readers or self.draw.random() < 0.2:
                    self.owner[place] = self.draw.choice(readers)

    def put_into(self, fleet: Fleet, cluster: str) -> None:
        owned = [(t, n, member) for (t, n), member in sorted(self.owner.items())]
        fleet.group(
            self.name,
            {member: topics for member, (_, topics) in self.members.items()},
            owned,
            cluster=cluster,
            generation=self.generation,
            state="Stable" if self.members else "Empty",
        )
        for row in fleet.rows["members"]:
            if (row["cluster"], row["group"]) == (cluster, self.name):
                row["instance_id"] = self.members[row["member_id"]][0]
                row["host"] = f"host-{row['member_id']}"


def random_history(
    seed: int, groups: int, hours: int, clusters: Sequence[str] = ("c", "d")
) -> dict[str, Fleet]:
    """Fleets by snapshot; some hours lack a cluster, or some groups, all have at least one."""
    draw = random.Random(seed)
    sizes = {cluster: {f"t{t}": draw.randint(1, 4) for t in range(3)} for cluster in clusters}
    living = {
        cluster: [
            RandomGroup(f"g{g:03}", random.Random(f"{seed}-{cluster}-{g}")) for g in range(groups)
        ]
        for cluster in clusters
    }
    fleets = {}
    for hour in HOURS[:hours]:
        fleet = Fleet()
        left_out = draw.choice([None, None, *clusters])
        for cluster in clusters:
            if draw.random() < 0.3:
                sizes[cluster][draw.choice(["t0", "t1"])] += 1
            for group in living[cluster]:
                group.step(sizes[cluster])
            if cluster != left_out:
                for topic, size in sizes[cluster].items():
                    fleet.topic(topic, size, cluster=cluster)
                for group in living[cluster]:
                    if group.draw.random() < 0.9:
                        group.put_into(fleet, cluster)
        fleets[hour] = fleet
    return fleets
