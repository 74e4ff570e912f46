"""Clusters in which findings are tried: each in a fleet now, and in the same fleet before."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from optimizer.strategies.kafka.order import string_hash
from spark.fleet.schemas import TABLES
from tests.support.fleets import Fleet

PARTITION_COLUMNS = {column.name for column in TABLES["partitions"].columns}

Claim = tuple[Any, ...]
"""Topic, partition, member and perhaps a generation."""

Setting = tuple[str, str, str, str]
"""Scope, name, key and value."""


@dataclass(frozen=True)
class Cluster:
    """A cluster of both fleets. Its groups are called as those of the others: `g`, mostly."""

    name: str
    now: Fleet = field(default_factory=Fleet)
    before: Fleet = field(default_factory=Fleet)

    def add(self, table: str, **cells: Any) -> None:
        """A row of the fleet now."""
        self.now.add(table, cluster=self.name, **cells)

    def topic(self, name: str, partitions: int, **facts: Sequence[Any]) -> None:
        """A topic, now and before; each of `facts` is a column with a value a partition."""
        for fleet in (self.now, self.before):
            for number in range(partitions):
                cells = {column: values[number] for column, values in facts.items()}
                fleet.add("partitions", cluster=self.name, topic=name, partition=number, **cells)

    def group(
        self, members: Mapping[str, Sequence[str]], owned: Sequence[Claim] = (), **facts: Any
    ) -> None:
        """A group now; see `Fleet.group`."""
        self.now.group(facts.pop("name", "g"), members, owned, cluster=self.name, **facts)

    def was(self, owners: str, readers: str = "") -> None:
        """Group g before: who owned the partitions of topic t."""
        self.before.group("g", *ownership(owners, readers), cluster=self.name)

    def describe_members(self, column: str, values: Sequence[Any], fleet: Fleet) -> None:
        """A column of the cluster's members, in their order."""
        rows = [row for row in fleet.rows["members"] if row["cluster"] == self.name]
        for row, value in zip(rows, values, strict=True):
            row[column] = value

    def brokers(self, count: int) -> None:
        for broker in range(1, count + 1):
            self.add("brokers", broker=broker)

    def configs(self, settings: Sequence[Setting]) -> None:
        for setting in settings:
            columns = ("scope", "name", "key", "value")
            self.add("configs", **dict(zip(columns, setting, strict=True)))


def ownership(owners: str, readers: str = "") -> tuple[dict[str, list[str]], list[Claim]]:
    """Members of topic t and their claims, by letters; - is nobody."""
    claims = [("t", at, owner) for at, owner in enumerate(owners) if owner != "-"]
    return {name: ["t"] for name in sorted({*owners, *readers} - {"-"})}, claims


Build = Callable[[Cluster], None]


def build(add: Callable[..., None]) -> Callable[..., Build]:
    """What adds to a cluster, with all other arguments stated beforehand."""
    return lambda *args, **kwargs: lambda cluster: add(cluster, *args, **kwargs)


@build
def owned(
    cluster: Cluster,
    owners: str,
    readers: str = "",
    lags: Sequence[int | None] = (),
    brokers: int = 0,
    configs: Sequence[Setting] = (),
    listed: int = 1,
    members: Mapping[str, Sequence[Any]] | None = None,
    **facts: Any,
) -> None:
    """Group g, whose members own the partitions of topic t by their letters.

    `members` are columns of these, `facts` those of partitions or of groups. Lags are as some tool
    has stated them; where one is None nothing was ever committed, and Kafka says so by -1.
    """
    of_topic = {name: facts.pop(name) for name in PARTITION_COLUMNS & facts.keys()}
    cluster.topic("t", len(owners), **of_topic)
    for _ in range(listed - 1):
        cluster.add("groups", group="g", **facts)
    cluster.group(*ownership(owners, readers), **facts)
    for column, values in (members or {}).items():
        cluster.describe_members(column, values, cluster.now)
    for number, lag in enumerate(lags):
        never = {"committed_offset": -1, "end_offset": 2000} if lag is None else {}
        cluster.add("offsets", group="g", topic="t", partition=number, lag=lag, **never)
    cluster.brokers(brokers)
    cluster.configs(configs)


@build
def reading(
    cluster: Cluster,
    sizes: Mapping[str, int],
    members: Mapping[str, Sequence[str]] | None = None,
    owner: str | None = None,
    **facts: Any,
) -> None:
    """Two members of topics of these sizes; they read all of them, and one may own all."""
    for name, size in sizes.items():
        cluster.topic(name, size)
    claims = [(name, at, owner) for name, size in sizes.items() for at in range(size) if owner]
    cluster.group(members or {"a": [*sizes], "b": [*sizes]}, claims, **facts)


@build
def joining(cluster: Cluster, **owners: str) -> None:
    """Members a and b read topics whose partitions belong to members by letters, `-` to nobody."""
    claims = [
        (topic, number, owner)
        for topic, of_topic in owners.items()
        for number, owner in enumerate(of_topic)
        if owner != "-"
    ]
    for topic, of_topic in owners.items():
        cluster.topic(topic, len(of_topic))
    cluster.group({"a": [*owners], "b": [*owners]}, claims)


@build
def claimed(
    cluster: Cluster,
    *claims: Claim,
    members: Mapping[str, Sequence[str]] | None = None,
    generations: Mapping[str, int] | None = None,
) -> None:
    """Topics t, of which there are these claims, and u, of one partition."""
    cluster.topic("t", 3)
    cluster.topic("u", 1)
    cluster.group(members or {"a": ["t"], "b": ["t"]}, claims, generations=generations)


@build
def changed(
    cluster: Cluster, before: str, now: str, readers: str = "", static: bool = False
) -> None:
    """Who owned a topic before, and who does now; `readers` were there before."""
    cluster.topic("t", len(now))
    cluster.was(before, readers)
    cluster.group(*ownership(now))
    for fleet in (cluster.before, cluster.now) if static else ():
        members = [row for row in fleet.rows["members"] if row["cluster"] == cluster.name]
        ids = [f"static-{row['member_id']}" for row in members]
        cluster.describe_members("instance_id", ids, fleet)


def commit(committed: int, end: int, start: int | None = None, lag: int | None = None) -> Any:
    """A row of offsets, but for its key."""
    offsets = {"committed_offset": committed, "end_offset": end, "start_offset": start}
    return {"group": "g", "topic": "t", "lag": lag} | offsets


@build
def commits(
    cluster: Cluster, *now: Any, before: Any = None, reads: bool = True, keeper: int | None = None
) -> None:
    """What group g has committed of topic t, which it has left unless it `reads` it.

    Broker `keeper` leads the only partition of offsets.
    """
    cluster.topic("t", len(now))
    cluster.topic("u", 1)
    if keeper:
        cluster.topic("__consumer_offsets", 1, leader=[keeper])
    claims = [("t", number, "a") for number in range(len(now) if reads else 0)]
    cluster.group({"a": ["t" if reads else "u"]}, claims)
    for number, offsets in enumerate(now):
        cluster.add("offsets", partition=number, **offsets)
    if before:
        cluster.was("a")
        cluster.before.add("offsets", cluster=cluster.name, partition=0, **before)


@build
def coordinated(cluster: Cluster, *groups: int) -> None:
    """Brokers from 1 on: each leads one partition of __consumer_offsets and has that many groups.

    Each group has a member that reads 20 partitions.
    """
    brokers, left, number = len(groups), list(groups), 0
    cluster.topic("__consumer_offsets", brokers, leader=range(1, brokers + 1))
    cluster.topic("t", 20)
    while any(left):
        number += 1
        # short names: no hash is so large that Java takes it for negative
        at = string_hash(f"g{number}") % brokers
        if left[at]:
            left[at] -= 1
            cluster.group(*ownership("a" * 20), name=f"g{number}")


@build
def topic(
    cluster: Cluster,
    *replicas: Sequence[int],
    brokers: int = 0,
    configs: Sequence[Setting] = (),
    **columns: Sequence[Any],
) -> None:
    """Topic t of partitions with these replicas, led by the first; brokers from 1 on are listed."""
    led = {"replicas": replicas, "leader": [row[0] for row in replicas]} if replicas else {}
    columns = led | columns
    cluster.topic("t", len(columns["leader"]), **columns)
    cluster.brokers(brokers)
    cluster.configs(configs)


class Cases(NamedTuple):
    """What a finding says of one cluster, and two clusters of which it says nothing.

    `{cluster}` is the cluster's name. `nearly` is just under the threshold, or one condition short.
    """

    severity: str
    subject: str
    measure: float
    threshold: float
    sentence: str
    fires: Callable[..., None]
    nearly: Callable[..., None]
    never: Callable[..., None]

    def clusters(self, finding: str) -> dict[str, Callable[..., None]]:
        """What adds each cluster, by name."""
        return {f"{finding}-{case}": getattr(self, case) for case in ("fires", "nearly", "never")}

    def told(self, finding: str) -> tuple[str, str, float, float, str]:
        """What is said of the first."""
        return (*self[:4], self.sentence.replace("{cluster}", f"{finding}-fires"))
