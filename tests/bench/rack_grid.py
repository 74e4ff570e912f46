"""How long it takes to plan one large group by racks, to certify the plan, and to check it.

    python -m tests.bench.rack_grid                    all cases, about a minute
    python -m tests.bench.rack_grid --json rows.json   and the figures for other programs

400,000 partitions of 200 topics and 2,000 members, each of whom reads a random half of the topics,
in three racks; one in ten partitions and one in ten members have no rack. Then half as many
partitions, each in three of 200 racks, which go by hubs. `solve` plans, `certify`
checks without a certificate and finds one, `check` checks with it. `plan bytes` is the plan with
one small number a partition (its member), which is less than any table of it takes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

import numpy as np

from optimizer import Goals
from optimizer.checker.check import check_assignment
from optimizer.model.arrays import IntArray
from optimizer.model.problem import NOBODY, Problem
from optimizer.solver.solve import solve
from tests.bench.assign_grid import best_ms, grid_options

PARTITIONS, MEMBERS, TOPICS = 400_000, 2_000, 200
RACKS = ("a", "b", "c")
MANY_RACKS = 200

GOALS = {
    "balance, moves": Goals(),
    "leader, moves": Goals(rack="leader"),
    "moves, leader": Goals(rack="leader", levels=("moves", "racks")),
    "any, moves": Goals(rack="any"),
}


@dataclass(frozen=True)
class Row:
    """What was measured of a case; times in milliseconds."""

    goals: str
    state: str
    solve_ms: float
    certify_ms: float
    check_ms: float
    moves: int
    local: int
    remote: int
    certificate_bytes: int
    plan_bytes: int
    optimal: bool


def cases() -> Iterator[tuple[str, Problem]]:
    """A group that owns nothing yet; whose last member has just joined; whose owners are random.

    The last has many racks, and random owners.
    """
    draw = np.random.default_rng(MEMBERS)
    size = PARTITIONS // TOPICS
    halves = [np.sort(draw.choice(TOPICS, TOPICS // 2, replace=False)) for _ in range(MEMBERS)]
    replicas = [tuple(draw.choice(RACKS, draw.integers(1, 3), replace=False)) for _ in range(300)]
    places = [replicas[at] for at in draw.integers(0, len(replicas), PARTITIONS).tolist()]
    entries = (draw.random(PARTITIONS) < 0.9).tolist()
    fresh = Problem(
        member_ids=[f"member-{m:05d}" for m in range(MEMBERS)],
        topics=[f"topic-{t:04d}" for t in range(TOPICS)],
        topic_offsets=np.arange(TOPICS + 1) * size,
        member_subscription=np.arange(MEMBERS),
        subscriptions=halves,
        owner=np.full(PARTITIONS, NOBODY),
        racks=[str(draw.choice(RACKS)) if draw.random() < 0.9 else None for _ in range(MEMBERS)],
        leader_racks=[racks[0] if k else None for racks, k in zip(places, entries, strict=True)],
        replica_racks=[racks if k else () for racks, k in zip(places, entries, strict=True)],
    )
    yield "fresh", fresh
    before = replace(
        fresh,
        member_ids=fresh.member_ids[:-1],
        member_subscription=fresh.member_subscription[:-1],
        subscriptions=halves[:-1],
        racks=(fresh.racks or ())[:-1],
    )
    yield "one joins", replace(fresh, owner=solve(before).target)
    yield "random", replace(fresh, owner=_random_readers(draw, halves, size))
    count, racks = PARTITIONS // 2, np.array([f"rack-{r:03d}" for r in range(MANY_RACKS)])
    first, step = draw.integers(0, MANY_RACKS, count), draw.integers(1, MANY_RACKS // 2, count)
    places = racks[(first[:, None] + step[:, None] * np.arange(3)) % MANY_RACKS]
    yield (
        "200 racks",
        replace(
            fresh,
            topic_offsets=np.arange(TOPICS + 1) * (size // 2),
            owner=_random_readers(draw, halves, size // 2),
            racks=draw.choice(racks, MEMBERS).tolist(),
            leader_racks=places[:, 0].tolist(),
            replica_racks=[tuple(row) for row in places.tolist()],
        ),
    )


def _random_readers(draw: np.random.Generator, halves: list[IntArray], size: int) -> IntArray:
    reads = np.zeros((TOPICS, MEMBERS), np.bool_)
    for member, topics in enumerate(halves):
        reads[topics, member] = True
    return np.concatenate([draw.choice(np.flatnonzero(row), size) for row in reads])


def measured(name: str, state: str, problem: Problem) -> Row:
    goals = GOALS[name]
    target = solve(problem, goals).target
    verdict = check_assignment(problem, target, goals=goals)
    certificate = verdict.certificate
    checked = check_assignment(problem, target, certificate, goals)
    assert verdict.measures
    return Row(
        goals=name,
        state=state,
        # A copy has nothing computed yet.
        solve_ms=best_ms(lambda: solve(replace(problem), goals)),
        certify_ms=best_ms(lambda: check_assignment(replace(problem), target, None, goals)),
        check_ms=best_ms(lambda: check_assignment(replace(problem), target, certificate, goals)),
        moves=verdict.measures.moves,
        local=verdict.reads.local if verdict.reads else 0,
        remote=verdict.reads.remote if verdict.reads else 0,
        certificate_bytes=len(certificate or b""),
        plan_bytes=target.astype(np.int16).nbytes,
        optimal=certificate is not None and checked.certificate_fault is None,
    )


def main() -> None:
    options = grid_options(__doc__, has_quick=False)
    print(
        f"{'goals':15} {'state':9} {'solve ms':>9} {'certify ms':>10} {'check ms':>9} {'moves':>7} "
        f"{'local':>7} {'remote':>7} {'certificate':>11} {'plan bytes':>10} optimal"
    )
    rows = []
    for state, problem in cases():
        for name in GOALS:
            row = measured(name, state, problem)
            rows.append(asdict(row))
            print(
                f"{name:15} {state:9} {row.solve_ms:9.1f} {row.certify_ms:10.1f} "
                f"{row.check_ms:9.1f} {row.moves:7} {row.local:7} {row.remote:7} "
                f"{row.certificate_bytes:11} {row.plan_bytes:10} {row.optimal}",
                flush=True,
            )
    if options.json:
        options.json.write_text(json.dumps({"rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
