"""Records what Kafka Connect's own assignors answer, for tests without a JVM.

    python -m tests.live.record_connect tests/data/connect-4.3.1.jsonl.gz

One JSON object a line, of a drawn group of workers: what tests/live/ConnectAssignors.java reads,
and what it answers.
"""

import gzip
import json
import random
import sys
from typing import Any

from pyspark.sql import SparkSession

from optimizer import Group
from tests.live.java_assignors import CONNECT_PACKAGES, JavaAssignors, add_jars
from tests.optimizer.strategies.connect.workers import drawn_workers

GROUPS = 300


def record(spark: SparkSession) -> list[str]:
    add_jars(spark, CONNECT_PACKAGES)
    seeds = [f"recorded-{number}" for number in range(GROUPS)]
    groups = [as_json(seed, *drawn_workers(seed)) for seed in seeds]
    answers = JavaAssignors(spark, "ConnectAssignors").answers(groups)
    return [json.dumps(group | answer) for group, answer in zip(groups, answers, strict=True)]


def as_json(seed: str, group: Group, lost: list[tuple[str, int]]) -> dict[str, Any]:
    """A group as ConnectAssignors.java reads it; who runs tasks may run connectors as well."""
    draw = random.Random(f"{seed}-connectors")
    configured = list(group.members[0].topics)
    idle = idle_workers(group)
    busy = [worker.member_id for worker in group.members if worker.member_id not in idle]
    owner = {name: draw.choice([*busy, None]) for name in configured}
    return {
        "connectors": {name: group.topics[name] for name in configured},
        "lost": lost,
        "idle": idle,
        "workers": [
            {
                "id": worker.member_id,
                "connectors": [name for name in configured if owner[name] == worker.member_id],
                "tasks": worker.owned,
            }
            for worker in group.members
        ],
    }


def idle_workers(group: Group) -> list[str]:
    """Workers that run nothing that is configured and that nobody else runs."""
    claims = [claim for worker in group.members for claim in worker.owned]
    return [
        worker.member_id
        for worker in group.members
        if not any(
            name in worker.topics and claims.count((name, n)) == 1 for name, n in worker.owned
        )
    ]


if __name__ == "__main__":
    session = SparkSession.builder.master("local[1]").getOrCreate()
    with gzip.GzipFile(sys.argv[1], "wb", mtime=0) as file:
        file.write("\n".join(record(session)).encode() + b"\n")
    session.stop()
