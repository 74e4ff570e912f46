"""`evenfleet replay`, and `compare --snapshot all`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spark.fleet.local_store import write_store
from tests.support.fleets import Fleet
from tests.support.histories import HOURS
from tests.support.said import Run
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
