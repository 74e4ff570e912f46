"""How a plan takes effect in a group of its type: which member or broker assigns, and by what.

Kafka has two protocols for consumers: in the classic one the leader of the group assigns, by the
strategy that all its members know; in that of KIP-848 the broker does.
"""

from enum import Enum

from optimizer.assignor.plan_file import COOPERATIVE, EAGER
from spark.fleet import CONNECT, CONSUMER, why_unsupported

COOPERATIVE_STICKY = "cooperative-sticky"


class Enforcement(Enum):
    """What becomes of a plan in a group."""

    LEADER = "its leader follows a plan"
    BROKER = "its broker follows a plan"
    IGNORED = "what assigns there knows no plan"
    NONE = "no plan of consumers can be in force there"
    EMPTY = "it has no members"


def enforcement_of(kind: str | None, strategy: str | None, members: int) -> Enforcement:
    """`kind` is one of `spark.fleet.TYPES`, None as classic."""
    if kind == CONNECT or why_unsupported(kind, strategy, [None] * members):
        return Enforcement.NONE
    if not members:
        return Enforcement.EMPTY
    if kind == CONSUMER:
        return Enforcement.BROKER if strategy == EAGER else Enforcement.IGNORED
    return Enforcement.LEADER if strategy in (EAGER, COOPERATIVE) else Enforcement.IGNORED


def why_not(kind: str | None, strategy: str | None, members: int) -> str | None:
    """Why a plan would be ignored, and what to do, as a sentence about "it"; None: it wouldn't."""
    way = enforcement_of(kind, strategy, members)
    if way is Enforcement.EMPTY:
        return "it has no members at the moment: a plan is for those who are there"
    if way is Enforcement.NONE:
        return f"it takes no plan: it is {_what(kind, strategy, members)}"
    if way is Enforcement.IGNORED and kind == CONSUMER:
        return (
            f"its broker assigns by {strategy!r}: the plan would be ignored. To roll it out, add "
            "Evenfleet's assignor to group.consumer.assignors of every broker, and set "
            f"group.remote.assignor={EAGER} in its consumers (docs/java_consumers.md)"
        )
    if way is Enforcement.IGNORED:
        kin = "the cooperative PlanAssignor" if strategy == COOPERATIVE_STICKY else "a PlanAssignor"
        return (
            f"its members use {strategy}: the plan would be ignored. To roll it out, give one "
            f"member after the other {kin}, with {strategy} as the second of its strategies "
            "(docs/plan_in_force.md, From another assignor)"
        )
    return None


def _what(kind: str | None, strategy: str | None, members: int) -> str:
    if kind == CONNECT:
        return "a cluster of Connect workers, whose leader assigns their tasks by itself"
    return why_unsupported(kind, strategy, [None] * members) or "no group of consumers"
