"""The demo's host that is to be drained."""

from pathlib import Path

from spark import FleetFiles, explain_group
from spark.demo import demo_fleet, drain_settings, most_uneven
from spark.fleet.local_store import write_store
from spark.settings.config import read_settings
from tests.support.fleets import SNAPSHOT


def test_a_plan_takes_all_partitions_from_the_host(tmp_path: Path) -> None:
    tables = demo_fleet(groups=60, seed=1)
    write_store(tables, tmp_path / "store", SNAPSHOT)
    cluster, group = most_uneven(tables)
    file = tmp_path / "drain.toml"
    file.write_text(drain_settings(tables, cluster, group))
    host = file.read_text().split()[2]
    fleet = FleetFiles.read(str(tmp_path / "store"))
    loads = explain_group(fleet, group, cluster, read_settings(file).goals).loads
    drained = {
        row["member_id"]
        for row in tables["members"].to_pylist()
        if (row["group"], str(row["host"]).lstrip("/")) == (group, host)
    }
    assert drained
    assert {loads[member][1] for member in drained} == {0}
    assert max(planned for _, planned in loads.values()) > 0
