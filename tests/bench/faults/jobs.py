"""The commands that are made to fail, and how to tell what is there afterwards."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from spark.demo.fleet import demo_fleet
from spark.errors import InputError
from spark.files import LocalStore
from spark.fleet import TABLES, write_store
from spark.fleet.store import states_of
from tests.bench.faults.cluster import bootstrap
from tests.paths import ROOT

SNAPSHOT = "20261121T060000Z"
CAPTURES = ROOT / "tests" / "data" / "cli"
EVENFLEET = str(Path(sys.executable).parent / "evenfleet")

State = dict[str, Any]
"""What is there: by table or snapshot, everything that is read of it."""


@dataclass
class Job:
    """A command that writes to `out`; its turns differ in `choices`, so that each makes another."""

    name: str
    words: Sequence[str]
    choices: Sequence[Sequence[str]]
    out: Path
    store: Path
    tables: Sequence[str]
    made: dict[int, State] = field(default_factory=dict)
    turn: int = 0
    seconds: float = 0.0

    def command(self, out: Path | None = None, store: Path | None = None) -> list[str]:
        """The words of the next turn."""
        here = [str(store or self.store) if word == "STORE" else word for word in self.words]
        return [EVENFLEET, *here, "--out", str(out or self.out), *self.choices[self.turn]]

    def state(self) -> State | str:
        """All rows of all tables, or why they can't be read."""
        return _rows(LocalStore(self.out), self.tables)

    def would_be(self, before: State | str) -> list[State]:
        """What may be there after the next turn."""
        return [self.made[self.turn]]

    def settle(self) -> None:
        """Begin the next turn: one that makes something else than what is there."""
        there = self.state()
        self.turn = next(turn for turn in range(len(self.choices)) if self.made[turn] != there)


class AddingJob(Job):
    """A command that adds a snapshot to a store, each time one of another id."""

    snapshots = 0

    def command(self, out: Path | None = None, store: Path | None = None) -> list[str]:
        made = super().command(out, store)
        return [*made, "--snapshot", f"20261122T{self.snapshots:06}Z"]

    def state(self) -> State | str:
        place = LocalStore(self.out)
        states = states_of(place)
        whole = [item for item, why in states.items() if why is None]
        try:
            return {item: _counts(place, item) for item in whole}
        except InputError as error:
            return str(error)

    def would_be(self, before: State | str) -> list[State]:
        assert isinstance(before, dict)
        return [before | {f"20261122T{self.snapshots:06}Z": self.made[0]}]

    def settle(self) -> None:
        self.snapshots += 1


def _rows(place: LocalStore, tables: Sequence[str]) -> State | str:
    result = {}
    for table in tables:
        try:
            parts = place.parts(table, SNAPSHOT)
        except InputError as error:
            return str(error)
        if parts is None:
            continue
        if parts.notes:
            return f"{table}: {parts.notes}"
        files = [pq.ParquetFile(file).read() for file in _files(parts.paths)]
        rows = pa.concat_tables(files)
        columns = [name for name in rows.column_names if name != "seconds"]
        result[table] = sorted(map(repr, rows.select(columns).to_pylist()))
    return result


def _counts(place: LocalStore, snapshot: str) -> dict[str, int]:
    parts = {table: place.parts(table, snapshot) for table in TABLES}
    return {
        table: sum(pq.read_metadata(file).num_rows for file in _files(part.paths))
        for table, part in parts.items()
        if part
    }


def _files(paths: Sequence[str]) -> list[Path]:
    result: list[Path] = []
    for path in map(Path, paths):
        result += sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    return result


@contextmanager
def jobs_in(folder: Path, only: Sequence[str] | None) -> Iterator[list[Job]]:
    """All jobs below a folder, each having run once with each of its choices."""
    store = folder / "store"
    write_store(demo_fleet(60, seed=5), store, SNAPSHOT)
    levels = folder / "levels.toml"
    levels.write_text("[unbalanced]\ninfo = 1.01\nwarning = 1.05\ncritical = 1.1\n")
    with ExitStack() as stack:
        jobs = [
            Job(
                *("plan", ("plan", "STORE"), (("--strategy", "range"), ("--strategy", "optimal"))),
                *(folder / "plan", store, ("assignments", "groups", "clusters", "traffic")),
            ),
            Job(
                *("compare", ("compare", "STORE")),
                *(
                    (
                        ("--strategies", "current,optimal"),
                        ("--strategies", "current,range"),
                    ),
                    folder / "compare",
                    store,
                ),
                ("comparison", "fleet"),
            ),
            Job(
                *("audit", ("audit", "STORE"), ((), ("--thresholds", str(levels)))),
                *(folder / "audit", store, ("findings", "coordinators")),
            ),
            AddingJob(
                "import",
                (
                    *("import-cli", "--cluster", "prod", "--topics", str(CAPTURES / "topics.txt")),
                    *("--groups", str(CAPTURES / "members_verbose.txt")),
                    *("--groups", str(CAPTURES / "offsets_verbose.txt")),
                ),
                *(((),), folder / "imported", store, ()),
            ),
        ]
        jobs = [job for job in jobs if only is None or job.name in only]
        if only is None or "collect" in only:
            words = (
                "collect",
                "--cluster",
                "live",
                "--bootstrap",
                stack.enter_context(bootstrap()),
            )
            jobs.append(AddingJob("collect", words, ((),), folder / "collected", store, ()))
        for job in jobs:
            _prepare(job)
        yield jobs


def _prepare(job: Job) -> None:
    """Run it with each of its choices, to know what it makes and how long it takes."""
    for turn in range(len(job.choices)):
        job.turn = turn
        started = time.perf_counter()
        subprocess.run(job.command(), check=True, capture_output=True)
        job.seconds = time.perf_counter() - started
        state = job.state()
        assert isinstance(state, dict), state
        job.made[turn] = next(iter(state.values())) if isinstance(job, AddingJob) else state
    job.settle()
    if not isinstance(job, AddingJob):
        assert job.made[0] != job.made[1], f"the turns of {job.name} make the same"


def copy_of(folder: Path, target: Path) -> Path:
    """A copy that may be broken."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(folder, target)
    return target
