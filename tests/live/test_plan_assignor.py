"""What becomes of a plan in force when its group changes, and groups that take none.

`test_plan_in_force_page` goes from a live cluster to a plan in force, `test_java_plan` through
static members of both protocols.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from kafka import KafkaAdminClient, KafkaConsumer
from kafka.admin import MemberToRemove

from optimizer.assignor.plan_file import GroupPlan, Topics
from spark.enforce.rebalance import GuestConnection, make_rebalance
from spark.sources.live.cluster import Cluster
from spark.sources.live.connection import Connection
from spark.sources.live.describe_groups import GroupReader, read_group
from tests.live.brokers import Brokers
from tests.live.consumers import (
    Consumer,
    Ownership,
    await_rest,
    by_librdkafka,
    closing,
    follower,
)
from tests.live.waiting import until
from tests.support.said import Run


@pytest.fixture
def admin(broker: Brokers) -> Iterator[KafkaAdminClient]:
    with broker.admin() as client:
        yield client


class Site:
    """A group whose consumers a, b and c go by the plan in a file, and what they own."""

    def __init__(self, name: str, broker: Brokers, file: Path) -> None:
        self.name, self.broker, self.file = name, broker, file
        self.ownership = Ownership()
        self.consumers: dict[str, Consumer] = {}

    def plan(self, a: list[int], b: list[int], c: list[int]) -> None:
        """A plan for the topic that is called as the group is."""
        members: dict[str, Topics] = {"a": {self.name: a}, "b": {self.name: b}, "c": {self.name: c}}
        self.file.write_text(GroupPlan("live", self.name, "by-hand", members).to_text())

    def start(self, name: str, static: bool, cooperative: bool = True) -> Consumer:
        self.consumers[name] = follower(
            *(self.broker.bootstrap, self.name, name, [self.name], self.ownership),
            plan=self.file,
            static=static,
            cooperative=cooperative,
            rack=f"rack-{name}",
        )
        return self.consumers[name]

    @property
    def generation(self) -> int:
        return self.ownership.generation(self.name)

    def owned(self) -> dict[str, list[int]]:
        return {m: [n for _, n in parts] for m, parts in self.ownership.of(self.name).items()}

    def await_owned(self, **wanted: list[int]) -> None:
        until(lambda: self.owned() == wanted, f"{self.name} owns {wanted}", self.owned)

    def await_loads(self, *wanted: int) -> None:
        def loads() -> tuple[int, ...]:
            return tuple(sorted(map(len, self.owned().values())))

        until(lambda: loads() == wanted, f"loads of {self.name} are {wanted}", self.owned)

    def check(self, since: int) -> None:
        """No partition had two owners, nor none for longer than a rebalance; nobody failed."""
        assert self.ownership.owned_twice(self.name) == []
        assert self.ownership.unowned_for_long(self.name, "abc", since) == []
        assert {consumer.failure for consumer in self.consumers.values()} == {None}


@pytest.fixture
def site(request: pytest.FixtureRequest, broker: Brokers, tmp_path: Path) -> Site:
    """A group named as the test, and a topic of six partitions that is called so, too."""
    name = request.node.name.replace("[", "-").rstrip("]")
    site = Site(name, broker, tmp_path / "plan.json")
    broker.create({site.name: 6})
    return site


def test_static_members(site: Site, admin: KafkaAdminClient) -> None:
    """One that starts anew keeps its part, and nothing else happens, whatever the file says.

    When an administrator removes it, it joins again, and the changed plan takes effect.
    """
    site.plan([0, 1], [2, 3], [4, 5])
    with closing(site.start(name, static=True) for name in "abc") as consumers:
        site.await_owned(a=[0, 1], b=[2, 3], c=[4, 5])
        await_rest(site.broker.bootstrap, {site.name: site.ownership})
        generation = site.generation
        site.plan([2, 5], [0, 4], [1, 3])
        site.consumers["b"].close()
        site.await_owned(a=[0, 1], c=[4, 5])
        consumers.append(site.start("b", static=True))
        site.await_owned(a=[0, 1], b=[2, 3], c=[4, 5])
        assert site.generation == generation
        admin.remove_group_members(site.name, [MemberToRemove(group_instance_id="b")])
        site.await_owned(a=[2, 5], b=[0, 4], c=[1, 3])
        assert {consumer.failure for consumer in consumers} == {None}


@pytest.mark.parametrize("protocol", ["eager", "cooperative"])
def test_dynamic_members(site: Site, admin: KafkaAdminClient, protocol: str) -> None:
    """One that leaves, or a topic that grows, and all partitions have an owner by another way.

    With the members of the plan back, and with a plan for all partitions, it is in force again.
    """
    site.plan([0], [1, 2], [3, 4, 5])
    cooperative = protocol == "cooperative"
    with closing(site.start(name, False, cooperative) for name in "abc") as consumers:
        site.await_owned(a=[0], b=[1, 2], c=[3, 4, 5])
        began = site.generation
        site.consumers["b"].close()
        site.await_loads(3, 3)
        consumers.append(site.start("b", False, cooperative))
        site.await_owned(a=[0], b=[1, 2], c=[3, 4, 5])
        admin.create_partitions({site.name: 8})
        site.await_loads(2, 3, 3)
        site.plan([0, 6], [1, 2, 7], [3, 4, 5])
        site.consumers["c"].rejoin()
        site.await_owned(a=[0, 6], b=[1, 2, 7], c=[3, 4, 5])
        site.check(since=began)


def test_groups_that_no_plan_can_be_put_into(site: Site, run: Run) -> None:
    """One that isn't there, and such that assign by themselves, are left alone and told apart."""
    bootstrap = site.broker.bootstrap
    site.plan([0, 1], [2, 3], [4, 5])
    enforce = ("enforce", site.file, "--bootstrap", bootstrap, "--no-dry-run")
    nobody = run(*enforce)
    assert nobody.code == 1
    assert f"Group {site.name}: there is no such group." in nobody.err
    consumer = KafkaConsumer(
        site.name, bootstrap_servers=bootstrap, group_id=site.name, client_id="a"
    )
    try:
        # so long that none ends while the consumer joins: see optimizer.assignor.fallback
        joined = "a consumer by range joins"
        until(lambda: consumer.poll(timeout_ms=3000) == {} and bool(consumer.assignment()), joined)
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


def test_a_group_of_the_new_protocol(site: Site, run: Run) -> None:
    """Its broker assigns, and does so anew when a guest has come and gone; nobody loses anything.

    With an assignor that knows no plan, that isn't done.
    """
    site.plan([0, 1], [2, 3], [4, 5])
    where = (site.broker.bootstrap, site.name)
    cluster = Cluster("live", where[:1])
    with (
        closing(by_librdkafka(*where, f"n{n}", [site.name]) for n in range(2)) as members,
        Connection(cluster) as brokers,
    ):
        until(lambda: {len(m.owned) for m in members} == {3}, "both have three partitions")
        before = read_group(brokers, cluster, site.name)
        assert (before.type, before.state, before.strategy) == ("consumer", "Stable", "uniform")
        output = run("enforce", site.file, "--bootstrap", where[0], "--no-dry-run")
        assert output.code == 1
        assert "its broker assigns by 'uniform': the plan would be ignored" in output.err
        assert "group.remote.assignor=evenfleet-plan" in output.err
        guests = GuestConnection(cluster, brokers.metadata)
        reader = GroupReader(brokers, cluster, [site.name])
        make_rebalance(brokers, guests, reader, before, cluster.timeout)
        owned = [member.owned for member in members]

        def rests() -> bool:
            now = read_group(brokers, cluster, site.name)
            return now.state == "Stable" and now.generation > before.generation

        until(rests, "the group rests in a later epoch", seconds=20)
        assert [member.owned for member in members] == owned
        assert len(read_group(brokers, cluster, site.name).members) == 2
