"""`evenfleet replay`, and `compare --snapshot all`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spark.fleet.local_store import write_store
from tests.support.fleets import Fleet
from tests.support.histories import HOURS
from tests.support.said import Run, flat, is_one_line
from tests.support.small import rows


@pytest.fixture
def past(tmp_path: Path) -> Path:
    """A group whose member c comes for an hour and takes over all of t."""
    for hour, owners in enumerate(("aabb", "aabb", "cccc", "aaab")):
        members = {item: ["t"] for item in sorted({"a", "b", *owners})}
        owned = [("t", p, owner) for p, owner in enumerate(owners)]
        fleet = Fleet().topic("t", 4).group("g", members, owned, strategy="range")
        write_store(fleet.group("nobody", {}).tables(), tmp_path / "store", HOURS[hour])
    return tmp_path / "store"


def test_it_prints_the_league_and_who_would_have_been_better_off(
    run: Run, past: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    output = run("replay", past, "--out", out, "--strategies", "current,range,optimal")
    assert output.code == 0
    assert "league" in output.out
    report = "g of c: best with optimal: 0.0 partition-hours of overload instead of 2.0, 1 move"
    assert report in flat(output.out)
    assert f"Read 4 snapshots from {HOURS[0]} to {HOURS[3]}: 1 cluster (c)." in output.err
    assert "optimal: no overload (actual: 2 partition-hours of overload), 1 move" in output.err
    replay = rows(out / "replay", HOURS[3])
    result = {(row["group"], row["strategy"]): row for row in replay}
    assert len(replay) == 6
    assert result["g", "current"]["stopped"] == 4
    assert result["g", "optimal"]["is_best"]
    assert result["nobody", "optimal"]["unknown_hours"] == 3
    assert [row["strategy"] for row in rows(out / "league", HOURS[3])] == [
        "optimal",
        "range",
        "current",
    ]


def test_json_has_the_league_as_it_is_written(run: Run, past: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ("--strategies", "current,optimal", "--until", HOURS[2], "--since", "1h")
    output = run("replay", past, "--out", out, *words, "--format", "json")
    assert output.code == 0
    league = rows(out / "league", HOURS[2])
    assert json.loads(output.out) == {"league": league}
    priced = run("replay", past, "--out", out, *words, "--format", "json", "--move-cost", "30s")
    costs = [row["move_seconds"] for row in json.loads(priced.out)["league"]]
    assert costs == [30 * row["moves"] for row in league]
    assert f"Read 2 snapshots from {HOURS[1]} to {HOURS[2]}: 1 cluster (c)." in output.err


def test_a_history_of_one_snapshot_has_no_time(run: Run, past: Path, tmp_path: Path) -> None:
    output = run("replay", past, "--out", tmp_path / "out", "--until", HOURS[0], "--format", "json")
    assert output.code == 0
    for row in json.loads(output.out)["league"]:
        assert (row["known_hours"], row["excess_hours"], row["changes"]) == (0, 0, 0)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--strategies", "current,best"), "unknown strategy 'best'"),
        (("--cluster", "west"), "west"),
        (("--group", "x*"), "has groups matching 'x*'"),
        (("--until", "20251121T000000Z"), "has no whole snapshot in that time"),
    ],
)
def test_bad_options_are_told_in_a_line(
    run: Run, past: Path, tmp_path: Path, words: tuple[str, ...], told: str
) -> None:
    output = run("replay", past, "--out", tmp_path / "out", *words)
    assert (output.code, is_one_line(output)) == (2, True)
    assert told in output.err


@pytest.fixture
def heavy(tmp_path: Path) -> Path:
    """a has what weighs most in both hours; c comes for the second."""
    for hour, owners in enumerate(("aabb", "aabc", "aabc")):
        members = {item: ["t"] for item in sorted({*owners})}
        fleet = Fleet().topic("t", 4)
        fleet.group("g", members, [("t", p, owner) for p, owner in enumerate(owners)])
        for row, weight in zip(fleet.rows["partitions"], (6.0, 4.0, 1.0, 1.0), strict=True):
            row["weight"] = weight
        lags = zip(range(4), (0, 0, 0, 9), strict=True)
        for partition, lag in lags:
            fleet.add("offsets", group="g", topic="t", partition=partition, lag=lag)
        write_store(fleet.tables(), tmp_path / "heavy", HOURS[hour])
    return tmp_path / "heavy"


def test_by_weight_the_worst_member_stands_beside_the_count(
    run: Run, heavy: Path, tmp_path: Path
) -> None:
    """Of 12 the bound is 6; a has 10 in both hours. By lag nothing helps: one partition has all."""
    words = ("replay", heavy, "--out", tmp_path / "out", "--strategies", "current,range,optimal")
    output = run(*words, "--weight", "column")
    assert output.code == 0, output.err
    assert "mean_over_bound" not in output.err
    assert "its worst member by weight at 1.00 times the bound instead of 1.67" in flat(output.out)
    assert "worst members by weight at 1 times the bound" in flat(output.err)
    league = {row["strategy"]: row for row in rows(tmp_path / "out" / "league", HOURS[2])}
    for name, over in (("current", 10 / 6), ("optimal", 1)):
        assert league[name]["mean_over_bound"] == pytest.approx(over)
        assert league[name]["worst_over_bound"] == pytest.approx(over)
    by_lag = json.loads(run(*words, "--weight", "lag", "--format", "json").out)["league"]
    assert {row["worst_over_bound"] for row in by_lag} == {1}


def test_every_snapshot_is_compared_for_all(run: Run, past: Path, tmp_path: Path) -> None:
    """Each has the tables that it has alone."""
    out, alone = tmp_path / "all", tmp_path / "alone"
    words = ("--strategies", "current,optimal", "--format", "json")
    output = run("compare", past, "--out", out, "--snapshot", "all", *words)
    assert output.code == 0, output.err
    shown = json.loads(output.out)["strategies"]
    assert sorted({row["snapshot"] for row in shown}) == HOURS[:4]
    text = flat(output.err)
    assert "Over all, a group counts once in each snapshot. Best: optimal: 4 of 4" in text
    assert text.count("Best: ") == 1
    assert f"Read 4 snapshots from {HOURS[0]} to {HOURS[3]}: 1 cluster (c)." in text
    assert json.loads(output.out)["clusters"][0] == {"cluster": "c", "snapshot": HOURS[0]}
    run("compare", past, "--out", alone, "--snapshot", HOURS[2], *words)
    assert rows(out / "fleet", HOURS[2]) == rows(alone / "fleet", HOURS[2])
    for compared in (out, alone):
        of_third = rows(compared / "comparison", HOURS[2])
        assert [(r["group"], r["strategy"], r["max_load"]) for r in of_third][:2] == [
            ("g", "current", 4),
            ("g", "optimal", 2),
        ]
