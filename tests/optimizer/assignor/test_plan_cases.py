"""The cases that Python's assignor and Java's are both tested by; Java's are in test_java.py."""

import logging

import pytest

from tests.optimizer.assignor.plan_cases import answer, differences, read_cases


def test_python_answers_as_the_cases_say(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "optimizer.live.plan_assignor")
    cases = read_cases()
    assert len(cases) >= 200
    assert {case["why"] is None for case in cases} == {True, False}
    assert [fault for case in cases for fault in differences(case, answer(case))] == []
