"""Prints how much memory groups of several shapes were told to need, and how much it was.

A line each: what it is, bytes told, bytes measured. It is a program of its own, for what other
tests have left free would be taken first.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import ortools.graph.python.max_flow
import ortools.graph.python.min_cost_flow  # noqa: F401 - loaded before anything is measured

from optimizer import Goals
from spark.groups.memory import memory_needed
from spark.solve.solve import row_of_group

RACKS = 6


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
    Shape(400, 2_000, 400, 0.5),
    Shape(100, 100_000, 40, 1.0),
    Shape(400, 40_000, 200, 0.5, piled=True),
    Shape(200, 40_000, 200, 0.3, goals={"rack": "any"}),
    Shape(200, 40_000, 100, 0.1, goals={"levels": ("spread", "moves")}),
    Shape(300, 60_000, 200, 0.3, strategy="sticky", piled=True),
    Shape(400, 40_000, 200, 1.0, strategy="connect-cooperative"),
)


def main() -> None:
    row_of_group(encoded(Shape(3, 9, 3, 1.0)), "optimal")
    for shape in SHAPES:
        row = encoded(shape)
        needed = memory_needed(row, shape.partitions)
        gc.collect()
        Path("/proc/self/clear_refs").write_text("5")  # the peak from here on
        before = _status("VmRSS")
        solved = row_of_group(row, shape.strategy, Goals(**shape.goals))
        peak = _status("VmHWM") - before
        assert solved.status == "ok", solved.reason
        print(json.dumps([repr(shape), needed, peak]))


def encoded(shape: Shape) -> SimpleNamespace:
    """A row as `spark.groups.encode` has it, with anything for hashes."""
    rng = np.random.default_rng(1)
    members, topics = _hashes(rng, shape.members), _hashes(rng, shape.topics)
    sizes = np.diff(np.arange(shape.topics + 1) * shape.partitions // shape.topics)
    readers = max(1, round(shape.share * shape.members))
    of_topic = np.array([rng.permutation(members)[:readers] for _ in topics])
    topic = np.arange(shape.topics).repeat(sizes)
    number = np.arange(shape.partitions) - topic.searchsorted(topic)
    owner = rng.integers(0, 1 if shape.piled else readers, shape.partitions)
    member_ids = _names("member-of-the-group", shape.members)
    row = SimpleNamespace(
        invalid_utf8=None,
        cluster="c",
        group="g",
        listed=1,
        state="Stable",
        group_strategy="range",
        type="classic",
        inferred=False,
        member_ids=member_ids,
        member_hashes=members,
        instance_ids=np.full(shape.members, None, object),
        racks=_names("rack", shape.members, RACKS),
        client_ids=np.full(shape.members, None, object),
        hosts=np.full(shape.members, None, object),
        generations=np.full(shape.members, 3, np.int32),
        topics=_names("topic", shape.topics),
        topic_hashes=topics,
        topic_sizes=sizes.astype(np.int32),
        topic_ids=np.full(shape.topics, None, object),
        subscriber_counts=np.full(shape.topics, readers, np.int32),
        subscribers=of_topic.ravel(),
        claim_topics=topics[topic],
        claim_partitions=number.astype(np.int32),
        claim_members=of_topic[topic, owner],
        claim_generations=np.full(shape.partitions, 3, np.int32),
        claimed_topics=_names("topic", shape.topics),
        claimants=member_ids,
        claimed_topic_hashes=topics,
        claimant_hashes=members,
    )
    if "rack" in shape.goals:
        vars(row).update(_places(sizes))
    return row


def _places(sizes: np.ndarray) -> dict[str, Any]:
    """Each topic has a place for each rack, with replicas in three."""
    items = [np.arange(rack, size, RACKS) for size in sizes.tolist() for rack in range(RACKS)]
    racks = [f"rack-{rack:06d}" for rack in range(RACKS)] * 2
    replicas = np.empty(len(items), object)
    replicas[:] = [sorted(racks[n % RACKS : n % RACKS + 3]) for n in range(len(items))]
    return {
        "place_counts": np.full(len(sizes), RACKS, np.int32),
        "place_leaders": _names("rack", len(items), RACKS),
        "place_replicas": replicas,
        "place_sizes": np.array([len(item) for item in items], np.int32),
        "place_partitions": np.concatenate(items).astype(np.int32),
    }


def _hashes(rng: np.random.Generator, count: int) -> Any:
    return rng.integers(-(2**62), 2**62, count)


def _names(what: str, count: int, different: int = 10**9) -> Any:
    return np.array([f"{what}-{number % different:06d}" for number in range(count)], object)


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    (line,) = (line for line in lines if line.startswith(f"{name}:"))
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    main()
