"""`evenfleet whatif` where a broker is down."""

from pathlib import Path

from spark.fleet.local_store import write_store
from tests.support.fleets import SNAPSHOT, Fleet
from tests.support.said import Run, flat
from tests.support.terminal import tables_of


def test_a_broker_that_is_down_leaves_leaders_and_groups_behind(run: Run, tmp_path: Path) -> None:
    fleet = Fleet().topic("t", 4).topic("u", 2).topic("v", 1)
    fleet.group("both", {"a": ["t", "v"]}, [*(("t", p, "a") for p in range(4)), ("v", 0, "a")])
    fleet.group("alone", {"x": ["u"]}, [("u", 0, "x"), ("u", 1, "x")])
    fleet.group("paused", {"y": ["v"]}, [("v", 0, "y")])
    placed = {"t": [[3, 1], [1, 3], [3, 2, 1], [2, 3]], "u": [[3], [3, 1]], "v": [[3, 2]]}
    for row in fleet.rows["partitions"]:
        replicas = placed[row["topic"]][row["partition"]]
        in_sync = [3] if row["topic"] == "u" else replicas
        row |= {"leader": replicas[0], "replicas": replicas, "isr": in_sync, "weight": 2.0}
    write_store(fleet.tables(), tmp_path / "store", SNAPSHOT)
    words = "whatif", tmp_path / "store", "--event", "broker-down=3", "--strategies", "range"
    text = flat(run(*words).out)
    assert "Broker 3 led 5 partitions. They go to broker 2 (+2), broker 1 (+1)." in text
    assert "By weight, broker 2 gets most." in text
    assert "2 partitions (u-0, u-1) have no leader: no other replica is in sync." in text
    assert "1 group (alone) reads nothing until it is back." in text
    assert "1 group (paused) reads nothing until others lead (" in text
    report = tables_of(run(*words, "--format", "json"))
    leads = {row["broker"]: (row["leads_before"], row["leads_after"]) for row in report["leaders"]}
    assert leads == {1: (1, 2), 2: (1, 3), 3: (5, 0)}
    assert [(row["topic"], row["partition"]) for row in report["without_leader"]] == [
        ("u", 0),
        ("u", 1),
    ]
    hit = {
        row["group"]: (row["partitions"], row["led"], row["leaderless"])
        for row in report["groups_hit"]
    }
    assert hit == {"alone": (2, 2, 2), "paused": (1, 1, 0), "both": (5, 3, 0)}
