"""A consumer group as its coordinator describes it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from spark.fleet import REBALANCING_STATES, UNKNOWN_STATE, UNSUPPORTED, why_unsupported

Claim = tuple[str, int]


@dataclass(frozen=True)
class DescribedMember:
    """A member; `topics` is None where nothing says what it reads."""

    member_id: str
    instance_id: str | None = None
    client_id: str | None = None
    host: str | None = None
    rack: str | None = None
    generation: int | None = None
    topics: tuple[str, ...] | None = None
    owned: tuple[Claim, ...] = ()


@dataclass(frozen=True)
class DescribedGroup:
    """A group with its members; `reason` says what is out of order about it.

    `type` is one of `spark.fleet.TYPES`, or None where nothing tells it. `committed` has an offset
    for each partition that the group committed one for; `tasks` has the number of tasks of each
    connector that stands for a topic; `coordinator` is the broker that was asked last. `lags`
    are those that it tells; of others the lag is what lies between offset and end. `hidden_topics`
    are those that it names and this user may not describe.
    """

    name: str
    state: str
    strategy: str | None = None
    generation: int | None = None
    members: tuple[DescribedMember, ...] = ()
    inferred: bool = False
    reason: str | None = None
    type: str | None = None
    committed: Mapping[Claim, int] = field(default_factory=dict)
    tasks: Mapping[str, int] = field(default_factory=dict)
    coordinator: int | None = None
    lags: Mapping[Claim, int] = field(default_factory=dict)
    hidden_topics: tuple[str, ...] = ()

    @property
    def status(self) -> str:
        """The status that `evenfleet plan` gives it."""
        if self.why_unsupported:
            return UNSUPPORTED
        if self.state.startswith(UNKNOWN_STATE):
            return "invalid"
        if self.state in REBALANCING_STATES:
            return "rebalancing"
        if not self.members:
            return "empty"
        if self.hidden_topics:
            return "invalid"
        return "inferred" if self.inferred else "ok"

    @property
    def why_unsupported(self) -> str | None:
        """Why a sound group isn't planned; None: it is one to plan."""
        clients = [member.client_id for member in self.members]
        return why_unsupported(self.type, self.strategy, clients)


def unknown(name: str, reason: str, kind: str | None = None) -> DescribedGroup:
    """A group that is there and of which nothing can be said; the store keeps the reason."""
    return DescribedGroup(name, f"{UNKNOWN_STATE}: {reason}", reason=reason, type=kind)


def gone_group(name: str) -> DescribedGroup:
    """A group that was listed, and was no more when it was described."""
    return DescribedGroup(name, "Dead", reason="the group was gone when it was described")


def while_rebalancing(state: str) -> str | None:
    """A sentence on a group in such a state, if it is rebalancing."""
    if state not in REBALANCING_STATES:
        return None
    return f"the group is rebalancing (state {state}): the owners are those of before"


def with_inferred_subscriptions(group: DescribedGroup) -> DescribedGroup:
    """Members that don't tell what they read are taken to read all that their group does."""
    silent = [member for member in group.members if member.topics is None]
    if not silent:
        return group
    named = {topic for member in group.members for topic in member.topics or ()}
    owned = {topic for member in group.members for topic, _ in member.owned}
    union = tuple(sorted(named | owned))
    members = tuple(
        replace(member, topics=union) if member.topics is None else member
        for member in group.members
    )
    reason = group.reason or (
        f"the subscriptions of {len(silent)} of {len(members)} members can't be decoded: they are "
        "taken to read every topic of the group"
    )
    return replace(group, members=members, inferred=True, reason=reason)
