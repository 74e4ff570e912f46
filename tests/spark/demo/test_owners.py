"""How a made-up group that isn't well becomes so."""

import numpy as np

from spark.demo.clusters import DemoCluster
from spark.demo.members import Cast, make_cast, parts_of
from spark.demo.owners import kept_busy

SIZES = np.array([2, 100])
SUBSCRIPTIONS = [np.array([0]), np.array([0, 1])]


def cast_of(members: int) -> Cast:
    rng = np.random.default_rng(1)
    drawn = make_cast(
        rng,
        DemoCluster("c", ["east"] * 3),
        "g",
        parts_of(members),
        roles=2,
        generation=1,
        server_side=False,
        dynamic=True,
    )
    # the last one reads both topics, the others that of two partitions
    drawn.roles[:] = np.arange(members) == members - 1
    return drawn


def test_members_for_whom_nothing_is_left_read_more_and_a_few_may_be_idle() -> None:
    """Two of the twelve who read two partitions can stay; the others read all."""
    cast = cast_of(13)
    busy = kept_busy(cast, SUBSCRIPTIONS, SIZES, few=10)
    assert np.bincount(busy.roles).tolist() == [2, 11]
    assert kept_busy(busy, SUBSCRIPTIONS, SIZES, few=1) is busy
    cast = cast_of(12)
    assert kept_busy(cast, SUBSCRIPTIONS, SIZES, few=10) is cast
