"""That a strategy lets heavy partitions share members is said, of a group and of a fleet."""

from __future__ import annotations

import numpy as np

from optimizer.scaling import Fixed, Prices, replay
from spark.scale import fewer_by_weight
from spark.scale.group_process import GroupProcess
from spark.scale.remarks import by_weight_of
from tests.optimizer.scaling.processes import process


def test_a_strategy_that_lets_heavy_partitions_share_members_is_named() -> None:
    group = process([[58.0] * 4 + [5.0] * 8] * 4, peak_rate=100.0)
    best = replay([group], [Fixed()])[0][0].totals(Prices())
    members, why = by_weight_of(GroupProcess(group, np.arange(5), ()), best)
    assert members == 4
    assert why == (
        " Its strategy range counts partitions, and heavy ones share members: by weight 4 members "
        "would be enough, not 12."
    )


def test_nothing_is_said_of_even_partitions() -> None:
    group = process()
    best = replay([group], [Fixed()])[0][0].totals(Prices())
    assert by_weight_of(GroupProcess(group, np.arange(3), ()), best) == (None, "")


def test_groups_of_a_fleet_are_counted() -> None:
    rows = [{"by_weight": 4}, {"by_weight": None}]
    assert fewer_by_weight(rows) == [
        "1 group would need at least a quarter fewer members if partitions were assigned by weight."
    ]
    assert fewer_by_weight(rows[1:]) == []
