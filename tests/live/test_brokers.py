"""The surroundings of the tests: brokers end, waiting does, and what isn't ready is retried."""

import json
import signal
import subprocess
import sys
import time

import pytest

from tests.live import second_tries, waiting
from tests.live.second_tries import second_try
from tests.live.waiting import NotReadyError, bounded, until
from tests.paths import ROOT
from tests.support.alive import is_alive

STARTS_AND_WAITS = """
import json, sys, time
from tests.live.brokers import Brokers

with Brokers(json.loads(sys.argv[1])) as brokers:
    print(brokers._running[1].pid, flush=True)
    time.sleep(60)
"""


def test_a_broker_ends_with_the_process_that_started_it(jars: list[str]) -> None:
    """Even when that is killed, and can't clean up."""
    tests = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", STARTS_AND_WAITS, json.dumps(jars)],
        stdout=subprocess.PIPE,
        cwd=ROOT,
    )
    assert tests.stdout
    broker = int(tests.stdout.readline())
    assert is_alive(broker)
    tests.send_signal(signal.SIGKILL)
    tests.communicate()
    until(lambda: not is_alive(broker), "the broker has ended", seconds=20)


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, int], dict[str, int]]:
    """What was started and tried again, which here starts at nothing."""
    counts: tuple[dict[str, int], dict[str, int]] = ({}, {})
    monkeypatch.setattr(second_tries, "started", counts[0])
    monkeypatch.setattr(second_tries, "again", counts[1])
    return counts


def test_a_second_try_is_for_what_is_not_ready(
    counts: tuple[dict[str, int], dict[str, int]],
) -> None:
    outcomes = [NotReadyError("slow"), "ready"]

    def begin() -> str:
        outcome = outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    with pytest.warns(UserWarning, match="slow"):
        assert second_try("things", begin, 3) == "ready"
    assert counts == ({"things": 3}, {"things": 3})
    outcomes += [AssertionError("wrong"), "ready"]
    with pytest.raises(AssertionError, match="wrong"):
        second_try("things", begin)
    assert outcomes == ["ready"]


def test_waiting_ends_with_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotReadyError, match=r"in 0 s: it is so\. There is: 7"):
        until(lambda: False, "it is so", lambda: 7, seconds=0)

    def gone() -> None:
        raise NotReadyError("the broker has ended")

    monkeypatch.setattr(waiting, "guards", [gone])
    with pytest.raises(NotReadyError, match="the broker has ended"):
        until(lambda: False, "it is so")
    with pytest.raises(pytest.fail.Exception, match="for 1 s it has reached nothing"), bounded(1):
        time.sleep(20)
