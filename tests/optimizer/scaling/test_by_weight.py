"""How many members by weight do what a strategy that counts partitions takes more members for."""

from __future__ import annotations

import pytest

from optimizer.scaling import fewest_by_weight
from tests.optimizer.scaling.processes import process

HEAVY = [58.0] * 4 + [5.0] * 8
"""Members read 100: at 70 % each has one of the heavy partitions and two others."""


@pytest.mark.parametrize(("strategy", "members"), [("range", 4), ("roundrobin", None)])
def test_heavy_partitions_that_share_members(strategy: str, members: int | None) -> None:
    """Range deals neighbours to one member, so only 12 part the heavy ones; in turns 4 do."""
    group = process([HEAVY], peak_rate=100.0, strategy=strategy)
    assert fewest_by_weight(group, 12) == members


def test_more_members_than_any_strategy_needs_are_not_the_strategys_fault() -> None:
    group = process([[10.0] * 12], peak_rate=100.0)
    assert fewest_by_weight(group, 12) is None


def test_with_fewer_members_loads_may_be_as_large_as_theirs() -> None:
    """Two members by range have up to 242 records a second; two by weight have 136."""
    assert fewest_by_weight(process([HEAVY], peak_rate=100.0), 2) is None


def test_a_group_without_rates() -> None:
    assert fewest_by_weight(process([[0.0] * 4]), 2) is None
