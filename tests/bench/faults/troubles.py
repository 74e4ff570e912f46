"""What goes wrong."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from tests.bench.faults.jobs import AddingJob, Job, State, copy_of

STARTED = 0.3
"""Seconds until Python itself has begun: nobody can say anything before."""

STACK = re.compile(r"^\s*(Traceback|at [\w.$]+\(|Caused by:|File \")", re.MULTILINE)
FULL_DISKS = (64, 200, 600, 1500)
"""Sizes of small disks in KiB, beside what is on them already."""


@dataclass
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    def faults(self, trouble: Trouble) -> list[str]:
        """What it should have said and hasn't, or the other way round."""
        if self.code == -signal.SIGKILL:
            return []
        faults = []
        if self.code not in trouble.codes:
            faults.append(f"it ended with {self.code}: {self.err[-300:]!r}")
        if STACK.search(self.err):
            faults.append(f"it shows a stack: {self.err[:500]!r}")
        if self.code > 1 and not any(
            line.startswith("evenfleet: ") for line in self.err.splitlines()
        ):
            faults.append(f"it ended with {self.code} without a sentence: {self.err[-300:]!r}")
        return faults


class Trouble(ABC):
    """One thing that goes wrong; `codes` are the exit codes that fit."""

    name: str
    codes: Sequence[int] = (0,)

    def suits(self, job: Job) -> bool:
        """Whether it can happen to that job."""
        return True

    @abstractmethod
    def meet(self, job: Job, chance: random.Random) -> list[Ended]:
        """Run the job while it happens."""


class Signalled(Trouble):
    """A signal to the command at a random moment; SIGKILL also to its Java."""

    def __init__(self, name: str, sent: signal.Signals, codes: Sequence[int]) -> None:
        self.name, self.codes, self._signal = name, codes, sent

    def meet(self, job: Job, chance: random.Random) -> list[Ended]:
        process = _start(job.command())
        moment = chance.uniform(0.7, 1.1) if self.name == "killed later" else chance.random()
        time.sleep(max(job.seconds * moment, STARTED))
        target = process.pid
        javas = _children(process.pid, "java")
        if self.name == "killed java":
            target = javas[0] if javas else target
        with suppress(ProcessLookupError):  # it is over
            os.kill(target, self._signal)
        ended = _end(process)
        for java in javas:  # what a killed command leaves may still write
            _wait_for_end(java)
        return [ended]

    def suits(self, job: Job) -> bool:
        return self.name != "killed java" or not isinstance(job, AddingJob)


class FullDisk(Trouble):
    """The folder that is written to is on a disk with little room."""

    name, codes = "full disk", (0, 1, 3)

    def suits(self, job: Job) -> bool:
        with tempfile.TemporaryDirectory() as folder:
            return _mounted(folder, 64) and _unmounted(folder)

    def meet(self, job: Job, chance: random.Random) -> list[Ended]:
        used = sum(path.stat().st_size + 8192 for path in job.out.rglob("*")) // 1024
        with tempfile.TemporaryDirectory() as folder:
            assert _mounted(folder, used + chance.choice(FULL_DISKS))
            try:
                disk = Path(folder) / "out"
                shutil.copytree(job.out, disk)
                kept, job.out = job.out, disk
                ended = _end(_start(job.command()))
                state = job.state()
                job.out = kept
                copy_of(disk, kept)
            finally:
                _unmounted(folder)
        if isinstance(state, str):
            ended.err += f"\nevenfleet: {state}"
        return [ended]


class BrokenFile(Trouble):
    """A file of the store is cut short, emptied, removed, or has a bit that isn't as written."""

    name, codes = "broken file", (2,)

    def suits(self, job: Job) -> bool:
        return not isinstance(job, AddingJob)

    def meet(self, job: Job, chance: random.Random) -> list[Ended]:
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
        return [_end(_start(job.command(store=broken)))]


class BrokenResult(Trouble):
    """A file of what is there already, or its manifest, is broken: it is written anew."""

    name, codes = "broken result", (0,)

    def suits(self, job: Job) -> bool:
        return not isinstance(job, AddingJob)

    def meet(self, job: Job, chance: random.Random) -> list[Ended]:
        files = [*job.out.rglob("*.parquet"), *job.out.rglob(".evenfleet/manifests/*/*.json")]
        path = chance.choice(sorted(files))
        path.write_bytes(path.read_bytes()[: chance.choice([0, 30, 200])])
        return [_end(_start(job.command()))]


class OddName(Trouble):
    """A group of the store has a name that is no UTF-8, or a long one, or one on several lines."""

    name, codes = "odd name", (0,)

    def suits(self, job: Job) -> bool:
        return job.name == "plan"

    def meet(self, job: Job, chance: random.Random) -> list[Ended]:
        odd = chance.choice([b"caf\xe9", b"\xed\xa0\x80", b"x" * 100_000, b"a\nb\x1b[2J", b"\xff"])
        store = copy_of(job.store, job.store.with_name("odd"))
        shutil.rmtree(store / ".evenfleet")
        for path in store.glob("members/*/*.parquet"):
            table = pq.ParquetFile(path).read()
            of_group = table.slice(0, 1).set_column(
                table.column_names.index("group"), table.schema.field("group"), _text(odd)
            )
            pq.write_table(pa.concat_tables([table, of_group]), path)
        out = job.out.with_name("odd-out")
        ended = _end(_start(job.command(out=out, store=store)))
        made, wanted = Job.state(_at(job, out)), job.made[job.turn]
        if isinstance(made, str) or _lacks(made, wanted["assignments"]):
            ended.code = ended.code or 99
            ended.err += f"other groups aren't planned as ever: {str(made)[:200]}"
        return [ended]


class TwoAtOnce(Trouble):
    """The command runs twice at the same time, into one folder."""

    name, codes = "two at once", (0, 2, 3)

    def meet(self, job: Job, chance: random.Random) -> list[Ended]:
        first = _start(job.command())
        time.sleep(chance.random() * 0.5)
        second = _start(job.command())
        return [_end(first), _end(second)]

    def suits(self, job: Job) -> bool:
        return True


TROUBLES: list[Trouble] = [
    Signalled("killed", signal.SIGKILL, (0,)),
    Signalled("killed later", signal.SIGKILL, (0,)),
    Signalled("killed java", signal.SIGKILL, (0, 2, 3)),  # 2: Spark doesn't start at all
    Signalled("interrupted", signal.SIGINT, (0, 130)),
    Signalled("terminated", signal.SIGTERM, (0, 143)),
    FullDisk(),
    BrokenFile(),
    BrokenResult(),
    OddName(),
    TwoAtOnce(),
]


def _start(command: Sequence[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace"
    )


def _end(process: subprocess.Popen[str]) -> Ended:
    out, err = process.communicate(timeout=300)
    return Ended(process.returncode, out, err)


def _children(parent: int, name: str) -> list[int]:
    """Processes of that name below a process."""
    listed = subprocess.run(
        ["ps", "-eo", "pid=,ppid=,comm="], capture_output=True, text=True, check=True
    )
    rows = [line.split(None, 2) for line in listed.stdout.splitlines()]
    below, result = {parent}, []
    for _ in range(5):
        for pid, ppid, command in rows:
            if int(ppid) in below and int(pid) not in below:
                below.add(int(pid))
                if command.strip() == name:
                    result.append(int(pid))
    return result


def _wait_for_end(pid: int) -> None:
    for _ in range(600):
        if not Path(f"/proc/{pid}").exists():
            return
        time.sleep(0.05)


def _mounted(folder: str, kib: int) -> bool:
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kib}k", "none", folder]
    return subprocess.run(mount, capture_output=True, check=False).returncode == 0


def _unmounted(folder: str) -> bool:
    return subprocess.run(["umount", folder], capture_output=True, check=False).returncode == 0


def _lacks(made: State, wanted: Sequence[str]) -> bool:
    return bool(set(wanted) - set(made.get("assignments", ())))


def _text(raw: bytes) -> pa.Array:
    """A column of one text of these bytes, whatever they are."""
    return pa.array([raw], pa.binary()).view(pa.binary()).cast(pa.string(), safe=False)


def _at(job: Job, out: Path) -> Job:
    copied = Job(job.name, job.words, job.choices, out, job.store, job.tables)
    return copied
