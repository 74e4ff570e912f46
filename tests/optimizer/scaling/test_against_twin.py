"""Two members, six, then two: rebalances and lag as the twin of coordinator and members has them.

The twin follows single heartbeats of Kafka 4.3.1; the replay takes the pause of each change alone.
"""

import numpy as np
import pytest

from optimizer.coordinator import Close, Parameters, Scenario, Start, simulate
from optimizer.model import Group, Member
from optimizer.scaling import Assignments, Pauses, Process, replay
from tests.optimizer.scaling.processes import Scripted

TOPIC, PARTITIONS, RATE, PACE = "orders", 12, 37.5, 100.0
SECONDS, MORE_AT, FEWER_AT, FEW, MANY = 60, 15, 50, 2, 6
WITHIN = 0.2


def by_twin(strategy: str, seed: int) -> tuple[int, float]:
    """Rebalances, and record-seconds of lag."""
    owners = Assignments({TOPIC: PARTITIONS}, strategy).owners(FEW).tolist()
    members = [
        Member(f"m{m}", [TOPIC], [(TOPIC, p) for p in range(PARTITIONS) if owners[p] == m])
        for m in range(FEW)
    ]
    more = [f"m{m}" for m in range(FEW, MANY)]
    steps = [
        *(Start(MORE_AT * 1000, name, topics=(TOPIC,)) for name in more),
        *(Close(FEWER_AT * 1000, name) for name in more),
    ]
    client = Parameters().using(strategy, own=False).client
    scenario = Scenario(
        Group({TOPIC: PARTITIONS}, members),
        steps,
        client,
        rates={TOPIC: [RATE] * PARTITIONS},
        peak_rate=PACE,
        end=SECONDS * 1000,
    )
    timeline = simulate(scenario, seed)
    assert timeline.lag is not None
    at, records = np.array(timeline.lag.course).T
    fine = np.linspace(0, SECONDS, 6001)
    return timeline.rebalances, float(np.trapezoid(np.interp(fine, at / 1000, records), fine))


@pytest.mark.parametrize("strategy", ["range", "cooperative-sticky", "uniform"])
def test_rebalances_and_lag_are_those_of_the_twin(strategy: str) -> None:
    group = Process(
        edges=np.array([0.0, SECONDS]),
        rates=np.full((1, PARTITIONS), RATE),
        recorded=np.array([FEW]),
        peak_rate=PACE,
        assignments=Assignments({TOPIC: PARTITIONS}, strategy),
        pauses=Pauses(strategy),
        start_seconds=0.0,
        lag=np.zeros(PARTITIONS),
        uncommitted=np.full(PARTITIONS, np.nan),
    )
    sizes = tuple(MANY if MORE_AT <= at < FEWER_AT else FEW for at in range(SECONDS))
    course = replay([group], [Scripted(sizes, 1.0)], step=1.0)[0][0]
    twins = [by_twin(strategy, seed) for seed in range(5)]
    assert int(course.rebalances.sum()) in {rebalances for rebalances, _ in twins}
    expected = float(np.mean([waited for _, waited in twins]))
    assert float(course.lag_record_seconds.sum()) == pytest.approx(expected, rel=WITHIN)
