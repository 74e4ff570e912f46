"""The same table for what is there, what Kafka's own tool would propose, and the plan."""

from collections import Counter
from dataclasses import dataclass

from optimizer.replicas import most_bytes_bound
from optimizer.replicas.baselines import generated
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


def compared(of: Reassignment) -> list[Compared]:
    """The current replicas, Kafka's --generate of both kinds, and the plan."""
    result = {(p.topic, p.partition): list(p.replicas) for p in of.current.partitions}
    return [
        _measured("now", of, result, of.current.leaders),
        _measured("generate 4.1+", of, generated(of.cluster)),
        _measured("generate up to 4.0", of, generated(of.cluster, older=True)),
        _measured("optimal", of, of.plan.replicas),
    ]


def _measured(
    placement: str,
    of: Reassignment,
    replicas: dict[tuple[str, int], list[int]],
    led_by: list[int | None] | None = None,
) -> Compared:
    """Leaders are the preferred ones, unless it is known by which brokers partitions are led."""
    racks = {b.id: b.rack for b in of.cluster.brokers if b.usable and b.alive}
    if None in racks.values():
        racks = dict.fromkeys(racks)
    room = Counter(racks.values())
    loads, leaders = Counter(dict.fromkeys(racks, 0)), Counter(dict.fromkeys(racks, 0))
    bytes_on = Counter(dict.fromkeys(racks, 0))
    sizes = of.wanted.sizes
    copies = size = uneven = 0
    for at, partition in enumerate(of.current.partitions):
        row = replicas[partition.topic, partition.partition]
        new = len(set(row) - set(partition.replicas))
        copies += new
        each = sizes.get((partition.topic, partition.partition), 0)
        size += new * each
        bytes_on.update({b: each for b in row if b in racks})
        loads.update(b for b in row if b in racks)
        leaders.update(b for b in (led_by[at : at + 1] if led_by else row[:1]) if b in racks)
        uneven += _is_uneven(Counter(racks[b] for b in row if b in racks), room)
    most = max(bytes_on.values(), default=0)
    bound = most_bytes_bound(of.plan.cluster) if sizes else 0
    counts, led = list(loads.values()) or [0], list(leaders.values()) or [0]
    return Compared(
        placement,
        copies,
        size if sizes else None,
        *(min(counts), max(counts), min(led), max(led)),
        uneven,
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
