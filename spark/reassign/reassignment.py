"""A plan of one cluster of a fleet, in batches."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

from optimizer.figures import data_size, figure, plural
from optimizer.replicas import (
    BatchStep,
    Cluster,
    CopyLimit,
    InvalidClusterError,
    ReplicaChange,
    ReplicaGoalsError,
    ReplicaPlan,
    batches_of,
    describe_reasons,
    plan_replicas,
)
from spark.errors import InputError
from spark.fleet import FleetFiles, FleetSnapshot
from spark.groups import OFFSETS_TOPIC
from spark.reassign.facts import ReassignRequest, ReplicaFacts, cluster_facts, loads_of
from spark.text import as_sentence


@dataclass(frozen=True)
class Reassignment:
    """A cluster now, its plan, the batches that reach it, and notes for people."""

    current: ReplicaFacts
    wanted: ReassignRequest
    cluster: Cluster
    plan: ReplicaPlan
    batches: list[list[BatchStep]]
    notes: list[str]

    @cached_property
    def changes(self) -> list[ReplicaChange]:
        return self.plan.changes

    def brokers(self) -> list[dict[str, Any]]:
        """A row a broker: replicas, leaders and bytes before and after, and what it is to do."""
        sizes = self.wanted.sizes
        before = loads_of({p.name: p.replicas for p in self.current.partitions}, sizes)
        after = loads_of(self.plan.replicas, sizes)
        shares = self.even_shares
        leads = Counter(partition.leader for partition in self.current.partitions)
        ins = Counter(b for change in self.changes for b in change.after if b not in change.before)
        rows = []
        for broker in self.plan.cluster.brokers:
            row: dict[str, Any] = {
                "broker": broker.id,
                "rack": broker.rack,
                "state": _state(broker),
                "replicas": before.replicas[broker.id],
                "planned": after.replicas[broker.id],
                "even_share": shares.get(broker.id),
                "leads_now": leads[broker.id],
                "leaders": before.leaders[broker.id],
                "planned_leaders": after.leaders[broker.id],
                "copied_in": ins[broker.id],
            }
            if sizes:
                row |= {"bytes": before.bytes[broker.id], "planned_bytes": after.bytes[broker.id]}
                row["led_bytes"] = before.led_bytes[broker.id]
                row["planned_led_bytes"] = after.led_bytes[broker.id]
            rows.append(row)
        return rows

    @cached_property
    def even_shares(self) -> dict[int, float]:
        """Planned replicas of each used broker if those of its rack were spread by capacity.

        A rack's replicas are given by the rule of racks, so a small rack's brokers hold more.
        """
        held: Counter[str | None] = Counter()
        room: defaultdict[str | None, float] = defaultdict(float)
        used = [broker for broker in self.plan.cluster.brokers if broker.alive and broker.usable]
        has_racks = all(each.rack is not None for each in used)
        rack = {each.id: each.rack if has_racks else None for each in used}
        size = {each.id: each.capacity or 1.0 for each in used}
        planned = loads_of(self.plan.replicas).replicas
        for broker, own in size.items():
            held[rack[broker]] += planned[broker]
            room[rack[broker]] += own
        return {b: held[rack[b]] * own / room[rack[b]] for b, own in size.items()}

    def _of_racks(self) -> Iterator[str]:
        """The share that racks of unequal size leave to their brokers."""
        used = [broker for broker in self.plan.cluster.brokers if broker.id in self.even_shares]
        brokers = Counter(broker.rack for broker in used)
        if None in brokers or len(set(brokers.values())) < 2:
            return
        shares = {broker.rack: self.even_shares[broker.id] for broker in used}
        each = [
            f"{figure(shares[rack])} in rack {rack} ({plural(count, 'broker')})"
            for rack, count in sorted(brokers.items(), key=str)
        ]
        yield (
            "Racks have unequal numbers of brokers, so even shares of replicas differ: "
            f"{', '.join(each)}."
        )

    @cached_property
    def shortfalls(self) -> list[str]:
        """Requests that aren't met: brokers that keep replicas, other factors.

        Where only leaders change, brokers to drain are to lead nothing.
        """
        only_leaders = self.plan.goals.leaders_only
        why = {(left.topic, left.partition): left.reason for left in self.plan.left_out}
        stays: defaultdict[int, list[str]] = defaultdict(list)
        factor, other = self.wanted.replication_factor, []
        for partition in self.cluster.partitions:
            if not self.wanted.is_chosen(partition.topic):
                continue
            name = partition.topic, partition.partition
            reason = why.get(name, "they have no leader to copy from")
            row = self.plan.replicas[name]
            for broker in filter(self.wanted.is_to_leave, row[:1] if only_leaders else row):
                stays[broker].append(reason)
            if factor is not None and len(row) != factor:
                other.append(reason)
        what, kept = ("still leads", "leader") if only_leaders else ("isn't empty", "replica")
        text = [
            f"Broker {broker} {what}: {plural(len(reasons), kept)} "
            f"{'stays' if len(reasons) == 1 else 'stay'}, since {_commonest(reasons)}."
            for broker, reasons in sorted(stays.items())
        ]
        if other:
            text.append(
                f"{plural(len(other), 'partition')} {'has' if len(other) == 1 else 'have'} "
                f"another replication factor than {factor}, since {_commonest(other)}."
            )
        return text

    @cached_property
    def elections(self) -> list[tuple[str, int]]:
        """Partitions that keep their replicas and are led by another than the preferred one.

        Only where the preferred one is in sync, without which no election makes it the leader.
        """
        changed = {(change.topic, change.partition) for change in self.changes}
        return [
            p.name
            for p in self.current.partitions
            if p.name not in changed
            and self.wanted.is_chosen(p.topic)
            and p.leader not in (None, p.replicas[0])
            and p.replicas[0] in (p.isr or ())
            and not self.wanted.is_to_leave(p.replicas[0])
        ]

    def verdict(self) -> Iterator[str]:
        """Sentences on requests that aren't met, on the changes, and on how good the plan is."""
        yield from self.shortfalls
        if elected := len(self.elections):
            yield (
                f"{plural(elected, 'partition')} {'is' if elected == 1 else 'are'} led by another "
                "broker than the preferred one: the election in elect.json mends that."
            )
        if self.changes:
            size = f" ({data_size(self.plan.bytes_copied)})" if self.wanted.sizes else ""
            count = len(self.batches)
            yield (
                f"Copy {plural(self.plan.copies, 'replica')}{size} and change "
                f"{plural(self.plan.leader_changes, 'preferred leader')}, in "
                f"{count} batch{'' if count == 1 else 'es'}."
            )
        else:
            yield "No replica has to move." if elected else "Nothing has to change."
        rest = " for the partitions that can be planned" if self.plan.left_out else ""
        yield f"The plan is {self.plan.optimal}{rest}."

    def remarks(self) -> Iterator[str]:
        """Further sentences that people should read about the plan."""
        yield from self._of_racks()
        if self.plan.limit:
            yield _limit_sentence(self.plan.limit)
        offsets = [change.partition for change in self.changes if change.topic == OFFSETS_TOPIC]
        if offsets:
            yield (
                f"{plural(len(offsets), 'partition')} of {OFFSETS_TOPIC} "
                f"{'moves' if len(offsets) == 1 else 'move'}: where the leader changes, groups get "
                "another coordinator."
            )
        yield from self.notes

    def sentences(self) -> Iterator[str]:
        """Sentences for people on the plan, the most important first."""
        return chain(self.verdict(), self.remarks())


def reassign_cluster(
    fleet: FleetSnapshot | FleetFiles,
    cluster: str | None = None,
    wanted: ReassignRequest | None = None,
) -> Reassignment:
    """Plan one cluster of a fleet, or the only one; InputError for what can't be asked of it."""
    return reassign(cluster_facts(fleet, cluster), wanted or ReassignRequest())


def reassign(current: ReplicaFacts, wanted: ReassignRequest) -> Reassignment:
    """The reassignment of a cluster whose facts are given."""
    cluster, text = wanted.cluster(current)
    try:
        plan = plan_replicas(cluster, wanted.goals)
    except (InvalidClusterError, ReplicaGoalsError) as error:
        raise InputError(f"cluster {current.cluster}: {error}") from None
    partitions = current.partitions
    behind = {p.name for p in partitions if p.isr is not None and len(p.isr) < len(p.replicas)}
    leaders = {p.name: p.leader for p in partitions if p.leader is not None}
    batches = batches_of(plan, wanted.batch_copies, wanted.per_broker, leaders, behind)
    notes = [*text, *_behind(current), *describe_reasons(plan.left_out), *plan.notes]
    reports = [as_sentence(note) for note in notes]
    return Reassignment(current, wanted, cluster, plan, batches, reports)


def _commonest(reasons: list[str]) -> str:
    ((reason, _),) = Counter(reasons).most_common(1)
    return reason


def _limit_sentence(limit: CopyLimit) -> str:
    """A sentence on the balance that a limit of copies leaves, and on its proof."""
    proven = (
        "and no plan with so few copies has less"
        if limit.is_reached
        else f"and no plan with so few copies has less than {limit.bound}"
    )
    return (
        f"With at most {limit.copies} copies the sum of squared replicas of brokers is "
        f"{limit.balance}, {proven}; with as many as it takes it would be {limit.best}."
    )


def _behind(current: ReplicaFacts) -> Iterator[str]:
    """Brokers that are listed and in sync with none of what they have: they may be down."""
    having = {b for p in current.partitions if p.isr is not None for b in p.replicas}
    in_sync = {b for partition in current.partitions for b in partition.isr or ()}
    for broker in sorted(having & current.racks.keys() - in_sync):
        yield f"broker {broker} is in sync with none of its replicas: if it is down, drain it"


def _state(broker: Any) -> str:
    if not broker.alive:
        return "dead"
    if not broker.usable:
        return "drained"
    return "used" if broker.receives else "keeps"
