"""Events of `optimizer.scenarios` as what processes do, one step after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import singledispatchmethod

from optimizer.coordinator import scenario as steps
from optimizer.coordinator.settings import BrokerSettings, ClientSettings
from optimizer.model import Group, Member
from optimizer.scenarios import (
    BrokerDown,
    Crash,
    Create,
    Delete,
    Event,
    Freeze,
    Grow,
    Join,
    Leave,
    Limits,
    Members,
    Migrate,
    Restart,
    RollingRestart,
    Scenario,
    SlowPoll,
    Subscribe,
    Upgrade,
    as_static,
    in_turn,
)
from optimizer.strategies import STRATEGIES

READY_MS = 10_000
"""In a rolling restart the next member closes so long after the one before has started."""

DEFAULT_ASSIGNORS = ClientSettings().assignors

Rolling = RollingRestart | Upgrade | Migrate


@dataclass(frozen=True)
class Parameters:
    """What the members of a group and its broker are configured with; defaults of Kafka 4.3.1.

    `peak_rate` are the records a second that a member can read; None where that isn't known.
    """

    client: ClientSettings = field(default_factory=ClientSettings)
    broker: BrokerSettings = field(default_factory=BrokerSettings)
    peak_rate: float | None = None

    def with_assignors(self, assignors: tuple[str, ...]) -> Parameters:
        """With members of the classic protocol that offer these."""
        return replace(self, client=replace(self.client, protocol="classic", assignors=assignors))

    @property
    def limits(self) -> Limits:
        """How long members may be silent."""
        classic = self.client.protocol == "classic"
        session = self.client.session_ms if classic else self.broker.session_ms
        return Limits(session / 1000, self.client.max_poll_ms / 1000)

    def using(self, strategy: str, *, own: bool) -> Parameters:
        """The same for members that use that strategy.

        With `own` it is the one that they use now: the list of assignors that is stated for them
        counts then, since it says whether they are eager, if that strategy is among them.
        """
        client = self.client
        entries = STRATEGIES.get(strategy)
        if entries and entries.protocol == "consumer":
            remote = entries.kafka_names[0]
            changed = replace(client, protocol="consumer", remote_assignor=remote)
        elif own and strategy in client.assignors and client.assignors != DEFAULT_ASSIGNORS:
            changed = replace(client, protocol="classic")
        else:
            changed = replace(client, protocol="classic", assignors=(strategy,))
        return replace(self, client=changed)


def as_stated(group: Group, events: Sequence[Event]) -> Group:
    """The group with and without instance ids, as restarts in these events want to have it."""
    for event in events:
        static = getattr(event, "static", None)
        if static is None:
            continue
        selection = {event.member} if isinstance(event, Restart) else None
        named = as_static(group).members
        group = replace(
            group,
            members=[
                (item if static else replace(item, instance_id=None))
                if selection is None or {item.member_id, item.instance_id} & selection
                else was
                for was, item in zip(group.members, named, strict=True)
            ],
        )
    return group


def steps_of(group: Group, scenario: Scenario, parameters: Parameters) -> list[steps.Step]:
    """What the processes of a group do in a scenario; the group is `as_stated`.

    Raises NotApplicableError for an event that the group can't have.
    """
    processes = _Processes(group, parameters)
    return [step for at, event in scenario.steps for step in processes.happen(at * 1000, event)]


def length_of(event: Event, group: Group) -> float:
    """Seconds from the beginning of an event until its last step."""
    if isinstance(event, Restart | SlowPoll | Freeze):
        return event.seconds
    if isinstance(event, RollingRestart | Upgrade | Migrate):
        sets = -(-len(group.members) // event.at_once)
        return sets * (event.seconds + READY_MS / 1000)
    return 0.0


class _Processes:
    """The group as events go by, and the process of each member."""

    def __init__(self, group: Group, parameters: Parameters) -> None:
        self.group = group
        self.parameters = parameters
        self.names = [member.member_id for member in group.members]

    def happen(self, at: float, event: Event) -> list[steps.Step]:
        """The steps of an event, and the group when it has happened."""
        before = self.group.members
        after = event.apply(self.group, self.parameters.limits)
        made = list(self._steps(event, at, after.members))
        stay = {*map(id, after.members)}
        if len(after.members) < len(before):
            self.names = [
                name for name, item in zip(self.names, before, strict=True) if id(item) in stay
            ]
        else:
            self.names += [member.member_id for member in after.members[len(before) :]]
        self.group = after
        return made

    def _name(self, member: str) -> str:
        by_id = {item.member_id: n for item, n in zip(self.group.members, self.names, strict=True)}
        by_instance = {
            item.instance_id: n for item, n in zip(self.group.members, self.names, strict=True)
        }
        return by_id.get(member) or by_instance[member]

    @singledispatchmethod
    def _steps(self, event: Event, at: float, after: Sequence[Member]) -> Iterator[steps.Step]:
        raise TypeError(f"{event} is no event that a group is simulated with")

    @_steps.register(Join | Members)
    def _resize(
        self, event: Join | Members, at: float, after: Sequence[Member]
    ) -> Iterator[steps.Step]:
        now = len(self.group.members)
        for name in self.names[len(after) :]:
            yield steps.Close(at, name)
        for member in after[now:]:
            yield steps.Start(
                at, member.member_id, tuple(member.topics), None, member.instance_id, member.rack
            )

    @_steps.register
    def _leave(self, event: Leave, at: float, after: Sequence[Member]) -> Iterator[steps.Step]:
        yield steps.Close(at, self._name(event.member))

    @_steps.register
    def _crash(self, event: Crash, at: float, after: Sequence[Member]) -> Iterator[steps.Step]:
        for place in event.places(self.group):
            yield steps.Kill(at, self.names[place])

    @_steps.register
    def _restart(self, event: Restart, at: float, after: Sequence[Member]) -> Iterator[steps.Step]:
        name = self._name(event.member)
        yield steps.Close(at, name)
        yield steps.Start(at + event.seconds * 1000, name)

    @_steps.register(RollingRestart | Upgrade | Migrate)
    def _roll(self, event: Rolling, at: float, after: Sequence[Member]) -> Iterator[steps.Step]:
        client = self.parameters.client
        new = None
        if isinstance(event, Upgrade):
            new = replace(client, assignors=event.strategies)
        elif isinstance(event, Migrate):
            new = replace(client, protocol="consumer")
        for names in in_turn(self.names, event.at_once, event.order):
            back = at + event.seconds * 1000
            yield from (steps.Close(at, name) for name in names)
            yield from (steps.Start(back, name, client=new) for name in names)
            at = back + READY_MS

    @_steps.register
    def _slow(self, event: SlowPoll, at: float, after: Sequence[Member]) -> Iterator[steps.Step]:
        yield steps.Block(at, self._name(event.member), event.seconds * 1000)

    @_steps.register
    def _freeze(self, event: Freeze, at: float, after: Sequence[Member]) -> Iterator[steps.Step]:
        yield steps.Freeze(at, self._name(event.member), event.seconds * 1000)

    @_steps.register(Grow | Create)
    def _grow(
        self, event: Grow | Create, at: float, after: Sequence[Member]
    ) -> Iterator[steps.Step]:
        yield steps.Grow(at, event.topic, event.partitions)

    @_steps.register
    def _delete(self, event: Delete, at: float, after: Sequence[Member]) -> Iterator[steps.Step]:
        yield steps.Delete(at, event.topic)

    @_steps.register
    def _subscribe(
        self, event: Subscribe, at: float, after: Sequence[Member]
    ) -> Iterator[steps.Step]:
        yield steps.Subscribe(at, self._name(event.member), event.topics)

    @_steps.register
    def _broker(
        self, event: BrokerDown, at: float, after: Sequence[Member]
    ) -> Iterator[steps.Step]:
        yield steps.MoveCoordinator(at)
