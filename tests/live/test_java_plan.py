"""Plans in force in groups of Java's consumers, of Java's and Python's, and by the broker.

All groups live side by side, and one test leads them through everything: a second plan, the death
of the process in which their leaders are, its return, and a file that is damaged.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from optimizer.assignor.plan_file import GroupPlan
from tests.live.brokers import Brokers
from tests.live.java_consumers import JavaConsumers
from tests.live.plan_site import GROUPS, ORDERS, Site
from tests.live.waiting import until
from tests.support.said import Run


@pytest.fixture(scope="module")
def site(plan_broker: Brokers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with ExitStack() as opened:
        yield Site(plan_broker, tmp_path_factory.mktemp("plans"), opened)


def test_planned_is_owned_through_everything(site: Site, run: Run) -> None:
    site.put(0)
    led_by_a = [group for group in GROUPS if group != "mixed-cooperative"]
    for group in led_by_a:
        site.start_planned(site.dying, group, "a")
    until(lambda: all(map(site.ownership.of, led_by_a)), f"a leads {led_by_a}")
    site.start_others()
    site.start_planned(site.dying, "mixed-cooperative", "a")
    for group in GROUPS:
        site.start_planned(site.java, group, "c")
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
        site.start_planned(site.dying, group, "a")
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


def lopsided(site: Site, group: str, few: str, many: str, file: Path) -> None:
    """A plan that gives one of two members a partition, and the other five."""
    members = {few: {ORDERS: [5]}, many: {ORDERS: [0, 1, 2, 3, 4]}}
    plan = GroupPlan("c", group, "s", members, topic_ids={ORDERS: site.ids[ORDERS]})
    file.write_text(plan.to_text())


def test_members_come_to_the_brokers_assignor_and_leave_it(site: Site) -> None:
    """One after the other, as at a roll-out; nobody stops. The group then has to assign anew."""
    lopsided(site, "arriving", "x", "y", site.broker.folder / "plans" / "arriving.json")

    def start(member: str, assignor: str) -> None:
        settings = {"group_instance_id": member, "group_remote_assignor": assignor}
        site.start_java(
            site.java, "arriving", member, [ORDERS], group_protocol="consumer", **settings
        )

    for member in "xy":
        start(member, "uniform")
    site.await_loads("arriving", x=3, y=3)
    for assignor, x, y in (("evenfleet-plan", 1, 5), ("uniform", 3, 3)):
        for member in "xy":
            site.java.close("arriving", member)
            start(member, assignor)
        everything = f"x and y, by {assignor}, own all partitions"
        until(lambda: sum(map(len, site.ownership.of("arriving").values())) == 6, everything)
        site.visit("arriving")
        site.await_loads("arriving", x=x, y=y)
    for member in "xy":
        site.java.close("arriving", member)
    assert site.ownership.failures == []


def test_roll_out_from_range_and_back(site: Site, tmp_path: Path) -> None:
    """While one consumer knows only range, range decides."""
    plan = tmp_path / "rolled.json"
    lopsided(site, "rolled", "a", "b", plan)
    ranges = "org.apache.kafka.clients.consumer.RangeAssignor"
    both = f"io.evenfleet.PlanAssignor,{ranges}"

    def start(member: str, strategy: str) -> None:
        settings = {"client_id": member, "evenfleet_plan": plan, "heartbeat_interval_ms": 300}
        settings |= {"partition_assignment_strategy": strategy}
        site.start_java(site.java, "rolled", member, [ORDERS], **settings)

    start("a", ranges)
    start("b", ranges)
    site.await_loads("rolled", a=3, b=3)
    for member, strategy, a, b in (
        ("a", both, 3, 3),
        ("b", both, 1, 5),
        ("a", ranges, 3, 3),
        ("b", ranges, 3, 3),
    ):
        site.java.close("rolled", member)
        start(member, strategy)
        site.await_loads("rolled", a=a, b=b)
    for member in "ab":
        site.java.close("rolled", member)
