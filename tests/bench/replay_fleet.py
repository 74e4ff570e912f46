"""Times `replay` over many snapshots beside one `compare` of the same strategies on one snapshot.

Some of the groups change between two snapshots: a member is replaced, leaves or joins, and all own
what range gives them. Shows the most memory that a Python worker has taken by then as well.

    python tests/bench/replay_fleet.py --groups 2000 --snapshots 100 --json replay_fleet.json
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyspark.sql import SparkSession
from stopwatch import Stopwatch, benchmark, options_of
from uniform_fleet import uniform_fleet

from spark import FleetHistory, FleetSnapshot, compare_fleet, fleet_of, replay_fleet
from spark.files import write_tables
from spark.fleet.local_store import write_store
from spark.terminal.quick_start import LARGE_SETTINGS

STRATEGIES = ("current", "range", "roundrobin", "cooperative-sticky", "uniform", "optimal")
START = datetime(2026, 11, 1, tzinfo=UTC)
PARTITIONS, MEMBERS, OVERLAPPING_EVERY = 100, 10, 10
OF_GROUPS = ("members", "subscriptions", "assignments")


def main() -> None:
    options = options_of(__doc__, runs=1)
    options.add_argument("--snapshots", type=int, action="append", help="repeatable")
    options.add_argument("--changing", type=float, default=0.05, help="of groups, each time")
    inputs = options.parse_args()
    counts = inputs.snapshots or [100]
    run = partial(_prepare, counts, inputs.changing)
    benchmark(inputs, run, sizes=(2_000,), conf=LARGE_SETTINGS)


def _prepare(
    counts: list[int], changing: float, spark: SparkSession, folder: Path, groups: int
) -> Callable[[Stopwatch], None]:
    store = folder / f"store-{groups}"
    ids = _write_history(store, groups, max(counts), changing)
    out = str(folder / "out")

    def run(timed: Stopwatch) -> None:
        with timed("compare"):
            _compare(spark, str(store), ids[0], out)
        for count in sorted(counts):
            with timed(f"replay {count} snapshots"):
                _replay(spark, str(store), ids[count - 1], out)
            print(f"after {count} snapshots: a worker's peak {_peak()} MB")

    return run


def _compare(spark: SparkSession, store: str, snapshot: str, out: str) -> None:
    comparison = compare_fleet(FleetSnapshot.read(spark, store, snapshot), STRATEGIES).persist()
    try:
        rows = comparison.repartition(1).sortWithinPartitions("cluster", "group", "strategy")
        tables = {"comparison": rows, "fleet": fleet_of(comparison).coalesce(1)}
        write_tables(spark, out, snapshot, tables)
    finally:
        comparison.unpersist()


def _replay(spark: SparkSession, store: str, until: str, out: str) -> None:
    """As the command does it."""
    with (
        FleetHistory.read(spark, store, until=until) as history,
        replay_fleet(history, STRATEGIES) as replay,
    ):
        rows = replay.groups.repartition(1).sortWithinPartitions("cluster", "group", "strategy")
        tables = {"replay": rows, "league": replay.league.coalesce(1)}
        write_tables(spark, out, until, tables)


def _write_history(store: Path, groups: int, count: int, changing: float) -> list[str]:
    """Hourly snapshots; the tables that nothing changes in are the same each time."""
    rng = np.random.default_rng(1)
    tables = uniform_fleet(groups, PARTITIONS, MEMBERS, OVERLAPPING_EVERY, seed=1)
    of_group = {name: _by_group(tables[name], groups) for name in OF_GROUPS}
    ids = [(START + timedelta(hours=at)).strftime("%Y%m%dT%H%M%SZ") for at in range(count)]
    for at, snapshot in enumerate(ids):
        if at:
            for group in rng.choice(groups, round(groups * changing), replace=False).tolist():
                _change(rng, of_group, group, f"{at:05d}")
        for name, items in of_group.items():
            tables[name] = pa.concat_tables(items).combine_chunks()
        write_store(tables, store, snapshot)
    return ids


def _by_group(table: pa.Table, groups: int) -> list[pa.Table]:
    """The rows of each group, which stand together."""
    _, firsts = np.unique(table["group"].to_numpy(zero_copy_only=False), return_index=True)
    ends = [*firsts[1:].tolist(), len(table)]
    assert len(firsts) == groups
    return [table.slice(a, b - a) for a, b in zip(firsts.tolist(), ends, strict=True)]


def _change(
    rng: np.random.Generator, of_group: dict[str, list[pa.Table]], group: int, tag: str
) -> None:
    """A member is replaced, or leaves to the others' gain, or joins and gets its share."""
    members = of_group["members"][group]
    ids = members["member_id"].to_pylist()
    item = ids[int(rng.integers(len(ids)))]
    new = f"{members['group'][0].as_py()}-{tag}-{rng.integers(1 << 40):010x}"
    what = rng.random()
    topics = {}
    for member, topic in zip(
        of_group["subscriptions"][group]["member_id"].to_pylist(),
        of_group["subscriptions"][group]["topic"].to_pylist(),
        strict=True,
    ):
        topics.setdefault(member, []).append(topic)
    if what < 0.4 or len(ids) < MEMBERS - 3 or (what < 0.7 and not _others_read(topics, item)):
        topics[new] = topics.pop(item)
    elif what < 0.7:
        del topics[item]
    else:
        topics[new] = topics[item]
    _set(of_group, group, topics)


def _others_read(topics: dict[str, list[str]], one: str) -> bool:
    others = {topic for member, names in topics.items() if member != one for topic in names}
    return others.issuperset(topics[one])


def _set(of_group: dict[str, list[pa.Table]], group: int, topics: dict[str, list[str]]) -> None:
    """The group with these members and what they read; each owns its range of each topic."""
    ids = sorted(topics)
    members = of_group["members"][group]
    first = members.slice(0, 1)
    of_group["members"][group] = _filled(first, {"member_id": ids})
    reads = [(member, topic) for member in ids for topic in topics[member]]
    of_group["subscriptions"][group] = _filled(
        of_group["subscriptions"][group].slice(0, 1),
        {"member_id": [m for m, _ in reads], "topic": [t for _, t in reads]},
    )
    owned = of_group["assignments"][group]
    read = dict.fromkeys(topic for texts in topics.values() for topic in texts)
    readers = {topic: [m for m in ids if topic in topics[m]] for topic in read}
    names, numbers = owned["topic"].to_pylist(), owned["partition"].to_pylist()
    sizes = {topic: names.count(topic) for topic in readers}
    owners = [
        readers[t][p * len(readers[t]) // sizes[t]] for t, p in zip(names, numbers, strict=True)
    ]
    of_group["assignments"][group] = owned.set_column(
        owned.schema.get_field_index("member_id"),
        owned.schema.field("member_id"),
        pa.array(owners, owned.schema.field("member_id").type),
    )


def _filled(row: pa.Table, columns: dict[str, list[str]]) -> pa.Table:
    """So many rows like this one, but for these columns."""
    count = len(next(iter(columns.values())))
    arrays = [
        pa.array(columns[field.name], field.type)
        if field.name in columns
        else pa.array(row[field.name].to_pylist() * count, field.type)
        for field in row.schema
    ]
    return pa.Table.from_arrays(arrays, schema=row.schema)


def _peak() -> int:
    """Megabytes that the largest of Spark's Python workers has taken at most."""
    peaks = [0]
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            command = status.with_name("cmdline").read_text()
            if "pyspark.worker" in command:
                found_text = re.search(r"VmHWM:\s+(\d+) kB", status.read_text())
                peaks.append(int(found_text[1]) // 1024 if found_text else 0)
        except OSError:  # it has just ended
            continue
    return max(peaks)


if __name__ == "__main__":
    main()
