from __future__ import annotations

from optimizer import Goals, Group, Member, assign


def test_a_plan_by_weight_says_what_moves_and_who_shows_its_bound() -> None:
    group = Group(
        topics={"t": 4},
        members=[
            Member("a", ["t"], owned=[("t", 0), ("t", 1)]),
            Member("b", ["t"], owned=[("t", 2), ("t", 3)]),
        ],
        weights={"t": [4.0, 4.0, 1.0, 1.0]},
    )
    first, second, bound = assign(group, goals=Goals(balance="weight")).explain().sentences()
    assert first.startswith("t-0 (weight 4) moves from a, which had 8, to b, which had 2:")
    assert "(weight 1) moves from b, which had 2, to a, which had 8:" in second
    assert first.endswith("they will have 5 and 5")
    assert bound == (
        "all members have to read t, 10 for a capacity of 2: one of them has at least 5 a unit; "
        "the plan's largest is 5 (gap 0.00%)"
    )
