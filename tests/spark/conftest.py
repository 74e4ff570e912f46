"""What tests of the Spark layer share."""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from spark import FleetSnapshot, cli
from spark.demo import demo_fleet
from tests.support.fleets import snapshot_of
from tests.support.output_schema import check_output
from tests.support.said import Run, Said
from tests.support.small import small

Settings = Callable[..., AbstractContextManager[None]]


@pytest.fixture
def settings(spark: SparkSession) -> Settings:
    """`with settings({"spark.sql.ansi.enabled": "false"}):` — as they were before afterwards."""

    @contextmanager
    def changed(wanted: dict[str, str]) -> Iterator[None]:
        before = {key: spark.conf.get(key, None) for key in wanted}
        for key, value in wanted.items():
            spark.conf.set(key, value)
        try:
            yield
        finally:
            for key, value in before.items():
                if value is None:
                    spark.conf.unset(key)
                else:
                    spark.conf.set(key, value)

    return changed


@pytest.fixture
def spark_defaults(settings: Settings) -> Iterator[None]:
    """Spark 4 as it comes: ANSI's rules, generated code, plans that change while they run.

    But for the number of partitions, which is smaller.
    """
    defaults = {
        "spark.sql.codegen.wholeStage": "true",
        "spark.sql.codegen.factoryMode": "FALLBACK",
        "spark.sql.ansi.enabled": "true",
        "spark.sql.adaptive.enabled": "true",
        "spark.sql.shuffle.partitions": "4",
    }
    with settings(defaults):
        yield


@pytest.fixture(scope="session")
def demo_tables() -> dict[str, pa.Table]:
    """A fleet with groups of every kind that a real one has."""
    return demo_fleet(60, seed=5)


@pytest.fixture(scope="session")
def demo(spark: SparkSession, demo_tables: dict[str, pa.Table]) -> FleetSnapshot:
    return snapshot_of(spark, demo_tables)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store of two small groups."""
    return small().store(tmp_path / "store")


@pytest.fixture
def asked() -> list[tuple[Any, Any]]:
    """What sessions were asked for: master and settings."""
    return []


@pytest.fixture
def run(
    request: pytest.FixtureRequest,
    asked: list[tuple[Any, Any]],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Run:
    """Runs `evenfleet …` in this process, with the session of the tests where it needs one."""

    @contextmanager
    def session(master: str | None, conf: Any, _: object = None) -> Iterator[SparkSession]:
        asked.append((master, conf))
        yield request.getfixturevalue("spark")

    monkeypatch.setattr("spark.terminal.stores.start", session)

    def run(*words: object) -> Said:
        monkeypatch.setattr(sys, "argv", ["evenfleet", *map(str, words)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            cli.main()
        printed = capsys.readouterr()
        if printed.out.startswith('{\n  "command": '):
            check_output(printed.out)
        return Said(int(ended.value.code or 0), printed.out, printed.err)

    return run
