"""Times `scale` over a store of hourly snapshots beside reading its rates, by days and groups.

Rates are made up as in `scale_groups.py`: days and nights, 24 partitions a group, a third of the
groups too small for them.

    python tests/bench/scale_fleet.py --groups 300 --days 30 --days 15 --json scale_fleet.json
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyspark.sql import SparkSession, functions as F
from scale_groups import PARTITIONS, STRATEGIES, process
from stopwatch import Stopwatch, benchmark, options_of

from spark import FleetHistory, FleetSnapshot
from spark.fleet.local_store import table_of, write_store
from spark.scale import scale_fleet

START, MEMBERS, HOUR = datetime(2026, 10, 1, tzinfo=UTC), 6, 3600
LONG = "3650d"


def main() -> None:
    options = options_of(__doc__, runs=1)
    options.add_argument("--days", type=int, action="append", help="repeatable")
    inputs = options.parse_args()
    benchmark(inputs, partial(_prepare, inputs.days or [30]), sizes=(300,))


def _prepare(
    days: list[int], spark: SparkSession, folder: Path, groups: int
) -> Callable[[Stopwatch], None]:
    stores = {count: folder / f"store-{groups}-{count}" for count in days}
    for count, store in stores.items():
        _write(store, groups, count)

    def run(timed: Stopwatch) -> None:
        for count, store in sorted(stores.items()):
            with FleetHistory.read(spark, str(store)) as history:
                rates = history.rates(window=LONG)
                with timed(f"rates of {count} days"):
                    rates.pairs.agg(F.sum(F.size("pairs"))).collect()
                    rates.sizes.agg(F.sum("members")).collect()
                    rates.peak_rates.agg(F.sum("most")).collect()
                with (
                    timed(f"scale over {count} days"),
                    scale_fleet(FleetSnapshot.read(spark, str(store)), rates) as scaled,
                ):
                    rows = scaled.groups.groupBy("status").count().collect()
            print([row.asDict() for row in rows])

    return run


def _write(store: Path, groups: int, days: int) -> None:
    """A snapshot an hour; all stay as they are but offsets."""
    still = _still(groups)
    rates = np.array([process(number, days).rates for number in range(groups)])
    rates = rates.transpose(1, 0, 2).reshape(24 * days, -1)
    ends = np.zeros(rates.shape[1])
    for hour in range(24 * days + 1):
        at = START + timedelta(hours=hour)
        offsets = _offsets(groups, ends.astype(np.int64))
        write_store({**still, "offsets": offsets}, store, f"{at:%Y%m%dT%H%M%SZ}")
        if hour < len(rates):
            ends += rates[hour] * HOUR


def _still(groups: int) -> dict[str, pa.Table]:
    names = [f"g{number}" for number in range(groups)]
    topics = [f"t{number}" for number in range(groups)]
    each = np.arange(groups).repeat(PARTITIONS)
    members = [f"{name}-{at}" for name in names for at in range(MEMBERS)]
    owners = [f"{names[group]}-{at % MEMBERS}" for at, group in enumerate(each)]
    numbers = np.tile(np.arange(PARTITIONS), groups)
    of_members = {
        "cluster": ["c"] * len(members),
        "group": np.repeat(names, MEMBERS).tolist(),
        "member_id": members,
    }
    of_topics = {
        "cluster": ["c"] * len(each),
        "topic": [topics[group] for group in each],
        "partition": numbers,
    }
    groups_table = {
        "cluster": ["c"] * groups,
        "group": names,
        "strategy": [STRATEGIES[number % 3] for number in range(groups)],
    }
    return {
        "partitions": table_of("partitions", of_topics),
        "groups": table_of("groups", groups_table),
        "members": table_of("members", of_members),
        "subscriptions": table_of(
            "subscriptions", {**of_members, "topic": np.repeat(topics, MEMBERS).tolist()}
        ),
        "assignments": table_of(
            "assignments",
            {**of_topics, "group": [names[group] for group in each], "member_id": owners},
        ),
    }


def _offsets(groups: int, ends: np.ndarray) -> pa.Table:
    each = np.arange(groups).repeat(PARTITIONS).tolist()
    return table_of(
        "offsets",
        {
            "cluster": ["c"] * len(each),
            "group": [f"g{group}" for group in each],
            "topic": [f"t{group}" for group in each],
            "partition": np.tile(np.arange(PARTITIONS), groups),
            "committed_offset": ends,
            "end_offset": ends,
        },
    )


if __name__ == "__main__":
    main()
