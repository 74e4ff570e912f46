"""A member of a consumer group (KIP-848), as its coordinator knows it."""

from dataclasses import dataclass, field

from optimizer.coordinator.client import Client
from optimizer.coordinator.consumer.reconciliation import Current


@dataclass(slots=True)
class ConsumerMember:
    """A member as the coordinator knows it. `identity` outlives a static member's restarts."""

    client: Client
    member_id: str
    identity: int
    topics: tuple[str, ...] = ()
    current: Current = field(default_factory=Current)
    silence: int = 0
    revocation: int = 0
    away: bool = False
