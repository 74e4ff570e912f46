"""What a report says of a group's hosts."""

from pathlib import Path

from spark import FleetFiles, explain_group
from spark.fleet.local_store import write_store
from spark.report.groups import hosts_sentence
from tests.support.fleets import SNAPSHOT, Fleet


def test_the_fullest_host_is_named_now_and_planned(tmp_path: Path) -> None:
    fleet = Fleet().topic("t", 8)
    fleet.group(
        "g",
        {f"m{m}": ["t"] for m in range(4)},
        [("t", p, f"m{p % 2}") for p in range(8)],
    )
    for at, row in enumerate(fleet.rows["members"]):
        row["host"] = ["/busy", "/busy", "idle", None][at]
    write_store(fleet.tables(), tmp_path / "store", SNAPSHOT)
    explanation = explain_group(FleetFiles.read(str(tmp_path / "store")), "g")
    assert explanation.hosts == {"busy": (8, 4), "idle": (0, 2), "m3": (0, 2)}
    assert hosts_sentence(explanation.hosts) == (
        "The fullest of its 3 hosts, busy, has 8 partitions; with the plan the fullest has 4."
    )
    assert hosts_sentence({}) == ""
