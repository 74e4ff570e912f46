"""Times `optimal` beside Kafka's own uniform assignor on the grid of Kafka's benchmarks.

Both get the same groups, in turns: Java's class (UniformAssignor of Kafka 4.3.1, KIP-848)
in the JVM of a Spark session that fetches Kafka's jars, timed in there and around its call alone,
after a warm-up; `optimal` on arrays and through names as in assign_grid.py. The best of some runs
counts.

    python tests/bench/java_grid.py --quick
    python tests/bench/java_grid.py --json java_grid.json
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from platform import python_version
from typing import Any

import numpy as np

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]

from assign_grid import ENOUGH_SECONDS, RUNS, Case, Row, cases, grid_options, timed  # noqa: E402

from optimizer.strategies.uniform.topic_ids import topic_ids  # noqa: E402
from spark.terminal.session import session  # noqa: E402
from tests.live.java_assignors import JavaAssignors, add_jars, kafka_id  # noqa: E402

WARM_UP_SECONDS = 20.0
"""For the first case: the JVM compiles what it often runs."""

MEMORY = "3g"


@dataclass(frozen=True)
class Java:
    """What Kafka's assignor made of a case."""

    ms: float
    min_load: int
    max_load: int
    moves: int


def main() -> None:
    options = grid_options(__doc__)
    settings = {"spark.ui.enabled": "false", "spark.driver.memory": MEMORY}
    with session("local[1]", settings) as spark:
        add_jars(spark)
        java = JavaAssignors(spark)
        _warm_up(java)
        print(
            f"{os.cpu_count()} cores, Python {python_version()}, numpy {np.__version__}, "
            f"Java {java.java_version}\n"
            f"{'subscriptions':13} {'members':>7} {'partitions':>10} {'topics':>6} {'state':9} "
            f"{'uniform':>9} {'optimal':>9} {'ratio':>6} {'by names':>9} {'ratio':>6} "
            f"{'uniform':>15} {'optimal':>15}"
        )
        rows = [_printed(asked(java, case), timed(case)) for case in cases(options.quick)]
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


def _warm_up(java: JavaAssignors) -> None:
    """Fresh and joined groups, with one subscription and with five."""
    of_a_kind = {(case.subscriptions, case.state): case for case in cases(quick=True)}
    for case in of_a_kind.values():
        java.uniform(
            described(case) | {"times": 10**6, "seconds": WARM_UP_SECONDS / len(of_a_kind)}
        )


def asked(java: JavaAssignors, case: Case) -> Java:
    """Time Kafka's assignor, once its code is compiled for a case like this."""
    group = described(case)
    java.uniform(group | {"times": RUNS, "seconds": ENOUGH_SECONDS})
    answer = java.uniform(group | {"times": RUNS, "seconds": ENOUGH_SECONDS})
    measures = (answer["min_load"], answer["max_load"], answer["moves"])
    return Java(round(min(answer["nanos"]) / 1e6, 3), *measures)


def described(case: Case) -> dict[str, Any]:
    """The case as KafkaAssignors.java reads it."""
    problem = case.problem
    topic = problem.topic_of
    number = (np.arange(len(topic)) - problem.topic_offsets[topic]).tolist()
    targets: list[dict[str, list[int]]] = [{} for _ in problem.member_ids]
    for t, n, owner in zip(topic.tolist(), number, problem.owner.tolist(), strict=True):
        if owner >= 0:
            targets[owner].setdefault(problem.topics[t], []).append(n)
    names = [
        [problem.topics[t] for t in subscription.tolist()] for subscription in problem.subscriptions
    ]
    members = zip(problem.member_ids, problem.member_subscription.tolist(), targets, strict=True)
    return {
        "topics": dict(zip(problem.topics, np.diff(problem.topic_offsets).tolist(), strict=True)),
        "topic_ids": dict(zip(problem.topics, map(kafka_id, topic_ids(problem)), strict=True)),
        "subscriptions": names,
        "members": [{"id": member, "of": of, "target": target} for member, of, target in members],
    }


def _printed(java: Java, row: Row) -> dict[str, Any]:
    """Print both, and how much longer `optimal` takes (below 1: it is faster)."""
    arrays, names = row.arrays_ms / java.ms, row.names_ms / java.ms
    print(
        f"{row.subscriptions:13} {row.members:7} {row.partitions:10} {row.topics:6} {row.state:9} "
        f"{java.ms:9.2f} {row.arrays_ms:9.2f} {arrays:6.2f} {row.names_ms:9.2f} {names:6.2f} "
        f"{_outcome(java):>15} {_outcome(row):>15}",
        flush=True,
    )
    return asdict(row) | {f"uniform_{name}": value for name, value in asdict(java).items()}


def _outcome(measured: Java | Row) -> str:
    """Loads and moves."""
    return f"{measured.min_load}-{measured.max_load}, {measured.moves}"


if __name__ == "__main__":
    main()
