"""`evenfleet rates`, as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spark.fleet.local_store import write_store
from spark.history import behind_for_people, behind_verdict
from tests.support.fleets import Fleet
from tests.support.offsets import snapshot_at
from tests.support.said import Run, flat, is_one_line
from tests.support.small import rows

LAST = snapshot_at(3)


def at(hour: int) -> Fleet:
    """Group g gets late on orders-0, and reads all of orders-1; another cluster has no offsets."""
    fleet = Fleet().topic("orders", 2).topic("x", 1, cluster="d")
    owned = [("orders", 0, "a"), ("orders", 1, "b")]
    fleet.group("g", {"a": ["orders"], "b": ["orders"]}, owned)
    fleet.group("h", {"m": ["x"]}, [("x", 0, "m")], cluster="d")
    for partition, pace in ((0, 2), (1, 3)):
        fleet.add(
            "offsets",
            **{"group": "g", "topic": "orders", "partition": partition},
            committed_offset=hour * 2 * 3600,
            end_offset=hour * (pace if partition == 0 else 2) * 3600 + (1 - partition) * hour * 36,
        )
    return fleet


@pytest.fixture
def hourly(tmp_path: Path) -> Path:
    for hour in range(4):
        write_store(at(hour).tables(), tmp_path / "store", snapshot_at(hour))
    return tmp_path / "store"


def test_what_flows_is_written_and_who_falls_behind_is_told(
    run: Run, hourly: Path, tmp_path: Path
) -> None:
    output = run("rates", hourly, "--out", tmp_path / "out", "--quantile", 0.5)
    assert output.code == 0, output.err
    assert "c g 1 of 2 108 54 s 0.01" in flat(output.out)
    assert "1 group falls behind: lag grew in the window, and still grows." in flat(output.err)
    assert "Worst: g of c (108 records, 54 s)." in flat(output.err)
    assert "Read 4 snapshots from" in output.err
    result = {row["partition"]: row for row in rows(tmp_path / "out" / "rates", LAST)}
    assert result[0]["mean"] == pytest.approx(2.01)
    assert (result[1]["quantile"], result[1]["pairs"]) == (2, 3)
    read = {row["partition"]: row for row in rows(tmp_path / "out" / "consumption", LAST)}
    assert (read[0]["falls_behind"], read[1]["falls_behind"]) == (True, False)
    members = rows(tmp_path / "out" / "members", LAST)
    assert [(row["member_id"], row["maximum"]) for row in members] == [
        ("a", 2),
        ("b", 2),
        ("m", None),
    ]


def test_for_programs(run: Run, hourly: Path, tmp_path: Path) -> None:
    out = ("--out", tmp_path / "out", "--format", "json")
    output = run("rates", hourly, "--window", "1h", "--until", snapshot_at(2), *out)
    assert output.code == 0, output.err
    result = json.loads(output.out)
    assert [row["partition"] for row in result["busiest"]] == [0, 1]
    assert [(row["group"], row["lag"]) for row in result["behind"]] == [("g", 72)]
    assert result["clusters"][0] == {
        "cluster": "c",
        "first": snapshot_at(1),
        "last": snapshot_at(2),
        "snapshots": 2,
    }


def test_part_of_a_fleet(run: Run, hourly: Path, tmp_path: Path) -> None:
    output = run("rates", hourly, "--out", tmp_path / "out", "--cluster", "d", "--group", "h*")
    assert output.code == 0, output.err
    assert "Only groups matching 'h*' of cluster d are listed." in output.err
    assert "No group falls behind." in output.err
    assert rows(tmp_path / "out" / "rates", LAST) == []
    wrong = run("rates", hourly, "--out", tmp_path / "out", "--cluster", "e")
    assert (wrong.code, wrong.out) == (2, "")
    assert "no snapshot of that time has 'e': there is 2 clusters (c, d)" in wrong.err


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--window", "1 day"), "window: '1 day' is not a duration (for example 24h)"),
        (("--window", "30m"), "a window of 30m holds one snapshot of each cluster"),
        (("--quantile", "95"), "Input should be less than or equal to 1"),
        (("--until", "2020"), "has no whole snapshot in that time"),
    ],
)
def test_options_that_cant_be(
    run: Run, hourly: Path, tmp_path: Path, options: tuple[str, str], why: str
) -> None:
    output = run("rates", hourly, "--out", tmp_path / "out", *options)
    assert (output.code, is_one_line(output)) == (2, True)
    assert why in output.err
    assert not (tmp_path / "out").exists()


def test_a_store_without_offsets(run: Run, store: Path, tmp_path: Path) -> None:
    output = run("rates", store, "--out", tmp_path / "out")
    assert output.code == 2
    assert "no snapshot has a table offsets, and rates are made of offsets" in output.err


@pytest.mark.parametrize(
    ("lag", "seconds", "at_least", "late"),
    [
        (5_000, 86_400.0, True, " (5,000 records, ≥ 1 d)"),
        (None, 90.0, False, " (1.5 min)"),
        (None, None, None, ""),
    ],
)
def test_the_worst_group_is_told_as_far_as_it_is_known(
    lag: int | None, seconds: float | None, at_least: bool | None, late: str
) -> None:
    row = {"cluster": "c", "group": "g", "behind": 1, "partitions": 2, "lag_trend": 1.0}
    row |= {"lag": lag, "lag_seconds": seconds, "at_least": at_least}
    assert behind_verdict([row, row]) == (
        f"2 groups fall behind: lag grew in the window, and still grows. Worst: g of c{late}."
    )
    assert behind_for_people(row)["lag time"] == (late[2:-1].rsplit(", ", maxsplit=1)[-1] or "–")
