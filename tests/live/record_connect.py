"""Records what Kafka Connect's own assignors answer, for tests without a JVM.

    python -m tests.live.record_connect tests/data/connect-4.3.1.jsonl.gz

One JSON object a line, of a drawn group of workers: what tests/live/ConnectAssignors.java reads,
and what it answers.
"""

from __future__ import annotations

import gzip
import json
import sys

from pyspark.sql import SparkSession

from tests.live.java_assignors import CONNECT_PACKAGES, JavaConnectAssignors, add_jars
from tests.live.test_connect_assignors import as_json
from tests.optimizer.strategies.connect.workers import drawn_workers

GROUPS = 300


def record(spark: SparkSession) -> list[str]:
    add_jars(spark, CONNECT_PACKAGES)
    seeds = [f"recorded-{number}" for number in range(GROUPS)]
    groups = [as_json(seed, *drawn_workers(seed)) for seed in seeds]
    answers = JavaConnectAssignors(spark).answers(groups)
    return [json.dumps(group | answer) for group, answer in zip(groups, answers, strict=True)]


if __name__ == "__main__":
    session = SparkSession.builder.master("local[1]").getOrCreate()
    with gzip.GzipFile(sys.argv[1], "wb", mtime=0) as file:
        file.write("\n".join(record(session)).encode() + b"\n")
    session.stop()
