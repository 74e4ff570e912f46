"""Plans in force in groups of Java's consumers, of Java's and Python's, and by the broker.

All groups live side by side, and one test leads them through everything: a second plan, the death
of the process in which their leaders are, its return, and a file that is damaged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from optimizer.assignor.plan_file import GroupPlan, Topics
from tests.live.brokers import Brokers
from tests.live.java_consumers import JavaConsumers
from tests.live.plan_site import GROUPS, Site
from tests.live.waiting import until
from tests.spark.conftest import asked, run  # noqa: F401 - fixtures
from tests.support.said import Run


@pytest.fixture(scope="module")
def site(plan_broker: Brokers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with ExitStack() as opened:
        yield Site(plan_broker, tmp_path_factory.mktemp("plans"), opened)


def test_planned_is_owned_through_everything(
    site: Site,
    run: Run,  # noqa: F811
) -> None:
    site.put(0)
    for group in GROUPS:
        if group != "mixed-cooperative":
            site.start_java(site.dying, group, "a")
    assert until(lambda: all(site.ownership.of(g) for g in GROUPS if g != "mixed-cooperative"))
    site.start_others()
    site.start_java(site.dying, "mixed-cooperative", "a")
    for group in GROUPS:
        site.start_java(site.java, group, "c")
    site.await_plan(0)

    site.put(1)
    for group in GROUPS:
        enforce = ("enforce", site.file(group), "--bootstrap", site.broker.bootstrap)
        enforced = run(*enforce, "--apply")
        assert enforced.code == 0, (group, enforced.err)
    site.await_plan(1)

    site.dying.kill()
    site.await_all_owned("bc", largest=5)
    site.dying = JavaConsumers(site.ownership)
    for group in GROUPS:
        site.start_java(site.dying, group, "a")
    site.await_plan(1)

    for group in GROUPS:
        site.file(group).write_text(site.file(group).read_text()[:-9])
    site.rebalance()
    site.await_all_owned("abc", largest=3, groups=GROUPS[:-1])
    site.await_plan(1, ["broker"])  # which keeps what it read before
    site.put(0)
    site.rebalance()
    site.await_plan(0)
    for group in GROUPS:
        assert site.ownership.owned_twice(group) == []
    assert site.ownership.failures == []


def test_members_come_to_the_brokers_assignor_and_leave_it(site: Site) -> None:
    """One after the other, as at a roll-out; nobody stops. The group then has to assign anew."""
    topic = "java-orders"
    members: dict[str, Topics] = {"x": {topic: [5]}, "y": {topic: [0, 1, 2, 3, 4]}}
    plan = GroupPlan("c", "arriving", "s", members, topic_ids={topic: site.ids[topic]})
    (site.broker.folder / "plans" / "arriving.json").write_text(plan.to_text())

    def start(member: str, assignor: str) -> None:
        settings: Mapping[str, object] = {
            "bootstrap.servers": site.broker.bootstrap,
            "group.instance.id": member,
            "group.protocol": "consumer",
            "group.remote.assignor": assignor,
        }
        site.java.start("arriving", member, [topic], settings)

    def await_loads(*wanted: int) -> None:
        def loads() -> list[int]:
            return [len(site.ownership.of("arriving").get(member, [])) for member in "xy"]

        assert until(lambda: loads() == [*wanted]), site.told("arriving")

    for member in "xy":
        start(member, "uniform")
    await_loads(3, 3)
    for assignor, loads in (("evenfleet-plan", (1, 5)), ("uniform", (3, 3))):
        for member in "xy":
            site.java.close("arriving", member)
            start(member, assignor)
        assert until(lambda: sum(map(len, site.ownership.of("arriving").values())) == 6)
        site.visit("arriving")
        await_loads(*loads)
    for member in "xy":
        site.java.close("arriving", member)
    assert site.ownership.failures == []


def test_roll_out_from_range_and_back(site: Site, tmp_path: Path) -> None:
    """While one consumer knows only range, range decides."""
    plan = tmp_path / "rolled.json"
    members: dict[str, Topics] = {"a": {"java-orders": [5]}, "b": {"java-orders": [0, 1, 2, 3, 4]}}
    plan.write_text(GroupPlan("c", "rolled", "s", members).to_text())
    ranges = "org.apache.kafka.clients.consumer.RangeAssignor"
    both = f"io.evenfleet.PlanAssignor,{ranges}"

    def start(member: str, strategy: str) -> None:
        settings: Mapping[str, object] = {
            "bootstrap.servers": site.broker.bootstrap,
            "client.id": member,
            "heartbeat.interval.ms": 300,
            "partition.assignment.strategy": strategy,
            "evenfleet.plan": plan,
        }
        site.java.start("rolled", member, ["java-orders"], settings)

    def restart(member: str, strategy: str) -> None:
        site.java.close("rolled", member)
        start(member, strategy)

    def await_loads(*wanted: int) -> None:
        def loads() -> list[int]:
            return [len(site.ownership.of("rolled").get(member, [])) for member in "ab"]

        assert until(lambda: loads() == [*wanted]), site.told("rolled")

    start("a", ranges)
    start("b", ranges)
    await_loads(3, 3)
    restart("a", both)
    await_loads(3, 3)
    restart("b", both)
    await_loads(1, 5)
    restart("a", ranges)
    await_loads(3, 3)
    restart("b", ranges)
    await_loads(3, 3)
    for member in "ab":
        site.java.close("rolled", member)
