"""Commands that plan the torture store, or parts of it, and those that check and use the plan."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from optimizer.model import DEFAULT_GOALS, Goals
from spark.compare.measure import ComparedRow
from spark.glossary import GLOSSARY
from spark.groups.columns import columns_of
from spark.settings import USUAL_STRATEGIES
from spark.solve.solved_row import GroupRow
from tests.spark.commands.conftest import Once, compare_words
from tests.support.fleets import SNAPSHOT, Fleet
from tests.support.rows import planned_alone, rows_of
from tests.support.said import Run, flat, is_one_line
from tests.support.small import EARLIER, rows
from tests.support.terminal import tables_of
from tests.support.torture import (
    CLUSTERS,
    EVIL,
    HOURS,
    LONG,
    LONG_GROUPS,
    READ,
    STATUSES,
    UTF8,
    check_harmless,
    hostile,
    long,
    torture_fleet,
)

PAY = {("west", "pay-1"), ("west", "pay-2"), ("d", "pay-1")}
SOUND = 40
"""Groups that are planned."""


def keys(folder: Path, table: str = "groups", snapshot: str = SNAPSHOT) -> set[tuple[str, str]]:
    return {(row["cluster"], row["group"]) for row in rows(folder / table, snapshot)}


class TestPart:
    """A plan of a part says so, and is verified as one."""

    @pytest.fixture
    def part(self, once: Once, torture: Path, results: Path) -> Any:
        words = ("--group", "pay*", "--format", "json")
        return check_harmless(once("plan", torture, "--out", results / "part", *words))

    def test_of_some_groups(self, part: Any, once: Once, torture: Path, results: Path) -> None:
        out = results / "part"
        report = f"Only groups matching 'pay*' were planned: {out} has no other groups of snapshot"
        assert f"{report} {SNAPSHOT}.\n" in part.err
        printed = tables_of(part)
        assert [row["fleet"] for row in printed["fleet"]] == ["now", "planned"]
        assert printed["fleet"][1]["moves"] == 4
        assert printed["groups"] == [{"snapshot": SNAPSHOT, "status": "ok", "groups": 3}]
        assert {row["cluster"]: row["snapshot"] for row in printed["clusters"]} == CLUSTERS
        assert keys(out) == keys(out, "assignments") == PAY
        moved = [
            tuple(row.values())[2:]
            for row in rows(out / "assignments")
            if (row["cluster"], row["group"]) == ("west", "pay-1")
        ]
        assert moved == [("pay", 0, "a", "a", "keep"), ("pay", 1, "b", "a", "move")]
        output = once("verify", torture, out, "--snapshot", SNAPSHOT)
        assert (output.code, "No fault in 3 planned groups" in output.err) == (0, True)
        assert "The plan covers only groups matching 'pay*'.\n" in output.err
        part_of_it = ("--cluster", "west", "--group", "*-1")
        output = once("verify", torture, out, *part_of_it)
        text = "No fault in 1 planned group among groups matching '*-1' of cluster west, "
        assert (output.code, text in output.err) == (0, True)


class TestWhole:
    """Every group has its row; odd ones stop none, and are whole in all data."""

    @pytest.fixture(autouse=True)
    def planned(self, once: Once, torture: Path, results: Path) -> Any:
        return check_harmless(once("plan", torture, "--all", "--out", results / "plan"))

    def test_each_group_has_its_status_and_reason(self, results: Path) -> None:
        groups = {(row["cluster"], row["group"]): row for row in rows(results / "plan" / "groups")}
        others = {key: row["status"] for key, row in groups.items() if row["status"] != "ok"}
        assert others == STATUSES
        assert len(groups) == SOUND + len(STATUSES) - 1
        reasons = {group: groups["c", group]["reason"] for group in UTF8}
        assert reasons == {group: f"not valid UTF-8: {why}" for group, why in UTF8.items()}
        assert len(groups[LONG, LONG_GROUPS[2]]["reason"]) < 300
        assert groups["c", "its-member"]["members"] == 1
        assert {cluster for cluster, _ in groups} == CLUSTERS.keys()

    def test_members_and_topics_have_their_names(self, results: Path) -> None:
        assignments = rows(results / "plan" / "assignments")
        assert {(row["cluster"], row["group"]) for row in assignments}.isdisjoint(
            key for key, status in STATUSES.items() if status != "inferred"
        )
        of_evil, of_long = (
            {(row["topic"], row["member_id"]) for row in assignments if row["cluster"] == cluster}
            for cluster in (EVIL, LONG)
        )
        assert of_evil == {(hostile("topic"), hostile(name)) for name in ("idle", "busy")}
        assert of_long == {(long("topic"), long(name)) for name in "ab"}

    def test_a_new_user_reads_what_states_and_columns_mean(
        self, planned: Any, results: Path
    ) -> None:
        assert re.search(r"empty +3 +no members", planned.out)
        assert re.search(rf"ok +{SOUND - 1} +planned", planned.out)
        assert [word for word in GLOSSARY if f"{word}: " in planned.err] == ["uneven"]
        assert f"Written to {results}/plan: assignments, groups" in planned.err
        assert READ in planned.err
        assert max(map(len, (planned.out + planned.err).splitlines())) < 1_200

    def test_verify(self, once: Once, torture: Path, results: Path) -> None:
        output = check_harmless(once("verify", torture, results / "plan"))
        assert output.out == ""
        assert READ in output.err and "The plan covers only" not in output.err
        assert (
            f"No fault in {SOUND} planned groups, snapshot {SNAPSHOT}: "
            "every partition, measure and proof holds.\n"
        ) in output.err
        assert "\nNext: evenfleet export-plan " in output.err

    def test_export_plan(self, once: Once, torture: Path, results: Path) -> None:
        """By a client id that isn't text no member would find its part of the plan."""
        file, words = results / "g.json", ("export-plan", torture, results / "plan", "--group")
        for group, why in (
            (r"caf\xe9", r"group 'caf\\xe9' has no plan, it is invalid: not valid UTF-8"),
            ("its-client", r"client.id isn't valid UTF-8, caf\xe9; give"),
            ("own-rack", "i-a"),
        ):
            output = once(*words, group, "--out", file)
            if group != "own-rack":
                assert (output.code, is_one_line(output), why in output.err) == (2, True, True)
                assert not file.exists()
        assert json.loads(file.read_text())["cluster"] == "c"
        output = check_harmless(once(*words, "late", "--out", file))
        assert READ in output.err and "the plan of group late of cluster west: " in output.err
        assert json.loads(file.read_text())["members"] == {
            "a": {"orders": [0]},
            "b": {"orders": [1]},
        }

    def test_export_plan_takes_those_that_are_advised_one(
        self, run: Run, torture: Path, results: Path, tmp_path: Path
    ) -> None:
        """And can follow it; neither --group nor --all has to be given."""
        check_harmless(run("export-plan", torture, results / "plan", "--out", tmp_path))
        advised = [
            row["group"]
            for row in rows(results / "plan" / "groups")
            if row["follows"] or (row["can_follow"] and row["advice_kind"] == "plan")
        ]
        assert len([*tmp_path.glob("*/*.json")]) == len(advised) > 0

    def test_a_cluster_that_the_plan_lost_is_a_fault(
        self, run: Run, torture: Path, results: Path, tmp_path: Path
    ) -> None:
        """Whatever has come to the store since; rows that are missing are one as well."""
        shutil.copytree(results / "plan", plan := tmp_path / "plan")
        for table in ("groups", "assignments"):
            (part,) = (plan / table / f"snapshot={SNAPSHOT}").glob("*.parquet")
            rest = [row for row in rows(plan / table) if row["cluster"] not in ("old", EVIL)]
            replace_rows(part, rest)
        output = check_harmless(run("verify", torture, plan, "--format", "json"), 1)
        faults = tables_of(output)["faults"]
        assert {row["cluster"] for row in faults} == {"old", EVIL}
        assert hostile("group") in {row["group"] for row in faults}


def test_a_plan_without_any_partition_verifies(run: Run, tmp_path: Path) -> None:
    """Not one group has members."""
    Fleet().group("g", {}).store(tmp_path / "store")
    assert run("plan", tmp_path / "store", "--out", tmp_path / "plan").code == 0
    assert rows(tmp_path / "plan" / "assignments") == []
    output = run("verify", tmp_path / "store", tmp_path / "plan", "--format", "json")
    assert (output.code, tables_of(output)["faults"]) == (0, [])


def replace_rows(part: Path, left: list[dict[str, Any]]) -> None:
    """By another program, which names its files its own way."""
    schema = pq.ParquetFile(part).schema_arrow
    part.unlink()
    pq.write_table(pa.Table.from_pylist(left, schema), part.with_name("again.parquet"))


class TestOfMany:
    """`--snapshot all`."""

    def test_an_id_is_that_snapshot_alone(self, run: Run, torture: Path, tmp_path: Path) -> None:
        out = tmp_path / "plan"
        words = ("--snapshot", "all", "--group", "plain", "--format", "json")
        printed = tables_of(check_harmless(run("plan", torture, "--out", out, *words)))
        clusters = [(row["snapshot"], row["cluster"]) for row in printed["clusters"]]
        assert {snapshot for snapshot, cluster in clusters if cluster == "old"} == {EARLIER}
        assert [row["snapshot"] for row in printed["fleet"]] == sorted([*HOURS, *HOURS])
        for snapshot in HOURS:
            for table in ("assignments", "groups"):
                assert keys(out, table, snapshot) == {("c", "plain"), ("d", "plain")}

    def test_a_snapshot_without_the_cluster_is_skipped(
        self, run: Run, asked: list[Any], torture: Path, tmp_path: Path
    ) -> None:
        """By a configuration file: of it, Spark's settings are left that no option replaces."""
        out, config = tmp_path / "plan", tmp_path / "my.toml"
        config.write_text("strategy = 'range'\n[spark]\n'spark.a' = 1\n'spark.b' = 2\n", "utf-8")
        words = ("--config", config, "--conf", "spark.b=x=y", "--master", "local[3]")
        words = (*words, "--snapshot", "all", "--cluster", "old", "--strategy", "sticky")
        output = run("plan", torture, "--out", out, *words)
        assert output.code == 0
        for snapshot in (HOURS[0], HOURS[2]):
            assert f"Skipped: snapshot {snapshot} has no cluster 'old'" in output.err
        assert [path.name for path in (out / "groups").iterdir()] == [f"snapshot={EARLIER}"]
        assert {row["strategy"] for row in rows(out / "groups", EARLIER)} == {"sticky"}
        assert asked == [("local[3]", {"spark.a": "1", "spark.b": "x=y"})]


@pytest.mark.parametrize(
    ("strategy", "goals"), [("optimal", Goals(rack="any")), ("range", DEFAULT_GOALS)]
)
def test_racks_of_partitions_are_only_compared(strategy: str, goals: Goals) -> None:
    """No group is invalid for one that isn't valid UTF-8, but for one of a member's."""
    fleet = torture_fleet(hour=2)
    names = {"own-rack": "ok", "reads-racked": "ok", "its-rack": "invalid"}
    found = {
        name: planned_alone(rows_of(fleet, name, "c", racks=True), strategy, goals).solved.status
        for name in names
    }
    assert found == names


class TestCompare:
    """`evenfleet compare`."""

    def test_by_group_and_for_the_fleet(self, once: Once, torture: Path, results: Path) -> None:
        out = results / "compare"
        output = check_harmless(once("compare", torture, *compare_words(results)))
        assert READ in output.err
        once("plan", torture, "--out", results / "plan")
        compared = rows(out / "comparison")
        assert keys(out, "comparison") == keys(results / "plan")
        each = {(row["cluster"], row["group"], row["strategy"]) for row in compared}
        assert (len(each), tuple(compared[0])) == (len(compared), columns_of(ComparedRow))
        assert columns_of(ComparedRow)[:16] == columns_of(GroupRow)
        heavy = {row["strategy"]: row for row in compared if row["group"] == "heavy"}
        weights = {name: (row["max_weight"], row["weight_bound"]) for name, row in heavy.items()}
        kafkas = dict.fromkeys(set(USUAL_STRATEGIES) - {"current", "optimal"}, (88, 50))
        assert weights == kafkas | {"current": (100, 50), "optimal": (50, 50)}
        assert [name for name, row in heavy.items() if row["balance_optimal"]] == ["optimal"]
        moves = {row["strategy"]: row["moves"] for row in compared if row["group"] == "pay-2"}
        assert moves == dict.fromkeys(USUAL_STRATEGIES, 1) | {"current": 0}
        assert {row["moves"] for row in compared if row["group"] == "nobody"} == {None}
        printed = tables_of(output)
        leagues = printed["strategies"] + printed["connect_strategies"]
        assert leagues == rows(out / "fleet")
        assert printed["strategies"][0]["strategy"] == "optimal"
        for_all = [row for row in printed["strategies"] if row["strategy"] in ("range", "optimal")]
        assert {row["groups"] for row in for_all} == {SOUND - 1}
        (why,) = {row["why"] for row in for_all}
        assert why == "3 empty, 1 rebalancing, 5 unsupported, 34 invalid"
        change = {"cluster": "west", "group": "pay-2", "judged_by": "weight"}
        change |= {"now_to_best": 2.0, "after_to_best": None, "severity": "warning"}
        change |= {"advice_kind": "look", "advice_strategy": None, "can_follow": True}
        change |= {"advice_moves": None}
        changes = [row.items() for row in printed["groups_to_change"]]
        assert any(row >= change.items() and " " in dict(row)["advice"] for row in changes)
        assert {row["cluster"]: row["snapshot"] for row in printed["clusters"]} == CLUSTERS

    def test_every_snapshot_for_all(self, run: Run, torture: Path, tmp_path: Path) -> None:
        words = ("compare", torture, "--strategies", "current,optimal", "--group", "cure*")
        output = run(*words, "--out", tmp_path / "all", "--snapshot", "all", "--format", "json")
        assert output.code == 0, output.err
        printed = tables_of(output)
        assert sorted({row["snapshot"] for row in printed["strategies"]}) == [*HOURS]
        text = flat(output.err)
        assert "Only groups matching 'cure*' were compared." in text
        assert all(f"Snapshot {hour}: " in text for hour in HOURS)
        assert {"cluster": "old", "snapshot": EARLIER} in printed["clusters"]
        compared = rows(tmp_path / "all" / "comparison", EARLIER)
        loads = [(row["group"], row["strategy"], row["max_load"]) for row in compared]
        assert loads == [("cured", "current", 4), ("cured", "optimal", 2)]


class TestWhatIf:
    """`evenfleet whatif`."""

    def test_it_tells_what_comes_of_it(self, run: Run, torture: Path, tmp_path: Path) -> None:
        out = tmp_path / "out"
        words = ("--event", "crash-rack=r2", "--strategies", "current,optimal", "--cluster", "west")
        output = check_harmless(run("whatif", torture, *words, "--out", out))
        assert "lopsided" in output.out
        assert "4 → 2" in output.out
        assert "crash-rack=r2 hits " in output.err
        *_, following = output.err.splitlines()
        assert following.startswith("Next: evenfleet plan ")
        assert following.endswith("/store' --out plan --cluster west")
        result = {(row["group"], row["strategy"]): row for row in rows(out / "whatif")}
        assert result["lopsided", "current"]["members_after"] == 2
        assert result["one", "optimal"]["status"] == "unaffected"
        assert result["nobody", "optimal"]["status"] == "empty"

    def test_json_is_for_programs(self, once: Once, torture: Path) -> None:
        words = ("--event", "grow=flow:12", "--group", "app", "--strategies", "range")
        output = once("whatif", torture, *words, "--move-cost", "2GB", "--format", "json")
        assert output.code == 0
        report = tables_of(output)
        assert [row["partitions_after"] for row in report["groups"]] == [12]
        assert report["strategies"][0]["groups"] == 1
        for row in report["groups"] + report["strategies"]:
            assert row["move_bytes"] == 2 * 10**9 * row["moves"] > 0

    def test_by_weight_members_are_planned_by_what_they_can_take(
        self, run: Run, torture: Path, tmp_path: Path
    ) -> None:
        """b can take twice as much; c goes. Range gives a what weighs 10, the best is 4 and 8."""
        words = ("--event", "crash=c", "--strategies", "current,optimal", "--group", "sized")
        output = run("whatif", torture, *words, "--weight", "column", "--out", tmp_path)
        assert output.code == 0, output.err
        result = {row["strategy"]: row for row in rows(tmp_path / "whatif")}
        for name, most in (("current", 10), ("optimal", 4)):
            assert result[name]["max_weight_after"] == pytest.approx(most)
            assert result[name]["weight_bound_after"] == pytest.approx(4)
        assert "by weight ÷ its lower bound: now 2.5, optimal 1." in flat(output.out)


class TestRollout:
    """`evenfleet rollout`."""

    def test_of_all(self, once: Once, torture: Path) -> None:
        output = check_harmless(once("rollout", torture, "--to", "consumer", "--format", "json"))
        assert "rolling restart to consumer, in " in flat(output.err)
        assert "Assumes Kafka's defaults: session.timeout.ms=45000" in flat(output.err)
        steps = {(row["cluster"], row["group"]): row for row in tables_of(output)["steps"]}
        assert steps.keys() >= STATUSES.keys()
        assert {steps[key]["status"] for key in PAY} == {"ready"}
        assert steps["west", "nobody"]["reason"] == "the group has no members"
