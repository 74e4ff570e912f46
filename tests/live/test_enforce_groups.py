"""`enforce` and `watch` of many groups: in waves, and while a broker is killed."""

import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from optimizer.assignor.plan_file import GroupPlan
from spark.enforce import PlanFolder
from spark.enforce.enforce_groups import enforce_groups, watch_groups
from spark.enforce.evaluate_group import Status
from spark.enforce.rebalance import make_rebalance as real
from spark.sources.live.cluster import Cluster
from spark.sources.live.manager import Manager
from tests.live.brokers import Brokers
from tests.live.consumers import Ownership
from tests.live.java_consumers import JavaConsumers
from tests.live.waiting import until
from tests.support.said import Run
from tests.support.terminal import tables_of

GROUPS = 5
EVEN, UNEVEN = ([0, 2], [1, 3]), ([0, 1, 2, 3], [])


@pytest.fixture
def java() -> Iterator[JavaConsumers]:
    java = JavaConsumers(Ownership())
    yield java
    java.kill()


class Planned:
    """Groups of members a and b that go by a folder of plans, each with a topic of its name.

    The last goes by a file of its own, `apart`.
    """

    def __init__(self, prefix: str, brokers: Brokers, folder: Path, java: JavaConsumers) -> None:
        self.names = [f"{prefix}-{number}" for number in range(GROUPS)]
        self.plans, self.apart = PlanFolder(folder / "plans"), folder / "apart.json"
        self.ownership = java.ownership
        brokers.create(dict.fromkeys(self.names, 4))
        self.plans.path.mkdir()
        last = self.put(UNEVEN)[self.names[-1]]
        self.plans.finish("by-hand", [])
        self.apart.write_text(last.to_text())
        for name in self.names:
            file = self.plans.path / "c" / f"{name}.json"
            settings: dict[str, object] = {
                "bootstrap.servers": brokers.bootstrap,
                "heartbeat.interval.ms": 300,
                "session.timeout.ms": 30_000,
                "partition.assignment.strategy": "io.evenfleet.PlanAssignor",
                "evenfleet.plan": self.apart if name == self.names[-1] else file,
            }
            for member in "ab":
                java.start(name, member, [name], settings | {"client.id": member})

    def put(self, parts: tuple[list[int], list[int]]) -> dict[str, GroupPlan]:
        """Write a plan of each group."""
        plans = {
            name: GroupPlan(
                "c", name, "by-hand", {m: {name: p} for m, p in zip("ab", parts, strict=True)}
            )
            for name in self.names
        }
        for plan in plans.values():
            self.plans.put(plan)
        return plans

    def is_even(self, name: str) -> bool:
        return [len(parts) for parts in self.ownership.of(name).values()] == [2, 2]


def test_all_guests_share_a_connection(
    three_brokers: Brokers, java: JavaConsumers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each connection is a login, and a broker needs two: for what waits, and for the rest."""
    opened: list[Any] = []

    async def build(manager: Manager, node: Any, **options: Any) -> Any:
        opened.append(node)
        return await real(manager, node, **options)

    real = Manager._build_transport
    monkeypatch.setattr(Manager, "_build_transport", build)
    planned = Planned("calm", three_brokers, tmp_path, java)
    cluster = Cluster("c", (three_brokers.bootstrap,))
    before = watch_groups(cluster, planned.put(UNEVEN), 60)
    assert {outcome.status for outcome in before.outcomes} == {Status.IN_FORCE}
    opened.clear()
    plans = planned.put(EVEN)
    planned.apart.write_text(plans[planned.names[-1]].to_text())
    done = enforce_groups(cluster, plans, {name: {name} for name in plans}, GROUPS, 30)
    assert {outcome.status for outcome in done.outcomes} == {Status.IN_FORCE}
    assert all(outcome.rebalanced for outcome in done.outcomes)
    assert len(opened) <= 2 * 3


def test_many_groups_while_a_broker_is_killed(
    three_brokers: Brokers,
    java: JavaConsumers,
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each is told as what it is, all come to rest, and another run finishes the rest.

    The broker is killed that coordinates the third group, just when a guest is to visit it. The
    last group doesn't see its plan.
    """
    planned = Planned("enforced", three_brokers, tmp_path, java)
    names = planned.names
    words = (planned.plans.path, "--bootstrap", three_brokers.bootstrap)
    killed: list[int] = []

    def make_rebalance(brokers: Any, guests: Any, reader: Any, group: Any, timeout: float) -> None:
        if group.name == names[2] and not killed:
            killed.append(group.coordinator)
            three_brokers.kill(group.coordinator)
        real(brokers, guests, reader, group, timeout)

    monkeypatch.setattr("spark.enforce.enforce_groups.make_rebalance", make_rebalance)
    assert run("watch", *words, "--timeout", 60).code == 0
    plans = planned.put(EVEN)
    dry = run("enforce", *words, "--group", "enforced-*")
    assert dry.code == 0, dry
    assert "5 plans: 0 in force, 5 not in force, 0 unknown." in dry.err
    hint = shlex.split(dry.err.partition("Next: ")[2])
    assert hint[0] == "evenfleet"
    try:
        first = run(*hint[1:], "--at-once", 2, "--format", "json")
        assert killed
        assert first.code == 1
        assert "wave 3 of 3" in first.err
        rows = {row["group"]: row for row in tables_of(first)["groups"]}
        assert rows.keys() == set(names)
        for name, row in rows.items():
            assert row["status"] in ("in force", "not in force"), (row, first.err)
            of_status = row["status"] == "in force"
            until(lambda n=name, s=of_status: planned.is_even(n) == s, f"{row}", seconds=5)
        assert rows[names[4]]["reason"].startswith("it has rebalanced without the plan")
        planned.apart.write_text(plans[names[4]].to_text())
        rest = shlex.split(json.loads(first.out)["next"])
        again = run(*rest[1:], "--format", "json")
        assert again.code == 0, again
        assert {row["status"] for row in tables_of(again)["groups"]} == {"in force"}
        until(lambda: all(map(planned.is_even, names)), "all groups are even", seconds=5)
    finally:
        for node in killed:
            three_brokers.start(node)
    watch = ("watch", *words, "--timeout", 5)
    until(lambda: run(*watch).code == 0, "all plans are in force, with the broker back")
