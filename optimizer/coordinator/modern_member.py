"""A member of a consumer group (KIP-848), as its coordinator knows it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from optimizer.coordinator.classic_client import ClassicClient
from optimizer.coordinator.reconciliation import Current

if TYPE_CHECKING:
    from optimizer.coordinator.modern_client import ModernClient


@dataclass(slots=True)
class ModernMember:
    """A member as the coordinator knows it. `identity` outlives a static member's restarts."""

    client: ModernClient | ClassicClient
    member_id: str
    identity: int
    topics: tuple[str, ...] = ()
    current: Current = field(default_factory=Current)
    silence: int = 0
    revocation: int = 0
    away: bool = False
