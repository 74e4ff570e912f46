"""Small groups of Kafka's strategies and their plans, written down where no record has them."""

from dataclasses import replace

import pytest

from optimizer import Group, Member, StrategyError, assign
from optimizer.model.numbering import problem_of
from optimizer.strategies.sticky import general as sticky_general
from optimizer.strategies.sticky.reassignment import Movements
from tests.optimizer.strategies.written_groups import ENDLESS, assigned, group_of, racks, written

VERSIONS = ["uniform", "uniform-4.0"]

STICKY = {
    "the newest generation owns what two claim; A keeps t-0 (KAFKA-14639)": (
        *("t:4", "A t, t:0,1 | B t, t:1,2, 2"),
        "A t:0,3 | B t:1,2",
    ),
    "two claims of one generation are void: t-0 goes to who has least (KAFKA-12984)": (
        *("t:3", "A t, t:0,1 | B t, t:0,2 | C t"),
        "A t:1 | B t:2 | C t:0",
    ),
    "what peers claimed is nobody's, though a newer member claims it too": (
        *("t:3", "A t, t:0 | B t, t:0 | C t, t:0,1, 2"),
        "A t:0 | B t:2 | C t:1",
    ),
    "of equal hashes Aa, first in the leader's list, may keep two of three": (
        *("t:4", "Aa t, t:0,1 | BB t, t:2,3 | C t"),
        "Aa t:0,1 | BB t:2 | C t:3",
    ),
    "of equal hashes BB, first in the leader's list, may keep two of three": (
        *("t:4", "BB t, t:2,3 | Aa t, t:0,1 | C t"),
        "Aa t:0 | BB t:2,3 | C t:1",
    ),
    "an empty subscription counts as equal if the HashMap has it first": (
        *("t:4", "c3 | d3 t"),
        "c3 t:0,2 | d3 t:1,3",
    ),
    "and not if it has it later: the same with the ids exchanged": (
        *("t:4", "d3 | c3 t"),
        "c3 t:0,1,2,3 | d3",
    ),
    "a stale owner in a balanced group is harmless: nobody looks at t-0 any more": (
        *("t:3 x:1", "A x, t:0 | B t, t:0,1, 2 | C t, t:2, 2"),
        "A x:0 | B t:0,1 | C t:2",
    ),
    "a stale owner may get what it no longer reads": (
        *("t:6 u:1", "A u, t:0 | B t, t:0,1,2,3,4,5, 2 | C t u, , 2"),
        "A t:0 u:0 | B t:3,4,5 | C t:1,2",
    ),
    "a claim beyond a topic's partitions is given up: it comes last of four": (
        *("t:6", "A t, t:0,1,2,7 | B t"),
        "A t:0,1,2 | B t:3,4,5",
    ),
}


@pytest.mark.parametrize(("topics", "members", "expected"), STICKY.values(), ids=STICKY)
def test_what_sticky_gives(topics: str, members: str, expected: str) -> None:
    plan = assign(group_of(topics, members), "sticky")
    assert written(plan.assignment) == assigned(expected)


COOPERATIVE = {
    "a joiner waits for what others have to give up": (
        *("t:4", "A t, t:0,1,2,3 | B t"),
        *("A t:0,1 | B t:2,3", "B"),
    ),
    "the second round completes the target": (
        *("t:4", "A t, t:0,1, 2 | B t, , 2"),
        *("A t:0,1 | B t:2,3", ""),
    ),
    "what two claim is withheld, though neither owns it: each may still read it": (
        *("t:4", "A t, t:0 | B t, t:1,2 | C t, t:2,3"),
        *("A t:0,2 | B t:1 | C t:3", "A t:0"),
    ),
    "with equal subscriptions a stale claim withholds nothing": (
        *("t:4", "A t, t:0,1, 2 | B t, t:0, 1"),
        *("A t:0,1 | B t:2,3", ""),
    ),
    "A unsubscribed from t, but has yet to stop reading t-0": (
        *("t:2 u:1", "A u, t:0 u:0 | B t u, t:1"),
        *("A u:0 | B t:0,1", "B t:1"),
    ),
    "who claims what it gets has it at once, whoever claims it too": (
        *("t:1 u:1", "A t, t:0, 2 | B t u, t:0, 1"),
        *("A t:0 | B u:0", ""),
    ),
    "what is given up for its rack is withheld": (
        *("b a", "A t, t:0, 1, a | B t, t:1, 1, b"),
        *("A t:1 | B t:0", "A | B"),
    ),
    "what its owner gets back isn't: nobody who is nearer has room": (
        *("c b", "A t, t:0, 1, a | B t, , 1, b"),
        *("A t:0 | B t:1", ""),
    ),
}


@pytest.mark.parametrize(
    ("topics", "members", "target", "first"), COOPERATIVE.values(), ids=COOPERATIVE
)
def test_what_the_first_round_withholds(topics: str, members: str, target: str, first: str) -> None:
    """Topics, or the racks of two partitions."""
    group = group_of(topics if ":" in topics else "t:2", members)
    if ":" not in topics:
        group = replace(group, replica_racks={"t": racks(topics)})
    plan = assign(group, "cooperative-sticky")
    assert written(plan.assignment) == assigned(target)
    assert written(plan.first_round) == assigned(target) | assigned(first)


UNIFORM = {
    "runs in the order of the hash map: B is 66, so in bucket 2, and Q 81, in bucket 1": (
        *("t:4", "B t | Q t"),
        *("Q t:0,1 | B t:2,3", ""),
    ),
    "a balanced group is left alone; up to 4.0 the first had one more (KAFKA-18688)": (
        *("t:5", "A t, t:0,1 | B t, t:2,3,4"),
        *("A t:0,1 | B t:2,3,4", "A t:0,1,4 | B t:2,3"),
    ),
    "extras that nobody owns go to the last members": (
        *("t:4", "A t | B t | C t"),
        *("A t:0 | B t:1 | C t:2,3", "A t:0,1 | B t:2 | C t:3"),
    ),
    "of 1, 2, 3 and 16 it keeps three: 16 is in bucket 0 of 16, so before the others": (
        *(
            "t:17",
            "A t, t:3,2,1,16 | B t, t:4,5,6,7,8,9,10,11,12 | C t | D t | E t | F t | G t | H t",
        ),
        *("A t:1,2,16", ""),
    ),
    "topics that are no longer read are given up": (
        *("t:2 u:2", "A t, u:0,1 t:0 | B t"),
        *("A t:0 | B t:1", ""),
    ),
    "a topic that the cluster lacks makes the group a mixed one: partitions in turn": (
        *("t:4", "A t gone | B t"),
        *("A t:0,2 | B t:1,3", ""),
    ),
}


@pytest.mark.parametrize(("topics", "members", "now", "before"), UNIFORM.values(), ids=UNIFORM)
def test_what_uniform_gives(topics: str, members: str, now: str, before: str) -> None:
    for strategy, text in zip(VERSIONS, (now, before or now), strict=True):
        plan = written(assign(group_of(topics, members), strategy).assignment)
        assert plan == plan | assigned(text)


def test_members_stand_in_the_order_of_utf16_units() -> None:
    """A character past U+FFFF has surrogates, which come before U+FF5E."""
    group = group_of("t:3", "\uff5e t | \U0001f600 t")
    for strategy in ("range", "server-range", "roundrobin"):
        assert assign(group, strategy).loads == {"\U0001f600": 2, "\uff5e": 1}


ERRORS = {
    "a stale owner who takes no part: A reads a topic now that nobody else reads": (
        group_of("t:6 x:1", "A x, t:0 | B t, t:0,1,2,3,4,5, 2 | C t"),
        *(["sticky", "cooperative-sticky"], r"NullPointerException: t-0.*'A'"),
    ),
    "a search without end": (ENDLESS, ["sticky", "cooperative-sticky"], "never end"),
    **{
        f"the topic was made anew with fewer partitions; B reads {topics}": (
            group_of("t:6 u:1", f"A t, t:0,7 | B {topics}"),
            *(["sticky"], "'A' keep t-7, which doesn't exist"),
        )
        for topics in ("t", "t u")
    },
    "a text that is no topic id": (
        Group({"t": 1}, [Member("A", ["t"])], topic_ids={"t": "xyz"}),
        *(["uniform"], "topic 't': topic id 'xyz' is neither"),
    ),
    "workers that subscribe to different connectors": (
        group_of("c:1 d:1", "a c | b d"),
        *(["connect-eager", "connect-cooperative"], "the members subscribe to different topics"),
    ),
}


@pytest.mark.parametrize(("group", "strategies", "text"), ERRORS.values(), ids=ERRORS)
def test_groups_without_an_answer(group: Group, strategies: list[str], text: str) -> None:
    for strategy in strategies:
        with pytest.raises(StrategyError, match=text):
            assign(group, strategy)


def test_a_search_that_makes_nothing_better_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kafka goes back to how the group was filled unless the sum of differences went down."""
    group = group_of("t:4 u:1", "A t, t:0,1,2,3 | B t u")
    assert written(assign(group, "sticky").assignment) == assigned("A t:1,2,3 | B t:0 u:0")
    monkeypatch.setattr(sticky_general, "_score", lambda *_: 0)
    assert written(assign(group, "sticky").assignment) == assigned("A t:0,1,2,3 | B u:0")


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


@pytest.mark.parametrize(("before", "moves"), [(23, 1), (12, 3), (24, 3), (48, 8), (96, 23)])
def test_up_to_kafka_4_0_a_larger_hash_table_costs_moves(before: int, moves: int) -> None:
    """The table doubles with the 13th, 25th, 49th and 97th member, and that shuffles the extras."""
    ids = [f"consumer-{number}" for number in range(before + 1)]
    partitions = {"t": before * 3 // 2}
    fresh = assign(Group(partitions, [Member(name, ["t"]) for name in ids[:-1]]), "uniform-4.0")
    joined = [Member(name, ["t"], fresh.assignment.get(name, [])) for name in ids]
    made = {s: assign(Group(partitions, joined), s).moves for s in ("optimal", *VERSIONS)}
    assert made == {"optimal": 1, "uniform": 1, "uniform-4.0": moves}
