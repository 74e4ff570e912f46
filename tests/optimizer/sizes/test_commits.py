"""What commit intervals cost."""

from __future__ import annotations

import random

import pytest

from optimizer.sizes import commit_curve


def test_commits_fall_and_records_read_twice_grow_with_the_interval() -> None:
    often, seldom = commit_curve(10, 1000.0, [1.0, 60.0])
    assert often == (1.0, 10.0, 50.0, 100.0)
    assert seldom == (60.0, pytest.approx(1 / 6), 3000.0, 6000.0)


def test_crashes_at_any_time_read_as_much_twice_in_the_mean() -> None:
    chance = random.Random(1)
    (cost,) = commit_curve(4, 400.0, [5.0])
    since_commit = [chance.uniform(0, 5) * 100 for _ in range(20_000)]
    assert sum(since_commit) / len(since_commit) == pytest.approx(cost.read_twice, rel=0.02)
    assert max(since_commit) <= cost.read_twice_most
