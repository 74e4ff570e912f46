"""What a group needs of memory is told from its encoded row, and what won't do is refused."""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from optimizer.figures import data_size
from spark.groups import memory, read_or_failed
from spark.groups.memory import size_of
from spark.solve.homogeneous import plan_homogeneous
from spark.verify.faults import faults_of_group
from tests.paths import ROOT
from tests.support.fleets import Fleet
from tests.support.peak_memory import SHAPES
from tests.support.rows import planned, planned_alone, rows_of


def group(members: int = 3, topics: int = 2) -> Fleet:
    """Everybody but the first reads everything."""
    fleet = Fleet()
    names = [f"t{number}" for number in range(topics)]
    for name in names:
        fleet.topic(name, 2)
    readers = {f"m{number}": names for number in range(members)}
    return fleet.group("g", readers | {"m0": names[1:]}, [("t0", 0, "m1")])


@pytest.fixture
def free(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[int, str]]]:
    """What is free, for tests to say; every group is asked."""
    reports: list[tuple[int, str]] = []
    monkeypatch.setattr(memory, "ASKED_FROM", 0)
    monkeypatch.setattr(memory, "memory_free", lambda: iter(reports))
    yield reports


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="peaks are told by Linux")
@pytest.mark.parametrize(
    "numbers", [(1, 2), pytest.param((0, *range(3, len(SHAPES))), marks=pytest.mark.wide)]
)
def test_no_group_needs_more_than_is_told_or_a_small_part_of_it(numbers: Sequence[int]) -> None:
    measured = subprocess.run(
        [sys.executable, "-m", "tests.support.peak_memory", *map(str, numbers)],
        cwd=ROOT,
        env=os.environ | {"MALLOC_MMAP_THRESHOLD_": "65536"},  # what is freed is free at once
        capture_output=True,
        text=True,
        check=True,
    )
    lines = measured.stdout.splitlines()
    assert len(lines) == len(numbers)
    for line in lines:
        what, needed, peak = json.loads(line)
        assert peak > 5_000_000, what  # or else nothing was measured
        assert peak < needed < 20 * peak, f"{what}: {needed} are told, {peak} were needed"


def test_a_group_that_memory_wont_do_for_is_failed_and_says_what_to_do(
    free: list[tuple[int, str]],
) -> None:
    row = rows_of(group())
    needed = memory.memory_needed(row, 4)
    free.append((needed, "have more"))
    assert read_or_failed(row).status == "ok"
    free.append((needed - 1, "have more of this"))
    plan = planned_alone(row).solved
    assert (plan.status, plan.members, plan.max_load) == ("failed", 3, None)
    assert plan.reason == (
        f"it needs up to {data_size(needed)} of memory (3 members, 4 partitions, 5 subscriptions), "
        f"and a worker has {data_size(needed - 1)} for it: have more of this, or split the group "
        "by topics"
    )


def test_a_plan_that_memory_wont_do_for_cant_be_checked(free: list[tuple[int, str]]) -> None:
    """A plan in which everything has a name takes more than making it did."""
    alone = rows_of(group())
    row = planned(alone)
    needed = memory.memory_needed(row, 4)
    # two names, a number and an action at least
    assert needed - memory.memory_needed(alone, 4) >= 4 * 50 * len(row.plan_topics)
    free.append((needed, "have more"))
    assert faults_of_group(row) == []
    free.append((needed - 1, "have more"))
    (fault,) = faults_of_group(row)
    assert fault.startswith(
        f"its plan can't be checked: it needs up to {data_size(needed)} of memory (3 members"
    )


def test_a_group_that_took_all_of_it_is_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_much(*facts: object) -> None:
        np.empty(1 << 62, np.int8)

    monkeypatch.setattr("optimizer.strategies.optimal.solve", too_much)
    plan = planned_alone(rows_of(group())).solved
    assert plan.status == "failed"
    assert plan.reason.startswith("it took all the memory that a worker may have: raise spark.")


def test_a_small_group_isnt_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "memory_free", lambda: pytest.fail("it was asked"))
    assert read_or_failed(rows_of(group())).status == "ok"


def test_partitions_that_are_only_claimed_count() -> None:
    """They reach as far as what is owned of them: a billion, for which no memory will do."""
    owned = [(f"gone-{number}", 999_999, "a") for number in range(1_000)]
    row = rows_of(Fleet().topic("s", 1).group("g", {"a": ["s"]}, owned))
    failed = read_or_failed(row)
    assert failed.status == "failed"
    assert str(failed.reason).startswith(
        "it needs up to 500 GB of memory (1 member, 1,000,000,001 partitions, 1 subscription)"
    )
    assert faults_of_group(planned(row)) == []


def test_a_large_group_is_not_planned_with_others(monkeypatch: pytest.MonkeyPatch) -> None:
    fleet = Fleet().topic("t", 2).group("g", {"a": ["t"], "b": ["t"]}, [("t", 0, "a")])
    row = rows_of(fleet)
    read = {0: (row, read_or_failed(row))}
    assert [*plan_homogeneous(read, "optimal")] == [0]
    monkeypatch.setattr("spark.solve.homogeneous.MAX_ROWS", size_of(row) - 1)
    assert not plan_homogeneous(read, "optimal")


def test_what_a_worker_may_have(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Of its own limit all that it doesn't use, of what it shares with others a half."""
    monkeypatch.setattr(memory, "free_memory", lambda: 900)
    monkeypatch.setattr(resource, "getrlimit", lambda which: (resource.RLIM_INFINITY, 0))
    assert [free for free, _ in memory.memory_free()] == [450]
    if Path("/proc/self/statm").exists():
        monkeypatch.setattr(resource, "getrlimit", lambda which: (1 << 62, 0))
        own, shared = memory.memory_free()
        assert 0 < own[0] < 1 << 62
        assert own[1] == "raise spark.executor.pyspark.memory"
        assert shared[0] == 450
