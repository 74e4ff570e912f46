"""What is said of a plan in a group of each type, and which groups go together."""

from dataclasses import replace

import pytest

from optimizer.assignor.plan_assignor import COOPERATIVE, EAGER
from optimizer.assignor.plan_file import GroupPlan
from spark.enforce.enforce_groups import waves
from spark.enforce.evaluate_group import Status, evaluate_group
from spark.sources.live.group import DescribedGroup, DescribedMember, gone_group, unknown

ID = "ERERESIiMzNERFVVVVVVVQ"
PLAN = GroupPlan(
    "c", "g", "s", {"a": {"t": [0]}, "b": {"t": [1]}}, {"t": ID}, "consumer", {"b": "2"}
)
COUNTS = {"t": 2}


def group(owned_by_b: int = 1, **changes: object) -> DescribedGroup:
    a = DescribedMember("1", "a", "x", topics=("t",), owned=(("t", 1 - owned_by_b),))
    b = DescribedMember("2", None, "b", topics=("t",), owned=(("t", owned_by_b),))
    sound = DescribedGroup("g", "Stable", EAGER, 1, (a, b), type="classic")
    return replace(sound, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["classic", "consumer"])
def test_in_force_or_ready(kind: str) -> None:
    verdict = evaluate_group(PLAN, group(type=kind), COUNTS)
    assert (verdict.status, verdict.is_at_rest) == (Status.IN_FORCE, True)
    verdict = evaluate_group(PLAN, group(0, type=kind), COUNTS)
    assert (verdict.status, verdict.is_ready, verdict.members) == (Status.NOT_IN_FORCE, True, 2)


@pytest.mark.parametrize(
    ("changed", "reason", "final"),
    [
        (group(strategy="range"), "its members use range: the plan would be ignored", True),
        (group(strategy="cooperative-sticky"), "the cooperative PlanAssignor", True),
        (group(0, type="consumer", strategy="uniform"), "its broker assigns by 'uniform'", True),
        (group(type="consumer", strategy=COOPERATIVE), "its broker assigns by", True),
        (group(type="share", members=()), "it takes no plan: it is a share group", True),
        (
            group(type="streams", state="Assigning", members=()),
            "it is a group of Kafka Streams",
            True,
        ),
        (group(type="connect", strategy="sessioned"), "a cluster of Connect workers", True),
        (group(type="other"), "it takes no plan: it is its members aren't consumers", True),
        (group(strategy=None, members=(), state="Empty"), "it has no members at the moment", False),
        (group(state="PreparingRebalance"), "it is PreparingRebalance: try again", False),
        (group(state="Reconciling", type="consumer"), "it is Reconciling: try again", False),
        (gone_group("g"), "there is no such group", False),
        (group(0, name="h"), "the plan doesn't fit it: it is the plan of group 'g'", False),
    ],
)
def test_what_keeps_a_plan_out(changed: DescribedGroup, reason: str, final: bool) -> None:
    """Though all members should own by chance what the plan says."""
    verdict = evaluate_group(PLAN, changed, COUNTS)
    assert verdict.status is Status.NOT_IN_FORCE
    assert reason in (verdict.reason or "")
    assert (verdict.is_ready, verdict.is_final) == (False, final)


def test_what_a_broker_cannot_go_by() -> None:
    """It knows topics by their ids, and members without a group.instance.id by theirs."""
    swapped = group(0, type="consumer")
    without_id = evaluate_group(replace(PLAN, topic_ids={}), swapped, COUNTS)
    assert "it has no id of topic 't'" in (without_id.reason or "")
    restarted = evaluate_group(replace(PLAN, member_ids={"b": "old"}), swapped, COUNTS)
    assert "its member 'b' has rejoined since" in (restarted.reason or "")


def test_nobody_knows() -> None:
    verdict = evaluate_group(PLAN, unknown("g", "broker 2 did not answer"), COUNTS)
    assert (verdict.status, verdict.reason) == (Status.UNKNOWN, "broker 2 did not answer")
    assert not (verdict.is_at_rest or verdict.is_ready or verdict.is_final)


def test_coupled_groups_are_never_in_one_wave() -> None:
    """c and e are, through d, which isn't among those to enforce; a topic of all couples nobody."""
    topics = {"a": ["t"], "b": ["u"], "c": ["v"], "d": ["v", "w"], "e": ["w"]}
    assert waves(["a", "b", "c", "e"], topics, 9) == [["c", "a", "b"], ["e"]]
    assert waves(["a", "b", "c", "e"], topics, 2) == [["c", "a"], ["b", "e"]]
    log = {f"g{number:02}": ["log"] for number in range(21)}
    assert list(map(len, waves(log, log, 7))) == [7, 7, 7]
    del log["g00"]
    assert list(map(len, waves(log, log, 7))) == [1] * 20
