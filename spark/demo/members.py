"""Who is in a made-up group."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from optimizer.model import Flags, IntArray
from spark.demo.clusters import DemoCluster
from spark.demo.names import client_pattern, kafka_uuids, uuids

Values = NDArray[np.object_]

UUID = 36
"""Characters at the end of a classic member's id that are new each time that it joins."""


@dataclass(frozen=True)
class Members:
    """A group's members, sorted by member id when they were drawn; one entry a member everywhere.

    `roles` says which of the group's subscriptions a member has. One that isn't present has left a
    moment ago: its partitions still carry its name.
    """

    member_ids: Values
    instance_ids: Values
    client_ids: Values
    hosts: Values
    racks: Values
    capacities: Values
    roles: IntArray
    is_present: Flags

    @property
    def present(self) -> IntArray:
        return np.flatnonzero(self.is_present)

    def of(self, indexes: IntArray) -> "Members":
        """These members alone, in that order."""
        return Members(**{item.name: getattr(self, item.name)[indexes] for item in fields(self)})

    def rejoined(self, rng: np.random.Generator, indexes: IntArray) -> "Members":
        """The same with other ids for these: those that they had before they came back."""
        ids = self.member_ids.copy()
        is_classic = len(ids[0]) > UUID
        fresh = uuids(rng, len(indexes)) if is_classic else kafka_uuids(rng, len(indexes))
        ids[indexes] = [
            f"{before[:-UUID]}{new}" if is_classic else new
            for before, new in zip(ids[indexes], fresh, strict=True)
        ]
        return replace(self, member_ids=ids)


def _values(values: Sequence[str | float | None]) -> Values:
    return np.array([*values, None], object)[:-1]


NO_MEMBERS = Members(*[_values([])] * 6, np.empty(0, np.int64), np.empty(0, np.bool_))


def make_members(
    rng: np.random.Generator,
    cluster: DemoCluster,
    group: str,
    roles: IntArray,
    *,
    server_side: bool,
    dynamic: bool,
) -> Members:
    """Draw members with these roles; `server_side` is KIP-848's protocol, which names them itself.

    With `dynamic` none has a static id.
    """
    count = len(roles)
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
    pods = rng.integers(2, 254, (count, 3)).tolist()
    # half of the groups set client.rack, where the cluster has racks; a few have unlike machines
    zones = rng.integers(0, 3, count).tolist()
    has_racks = not cluster.is_legacy and rng.random() < 0.5
    has_capacities = rng.random() < 0.03
    members = Members(
        member_ids=_values(ids),
        instance_ids=_values(instances),
        client_ids=_values(clients),
        # addresses as Kafka's tools print them, with a slash in front
        hosts=_values(["/10.{}.{}.{}".format(*pods[p]) for p in process.tolist()]),
        racks=_values([cluster.racks[zones[p]] if has_racks else None for p in process.tolist()]),
        capacities=_values([1.0 + p % 2 if has_capacities else None for p in process.tolist()]),
        roles=roles,
        is_present=np.ones(count, np.bool_),
    )
    return members.of(np.array(sorted(range(count), key=ids.__getitem__), np.int64))


def _instance_ids(
    rng: np.random.Generator, group: str, count: int, dynamic: bool
) -> list[str | None]:
    """Static ids as a StatefulSet's pods have: no member, all, or those rolled out so far."""
    if dynamic or rng.random() > 0.14:
        return [None] * count
    static = count if rng.random() < 0.8 else int(rng.integers(1, count + 1))
    return [f"{group}-{n}" if n < static else None for n in range(count)]
