"""Brokers that the tests of this folder share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from tests.live.brokers import Brokers, kafka_jars
from tests.paths import ROOT
from tests.spark.conftest import asked, run
from tests.support.assignor_jar import assignor_jar

__all__ = ["asked", "run"]  # fixtures that are at home there

KEPT = "evenfleet/kafka-jars"

Keep = Callable[[str, Brokers], Brokers]


@pytest.fixture(scope="session")
def jars(request: pytest.FixtureRequest) -> list[str]:
    """A broker's jars. Where they were found once, no session has to start to find them again."""
    coordinates = (ROOT / "conf" / "packages.toml").read_text()
    kept = request.config.cache.get(KEPT, {})
    if kept.get("coordinates") == coordinates and all(Path(jar).exists() for jar in kept["jars"]):
        return kept["jars"]
    try:
        names = kafka_jars(request.getfixturevalue("spark"))
    except (Py4JError, PySparkException):
        pytest.skip("Spark can't resolve a broker's jars here; conf/packages.toml names them")
    request.config.cache.set(KEPT, {"coordinates": coordinates, "jars": names})
    return names


_running: dict[str, ExitStack] = {}
"""What ends the brokers of this process, by the name of their fixture."""


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Brokers take processor time as long as they run: they end with the last test of theirs."""
    for name, end in _running.items():
        last = next(one for one in reversed(item.session.items) if _needs(one, name))
        if item is last:
            end.close()


def _needs(item: pytest.Item, fixture: str) -> bool:
    return isinstance(item, pytest.Function) and fixture in item.fixturenames


@pytest.fixture(scope="session")
def keep() -> Iterator[Keep]:
    """Starts brokers for a fixture, which end with the run at the latest."""

    def start(fixture: str, brokers: Brokers) -> Brokers:
        _running[fixture] = run.enter_context(ExitStack())
        return _running[fixture].enter_context(brokers)

    with ExitStack() as run:
        yield start


@pytest.fixture(scope="session")
def broker(jars: list[str], keep: Keep) -> Brokers:
    """One broker for all tests: topics and groups need names of their own."""
    return keep("broker", Brokers(jars))


@pytest.fixture(scope="session")
def plan_broker(jars: list[str], keep: Keep) -> Brokers:
    """One with Evenfleet's assignor, for the plans in its folder `plans`.

    Members of the new protocol that died are missed after 3 seconds.
    """
    settings = """
group.consumer.assignors=uniform,range,io.evenfleet.BrokerPlanAssignor
evenfleet.plans={folder}/plans
group.consumer.min.session.timeout.ms=1000
group.consumer.session.timeout.ms=3000
"""
    jar = str(assignor_jar().jar)
    brokers = keep("plan_broker", Brokers([*jars, jar], settings=settings))
    (brokers.folder / "plans").mkdir()
    return brokers


@pytest.fixture(scope="session")
def three_brokers(jars: list[str], keep: Keep) -> Brokers:
    """Three brokers in the racks a, b and c. A test that ends one starts it again."""
    return keep("three_brokers", Brokers(jars, 3, racks=["a", "b", "c"]))
