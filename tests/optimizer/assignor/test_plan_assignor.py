"""PlanAssignor, driven as kafka-python drives it."""

import logging
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from kafka.cluster import ClusterMetadata
from kafka.coordinator.assignors.abstract import RebalanceProtocol
from kafka.util import WeakMethod

from optimizer.assignor import fallback
from optimizer.assignor.plan_assignor import PlanAssignor
from optimizer.assignor.plan_file import GroupPlan, Topics
from tests.optimizer.assignor.leader import (
    GROUP,
    Cluster,
    Consumer,
    Joined,
    dynamic_id,
    joined,
    owned,
    rebalance,
)

A, B, C = (dynamic_id(name) for name in "abc")
TWO = Cluster({"t": 4, "u": 2})
PLAN: dict[str, Topics] = {"a": {"t": [3], "u": [0, 1]}, "b": {"t": [0, 1, 2]}}
PLANNED = {A: [("t", 3), ("u", 0), ("u", 1)], B: [("t", 0), ("t", 1), ("t", 2)]}
READ = ["t", "u"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    result = tmp_path / "plan.json"
    result.write_text(plan_text(PLAN))
    return result


def plan_text(members: dict[str, Topics], group: str = GROUP) -> str:
    return GroupPlan("prod", group, "s1", members).to_text()


def two(file: Path, **options: bool) -> list[Consumer]:
    return [Consumer(member, READ, str(file), **options) for member in (A, B)]


def test_what_a_member_tells_the_leader(file: Path) -> None:
    """Rack, ownership and its generation, of topics that it still reads."""
    consumer = Consumer(A, READ, str(file), rack="r1")
    first = consumer.join().metadata
    assert (first.version, first.rack_id, first.generation_id) == (3, "r1", -1)
    rebalance([consumer, Consumer(B, READ, str(file))], TWO, 7)
    consumer.topics = ["t", "new"]
    then = consumer.join().metadata
    assert then.topics == ["new", "t"]
    assert [(claim.topic, claim.partitions) for claim in then.owned_partitions] == [("t", [3])]
    assert then.generation_id == 7


def test_each_protocol_has_a_name_of_its_own(file: Path) -> None:
    """So that a broker lets no two of them into one group."""
    eager, cooperative = (PlanAssignor(file, GROUP, cooperative=way) for way in (False, True))
    assert eager.name != cooperative.name
    assert eager.supported_protocols() == [RebalanceProtocol.EAGER]
    assert cooperative.supported_protocols() == [RebalanceProtocol.COOPERATIVE]


def test_under_the_cooperative_protocol_owners_give_up_first(file: Path) -> None:
    consumers = two(file, cooperative=True)
    rebalance(consumers, TWO, 1)
    file.write_text(plan_text({"a": {"t": [3, 0]}, "b": {"t": [1, 2], "u": [0, 1]}}))
    assert rebalance(consumers, TWO, 2) == {A: [("t", 3)], B: [("t", 1), ("t", 2)]}
    assert rebalance(consumers, TWO, 3) == {
        A: [("t", 0), ("t", 3)],
        B: [("t", 1), ("t", 2), ("u", 0), ("u", 1)],
    }


def test_a_static_member_that_started_anew_has_what_its_predecessor_had(file: Path) -> None:
    """The broker gives it the old assignment, under a new member id and without a rebalance."""
    first = Consumer(dynamic_id("b"), READ, str(file), instance_id="b", cooperative=True)
    leader = Consumer(A, READ, str(file), cooperative=True)
    present = [leader.join(), first.join()]
    assignments = leader.assignor.assign(TWO, present)
    leader.take(assignments[A], 1)
    second = Consumer(dynamic_id("b", 2), READ, str(file), instance_id="b", cooperative=True)
    second.join()
    second.take(assignments[first.member_id], 1)
    file.write_text(plan_text({"a": PLAN["b"], "b": PLAN["a"]}))
    assert rebalance([leader, second], TWO, 2) == {A: [], second.member_id: []}
    assert rebalance([leader, second], TWO, 3)[A] == PLANNED[B]


def test_why_a_plan_is_not_used_is_logged_once(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    assignor, members = PlanAssignor(file, GROUP), [joined(A, READ), joined(B, READ)]
    for present in (members[:1], members[:1], members, members):
        assignor.assign(TWO, present)
    reports = [record.getMessage().partition(str(file))[2] for record in caplog.records]
    assert reports == [
        " isn't used, but Kafka's sticky strategy: its member 'b' isn't in the group",
        " of snapshot s1 is in force",
    ]
    assert {record.levelno for record in caplog.records} == {logging.WARNING}


def test_a_strategy_that_fails_or_takes_too_long_leaves_nobody_waiting(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr(fallback, "assign", fails)
    file.unlink()
    answer = owned(PlanAssignor(file, GROUP).assign(TWO, [joined(A, READ), joined(B, ["t"])]))
    assert answer == {A: [("t", 0), ("t", 2), ("u", 0), ("u", 1)], B: [("t", 1), ("t", 3)]}


def test_topics_that_the_leader_does_not_know_yet_stay_with_their_owners(file: Path) -> None:
    """A leader that doesn't read a topic hears of it after its first rebalance only."""
    consumers = [Consumer(A, ["t"], str(file)), Consumer(B, READ, str(file))]
    file.write_text(plan_text({"a": {"t": [0, 1, 2, 3]}, "b": {"u": [0, 1]}}))
    before = rebalance(consumers, TWO, 1)
    assert before[B] == [("u", 0), ("u", 1)]
    assert rebalance(consumers, Cluster({"t": 4}), 2) == before


topic_names = st.sampled_from(["t", "u", "gone", ""])
strange_members = st.lists(
    st.builds(
        joined,
        member_id=st.sampled_from([A, B, C, "", "a"]),
        topics=st.lists(topic_names, max_size=3),
        owned=st.dictionaries(topic_names, st.lists(st.integers(-1, 2**31 - 1), max_size=3)),
        instance_id=st.none() | st.sampled_from(["", "a", "b"]),
        generation=st.integers(-5, 5),
        user_data=st.none()
        | st.binary(max_size=9)
        | st.sampled_from([b'["x", 1, "y"]', b"[[[[", b'["x", true, 3]', b"null"]),
        version=st.integers(0, 3),
    ),
    max_size=4,
    unique_by=lambda member: member.member_id,
)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(strange_members, st.booleans())
def test_whatever_members_say_each_gets_an_assignment(
    members: list[Joined], cooperative: bool
) -> None:
    """No exception, which would stall the group; no partition twice or to who doesn't read it."""
    assignor = PlanAssignor("/nowhere/plan.json", GROUP, cooperative=cooperative)
    answer = owned(assignor.assign(TWO, members))
    assert answer.keys() == {member.member_id for member in members}
    handed_out = [item for items in answer.values() for item in items]
    assert len(handed_out) == len(set(handed_out))
    for member in members:
        assert {topic for topic, _ in answer[member.member_id]} <= set(member.metadata.topics)


def test_a_leader_stays_a_joining_one_until_it_has_its_assignment(file: Path) -> None:
    """Or kafka-python, back from a `poll` that was too short, wouldn't look for it."""
    asked: list[bool] = []

    class Coordinator:
        def request_rejoin(self) -> None:
            asked.append(True)

        def metadata_came(self, _: object) -> None: ...

    coordinator, metadata = Coordinator(), ClusterMetadata(bootstrap_servers="127.0.0.1:1")
    metadata.add_listener(print)
    metadata.add_listener(WeakMethod(coordinator.metadata_came))
    PlanAssignor(file, GROUP).assign(metadata, [joined(A, READ)])
    assert asked == [True]


def test_metadata_that_nobody_foresaw_stalls_nobody(file: Path) -> None:
    present = [Joined(A, None, object()), joined(B, READ)]
    everything = [(topic, p) for topic, count in (("t", 4), ("u", 2)) for p in range(count)]
    assert owned(PlanAssignor(file, GROUP).assign(TWO, present)) == {A: [], B: everything}


@pytest.mark.parametrize(
    "location",
    [
        *("http://[::1/plan?token=s3cret", "http://h:port/plan?token=s3cret"),
        *("http://127.0.0.1:9/a plan?token=s3cret", " http://127.0.0.1:9/plan?token=s3cret"),
        *("http://u:s3cret@[/", "http://u:p/s3cret@h/", "http://u:p?s3cret@h/", "http://"),
        *("http://127.0.0.1:9/\n?token=s3cret", "HTTPS://\u2100?token=s3cret", "", "\0"),
    ],
)
def test_no_location_leaves_a_group_without_partitions_or_logs_a_secret(
    location: str, caplog: pytest.LogCaptureFixture
) -> None:
    assignor = PlanAssignor(location, GROUP, timeout=0.5)
    answer = owned(assignor.assign(TWO, [joined(A, READ), joined(B, READ)]))
    assert [len(partitions) for partitions in answer.values()] == [3, 3]
    assert "isn't used, but Kafka's sticky strategy" in caplog.text
    assert "s3cret" not in caplog.text
