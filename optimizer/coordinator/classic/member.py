"""A member of the classic protocol, as its coordinator knows it."""

from dataclasses import dataclass, field

from optimizer.coordinator.assignors import Parts, Seen
from optimizer.coordinator.classic.client import ClassicClient
from optimizer.coordinator.context import NONE


@dataclass(slots=True)
class Membership:
    """A member as the coordinator knows it. `identity` outlives a static member's restarts.

    It is new until the first join phase that it has waited for ends.
    """

    client: ClassicClient
    member_id: str
    identity: int
    parked: bool = True
    is_new: bool = True
    awaits_sync: bool = False
    seen: Seen = field(default_factory=lambda: Seen("", ()))
    sticky: Seen = field(default_factory=lambda: Seen("", ()))
    assignment: Parts = NONE
    silence: int = 0

    def take(self) -> None:
        """What a JoinGroup says of the client."""
        client = self.client
        common = self.member_id, client.topics
        rest, capacity = (client.instance_id, client.rack), client.capacity
        self.seen = Seen(*common, client.owned, client.generation, *rest, capacity)
        self.sticky = Seen(*common, *client.sticky, *rest, capacity)
        self.parked = True
