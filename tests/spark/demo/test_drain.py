"""The demo's host that is to be drained."""

from __future__ import annotations

import json
from pathlib import Path

from spark.demo import drain_settings, most_uneven
from spark.demo.fleet import demo_fleet
from spark.fleet.local_store import write_store
from tests.support.fleets import SNAPSHOT
from tests.support.said import Run


def test_a_plan_takes_all_partitions_from_the_host(run: Run, tmp_path: Path) -> None:
    tables = demo_fleet(groups=60, seed=1)
    write_store(tables, tmp_path / "store", SNAPSHOT)
    cluster, group = most_uneven(tables)
    file = tmp_path / "drain.toml"
    file.write_text(drain_settings(tables, cluster, group))
    words = ("explain", tmp_path / "store", "--cluster", cluster, "--group", group)
    output = run(*words, "--config", file, "--format", "json")
    assert output.code == 0, output.err
    members = tables["members"].to_pylist()
    drained = {
        row["member_id"]
        for row in members
        if (row["group"], str(row["host"]).lstrip("/")) == (group, file.read_text().split()[2])
    }
    loads = json.loads(output.out)["explanation"][0]["loads"]
    assert drained
    assert {loads[member][1] for member in drained} == {0}
    assert max(planned for _, planned in loads.values()) > 0


def test_weights_in_a_group_differ_by_a_factor_of_a_hundred() -> None:
    tables = demo_fleet(groups=300, seed=1)
    weights = tables["partitions"]["weight"].drop_null().to_pylist()
    assert max(weights) >= 100 * min(weight for weight in weights if weight)
