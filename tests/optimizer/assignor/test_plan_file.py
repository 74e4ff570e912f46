"""Plans as files."""

from __future__ import annotations

import json

import jsonschema
import pytest

from optimizer.assignor.plan_file import GroupPlan, PlanFileError
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
    assert GroupPlan.from_text(PLAN.to_text()) == PLAN
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
        (changed(version=3), "version 3, and 1 and 2 can be read"),
        (changed(version=True), "its version is no whole number"),
        (changed(comment=[[[[]]]])[:-5] + "NaN]]]}", "NaN is no JSON"),
        ('{"comment": ' + "[" * 100 + "]" * 100 + "}", "nested too deeply"),
        (changed(group=7), "group is no text"),
        (changed(members=[]), "members is no object"),
        (changed(members={"a": []}), "what member 'a' gets is no object"),
        (changed(members={"a": {"t": "0"}}), "no list of whole numbers"),
        (changed(members={"a": {"t": [0, True]}}), "no list of whole numbers"),
        (changed(members={"a": {"t": [0.0]}}), "no list of whole numbers"),
        (changed(members={"a": {"t": [-1]}}), "a partition of 't' is negative"),
        (changed(members={"a": {"t": [0]}, "b": {"t": [0]}}), "0 of 't' is there twice"),
        (changed(members={"a": {"t": [0, 2]}}), "t-1 is missing"),
        (changed(members={"a": {"t": [10**40]}}), "t-0 is missing"),
        (changed(protocol="share"), "protocol is neither 'classic' nor 'consumer'"),
        (changed(topic_ids=None), "topic_ids is no object"),
        (changed(topic_ids={"t": 7}), "the topic_ids entry of 't' is no text"),
        (changed(topic_ids={"t": "7"}), "the topic_ids entry of 't' is no id as Kafka writes it"),
        (changed(topic_ids={"t": ID, "u": ID}), f"topic_ids has '{ID}' 2 times"),
        (changed(member_ids=[]), "member_ids is no object"),
        (changed(member_ids={"x": "1"}), "member_ids has 'x', which isn't among the members"),
        (changed(member_ids={"a": "1", "b": "1"}), "member_ids has '1' 2 times"),
    ],
)
def test_what_is_no_plan_is_told(text: str | bytes, why: str) -> None:
    with pytest.raises(PlanFileError, match=why):
        GroupPlan.from_text(text)
