"""From a live cluster to a plan in force: collect, plan, export-plan, enforce, watch."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from kafka import KafkaAdminClient

from optimizer.assignor.plan_file import GroupPlan, Topics
from tests.live.brokers import Brokers
from tests.live.consumers import Consumer, Diary, await_rest, closing
from tests.live.waiting import until
from tests.spark.conftest import asked, run  # noqa: F401 - fixtures
from tests.support.said import Run, Said

KINDS = [
    f"{how}-{protocol}" for how in ("static", "dynamic") for protocol in ("eager", "cooperative")
]
TOPICS = {"lopsided-orders": 6, "lopsided-refunds": 4}
READS = {
    "a": ["lopsided-orders"],
    "b": ["lopsided-orders", "lopsided-refunds"],
    "c": ["lopsided-refunds"],
}
LOPSIDED: dict[str, Topics] = {
    "a": {"lopsided-orders": [0]},
    "b": {"lopsided-orders": [1, 2, 3, 4, 5], "lopsided-refunds": [0, 1, 2]},
    "c": {"lopsided-refunds": [3]},
}


class Group:
    """A group of one kind, whose consumers have been polled since it began."""

    def __init__(self, kind: str, bootstrap: str, file: Path, opened: ExitStack) -> None:
        self.kind, self.file, self.diary = kind, file, Diary(READS)
        self.said: dict[str, Said] = {}
        self.generations: list[int] = []
        self.put(LOPSIDED)
        self.consumers = opened.enter_context(
            closing(
                Consumer(
                    name,
                    bootstrap,
                    kind,
                    reads,
                    self.diary,
                    plan=str(file),
                    static=kind.startswith("static"),
                    cooperative=kind.endswith("cooperative"),
                    rack=f"rack-{name}",
                )
                for name, reads in READS.items()
            )
        )

    def put(self, members: dict[str, Topics]) -> None:
        self.file.write_text(GroupPlan("live", self.kind, "by-hand", members).to_text())

    def await_plan(self) -> None:
        """Until its members have what the file says."""
        wanted = {
            (topic, partition): {member}
            for member, topics in GroupPlan.from_text(self.file.read_text()).members.items()
            for topic, partitions in topics.items()
            for partition in partitions
        }
        assert until(lambda: self.diary.owners() == wanted), (self.kind, self.diary.owners())
        self.generations.append(self.diary.generation)


@pytest.fixture(scope="module")
def groups(broker: Brokers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Group]]:
    """A group of each kind, with a plan in force that is lopsided."""
    admin = KafkaAdminClient(bootstrap_servers=broker.bootstrap)
    admin.create_topics(
        {name: {"num_partitions": n, "replication_factor": 1} for name, n in TOPICS.items()},
        wait_for_metadata=True,
    )
    admin.close()
    folder = tmp_path_factory.mktemp("plans")
    with ExitStack() as opened:
        groups = [Group(k, broker.bootstrap, folder / f"{k}.json", opened) for k in KINDS]
        for group in groups:
            group.await_plan()
        yield groups


def test_from_a_live_cluster_to_a_plan_in_force(
    broker: Brokers,
    groups: list[Group],
    tmp_path: Path,
    run: Run,  # noqa: F811
) -> None:
    """The consumers own exactly the plan, and after it has changed, exactly the new one.

    The first change comes into force by `enforce`, the second when a consumer asks for it. All
    the time no partition has two owners, and none is without one for longer than a rebalance.
    """
    server = ("--bootstrap", broker.bootstrap)
    store, out = tmp_path / "store", tmp_path / "plan"
    diaries = {group.kind: group.diary for group in groups}
    await_rest(broker.bootstrap, diaries)
    assert run("collect", *server, "--cluster", "live", "--out", store).code == 0
    assert run("plan", store, "--out", out).code == 0
    for group in groups:
        before = group.diary.generation
        export = run("export-plan", store, out, "--group", group.kind, "--out", group.file)
        assert export.code == 0, export.err
        plan = GroupPlan.from_text(group.file.read_text())
        assert {sum(map(len, topics.values())) for topics in plan.members.values()} == {3, 4}
        dry = run("enforce", group.file, *server, "--format", "json")
        assert dry.code == 0
        assert "--apply" in dry.err
        assert {row["member"] for row in json.loads(dry.out)["differences"]} == {"a", "b", "c"}
        assert run("watch", group.file, *server, "--timeout", 0).code == 1
        assert group.diary.generation == before
        assert run("enforce", group.file, *server, "--apply").code == 0
    for group in groups:
        watched = run("watch", group.file, *server, "--timeout", 60)
        assert (watched.code, watched.out) == (0, ""), watched
        group.await_plan()
    await_rest(broker.bootstrap, diaries)
    for group in groups:
        done = run("enforce", group.file, *server)
        assert "in force already" in done.err
        group.put(LOPSIDED)
        group.consumers[0].rejoin()
    for group in groups:
        group.await_plan()
        assert run("watch", group.file, *server, "--timeout", 60).code == 0
        assert group.diary.owned_twice() == []
        assert group.diary.unowned_for_long(since=group.generations[0]) == []
        assert [consumer.failure for consumer in group.consumers] == [None, None, None]
