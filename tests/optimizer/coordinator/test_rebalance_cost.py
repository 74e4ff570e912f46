"""What one change of size costs under each protocol."""

import pytest

from optimizer.coordinator import rebalance_cost
from optimizer.scenarios import Members, NotApplicableError
from tests.optimizer.coordinator.test_known_answers import group_of


def test_eager_members_all_stop_cooperative_ones_only_where_partitions_move() -> None:
    eager = rebalance_cost(group_of(3, 12, "range"), Members(4), "range")
    assert len(eager.pauses) == 12
    assert eager.longest_pause < 1
    cooperative = rebalance_cost(
        group_of(3, 12, "cooperative-sticky"), Members(4), "cooperative-sticky"
    )
    assert (cooperative.rebalances, cooperative.moved) == (2, 3)
    assert sum(seconds > 1 for seconds in cooperative.pauses.values()) <= 5 * 3
    assert 2.5 < cooperative.longest_pause < 4
    consumer = rebalance_cost(group_of(3, 12, "uniform"), "members=4", "uniform")
    assert consumer.rebalances == 1
    assert 0 < consumer.longest_pause < 6
    assert consumer.settled < 20


def test_a_member_that_closes_is_missed_at_once_and_a_static_one_after_its_session() -> None:
    dynamic = rebalance_cost(group_of(3, 12, "range"), "members=2", "range")
    assert dynamic.longest_pause < 4
    static = rebalance_cost(group_of(3, 12, "range", static=True), "members=2", "range")
    assert 40 < static.longest_pause < 50
    assert static.unread_seconds > dynamic.unread_seconds * 3


def test_a_group_that_cant_have_the_event_says_so() -> None:
    with pytest.raises(NotApplicableError, match="m009"):
        rebalance_cost(group_of(3, 12, "range"), "leave=m009", "range")
