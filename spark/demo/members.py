"""Who is, was and has just come into a made-up group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from optimizer.model import Flags, IntArray
from spark.demo.clusters import DemoCluster
from spark.demo.names import client_pattern, kafka_uuids, uuids

FOUNDER, NEWCOMER, LEAVER, DEPARTED = range(4)
"""A member's part: there for long; just joined; left, its partitions handed on; left a moment
ago, so that its partitions still carry its name."""


@dataclass(frozen=True)
class Cast:
    """A group's members past and present, sorted by member id; one entry a member everywhere.

    `roles` says which of the group's subscriptions a member has.
    """

    member_ids: Sequence[str]
    instance_ids: Sequence[str | None]
    client_ids: Sequence[str]
    hosts: Sequence[str]
    racks: Sequence[str | None]
    capacities: Sequence[float | None]
    parts: IntArray
    roles: IntArray
    generations: IntArray

    @property
    def is_present(self) -> Flags:
        return self.parts <= NEWCOMER

    @property
    def present(self) -> IntArray:
        return np.flatnonzero(self.is_present)

    def of(self, members: IntArray) -> Cast:
        """These members alone, in that order."""
        columns: dict[str, Any] = {item.name: getattr(self, item.name) for item in fields(self)}
        for name, values in columns.items():
            is_array = isinstance(values, np.ndarray)
            columns[name] = values[members] if is_array else [values[at] for at in members.tolist()]
        return Cast(**columns)


EMPTY_CAST = Cast((), (), (), (), (), (), *(np.empty(0, np.int64) for _ in range(3)))


def parts_of(founders: int, newcomers: int = 0, leavers: int = 0, departed: int = 0) -> IntArray:
    """The part of each member of a group with these numbers of them."""
    return np.repeat(
        [FOUNDER, NEWCOMER, LEAVER, DEPARTED], [founders, newcomers, leavers, departed]
    )


def make_cast(
    rng: np.random.Generator,
    cluster: DemoCluster,
    group: str,
    parts: IntArray,
    *,
    roles: int,
    generation: int,
    server_side: bool,
    dynamic: bool,
) -> Cast:
    """Draw members with these parts; `server_side` is KIP-848's protocol, which names them itself.

    With `dynamic` none has a static id.
    """
    count = len(parts)
    parts = parts[rng.permutation(count)]
    threads = int(rng.choice([1, 1, 1, 1, 2, 4]))
    process = np.arange(count) // threads
    pattern = client_pattern(rng, group)
    clients = [pattern.format(number=n % threads + 1) for n in range(count)]
    instances = _instance_ids(rng, group, count, server_side or dynamic)
    if server_side:
        ids = list(kafka_uuids(rng, count))
    else:
        names = [instance or client for instance, client in zip(instances, clients, strict=True)]
        ids = [f"{name}-{uuid}" for name, uuid in zip(names, uuids(rng, count), strict=True)]
    cast = Cast(
        member_ids=ids,
        instance_ids=instances,
        client_ids=clients,
        hosts=_hosts(rng, process),
        racks=_racks(rng, cluster, process),
        capacities=_capacities(rng, process),
        parts=parts,
        roles=_roles(rng, parts, roles),
        generations=np.where(parts == DEPARTED, generation - 1, generation),
    )
    return cast.of(np.array(sorted(range(count), key=ids.__getitem__), np.int64))


def _instance_ids(
    rng: np.random.Generator, group: str, count: int, dynamic: bool
) -> list[str | None]:
    """Static ids as a StatefulSet's pods have: no member, all, or those rolled out so far."""
    if dynamic or rng.random() > 0.14:
        return [None] * count
    static = count if rng.random() < 0.8 else int(rng.integers(1, count + 1))
    return [f"{group}-{n}" if n < static else None for n in range(count)]


def _hosts(rng: np.random.Generator, process: IntArray) -> list[str]:
    """Addresses as Kafka's tools print them, with a slash in front; one a process."""
    pods = rng.integers(2, 254, (int(process[-1]) + 1, 3)).tolist()
    return [f"/10.{a}.{b}.{c}" for a, b, c in (pods[p] for p in process.tolist())]


def _racks(rng: np.random.Generator, cluster: DemoCluster, process: IntArray) -> list[str | None]:
    """Half of the groups set client.rack, where the cluster has racks at all."""
    if cluster.is_legacy or rng.random() < 0.5:
        return [None] * len(process)
    zones = rng.integers(0, 3, int(process[-1]) + 1).tolist()
    return [cluster.racks[zones[p]] for p in process.tolist()]


def _capacities(rng: np.random.Generator, process: IntArray) -> list[float | None]:
    """A few groups run on machines of two sizes."""
    if rng.random() > 0.03:
        return [None] * len(process)
    return [2.0 if p % 2 else 1.0 for p in process.tolist()]


def _roles(rng: np.random.Generator, parts: IntArray, roles: int) -> IntArray:
    """Any role for anybody, but each role has a member who is there."""
    selection = rng.integers(0, roles, len(parts))
    present = np.flatnonzero(parts <= NEWCOMER)
    selection[rng.permutation(present)[:roles]] = np.arange(roles)
    return selection
