"""Commands about the three hours of the torture store."""

import re
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

from spark.history import abandoned_lag, behind_for_people, behind_verdict
from tests.spark.commands.conftest import Once, history_words
from tests.support.fleets import SNAPSHOT, Fleet
from tests.support.said import Run, flat, is_one_line
from tests.support.small import EARLIER, rows
from tests.support.terminal import tables_of
from tests.support.tiers import tiered
from tests.support.torture import (
    CLUSTERS,
    EVIL,
    HOURS,
    STATUSES,
    UTF8,
    check_harmless,
    hostile,
)

SPAN = f"Read 3 snapshots from {HOURS[0]} to {SNAPSHOT}: 5 clusters (c, "


def of_group(table: list[dict[str, Any]], group: str) -> list[dict[str, Any]]:
    return [row for row in table if (row["cluster"], row["group"]) == ("west", group)]


class TestHistory:
    """`evenfleet history`."""

    def test_each_snapshot_is_written_by_itself(
        self, once: Once, torture: Path, results: Path
    ) -> None:
        out = results / "history"
        output = check_harmless(once("history", torture, *history_words(results)))
        assert "restless" in {row["group"] for row in tables_of(output)["restless"]}
        assert SPAN in output.err
        text = (
            "2 rebalances (cause unknown for 2): 8 partitions moved, 8 of them needlessly; 4 taken"
        )
        assert output.err.startswith(text)
        assert " of west rebalanced most (" in flat(output.err)
        assert "): look in its members' logs for polls longer" in flat(output.err)
        for snapshot in HOURS:
            states = {(row["cluster"], row["group"]) for row in rows(out / "states", snapshot)}
            assert states >= {("c", group) for group in UTF8} | {(EVIL, hostile("group"))}
        changes = [of_group(rows(out / "changes", hour), "restless") for hour in HOURS[1:]]
        assert [row["moves"] for (row,) in changes] == [2, 2]


class TestRates:
    """`evenfleet rates`."""

    def test_what_flows_is_written_and_who_falls_behind_is_told(
        self, once: Once, torture: Path, results: Path
    ) -> None:
        words = ("rates", torture, "--out", results / "rates", "--quantile", 0.5)
        output = check_harmless(once(*words))
        assert "west late 1 of 2 72 36 s 0.01" in flat(output.out)
        sentence = "1 group falls behind: lag grew in the window, and still grows."
        assert f"{sentence} Worst: late of west (72 records, 36 s)." in flat(output.err)
        assert SPAN in output.err
        written = {
            (row["topic"], row["partition"]): row
            for row in rows(results / "rates" / "rates")
            if row["cluster"] == "west"
        }
        assert written["orders", 0]["mean"] == pytest.approx(2.01)
        assert (written["orders", 1]["quantile"], written["orders", 1]["pairs"]) == (2, 2)
        read = of_group(rows(results / "rates" / "consumption"), "late")
        assert {row["partition"]: row["falls_behind"] for row in read} == {0: True, 1: False}
        members = rows(results / "rates" / "members")
        maxima = {row["member_id"]: row["maximum"] for row in of_group(members, "late")}
        assert maxima == {"a": 2, "b": 2}
        assert {row["maximum"] for row in of_group(members, "even")} == {None}
        assert hostile("busy") in {row["member_id"] for row in members}
        audit = once("audit", torture, "--group", "late", "--format", "json")  # by itself
        assert "falls-behind" in {row["finding"] for row in tables_of(audit)["findings"]}

    def test_for_programs_and_a_part(self, once: Once, torture: Path, results: Path) -> None:
        words = ("rates", torture, "--out", results / "some", "--window", "1h")
        output = once(*words, "--until", EARLIER, "--format", "json", "--cluster", "west")
        assert output.code == 0, output.err
        result = tables_of(output)
        busiest = [row["topic"] for row in result["busiest"]]
        assert busiest[:8] == ["flow"] * 6 + ["orders"] * 2
        late = [(row["group"], row["lag"]) for row in result["behind"] if row["members"]]
        assert late == [("late", 36)]
        span = {"first": HOURS[0], "last": EARLIER, "snapshots": 2}
        assert result["clusters"] == [{"cluster": "west"} | span]

    def test_a_store_without_offsets(self, run: Run, store: Path, tmp_path: Path) -> None:
        """Nor are there members needed, policies to replay, or weights by lag."""
        for words, why in (
            (("rates", store, "--out", tmp_path / "out"), "no snapshot has a table offsets, and"),
            (("scale", store), "has no two snapshots with offsets since 7d"),
            (("frontier", store, "--group", "g", "--weight", "lag"), "has no table offsets"),
            (("frontier", store, "--group", "g", "--weight", "rate"), "offsets"),
        ):
            output = run(*words)
            assert (output.code, is_one_line(output), why in output.err) == (2, True, True)
        output = run("members", store)
        assert output.code == 0, output.err
        sentence = "g of c: 1 per member, now 2 (2 partitions, 2 members)."
        assert sentence in flat(output.out)
        report = "Members needed are unknown: rates take two snapshots with offsets"
        assert report in output.err

    @pytest.mark.parametrize(
        ("lag", "seconds", "at_least", "late"),
        [
            (5_000, 86_400.0, True, " (5,000 records, ≥ 1 d)"),
            (None, 90.0, False, " (1.5 min)"),
            (None, None, None, ""),
        ],
    )
    def test_the_worst_group_is_told_as_far_as_it_is_known(
        self, lag: int | None, seconds: float | None, at_least: bool | None, late: str
    ) -> None:
        assert behind_verdict([]) == "No group falls behind."
        row = {"cluster": "c", "group": "g", "behind": 1, "partitions": 2, "lag_trend": 1.0}
        row |= {"lag": lag, "lag_seconds": seconds, "at_least": at_least, "members": 1}
        nobody = row | {"members": 0, "lag": 7}
        assert behind_verdict([row, row, nobody]) == (
            f"2 groups fall behind: lag grew in the window, and still grows. Worst: g of c{late}."
        )
        assert abandoned_lag([row]) == []
        assert abandoned_lag([row, nobody]) == [
            "1 group without members has 7 records of lag: start members, or delete the offsets."
        ]
        assert behind_for_people(row)["lag time"] == (
            late[2:-1].rsplit(", ", maxsplit=1)[-1] or "–"
        )


class TestMembers:
    """`evenfleet members`."""

    def test_for_programs_and_autoscalers(self, once: Once, torture: Path, results: Path) -> None:
        """A series a group of what is known; what commits cost, by group and broker."""
        file = results / "members.prom"
        words = ("--commits", "--headroom", 0.8, "--metrics", file, "--format", "json")
        output = check_harmless(once("members", torture, *words))
        (line,) = (text for text in output.err.splitlines() if text.startswith("Not evaluated: "))
        assert sum(map(int, re.findall(r"\d+", line))) == len(STATUSES) - 1
        assert "takes two snapshots" not in output.err
        assert "Assumes every partition peaks (p95) at once" in output.err
        report = tables_of(output)
        by_group = {(row["cluster"], row["group"]): row for row in report["members"]}
        assert by_group.keys() >= STATUSES.keys()
        steep, app = (by_group["west", name] for name in ("steep", "app"))
        assert (steep["spare"], steep["needed"], app["needed"]) == (0, None, 3)
        samples = {
            (sample.name.removeprefix("evenfleet_members_"), sample.labels["group"]): sample.value
            for family in text_string_to_metric_families(file.read_bytes().decode())
            for sample in family.samples
            if sample.labels["cluster"] == "west"
        }
        sizes = {name: value for (name, group), value in samples.items() if group == "steep"}
        assert sizes == {"now": 8, "even_below": 6, "even_above": 12, "most": 24}
        assert samples["needed", "app"] == 3
        brokers = {(row["cluster"], row["broker"]): row for row in report["coordinators"]}
        seven = brokers["west", 7]
        assert seven["inferred"]
        assert seven["offsets"] == pytest.approx(8 / 3600)
        assert seven["requests"] == pytest.approx(4 / 3600)

    def test_a_topic_in_a_group_of_its_own(self, once: Once, torture: Path) -> None:
        output = check_harmless(once("members", torture, "--split", "big", "--format", "json"))
        split = {row["group"]: row for row in tables_of(output)["split"]}
        assert [tuple(side.values())[:6] for side in split["split"]["sides"]] == [
            ("now", 4, 12, 9, 900.0, 900.0),
            ("one group, optimal", 4, 12, 3, 900.0, 900.0),
            ("the topic's own", 3, 9, 3, 900.0, 900.0),
            ("the rest", 1, 3, 3, 0.0, 0.0),
        ]
        assert split["split"]["sentence"].startswith(
            "big on 3 members, the rest on 1: up to 3 partitions per member (now 9, in one even "
            "group 3). A rebalance stops 9 or 3 partitions, not 12. big has 900 of 900 records of "
            "lag."
        )
        assert split["one"]["sides"] is None
        assert split.keys() == {"split", "one"}

    def test_lag_after_a_split(self, run: Run, tmp_path: Path) -> None:
        """25 records a second come in for big, of which a reads some: each of 3 members could.

        In the last cluster, members can read 3 more an hour of 60,000 records than come in.
        """
        for hour in range(2):
            made = Fleet()
            for cluster, (read, *_) in SPLITS.items():
                made.topic("big", 9, cluster).topic("small", 3, cluster)
                owned = [("big", n, "a") for n in range(9)] + [("small", n, "b") for n in range(3)]
                made.group("g", {name: ["big", "small"] for name in "abcd"}, owned, cluster)
                offsets = {"committed_offset": round(hour * 3600 * read)}
                offsets |= {"end_offset": hour * 90_000, "topic": "big", "partition": 0}
                made.add("offsets", group="g", cluster=cluster, **offsets)
            made.store(tmp_path / "store", HOURS[hour])
        output = run("members", tmp_path / "store", "--split", "big", "--format", "json")
        assert output.code == 0, output.err
        split = {row["cluster"]: row for row in tables_of(output)["split"]}
        assert split.keys() == SPLITS.keys()
        for cluster, (_, own, text) in SPLITS.items():
            sides = {side["part"]: side for side in split[cluster]["sides"]}
            side = sides["the topic's own"]
            assert (side["rate"], side["capacity"], side["catch_up_seconds"]) == pytest.approx(own)
            assert f"Caught up: {text}" in split[cluster]["sentence"]


SPLITS: dict[str, tuple[float, tuple[float | None, ...], str]] = {
    "faster": (
        *(10, (25, 30, 10_800)),
        "big in 3 h; the rest in 0 s; one even group in 1 h.",
    ),
    "slower": (
        *(8, (25, 24, None)),
        "big never, lag grows by 1 records/s; the rest in",
    ),
    "hardly faster": (
        *(30_001 / 3600, (25, 30_001 * 3 / 3600, None)),
        "big never, members read hardly more than comes in; the rest in 0 s",
    ),
}
"""By cluster: what a reads a second, the topic's own side, and the sentence on it."""


class TestReplay:
    """`evenfleet replay`: c comes for an hour and takes over all of t."""

    def test_it_prints_the_league_and_who_would_have_been_better_off(
        self, once: Once, torture: Path, results: Path
    ) -> None:
        words = ("--out", results / "replay", "--strategies", "current,range,optimal")
        output = check_harmless(once("replay", torture, *words))
        assert "league" in output.out
        assert " changed; optimal did best" in flat(output.err)
        assert SPAN in output.err
        replay = rows(results / "replay" / "replay")
        assert {(row["cluster"], row["group"]) for row in replay} >= STATUSES.keys()
        assert {row["cluster"] for row in replay} == CLUSTERS.keys()
        west = [row for row in replay if row["cluster"] == "west"]
        result = {(row["group"], row["strategy"]): row for row in west}
        assert len(west) == 3 * 15
        assert result["cured", "current"]["stopped"] == 4
        assert result["cured", "optimal"]["is_best"]
        text = result["cured", "optimal"]["sentence"]
        assert text.startswith("cured of west: best with optimal: its worst member by weight at")
        assert "1.50, 0.0 partition-hours of overload instead of 2.0" in text
        assert result["nobody", "optimal"]["unknown_hours"] == 2
        league = rows(results / "replay" / "league")
        assert {row["strategy"] for row in league} == {"optimal", "range", "current"}

    def test_json_and_weights(self, run: Run, torture: Path, tmp_path: Path) -> None:
        """The worst member by weight stands beside the count, and moves have a price.

        Of 12 the best is 4 and 8 of b, who can take twice as much; a has 10 in both hours.
        """
        words = ("--strategies", "current,range,optimal", "--group", "sized", "--weight", "column")
        words = (*words, "--until", EARLIER, "--since", "1h", "--move-cost", "30s")
        output = run("replay", torture, "--out", tmp_path, *words, "--format", "json")
        assert output.code == 0, output.err
        assert f"Read 2 snapshots from {HOURS[0]} to {EARLIER}: 5 clusters (c, " in output.err
        assert "mean_over_bound" not in output.err
        printed = tables_of(output)
        assert "worst members 1 times the bound" in flat(output.err)
        written = {row["strategy"]: row for row in rows(tmp_path / "league", EARLIER)}
        costs = {row["strategy"]: row["move_seconds"] for row in printed["league"]}
        assert costs == {name: 30 * row["moves"] for name, row in written.items()}
        for name, over in (("current", 2.5), ("optimal", 1)):
            assert written[name]["mean_over_bound"] == pytest.approx(over)
            assert written[name]["worst_over_bound"] == pytest.approx(over)


LIMITED = (
    "compare",
    "replay --strategies range",
    "whatif --event leave=1",
    "frontier --group even",
)


@pytest.mark.parametrize("words", tiered(LIMITED, 2))
def test_limits_of_options_that_nothing_fits_end_the_command(
    run: Run, torture: Path, tmp_path: Path, words: str
) -> None:
    goal = ("--goal", "exclude={members = 'no-such-member'}")
    out = () if "frontier" in words else ("--out", tmp_path / "out")
    output = run(*words.split(), torture, *goal, *out)
    assert output.code == 2
    assert "(exclusion of no-such-member)" in output.err
