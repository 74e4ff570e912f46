"""`evenfleet simulate` as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spark.fleet.local_store import table_of, write_store
from spark.simulate import scenario_in
from tests.paths import ROOT
from tests.support.fleets import SNAPSHOT, Fleet
from tests.support.said import Run, Said

SCENARIOS = sorted((ROOT / "conf" / "scenarios").glob("*.toml"))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Two members with three partitions each."""
    owned = [("t", n, "a" if n < 3 else "b") for n in range(6)]
    fleet = Fleet().topic("t", 6)
    fleet.group("app", {"a": ["t"], "b": ["t"]}, owned, state="Stable", strategy="range")
    fleet.group("empty", {})
    write_store(fleet.tables(), tmp_path, SNAPSHOT)
    return tmp_path


def file_of(tmp_path: Path, *steps: tuple[str, str]) -> Path:
    path = tmp_path / "scenario.toml"
    tables = [f'[[step]]\nat = "{at}"\nevent = "{event}"\n' for at, event in steps]
    path.write_text('title = "A try"\n' + "\n".join(tables))
    return path


def test_a_rolling_restart_as_people_see_it(run: Run, store: Path, tmp_path: Path) -> None:
    output = run("simulate", store, "--group", "app", "--scenario", SCENARIOS[2])
    assert SCENARIOS[2].stem == "rolling-deploy"
    assert output.code == 0
    text = output.out + output.err
    assert "Group app rebalances 4 times: 6 partitions moved, 6 taken over" in text
    assert "generation 2: 1 member, range, led by b" in text
    assert "session.timeout.ms=45000" in text
    assert any(line.startswith("unread  ") for line in text.splitlines())


def test_json_has_all_of_it_and_is_the_same_each_time(
    run: Run, store: Path, tmp_path: Path
) -> None:
    file = file_of(tmp_path, ("10s", "crash=a"))
    words = "simulate", store, "--group", "app", "--scenario", file, "--format", "json"
    output = run(*words, "--seed", "3")
    report = json.loads(output.out)
    (figures,) = report["simulation"]
    assert (figures["rebalances"], figures["taken_over"], figures["stable"]) == (1, 3, True)
    assert 3 * 40 < figures["unread_seconds"] < 3 * 50
    assert report["generations"][0]["assignment"] == {"b": [f"t-{n}" for n in range(6)]}
    assert {pause["partition"] for pause in report["pauses"] if pause["before"] == "a"} == {
        *("t-0", "t-1", "t-2")
    }
    assert run(*words, "--seed", "3").out == output.out
    assert run(*words, "--seed", "4").out != output.out


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        ("leave=nobody", "app can't have this scenario"),
        ("crash-rack=mars", "app can't have this scenario"),
        ("jump=3", "scenario"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(
    run: Run, store: Path, tmp_path: Path, event: str, sentence: str
) -> None:
    output = run(
        "simulate", store, "--group", "app", "--scenario", file_of(tmp_path, ("1s", event))
    )
    assert output.code == 2
    assert sentence in output.err
    assert len(output.err.strip().splitlines()) <= 2


def test_a_group_without_members_and_a_file_that_is_not_there(run: Run, store: Path) -> None:
    output = run("simulate", store, "--group", "empty", "--scenario", SCENARIOS[0])
    assert (output.code, "can't be simulated: it is empty" in output.err) == (2, True)
    output = run("simulate", store, "--group", "app", "--scenario", "nowhere.toml")
    assert (output.code, "nowhere.toml can't be read" in output.err) == (2, True)


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_scenarios_that_come_along_are_sound_and_commented(path: Path) -> None:
    scenario = scenario_in(path)
    assert scenario.title
    assert scenario.steps
    assert path.read_text().startswith("# ")


def test_several_seeds_tell_what_chance_makes_of_it(run: Run, store: Path, tmp_path: Path) -> None:
    words = (
        "simulate",
        store,
        "--group",
        "app",
        "--scenario",
        file_of(tmp_path, ("10s", "crash=a")),
    )
    alone = [
        json.loads(run(*words, "--seed", seed, "--format", "json").out)["simulation"][0]
        for seed in range(3, 8)
    ]
    rows = json.loads(run(*words, "--seed", 3, "--seeds", 5, "--format", "json").out)["spread"]
    spread = {row.pop("measure"): row for row in rows}
    unread = sorted(item["unread_seconds"] for item in alone)
    assert unread[0] < unread[-1]
    assert spread["partition-seconds unread"] == pytest.approx(
        {"least": unread[0], "median": unread[2], "most": unread[-1]}
    )
    assert spread["rebalances"] == {"least": 1, "median": 1, "most": 1}
    assert "5 seeds" in run(*words, "--seeds", 5).out
    assert "spread" not in json.loads(run(*words, "--format", "json").out)


def test_records_are_counted_where_the_store_tells_how_fast_they_come_in(
    run: Run, store: Path, tmp_path: Path
) -> None:
    """Ten a second of each partition, by two snapshots an hour apart."""
    words = "simulate", store, "--group", "app", "--format", "json"
    words = *words, "--scenario", file_of(tmp_path, ("10s", "crash=a"))
    (unknown,) = json.loads(run(*words).out)["simulation"]
    assert (unknown["records_read_twice"], unknown["records_waited"]) == (None, None)
    fleet = Fleet().topic("t", 6)
    owned = [("t", n, "a" if n < 3 else "b") for n in range(6)]
    fleet.group("app", {"a": ["t"], "b": ["t"]}, owned, state="Stable", strategy="range")
    for snapshot, end in (("20270101T060000Z", 5_000), ("20270101T070000Z", 41_000)):
        read = {"cluster": ["c"] * 6, "group": ["app"] * 6, "topic": ["t"] * 6}
        offsets = table_of("offsets", read | {"partition": range(6), "end_offset": [end] * 6})
        write_store(fleet.tables() | {"offsets": offsets}, store, snapshot)
    (figures,) = json.loads(run(*words).out)["simulation"]
    assert figures["records_waited"] == pytest.approx(10 * figures["unread_seconds"], rel=0.001)
    twice = 10 * figures["seconds_read_twice"]
    assert figures["records_read_twice"] == pytest.approx(twice, rel=0.001)
    assert twice > 0
    output = run(*words[:4], *words[6:])
    assert f"about {round(twice)} records" in output.out + output.err
    (short,) = json.loads(run(*words, "--window", "10m").out)["simulation"]
    assert short["records_waited"] is None


def everything(said: Said) -> str:
    """Tables and sentences."""
    return said.out + said.err


def rated_scenario(tmp_path: Path, head: str) -> Path:
    path = tmp_path / "rated.toml"
    step = '[[step]]\nat = "10s"\nevent = "freeze=a:30s"\n'
    path.write_text(f"{head}\n{step}")
    return path


def test_lag_is_shown_where_a_scenario_says_what_comes_in_and_what_members_can_read(
    run: Run, store: Path, tmp_path: Path
) -> None:
    """A member with three partitions stands still for 30 s: 900 records, at 100 − 30 a second."""
    head = "peak_rate = 100\n[rates]\nt = 10"
    words = "simulate", store, "--group", "app", "--scenario", rated_scenario(tmp_path, head)
    tables = json.loads(run(*words, "--format", "json").out)
    (figures,) = tables["simulation"]
    assert figures["max_lag_seconds"] == pytest.approx(30, abs=0.1)
    assert figures["max_lag_records"] == pytest.approx(900, rel=0.01)
    assert figures["catch_up_seconds"] == pytest.approx(900 / 70, rel=0.01)
    assert figures["never_caught_up"] == 0
    assert [row["partition"] for row in tables["lag"]] == ["t-0", "t-1", "t-2"]
    assert {row["reader"] for row in tables["lag"]} == {"a"}
    output = everything(run(*words))
    assert "The group falls up to 900 records behind, one partition up to 30" in output
    assert "stands still" in output
    assert "largest lag (records)" in everything(run(*words, "--seeds", 3))


def test_without_rates_or_a_peak_rate_it_says_so_and_shows_no_lag(
    run: Run, store: Path, tmp_path: Path
) -> None:
    words = "simulate", store, "--group", "app", "--scenario"
    output = everything(run(*words, rated_scenario(tmp_path, "peak_rate = 100")))
    assert "Lag isn't known: the store has no two snapshots with offsets" in output
    output = everything(run(*words, rated_scenario(tmp_path, "[rates]\nt = 10")))
    assert "Lag isn't known: the store doesn't show that members can read enough" in output
    config = tmp_path / "peak.toml"
    config.write_text("[consumers]\npeak_rate = 100\n")
    words = *words, rated_scenario(tmp_path, "[rates]\nt = 10"), "--config", config
    assert "the slowest catches up 12.86 s after" in everything(run(*words))


def test_what_members_were_seen_to_read_counts_where_they_have_less_to_read_now(
    run: Run, store: Path, tmp_path: Path
) -> None:
    """Ten a second come in, and in one hour of two a reads 20 a second of each partition."""
    fleet = Fleet().topic("t", 6)
    owned = [("t", n, "a" if n < 3 else "b") for n in range(6)]
    fleet.group("app", {"a": ["t"], "b": ["t"]}, owned, state="Stable", strategy="range")
    for hour, (end, read_by_a) in enumerate(((100_000, 0), (136_000, 72_000), (172_000, 108_000))):
        columns = {"cluster": ["c"] * 6, "group": ["app"] * 6, "topic": ["t"] * 6}
        committed = [read_by_a] * 3 + [end] * 3
        columns |= {"partition": range(6), "end_offset": [end] * 6, "committed_offset": committed}
        offsets = table_of("offsets", columns)
        write_store(fleet.tables() | {"offsets": offsets}, store, f"20270101T0{6 + hour}0000Z")
    words = "simulate", store, "--group", "app", "--format", "json", "--scenario"
    (figures,) = json.loads(run(*words, rated_scenario(tmp_path, "")).out)["simulation"]
    assert figures["catch_up_seconds"] == pytest.approx(900 / (60 - 30), rel=0.01)
    config = tmp_path / "peak.toml"
    config.write_text("[consumers]\npeak_rate = 100\n")
    words = *words, rated_scenario(tmp_path, ""), "--config", config
    (figures,) = json.loads(run(*words).out)["simulation"]
    assert figures["catch_up_seconds"] == pytest.approx(900 / 70, rel=0.01)
