"""The cases that Python's assignor and Java's are both tested by."""

from __future__ import annotations

import logging

import pytest

from tests.optimizer.assignor.mutated_plans import disagreements, java_answers
from tests.optimizer.assignor.plan_cases import answer, differences, read_cases


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "optimizer.live.plan_assignor")


def test_python_answers_as_the_cases_say() -> None:
    cases = read_cases()
    assert len(cases) >= 200
    assert {case["why"] is None for case in cases} == {True, False}
    assert [fault for case in cases for fault in differences(case, answer(case))] == []


def test_java_answers_as_the_cases_say() -> None:
    cases = read_cases()
    answers = java_answers(cases)
    result = [
        fault
        for case, answered in zip(cases, answers, strict=True)
        for fault in differences(case, answered)
    ]
    assert result == []


def test_both_take_or_refuse_a_damaged_plan_alike() -> None:
    result, used = disagreements(500)
    assert result == []
    assert 10 < used < 490
