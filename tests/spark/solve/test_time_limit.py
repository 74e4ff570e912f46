"""A limit for the time that a strategy may spend on one group."""

import faulthandler
import os
import resource
import signal
import threading
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from itertools import repeat

import pytest
from pyspark import TaskContext

from optimizer import Goals, Group, Member, assign
from optimizer.model import TimeLimitError
from optimizer.process_copy import start_copy
from spark.groups.workers import _exit_sentence
from spark.solve.time_limit import TimeLimit, limited_to

MOMENT = 0.02


def for_ever(*_: object) -> None:
    while True:
        pass


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Nothing rings afterwards."""
    numbers = (signal.SIGPROF, signal.SIGALRM)
    before = [*map(signal.getsignal, numbers)]
    yield
    for timer in (signal.ITIMER_PROF, signal.ITIMER_REAL):
        assert signal.getitimer(timer) == (0.0, 0.0)
    assert [*map(signal.getsignal, numbers)] == before


def test_what_is_in_time_is_returned_or_raised() -> None:
    assert limited_to(60, lambda: "done") == "done"
    with pytest.raises(ZeroDivisionError):
        limited_to(60, lambda: 1 / 0)


def test_what_never_ends_is_stopped_and_the_budget_told() -> None:
    """Not after a moment: another process may have the processor as long as the clock lets wait."""
    with pytest.raises(TimeLimitError, match=r"longer than the 0\.1 seconds .*strategy_seconds"):
        limited_to(0.1, for_ever)


def test_what_waits_is_stopped_by_the_clock() -> None:
    with pytest.raises(TimeLimitError, match=r"not ended after 0\.2 seconds .*strategy_seconds"):
        limited_to(MOMENT, lambda: time.sleep(5))


def test_a_swallowed_interruption_is_followed_by_another() -> None:
    """Python drops what is raised in a finalizer."""
    swallowed = []

    def stubborn() -> None:
        try:
            for_ever()
        except TimeLimitError as error:
            swallowed.append(error)
        for_ever()

    with pytest.raises(TimeLimitError):
        limited_to(MOMENT, stubborn)
    assert len(swallowed) == 1


def test_the_kernel_ends_a_worker_that_computes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """After twice the limit of processor time, counted from each call."""
    monkeypatch.setattr(TaskContext, "get", object)
    before, begun = resource.getrlimit(resource.RLIMIT_CPU), time.process_time()
    with TimeLimit(60) as limit:
        for _ in range(2):
            soft, most = limit.spend(lambda: resource.getrlimit(resource.RLIMIT_CPU))
            assert begun + 120 <= soft <= time.process_time() + 121
            assert (most, resource.getrlimit(resource.RLIMIT_CPU)) == (before[1], before)


def test_a_loop_in_compiled_code_is_ended_by_the_processors_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where no handler of a signal is called; the watch by the clock is left out."""
    monkeypatch.setattr(TaskContext, "get", object)
    monkeypatch.setattr(faulthandler, "dump_traceback_later", lambda *_, **__: None)
    child, pipe = start_copy(lambda _: limited_to(MOMENT, lambda: deque(repeat(0), maxlen=0)))
    with pipe:
        _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == -signal.SIGXCPU
    assert "SIGXCPU, since compiled code doesn't return in time" in _exit_sentence(-signal.SIGXCPU)


def test_another_thread_than_the_main_one_has_no_limit() -> None:
    """Python tells the main thread alone of signals."""
    results: list[int] = []

    def work() -> None:
        results.append(limited_to(1e-9, lambda: sum(range(10**6))))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert results == [sum(range(10**6))]


def test_a_plan_by_weight_that_is_at_hand_outlives_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Before, the group failed."""
    monkeypatch.setattr("optimizer.solver.weighted.descent.Descent.lower", for_ever)
    group = Group({"t": 3}, [Member("a", ["t"], [("t", 0)]), Member("b", ["t"])])
    goals = Goals(balance="weight", tolerance=0.0)
    plan = limited_to(0.1, lambda: assign(replace(group, weights={"t": [5, 3, 3]}), goals=goals))
    assert sorted(map(len, plan.assignment.values())) == [1, 2]
    assert "its limit of time ended the search" in "; ".join(plan.notes)
