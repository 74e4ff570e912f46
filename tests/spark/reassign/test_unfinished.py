"""Plans of `evenfleet reassign` that are carried out in part: they can be undone."""

import signal
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import pytest

from spark import FleetFiles, InputError
from spark.reassign import Reassignment, ReassignRequest, cluster_facts
from spark.reassign.files import texts_of, write_batches
from spark.reassign.fleet import PLANNED, write_fleet
from spark.reassign.reassignment import reassign as reassigned_from
from tests.spark.reassign.captures import replicas_in, stored
from tests.spark.reassign.test_sending import Fake
from tests.support.fleets import Fleet
from tests.support.said import Run


class Ended(Fake):
    """A live cluster as the snapshot says, which a signal ends as soon as it has begun to move."""

    current: Any = None

    def __init__(self, _: object) -> None:
        super().__init__(self)
        self.up = set(self.current.racks)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def partitions(self, topics: Iterable[str] | None = None) -> Any:
        if "move" in self.log:
            signal.raise_signal(signal.SIGTERM)
        return super().partitions(topics)


def test_a_signal_under_execute_says_how_to_go_on_and_back(
    run: Run, before: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Ended, "current", cluster_facts(FleetFiles.read(str(before))))
    monkeypatch.setattr("spark.enforce.moves.LiveReplicas", Ended)
    words = ("--execute", "--bootstrap", "127.0.0.1:9", "--no-dry-run")
    output = run("reassign", before, "--out", before.parent / "moves", *words)
    assert output.code == 128 + signal.SIGTERM
    assert "run it again" not in output.err
    report = " ".join(output.err.split())
    assert "Batch 1 of 1 stopped: interrupted (its throttle stays until" in report
    assert "The same command goes on from there" in report
    assert run("reassign", before, "--out", before.parent / "moves").code == 0  # the same plan
    files = {path.name: path.read_text() for path in (before.parent / "moves").glob("*.json")}
    output = run("reassign", before, "--out", before.parent / "moves", "--drain", 3)
    assert output.code == 2  # the snapshot is older than the move
    assert "holds the rollbacks of a plan that isn't finished: it was handed" in output.err
    assert {p.name: p.read_text() for p in (before.parent / "moves").glob("*.json")} == files


def test_batches_count_together_and_a_folder_belongs_to_one_cluster(
    run: Run, before: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first batch is done, the second isn't begun; and whatever another cluster looks like.

    Before any is begun, and when both are done, the plan is replaced.
    """
    moves = tmp_path / "moves"
    for _ in range(2):
        assert run("reassign", before, "--out", moves, "--batch-copies", 4).code == 0
    files = {path.name: path.read_text() for path in moves.iterdir()}
    current = cluster_facts(FleetFiles.read(str(before)))

    def after(*batches: str) -> Reassignment:
        done = {name: row for file in batches for name, row in replicas_in(moves / file).items()}
        rows = [
            p._replace(replicas=done.get((p.topic, p.partition), p.replicas))
            for p in current.partitions
        ]
        moved = replace(current, partitions=rows)
        return reassigned_from(moved, ReassignRequest())

    later = after("01-move.json")
    with pytest.raises(InputError, match=r"a plan that isn't finished: 4 of 9 partitions are done"):
        write_batches(later, moves)
    with monkeypatch.context() as patch:  # of all clusters at once
        patch.setattr("spark.reassign.fleet.cluster_facts", lambda *_: later.current)
        row: Any = {"cluster": "lab", "status": PLANNED, "files": texts_of(later)}
        moves.rename(tmp_path / "lab")
        written, refused = write_fleet([row], tmp_path, FleetFiles.read(str(before)))  # type: ignore[arg-type]
        assert (written, "plan that isn't finished" in refused["lab"]) == ([], True)
        (tmp_path / "lab").rename(moves)
    output = run("reassign", stored(run, tmp_path, "topics_after", cluster="b"), "--out", moves)
    assert (output.code, "holds the plan of cluster lab: write the one of" in output.err) == (
        2,
        True,
    )
    (moves / ".cluster").unlink()  # as before folders had that
    fleet = Fleet().topic("t", 1, "b")
    fleet.rows["partitions"][0] |= {"leader": 1, "replicas": [1], "isr": [1]}
    fleet.store(tmp_path / "other")
    output = run("reassign", tmp_path / "other", "--out", moves)
    assert (output.code, "cluster b has none of its partitions" in output.err) == (2, True)
    assert {path.name: path.read_text() for path in moves.glob("*.json")} == {
        name: text for name, text in files.items() if name.endswith("json")
    }
    write_batches(after("01-move.json", "02-move.json"), moves)
    assert not [*moves.glob("*-move.json")]
