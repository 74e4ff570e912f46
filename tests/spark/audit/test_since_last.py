"""What is new, worse and gone since the last audit: one alert a change."""

from collections import Counter
from pathlib import Path
from typing import Any

from spark.audit.since_last import AuditScope, Change, Tracked, counts_of, tracked_now
from tests.support.histories import HOURS
from tests.support.said import Run
from tests.support.small import TWO_OWNERS, troubled
from tests.support.terminal import tables_of

EVERYTHING = AuditScope({"c", "d"}, set(), set())


def found(severity: str, subject: str = "topic t", group: str | None = "g") -> dict[str, Any]:
    return {
        "cluster": "c",
        "group": group,
        "finding": "lag",
        "subject": subject,
        "severity": severity,
        "sentence": "A sentence.",
        "muted": None,
    }


def changes(tracked: list[Tracked]) -> list[tuple[str, Change | None]]:
    return [(one.severity, one.change) for one in tracked]


def test_a_finding_is_new_then_known_then_worse_then_gone_and_then_forgotten() -> None:
    courses = [["warning"], ["warning"], ["critical"], ["warning"], [], ["warning"], [], []]
    last: list[Tracked] = []
    course = []
    for hour, severities in enumerate(courses):
        last = tracked_now(last, map(found, severities), EVERYTHING, f"s{hour}")
        course.append(changes(last))
    assert course == [
        [("warning", Change.NEW)],
        [("warning", None)],
        [("critical", Change.WORSE)],
        [("warning", None)],
        [("warning", Change.GONE)],
        [("warning", Change.NEW)],
        [("warning", Change.GONE)],
        [],
    ]


def test_members_that_start_again_are_no_news() -> None:
    """Their ids are others then; a second topic is news."""
    last = tracked_now([], [found("warning", "member a-1")], EVERYTHING, "s0")
    again = [found("warning", "member a-2"), found("critical", "member b-9")]
    last = tracked_now(last, again, EVERYTHING, "s1")
    assert changes(last) == [("critical", Change.WORSE)]
    assert counts_of(last) == [{"finding": "lag", "critical": 1, "warning": 0, "info": 0}]
    last = tracked_now(last, [*again, found("warning", "topic u")], EVERYTHING, "s2")
    assert Counter(one.change for one in last) == {None: 1, Change.NEW: 1}


def test_what_can_not_be_looked_at_goes_on_to_stand() -> None:
    last = tracked_now([], [found("critical")], EVERYTHING, "s0")
    for seen in (
        AuditScope({"d"}, set(), set()),
        AuditScope({"c"}, {("c", "g")}, set()),
        AuditScope({"c"}, set(), {"lag"}),
    ):
        still = tracked_now(last, [], seen, "s1")
        assert [(one.since, one.change) for one in still] == [("s0", None)]
        assert changes(tracked_now(still, [found("critical")], EVERYTHING, "s2")) == [
            ("critical", None)
        ]


def test_what_is_muted_is_neither_new_nor_gone_and_new_on_its_day() -> None:
    last = tracked_now([], [found("critical")], EVERYTHING, "s0")
    muted = tracked_now(last, [found("critical") | {"muted": "until then: why"}], EVERYTHING, "s1")
    assert muted == []
    again = tracked_now(muted, [found("critical")], EVERYTHING, "s2")
    assert changes(again) == [("critical", Change.NEW)]


def test_the_command_alerts_once(run: Run, tmp_path: Path) -> None:
    """By its exit code, though one finding still stands; metrics have as many series."""
    store, out, metrics = tmp_path / "store", tmp_path / "out", tmp_path / "evenfleet.prom"
    words = ("--out", out, "--since-last", "--fail-on", "warning", "--prometheus", metrics)
    words = (*words, "--no-history")
    course, series = [], set()
    for hour, fleet in enumerate((troubled(TWO_OWNERS), troubled())):
        fleet.store(store, HOURS[hour])
        said = run("audit", store, *words, "--format", "json")
        shown = tables_of(said)["changes"]
        course.append((said.code, Counter(row["change"] for row in shown)))
        lines = metrics.read_text(encoding="utf-8").splitlines()
        series.add(sum(line.startswith("evenfleet_audit_changes{") for line in lines))
    assert course == [(1, {"new": 2}), (0, {"gone": 1})]
    assert series == {6}
    refused = run("audit", store, "--since-last")
    assert (refused.code, refused.err) == (
        *(2, "evenfleet: --since-last needs --out FOLDER, where the last audit's results are\n"),
    )
