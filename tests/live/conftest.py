"""Brokers that the tests of this folder share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from tests.assignor_jar import assignor_jar
from tests.live.brokers import Brokers, kafka_jars
from tests.paths import ROOT
from tests.spark.conftest import asked, run

__all__ = ["asked", "run"]  # fixtures that are at home there

KEPT = "evenfleet/kafka-jars"

FOLDER = Path(__file__).parent


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


_running = ExitStack()
"""All brokers of this process."""


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Brokers take processor time as long as they run: they end with the last test that is here."""
    last = next(one for one in reversed(item.session.items) if FOLDER in one.path.parents)
    if item is last:
        _running.close()


@pytest.fixture(scope="session")
def running() -> Iterator[ExitStack]:
    """What ends the brokers of this process, at the end of the run at the latest."""
    with _running:
        yield _running


@pytest.fixture(scope="session")
def broker(jars: list[str], running: ExitStack) -> Brokers:
    """One broker for all tests: topics and groups need names of their own."""
    return running.enter_context(Brokers(jars))


@pytest.fixture(scope="session")
def plan_broker(jars: list[str], running: ExitStack) -> Brokers:
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
    brokers = running.enter_context(Brokers([*jars, jar], settings=settings))
    (brokers.folder / "plans").mkdir()
    return brokers


@pytest.fixture(scope="session")
def three_brokers(jars: list[str], running: ExitStack) -> Brokers:
    """Three brokers in the racks a, b and c. A test that ends one starts it again."""
    return running.enter_context(Brokers(jars, 3, racks=["a", "b", "c"]))
