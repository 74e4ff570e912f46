"""Who coordinates one group, and where its offsets are kept, read without Spark."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spark.fleet import FleetFiles, names_wanted
from spark.groups.coordinators import OFFSETS_TOPIC


class Seat(NamedTuple):
    """The columns of `spark.groups.coordinators`: see there."""

    offsets_partition: int | None
    offsets_leader: int | None
    coordinator: int | None
    inferred: bool
    seat: str | None


def seat_of_group(fleet: FleetFiles, cluster: str, group: str) -> Seat:
    """What a snapshot's tables tell of a group's coordinator."""
    columns, topic = ("partition", "leader"), names_wanted([OFFSETS_TOPIC])
    kept_in = fleet.rows("partitions", columns, cluster, topic=topic)
    named = names_wanted([group])
    stated = fleet.rows("groups", ("coordinator",), cluster, group=named)["coordinator"]
    broker = min(stated[stated >= 0].tolist(), default=None)
    count = len(kept_in["partition"])
    if not count:
        told = None if broker is None else f"broker {broker} coordinates it"
        return Seat(None, None, broker, False, told)
    number = coordinating_partition(group, count)
    leaders = kept_in["leader"][kept_in["partition"] == number]
    leader = next(iter(leaders[leaders >= 0].tolist()), None)
    coordinator = leader if broker is None else broker
    inferred = broker is None and leader is not None
    return Seat(number, leader, coordinator, inferred, _in_words(number, leader, broker))


def _in_words(number: int, leader: int | None, broker: int | None) -> str:
    led = ", which has no leader" if leader is None else f", led by broker {leader}"
    if broker is None:
        who = "" if leader is None else " (its coordinator, as inferred from its name)"
    elif broker == leader:
        who = ", its coordinator"
    else:
        who = f"; broker {broker} coordinates it"
    return f"its offsets are in {OFFSETS_TOPIC}-{number}{led}{who}"


def coordinating_partition(group: str, partitions: int) -> int:
    """The partition of __consumer_offsets whose leader coordinates a group.

    See `spark.groups.java_hash`, which tells the same in Spark SQL.
    """
    value = 0
    for unit in np.frombuffer(group.encode("utf-16-be", "surrogatepass"), ">u2").tolist():
        value = (value * 31 + unit) % 2**32
    return (0 if value == 2**31 else min(value, 2**32 - value)) % partitions
