"""What becomes of a plan when its group changes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from kafka import KafkaAdminClient, KafkaConsumer
from kafka.admin import MemberToRemove

from optimizer.assignor.plan_file import GroupPlan, Topics
from spark.enforce.guest_connection import GuestConnection
from spark.enforce.rebalance import make_rebalance
from spark.sources.live.cluster import Cluster
from spark.sources.live.connection import Connection
from spark.sources.live.read_group import GroupReader, read_group
from tests.live.brokers import Brokers
from tests.live.consumers import Consumer, Diary, await_rest, closing
from tests.live.members import of_new_protocol, polled
from tests.live.waiting import until
from tests.spark.conftest import asked, run  # noqa: F401 - fixtures
from tests.support.said import Run


@pytest.fixture
def admin(broker: Brokers) -> Iterator[KafkaAdminClient]:
    with KafkaAdminClient(bootstrap_servers=broker.bootstrap) as client:
        yield client


class Site:
    """A topic of six partitions, a group of the same name, and the file with its plan."""

    def __init__(self, name: str, broker: Brokers, admin: KafkaAdminClient, folder: Path) -> None:
        self.name, self.broker, self.file = name, broker, folder / "plan.json"
        self.diary = Diary(["a", "b", "c"])
        topics = {name: {"num_partitions": 6, "replication_factor": 1}}
        admin.create_topics(topics, wait_for_metadata=True)

    def plan(self, a: list[int], b: list[int], c: list[int]) -> None:
        parts = {"a": a, "b": b, "c": c}
        members: dict[str, Topics] = {key: {self.name: part} for key, part in parts.items()}
        self.file.write_text(GroupPlan("live", self.name, "by-hand", members).to_text())

    def consumer(self, name: str, static: bool) -> Consumer:
        return Consumer(
            name,
            self.broker.bootstrap,
            self.name,
            [self.name],
            self.diary,
            plan=str(self.file),
            static=static,
            cooperative=True,
        )

    def owned(self) -> dict[str, list[int]]:
        """Partitions by consumer; a partition with two owners shows at both."""
        result: dict[str, list[int]] = {}
        for (_, partition), names in sorted(self.diary.owners().items()):
            for name in names:
                result.setdefault(name, []).append(partition)
        return result

    def await_owned(self, **wanted: list[int]) -> None:
        assert until(lambda: self.owned() == wanted), self.owned()


def test_static_members(broker: Brokers, admin: KafkaAdminClient, tmp_path: Path) -> None:
    """One that starts anew keeps its part, and nothing else happens, whatever the file says.

    When an administrator removes it, it joins again, and the changed plan comes into force.
    """
    site = Site("static-members", broker, admin, tmp_path)
    site.plan([0, 1], [2, 3], [4, 5])
    with closing(site.consumer(name, static=True) for name in "abc") as consumers:
        site.await_owned(a=[0, 1], b=[2, 3], c=[4, 5])
        await_rest(broker.bootstrap, {site.name: site.diary})
        generation = site.diary.generation
        site.plan([2, 5], [0, 4], [1, 3])
        consumers[1].close()
        site.await_owned(a=[0, 1], c=[4, 5])
        consumers[1] = site.consumer("b", static=True)
        site.await_owned(a=[0, 1], b=[2, 3], c=[4, 5])
        assert site.diary.generation == generation
        admin.remove_group_members(site.name, [MemberToRemove(group_instance_id="b")])
        site.await_owned(a=[2, 5], b=[0, 4], c=[1, 3])
        assert [consumer.failure for consumer in consumers] == [None, None, None]


def test_dynamic_members(broker: Brokers, admin: KafkaAdminClient, tmp_path: Path) -> None:
    """One that leaves, or a topic that grows, and all partitions have an owner by another way.

    With the members of the plan back, and with a plan for all partitions, it is in force again.
    """
    site = Site("dynamic-members", broker, admin, tmp_path)
    site.plan([0], [1, 2], [3, 4, 5])
    with closing(site.consumer(name, static=False) for name in "abc") as consumers:
        site.await_owned(a=[0], b=[1, 2], c=[3, 4, 5])
        began = site.diary.generation
        consumers[1].close()
        assert until(lambda: sorted(map(len, site.owned().values())) == [3, 3])
        consumers[1] = site.consumer("b", static=False)
        site.await_owned(a=[0], b=[1, 2], c=[3, 4, 5])
        admin.create_partitions({site.name: 8})
        assert until(lambda: sorted(map(len, site.owned().values())) == [2, 3, 3])
        site.plan([0, 6], [1, 2, 7], [3, 4, 5])
        consumers[2].rejoin()
        site.await_owned(a=[0, 6], b=[1, 2, 7], c=[3, 4, 5])
        assert site.diary.owned_twice() == []
        assert site.diary.unowned_for_long(began) == []
        assert [consumer.failure for consumer in consumers] == [None, None, None]


def test_groups_that_no_plan_can_be_put_into(
    broker: Brokers,
    admin: KafkaAdminClient,
    tmp_path: Path,
    run: Run,  # noqa: F811
) -> None:
    """One that isn't there, and such that assign by themselves, are left alone and told apart."""
    site = Site("no-plan-assignor", broker, admin, tmp_path)
    site.plan([0, 1], [2, 3], [4, 5])
    enforce = ("enforce", site.file, "--bootstrap", broker.bootstrap, "--no-dry-run")
    nobody = run(*enforce)
    assert nobody.code == 1
    assert "Group no-plan-assignor: there is no such group." in nobody.err
    consumer = KafkaConsumer(
        site.name, bootstrap_servers=broker.bootstrap, group_id=site.name, client_id="a"
    )
    try:
        # so long that none ends while the consumer joins: see optimizer.assignor.kafka_python
        assert until(lambda: consumer.poll(timeout_ms=3000) == {} and bool(consumer.assignment()))
        generation = consumer.group_metadata().generation_id
        ranges = run(*enforce)
        assert ranges.code == 1
        assert "its members use range: the plan would be ignored. To roll it out" in ranges.err
        watched = run("watch", *enforce[1:-1], "--timeout", 600)
        assert (watched.code, "use range: the plan" in watched.err) == (1, True)
        consumer.poll(timeout_ms=500)
        assert consumer.group_metadata().generation_id == generation
    finally:
        consumer.close()


def test_a_group_of_the_new_protocol(
    broker: Brokers,
    admin: KafkaAdminClient,
    tmp_path: Path,
    run: Run,  # noqa: F811
) -> None:
    """Its broker assigns, and does so anew when a guest has come and gone; nobody loses anything.

    With an assignor that knows no plan, that isn't done.
    """
    site = Site("new-protocol", broker, admin, tmp_path)
    site.plan([0, 1], [2, 3], [4, 5])
    members = [of_new_protocol(broker.bootstrap, site.name, n, [site.name], "r") for n in range(2)]
    cluster = Cluster("live", (broker.bootstrap,))
    with polled(members), Connection(cluster) as brokers:
        assert until(lambda: {len(member.owned) for member in members} == {3})
        before = read_group(brokers, cluster, site.name)
        assert (before.type, before.state, before.strategy) == ("consumer", "Stable", "uniform")
        output = run("enforce", site.file, "--bootstrap", broker.bootstrap, "--no-dry-run")
        assert output.code == 1
        assert "its broker assigns by 'uniform': the plan would be ignored" in output.err
        assert "group.remote.assignor=evenfleet-plan" in output.err
        guests = GuestConnection(cluster, brokers.metadata)
        make_rebalance(
            brokers, guests, GroupReader(brokers, cluster, [site.name]), before, cluster.timeout
        )
        owned = [member.owned for member in members]

        def rests() -> bool:
            now = read_group(brokers, cluster, site.name)
            return now.state == "Stable" and now.generation > before.generation

        assert until(rests, 20), (before.generation, read_group(brokers, cluster, site.name))
        assert [member.owned for member in members] == owned
        assert len(read_group(brokers, cluster, site.name).members) == 2
