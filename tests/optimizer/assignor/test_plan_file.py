"""Plans as files, and the cases by which both assignors are tested (Java's by test_java.py)."""

import json
import logging

import jsonschema
import pytest

from optimizer.assignor.plan_file import GroupPlan
from tests.optimizer.assignor.plan_cases import answer, differences, read_cases
from tests.paths import ROOT

ID = "ERERESIiMzNERFVVVVVVVQ"
PLAN = GroupPlan(
    "prod",
    "g",
    "s1",
    {"b": {"t": [1, 2]}, "a": {"t": [0], "u": [0]}, "idle": {}},
    topic_ids={"t": ID},
    protocol="consumer",
    member_ids={"a": "a-1"},
)
SCHEMA = json.loads((ROOT / "docs" / "plan_file.schema.json").read_text())


def changed(**fields: object) -> str:
    return json.dumps({**json.loads(PLAN.to_text()), **fields})


def test_a_plan_survives_its_file() -> None:
    assert GroupPlan.from_text(PLAN.to_text().encode()) == PLAN
    assert PLAN.topics == {"t": 3, "u": 1}


@pytest.mark.parametrize("plan", [PLAN, GroupPlan("", "", "", {})])
def test_what_is_written_keeps_to_the_schema(plan: GroupPlan) -> None:
    jsonschema.validate(json.loads(plan.to_text()), SCHEMA)
    assert GroupPlan.from_text(plan.to_text()) == plan
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(json.loads(changed(protocol="share")), SCHEMA)


def test_version_1_is_read() -> None:
    """What it lacks is left open, and what it has by chance of the same names isn't looked at."""
    old = json.dumps(
        {
            **{"format": "evenfleet-plan", "version": 1, "cluster": "prod", "group": "g"},
            **{"snapshot": "s1", "members": PLAN.members, "topic_ids": 7},
        }
    )
    assert GroupPlan.from_text(old) == GroupPlan("prod", "g", "s1", PLAN.members)
    jsonschema.validate(json.loads(old), SCHEMA)


def test_a_line_holds_a_member_so_that_diff_shows_what_changed() -> None:
    assert '  "b": {"t":[1,2]},' in PLAN.to_text().splitlines()


def test_names_may_be_anything() -> None:
    odd = GroupPlan("c", 'g"\n', "s", {"\u202e|=\\": {"\x1b[31m": [0]}})
    assert GroupPlan.from_text(odd.to_text()) == odd


def test_python_answers_as_the_cases_say(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "optimizer.live.plan_assignor")
    cases = read_cases()
    assert len(cases) >= 200
    assert {case["why"] is None for case in cases} == {True, False}
    assert [fault for case in cases for fault in differences(case, answer(case))] == []
