"""`evenfleet members`, as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from spark.fleet.local_store import write_store
from tests.spark.members.test_members_fleet import fleet
from tests.support.fleets import Fleet
from tests.support.offsets import snapshot_at
from tests.support.said import Run, flat, is_one_line


@pytest.fixture
def hourly(tmp_path: Path) -> Path:
    for hour in range(2):
        write_store(fleet(hour).tables(), tmp_path / "store", snapshot_at(hour))
    return tmp_path / "store"


def test_a_table_and_a_sentence_each(run: Run, hourly: Path) -> None:
    output = run("members", hourly, "--headroom", 0.8)
    assert output.code == 0, output.err
    text = flat(output.out)
    assert "big of c: 51 partitions over 50 members: 2 at most, as over 26, so 24 are" in text
    assert "3 members are needed for " in text
    assert "Assumed: partitions count alike." in output.err
    assert "Not evaluated: 2 groups" in output.err
    assert "takes two snapshots" not in output.err


def test_for_programs_and_some_groups(run: Run, hourly: Path) -> None:
    output = run("members", hourly, "--group", "mix*", "--format", "json")
    assert output.code == 0, output.err
    (row,) = json.loads(output.out)["members"]
    assert (row["group"], row["spare"], row["needed"]) == ("mixed", 2, None)
    assert row["sizes"][0] == {"members": 2, "max_load": 9, "even": False}


def test_metrics_for_autoscalers(run: Run, hourly: Path, tmp_path: Path) -> None:
    """A series a group of what is known; a file that can't be written is told beforehand."""
    file = tmp_path / "members.prom"
    said = run("members", hourly, "--headroom", 0.8, "--metrics", file)
    assert said.code == 0, said.err
    samples = {
        (sample.name.removeprefix("evenfleet_members_"), sample.labels["group"]): sample.value
        for family in text_string_to_metric_families(file.read_text(encoding="utf-8"))
        for sample in family.samples
    }
    big = {name: value for (name, group), value in samples.items() if group == "big"}
    assert big == {"now": 50, "even_below": 17, "even_above": 51, "most": 51}
    assert samples["needed", "mixed"] == 3
    refused = run("members", hourly, "--metrics", tmp_path)
    assert (refused.code, is_one_line(refused)) == (2, True)


def test_commits_a_second_by_broker(run: Run, tmp_path: Path) -> None:
    """In an hour a's member committed two partitions and b's one; z's offset stood still."""
    for hour in range(2):
        made = Fleet().topic("t", 4).topic("__consumer_offsets", 1)
        made.rows["partitions"][-1]["leader"] = 7
        for group, partitions, moved in (
            ("a", (0, 1), True),
            ("b", (2,), True),
            ("z", (3,), False),
        ):
            made.group(group, {"m": ["t"]}, [("t", n, "m") for n in partitions])
            for n in partitions:
                offset = hour * 100 if moved else 5
                result = {"committed_offset": offset, "end_offset": 500}
                made.add("offsets", group=group, topic="t", partition=n, **result)
        write_store(made.tables(), tmp_path / "store", snapshot_at(hour))
    output = run("members", tmp_path / "store", "--commits", "--format", "json")
    assert output.code == 0, output.err
    (row,) = json.loads(output.out)["coordinators"]
    assert row == {
        **{"cluster": "c", "broker": 7, "groups": 3, "members": 3, "inferred": True},
        **{"offsets": pytest.approx(3 / 3600), "requests": pytest.approx(2 / 3600)},
        "requests_at_5s": 0.6,
    }
    shown = run("members", tmp_path / "store", "--commits")
    assert "commits a second by broker, at least" in flat(shown.out)
