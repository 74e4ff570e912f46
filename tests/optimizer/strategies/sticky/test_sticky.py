"""Kafka's StickyAssignor and CooperativeStickyAssignor, where no recorded answer tells."""

from __future__ import annotations

from dataclasses import replace

import pytest

from optimizer import Group, Member, StrategyError, assign
from optimizer.model.numbering import problem_of
from optimizer.strategies.sticky import general as sticky_general
from optimizer.strategies.sticky.movements import Movements
from tests.optimizer.strategies.written_groups import (
    ENDLESS,
    claims,
    loads,
    racks,
    reader,
    written,
)


def sticky(topics: dict[str, int], *members: Member) -> dict[str, str]:
    return written(assign(Group(topics, members), "sticky").assignment)


@pytest.mark.parametrize(
    ("topics", "members", "expected"),
    [
        pytest.param(
            {"t": 4},
            [reader("A", "t", "t:0,1"), reader("B", "t", "t:1,2", 2)],
            {"A": "t:0,3", "B": "t:1,2"},
            id="the newest generation owns what two claim; A keeps t-0 (KAFKA-14639)",
        ),
        pytest.param(
            {"t": 3},
            [reader("A", "t", "t:0,1"), reader("B", "t", "t:0,2"), reader("C", "t")],
            {"A": "t:1", "B": "t:2", "C": "t:0"},
            id="two claims of one generation are void: t-0 goes to who has least (KAFKA-12984)",
        ),
        pytest.param(
            {"t": 3},
            [reader("A", "t", "t:0"), reader("B", "t", "t:0"), reader("C", "t", "t:0,1", 2)],
            {"A": "t:0", "B": "t:2", "C": "t:1"},
            id="what peers claimed is nobody's, though a newer member claims it too",
        ),
        *(
            pytest.param(
                {"t": 4},
                members,
                {first: "t:0,1"},
                id=f"of equal hashes {first}, first in the leader's list, may keep two of three",
            )
            for first, members in (
                ("Aa", [reader("Aa", "t", "t:0,1"), reader("BB", "t", "t:2,3"), reader("C", "t")]),
                ("BB", [reader("BB", "t", "t:0,1"), reader("Aa", "t", "t:2,3"), reader("C", "t")]),
            )
        ),
        pytest.param(
            {"t": 4},
            [reader("d3", ""), reader("c3", "t")],
            {"c3": "t:0,1,2,3", "d3": ""},
            id="without subscriptions, and not first in the HashMap: nothing",
        ),
        pytest.param(
            {"t": 3, "x": 1},
            [reader("A", "x", "t:0"), reader("B", "t", "t:0,1", 2), reader("C", "t", "t:2", 2)],
            {"A": "x:0", "B": "t:0,1", "C": "t:2"},
            id="a stale owner in a balanced group is harmless: nobody looks at t-0 any more",
        ),
        pytest.param(
            {"t": 6, "u": 1},
            [
                reader("A", "u", "t:0"),
                reader("B", "t", "t:0,1,2,3,4,5", 2),
                reader("C", "t u", "", 2),
            ],
            {"A": "t:0 u:0", "B": "t:3,4,5", "C": "t:1,2"},
            id="a stale owner may get what it no longer reads",
        ),
        pytest.param(
            {"t": 6},
            [reader("A", "t", "t:0,1,2,7"), reader("B", "t")],
            {"A": "t:0,1,2", "B": "t:3,4,5"},
            id="a claim beyond a topic's partitions is given up: it comes last of four",
        ),
    ],
)
def test_whose_a_claim_is(
    topics: dict[str, int], members: list[Member], expected: dict[str, str]
) -> None:
    plan = sticky(topics, *members)
    assert {name: plan[name] for name in expected} == expected


def in_racks(*text: str) -> list[Member]:
    """A, in rack a, owns t-0 and B, in rack b, t-1; or nothing."""
    return [
        Member(name, ["t"], claims(owned), rack=name.lower(), generation=1)
        for name, owned in zip("AB", text, strict=True)
    ]


@pytest.mark.parametrize(
    ("topics", "members", "target", "first"),
    [
        pytest.param(
            {"t": 4},
            [reader("A", "t", "t:0,1,2,3"), reader("B", "t")],
            {"A": "t:0,1", "B": "t:2,3"},
            {"B": ""},
            id="a joiner waits for what others have to give up",
        ),
        pytest.param(
            {"t": 4},
            [reader("A", "t", "t:0,1", 2), reader("B", "t", "", 2)],
            {"A": "t:0,1", "B": "t:2,3"},
            {},
            id="the second round completes the target",
        ),
        pytest.param(
            {"t": 4},
            [reader("A", "t", "t:0"), reader("B", "t", "t:1,2"), reader("C", "t", "t:2,3")],
            {"A": "t:0,2", "B": "t:1", "C": "t:3"},
            {"A": "t:0"},
            id="what two claim is withheld, though neither owns it: each may still read it",
        ),
        pytest.param(
            {"t": 4},
            [reader("A", "t", "t:0,1", 2), reader("B", "t", "t:0", 1)],
            {"A": "t:0,1", "B": "t:2,3"},
            {},
            id="with equal subscriptions a stale claim withholds nothing",
        ),
        pytest.param(
            {"t": 2, "u": 1},
            [reader("A", "u", "t:0 u:0"), reader("B", "t u", "t:1")],
            {"A": "u:0", "B": "t:0,1"},
            {"B": "t:1"},
            id="A unsubscribed from t, but has yet to stop reading t-0",
        ),
        pytest.param(
            {"t": 1, "u": 1},
            [reader("A", "t", "t:0", 2), reader("B", "t u", "t:0", 1)],
            {"A": "t:0", "B": "u:0"},
            {},
            id="who claims what it gets has it at once, whoever claims it too",
        ),
        pytest.param(
            "b a",
            in_racks("t:0", "t:1"),
            {"A": "t:1", "B": "t:0"},
            {"A": "", "B": ""},
            id="what is given up for its rack is withheld",
        ),
        pytest.param(
            "c b",
            in_racks("t:0", ""),
            {"A": "t:0", "B": "t:1"},
            {},
            id="what its owner gets back isn't: nobody who is nearer has room",
        ),
    ],
)
def test_what_the_first_round_withholds(
    topics: dict[str, int] | str,
    members: list[Member],
    target: dict[str, str],
    first: dict[str, str],
) -> None:
    """Topics, or the racks of two partitions."""
    group = Group({"t": 2}, members) if isinstance(topics, str) else Group(topics, members)
    if isinstance(topics, str):
        group = replace(group, replica_racks={"t": racks(topics)})
    plan = assign(group, "cooperative-sticky")
    assert written(plan.assignment) == target
    assert written(plan.first_round) == target | first


def test_a_search_that_makes_nothing_better_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kafka goes back to how the group was filled unless the sum of differences went down."""
    members = [reader("A", "t", "t:0,1,2,3"), reader("B", "t u")]
    assert sticky({"t": 4, "u": 1}, *members) == {"A": "t:1,2,3", "B": "t:0 u:0"}
    monkeypatch.setattr(sticky_general, "_score", lambda *_: 0)
    assert sticky({"t": 4, "u": 1}, *members) == {"A": "t:0,1,2,3", "B": "u:0"}


def test_what_came_from_the_taker_goes_back_first() -> None:
    """Of two partitions that went from B to A, the first one in Java's HashSet."""
    problem, _ = problem_of(Group({"t": 20}, [Member("A", ["t"]), Member("B", ["t"])]))
    movements = Movements(problem)
    assert movements.to_be_moved(5, giver=0, taker=1) == 5
    movements.move(7, giver=1, taker=0)
    movements.move(3, giver=1, taker=0)
    hash_codes = {p: (31 * (31 + p) + ord("t")) for p in (3, 7)}
    buckets = {p: (code ^ code >> 16) % 16 for p, code in hash_codes.items()}
    assert movements.to_be_moved(5, giver=0, taker=1) == min(buckets, key=buckets.__getitem__)
    movements.move(3, giver=0, taker=1)
    movements.move(7, giver=0, taker=1)
    assert movements.to_be_moved(5, giver=0, taker=1) == 5


@pytest.mark.parametrize("strategy", ["sticky", "cooperative-sticky"])
def test_a_member_without_subscriptions_who_is_asked_first_gets_partitions(strategy: str) -> None:
    """An empty subscription counts as equal if the HashMap has it first."""
    group = Group({"t": 4}, [Member("c3", []), Member("d3", ["t"])])
    assert written(assign(group, strategy).assignment) == {"c3": "t:0,2", "d3": "t:1,3"}


@pytest.mark.parametrize("strategy", ["sticky", "cooperative-sticky"])
def test_a_stale_owner_who_takes_no_part_makes_kafka_throw(strategy: str) -> None:
    """A claims t-0 with an older generation, and reads a topic now that nobody else reads."""
    members = [reader("A", "x", "t:0", 1), reader("B", "t", "t:0,1,2,3,4,5", 2), reader("C", "t")]
    with pytest.raises(StrategyError, match=r"NullPointerException: t-0.*'A'"):
        assign(Group({"t": 6, "x": 1}, members), strategy)


@pytest.mark.parametrize("strategy", ["sticky", "cooperative-sticky"])
def test_a_search_that_never_ends_is_an_error(strategy: str) -> None:
    with pytest.raises(StrategyError, match="never end"):
        assign(ENDLESS, strategy)


@pytest.mark.parametrize("joined", ["t", "t u"])
def test_a_claim_beyond_a_topics_partitions_is_an_error(joined: str) -> None:
    """The topic was made anew with fewer partitions; Kafka would hand out one that isn't there."""
    members = [reader("A", "t", "t:0,7"), reader("B", joined)]
    with pytest.raises(StrategyError, match="'A' keep t-7, which doesn't exist"):
        assign(Group({"t": 6, "u": 1}, members), "sticky")


@pytest.mark.parametrize("strategy", ["sticky", "uniform"])
@pytest.mark.parametrize(
    ("topics", "members", "kept", "best"),
    [
        pytest.param(
            {f"t{number}": 1 for number in range(1, 7)},
            [
                reader("A", "t1 t2", "t1:0"),
                reader("B", "t1 t2 t3 t4", "t2:0 t3:0"),
                reader("C", "t2 t3 t4 t5 t6", "t4:0 t5:0 t6:0"),
            ],
            [1, 2, 3],
            [2, 2, 2],
            id="testMoveExistingAssignments",
        ),
        pytest.param(
            {"t": 15, "u": 15},
            [
                reader("A", "t", "t:0,1,2,3,4,5,6,7,8"),
                reader("B", "t u", "t:9,10,11,12,13,14 u:0,1,2,3"),
                reader("C", "u", "u:4,5,6,7,8,9,10,11,12,13,14"),
            ],
            [9, 10, 11],
            [10, 10, 10],
            id="the class comment of uniform",
        ),
    ],
)
def test_balance_is_a_local_one(
    strategy: str, topics: dict[str, int], members: list[Member], kept: list[int], best: list[int]
) -> None:
    """No single move helps, a chain of two would: nothing moves."""
    group = Group(topics, members)
    plan = assign(group, strategy)
    assert (loads(plan.assignment), plan.moves) == (kept, 0)
    assert loads(assign(group, "optimal").assignment) == best
