"""A reassignment as rows, and beside it what is there and what Kafka's own tool would propose."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from optimizer.replicas import most_bytes_bound
from optimizer.replicas.baselines import generate
from spark.reassign.facts import loads_of
from spark.reassign.reassignment import Reassignment


@dataclass(frozen=True)
class Compared:
    """One way to place replicas.

    `uneven_racks` are partitions whose racks could be more even; loads and leaders are of the
    brokers that are to be used: who leads now, and who is preferred by the others. `bytes_max` are
    the most that one of them has, `bytes_gap` how much more that is than the least it could be
    (`most_bytes_bound`), as a share of it.
    """

    placement: str
    copies: int
    bytes: int | None
    replicas_min: int
    replicas_max: int
    leaders_min: int
    leaders_max: int
    uneven_racks: int
    bytes_max: int | None = None
    bytes_gap: float | None = None


def compare(of: Reassignment) -> list[Compared]:
    """The current replicas, Kafka's --generate of both kinds, and the plan."""
    current = {p.name: list(p.replicas) for p in of.current.partitions}
    return [
        _measure("now", of, current, of.current.leaders),
        _measure("generate 4.1+", of, generate(of.cluster)),
        _measure("generate up to 4.0", of, generate(of.cluster, older=True)),
        _measure("optimal", of, of.plan.replicas),
    ]


def _measure(
    placement: str,
    of: Reassignment,
    replicas: dict[tuple[str, int], list[int]],
    led_by: list[int | None] | None = None,
) -> Compared:
    """Leaders are the preferred ones, unless it is known by which brokers partitions are led."""
    racks = {b.id: b.rack for b in of.cluster.brokers if b.usable and b.alive}
    if None in racks.values():
        racks = dict.fromkeys(racks)
    room, sizes = Counter(racks.values()), of.wanted.sizes
    rows = {partition.name: replicas[partition.name] for partition in of.current.partitions}
    new = {p.name: len(set(rows[p.name]) - set(p.replicas)) for p in of.current.partitions}
    loads = loads_of(rows, sizes)
    leaders = Counter(led_by) if led_by else loads.leaders
    most = max((loads.bytes[broker] for broker in racks), default=0)
    bound = most_bytes_bound(of.plan.cluster) if sizes else 0
    counts, led = (
        [of_broker[broker] for broker in racks] or [0] for of_broker in (loads.replicas, leaders)
    )
    return Compared(
        placement,
        sum(new.values()),
        sum(count * sizes.get(name, 0) for name, count in new.items()) if sizes else None,
        *(min(counts), max(counts), min(led), max(led)),
        sum(
            _is_uneven(Counter(racks[b] for b in row if b in racks), room) for row in rows.values()
        ),
        most if sizes else None,
        most / bound - 1 if bound else None,
    )


def _is_uneven(taken: Counter[str | None], room: Counter[str | None]) -> bool:
    """Whether a replica could go to a rack that has fewer by two or more, with a broker free."""
    return any(
        taken[full] - taken[rack] > 1 and taken[rack] < room[rack]
        for full in taken
        for rack in room
    )


def evenness(placements: Sequence[Compared]) -> str:
    """Replicas of brokers, as planned and now."""
    now, *_, planned = placements
    return (
        f"Afterwards brokers hold {planned.replicas_min:,} to {planned.replicas_max:,} replicas "
        f"(now {now.replicas_min:,} to {now.replicas_max:,})."
    )


def batch_rows(reassignment: Reassignment) -> list[dict[str, Any]]:
    """A row a batch: how many partitions, copies and elections."""
    return [
        {
            "batch": number,
            "partitions": len(batch),
            "copies": sum(step.target is not None for step in batch),
            "elections": sum(step.before[0] != step.after[0] for step in batch),
        }
        for number, batch in enumerate(reassignment.batches, 1)
    ]


PREFERRED = {"planned_leaders": "planned_preferred", "leaders": "preferred"}


def broker_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of `Reassignment.brokers` for people, those first whose replicas change most."""
    first = sorted(rows, key=lambda row: (-abs(row["planned"] - row["replicas"]), row["broker"]))
    return [{PREFERRED.get(name, name): row[name] for name in row} for row in first]


def compared_row(placement: Compared) -> dict[str, Any]:
    """A placement for people."""
    return {
        "placement": placement.placement,
        "copies": placement.copies,
        "replicas": f"{placement.replicas_min}-{placement.replicas_max}",
        "leaders": f"{placement.leaders_min}-{placement.leaders_max}",
        "uneven_racks": placement.uneven_racks,
        **({} if placement.bytes_max is None else {"bytes_at_most": placement.bytes_max}),
        **({} if placement.bytes_gap is None else {"over_the_bound": f"{placement.bytes_gap:.1%}"}),
    }


def cluster_row(row: dict[str, Any]) -> dict[str, Any]:
    """A row of `reassign_fleet` for people."""
    return {
        "cluster": row["cluster"],
        "plan": row["optimal"] or row["status"],
        "copies": row["copies"],
        "batches": row["batches"],
        "replicas": _from_to(row, "replicas"),
        "planned": _from_to(row, "planned"),
        "leaders": _from_to(row, "leaders"),
        "planned_leaders": _from_to(row, "planned_leaders"),
    }


def _from_to(row: dict[str, Any], name: str) -> str | None:
    return None if row[f"{name}_min"] is None else f"{row[f'{name}_min']}-{row[f'{name}_max']}"
