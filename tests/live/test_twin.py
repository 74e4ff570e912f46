"""Six scenarios in a real group, and in the twin."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

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
from tests.live.twin_member import HEARTBEAT_MS, SESSION_MS

PARTITIONS = 6
MIXED = ("cooperative-sticky", "range")

RANGE = ClientSettings(
    assignors=("range",), session_ms=SESSION_MS, heartbeat_ms=HEARTBEAT_MS, max_poll_ms=60_000
)


def start(
    at: float, name: str, static: bool = False, assignors: tuple[str, ...] = ("range",)
) -> Start:
    client = replace(RANGE, assignors=assignors)
    return Start(at * 1000, name, ("topic",), client, f"i-{name}" if static else None)


def of(*names: str, static: bool = False) -> list[Step]:
    """Members that come one after the other: the tests' brokers have no initial delay."""
    return [start(2.5 * at, name, static) for at, name in enumerate(names)]


SCENARIOS: dict[str, tuple[list[Step], float]] = {
    "join": ([*of("a", "b"), start(10, "c")], 16),
    "leave": ([*of("a", "b", "c"), Close(10_000, "b")], 16),
    "kill": ([*of("a", "b", "c"), Kill(10_000, "c")], 24),
    "static-within": (
        [*of("a", "b", "c", static=True), Close(10_000, "b"), start(12, "b", True)],
        20,
    ),
    "static-beyond": (
        [*of("a", "b", "c", static=True), Close(10_000, "b"), start(20, "b", True)],
        28,
    ),
    "upgrade": (
        [
            *of("a", "b"),
            *(Close(10_000, "a"), start(13, "a", assignors=MIXED)),
            *(Close(18_000, "b"), start(21, "b", assignors=MIXED)),
            *(Close(26_000, "a"), start(29, "a", assignors=MIXED[:1])),
            *(Close(34_000, "b"), start(37, "b", assignors=MIXED[:1])),
        ],
        44,
    ),
}
"""Steps, and the second at which the scenario ends."""


class Seen:
    """The last generation that anybody was told of, and who owns what in the end."""

    def __init__(self) -> None:
        self.generation = 0
        self.owners: dict[str, list[int]] = {}


class LiveGroup:
    """Processes that do what a scenario says."""

    def __init__(self, name: str, broker: Brokers) -> None:
        self.topic, self.broker = f"twin-{name}", broker
        self.processes: dict[str, subprocess.Popen[str]] = {}
        self.lines: dict[str, list[str]] = {}

    def play(self, steps: list[Step], end: float) -> Seen:
        begun = time.monotonic()
        with ThreadPoolExecutor() as readers, contextlib.ExitStack() as stack:
            stack.callback(self._end)
            for step in steps:
                time.sleep(max(0, begun + step.at / 1000 - time.monotonic()))
                self._do(step, readers)
            time.sleep(max(0, begun + end - time.monotonic()))
            return self._seen()

    def _do(self, step: Step, readers: ThreadPoolExecutor) -> None:
        match step:
            case Start():
                assert step.client is not None
                words = [sys.executable, "-m", "tests.live.twin_member", self.broker.bootstrap]
                words += [self.topic, step.member, ",".join(step.client.assignors)]
                words += [step.instance_id] if step.instance_id else []
                process = subprocess.Popen(
                    words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
                )
                self.processes[step.member] = process
                self.lines[step.member] = []
                readers.submit(self._read, process, self.lines[step.member])
            case Close():
                process = self.processes.pop(step.member)
                assert process.stdin is not None
                process.stdin.close()
            case Kill():
                self.processes.pop(step.member).kill()

    @staticmethod
    def _read(process: subprocess.Popen[str], lines: list[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)

    def _seen(self) -> Seen:
        seen = Seen()
        for name, lines in self.lines.items():
            told = [json.loads(line) for line in list(lines)]
            seen.generation = max([seen.generation, *(one["generation"] for one in told)])
            if name in self.processes and told:
                seen.owners[name] = told[-1]["owned"]
        return seen

    def _end(self) -> None:
        for process in self.processes.values():
            process.kill()


@pytest.fixture(scope="module")
def seen(broker: Brokers) -> dict[str, Seen]:
    """All scenarios at once, each in a group of its own."""
    topics = {
        f"twin-{name}": {"num_partitions": PARTITIONS, "replication_factor": 1}
        for name in SCENARIOS
    }
    with KafkaAdminClient(bootstrap_servers=broker.bootstrap) as admin:
        admin.create_topics(topics, wait_for_metadata=True)
    with ThreadPoolExecutor(len(SCENARIOS)) as pool:
        runs = {
            name: pool.submit(LiveGroup(name, broker).play, steps, end)
            for name, (steps, end) in SCENARIOS.items()
        }
        found = {name: run.result() for name, run in runs.items()}
    return found


def simulated(name: str) -> Timeline:
    steps, end = SCENARIOS[name]
    broker = BrokerSettings(initial_delay_ms=0)
    return simulate(
        Scenario(Group({"topic": PARTITIONS}, []), steps, broker=broker, end=end * 1000)
    )


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_twin_agrees_with_a_real_group(name: str, seen: dict[str, Seen]) -> None:
    timeline = simulated(name)
    owned = {
        member: sorted(timeline.partitions[one][1] for one in parts)
        for member, parts in timeline.final.items()
    }
    assert seen[name].generation == timeline.generations[-1].number
    assert {m: len(parts) for m, parts in seen[name].owners.items()} == {
        m: len(parts) for m, parts in owned.items()
    }
    if timeline.generations[-1].protocol == "range":
        assert seen[name].owners == owned
