"""Plans as files."""

from __future__ import annotations

import json

import pytest

from optimizer.assignor.plan_file import GroupPlan, PlanFileError

PLAN = GroupPlan("prod", "g", "s1", {"b": {"t": [1, 2]}, "a": {"t": [0], "u": [0]}, "idle": {}})


def changed(**fields: object) -> str:
    return json.dumps({**json.loads(PLAN.to_text()), **fields})


def test_a_plan_survives_its_file() -> None:
    assert GroupPlan.from_text(PLAN.to_text()) == PLAN
    assert GroupPlan.from_text(PLAN.to_text().encode()) == PLAN
    assert PLAN.topics == {"t": 3, "u": 1}


def test_a_line_holds_a_member_so_that_diff_shows_what_changed() -> None:
    assert '  "b": {"t":[1,2]},' in PLAN.to_text().splitlines()


def test_names_may_be_anything() -> None:
    odd = GroupPlan("c", 'g"\n', "s", {"\u202e|=\\": {"\x1b[31m": [0]}})
    assert GroupPlan.from_text(odd.to_text()) == odd


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "isn't sound JSON"),
        ("{", "isn't sound JSON"),
        (b"\xff\xfe{", "isn't sound JSON"),
        ("[" * 100_000, "nested too deeply"),
        ("[]", 'no "format"'),
        ("null", 'no "format"'),
        ('{"members": {"a": {}, "a": {}}}', "'a' is in one object 2 times"),
        (changed(format="other"), 'no "format"'),
        (changed(version=2), "version 2, and 1 can be read"),
        (changed(group=7), "group is no text"),
        (changed(members=[]), "members is no object"),
        (changed(members={"a": []}), "what member 'a' gets is no object"),
        (changed(members={"a": {"t": "0"}}), "no list of whole numbers"),
        (changed(members={"a": {"t": [0, True]}}), "no list of whole numbers"),
        (changed(members={"a": {"t": [0.0]}}), "no list of whole numbers"),
        (changed(members={"a": {"t": [-1]}}), "partition -1 of 't' can't be there"),
        (changed(members={"a": {"t": [0]}, "b": {"t": [0]}}), "0 of 't' can't be there, or not"),
        (changed(members={"a": {"t": [0, 2]}}), "t-1 is missing"),
        (changed(members={"a": {"t": [10**40]}}), "t-0 is missing"),
    ],
)
def test_what_is_no_plan_is_told(text: str | bytes, why: str) -> None:
    with pytest.raises(PlanFileError, match=why):
        GroupPlan.from_text(text)
