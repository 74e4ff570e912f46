"""Prints how much memory groups of several shapes were told to need, and how much it was.

As arguments it takes the numbers of shapes; a line each: what it is, bytes told, bytes measured. It
is a program of its own, and makes rows in another: what these left free would be taken first.
"""

import gc
import json
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import ortools.graph.python.max_flow
import ortools.graph.python.min_cost_flow  # noqa: F401 - loaded before anything is measured

from optimizer import Goals, Group, Member
from spark.groups.memory import memory_needed
from tests.support.rows import planned_alone, rows_of

RACKS = [f"rack-{rack:06d}" for rack in range(6)]


class Shape(NamedTuple):
    """`share` of the members read each topic; `piled`: one of them owns all of it."""

    members: int
    partitions: int
    topics: int
    share: float
    strategy: str = "optimal"
    goals: Mapping[str, Any] = {}
    piled: bool = False


SHAPES = (
    Shape(400, 40_000, 200, 0.5),
    Shape(200, 40_000, 200, 0.3, goals={"rack": "any"}),
    Shape(400, 2_000, 400, 0.5),
    Shape(100, 100_000, 40, 1.0),
    Shape(400, 40_000, 200, 0.5, piled=True),
    Shape(200, 40_000, 100, 0.1, goals={"levels": ("spread", "moves")}),
    Shape(300, 60_000, 200, 0.3, strategy="sticky", piled=True),
    Shape(400, 40_000, 200, 1.0, strategy="connect-cooperative"),
)


def main(numbers: Sequence[int]) -> None:
    planned_alone(row_of(Shape(3, 9, 3, 1.0)))
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        for shape in (SHAPES[number] for number in numbers):
            row = pool.submit(row_of, shape).result()
            needed = memory_needed(row, shape.partitions)
            gc.collect()
            Path("/proc/self/clear_refs").write_text("5")  # the peak from here on
            before = _status("VmRSS")
            solved = planned_alone(row, shape.strategy, Goals(**shape.goals)).solved
            peak = _status("VmHWM") - before
            assert solved.status == "ok", solved.reason
            print(json.dumps([repr(shape), needed, peak]))


def row_of(shape: Shape) -> Any:
    """A group of that shape; with racks each partition has replicas in three."""
    draw = Random(1)
    count, more = divmod(shape.partitions, shape.topics)
    topics = {f"topic-{item:06d}": count + (item < more) for item in range(shape.topics)}
    readers = max(1, round(shape.share * shape.members))
    read: list[list[str]] = [[] for _ in range(shape.members)]
    owned: list[list[tuple[str, int]]] = [[] for _ in range(shape.members)]
    for topic, size in topics.items():
        readers_of_it = draw.sample(range(shape.members), readers)
        for member in readers_of_it:
            read[member].append(topic)
        for number in range(size):
            owner = readers_of_it[0] if shape.piled else draw.choice(readers_of_it)
            owned[owner].append((topic, number))
    members = [
        Member(
            *(f"member-of-the-group-{number:06d}", read[number], owned[number]),
            rack=RACKS[number % len(RACKS)],
            generation=3,
        )
        for number in range(shape.members)
    ]
    if "rack" not in shape.goals:
        return rows_of(Group(topics, members))
    leaders = {topic: [RACKS[n % 6] for n in range(size)] for topic, size in topics.items()}
    replicas = {topic: [_three(n) for n in range(size)] for topic, size in topics.items()}
    group = Group(topics, members, leader_racks=leaders, replica_racks=replicas)
    return rows_of(group, racks=True)


def _three(number: int) -> list[str]:
    return [RACKS[(number + step) % len(RACKS)] for step in range(3)]


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    (line,) = (line for line in lines if line.startswith(f"{name}:"))
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    main([*map(int, sys.argv[1:])])
