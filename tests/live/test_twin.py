"""Six scenarios in a real group, and in the twin: as many rebalances, and the same owners."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, NamedTuple

import pytest
from kafka import KafkaAdminClient

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
from tests.live.twin_member import HEARTBEAT_MS
from tests.live.waiting import until

PARTITIONS = 6
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


TRIES = 3
"""A client sometimes hangs for good in its first join (kafka-python 3.0.12 did, and owned nothing).
That says nothing about the twin: the scenario is then played in a new group."""


class NoRestError(Exception):
    """A group's members don't come to own each partition once."""


class LiveGroup:
    """Processes that do what a scenario says, one thing after the other."""

    def __init__(self, name: str, topic: str, broker: Brokers) -> None:
        self.acts, self.static, self.session = SCENARIOS[name]
        self.topic, self.broker = topic, broker
        # confluent-kafka's clients don't offer eager and cooperative assignors in one list
        self.library = "kafka-python" if name == "upgrade" else "confluent-kafka"
        self.processes: dict[str, subprocess.Popen[str]] = {}
        self.told: dict[str, dict[str, Any]] = {}

    def play(self) -> tuple[int, dict[str, list[int]]]:
        """Rebalances from the first rest on, as `a` sees them, and who owns what in the end."""
        try:
            first = None
            for act in self.acts:
                if act.at_rest and self.processes:
                    generation = self._await_rest(act)
                    first = generation if first is None else first
                self._do(act)
            last = self._await_rest(None)
            assert first is not None
            return last - first, {name: item["owned"] for name, item in self.told.items()}
        finally:
            for process in self.processes.values():
                process.kill()

    def _do(self, act: Act) -> None:
        if act.what == "start":
            words = [sys.executable, "-m", "tests.live.twin_member", self.library]
            words += [self.broker.bootstrap, self.topic, act.member]
            words += [",".join(act.assignors), str(self.session * 1000)]
            words += [f"i-{act.member}"] if self.static else []
            process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            self.processes[act.member] = process
            self.told[act.member] = {"count": -1, "owned": []}
            threading.Thread(target=self._read, args=(act.member, process), daemon=True).start()
            return
        process = self.processes.pop(act.member)
        self.told.pop(act.member)
        if act.what == "kill":
            process.kill()
        else:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(30)

    def _read(self, name: str, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            if self.processes.get(name) is process:
                self.told[name] = json.loads(line)

    def _await_rest(self, act: Act | None) -> int:
        """Until all partitions have one owner each, and stay so a while."""

        def rests() -> bool:
            looks = []
            for _ in range(6):
                looks.append(json.dumps(self.told, sort_keys=True))
                time.sleep(HEARTBEAT_MS / 1000)
            owned = sorted(item for report in self.told.values() for item in report["owned"])
            return len({*looks}) == 1 and owned == [*range(PARTITIONS)]

        if not until(rests, 90):
            raise NoRestError(f"{self.topic} before {act}: {self.told}")
        return int(self.told["a"]["count"]) if "a" in self.told else 0


@pytest.fixture(scope="module")
def seen(broker: Brokers) -> dict[str, Any]:
    """All scenarios at once, each in a group of its own."""
    names = [topic_of(name, attempt) for name in SCENARIOS for attempt in range(TRIES)]
    topics = {name: {"num_partitions": PARTITIONS, "replication_factor": 1} for name in names}
    with KafkaAdminClient(bootstrap_servers=broker.bootstrap) as admin:
        admin.create_topics(topics, wait_for_metadata=True)
    with ThreadPoolExecutor(len(SCENARIOS)) as pool:
        runs = {name: pool.submit(play, name, broker) for name in SCENARIOS}
        return {name: run.exception() or run.result() for name, run in runs.items()}


def topic_of(name: str, attempt: int) -> str:
    return f"twin-{name}-{attempt}"


def play(name: str, broker: Brokers) -> tuple[int, dict[str, list[int]]]:
    for attempt in range(TRIES - 1):
        try:
            return LiveGroup(name, topic_of(name, attempt), broker).play()
        except NoRestError as error:
            warnings.warn(f"played again: {error}", stacklevel=1)
    return LiveGroup(name, topic_of(name, TRIES - 1), broker).play()


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
def test_the_twin_agrees_with_a_real_group(name: str, seen: dict[str, Any]) -> None:
    if isinstance(seen[name], BaseException):
        raise seen[name]
    rebalances, owners = seen[name]
    timeline = simulated(name)
    owned = {
        member: sorted(timeline.partitions[part][1] for part in parts)
        for member, parts in timeline.final.items()
    }
    if name == "upgrade":
        # a heartbeat that a rebalance overtakes makes kafka-python ask for another one
        assert rebalances >= timeline.rebalances - 1
    else:
        assert rebalances == timeline.rebalances - 1
    if timeline.generations[-1].protocol == "range":
        assert owners == owned
    else:
        assert {m: len(parts) for m, parts in owners.items()} == {
            m: len(parts) for m, parts in owned.items()
        }
