"""Calls of clients to their group and its coordinator, and of a group to the coordinator."""

from typing import Protocol, TypeVar

from optimizer.coordinator.assignors import Parts
from optimizer.coordinator.context import Context

C_contra = TypeVar("C_contra", contravariant=True)
"""The kind of clients that ask."""


class ClientRequests(Protocol[C_contra]):
    """The requests of every client to its group."""

    def own(self, client: C_contra, partitions: Parts) -> None: ...
    def falls_silent(self, client: C_contra) -> None: ...
    def hears(self, client: C_contra) -> None: ...
    def leave(self, member_id: str) -> None: ...


class GroupOfClassic(ClientRequests[C_contra], Protocol[C_contra]):
    """Calls of a client of the classic protocol to its group, of either protocol."""

    def hand_out_id(self, client: C_contra) -> None: ...
    def join(self, client: C_contra) -> None: ...
    def heartbeat(self, client: C_contra) -> None: ...
    def catches_up(self, client: C_contra) -> None: ...
    def leader_sees(self, client: C_contra) -> None: ...


class GroupOfConsumer(ClientRequests[C_contra], Protocol[C_contra]):
    """Calls of a client of KIP-848 to its group: heartbeats return what it may read, if new."""

    def joins(self, client: C_contra) -> Parts | None: ...
    def beats(self, client: C_contra) -> Parts | None: ...
    def wake(self, client: C_contra) -> None: ...
    def will_subscribe(self, client: C_contra) -> None: ...
    def leaves_for_now(self, client: C_contra) -> None: ...


class CoordinatorOfClassic(Protocol[C_contra]):
    """Calls of a client of the classic protocol to the coordinator."""

    context: Context

    @property
    def group(self) -> GroupOfClassic[C_contra]: ...
    def for_classics(self) -> GroupOfClassic[C_contra]: ...


class CoordinatorOfConsumer(Protocol[C_contra]):
    """Calls of a client of KIP-848 to the coordinator; the group is None while it is classic."""

    context: Context

    @property
    def consumer_group(self) -> GroupOfConsumer[C_contra] | None: ...
    def for_consumers(self) -> GroupOfConsumer[C_contra]: ...


class Converter(Protocol):
    """The requests of a group of KIP-848 to the coordinator."""

    context: Context

    def turns_back(self, *, rebalance: bool) -> bool: ...
