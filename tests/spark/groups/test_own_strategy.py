"""Whether a group's assignor is Kafka's, or another client's of the same name."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from optimizer.strategies import STRATEGIES
from spark.audit.facts import GroupFacts
from spark.groups import is_another_clients, read_or_failed
from spark.groups.group import FleetGroup
from tests.support.fleets import Fleet
from tests.support.rows import GroupRow, rows_of, solved


def facts_of(row: Any) -> GroupFacts:
    unknown = cast(Any, None)
    read = read_or_failed(row)
    return GroupFacts(row, cast(Any, solved(row)), read, unknown, unknown, False, unknown, ())


def owned(owners: dict[str, str], reads: dict[str, str] | None = None, **facts: Any) -> Any:
    """The row of a Stable group by its members' letters; all read all topics unless stated."""
    fleet = Fleet()
    for topic, letters in owners.items():
        fleet.topic(topic, len(letters))
    members = sorted({letter for letters in owners.values() for letter in letters} - {"-"})
    claims = [(t, n, o) for t, of in owners.items() for n, o in enumerate(of) if o != "-"]
    topics = {m: [*(reads or {}).get(m, "".join(owners))] for m in members}
    return rows_of(fleet.group("g", topics, claims, **{"state": "Stable"} | facts))


@pytest.mark.parametrize(
    ("strategy", "owners", "reads", "others"),
    [
        ("range", {"t": "aab", "u": "aab"}, None, False),
        ("range", {"t": "abb", "u": "aab"}, None, True),  # as kafka-go's: the last has more
        ("range", {"t": "aab", "u": "ab-"}, None, False),  # it has grown
        ("range", {"t": "aab", "u": "ccc"}, {"a": "t", "b": "t", "c": "u"}, False),
        ("range", {"t": "abb", "u": "ccc"}, {"a": "t", "b": "t", "c": "u"}, True),
        ("roundrobin", {"t": "aba", "u": "bab"}, None, False),
        ("roundrobin", {"t": "aba", "u": "aba"}, None, True),  # it begins anew with each topic
        ("sticky", {"t": "abb", "u": "aab"}, None, False),  # which has many answers
        (None, {"t": "abb"}, None, False),
    ],
)
def test_another_clients_assignor_is_told_by_its_answer(
    strategy: str | None, owners: dict[str, str], reads: dict[str, str] | None, others: bool
) -> None:
    row = owned(owners, reads, strategy=strategy)
    group = read_or_failed(row)
    assert group.problem is not None
    assert is_another_clients(row, group.problem) is others
    assert facts_of(row).has_another_assignor is others
    for changed in ({"state": "CompletingRebalance"}, {"type": "consumer"}):
        assert not is_another_clients(row._replace(**changed), group.problem)


def test_inferred_subscriptions_may_be_those_that_owners_show() -> None:
    owners = {"t": "aab", "u": "ccc"}
    for inferred in (True, False):
        row = owned(owners, subscriptions_inferred=inferred, strategy="range")
        assert is_another_clients(row, problem_of(row)) is not inferred


def problem_of(row: GroupRow) -> Any:
    group: FleetGroup = read_or_failed(row)
    return group.problem


@pytest.mark.parametrize("strategy", ["range", "roundrobin"])
@pytest.mark.parametrize("static", [False, True])
def test_where_all_read_all_a_formula_gives_what_the_assignor_does(
    strategy: str, static: bool
) -> None:
    draw = np.random.default_rng(7)
    for _ in range(20):
        members = [f"m{number}" for number in range(int(draw.integers(1, 9)))]
        sizes = {f"t{at}": int(size) for at, size in enumerate(draw.integers(1, 20, 3))}
        ids = [f"i{number}" if static else None for number in draw.permutation(len(members))]
        fleet = Fleet().group("g", dict.fromkeys(members, tuple(sizes)), state="Stable")
        for topic, size in sizes.items():
            fleet.topic(topic, size)
        row = rows_of(fleet)._replace(instance_ids=np.array(ids, object), group_strategy=strategy)
        problem = problem_of(row)
        target = STRATEGIES[strategy].assign(problem).target
        facts = facts_of(row)
        plan = SimpleNamespace(**vars(facts.plan) | {"previous": target})
        dealt = replace(facts, solved=cast(Any, plan))
        assert dealt._is_dealt_out
        if len(members) > 1:
            plan.previous = np.roll(target, 1) if len(set(target.tolist())) > 1 else target + 1
            assert dealt._is_dealt_out == bool((plan.previous == target).all())
