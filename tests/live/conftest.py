"""Brokers that the tests of this folder share."""

import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from tests.live import second_tries
from tests.live.brokers import Brokers, kafka_jars
from tests.live.waiting import bounded, go_on, guards
from tests.paths import ROOT
from tests.spark.conftest import asked, run as command
from tests.support.assignor_jar import assignor_jar
from tests.support.said import Run, Said

__all__ = ["asked", "command"]  # fixtures that are at home there

FIRST = 600
"""Seconds for a test's fixtures: a first run has jars to download and to build."""

Keep = Callable[[str, Brokers], Brokers]


def pytest_configure(config: pytest.Config) -> None:
    if not config.pluginmanager.is_registered(second_tries):
        config.pluginmanager.register(second_tries)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    """A test whose broker ended under an earlier one fails at once."""
    guards[:] = [brokers.check for name, brokers in _brokers.items() if _needs(item, name)]
    with bounded(FIRST):
        for guard in guards:
            guard()
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    with bounded():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    """Brokers take processor time as long as they run: they end with the last test of theirs."""
    try:
        with bounded():
            return (yield)
    finally:
        for name, end in _ends.items():
            if item is next(one for one in reversed(item.session.items) if _needs(one, name)):
                end.close()


@pytest.fixture
def run(command: Run) -> Run:
    """Runs `evenfleet …`; a command that ends is something that a test has reached."""

    def run(*words: object) -> Said:
        output = command(*words)
        go_on()
        return output

    return run


@pytest.fixture(scope="session")
def jars(request: pytest.FixtureRequest) -> list[str]:
    """A broker's jars. Where they were found once, no session has to start to find them again."""
    coordinates = (ROOT / "conf" / "packages.toml").read_text()
    file = Path(tempfile.gettempdir()) / "evenfleet-tests-kafka-jars.json"
    kept = json.loads(file.read_text()) if file.exists() else {}
    names: list[str] = kept.get(coordinates, [])
    if not names or not all(Path(jar).exists() for jar in names):
        try:
            names = kafka_jars(request.getfixturevalue("spark"))
        except (Py4JError, PySparkException):
            pytest.skip("Spark can't resolve a broker's jars here; conf/packages.toml names them")
        file.write_text(json.dumps({coordinates: names}))
    return names


_brokers: dict[str, Brokers] = {}
_ends: dict[str, ExitStack] = {}
"""The brokers of this process, and what ends them, by the name of their fixture."""


def _needs(item: pytest.Item, fixture: str) -> bool:
    return isinstance(item, pytest.Function) and fixture in item.fixturenames


@pytest.fixture(scope="session")
def keep() -> Iterator[Keep]:
    """Starts brokers for a fixture, which end with the run at the latest."""

    def start(fixture: str, brokers: Brokers) -> Brokers:
        _ends[fixture], _brokers[fixture] = opened.enter_context(ExitStack()), brokers
        return _ends[fixture].enter_context(brokers)

    with ExitStack() as opened:
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
