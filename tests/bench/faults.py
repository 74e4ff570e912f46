"""Makes commands fail in every way at random moments, and looks what is left.

    python -m tests.bench.faults --faults 200 --seed 1 --json faults.json

Each round runs a command on a small fleet while something goes wrong: it is killed or interrupted,
its disk is full, a file that it reads is broken, or it runs twice at once. Then what was there
before must be there, or what the command makes, all of it; the command must have ended with a
sentence; and a table shows how often which happened. Full disks need the rights to mount small
ones (else those rounds are left out).
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from spark.demo import demo_fleet
from spark.errors import InputError
from spark.fleet import TABLES, write_store
from spark.fleet.store import Stored
from spark.store import Folder
from tests.bench.stopwatch import SNAPSHOT, Row, bench
from tests.paths import ROOT
from tests.support.alive import is_alive

CAPTURES = ROOT / "tests" / "data" / "cli"
EVENFLEET = str(Path(sys.executable).parent / "evenfleet")

STARTED = 0.3
"""Seconds until Python itself has begun: no command can say anything before."""

STACK = re.compile(r"^\s*(Traceback|at [\w.$]+\(|Caused by:|File \")", re.MULTILINE)
FULL_DISKS = (64, 200, 600, 1500)
"""Sizes of small disks in KiB, beside what is on them already."""

State = dict[tuple[str, str], list[str]]
"""What is there: all rows by snapshot and table."""

WRONG: list[str] = []


@dataclass
class Job:
    """A command that writes to `out`: `tables`, or with none of these one more snapshot.

    Its turns differ in `choices`, so that each makes something else.
    """

    name: str
    words: Sequence[str]
    choices: Sequence[Sequence[str]]
    out: Path
    store: Path
    tables: Sequence[str] = ()
    made: list[State] = field(default_factory=list)
    turn: int = 0
    rounds: int = 0
    seconds: float = 0.0

    @property
    def snapshot(self) -> str:
        return SNAPSHOT if self.tables else f"20261122T{self.rounds:06}Z"

    def start(self, store: Path | None = None) -> subprocess.Popen[str]:
        """The command of this turn, running."""
        here = [str(store or self.store) if word == "STORE" else word for word in self.words]
        added = [] if self.tables else ["--snapshot", self.snapshot]
        return subprocess.Popen(
            [EVENFLEET, *here, "--out", str(self.out), *self.choices[self.turn], *added],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )

    def run(self, store: Path | None = None) -> Ended:
        return Ended.of(self.start(store))

    def state(self) -> State | str:
        """All rows of all tables but how long they took, or why they can't be read."""
        place, rows = Folder(self.out), {}
        try:
            states = {SNAPSHOT: None} if self.tables else Stored.in_source(place).states
            whole = [snapshot for snapshot, why in states.items() if why is None]
            for snapshot, table in product(whole, self.tables or TABLES):
                parts = place.parts(table, snapshot)
                if parts and parts.notes:
                    return f"{table}: {parts.notes}"
                if parts:
                    rows[snapshot, table] = _rows_of(parts.paths)
        except InputError as error:
            return str(error)
        return rows

    def result(self, before: State | str) -> State:
        """What has to be there after this turn, unless it is what was there before."""
        made = self.made[self.turn]
        new = {(self.snapshot, table): rows for (_, table), rows in made.items()}
        return before | new if isinstance(before, dict) and not self.tables else new

    def settle(self) -> None:
        """Begin the next turn: one that makes something else than what is there."""
        self.rounds += 1
        if self.tables:
            there = self.state()
            self.turn = next(turn for turn, made in enumerate(self.made) if made != there)

    def prepare(self) -> None:
        """Run it with each of its choices, to know what it makes and how long it takes."""
        for turn in range(len(self.choices)):
            self.turn, started = turn, time.perf_counter()
            ended = self.run()
            self.seconds = time.perf_counter() - started
            state = self.state()
            assert ended.code == 0 and isinstance(state, dict) and state not in self.made, ended.err
            self.made.append(state)
        self.settle()


def jobs_in(folder: Path) -> Iterator[Job]:
    """All jobs below a folder, each having run once with each of its choices."""
    store = folder / "store"
    write_store(demo_fleet(60, seed=5), store, SNAPSHOT)
    strategies = (("--strategy", "range"), ("--strategy", "optimal"))
    compared = (("--strategies", "current,optimal"), ("--strategies", "current,range"))
    of_plan = ("assignments", "groups", "clusters", "traffic")
    texts = [
        *("--topics", str(CAPTURES / "topics.txt")),
        *("--groups", str(CAPTURES / "members_verbose.txt")),
        *("--groups", str(CAPTURES / "offsets_verbose.txt")),
    ]
    for job in (
        Job("plan", ("plan", "STORE"), strategies, folder / "plan", store, of_plan),
        Job("compare", ("compare", "STORE"), compared, folder / "compare", store, ("comparison",)),
        Job("import", ("import-cli", "--cluster", "c", *texts), ((),), folder / "in", store),
    ):
        job.prepare()
        yield job


def copy_of(folder: Path, target: Path) -> Path:
    """A copy that may be broken."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(folder, target)
    return target


def _rows_of(paths: Sequence[str]) -> list[str]:
    """The rows of a table, whose paths are those of files or of their folders."""
    files = [
        file for path in map(Path, paths) for file in sorted(path.rglob("*.parquet")) or [path]
    ]
    rows = pa.concat_tables(pq.ParquetFile(file).read() for file in files)
    columns = [name for name in rows.column_names if name != "seconds"]
    return sorted(map(repr, rows.select(columns).to_pylist()))


@dataclass
class Ended:
    """How a command ended."""

    code: int
    err: str

    @classmethod
    def of(cls, process: subprocess.Popen[str]) -> Ended:
        _, err = process.communicate(timeout=300)
        return cls(process.returncode, err)

    def faults(self, trouble: Trouble) -> list[str]:
        """What it should have said and hasn't, or the other way round."""
        if self.code == -signal.SIGKILL:
            return []
        said = any(line.startswith("evenfleet: ") for line in self.err.splitlines())
        wrong = {
            f"it ended with {self.code}": self.code not in trouble.codes,
            "it shows a stack": bool(STACK.search(self.err)),
            f"it ended with {self.code} without a sentence": self.code > 1 and not said,
        }
        return [f"{what}: {self.err[-500:]!r}" for what, is_so in wrong.items() if is_so]


def signalled(
    sent: signal.Signals,
    job: Job,
    chance: random.Random,
    span: tuple[float, float] = (0, 1),
    to_java: bool = False,
) -> list[Ended]:
    """A signal to the command at a random moment, or to its Java."""
    process = job.start()
    time.sleep(max(job.seconds * chance.uniform(*span), STARTED))
    javas = _javas_below(process.pid)
    with suppress(ProcessLookupError):  # it is over
        os.kill(javas[0] if javas and to_java else process.pid, sent)
    ended = Ended.of(process)
    until = time.monotonic() + 30
    while any(map(is_alive, javas)) and time.monotonic() < until:
        time.sleep(0.05)  # what a killed command leaves may still write
    return [ended]


def full_disk(job: Job, chance: random.Random) -> list[Ended]:
    """The folder that is written to is on a disk with little room."""
    used = sum(path.stat().st_size + 8192 for path in job.out.rglob("*")) // 1024
    with tempfile.TemporaryDirectory() as folder:
        assert _mounted(folder, used + chance.choice(FULL_DISKS))
        try:
            disk = Path(folder) / "out"
            shutil.copytree(job.out, disk)
            kept, job.out = job.out, disk
            ended = job.run()
            job.out = kept
            copy_of(disk, kept)
        finally:
            _unmounted(folder)
    return [ended]


def broken_file(job: Job, chance: random.Random) -> list[Ended]:
    """A file of the store is cut short, emptied, removed, or has a bit that isn't as written."""
    broken = copy_of(job.store, job.store.with_name("broken"))
    path = chance.choice(sorted(broken.rglob("*.parquet")))
    raw = bytearray(path.read_bytes())
    how = chance.choice(["cut", "empty", "gone", "flip", "flip", "flip"])
    if how == "flip":
        raw[chance.randrange(len(raw))] ^= 1 << chance.randrange(8)
        path.write_bytes(bytes(raw))
    elif how == "gone":
        path.unlink()
    else:
        path.write_bytes(raw[: chance.randrange(len(raw)) if how == "cut" else 0])
    return [job.run(store=broken)]


def broken_result(job: Job, chance: random.Random) -> list[Ended]:
    """A file of what is there already, or its manifest, is broken: it is written once more."""
    files = [*job.out.rglob("*.parquet"), *job.out.rglob(".evenfleet/manifests/*/*.json")]
    path = chance.choice(sorted(files))
    path.write_bytes(path.read_bytes()[: chance.choice([0, 30, 200])])
    return [job.run()]


def two_at_once(job: Job, chance: random.Random) -> list[Ended]:
    """The command runs twice at the same time, into one folder."""
    first = job.start()
    time.sleep(chance.random() * 0.5)
    return [Ended.of(command) for command in (first, job.start())]


class Trouble(NamedTuple):
    """One thing that goes wrong while a job runs; `codes` are the exit codes that fit."""

    name: str
    meet: Callable[[Job, random.Random], list[Ended]]
    codes: Sequence[int] = (0,)
    adding: bool = True
    """Whether it can happen to a job that adds a snapshot."""


TROUBLES = [
    Trouble("killed", partial(signalled, signal.SIGKILL)),
    Trouble("killed later", partial(signalled, signal.SIGKILL, span=(0.7, 1.1))),
    # 2: Spark doesn't start at all
    Trouble("killed java", partial(signalled, signal.SIGKILL, to_java=True), (0, 2, 3), False),
    Trouble("interrupted", partial(signalled, signal.SIGINT), (0, 130)),
    Trouble("terminated", partial(signalled, signal.SIGTERM), (0, 143)),
    Trouble("full disk", full_disk, (0, 1, 3)),
    Trouble("broken file", broken_file, (2,), False),
    Trouble("broken result", broken_result, (0,), False),
    Trouble("two at once", two_at_once, (0, 2, 3)),
]


def rows_of(options: argparse.Namespace) -> Iterator[Row]:
    """How often each job ended how in which trouble."""
    chance, ends = random.Random(options.seed), Counter[tuple[str, str, str]]()
    with tempfile.TemporaryDirectory(prefix="evenfleet-faults-") as folder:
        jobs = jobs_in(Path(folder))
        troubles = [
            trouble for trouble in TROUBLES if trouble.meet is not full_disk or _can_mount()
        ]
        turns = [(j, t) for j in jobs for t in troubles if j.tables or t.adding]
        for turn in range(options.faults):
            if turn % len(turns) == 0:
                chance.shuffle(turns)
            job, trouble = turns[turn % len(turns)]
            end, faults = _round(job, trouble, chance)
            ends[job.name, trouble.name, end] += 1
            for fault in faults:
                WRONG.append(f"round {turn}: {job.name}, {trouble.name}: {fault}")
                print(WRONG[-1], file=sys.stderr)
    for (job_name, trouble_name, end), rounds in sorted(ends.items()):
        yield {"what": job_name, "trouble": trouble_name, "rounds": rounds, "end": end}


def _round(job: Job, trouble: Trouble, chance: random.Random) -> tuple[str, list[str]]:
    """How a round ended, and what was wrong with that."""
    before = job.state()
    ended = trouble.meet(job, chance)
    faults = [fault for command in ended for fault in command.faults(trouble)]
    after = job.state()
    if isinstance(after, str):
        return "broken", [*faults, after]
    if after == before:
        end = "as before"
    elif after == job.result(before):
        end = "as it should become"
    else:
        end = "something else"
        faults.append(f"neither what was there nor what should come: {after!r}"[:300])
    job.settle()
    return f"{end}, exit {' and '.join(str(command.code) for command in ended)}", faults


def _javas_below(process: int) -> list[int]:
    """Java's processes that this one has started."""
    ps = ["ps", "-eo", "pid=,ppid=,comm="]
    listed = subprocess.run(ps, capture_output=True, text=True, check=True).stdout
    below, javas = {process}, []
    for child, parent, name in sorted(
        (int(child), int(parent), name.strip())
        for child, parent, name in (line.split(None, 2) for line in listed.splitlines())
    ):
        if parent in below:
            below.add(child)
            javas += [child] if name == "java" else []
    return javas


def _mounted(folder: str, kib: int) -> bool:
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kib}k", "none", folder]
    return subprocess.run(mount, capture_output=True, check=False).returncode == 0


def _unmounted(folder: str) -> bool:
    return subprocess.run(["umount", folder], capture_output=True, check=False).returncode == 0


def _can_mount() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        return _mounted(folder, 64) and _unmounted(folder)


if __name__ == "__main__":
    bench(
        __doc__,
        rows_of,
        faults={"type": int, "default": 200},
        seed={"type": int, "default": 1},
    )
    sys.exit(1 if WRONG else 0)
