"""Plans of replicas and leaders: equal to trying everything, and the properties of a good one."""

from collections import Counter
from functools import partial
from random import Random

import pytest

import optimizer.replicas.solve
from optimizer.replicas import (
    BALANCE,
    BYTES,
    COPIES,
    NOT_PROVEN,
    OPTIMAL,
    OPTIMAL_FOR_SETS,
    TOPICS,
    Broker,
    Cluster,
    InvalidClusterError,
    Partition,
    ReplicaGoals,
    ReplicaGoalsError,
    check_replicas,
    describe_reasons,
    levels as levels_module,
    most_bytes_bound,
    plan_replicas,
)
from tests.optimizer.replicas.clusters import (
    ORDERS,
    RACKS,
    best,
    best_leaders,
    first_usable,
    leaders_measured,
    measured,
    planned_by,
    racks_of,
    random_cluster,
    replicas_of,
)
from tests.support.tiers import tiered

THREE = [Broker(1, "a"), Broker(2, "b"), Broker(3, "c")]


def nothing_is_better(seed: int) -> None:
    """No replicas and no leaders of the cluster that a number makes, in any order of goals."""
    draw = Random(seed)
    cluster = random_cluster(draw)
    racks = {name: draw.choice(RACKS) for name in replicas_of(cluster) if draw.random() < 0.4}
    for levels in ORDERS:
        goals = ReplicaGoals(levels=levels, leader_racks=racks)
        plan = plan_replicas(cluster, goals)
        planned = planned_by(plan, cluster)
        assert measured(cluster, goals, plan.replicas) == best(cluster, goals, planned), levels
        leaders = {
            name: row[0] if name in planned else first_usable(row, racks_of(cluster))
            for name, row in plan.replicas.items()
        }
        wanted = {name: rack for name, rack in racks.items() if name in planned}
        of_topics = goals.spreads_topics_first
        least = best_leaders(cluster, plan.replicas, planned, wanted, of_topics)
        assert leaders_measured(cluster, leaders, wanted, of_topics) == least, levels
        assert plan.optimal != NOT_PROVEN, levels
        copied = measured(cluster, ReplicaGoals(levels=(BALANCE, BYTES)), plan.replicas)[1]
        assert plan.bytes_copied == copied, levels
        assert check_replicas(cluster, plan.replicas, goals) == [], levels


@pytest.mark.parametrize("seed", tiered(range(80), 20))
def test_nothing_is_better_in_any_order_of_goals(seed: int) -> None:
    nothing_is_better(seed)


@pytest.mark.parametrize("seed", tiered(range(100, 130), 8))
def test_nothing_is_better_where_most_stand_still_at_first(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in clusters with many kinds of partitions: some are free, and more, until none gains."""
    monkeypatch.setattr(optimizer.replicas.solve, "FREE", 0)
    monkeypatch.setattr(optimizer.replicas.solve, "FREE_SHARE", 0.3)
    nothing_is_better(seed)


def test_the_new_list_begins_with_the_leader_then_has_kept_ones_and_new_ones() -> None:
    cluster = Cluster(
        [*THREE, Broker(4, "a", usable=False), Broker(5, "c", usable=False)],
        [Partition("t", 0, [4, 2, 5]), Partition("t", 1, [2, 3, 1])],
    )
    plan = plan_replicas(cluster)
    assert plan.replicas["t", 1] == [2, 3, 1]
    assert plan.replicas["t", 0][1:] in ([2, 3], [2, 1])
    assert plan.replicas["t", 0][0] in (1, 3)
    assert [(change.topic, change.partition) for change in plan.changes] == [("t", 0)]
    assert (plan.copies, plan.leader_changes, plan.optimal) == (2, 1, OPTIMAL)


def test_capacities_of_any_size_count_by_their_ratio() -> None:
    brokers = [Broker(1, capacity=3e-9), Broker(2, capacity=1e-9)]
    plan = plan_replicas(Cluster(brokers, [Partition("t", n, [1 + n % 2]) for n in range(8)]))
    assert sum(row == [1] for row in plan.replicas.values()) == 6


@pytest.mark.parametrize("levels", [(BALANCE, BYTES), (BALANCE, TOPICS, BYTES)])
def test_sizes_beyond_64_bits_count_in_coarser_steps(levels: tuple[str, ...]) -> None:
    """Weights of levels times sizes of 10 PB: loads are as even as they can be all the same."""
    draw = Random(1)
    cluster = Cluster(
        [Broker(number) for number in range(9)],
        [
            Partition(f"t{n % 3}", n, draw.sample(range(4), 2), size=int(draw.random() ** 4 * 1e16))
            for n in range(400)
        ],
    )
    plan = plan_replicas(cluster, ReplicaGoals(levels=levels))
    loads = Counter(broker for row in plan.replicas.values() for broker in row)
    assert sorted(loads.values()) == [88] + [89] * 8
    assert plan.optimal in (OPTIMAL, OPTIMAL_FOR_SETS)
    assert [note.split(" bytes:")[0].rsplit(" ", 1)[0] for note in plan.notes] == [
        "sizes count as multiples of"
    ]
    assert check_replicas(cluster, plan.replicas, plan.goals) == []


def test_bytes_beyond_64_bits_are_added_up() -> None:
    cluster = Cluster(THREE, [Partition("t", n, [1], size=2**62) for n in range(6)])
    plan = plan_replicas(cluster, ReplicaGoals(levels=(BALANCE, BYTES)))
    assert plan.bytes_copied == 4 * 2**62
    assert most_bytes_bound(plan.cluster) == 2 * 2**62
    assert check_replicas(cluster, plan.replicas, plan.goals) == []


def test_levels_beyond_64_bits_are_planned_and_not_called_optimal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(levels_module, "ROOM", 2**14)
    cluster = Cluster(THREE, [Partition(f"t{n % 2}", n, [1, 2]) for n in range(6)])
    goals = ReplicaGoals(levels=(BALANCE, TOPICS, COPIES))
    plan = plan_replicas(cluster, goals)
    assert plan.optimal == NOT_PROVEN
    faults = check_replicas(cluster, plan.replicas, goals)
    assert faults == ["the replicas aren't proven to be the best"]


def test_a_plan_of_leaders_alone_is_checked() -> None:
    cluster = Cluster(THREE, [Partition("t", n, [1, 2, 3]) for n in range(6)])
    goals = ReplicaGoals(leaders_only=True)
    check, plan = partial(check_replicas, goals=goals), plan_replicas(cluster, goals).replicas
    assert check(cluster, plan) == []
    better = "the leaders could be more even over brokers: by 1 exchange"
    assert check(cluster, replicas_of(cluster)) == [better]
    changed = {**plan, ("t", 0): [1, 2]}
    assert check(cluster, changed) == ["t-0 has other replicas than before"]
    lost = Cluster([*THREE, Broker(4, usable=False)], [Partition("t", 0, [4])])
    assert check(lost, {("t", 0): [1]}) == ["t-0 can't be planned, but has changed"]


def test_what_cannot_be_planned_stays_and_is_named() -> None:
    cluster = Cluster(
        [Broker(1), Broker(2), Broker(3, alive=False)],
        [
            Partition("lost", 0, [3]),
            Partition("wide", 0, [1, 2], replication_factor=3),
            Partition("unknown", 0, []),
            Partition("fine", 0, [3, 1]),
            Partition("other", 0, [3], scope=False),
        ],
    )
    plan = plan_replicas(cluster)
    assert describe_reasons(plan.left_out) == [
        "1 partition of lost left out: all its replicas are on dead brokers, so there is nothing "
        "to copy from",
        "1 partition of unknown left out: its replicas aren't known",
        "1 partition of wide left out: 3 replicas need as many brokers, and only 2 can be used",
    ]
    assert {change.topic for change in plan.changes} == {"fine"}


def test_what_is_taken_for_what_is_missing_is_told() -> None:
    partitions = [Partition("t", 0, [1], size=4), Partition("t", 1, [7, 1], 1)]
    cluster = Cluster([Broker(1, "a"), Broker(2)], partitions)
    plan = plan_replicas(cluster, ReplicaGoals(levels=(BALANCE, BYTES)))
    assert plan.notes == [
        "not among the brokers, and so taken as dead: 7",
        "broker 2 has no rack and others have one, which Kafka's own tools refuse: all are taken "
        "as of one rack",
        "1 partitions without a size are taken to be as large as the mean",
    ]
    assert plan.cluster.racks == [None]
    assert {broker for row in plan.replicas.values() for broker in row} == {1, 2}


def test_leaders_only_keep_every_replica_of_dead_brokers_too() -> None:
    cluster = Cluster(
        [Broker(1), Broker(2), Broker(3, alive=False)],
        [Partition("t", 0, [3, 1]), Partition("t", 1, [1, 2]), Partition("t", 2, [3])],
    )
    plan = plan_replicas(cluster, ReplicaGoals(leaders_only=True))
    assert plan.replicas == {("t", 0): [1, 3], ("t", 1): [2, 1], ("t", 2): [3]}
    assert [item.partition for item in plan.left_out] == [2]


def test_leaders_that_no_sets_could_make_more_even_are_optimal() -> None:
    even = Cluster(THREE[:2], [Partition("t", n, [1, 2]) for n in range(4)])
    assert plan_replicas(even).optimal == OPTIMAL
    bound = Cluster(
        [Broker(1, capacity=100), Broker(2, capacity=1)], [Partition("t", n, [1]) for n in range(4)]
    )
    assert plan_replicas(bound).optimal == OPTIMAL_FOR_SETS
    assert NOT_PROVEN not in (OPTIMAL, OPTIMAL_FOR_SETS)


def test_an_empty_cluster_has_an_empty_plan() -> None:
    for levels in ORDERS:
        assert plan_replicas(Cluster([], []), ReplicaGoals(levels)).replicas == {}
        assert plan_replicas(Cluster(THREE, []), ReplicaGoals(levels)).replicas == {}
    nobody = Cluster([Broker(1, usable=False)], [Partition("t", 0, [1])])
    assert [item.topic for item in plan_replicas(nobody).left_out] == ["t"]


def test_rows_in_another_order_make_the_same_plan() -> None:
    draw = Random(5)
    brokers = [Broker(b, "abc"[b % 3]) for b in range(7)]
    items = [Partition(f"t{n % 3}", n, draw.sample(range(7), 3)) for n in range(40)]
    plan = plan_replicas(Cluster(brokers, items))
    shuffled = Cluster(draw.sample(brokers, 7), draw.sample(items, 40))
    assert plan_replicas(shuffled).replicas == plan.replicas


@pytest.mark.parametrize(
    ("cluster", "fault"),
    [
        (Cluster([Broker(1), Broker(1)], []), "2 brokers have the id 1"),
        (Cluster([Broker(-1)], []), "broker -1 has an id that isn't a number from 0"),
        (Cluster([Broker(1, capacity=0)], []), "broker 1 has the capacity 0, which isn't above 0"),
        (Cluster([Broker(1, capacity=1), Broker(2)], []), "broker 2 has no capacity, and others"),
        (Cluster([], [Partition("t", 0, [1])] * 2), "t-0 is there 2 times"),
        (Cluster([], [Partition("t", 0, [1, 1])]), "t-0 has a broker twice: [1, 1]"),
        (Cluster([], [Partition("t", -1, [1])]), "t--1 has a number that isn't from 0"),
        (Cluster([Broker("1")], []), "broker '1' has an id that isn't a number from 0"),
        (Cluster([Broker(1, capacity="2")], []), "broker 1 has the capacity '2', which isn't"),
        (Cluster([Broker(1, capacity=float("nan"))], []), "broker 1 has the capacity nan, which"),
        (Cluster([], [Partition("t", 0, [2**40])]), "t-0 has a number that isn't from 0"),
        (Cluster([], [Partition("t", 0, [1], 10**6)]), "t-0 is to have 1000000 replicas"),
        (Cluster([], [Partition("t", 0, [1], size=1.5)]), "t-0 has the size 1.5"),
        (
            Cluster([], [Partition("t", 0, [1, 2], size=2**63)]),
            "t-0 has the size 9223372036854775808",
        ),
        (Cluster([], [Partition("t", 0, [1], 0)]), "t-0 is to have 0 replicas"),
        (Cluster([], [Partition("t", 0, [1], size=-1)]), "t-0 has the size -1"),
    ],
)
def test_what_no_cluster_can_be_is_told(cluster: Cluster, fault: str) -> None:
    with pytest.raises(InvalidClusterError) as error:
        plan_replicas(cluster)
    assert fault in str(error.value)


@pytest.mark.parametrize(
    ("levels", "fault"),
    [
        ((COPIES,), "the levels lack 'balance'"),
        ((BALANCE, COPIES, BYTES), "either 'copies' or 'bytes'"),
        ((BALANCE, BALANCE, COPIES), "a level is there twice"),
        (("even",), "unknown level 'even': choose one of"),
    ],
)
def test_goals_that_make_no_sense_are_told(levels: tuple[str, ...], fault: str) -> None:
    with pytest.raises(ReplicaGoalsError, match=fault):
        ReplicaGoals(levels=levels)


def test_a_check_says_what_is_wrong_with_a_plan() -> None:
    cluster = Cluster(THREE, [Partition("t", n, [1, 2]) for n in range(3)])
    plan = plan_replicas(cluster).replicas
    assert check_replicas(cluster, plan) == []
    assert check_replicas(cluster, {**plan, ("t", 0): [1]}) == [
        "t-0: [1] aren't as many brokers that can be used, as even over racks, as it can have"
    ]
    assert check_replicas(cluster, {**plan, ("t", 0): [1, 9]}) == [
        "t-0 is on broker 9, which doesn't exist"
    ]
    assert check_replicas(cluster, {**plan, ("u", 0): [1]}) == ["u-0 isn't in the cluster"]
    assert check_replicas(cluster, {}) == ["t-0 is missing", "t-1 is missing", "t-2 is missing"]
    assert check_replicas(cluster, replicas_of(cluster)) == [
        "the replicas could be more even over brokers: by 1 exchange",
        "the leaders could be more even over brokers: by 1 exchange",
    ]
