"""Moves sent to a cluster that does as it is told, and to such that don't."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from optimizer.replicas import Broker, Cluster, Partition, batches_of, plan_replicas
from spark.errors import InputError
from spark.reassign import (
    CopyPace,
    Reassignment,
    ReassignRequest,
    ReplicaFacts,
    StoppedError,
    batches_of_plan,
    rollbacks_in,
    send,
    write_batches,
)
from spark.reassign.facts import PartitionFacts
from spark.reassign.reassignment import reassign
from spark.reassign.sending import STANDS_STILL
from spark.reassign.verify import DIVERGED, RUNNING, state_of

Name = tuple[str, int]


def planned() -> Reassignment:
    """Four partitions on broker 1 of two, of which two are to move, one a batch."""
    rows = [("t", number, [1]) for number in range(4)]
    cluster = Cluster([Broker(1), Broker(2)], [Partition(*row) for row in rows])
    plan = plan_replicas(cluster)
    current = ReplicaFacts(
        "lab",
        "20261123T100000Z",
        {1: None, 2: None},
        [PartitionFacts(t, n, 1, list(row), [1], [], []) for t, n, row in rows],
    )
    return Reassignment(current, ReassignRequest(), cluster, plan, batches_of(plan, 1), [])


@pytest.fixture
def of() -> Reassignment:
    return planned()


@pytest.fixture
def fake(of: Reassignment) -> Fake:
    return Fake(of)


@pytest.fixture
def out(of: Reassignment, tmp_path: Path) -> Path:
    write_batches(of, tmp_path / "moves")
    return tmp_path / "moves"


class Fake:
    """Brokers 1 and 2; a move is done when it has been looked at twice."""

    def __init__(self, of: Any) -> None:
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


def sending(of: Reassignment, fake: Fake, **options: Any) -> Any:
    stays = {(p.topic, p.partition): p.replicas for p in of.current.partitions}
    pace = CopyPace(7, of.wanted.sizes, lambda: fake.time, fake.sleep)
    return send(batches_of_plan(of, Path("moves")), fake, pace, stays, **options)


def sent(of: Reassignment, fake: Fake) -> list[str]:
    return list(sending(of, fake))


def undone(out: Path, fake: Fake) -> list[str]:
    return list(send(rollbacks_in(out), fake, CopyPace(7, {}, lambda: fake.time, fake.sleep)))


def only_step(of: Reassignment, batch: int = 0) -> Any:
    (step,) = of.batches[batch]
    return step


ONE = ["throttle 7", "move", "unthrottle", "elect"]
"""What one batch takes."""


def test_batches_follow_each_other_each_throttled_and_its_leaders_elected(
    of: Reassignment, fake: Fake
) -> None:
    names = [f"t-{only_step(of, batch).partition}" for batch in range(2)]
    assert sent(of, fake) == [
        f"batch 1 of 2: 1 copy, of 1 partition ({names[0]})",
        "batch 1 of 2 is done; 1 preferred leader elected",
        f"batch 2 of 2: 1 copy, of 1 partition ({names[1]})",
        "batch 2 of 2 is done; 1 preferred leader elected",
    ]
    assert fake.log == ONE * 2
    assert fake.now == of.plan.replicas
    assert sent(of, fake) == []  # all is done


def test_rollbacks_go_the_same_way_the_last_batch_first(
    of: Reassignment, fake: Fake, out: Path
) -> None:
    before = dict(fake.now)
    sent(of, fake)
    fake.log.clear()
    assert [item.partition(":")[0] for item in undone(out, fake)] == [
        *("rollback of batch 2", "rollback of batch 2 is done; 1 preferred leader elected"),
        *("rollback of batch 1", "rollback of batch 1 is done; 1 preferred leader elected"),
    ]
    assert fake.now == before
    assert set(fake.leader.values()) == {1}
    assert fake.log == ONE * 2
    assert undone(out, fake) == []


def test_a_run_goes_on_where_one_before_it_stopped(of: Reassignment, fake: Fake) -> None:
    """One partition is done, and the other is under way."""
    whole = replace(of, batches=batches_of(of.plan))
    first, second = whole.batches[0]
    fake.now[first.topic, first.partition] = first.after
    fake.to = {(second.topic, second.partition): second.after}
    reports = sent(whole, fake)
    assert reports[0] == f"batch 1 of 1: 1 copy, of 1 partition (t-{second.partition})"
    assert fake.now == of.plan.replicas


def test_only_what_was_sent_goes_back(of: Reassignment, fake: Fake, out: Path) -> None:
    """Of two batches one was begun, and its partition still moves."""
    before, step = dict(fake.now), only_step(of)
    fake.to = {(step.topic, step.partition): step.after}
    reports = undone(out, fake)
    assert len(reports) == 2
    assert reports[0].startswith("rollback of batch 1: 1 copy")
    assert fake.now == before


def test_nothing_is_sent_where_somebody_else_has_moved_a_partition(
    of: Reassignment, fake: Fake, out: Path
) -> None:
    """Whether the plan moves that partition or not; a deleted one doesn't matter."""
    planned_too = only_step(of).partition
    others = {number for _, number in fake.now} - {change.partition for change in of.changes}
    for number, rows in ((min(others), "1"), (planned_too, "1 or 2")):
        here = Fake(of)
        here.now["t", number] = [3]
        report = rf"batch 1 of 2 isn't sent: partition t-{number} is on 3, not on {rows}: somebody"
        with pytest.raises(StoppedError, match=report):
            sent(of, here)
        assert here.log == []
    del fake.now["t", max(others)]
    sent(of, fake)
    fake.log.clear()
    fake.now["t", planned_too] = [3]
    with pytest.raises(
        StoppedError, match=r"rollback of batch 2 isn't sent: partition t-\d is on 3"
    ):
        undone(out, fake)
    assert fake.log == []


def test_a_broker_that_goes_down_between_two_batches_stops_the_second(
    of: Reassignment, fake: Fake
) -> None:
    report = sending(of, fake)
    assert "1 copy" in next(report)
    assert "done" in next(report)
    fake.up = {1}
    with pytest.raises(StoppedError, match=r"batch 2 of 2 isn't sent: broker 2 is down"):
        next(report)


def test_what_is_refused_stops_a_batch_without_a_throttle_left(
    of: Reassignment, fake: Fake
) -> None:
    step = only_step(of)
    fake.refused = {(step.topic, step.partition): "not now"}
    with pytest.raises(StoppedError, match=r"1 of 1 partition refused: t-\d: not now.*01-move"):
        sent(of, fake)
    assert fake.log == ["throttle 7", "move", "unthrottle"]


def test_a_broker_that_goes_down_meanwhile_stops_the_batch(of: Reassignment, fake: Fake) -> None:
    report = sending(of, fake)
    next(report)
    fake.up = {1}
    fake.partitions = lambda topics=None: {  # type: ignore[method-assign]
        name: (1, [1], [1], [2], [1]) for name in fake.now
    }
    with pytest.raises(StoppedError, match=r"broker 2 is down \(its throttle stays.*01-move\.json"):
        next(report)
    assert "unthrottle" not in fake.log


@pytest.mark.parametrize(
    ("error", "why"),
    [(KeyboardInterrupt(), "interrupted"), (ConnectionError("no broker"), "no broker")],
)
def test_an_end_says_how_far_it_is_what_stays_and_how_to_go_on_or_back(
    of: Reassignment, fake: Fake, error: BaseException, why: str
) -> None:
    def end(_: float) -> None:
        raise error

    fake.sleep = end  # type: ignore[method-assign]
    with pytest.raises(StoppedError) as stopped:
        sent(of, fake)
    output = str(stopped.value)
    assert f"batch 1 of 2 stopped: {why} (its throttle stays until it is done). Done: " in output
    assert "Done: 0 of 1 partition;" in output
    assert "The same command goes on from there; to go back, undo the plan in moves" in output
    assert "or let kafka-reassign-partitions cancel moves/01-move.json" in output


def test_an_interrupt_between_two_batches_sends_no_other(of: Reassignment, fake: Fake) -> None:
    report = sending(of, fake)
    assert [next(report)[:7] for _ in range(3)] == ["batch 1", "batch 1", "batch 2"]
    with pytest.raises(StoppedError, match=r"batch 2 of 2 isn't sent: interrupted"):
        report.throw(KeyboardInterrupt())
    assert fake.log == ONE


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
    assert sent(of, fake)[1:-1] == [
        "0 of 2 done, 0 B of 4.00 GB",
        "1 of 2 done, 3.00 GB of 4.00 GB, 1 min left",
        "1 of 2 done, 3.00 GB of 4.00 GB, 1 min left",
    ]


def test_a_leader_that_cannot_be_elected_stops_the_batch(of: Reassignment, fake: Fake) -> None:
    step = only_step(of)
    fake.unelected = {(step.topic, step.partition): "not in sync"}
    with pytest.raises(StoppedError, match=r"preferred leaders weren't elected: t-\d: not in sync"):
        sent(of, fake)
    assert fake.log.count("elect") > 1


def test_a_folder_without_rollbacks(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no NN-rollback\.json: give the folder of a plan"):
        rollbacks_in(tmp_path)


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


def test_the_even_share_is_that_of_a_rack_where_racks_are_unequal() -> None:
    """Each partition has a replica in each rack: broker 1 holds 12 rightly, the others 4 each."""
    current = ReplicaFacts(
        *("lab", "20261123T100000Z", {1: "a", 2: "b", 3: "b", 4: "b"}),
        [PartitionFacts("t", n, 1, [1, 2], [1, 2], [], []) for n in range(12)],
    )
    result = reassign(current, ReassignRequest())
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


@pytest.mark.parametrize(("size", "minutes"), [(0, 30), (7 * 5000, 113)])
def test_copies_that_stand_still_come_to_an_end_later_where_they_are_large(
    size: int, minutes: int
) -> None:
    of = planned()
    sizes = {(change.topic, change.partition): size for change in of.changes if size}
    fake = Stuck(of)
    with pytest.raises(StoppedError, match=f"for {minutes} min no partition was done and no"):
        sent(replace(of, wanted=ReassignRequest(sizes=sizes)), fake)
    # from the replica that joined, not from the beginning
    from_joined = fake.time - (STANDS_STILL - 60)
    assert 0 <= from_joined - 60 * minutes < 60
