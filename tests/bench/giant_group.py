"""Times `plan` on a fleet of small groups, on one giant group, and on both together.

The giant's members have mixed subscriptions: each reads a share of the topics, drawn for each. It
should cost its own time only: "together" takes no longer than "small ones" and "giant" do one after
the other. If memory doesn't suffice for it, it is a row `failed`, and the reason is printed.

    python tests/bench/giant_group.py --groups 2000 --members 2000 --partitions 200000
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyspark.sql import SparkSession
from stopwatch import SNAPSHOT, Stopwatch, benchmark, options_of
from uniform_fleet import uniform_fleet

from spark import FleetSnapshot, plan_fleet
from spark.fleet.local_store import table_of, write_store

GIANT = {"cluster": "cluster-00", "group": "giant"}


def main() -> None:
    parser = options_of(__doc__, runs=2)
    parser.add_argument("--members", type=int, default=2_000, help="of the giant")
    parser.add_argument("--partitions", type=int, default=200_000, help="of the giant")
    parser.add_argument("--topics", type=int, default=1_000, help="of the giant")
    parser.add_argument("--share", type=float, default=0.5, help="of the topics, that each reads")
    parser.add_argument("--memory", help="the driver's, such as 1g")
    options = parser.parse_args()
    giant = giant_group(options.members, options.partitions, options.topics, options.share)

    def prepare(spark: SparkSession, folder: Path, groups: int) -> Callable[[Stopwatch], None]:
        small = uniform_fleet(groups, 100, 10, overlapping_every=10, seed=1)
        fleets = {
            "small ones": small,
            "giant": giant,
            "together": {name: pa.concat_tables([small[name], giant[name]]) for name in small},
        }
        for name, tables in fleets.items():
            write_store(tables, folder / name, SNAPSHOT)

        def run(timed: Stopwatch) -> None:
            for name in fleets:
                with timed(name):
                    _plan(spark, folder / name, folder / "out")

        return run

    conf = {"spark.driver.memory": options.memory} if options.memory else {}
    benchmark(options, prepare, sizes=(2_000,), conf=conf)


def _plan(spark: SparkSession, store: Path, out: Path) -> None:
    with plan_fleet(FleetSnapshot.read(spark, str(store))) as plan:
        plan.write(str(out))
        failed = plan.groups.where("status = 'failed'").select("group", "reason").collect()
    for row in failed:
        print(f"{row.group} failed: {row.reason}")


def giant_group(members: int, partitions: int, topics: int, share: float) -> dict[str, pa.Table]:
    """Its tables; every partition is owned by one of those who read its topic."""
    rng = np.random.default_rng(7)
    reads = rng.random((members, topics)) < share
    reads[rng.integers(0, members, topics), np.arange(topics)] = True
    of_topic = np.arange(topics).repeat(np.diff(np.arange(topics + 1) * partitions // topics))
    number = np.arange(partitions) - of_topic.searchsorted(of_topic)
    readers = [column.nonzero()[0] for column in reads.T]
    owner = np.array([rng.choice(readers[topic]) for topic in of_topic.tolist()])
    member_ids = pa.array(
        [f"giant-{number:05d}-{rng.bytes(18).hex()}" for number in range(members)]
    )
    names = pa.array([f"giant.topic-{number:05d}" for number in range(topics)])
    member, topic = reads.nonzero()
    return {
        "groups": table_of(
            "groups",
            {
                **_of(1),
                "state": ["Stable"],
                "strategy": ["cooperative-sticky"],
                "generation": [7],
            },
        ),
        "members": table_of("members", {**_of(members), "member_id": member_ids}),
        "subscriptions": table_of(
            "subscriptions",
            {**_of(len(member)), "member_id": member_ids.take(member), "topic": names.take(topic)},
        ),
        "partitions": table_of(
            "partitions",
            {
                "cluster": _of(partitions)["cluster"],
                "topic": names.take(of_topic),
                "partition": pa.array(number, pa.int32()),
            },
        ),
        "assignments": table_of(
            "assignments",
            {
                **_of(partitions),
                "topic": names.take(of_topic),
                "partition": pa.array(number, pa.int32()),
                "member_id": member_ids.take(owner),
                "generation": pa.array(np.full(partitions, 7), pa.int32()),
            },
        ),
    }


def _of(rows: int) -> dict[str, pa.Array]:
    """The giant's keys, on so many rows."""
    return {name: pa.repeat(value, rows) for name, value in GIANT.items()}


if __name__ == "__main__":
    main()
