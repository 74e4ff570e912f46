"""The coordinator's UniformAssignor (KIP-848), and what it did up to Kafka 4.0."""

from __future__ import annotations

import pytest

from optimizer import Group, Member, StrategyError, assign
from tests.optimizer.strategies.written_groups import reader, written

VERSIONS = ["uniform", "uniform-4.0"]


def topic_id(number: int) -> str:
    """A topic id with that hash code."""
    return f"{number:032x}"


BOTH = [reader("A", "t u"), reader("B", "t u")]
THREE = [reader("A", "t u"), reader("B", "t u"), reader("C", "v")]
HIGH, LOW = "8" + 31 * "0", "1" + 31 * "0"
"""Ids compare by signed halves: one that starts with an 8 comes first."""


@pytest.mark.parametrize(
    ("group", "expected", "up_to_4_0"),
    [
        pytest.param(
            Group({"t": 4}, [reader("B", "t"), reader("Q", "t")]),
            {"Q": "t:0,1", "B": "t:2,3"},
            {},
            id="runs in the order of the hash map: B is 66, so in bucket 2, and Q 81, in bucket 1",
        ),
        *(
            pytest.param(
                Group({"t": 2, "u": 2}, BOTH, topic_ids={"t": topic_id(t), "u": topic_id(3 - t)}),
                expected,
                {},
                id=f"topics in the order of a hash set of their ids: that of t is {t}",
            )
            for t, expected in (
                (1, {"A": "t:0,1", "B": "u:0,1"}),
                (2, {"A": "u:0,1", "B": "t:0,1"}),
            )
        ),
        pytest.param(
            Group(
                {"b": 2, "q": 2},
                [reader("A", "b q"), reader("B", "b q")],
                topic_ids={"b": topic_id(1), "q": topic_id(17)},
            ),
            {"A": "q:0,1", "B": "b:0,1"},
            {},
            id="1 and 17 share bucket 1 of 16; of the names q (113, bucket 1) comes before b (98)",
        ),
        pytest.param(
            Group({"t": 5}, [reader("A", "t", "t:0,1"), reader("B", "t", "t:2,3,4")]),
            {"A": "t:0,1", "B": "t:2,3,4"},
            {"A": "t:0,1,4", "B": "t:2,3"},
            id="a balanced group is left alone; up to 4.0 the first had one more (KAFKA-18688)",
        ),
        pytest.param(
            Group({"t": 4}, [reader("A", "t"), reader("B", "t"), reader("C", "t")]),
            {"A": "t:0", "B": "t:1", "C": "t:2,3"},
            {"A": "t:0,1", "B": "t:2", "C": "t:3"},
            id="extras that nobody owns go to the last members",
        ),
        pytest.param(
            Group(
                {"t": 17},
                [
                    *(reader("A", "t", "t:3,2,1,16"), reader("B", "t", "t:4,5,6,7,8,9,10,11,12")),
                    *(reader(name, "t") for name in "CDEFGH"),
                ],
            ),
            {"A": "t:1,2,16"},
            {},
            id="of 1, 2, 3 and 16 it keeps three: 16 is in bucket 0 of 16, so before the others",
        ),
        pytest.param(
            Group({"t": 2, "u": 2}, [reader("A", "t", "u:0,1 t:0"), reader("B", "t")]),
            {"A": "t:0", "B": "t:1"},
            {},
            id="topics that are no longer read are given up",
        ),
        pytest.param(
            Group({"t": 2, "u": 8}, [reader("A", "t"), reader("B", "t u"), reader("C", "u")]),
            {"A": "t:0,1", "B": "u:0,2,4,6", "C": "u:1,3,5,7"},
            {},
            id="topics with many partitions a reader go out first",
        ),
        *(
            pytest.param(
                Group({"t": 1, "u": 1, "v": 1}, THREE, topic_ids={"t": t, "u": u}),
                expected,
                {},
                id=f"equal topics go out in the order of their ids: that of t is {t[0]}",
            )
            for t, u, expected in (
                (LOW, HIGH, {"A": "u:0", "B": "t:0", "C": "v:0"}),
                (HIGH, LOW, {"A": "t:0", "B": "u:0", "C": "v:0"}),
            )
        ),
        pytest.param(
            Group({"t": 4}, [reader("A", "t gone"), reader("B", "t")]),
            {"A": "t:0,2", "B": "t:1,3"},
            {},
            id="a topic that the cluster lacks makes the group a mixed one: partitions in turn",
        ),
    ],
)
def test_who_gets_what(group: Group, expected: dict[str, str], up_to_4_0: dict[str, str]) -> None:
    for strategy, result in zip(VERSIONS, (expected, up_to_4_0 or expected), strict=True):
        plan = written(assign(group, strategy).assignment)
        assert {name: plan[name] for name in result} == result


@pytest.mark.parametrize(("before", "moves"), [(23, 1), (12, 3), (24, 3), (48, 8), (96, 23)])
def test_up_to_kafka_4_0_a_larger_hash_table_costs_moves(before: int, moves: int) -> None:
    """The table doubles with the 13th, 25th, 49th and 97th member, and that shuffles the extras."""
    ids = [f"consumer-{number}" for number in range(before + 1)]
    partitions = {"t": before * 3 // 2}
    fresh = assign(Group(partitions, [reader(name, "t") for name in ids[:-1]]), "uniform-4.0")
    joined = [Member(name, ["t"], fresh.assignment.get(name, [])) for name in ids]
    made = {s: assign(Group(partitions, joined), s).moves for s in ("optimal", *VERSIONS)}
    assert made == {"optimal": 1, "uniform": 1, "uniform-4.0": moves}


def test_a_text_that_is_no_topic_id_is_an_error() -> None:
    with pytest.raises(StrategyError, match="topic 't': topic id 'xyz' is neither"):
        assign(Group({"t": 1}, [reader("A", "t")], topic_ids={"t": "xyz"}), "uniform")
