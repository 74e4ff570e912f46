"""Commands about one group of the torture store, and its list of snapshots: without Spark."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark import FleetFiles, FleetSnapshot, frontier_of_group
from spark.simulate import rates_of_group, scenario_in
from spark.text import plain
from tests.paths import ROOT
from tests.spark.commands.conftest import Once
from tests.support.fleets import SNAPSHOT, Fleet
from tests.support.said import Run, Said, is_one_line
from tests.support.terminal import tables_of
from tests.support.torture import (
    CLUSTERS,
    EVIL,
    HOSTILE,
    HOURS,
    LENGTH,
    LONG_GROUPS,
    READ,
    check_harmless,
    hostile,
    long,
)

BY_COUNT = ("--goal", "balance=count")

SCENARIOS = sorted((ROOT / "conf" / "scenarios").glob("*.toml"))


def json_of(said: Said, table: str) -> Any:
    """The one row of a table."""
    (row,) = tables_of(said)[table]
    return row


def lines_of(said: Said, first: str) -> list[list[str]]:
    """Rows of tables that begin with this word."""
    return [words for line in said.out.splitlines() if (words := line.split())[:1] == [first]]


INVALID = {
    r"caf\xe9": "the name of the group or of its cluster",
    "everything": r"member id caf\xe9, member id caf\xe92, topic caf\xe8",
}

TOLD = {
    "lopsided": (
        "could be more even (status ok): 4 members have from 0 to 12 partitions each.",
        "The plan gives them from 4 to 5 partitions each with 7 moves.",
        "Its offsets are in __consumer_offsets-0, led by broker 7, the likely coordinator.",
    ),
    "streams-classic": (
        "is unsupported: a group of Kafka Streams, whose tasks have one owner each",
    ),
    "left": ("Group left of cluster old could be more even",),
    **{group: (f"is invalid: not valid UTF-8: {why}.",) for group, why in INVALID.items()},
}
"""What is said of groups by the names that are shown of them."""


class TestExplain:
    """`evenfleet explain`."""

    @pytest.mark.parametrize("group", TOLD)
    def test_it_begins_with_how_the_group_is(self, once: Once, torture: Path, group: str) -> None:
        """A group without a plan has no frontier to go on with."""
        output = check_harmless(once("explain", torture, "--group", group, *BY_COUNT, "--all"))
        assert READ in output.err
        assert [sentence for sentence in TOLD[group] if sentence not in output.err] == []
        assert ("\nNext: " in output.err) == ("could be more even" in TOLD[group][0])

    def test_of_its_cluster(self, once: Once, torture: Path) -> None:
        """Groups of the same name in two clusters, and one in a cluster of an odd name."""
        several = once("explain", torture, "--group", "plain")
        assert (several.code, is_one_line(several)) == (2, True)
        assert "several clusters have a group 'plain': choose its cluster of c, d" in several.err
        d = once("explain", torture, "--group", "plain", "--cluster", "d", "--all")
        assert "1 member has 1 partition, and 4 partitions no owner." in d.err
        assert "__consumer_offsets-1, led by broker 1; broker 2 coordinates it" in d.err
        raw = once("explain", torture, "--group", "g", "--cluster", r"\xff")
        assert r"Group g of cluster \xff is invalid: not valid UTF-8: the name" in raw.err

    def test_names_that_mean_harm(self, once: Once, torture: Path) -> None:
        words = ("explain", torture, "--group", hostile("group"))
        text = check_harmless(once(*words))
        for name in ("group", "busy", "topic"):
            assert plain(hostile(name)) in text.out + text.err
        row = json_of(check_harmless(once(*words, "--format", "json")), "explanation")
        assert (row["group"], row["cluster"]) == (hostile("group"), EVIL)
        assert row["loads"].keys() == {hostile("idle"), hostile("busy")}
        assert is_one_line(check_harmless(once(*words[:3], HOSTILE), 2))

    def test_names_of_a_hundred_thousand_characters(self, once: Once, torture: Path) -> None:
        """Short wherever they are shown, whole in all data."""
        words = ("explain", torture, "--group", LONG_GROUPS[0])
        output = check_harmless(once(*words))
        assert max(map(len, output.out.splitlines() + output.err.splitlines())) < 1_200
        row = json_of(once(*words, "--format", "json"), "explanation")
        assert row["loads"].keys() == {long("a"), long("b")}
        output = check_harmless(once(*words[:3], "y" * LENGTH), 2)
        assert "has no group 'yyy" in output.err
        assert len(output.err) < 1_200

    def test_owners_of_the_tasks_of_streams(self, once: Once, torture: Path) -> None:
        """There is no plan, and what members have is shown all the same."""
        words = ("explain", torture, "--group", "streams-classic")
        row = json_of(once(*words, "--format", "json"), "explanation")
        assert (row["status"], row["owned"], row["loads"]) == ("unsupported", {"b": 1}, {})
        assert lines_of(once(*words), "b") == [["b", "1"]]

    def test_all_is_shown_if_asked_for(self, once: Once, torture: Path) -> None:
        words = ("explain", torture, "--group", "wide")
        few = once(*words)
        assert "Not shown: 19 rows of moves (--all shows them)." in few.err
        assert few.out.count("→") == 2 * 10
        as_csv = once(*words, "--csv")
        assert (len(as_csv.out.splitlines()), "Not shown" in as_csv.err) == (31, False)
        assert once(*words, "--csv", "--table", "loads") == as_csv
        every = once(*words, "--all")
        assert every.out.count("→") == 2 * 29
        assert "--all shows" not in every.err

    def test_a_smaller_age_is_configured(self, run: Run, torture: Path, tmp_path: Path) -> None:
        """Then the cluster of an hour before isn't there."""
        config = tmp_path / "my.toml"
        config.write_text("max_age = '59m'\n")
        output = run("explain", torture, "--group", "left", "--config", config)
        assert (output.code, "has no group 'left'" in output.err) == (2, True)


class TestFrontier:
    """`evenfleet frontier`."""

    @pytest.mark.parametrize(
        ("group", "knee", "row"),
        [
            ("lopsided", "7 moves lower the largest load from 12 to 5, each about as much", "3 9"),
            (
                "steep",
                "4 moves bring 80 % of the gain; all 9 lower the largest load from 8 to 3.",
                "4 4 80 % most for its moves",
            ),
        ],
    )
    def test_each_load_has_its_fewest_moves_and_a_sentence_tells_the_knee(
        self, once: Once, torture: Path, group: str, knee: str, row: str
    ) -> None:
        output = once("frontier", torture, "--group", group, *BY_COUNT, "--all")
        assert output.code == 0, output.err
        assert output.err.startswith(knee)
        ((*words,),) = lines_of(output, row[0])
        assert words[: len(row.split())] == row.split()

    def test_for_programs_a_row_with_its_points(self, once: Once, torture: Path) -> None:
        words = ("frontier", torture, *BY_COUNT, "--format", "json", "--group")
        row = json_of(once(*words, "lopsided", "--move-cost", "30s"), "frontier")
        points = [(point["moves"], point["max_load"]) for point in row["points"]]
        assert points == [(moves, 12 - moves) for moves in range(8)]
        assert (row["current_max_load"], row["balanced_moves"]) == (12, 7)
        assert [point["move_seconds"] for point in row["points"]] == [30 * n for n in range(8)]
        even = json_of(once(*words, "even"), "frontier")
        assert even["sentence"] == "No move makes the largest load lower than 1."
        nobody = once(*words, "nobody", "--cluster", "west")
        assert (nobody.code, json_of(nobody, "frontier")["points"]) == (0, [])
        assert nobody.err.startswith("Group nobody is empty: the group has no members.")

    def test_limits_count_and_a_clash_is_the_groups_reason(self, once: Once, torture: Path) -> None:
        words = ("frontier", torture, "--group", "even", "--format", "json", *BY_COUNT, "--goal")
        row = json_of(once(*words, "exclude=a"), "frontier")
        assert [(point["moves"], point["max_load"]) for point in row["points"]] == [(1, 2)]
        row = json_of(once(*words, "max_partitions=0"), "frontier")
        assert (row["status"], row["points"]) == ("failed", [])
        assert row["reason"].startswith("its limits can't be met: at most 0 partitions")

    def test_by_weight_a_row_has_what_was_found_and_what_none_is_below(
        self, once: Once, torture: Path
    ) -> None:
        """Weights are Spark's; dataframes say the same as files."""
        words = ("frontier", torture, "--group", "heavy", "--weight", "column")
        row = json_of(output := once(*words, "--format", "json"), "frontier")
        report = "1 move lowers the largest load by weight from 100 to 50, each about as much as"
        assert report in output.err
        assert "no plan gets below 50 (gap 0.00 %)" in output.err
        weights = (row["current_max_weight"], row["weight_bound"])
        assert weights == (pytest.approx(100), pytest.approx(50))
        columns = ["gain", "knee", "max_weight", "moves", "weight_bound"]
        assert [sorted(point) for point in row["points"]] == [columns] * 2
        output = once("explain", *words[1:], "--all")
        sentence = "the largest load by weight of 2 members is 100; no plan gets below 50.\n"
        assert f"{sentence}The plan makes it 50 with 1 move." in output.err
        assert ["a", "100", "50", "12", "11"] in lines_of(output, "a")
        refused = once(*words, "--goal", "max_partitions=3")
        assert (refused.code, refused.out) == (0, "")
        assert "what moves buy isn't worked out under max_partitions: leave it" in refused.err

    def test_dataframes_say_the_same(self, spark: SparkSession, torture: Path) -> None:
        of_frames = frontier_of_group(FleetSnapshot.read(spark, str(torture)), "lopsided")
        assert of_frames == frontier_of_group(FleetFiles.read(str(torture)), "lopsided")


def scenario_of(folder: Path, *steps: str, head: str = "") -> Path:
    """A file of events after ten seconds."""
    path = folder / "scenario.toml"
    tables = [f'[[step]]\nat = "10s"\nevent = "{event}"\n' for event in steps]
    path.write_text("\n".join([head, *tables]))
    return path


class TestSimulate:
    """`evenfleet simulate`, of a group with three partitions a member and ten records a second."""

    @pytest.fixture
    def app(self, once: Once, torture: Path) -> Any:
        """Runs the command on that group, and gives all that it prints, or a table."""

        def simulated(scenario: object, *words: object, table: str = "simulation") -> Any:
            about = ("simulate", torture, "--group", "app", "--scenario", scenario)
            output = check_harmless(once(*about, *words))
            return tables_of(output)[table] if "json" in words else output.out + output.err

        return simulated

    def test_a_rolling_restart_as_people_see_it(self, app: Any) -> None:
        text = app("rolling-deploy")
        verdict = "group app rebalances 4 times: 6 partitions moved, 6 taken over"
        assert f"A rolling deployment (range): {verdict}" in text
        assert "generation 2: 1 member, range, led by b" in text
        assert "session.timeout.ms=45000" in text
        assert "145 records wait." in text
        assert "Lag is unknown: state peak_rate (records/s) in [consumers]" in text

    def test_json_has_all_of_it_and_is_the_same_each_time(
        self, run: Run, torture: Path, tmp_path: Path
    ) -> None:
        """Several seeds tell what chance makes of it."""
        words = ("simulate", torture, "--group", "app", "--format", "json", "--scenario")
        words = (*words, scenario_of(tmp_path, "crash=a"))
        alone = [run(*words, "--seed", seed) for seed in (3, 4, 5)]
        report = tables_of(alone[0])
        (figures,) = report["simulation"]
        assert (figures["rebalances"], figures["takeovers"], figures["at_rest"]) == (1, 3, True)
        assert 3 * 40 < figures["unread_seconds"] < 3 * 50
        assert report["generations"][0]["assignment"] == {"b": [f"flow-{n}" for n in range(6)]}
        pauses = {pause["partition"] for pause in report["pauses"] if pause["before"] == "a"}
        assert pauses == {"flow-0", "flow-1", "flow-2"}
        unread = 10 * figures["unread_seconds"]
        assert figures["records_waited"] == pytest.approx(unread, rel=0.001)
        twice = 10 * figures["read_twice_seconds"]
        assert figures["records_read_twice"] == pytest.approx(twice, rel=0.001)
        assert twice > 0
        several = run(*words, "--seed", 3, "--seeds", 3)
        spread = {row.pop("measure"): row for row in tables_of(several)["spread"]}
        seconds = sorted(json_of(one, "simulation")["unread_seconds"] for one in alone)
        assert spread["partition-seconds unread"] == pytest.approx(
            dict(zip(("least", "median", "most"), seconds, strict=True))
        )
        assert seconds[0] < seconds[-1]
        assert spread["rebalances"] == {"least": 1, "median": 1, "most": 1}
        again = run(*words, "--seed", 3)
        assert again.out == alone[0].out != alone[1].out
        short = json_of(run(*words, "--window", "10m"), "simulation")
        assert (short["records_read_twice"], short["records_waited"]) == (None, None)

    def test_lag_is_shown_where_a_scenario_says_what_members_can_read(
        self, app: Any, tmp_path: Path
    ) -> None:
        """A member with three partitions stands still for 30 s: 900 records, at 100 − 30 a s."""
        scenario = scenario_of(tmp_path, "freeze=a:30s", head="peak_rate = 100")
        (figures,) = app(scenario, "--format", "json")
        assert figures["max_lag_seconds"] == pytest.approx(30, abs=0.1)
        assert figures["max_lag_records"] == pytest.approx(900, rel=0.01)
        assert figures["catch_up_seconds"] == pytest.approx(900 / 70, rel=0.01)
        assert figures["never_caught_up"] == 0
        lag = app(scenario, "--format", "json", table="lag")
        assert [row["partition"] for row in lag] == ["flow-0", "flow-1", "flow-2"]
        assert {row["reader"] for row in lag} == {"a"}
        text = app(scenario)
        assert "Up to 30 s behind (900 records), up to 13 s to catch up." in text
        assert "froze" in text
        assert "largest lag (records)" in app(scenario, "--seeds", 3)

    def test_where_rates_and_peak_rates_come_from(
        self, run: Run, tmp_path: Path, spark: SparkSession
    ) -> None:
        """Of one snapshot nothing; in one hour of two a has read 20 a second of each partition."""
        owned = [("t", n, "a" if n < 3 else "b") for n in range(6)]
        words = ("simulate", tmp_path / "store", "--group", "app", "--scenario")

        def figures(head: str = "", *more: object) -> Any:
            scenario = scenario_of(tmp_path, "freeze=a:30s", head=head)
            output = run(*words, scenario, *more, "--format", "json")
            return json_of(output, "simulation") | {"said": output.err}

        for hour, (end, of_a) in enumerate(((100_000, 0), (136_000, 72_000), (172_000, 108_000))):
            fleet = Fleet().topic("t", 6)
            fleet.group("app", {"a": ["t"], "b": ["t"]}, owned, state="Stable", strategy="range")
            for n in range(6):
                offsets = {"committed_offset": of_a if n < 3 else end, "end_offset": end}
                fleet.add("offsets", group="app", topic="t", partition=n, **offsets)
            fleet.store(tmp_path / "store", HOURS[hour])
            if hour == 0:
                text = figures("peak_rate = 100")["said"]
                assert "Lag is unknown without rates: collect twice" in text
                text = figures("[rates]\nt = 10")["said"]
                assert "Lag is unknown: state peak_rate (records/s)" in text
        assert figures()["catch_up_seconds"] == pytest.approx(900 / (60 - 30), rel=0.01)
        config = tmp_path / "peak.toml"
        config.write_text("[consumers]\npeak_rate = 100\n")
        peak = figures("", "--config", config)
        assert peak["catch_up_seconds"] == pytest.approx(900 / 70, rel=0.01)
        store, of_group = str(tmp_path / "store"), ("app", timedelta(hours=24), "c")
        files, fleet = FleetFiles.read(store), FleetSnapshot.read(spark, store)
        flow = rates_of_group(files.place, store, files, *of_group)
        assert flow == rates_of_group(spark, store, fleet, *of_group) == ({"t": [10.0] * 6}, 60.0)

    @pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
    def test_scenarios_that_come_along_are_sound_and_commented(self, path: Path) -> None:
        scenario = scenario_in(path)
        assert scenario.title
        assert scenario.steps
        assert path.read_text().startswith("# ")


class TestSnapshots:
    """`evenfleet snapshots`."""

    def test_people_see_counts_and_size(self, once: Once, torture: Path) -> None:
        output = check_harmless(once("snapshots", torture))
        (row,) = lines_of(output, HOURS[1])
        *_, groups, members, partitions, _, unit = row
        assert (groups, members, partitions, unit) == ("83", "205", "220", "kB")
        assert max(map(len, output.out.splitlines())) < 1_200
        assert "\nNext: evenfleet audit" in output.err

    def test_programs_get_all(self, once: Once, torture: Path) -> None:
        listed = tables_of(once("snapshots", torture, "--format", "json"))["snapshots"]
        assert [row["snapshot"] for row in listed] == [*HOURS]
        assert listed[-1]["other_kinds"] == "1 connect, 3 other, 1 share, 2 streams"
        newest = {name for name, snapshot in CLUSTERS.items() if snapshot == SNAPSHOT}
        once_there = [{*row["clusters"]} - newest for row in listed]
        assert once_there == [set(), {r"\xff", "old"}, set()]
        assert all(newest <= {*row["clusters"]} for row in listed)


def test_brokers_of_all_clusters_are_planned_and_a_bad_one_stops_none(
    once: Once, torture: Path, results: Path
) -> None:
    """`evenfleet reassign`: the cluster that can be planned has the files that it has alone."""
    words = ("reassign", torture, "--batch-copies", 40, "--out")
    output = check_harmless(once(*words, results / "all", "--all", "--format", "json"), 1)
    clusters = {row["cluster"]: row for row in tables_of(output)["clusters"]}
    assert clusters.keys() == CLUSTERS.keys()
    assert [name for name, row in clusters.items() if row["status"] == "planned"] == ["west"]
    assert "doesn't tell where the replicas" in clusters["c"]["reason"]
    west = ("--cluster", "west", "--format", "json")
    alone = tables_of(once(*words, results / "moves", *west))
    *sentences, of_readers = alone["sentences"]
    assert clusters["west"]["sentences"] == [row["sentence"] for row in sentences]
    assert "reads from leaders will cross racks" in of_readers["sentence"]
    assert clusters["west"]["copies"] == sum(row["copied_in"] for row in alone["brokers"])
    written = {path.name: path.read_text() for path in (results / "moves").iterdir()}
    assert {p.name: p.read_text() for p in (results / "all" / "west").iterdir()} == written
    assert [path.name for path in (results / "all").glob("[!.]*")] == ["west"]
    table = check_harmless(once(*words, results / "all", "--all"), 1)
    assert "not planned" in table.out
