"""Times `replay` over many snapshots beside one `compare` of the same strategies on one snapshot.

In some of the groups a member is replaced between two snapshots: another one takes over all that it
had. The most memory that a Python worker has taken by then stands beside the times.

    python -m tests.bench.replay_fleet --groups 2000 --snapshots 100 --json replay_fleet.json
"""

import argparse
import re
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import numpy as np
from pyspark.sql import SparkSession

from spark import FleetHistory, FleetSnapshot, compare_fleet, fleet_of, replay_fleet
from spark.startup.quick_start import LARGE_SETTINGS
from spark.store import write_tables
from tests.bench.equal_groups import equal_groups
from tests.bench.stopwatch import (
    Jobs,
    Row,
    fleet_bench,
    stored,
    write_trials,
)

STRATEGIES = ("current", "range", "roundrobin", "cooperative-sticky", "uniform", "optimal")
MEMBERS = 10
"""Of each group."""

START = datetime(2026, 11, 1, tzinfo=UTC)


def jobs_of(spark: SparkSession, folder: Path, groups: int, options: argparse.Namespace) -> Jobs:
    counts = sorted(options.snapshots or [100])
    ids = _write_history(folder / "store", groups, counts[-1], options.changing)
    store, out = str(folder / "store"), folder / "out"

    def compare() -> None:
        comparison = compare_fleet(FleetSnapshot.read(spark, store, ids[0]), STRATEGIES)
        write_trials(spark, out, "comparison", comparison, fleet_of)

    def replay(until: str) -> Row:
        """As the command does it."""
        with (
            FleetHistory.read(spark, store, until=until) as history,
            replay_fleet(history, STRATEGIES) as made,
        ):
            rows = made.groups.repartition(1).sortWithinPartitions("cluster", "group", "strategy")
            tables = {"replay": rows, "league": made.league.coalesce(1)}
            write_tables(spark, str(out), until, tables)
        return {"worker_mb": _peak()}

    replays = {f"replay {n} snapshots": partial(replay, ids[n - 1]) for n in counts}
    return {"compare": compare, **replays}


def _write_history(store: Path, groups: int, count: int, changing: float) -> list[str]:
    """Hourly snapshots; the tables that nothing changes in are the same each time."""
    draw, tables = np.random.default_rng(1), equal_groups(groups)
    ids = [f"{START + timedelta(hours=at):%Y%m%dT%H%M%SZ}" for at in range(count)]
    for at, snapshot in enumerate(ids):
        if at:
            changed = draw.choice(groups, round(groups * changing), replace=False)
            rows = changed * MEMBERS + draw.integers(MEMBERS, size=groups)[changed]
            gone = tables["members"]["member_id"].to_numpy()[rows]
            others = {member: _other(member, int(draw.integers(MEMBERS)), at) for member in gone}
            for name in ("members", "subscriptions", "assignments"):
                present = tables[name]["member_id"].to_pylist()
                members = [others.get(member, member) for member in present]
                column = tables[name].schema.get_field_index("member_id")
                field = tables[name].schema.field(column)
                tables[name] = tables[name].set_column(column, field, [members])
        stored(tables, store, snapshot)
    return ids


def _other(member: str, place: int, at: int) -> str:
    """The id of the member that takes over; its place among the ids of the group is drawn."""
    service, group, _, tail = member.split("-", 3)
    return f"{service}-{group}-{place:05d}-{at:05d}{tail[5:]}"


def _peak() -> int:
    """Megabytes that the largest of Spark's Python workers has taken at most."""
    peaks = [0]
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            if "pyspark.worker" in status.with_name("cmdline").read_text():
                (peak,) = re.findall(r"VmHWM:\s+(\d+) kB", status.read_text())
                peaks.append(int(peak) // 1024)
        except OSError:  # it has just ended
            continue
    return max(peaks)


if __name__ == "__main__":
    snapshots = {"type": int, "action": "append", "help": "repeatable"}
    changing = {"type": float, "default": 0.05, "help": "of groups, each time"}
    fleet_bench(
        __doc__,
        jobs_of,
        sizes=(2_000,),
        runs=1,
        conf=LARGE_SETTINGS,
        snapshots=snapshots,
        changing=changing,
    )
