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


def test_one_snapshot_tells_all_but_what_comes_in_needs(run: Run, store: Path) -> None:
    output = run("members", store)
    assert output.code == 0, output.err
    assert "g of c: 2 partitions over 2 members: 1 each (now 2), and no fewer would do." in (
        flat(output.out)
    )
    assert "Members needed are unknown: rates take two snapshots with offsets" in output.err


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--headroom", "70"), "--headroom 70 must be above 0 and at most 1"),
        (("--headroom", "0"), "--headroom 0 must be above 0"),
        (("--window", "day"), "window: 'day' is not a duration (for example 24h)"),
        (("--group", "x"), "has no groups matching 'x'"),
        (("--cluster", "x"), "has no cluster 'x'"),
    ],
)
def test_options_that_cant_be(run: Run, hourly: Path, options: tuple[str, str], why: str) -> None:
    output = run("members", hourly, *options)
    assert (output.code, is_one_line(output)) == (2, True)
    assert why in output.err


def test_a_topic_in_a_group_of_its_own(run: Run, tmp_path: Path) -> None:
    made = Fleet().topic("big", 9).topic("small", 3)
    owned = [("big", n, "a") for n in range(9)] + [("small", n, "b") for n in range(3)]
    made.group("g", {name: ["big", "small"] for name in "abcd"}, owned)
    made.group("one", {"a": ["big"]}, [("big", 0, "a")])
    made.group("other", {"a": ["small"]}, [("small", 0, "a")])
    made.add("offsets", group="g", topic="big", partition=0, committed_offset=0, end_offset=900)
    write_store(made.tables(), tmp_path / "store", snapshot_at(0))
    output = run("members", tmp_path / "store", "--split", "big", "--format", "json")
    assert output.code == 0, output.err
    rows = {row["group"]: row for row in json.loads(output.out)["split"]}
    assert [tuple(side.values()) for side in rows["g"]["sides"]] == [
        ("now", 4, 12, 9, 900.0, 900.0, *[None] * 3),
        ("one group, optimal", 4, 12, 3, 900.0, 900.0, *[None] * 3),
        ("the topic's own", 3, 9, 3, 900.0, 900.0, *[None] * 3),
        ("the rest", 1, 3, 3, 0.0, 0.0, *[None] * 3),
    ]
    assert rows["g"]["sentence"] == (
        "big alone on 3 members and the rest on 1: at most 3 partitions a member (now 9, in one "
        "group 3). A rebalance stops 9 or 3 partitions, not 12. big has 900 of 900 records of "
        "lag: members of the rest no longer share it."
    )
    assert rows["one"]["sides"] is None
    assert rows.keys() == {"g", "one"}
    refused = run("members", tmp_path / "store", "--split", "bgi")
    assert (refused.code, is_one_line(refused)) == (2, True)


@pytest.mark.parametrize(
    ("read", "own", "text"),
    [
        (10, (25, 30, 10_800), "big alone in 10,800 s; the rest in 0 s; one group in 3,600 s."),
        (8, (25, 24, None), "big alone never, as lag grows by 1 records a second; the rest in 0"),
        # 60,000 records of lag, of which members can read 3 more an hour than come in
        (
            30_001 / 3600,
            (25, 30_001 * 3 / 3600, None),
            "big alone never, as members read hardly more than comes in; the rest in 0 s",
        ),
    ],
)
def test_lag_after_a_split(
    run: Run, tmp_path: Path, read: float, own: tuple[float | None, ...], text: str
) -> None:
    """25 records a second come in for big, of which a reads some: each of 3 members could."""
    for hour in range(2):
        made = Fleet().topic("big", 9).topic("small", 3)
        owned = [("big", n, "a") for n in range(9)] + [("small", n, "b") for n in range(3)]
        made.group("g", {name: ["big", "small"] for name in "abcd"}, owned)
        offsets = {"committed_offset": round(hour * 3600 * read), "end_offset": hour * 3600 * 25}
        made.add("offsets", group="g", topic="big", partition=0, **offsets)
        write_store(made.tables(), tmp_path / "store", snapshot_at(hour))
    output = run("members", tmp_path / "store", "--split", "big", "--format", "json")
    assert output.code == 0, output.err
    (row,) = json.loads(output.out)["split"]
    side = {side["part"]: side for side in row["sides"]}["the topic's own"]
    assert (side["rate"], side["capacity"], side["catch_up_seconds"]) == pytest.approx(own)
    assert f"Caught up: {text}" in row["sentence"]


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
