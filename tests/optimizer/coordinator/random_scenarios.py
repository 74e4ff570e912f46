"""Random scenarios of small groups, the same for one number."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from optimizer import Group, Member
from optimizer.coordinator import (
    BrokerSettings,
    ClientSettings,
    Close,
    Grow,
    Kill,
    Scenario,
    Start,
    Step,
    Subscribe,
)
from optimizer.coordinator.scenario import Block

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
    steps, at, alive = starts, 60_000.0, {*names}
    for _ in range(chance.randint(0, 8)):
        at += chance.choice((100, 1_000, 5_000, 60_000)) * chance.random()
        steps += _something(chance, at, names, alive, topics)
    return Scenario(Group(topics, []), steps, client, broker=_broker(chance), end=at + 700_000)


def at_rest(number: int) -> Scenario:
    """A group that nothing happens to."""
    chance = Random(number)
    topics = {f"t{at}": chance.randint(1, 12) for at in range(chance.randint(1, 3))}
    members = [Member(f"m{at}", [*topics]) for at in range(chance.randint(1, 6))]
    partitions = [(topic, part) for topic, count in topics.items() for part in range(count)]
    owned = [partitions[at :: len(members)] for at in range(len(members))]
    held = [
        Member(one.member_id, one.topics, has, generation=3)
        for one, has in zip(members, owned, strict=True)
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


def _something(
    chance: Random, at: float, names: list[str], alive: set[str], topics: dict[str, int]
) -> list[Step]:
    name = chance.choice(names)
    if name not in alive:
        alive.add(name)
        return [Start(at, name)]
    return [*_to_one_alive(chance, at, name, alive, topics)]


def _to_one_alive(
    chance: Random, at: float, name: str, alive: set[str], topics: dict[str, int]
) -> Iterator[Step]:
    match chance.choice(("close", "kill", "restart", "block", "grow", "subscribe")):
        case "close" if len(alive) > 1:
            alive.discard(name)
            yield Close(at, name)
        case "kill" if len(alive) > 1:
            alive.discard(name)
            yield Kill(at, name)
        case "restart":
            yield Close(at, name)
            yield Start(at + chance.uniform(100, 20_000), name)
        case "block":
            yield Block(at, name, chance.choice((2_000, 10_000, 20_000)))
        case "grow":
            topic = chance.choice([*topics])
            topics[topic] += chance.randint(1, 4)
            yield Grow(at, topic, topics[topic])
        case _:
            yield Subscribe(at, name, tuple(topics))
