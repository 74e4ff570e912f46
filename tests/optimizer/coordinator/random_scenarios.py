"""Random scenarios of small groups, the same for one number."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from random import Random

from optimizer import Group, Member
from optimizer.coordinator import (
    Away,
    Block,
    BrokerSettings,
    ClientSettings,
    Close,
    Delete,
    Freeze,
    Grow,
    Kill,
    MoveCoordinator,
    Scenario,
    Start,
    Step,
    Subscribe,
)

KINDS = (
    *(("range",), ("roundrobin",), ("sticky",), ("cooperative-sticky",)),
    *(("range", "cooperative-sticky"), ("cooperative-sticky", "range")),
)


def random_scenario(number: int) -> Scenario:
    """A group at rest, or none yet, and up to eight things that happen to it.

    Whoever is closed or killed comes back now and then; members that are left go on.
    """
    chance = Random(number)
    client = _client(chance)
    topics = {f"t{at}": chance.randint(1, 12) for at in range(chance.randint(1, 3))}
    names = [f"m{at}" for at in range(chance.randint(1, 6))]
    static = chance.random() < 0.4
    starts: list[Step] = [
        Start(
            chance.uniform(0, 3_000),
            name,
            topics=_some(chance, topics),
            client=client,
            instance_id=f"i-{name}" if static else None,
        )
        for name in names
    ]
    steps, at, life = starts, 60_000.0, _Life(chance, names, dict(topics), client)
    for _ in range(chance.randint(0, 8)):
        at += chance.choice((100, 1_000, 5_000, 60_000)) * chance.random()
        steps += life.something(at)
    end = max(step.at for step in steps) + 700_000
    return Scenario(Group(topics, []), steps, client, broker=_broker(chance), end=end)


def at_rest(number: int) -> Scenario:
    """A group that nothing happens to."""
    chance = Random(number)
    topics = {f"t{at}": chance.randint(1, 12) for at in range(chance.randint(1, 3))}
    members = [Member(f"m{at}", [*topics]) for at in range(chance.randint(1, 6))]
    partitions = [(topic, part) for topic, count in topics.items() for part in range(count)]
    owned = [partitions[at :: len(members)] for at in range(len(members))]
    held = [
        Member(member.member_id, member.topics, has, generation=3)
        for member, has in zip(members, owned, strict=True)
    ]
    return Scenario(Group(topics, held), client=_client(chance), end=3_600_000)


def _client(chance: Random) -> ClientSettings:
    return ClientSettings(
        protocol=chance.choice(("classic", "classic", "consumer")),
        assignors=chance.choice(KINDS),
        remote_assignor=chance.choice((None, "uniform", "range")),
        session_ms=chance.choice((6_000, 45_000)),
        heartbeat_ms=chance.choice((1_000, 3_000)),
        max_poll_ms=chance.choice((15_000, 300_000)),
        metadata_max_age_ms=2_000,
    )


def _broker(chance: Random) -> BrokerSettings:
    return BrokerSettings(
        initial_delay_ms=chance.choice((0, 1_000, 3_000)),
        heartbeat_ms=chance.choice((1_000, 5_000)),
        session_ms=chance.choice((6_000, 45_000)),
        assignment_interval_ms=chance.choice((0, 1_000)),
    )


def _some(chance: Random, topics: dict[str, int]) -> tuple[str, ...]:
    """Nearly always all topics, so that somebody reads each of them."""
    if chance.random() < 0.8:
        return tuple(topics)
    return tuple(chance.sample([*topics], chance.randint(1, len(topics))))


class _Life:
    """The group as it goes on: who runs, which topics there are, how members are configured."""

    def __init__(
        self, chance: Random, names: list[str], topics: dict[str, int], client: ClientSettings
    ) -> None:
        self.chance = chance
        self.names = names
        self.alive = {*names}
        self.topics = topics
        self.client = client
        self.created = 0

    def something(self, at: float) -> list[Step]:
        """What happens next, to somebody or to a topic."""
        name = self.chance.choice(self.names)
        if name not in self.alive:
            self.alive.add(name)
            return [Start(at, name)]
        chance, topics = self.chance, tuple(self.topics)
        events: list[Callable[[], Iterable[Step]]] = [
            *(lambda: self._leaves(at, name), lambda: self._leaves(at, name)),
            lambda: [Close(at, name), Start(at + chance.uniform(100, 20_000), name)],
            lambda: [Block(at, name, chance.choice((2_000, 10_000, 20_000)))],
            lambda: [Subscribe(at, name, topics)],
            *(lambda: self._grows(at), lambda: self._creates(at, name), lambda: self._deletes(at)),
            *(lambda: self._broker_goes(at), lambda: self._rolls(at)),
            # within its session, or beyond it
            lambda: [Freeze(at, name, chance.choice((2_000, 20_000, 60_000)))],
        ]
        return [*chance.choice(events)()]

    def _leaves(self, at: float, name: str) -> Iterator[Step]:
        """Somebody, and as often the one that came first: it leads."""
        if len(self.alive) > 1:
            gone = self.chance.choice((name, min(self.alive)))
            self.alive.discard(gone)
            yield self.chance.choice((Close, Kill))(at, gone)

    def _grows(self, at: float) -> Iterator[Step]:
        topic = self.chance.choice([*self.topics])
        self.topics[topic] += self.chance.randint(1, 4)
        yield Grow(at, topic, self.topics[topic])

    def _creates(self, at: float, name: str) -> Iterator[Step]:
        """A topic that somebody subscribes to already, as often as not."""
        self.created += 1
        topic = f"new{self.created}"
        subscribe = Subscribe(at - 3_000, name, (*self.topics, topic))
        self.topics[topic] = self.chance.randint(1, 4)
        create = Grow(at, topic, self.topics[topic])
        yield from (subscribe, create) if self.chance.random() < 0.5 else (create,)

    def _deletes(self, at: float) -> Iterator[Step]:
        if len(self.topics) > 1:
            topic = self.chance.choice([*self.topics])
            del self.topics[topic]
            yield Delete(at, topic)

    def _broker_goes(self, at: float) -> Iterator[Step]:
        """The one that coordinates, the one that leads some partitions, or both."""
        if self.chance.random() < 0.7:
            yield MoveCoordinator(at)
        led = tuple((topic, 0) for topic in self.topics)
        if self.chance.random() < 0.7:
            yield Away(at, led, 9_000)

    def _rolls(self, at: float) -> Iterator[Step]:
        """A rolling restart: as it is, with other assignors, or with the other protocol."""
        changed = self.chance.choice(
            (
                self.client,
                replace(self.client, assignors=self.chance.choice(KINDS)),
                replace(self.client, protocol=self.chance.choice(("classic", "consumer"))),
            )
        )
        self.client = changed
        for number in sorted(self.alive):
            yield Close(at, number)
            yield Start(at + self.chance.choice((1_000, 60_000)), number, client=changed)
            at += self.chance.choice((1_000, 20_000, 90_000))
