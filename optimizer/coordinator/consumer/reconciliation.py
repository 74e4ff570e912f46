"""The answer to a heartbeat of a member of KIP-848 (CurrentAssignmentBuilder)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from optimizer.coordinator.assignors import Parts
from optimizer.coordinator.context import NONE
from optimizer.coordinator.sessions import Member

STABLE = "STABLE"
UNREVOKED = "UNREVOKED_PARTITIONS"
UNRELEASED = "UNRELEASED_PARTITIONS"


class Current(NamedTuple):
    """Where a member stands: epochs, state, what it may read, what it has to give up."""

    epoch: int = 0
    previous_epoch: int = 0
    state: str = STABLE
    assigned: Parts = NONE
    revoking: Parts = NONE


def reconciled(
    current: Current,
    target: Parts,
    target_epoch: int,
    *,
    owned: Parts | None,
    readable: Parts | None,
    is_free: Callable[[int], bool],
) -> Current:
    """The member's next step towards its target.

    `owned` is what its heartbeat says that it owns (None: it doesn't say), `readable` the
    partitions of its topics if its subscription has changed just now.
    """
    if current.state == STABLE and current.epoch == target_epoch:
        return current if readable is None else _without(current, readable, owned)
    if current.state == UNREVOKED and (owned is None or owned & current.revoking):
        return current if readable is None else _without(current, readable, owned)
    allowed = current.assigned if readable is None else current.assigned & readable
    kept = allowed & target
    revoking = current.assigned - kept
    if revoking and (owned is None or owned & revoking):
        return Current(current.epoch, current.epoch, UNREVOKED, kept, revoking)
    missing = target - kept
    free = frozenset(item for item in missing if is_free(item))
    state = STABLE if free == missing else UNRELEASED
    return Current(target_epoch, current.epoch, state, kept | free)


def _without(current: Current, readable: Parts, owned: Parts | None) -> Current:
    """Partitions of topics that it doesn't subscribe to any more are taken away at once."""
    gone = current.assigned - readable
    if not gone:
        return current
    if owned is not None and not owned & gone:
        return current._replace(assigned=current.assigned - gone)
    revoking = current.revoking | gone
    return Current(current.epoch, current.epoch, UNREVOKED, current.assigned - gone, revoking)


@dataclass(slots=True)
class ConsumerMember(Member):
    """A member of a consumer group; one that is `away` said that it would be back."""

    topics: tuple[str, ...] = ()
    current: Current = field(default_factory=Current)
    revocation: int = 0
