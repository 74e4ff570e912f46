"""Where a finding is tried: a cluster of its own, in a fleet and in the same fleet before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.support.fleets import Fleet

Claim = tuple[Any, ...]
"""Topic, partition, member and perhaps a generation."""


@dataclass(frozen=True)
class Fleets:
    """A fleet, and the same fleet an hour before."""

    now: Fleet = field(default_factory=Fleet)
    before: Fleet = field(default_factory=Fleet)


@dataclass(frozen=True)
class TableStore:
    """One cluster of both fleets. Its groups are called as those of the others: `g`, mostly."""

    cluster: str
    fleets: Fleets

    def topic(self, name: str, partitions: int, **facts: Sequence[Any]) -> None:
        """A topic, now and before; each of `facts` is a column with a value a partition."""
        for fleet in (self.fleets.now, self.fleets.before):
            for number in range(partitions):
                of_one = {column: values[number] for column, values in facts.items()}
                fleet.add(
                    "partitions", cluster=self.cluster, topic=name, partition=number, **of_one
                )

    def group(
        self,
        members: Mapping[str, Sequence[str]],
        owned: Iterable[Claim] = (),
        name: str = "g",
        racks: Mapping[str, str] | None = None,
        **facts: Any,
    ) -> None:
        """A group now; see `Fleet.group`."""
        self.fleets.now.group(name, members, owned, cluster=self.cluster, **facts)
        for row in self.fleets.now.rows["members"]:
            if racks and (row["cluster"], row["group"]) == (self.cluster, name):
                row["rack"] = racks[row["member_id"]]

    def was(self, owned: Mapping[str, Iterable[int]], static: bool = False) -> None:
        """Group `g` before: the partitions of topic t by member; with or without static ids."""
        claims = [("t", number, member) for member, numbers in owned.items() for number in numbers]
        fleet = self.fleets.before
        fleet.group("g", {member: ["t"] for member in owned}, claims, cluster=self.cluster)
        if static:
            self.make_static(fleet)

    def make_static(self, fleet: Fleet) -> None:
        """Each member of the cluster gets an id that stays."""
        for row in fleet.rows["members"]:
            if row["cluster"] == self.cluster:
                row["instance_id"] = f"static-{row['member_id']}"

    def lags(self, topic: str, lags: Iterable[int | None]) -> None:
        """Lags of group `g` on a topic's partitions, as some tool has stated them.

        Of those that are None nothing was ever committed, and Kafka says so by -1.
        """
        for number, lag in enumerate(lags):
            never = {"committed_offset": -1, "end_offset": 2000} if lag is None else {}
            self.fleets.now.add("offsets", **self.entry(topic, number), lag=lag, **never)

    def offsets(self, fleet: Fleet, committed: int | None, end: int | None) -> None:
        """What group `g` has committed on partition 0 of topic t, and where that ends."""
        entry = self.entry("t", 0)
        fleet.add("offsets", **entry, committed_offset=committed, end_offset=end)

    def entry(self, topic: str, number: int) -> dict[str, Any]:
        """The key of a row of offsets of group `g`."""
        return {"cluster": self.cluster, "group": "g", "topic": topic, "partition": number}


Build = Callable[[TableStore], None]


@dataclass(frozen=True)
class Told:
    """What a finding says, but for who it is about; `{cluster}` is the cluster's name."""

    severity: str
    subject: str
    measure: float
    threshold: float
    sentence: str
    group: str | None = "g"


@dataclass(frozen=True)
class Cases:
    """Three clusters a finding: one of which it tells, and two of which it tells nothing.

    `nearly` is just under the threshold, or one condition short.
    """

    told: Told
    fires: Build
    nearly: Build
    never: Build


def owning(name: str, **partitions: Iterable[int]) -> list[Claim]:
    """Claims on a topic by member."""
    return [
        (name, number, member) for member, partition in partitions.items() for number in partition
    ]
