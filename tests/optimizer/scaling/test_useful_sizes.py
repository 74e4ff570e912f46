"""The sizes that the policies `fixed` and `evenfleet` take for a rate."""

import numpy as np
import pytest

from optimizer.scaling import Fixed, Prices, replay
from optimizer.scaling.policies.evenfleet import UsefulSizes
from tests.optimizer.scaling.processes import process, random_process


@pytest.mark.parametrize(("heaviest", "members"), [(50.0, 2), (75.0, 2), (89.0, 12), (120.0, 12)])
def test_room_beside_a_heavy_partition_is_not_worth_many_members(
    heaviest: float, members: int
) -> None:
    """A partition in twelve has most of the rate, of members that read 100 a second.

    At 75 no size leaves it 30 % of room; two members read all of it with 15 %, twelve with 25 %.
    """
    group = process([[heaviest, *[2.0] * 11]], peak_rate=100.0)
    assert UsefulSizes([group], 0.7).needed(group.total).tolist() == [members]
    fixed = replay([group], [Fixed()])[0][0].totals(Prices())
    assert fixed.most_members == members
    assert fixed.meets_slo == (heaviest <= 100)


def test_with_even_partitions_the_headroom_stays() -> None:
    group = process([[55.0] * 12], peak_rate=100.0)
    assert UsefulSizes([group], 0.7).needed(group.total).tolist() == [12]
    assert UsefulSizes([group], 0.95).needed(group.total).tolist() == [12]


def test_a_higher_rate_never_takes_fewer_members() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        sizes = UsefulSizes([random_process(rng)], float(rng.uniform(0.3, 1.0)))
        needed = [int(sizes.needed(np.array([rate]))[0]) for rate in np.linspace(0.0, 300.0, 200)]
        assert needed == sorted(needed)
