"""Members of a made-up group."""

from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from optimizer.model import Flags, IntArray
from spark.demo.clusters import CLIENTS, DemoCluster, kafka_uuids, uuids

Values = NDArray[np.object_]

UUID = 36
"""Characters at the end of a classic member's id that are new each time that it joins."""


@dataclass(frozen=True)
class Roster:
    """A group's members as columns of their table, and two more; one entry a member everywhere.

    They are sorted by member id when they are drawn. `role` says which of the group's subscriptions
    a member has. One that isn't present has left a moment ago: its partitions still carry its name.
    """

    member_id: Values
    instance_id: Values
    client_id: Values
    host: Values
    rack: Values
    role: IntArray
    is_present: Flags

    @property
    def present(self) -> IntArray:
        return np.flatnonzero(self.is_present)

    def of(self, indexes: IntArray) -> "Roster":
        """Members of these indexes, in that order."""
        return Roster(
            **{column.name: getattr(self, column.name)[indexes] for column in fields(self)}
        )

    def rejoin(self, rng: np.random.Generator, indexes: IntArray) -> "Roster":
        """Members with the ids that some of them had before they came back."""
        ids = self.member_id.copy()
        is_classic = len(ids[0]) > UUID
        fresh = (uuids if is_classic else kafka_uuids)(rng, len(indexes))
        for at, new in zip(indexes.tolist(), fresh, strict=True):
            ids[at] = f"{ids[at][:-UUID]}{new}" if is_classic else new
        return replace(self, member_id=ids)


def make_members(
    rng: np.random.Generator,
    cluster: DemoCluster,
    group: str,
    roles: IntArray,
    server_side: bool,
    is_dynamic: bool,
) -> Roster:
    """Draw members with these roles; `server_side` is KIP-848's protocol, which names them itself.

    Several may be threads of one process, which has one host. Static ids are as a StatefulSet's
    pods have them: no member (as where they are `is_dynamic`), all, or those rolled out so far.
    """
    count = len(roles)
    threads = int(rng.choice([1, 1, 1, 1, 2, 4]))
    process = (np.arange(count) // threads).tolist()
    pattern = str(rng.choice(list(CLIENTS), p=list(CLIENTS.values())))
    clients = [pattern.format(group=group, number=n % threads + 1) for n in range(count)]
    static = count if rng.random() < 0.8 else int(rng.integers(1, count + 1))
    static = 0 if server_side or is_dynamic or rng.random() > 0.14 else static
    instances = [f"{group}-{n}" if n < static else None for n in range(count)]
    if server_side:
        ids = list(kafka_uuids(rng, count))
    else:
        names = [instance or client for instance, client in zip(instances, clients, strict=True)]
        ids = [f"{name}-{uuid}" for name, uuid in zip(names, uuids(rng, count), strict=True)]
    pods = rng.integers(2, 254, (count, 3)).tolist()
    # half of the groups set client.rack, where the cluster has racks
    zones = rng.integers(0, 3, count).tolist()
    has_racks = not cluster.is_legacy and rng.random() < 0.5
    members = Roster(
        member_id=np.array(ids, object),
        instance_id=np.array(instances, object),
        client_id=np.array(clients, object),
        # addresses as Kafka's tools print them, with a slash in front
        host=np.array(["/10.{}.{}.{}".format(*pods[p]) for p in process], object),
        rack=np.array([cluster.racks[zones[p]] if has_racks else None for p in process], object),
        role=roles,
        is_present=np.ones(count, np.bool_),
    )
    return members.of(np.array(sorted(range(count), key=ids.__getitem__), np.int64))
