"""The way back from a plan that was carried out, whole or in part."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark.errors import InputError
from spark.reassign import Pace, Reassignment, StoppedError, batch_undos, undo, write_batches
from tests.spark.reassign.test_execution import Fake, carried_out, planned


@pytest.fixture
def of() -> Reassignment:
    return planned()


@pytest.fixture
def out(of: Reassignment, tmp_path: Path) -> Path:
    write_batches(of, tmp_path / "moves")
    return tmp_path / "moves"


def undone(out: Path, fake: Fake) -> list[str]:
    return list(undo(batch_undos(out, fake), fake, Pace(7, lambda: fake.time, fake.sleep)))


def test_batches_go_back_the_last_one_first(of: Reassignment, out: Path) -> None:
    fake = Fake(of)
    before = dict(fake.now)
    carried_out(of, fake)
    fake.log.clear()
    assert undone(out, fake) == [
        *("batch 2: 1 partition goes back, 1 copy", "batch 2 is undone"),
        *("batch 1: 1 partition goes back, 1 copy", "batch 1 is undone"),
    ]
    assert fake.now == before
    assert set(fake.leader.values()) == {1}
    assert fake.log == ["throttle 7", "move", "unthrottle", "elect"] * 2
    assert undone(out, fake) == []


def test_only_what_was_executed_goes_back(of: Reassignment, out: Path) -> None:
    """Of two batches one was begun, and its partition still moves."""
    fake = Fake(of)
    before = dict(fake.now)
    (step,) = of.batches.batches[0]
    fake.to = {(step.topic, step.partition): step.after}
    assert [way.number for way in batch_undos(out, fake)] == [1]
    undone(out, fake)
    assert fake.now == before


def test_nothing_goes_back_where_somebody_else_moved_a_partition(
    of: Reassignment, out: Path
) -> None:
    fake = Fake(of)
    carried_out(of, fake)
    (step,) = of.batches.batches[0]
    fake.up.add(3)
    fake.now[step.topic, step.partition] = [3]
    fake.log.clear()
    report = rf"nothing was undone: partition t-{step.partition} is on \[3\]; batch 1 moves it from"
    with pytest.raises(StoppedError, match=report):
        undone(out, fake)
    assert fake.log == []


def test_nothing_goes_back_to_a_broker_that_is_down(of: Reassignment, out: Path) -> None:
    fake = Fake(of)
    carried_out(of, fake)
    fake.up.remove(1)
    with pytest.raises(StoppedError, match="nothing was undone: broker 1 is down"):
        undone(out, fake)


def test_an_interrupted_way_back_is_finished_by_the_same_command(
    of: Reassignment, out: Path
) -> None:
    fake = Fake(of)
    before = dict(fake.now)
    carried_out(of, fake)
    report = undo(batch_undos(out, fake), fake, Pace(7, lambda: fake.time, interrupted))
    next(report)
    with pytest.raises(StoppedError, match=r"undoing batch \d stopped: interrupted.*same command"):
        list(report)
    undone(out, fake)
    assert fake.now == before


def interrupted(_seconds: float) -> None:
    raise KeyboardInterrupt


def test_a_folder_without_rollbacks(of: Reassignment, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no NN-rollback\.json: give the folder of a plan"):
        batch_undos(tmp_path, Fake(of))
