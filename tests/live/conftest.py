"""Brokers that the tests of this folder share."""

from __future__ import annotations

from collections.abc import Iterator
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


@pytest.fixture(scope="session")
def broker(jars: list[str]) -> Iterator[Brokers]:
    """One broker for all tests: topics and groups need names of their own."""
    with Brokers(jars) as brokers:
        yield brokers


@pytest.fixture(scope="session")
def plan_broker(jars: list[str]) -> Iterator[Brokers]:
    """One with Evenfleet's assignor, for the plans in its folder `plans`.

    Members of the new protocol that died are missed after 3 seconds.
    """
    settings = """
group.consumer.assignors=uniform,range,io.evenfleet.BrokerPlanAssignor
evenfleet.plans={folder}/plans
group.consumer.min.session.timeout.ms=1000
group.consumer.session.timeout.ms=3000
"""
    with Brokers([*jars, str(assignor_jar().jar)], settings=settings) as brokers:
        (brokers.folder / "plans").mkdir()
        yield brokers


@pytest.fixture(scope="session")
def three_brokers(jars: list[str]) -> Iterator[Brokers]:
    """Three brokers in the racks a, b and c. A test that ends one starts it again."""
    with Brokers(jars, 3, racks=["a", "b", "c"]) as brokers:
        yield brokers
