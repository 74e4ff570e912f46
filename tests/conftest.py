"""The Spark session of each process of a run, in the one JVM that they share."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from xdist.scheduler import LoadScopeScheduling

from tests.branch import changed_paths
from tests.paths import ROOT
from tests.support.locks import resolving, turn
from tests.support.tiers import DEFAULT, FOLDERS, MARKS, asks_for_all

pytest_plugins = ["tests.live.second_tries"]

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from xdist.workermanage import WorkerController


TOGETHER = ("tests/live", "tests/spark/commands")
"""Folders that stay with one process: their tests share brokers, and what commands have said."""


def pytest_configure(config: pytest.Config) -> None:
    for mark, reason in MARKS.items():
        config.addinivalue_line("markers", f"{mark}: {reason}")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Not even imported are folders of which the default tier has nothing."""
    is_marked = any(collection_path == ROOT / folder for folder in FOLDERS)
    return True if is_marked and config.option.markexpr == DEFAULT else None


def pytest_itemcollected(item: pytest.Item) -> None:
    for folder, mark in FOLDERS.items():
        if item.nodeid.startswith(f"{folder}/"):
            item.add_marker(mark)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Name what the default tier can't see of this branch."""
    if config.option.markexpr == DEFAULT and (paths := asks_for_all(changed_paths())):
        terminalreporter.write_line(
            f"This branch changes {', '.join(paths)}: run bin/test --all before it is merged."
        )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling:
    """A file stays with one process, and so do all of a folder that stays together."""
    return ByFile(config, log)


class ByFile(LoadScopeScheduling):
    """Files go to processes in the order in which they are collected."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.split("::", 1)[0]
        return next((of for of in TOGETHER if file.startswith(f"{of}/")), file)

    def remove_node(self, node: WorkerController) -> str | None:
        """The test at which a process ended; others run what it had left.

        xdist would run that test again, which ends one process after another.
        """
        work = self.assigned_work.pop(node)
        left = [(scope, test) for scope, tests in work.items() for test in tests if not tests[test]]
        if not left:
            return None
        (_, ended_at), *left = left
        for scope, test in left:
            self.workqueue.setdefault(scope, {})[test] = False
        for other in self.assigned_work:
            self._reschedule(other)
        return ended_at


def run_folder(factory: pytest.TempPathFactory) -> Path:
    """The folder of the whole run, in which each of its processes has one of its own."""
    folder = factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Tests marked `alone` look at what the JVM of all processes holds: no other may run then."""
    folder = run_folder(item.config._tmp_path_factory)  # type: ignore[attr-defined]
    with turn(folder, alone=item.get_closest_marker("alone") is not None):
        return (yield)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Tell why a test failed at once: a run that is cut off prints no summary."""
    if report.failed and "PYTEST_XDIST_WORKER" not in os.environ:
        print(f"\n{report.nodeid} failed:\n{report.longreprtext}", file=sys.stderr, flush=True)


MANY = 500
"""Tests with Spark from which on Java's best compiler saves more processor time than it takes."""

BEST_COMPILER = (
    "-XX:TieredStopAtLevel=4",
    # three times the defaults: it compiles less, and what it leaves out costs less than that
    "-XX:Tier4InvocationThreshold=15000",
    "-XX:Tier4MinInvocationThreshold=2000",
    "-XX:Tier4CompileThreshold=45000",
    "-XX:Tier4BackEdgeThreshold=120000",
)


@pytest.fixture(scope="session")
def spark(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> SparkSession:
    from spark.startup.quick_start import SMALL_SETTINGS, StoreSize, java_options  # noqa: PLC0415 - as below
    from spark.startup.worker_daemon import DAEMON, MODULE  # noqa: PLC0415

    with_spark = sum(
        isinstance(item, pytest.Function) and "spark" in item.fixturenames
        for item in request.session.items
    )
    settings = {
        # enough to see that work is spread, and no more than a small machine has
        # and a task is tried twice: what a group does to its worker shows in the second try
        "spark.master": "local[2,2]",
        "spark.app.name": "tests",
        "spark.ui.showConsoleProgress": "false",
        # machines differ in how they find their own name; some can't
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        # one JVM serves the whole run: with 1 GB it only collected garbage after half of the tests
        "spark.driver.memory": "3g",
        # the tables are small: each task more costs more than it computes
        "spark.sql.shuffle.partitions": "1",
        "spark.default.parallelism": "1",
        # as commands have it for small stores; `spark_defaults` tests with Spark's own settings
        **SMALL_SETTINGS,
        DAEMON: MODULE,
        # no Hive and no Derby, which take seconds and leave files behind
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.warehouse.dir": str(tmp_path_factory.mktemp("warehouse")),
        # Spark 4.0 has it off: its rows hold lists then where workers get arrays
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        # starts sooner: one thread collects garbage, and code is compiled quickly, in a short run
        # once; what is new has room, so that garbage is seldom collected
        "spark.driver.extraJavaOptions": " ".join(
            [
                *java_options(StoreSize.SMALL),
                *("-XX:ReservedCodeCacheSize=512m", "-Xms2g", "-Xmn1g"),
                *(BEST_COMPILER if with_spark > MANY else ()),
            ]
        ),
        # no origin of each column for messages, which costs calls to the JVM; code compiled once
        "spark.python.sql.dataFrameDebugging.enabled": "false",
        "spark.sql.codegen.cache.maxEntries": "5000",
        # the same everywhere
        "spark.sql.session.timeZone": "UTC",
        # a test that fails shows the exception; the log would show it a second time
        "spark.log.level": "OFF",
    }
    # Workers have to be of this Python, and find the packages that this checkout holds.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    path = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ["PYTHONPATH"] = os.pathsep.join(path)
    from tests.support.shared_jvm import SharedJvm  # noqa: PLC0415 - tests of one group go without

    return SharedJvm(run_folder(tmp_path_factory)).session(settings)


@pytest.fixture(scope="session")
def graphframes(spark: SparkSession) -> SparkSession:
    """The session with GraphFrames' classes, which Spark's resolver brings while it runs."""
    from spark.errors import first_line  # noqa: PLC0415
    from spark.graph import coordinate, has_graphframes  # noqa: PLC0415

    package = coordinate("graphframes")
    if not has_graphframes(spark):
        try:
            with resolving():
                spark.sql(f"ADD JAR ivy://{package}")
        except Exception as error:
            pytest.skip(f"Spark can't resolve {package} here: {first_line(error)}")
    return spark
