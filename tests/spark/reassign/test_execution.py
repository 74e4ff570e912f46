"""A plan carried out in a cluster that does as it is told, and in such that don't."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from optimizer.replicas import Broker, Cluster, Partition, ReplicaGoals, batches_of, plan_replicas
from spark.reassign import (
    ClusterFacts,
    Pace,
    Reassignment,
    ReassignRequest,
    StoppedError,
    differences,
    execute,
)
from spark.reassign.execution import STANDS_STILL
from spark.reassign.facts import PartitionFacts
from spark.reassign.reassignment import reassigned
from spark.reassign.verify import DIVERGED, RUNNING, state_of
from tests.support.said import Run

Name = tuple[str, int]
ROLLBACKS = [Path(f"{number:02}-rollback.json") for number in range(1, 10)]


def planned() -> Reassignment:
    """Four partitions on broker 1 of two, of which two are to move, one a batch."""
    rows = [("t", number, [1]) for number in range(4)]
    cluster = Cluster([Broker(1), Broker(2)], [Partition(*row) for row in rows])
    plan = plan_replicas(cluster)
    current = ClusterFacts(
        "lab",
        "20261123T100000Z",
        {1: None, 2: None},
        [PartitionFacts(t, n, 1, list(row), [1], [], []) for t, n, row in rows],
    )
    return Reassignment(current, ReassignRequest(), cluster, plan, batches_of(plan, 1), [])


class Fake:
    """Brokers 1 and 2; a move is done when it has been looked at twice."""

    def __init__(self, of: Reassignment) -> None:
        self.up = {1, 2}
        self.now = {(p.topic, p.partition): list(p.replicas) for p in of.current.partitions}
        self.leader = dict.fromkeys(self.now, 1)
        self.to: dict[Name, list[int]] = {}
        self.refused: dict[Name, str] = {}
        self.unelected: dict[Name, str] = {}
        self.log: list[str] = []
        self.looks = 0
        self.time = 0.0

    def alive(self) -> set[int]:
        return self.up

    def partitions(self, topics: Iterable[str] | None = None) -> dict[Name, Any]:
        self.looks += 1
        if self.looks % 3 == 0:
            self.now |= self.to
            self.to = {}
        return {
            name: (
                self.leader[name],
                row,
                row,
                [b for b in self.to.get(name, row) if b not in row],
                [b for b in row if b not in self.to.get(name, row)],
            )
            for name, row in self.now.items()
        }

    def move(self, replicas: Mapping[Name, list[int]]) -> dict[Name, str]:
        self.log.append("move")
        self.to = {name: row for name, row in replicas.items() if name not in self.refused}
        return {name: why for name, why in self.refused.items() if name in replicas}

    def elect(self, partitions: Sequence[Name]) -> dict[Name, str]:
        self.log.append("elect")
        self.leader |= {name: self.now[name][0] for name in partitions}
        return self.unelected

    def throttle(self, steps: Sequence[Any], rate: int) -> list[str]:
        self.log.append(f"throttle {rate}")
        return []

    def unthrottle(self, steps: Sequence[Any]) -> list[str]:
        self.log.append("unthrottle")
        return []

    def sleep(self, seconds: float) -> None:
        self.time += seconds


def carried_out(of: Reassignment, fake: Fake) -> list[str]:
    return list(execute(of, fake, ROLLBACKS[:2], Pace(7, lambda: fake.time, fake.sleep)))


def test_batches_follow_each_other_each_throttled_and_its_leaders_elected() -> None:
    of = planned()
    fake = Fake(of)
    output = carried_out(of, fake)
    assert fake.log == ["throttle 7", "move", "unthrottle", "elect"] * 2
    assert fake.now == of.plan.replicas
    assert [item.split(":")[0] for item in output] == [
        *("batch 1 of 2", "batch 1 of 2 is done; 1 preferred leader elected"),
        *("batch 2 of 2", "batch 2 of 2 is done; 1 preferred leader elected"),
    ]


def test_nothing_is_handed_over_where_the_cluster_has_changed() -> None:
    of = planned()
    fake = Fake(of)
    fake.now["t", 3] = [2]  # somebody else moved it
    with pytest.raises(StoppedError, match=r"batch 1 isn't handed over.* t-3 is on 2, and was on"):
        carried_out(of, fake)
    assert fake.log == []


def test_a_difference_begins_with_no_name_of_a_topic() -> None:
    """Sentences get a capital letter, and names must not."""
    of = planned()
    fake = Fake(of)
    fake.now["t", 3] = [2]
    del fake.now[(gone := of.changes[0])[:2]]
    assert sorted(differences(of, fake)) == [
        f"partition t-{gone.partition} isn't there any more",
        "partition t-3 is on 2, and was on 1",
    ]


def test_a_change_between_two_batches_stops_the_second_and_names_the_first_rollback() -> None:
    of = planned()
    fake = Fake(of)
    report = execute(of, fake, ROLLBACKS[:2], Pace(7, lambda: fake.time, fake.sleep))
    assert "1 copy" in next(report)
    assert "done" in next(report)
    fake.up = {1}
    with pytest.raises(StoppedError, match=r"broker 2 is down; 01-rollback.json undoes"):
        next(report)


def test_what_is_refused_stops_a_batch_without_a_throttle_left() -> None:
    of = planned()
    fake = Fake(of)
    step = of.batches.batches[0][0]
    fake.refused = {(step.topic, step.partition): "not now"}
    with pytest.raises(StoppedError, match=r"1 of 1 partition refused: t-\d: not now.* 01-r"):
        carried_out(of, fake)
    assert fake.log == ["throttle 7", "move", "unthrottle"]


def test_a_broker_that_goes_down_meanwhile_stops_the_batch() -> None:
    of = planned()
    fake = Fake(of)
    report = execute(of, fake, ROLLBACKS[:2], Pace(7, lambda: fake.time, fake.sleep))
    next(report)
    fake.up = {1}
    fake.now = {name: [1] for name in fake.now}
    fake.partitions = lambda topics=None: {  # type: ignore[method-assign]
        name: (1, [1], [1], [2], [1]) for name in fake.now
    }
    with pytest.raises(StoppedError, match=r"broker 2 is down \(its throttle stays.* 01-rollback"):
        next(report)
    assert "unthrottle" not in fake.log


def test_an_interrupt_says_how_far_it_is_what_stays_and_how_to_go_back() -> None:
    of = planned()
    fake = Fake(of)
    fake.sleep = lambda _: (_ for _ in ()).throw(KeyboardInterrupt)  # type: ignore[method-assign]
    with pytest.raises(StoppedError) as stopped:
        carried_out(of, fake)
    output = str(stopped.value)
    assert "batch 1 stopped: interrupted (its throttle stays until" in output
    assert "verifies 01-move.json). 0 of 1 partition were done" in output
    assert "cancel 01-move.json and then execute 01-rollback.json" in output


def test_an_interrupt_between_two_batches_names_the_one_before() -> None:
    of = planned()
    fake = Fake(of)
    report = execute(of, fake, ROLLBACKS[:2], Pace(7, lambda: fake.time, fake.sleep))
    assert [next(report)[:7] for _ in range(3)] == ["batch 1", "batch 1", "batch 2"]
    with pytest.raises(StoppedError, match=r"handed over: interrupted; 01-rollback\.json undoes"):
        report.throw(KeyboardInterrupt())


def test_a_lost_connection_names_the_throttle_that_stays() -> None:
    of = planned()
    fake = Fake(of)

    def lose(_: float) -> None:
        raise ConnectionError("no broker answers")

    fake.sleep = lose  # type: ignore[method-assign]
    with pytest.raises(StoppedError, match=r"no broker answers \(its throttle stays.*cancel 01-m"):
        carried_out(of, fake)


def test_a_long_batch_says_how_far_it_is() -> None:
    """Two partitions of 3 and 1 GB, of which the larger takes a minute, the other two."""
    whole = planned()
    wanted = ReassignRequest(
        sizes={("t", n): 10**9 * (3 if n == whole.changes[0].partition else 1) for n in range(4)}
    )
    of = replace(whole, wanted=wanted, batches=batches_of(whole.plan))
    fake = Fake(of)
    first, second = ((change.topic, change.partition) for change in whole.changes)

    def look(topics: Iterable[str] | None = None) -> dict[Name, Any]:
        for name, done_at in ((first, 60), (second, 120)):
            if fake.time >= done_at:
                fake.now |= {name: fake.to.pop(name, fake.now[name])}
        fake.looks = 0  # nothing is done by itself
        return Fake.partitions(fake, topics)

    fake.partitions = look  # type: ignore[method-assign]
    output = list(execute(of, fake, ROLLBACKS[:1], Pace(7, lambda: fake.time, fake.sleep)))
    assert output[1:-1] == [
        "0 of 2 done, 0 B of 4.00 GB",
        "1 of 2 done, 3.00 GB of 4.00 GB, 1 min left",
        "1 of 2 done, 3.00 GB of 4.00 GB, 1 min left",
    ]


def test_a_leader_that_cannot_be_elected_stops_the_batch() -> None:
    of = planned()
    fake = Fake(of)
    step = of.batches.batches[0][0]
    fake.unelected = {(step.topic, step.partition): "not in sync"}
    with pytest.raises(StoppedError, match=r"preferred leaders weren't elected: t-\d: not in sync"):
        carried_out(of, fake)
    assert fake.log.count("elect") > 1


@pytest.mark.parametrize(
    ("adding", "removing", "state"),
    [([3], [1], RUNNING), ([3], [], DIVERGED), ([3], [3], DIVERGED)],
)
def test_a_replica_that_comes_and_goes_at_once_has_diverged(
    adding: list[int], removing: list[int], state: str
) -> None:
    """As a rollback leaves it that Kafka was given while the move still ran."""
    partition_facts = PartitionFacts("t", 0, 1, [1, 2], [1, 2], adding, removing)
    result, output = state_of(partition_facts, {1, 2, 3}, [2, 3], [1, 2])
    assert result == state
    assert ("never ends" in output) == (adding == removing)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--execute"], "needs either --bootstrap"),
        (["--no-dry-run"], "need --execute or --undo"),
        (["--undo", "moves"], "--undo needs either --bootstrap"),
        (["--undo", "moves", "--execute"], "--execute and --undo contradict each other"),
        (["--leaders-only", "--add", 4], "--leaders-only moves no replicas"),
        (["--leaders-only", "--replication-factor", 2], "--leaders-only moves no replicas"),
        (["--leaders-only", "--at-most-copies", 0], "--leaders-only moves no replicas"),
        (["--execute", "--bootstrap", "h:1", "--throttle", 0], "is too low"),
    ],
)
def test_options_that_do_not_fit_each_other(
    run: Run, tmp_path: Path, words: list[object], why: str
) -> None:
    output = run("reassign", tmp_path / "store", "--out", tmp_path / "moves", *words)
    assert output.code == 2
    assert why in output.err


@pytest.mark.parametrize("racks", [{1: "a", 2: None}, {1: None, 2: None}])
def test_racks_that_are_not_all_known_are_one(racks: dict[int, str | None]) -> None:
    current = ClusterFacts(
        *("lab", "20261123T100000Z", racks),
        [PartitionFacts("t", n, 1, [1], [1], [], []) for n in range(2)],
    )
    result = reassigned(current, ReassignRequest(), ReplicaGoals())
    assert [row["planned"] for row in result.brokers()] == [1, 1]
    assert any("rack" in note for note in result.notes) == ("a" in racks.values())


def test_the_even_share_is_that_of_a_rack_where_racks_are_unequal() -> None:
    """Each partition has a replica in each rack: broker 1 holds 12 rightly, the others 4 each."""
    current = ClusterFacts(
        *("lab", "20261123T100000Z", {1: "a", 2: "b", 3: "b", 4: "b"}),
        [PartitionFacts("t", n, 1, [1, 2], [1, 2], [], []) for n in range(12)],
    )
    result = reassigned(current, ReassignRequest(), ReplicaGoals())
    rows = {row["broker"]: (row["planned"], row["even_share"]) for row in result.brokers()}
    assert rows == {1: (12, 12.0), 2: (4, 4.0), 3: (4, 4.0), 4: (4, 4.0)}
    assert (
        "Racks have unequal numbers of brokers, so even shares of replicas differ: "
        "12 in rack a (1 broker), 4 in rack b (3 brokers)."
    ) in list(result.sentences())


class Stuck(Fake):
    """A replica comes into sync a minute before the batch is given up, and then no other."""

    def partitions(self, topics: Iterable[str] | None = None) -> dict[Name, Any]:
        self.looks = 0  # so that no move is ever done
        partitions = super().partitions(topics)
        joined = self.time > STANDS_STILL - 60
        return {
            name: (leader, row, [*row, *(adding if joined else [])], adding, removing)
            for name, (leader, row, _, adding, removing) in partitions.items()
        }


def test_copies_that_stand_still_come_to_an_end() -> None:
    of = planned()
    fake = Stuck(of)
    with pytest.raises(StoppedError) as stopped:
        carried_out(of, fake)
    assert "for 30 min no partition was done and no replica came into sync" in str(stopped.value)
    assert "0 of 1 partition were done" in str(stopped.value)
    assert "cancel 01-move.json and then execute 01-rollback.json" in str(stopped.value)
    # half an hour from the replica that joined, not from the beginning
    assert 2 * STANDS_STILL - 60 < fake.time < 2 * STANDS_STILL - 55


def test_copies_that_take_longer_at_their_rate_dont_stand_still() -> None:
    of = planned()
    sizes = {(change.topic, change.partition): 7 * 5000 for change in of.changes}
    fake = Stuck(of)
    with pytest.raises(StoppedError, match="for 113 min no partition"):
        carried_out(replace(of, wanted=ReassignRequest(sizes=sizes)), fake)
