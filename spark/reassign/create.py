"""Where the replicas of topics to come go, for `kafka-topics --create --replica-assignment`."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from optimizer.replicas import (
    BALANCE,
    COPIES,
    TOPICS,
    Cluster,
    Partition,
    ReplicaGoals,
    ReplicaPlan,
    check_replicas,
    describe_reasons,
    plan_replicas,
)
from spark.errors import InputError
from spark.reassign.facts import ReassignRequest, ReplicaFacts, loads_of
from spark.store import replace_text
from spark.text import as_sentence

GOALS = ReplicaGoals((TOPICS, BALANCE, COPIES))
"""Goals that spread a topic over brokers, and then even the cluster."""

NAME = re.compile(r"[a-zA-Z0-9._-]{1,249}")
"""Of a topic (Kafka's `Topic.validate`)."""


class NewTopic(NamedTuple):
    """A topic to create: its number of partitions, and of replicas of each."""

    name: str
    partitions: int
    factor: int


@dataclass(frozen=True)
class NewPlacement:
    """Replicas of the new topics, in a cluster whose other partitions stand still."""

    current: ReplicaFacts
    topics: Sequence[NewTopic]
    cluster: Cluster
    plan: ReplicaPlan
    notes: Sequence[str]

    @cached_property
    def texts(self) -> dict[str, str]:
        """The text that `--replica-assignment` takes, by topic: `1:2:3,2:3:1`, the leader first."""
        return {
            topic.name: ",".join(
                ":".join(map(str, self.plan.replicas[topic.name, number]))
                for number in range(topic.partitions)
            )
            for topic in self.topics
        }

    def brokers(self) -> list[dict[str, Any]]:
        """A row a broker: replicas and preferred leaders now and with the new topics."""
        now = loads_of({p.name: p.replicas for p in self.current.partitions})
        planned = loads_of(self.plan.replicas)
        return [
            {
                "broker": broker.id,
                "rack": broker.rack,
                "replicas": now.replicas[broker.id],
                "planned": planned.replicas[broker.id],
                "leaders": now.leaders[broker.id],
                "planned_leaders": planned.leaders[broker.id],
            }
            for broker in self.plan.cluster.brokers
        ]

    def sentences(self) -> Iterator[str]:
        """Sentences on the topic for people; the proof is the checker's, which has no solver."""
        faults = check_replicas(self.cluster, self.plan.replicas, GOALS)
        if faults:
            yield as_sentence(f"the checker doesn't prove the placement: {faults[0]}")
        else:
            names = ", ".join(topic.name for topic in self.topics)
            yield (
                f"The checker proves the placement of {names}. None is more even over racks, then "
                "brokers of each topic, then all brokers; leaders likewise, without racks."
            )
        yield from map(as_sentence, self.notes)


def new_topic(text: str) -> NewTopic:
    """A topic from `NAME:PARTITIONS:REPLICAS`; InputError for anything else."""
    name, *numbers = text.split(":")
    if len(numbers) != 2 or not all(number.isdecimal() and int(number) for number in numbers):
        raise InputError(
            f"{text!r} is no topic to create: give NAME:PARTITIONS:REPLICAS, such as orders:12:3"
        )
    if not NAME.fullmatch(name) or name in (".", ".."):
        raise InputError(
            f"Kafka allows no topic {name!r}: up to 249 letters, digits, '.', '_' and '-'"
        )
    return NewTopic(name, int(numbers[0]), int(numbers[1]))


def place_new(
    current: ReplicaFacts, topics: Sequence[NewTopic], wanted: ReassignRequest
) -> NewPlacement:
    """The best placement of new topics on the brokers that `wanted` allows.

    InputError for a topic that the cluster has, and for more replicas than brokers to use.
    """
    names = Counter(topic.name for topic in topics)
    present = {partition.topic for partition in current.partitions}
    if twice := [name for name, times in names.items() if times > 1]:
        raise InputError(f"topic {twice[0]} is to be created twice")
    if existing := sorted(present & names.keys()):
        raise InputError(f"cluster {current.cluster} has topic {existing[0]} already")
    metric = {name.replace(".", "_"): name for name in present}
    for name in names:
        if (other := metric.setdefault(name.replace(".", "_"), name)) != name:
            raise InputError(
                f"Kafka refuses topic {name} beside {other}: '.' and '_' are the same in the names "
                "of metrics"
            )
    present_cluster, notes = wanted.cluster(current)
    partitions = [partition._replace(scope=False) for partition in present_cluster.partitions]
    partitions += [
        Partition(topic.name, number, (), topic.factor, is_new=True)
        for topic in topics
        for number in range(topic.partitions)
    ]
    cluster = replace(present_cluster, partitions=partitions)
    plan = plan_replicas(cluster, GOALS)
    if plan.left_out:
        raise InputError(f"cluster {current.cluster}: {'; '.join(describe_reasons(plan.left_out))}")
    return NewPlacement(current, topics, cluster, plan, [*notes, *plan.notes])


def write_new(placement: NewPlacement, out: Path) -> list[Path]:
    """Write `create-TOPIC.txt` for each topic: what `--replica-assignment` takes; their paths."""
    out.mkdir(parents=True, exist_ok=True)
    paths = {topic: out / f"create-{topic}.txt" for topic in placement.texts}
    for topic, text in placement.texts.items():
        replace_text(paths[topic], f"{text}\n")
    return list(paths.values())
