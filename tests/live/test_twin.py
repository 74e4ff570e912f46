"""Six scenarios in a real group, and in the twin: as many rebalances, and the same owners."""

import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from typing import NamedTuple

import pytest

from optimizer import Group
from optimizer.coordinator import (
    BrokerSettings,
    ClientSettings,
    Close,
    Kill,
    Scenario,
    Start,
    Step,
    Timeline,
    simulate,
)
from tests.live.brokers import Brokers
from tests.live.consumers import Ownership
from tests.live.java_consumers import JavaConsumers
from tests.live.waiting import until

PARTITIONS = 6
HEARTBEAT_MS = 500
MIXED = ("cooperative-sticky", "range")
SHORT, LONG = 6, 30
"""Sessions in seconds: one to wait for, and one in which a process comes back in any case."""

APART = 60.0
"""Seconds between steps in the twin, whose group is at rest by then."""


class Act(NamedTuple):
    """A step, and whether the group is at rest before it."""

    what: str
    member: str
    assignors: tuple[str, ...] = ("range",)
    at_rest: bool = True


def start(*names: str) -> list[Act]:
    return [Act("start", name) for name in names]


def upgrade(name: str, *assignors: str) -> list[Act]:
    return [Act("close", name), Act("start", name, assignors)]


SCENARIOS: dict[str, tuple[list[Act], bool, int]] = {
    "join": (start("a", "b", "c"), False, SHORT),
    "leave": ([*start("a", "b", "c"), Act("close", "b")], False, SHORT),
    "kill": ([*start("a", "b", "c"), Act("kill", "c")], False, SHORT),
    "static-within": (
        [*start("a", "b", "c"), Act("close", "b"), Act("start", "b", at_rest=False)],
        True,
        LONG,
    ),
    "static-beyond": ([*start("a", "b", "c"), Act("close", "b"), *start("b")], True, SHORT),
    "upgrade": (
        [
            *start("a", "b"),
            *(*upgrade("a", *MIXED), *upgrade("b", *MIXED)),
            *(*upgrade("a", MIXED[0]), *upgrade("b", MIXED[0])),
        ],
        False,
        SHORT,
    ),
}
"""What is done, whether members are static, and how long their sessions are."""


JAVA = {
    "cooperative-sticky": "org.apache.kafka.clients.consumer.CooperativeStickyAssignor",
    "range": "org.apache.kafka.clients.consumer.RangeAssignor",
}


Played = tuple[int, dict[str, list[int]]]
"""How many rebalances there were, and the partitions of each member in the end."""


class LiveGroup:
    """A group of Java's consumers which do what a scenario says, one thing after the other."""

    def __init__(self, name: str, broker: Brokers, java: JavaConsumers) -> None:
        self.acts, self.static, self.session = SCENARIOS[name]
        self.name, self.broker = f"twin-{name}", broker
        self.ownership = java.ownership
        self.present: set[str] = set()
        # who is killed has a process of its own
        self.processes = {
            act.member: JavaConsumers(self.ownership) if act.what == "kill" else java
            for act in self.acts
        }

    def play(self) -> Played:
        """Rebalances from the first rest on, and who owns what in the end.

        Between two rests they are those that members saw which didn't start meanwhile.
        """
        rebalances = 0
        seen, started = Counter[str](), set[str]()
        for act in [*self.acts, None]:
            if self.present and (act is None or act.at_rest):
                self._await_rest(act)
                now = self._assignments()
                new = now - seen
                rebalances += max((new[member] for member in self.present - started), default=0)
                seen, started = now, set()
            if act is not None:
                self._do(act)
                started |= {act.member}
        return rebalances, self._owned()

    def _do(self, act: Act) -> None:
        process = self.processes[act.member]
        if act.what == "start":
            self.present.add(act.member)
            settings: dict[str, object] = {
                "bootstrap.servers": self.broker.bootstrap,
                "client.id": act.member,  # members are sorted by it
                "session.timeout.ms": self.session * 1000,
                "heartbeat.interval.ms": HEARTBEAT_MS,
                "max.poll.interval.ms": 60_000,
                "partition.assignment.strategy": ",".join(JAVA[name] for name in act.assignors),
            }
            settings |= {"group.instance.id": f"i-{act.member}"} if self.static else {}
            process.start(self.name, act.member, [self.name], settings)
            return
        self.present.discard(act.member)
        if act.what == "kill":
            process.kill()
        else:
            process.close(self.name, act.member)

    def _assignments(self) -> Counter[str]:
        """How often each member got an assignment."""
        counts = self.ownership.assignments
        return Counter({m: count for (g, m), count in counts.items() if g == self.name})

    def _owned(self) -> dict[str, list[int]]:
        owned = self.ownership.of(self.name)
        return {member: [n for _, n in owned.get(member, [])] for member in self.present}

    def _await_rest(self, act: Act | None) -> None:
        """Until each member has partitions, each partition has one owner, and both stay a while."""

        def rests() -> bool:
            before = self._assignments(), self._owned()
            time.sleep(6 * HEARTBEAT_MS / 1000)
            now = self._assignments(), self._owned()
            owned = sorted(number for numbers in now[1].values() for number in numbers)
            return before == now and all(now[1].values()) and owned == [*range(PARTITIONS)]

        until(rests, f"{self.name} is at rest before {act}", self._owned)


@pytest.fixture(scope="module")
def seen(broker: Brokers) -> Iterator[dict[str, Future[Played]]]:
    """All scenarios at once, each in a group of its own, whose waits are bounded."""
    broker.create({f"twin-{name}": PARTITIONS for name in SCENARIOS})
    java = JavaConsumers(Ownership())
    with ThreadPoolExecutor(len(SCENARIOS)) as pool:
        groups = {name: LiveGroup(name, broker, java) for name in SCENARIOS}
        yield {name: pool.submit(group.play) for name, group in groups.items()}
        for group in groups.values():
            for process in group.processes.values():
                process.kill()


def simulated(name: str) -> Timeline:
    acts, static, session = SCENARIOS[name]
    client = ClientSettings(
        session_ms=session * 1000, heartbeat_ms=HEARTBEAT_MS, max_poll_ms=60_000
    )
    steps: list[Step] = []
    at = 0.0
    for act in acts:
        at += (APART if act.at_rest else 2) * 1000
        if act.what == "start":
            with_ = replace(client, assignors=act.assignors)
            instance = f"i-{act.member}" if static else None
            steps.append(Start(at, act.member, ("topic",), with_, instance))
        else:
            steps.append((Close if act.what == "close" else Kill)(at, act.member))
    broker = BrokerSettings(initial_delay_ms=0)
    return simulate(Scenario(Group({"topic": PARTITIONS}, []), steps, broker=broker))


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_twin_agrees_with_a_real_group(name: str, seen: dict[str, Future[Played]]) -> None:
    rebalances, owners = seen[name].result()
    timeline = simulated(name)
    owned = {
        member: sorted(timeline.partitions[part][1] for part in parts)
        for member, parts in timeline.final.items()
    }
    assert rebalances == timeline.rebalances - 1
    if timeline.generations[-1].protocol == "range":
        assert owners == owned
    else:
        assert {m: len(parts) for m, parts in owners.items()} == {
            m: len(parts) for m, parts in owned.items()
        }
