"""`enforce` and `watch` of many groups: in waves, and while a broker is killed."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from kafka import KafkaAdminClient

from spark.enforce import PlanFolder, watcher
from spark.enforce.enforce_groups import enforce_groups, watch_groups
from spark.enforce.evaluate_group import Status
from spark.sources.live.cluster import Cluster
from spark.sources.live.manager import Manager
from tests.live.brokers import Brokers
from tests.live.planned_groups import PlannedGroup, plan_of, running
from tests.live.waiting import until
from tests.support.said import Run

GROUPS = 5


def create_topics(brokers: Brokers, names: list[str]) -> None:
    with KafkaAdminClient(bootstrap_servers=brokers.bootstrap) as admin:
        topics = {name: {"num_partitions": 4, "replication_factor": 3} for name in names}
        admin.create_topics(topics, wait_for_metadata=True)


def test_all_guests_share_a_connection(
    three_brokers: Brokers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each connection is a login, and a broker needs two: for what waits, and for the rest."""
    names = [f"calm-{number}" for number in range(GROUPS)]
    create_topics(three_brokers, names)
    bootstrap, opened = three_brokers.bootstrap, []

    async def build(manager: Manager, node: Any, **options: Any) -> Any:
        opened.append(node)
        return await real(manager, node, **options)

    real = Manager._build_transport
    monkeypatch.setattr(Manager, "_build_transport", build)
    files = {name: tmp_path / f"{name}.json" for name in names}
    uneven = {name: plan_of("c", name, name, [0, 1, 2, 3], []) for name in names}
    for name, file in files.items():
        file.write_text(uneven[name].to_text())
    groups = [PlannedGroup(name, bootstrap, name, files[name]) for name in names]
    with running(groups):
        cluster = Cluster("c", (bootstrap,))
        before = watch_groups(cluster, uneven, 60)
        assert {outcome.status for outcome in before.outcomes} == {Status.IN_FORCE}
        opened.clear()
        plans = {name: plan_of("c", name, name, [0, 2], [1, 3]) for name in names}
        for name, file in files.items():
            file.write_text(plans[name].to_text())
        done = enforce_groups(cluster, plans, {name: {name} for name in names}, GROUPS, 30)
    assert {outcome.status for outcome in done.outcomes} == {Status.IN_FORCE}
    assert all(outcome.rebalanced for outcome in done.outcomes)
    assert len(opened) <= 2 * 3


def test_many_groups_while_a_broker_is_killed(
    three_brokers: Brokers,
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each is told as what it is, all come to rest, and another run finishes the rest.

    The broker is killed that coordinates the third group, just when a guest is to visit it.
    """
    names = [f"enforced-{number}" for number in range(GROUPS)]
    create_topics(three_brokers, names)
    folder = PlanFolder(tmp_path / "plans")
    folder.path.mkdir()
    for name in names:
        folder.put(plan_of("c", name, name, [0, 1, 2, 3], []))
    folder.finish("by-hand", [])
    files = {name: folder.path / "c" / f"{name}.json" for name in names}
    bootstrap = three_brokers.bootstrap
    groups = {name: PlannedGroup(name, bootstrap, name, files[name]) for name in names}
    words = (folder.path, "--bootstrap", bootstrap)
    killed: list[int] = []

    def make_rebalance(brokers: Any, guests: Any, reader: Any, group: Any, timeout: float) -> None:
        if group.name == names[2] and not killed:
            killed.append(group.coordinator)
            three_brokers.kill(group.coordinator)
        real(brokers, guests, reader, group, timeout)

    real = watcher.make_rebalance
    monkeypatch.setattr(watcher, "make_rebalance", make_rebalance)
    with running([*groups.values()]):
        assert run("watch", *words, "--timeout", 60).code == 0
        for name in names:
            folder.put(plan_of("c", name, name, [0, 2], [1, 3]))
        dry = run("enforce", *words, "--group", "enforced-*")
        assert dry.code == 0, dry
        assert "5 plans: 0 in force, 5 not in force, 0 unknown." in dry.err
        hint = shlex.split(dry.err.partition("Next: ")[2])
        assert hint[0] == "evenfleet"
        groups[names[4]].reads_plan = False
        try:
            first = run(*hint[1:], "--at-once", 2, "--format", "json")
            assert killed
            assert first.code == 1
            assert "wave 3 of 3" in first.err
            rows = {row["group"]: row for row in json.loads(first.out)["groups"]}
            assert rows.keys() == set(names)
            for name, row in rows.items():
                even = sorted(map(len, groups[name].owned.values())) == [2, 2]
                assert row["status"] == ("in force" if even else "not in force"), (row, first.err)
            assert rows[names[4]]["reason"].startswith("it has rebalanced without the plan")
            groups[names[4]].reads_plan = True
            again = run(
                *shlex.split(first.err.partition("remaining groups: ")[2])[1:], "--format", "json"
            )
            assert again.code == 0, again
            assert {row["status"] for row in json.loads(again.out)["groups"]} == {"in force"}
            assert {len(group.owned["b"]) for group in groups.values()} == {2}
        finally:
            for node in killed:
                three_brokers.start(node)
        assert until(lambda: run("watch", *words, "--timeout", 5).code == 0)
