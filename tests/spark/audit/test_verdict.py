"""A fleet's state, never better than what could be judged; and what is said of it."""

from collections import Counter
from typing import Any

import pytest

from spark import verdict
from spark.audit import fails
from spark.audit.finding import sentence
from spark.audit.verdict import state_of
from spark.text import LONGEST

NONE = {"finding": "unbalanced", "critical": 0, "warning": 0, "info": 3}
CARE = {"finding": "idle-members", "critical": 0, "warning": 2, "info": 1}
TROUBLE = {"finding": "claimed-twice", "critical": 1, "warning": 0, "info": 0}


def said(groups: dict[str, int], *counts: dict[str, Any]) -> str:
    worst = [row for row in counts if row["critical"]] or list(counts)[-1:]
    return f"{state_of(counts, groups)} | {verdict(counts, groups, worst)}"


@pytest.mark.parametrize(
    ("groups", "counts", "sentence"),
    [
        (
            {"inferred": 1, "ok": 1},
            [NONE],
            "well | 0 critical findings and 0 warnings in 2 groups: the fleet is well. 3 findings "
            "for information.",
        ),
        (
            {"ok": 1, "empty": 4_000, "unsupported": 5},
            [NONE],
            "well | 0 critical findings and 0 warnings in 1 group: the fleet is well. 3 findings "
            "for information. Not evaluated: 4,000 empty, 5 unsupported.",
        ),
        (
            {"unsupported": 5},
            [],
            "well | 0 critical findings and 0 warnings in 0 groups: the fleet is well. Not "
            "evaluated: 5 unsupported.",
        ),
        (
            {"ok": 3},
            [NONE, CARE],
            "in need of care | 0 critical findings and 2 warnings in 3 groups: the fleet is in "
            "need of care. Start with idle-members.",
        ),
        (
            {"ok": 3, "empty": 1, "rebalancing": 2, "invalid": 3, "failed": 4, "unsupported": 1},
            [NONE, CARE, TROUBLE],
            "in trouble | 1 critical finding and 2 warnings in 3 groups: the fleet is in trouble. "
            "Start with claimed-twice. Not evaluated: 1 empty, 2 rebalancing, 3 invalid, 4 failed, "
            "1 unsupported.",
        ),
        (
            {"invalid": 2, "empty": 1, "unsupported": 1},
            [NONE, CARE],
            "not judged | 0 groups could be judged: 1 empty, 2 invalid, 1 unsupported. 0 critical "
            "findings and 2 warnings. Start with idle-members.",
        ),
        (
            {"empty": 2, "rebalancing": 1},
            [NONE],
            "not judged | 0 groups could be judged: 2 empty, 1 rebalancing.",
        ),
        (
            {},
            [],
            "not judged | 0 groups could be judged: the snapshot has no groups. Check that what "
            "fills the store still reaches the clusters.",
        ),
    ],
)
def test_state_and_sentence(
    groups: dict[str, int], counts: list[dict[str, Any]], sentence: str
) -> None:
    assert said(groups, *counts) == sentence


@pytest.mark.parametrize(
    ("not_run", "as_far_as"),
    [
        (["under-replicated"], "brokers"),
        (["under-replicated", "leaderless", "unread-topic"], "brokers and leaders of topics"),
        (["lag-on-few-partitions"], "lag"),
        (["unread-topic"], None),
    ],
)
def test_a_fleet_is_well_as_far_as_it_was_looked_at(
    not_run: list[str], as_far_as: str | None
) -> None:
    end = f", as far as members go; {as_far_as} not checked." if as_far_as else "."
    assert verdict([], {"ok": 1}, [], not_run).endswith(f"the fleet is well{end}")


@pytest.mark.parametrize("status", ["rebalancing", "invalid", "failed"])
def test_with_groups_that_nothing_is_known_of_no_fleet_is_well(status: str) -> None:
    """Even where the levels of findings are set so that these are none."""
    assert said({"ok": 2, status: 1}, NONE) == (
        "partly judged | 0 critical findings and 0 warnings in 2 groups: what could be judged is "
        f"well. 3 findings for information. Not evaluated: 1 {status}."
    )


@pytest.mark.parametrize(
    ("counts", "severity", "fail"),
    [
        ((0, 3, 3), "critical", False),
        ((1, 0, 0), "critical", True),
        ((0, 0, 3), "warning", False),
        ((0, 1, 0), "warning", True),
        ((1, 0, 0), "warning", True),
    ],
)
def test_a_finding_so_bad_or_worse_fails(
    counts: tuple[int, ...], severity: str, fail: bool
) -> None:
    result = dict(zip(("critical", "warning", "info"), counts, strict=True))
    assert fails([dict.fromkeys(result, 0), result], {"ok": 1}, severity) is fail


@pytest.mark.parametrize("severity", ["warning", "critical"])
def test_nothing_judged_fails_and_unsupported_groups_do_not(severity: str) -> None:
    for groups in ({}, {"empty": 1}, {"invalid": 1, "unsupported": 1}, Counter({"ok": 0})):
        assert fails([NONE], groups, severity)
    for groups in ({"unsupported": 1}, {"ok": 1, "invalid": 9}):
        assert not fails([NONE], groups, severity)


@pytest.mark.parametrize(
    ("template", "value", "text"),
    [
        ("{it}", None, "?"),
        ("{it}", "{it} %s {", "{it} %s {"),
        ("{it}", 1200, "1,200"),
        ("{it:whole}", 1200, "1200"),
        ("{it:partition}", 1200, "1,200 partitions"),
        ("{it:static member}", 1, "1 static member"),
        ("{it:is|are}", 1, "is"),
        ("{it:is|are}", 0, "are"),
        ("{it:at least |}7", True, "at least 7"),
        ("{it:at least |}7", False, "7"),
        *(("{it:decimal}", 2.25, "2.3"), ("{it:decimal}", 0.05, "0.1"), ("{it:decimal}", 7, "7.0")),
        ("{it:decimal}", 1234.56, "1,234.6"),
        *(("{it:percent}", 0.99999, "99 %"), ("{it:percent}", 1.0, "100 %")),
        ("{it:hours}", 5400, "1.5"),
        ("{it:integer}", 1059.9, "1,059"),
        ("{it[0]}-{it[1]:partition}", ("orders", 2), "orders-2 partitions"),
        ("{it.real:partition}", 3, "3 partitions"),
    ],
)
def test_blank(template: str, value: object, text: str) -> None:
    assert sentence(template, {"it": value}) == text


def test_long_names_are_shortened_unless_they_are_whole() -> None:
    name = "n" * (LONGEST + 1)
    assert len(sentence("{name}", {"name": name})) < LONGEST
    assert sentence("{name:whole}", {"name": name}) == name
