"""Made-up fleets: of a healthy one nothing is told, and of the demo's what was planted in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from spark.demo.fleet import MadeFleet, make_fleet
from spark.jobs.demo import SEED
from tests.spark.audit.findings.audited import Audited, Tables, audited
from tests.support.hour_before import hour_before
from tests.support.troubles import troubles_of

FLEETS = {
    "demo": (300, SEED, False),
    "troubled": (120, 7, False),
    "healthy": (300, 1, True),
    "well": (200, 2, True),
}
"""Each has clusters of its own, with its name in front, so that one audit does for all."""


@pytest.fixture(scope="module")
def made() -> dict[str, MadeFleet]:
    return {name: make_fleet(*arguments) for name, arguments in FLEETS.items()}


@pytest.fixture(scope="module")
def said(
    spark: SparkSession, made: dict[str, MadeFleet], tmp_path_factory: pytest.TempPathFactory
) -> Audited:
    now = _together({name: fleet.tables for name, fleet in made.items()})
    before = _together({name: hour_before(fleet) for name, fleet in made.items()})
    return audited(spark, tmp_path_factory.mktemp("store"), now, before)


def _together(fleets: Mapping[str, Tables]) -> Tables:
    return {
        table: pa.concat_tables(_within(name, tables[table]) for name, tables in fleets.items())
        for table in fleets["demo"]
    }


def _within(fleet: str, table: pa.Table) -> pa.Table:
    """The table with the fleet's name in front of its clusters'."""
    at = table.schema.get_field_index("cluster")
    names = [f"{fleet} {name}" for name in table.column(at).to_pylist()]
    return table.set_column(at, table.schema.field(at), pa.array(names))


@pytest.mark.parametrize("fleet", [name for name, (_, _, healthy) in FLEETS.items() if healthy])
def test_nothing_but_infos_of_a_healthy_fleet(
    said: Audited, made: dict[str, MadeFleet], fleet: str
) -> None:
    assert troubles_of(made[fleet]) == []
    assert _above_info(said, fleet) == []
    infos = [row for row in said.findings if row["cluster"].startswith(fleet)]
    assert len(infos) > 10


@pytest.mark.parametrize("fleet", [name for name, (_, _, healthy) in FLEETS.items() if not healthy])
def test_the_planted_troubles_and_no_others(
    said: Audited, made: dict[str, MadeFleet], fleet: str
) -> None:
    planted = [(f"{fleet} {t.cluster}", *t[1:]) for t in troubles_of(made[fleet])]
    assert _above_info(said, fleet) == sorted(planted, key=str)
    assert len(planted) > 30


def test_each_topic_with_replicas_has_a_row_of_failures(
    said: Audited, made: dict[str, MadeFleet]
) -> None:
    topics = [
        (f"{name} {cluster}", topic)
        for name, fleet in made.items()
        for cluster, topic, replicas in zip(
            *(
                fleet.tables["partitions"][key].to_pylist()
                for key in ("cluster", "topic", "replicas")
            ),
            strict=True,
        )
        if replicas
    ]
    rows = {(row["cluster"], row["topic"]): row["partitions"] for row in said.failures}
    assert rows == Counter(topics)


def _above_info(said: Audited, fleet: str) -> list[tuple[str, ...]]:
    return sorted(
        (
            (row["cluster"], row["group"], row["finding"], row["subject"])
            for row in said.findings
            if row["severity"] != "info" and row["cluster"].startswith(fleet)
        ),
        key=str,
    )


def test_all_findings_but_the_configured_ones_are_run(said: Audited) -> None:
    assert set(said.not_run) == {
        *("unequal-topics", "session-timeout", "session-timeout-outside", "poll-interval"),
        *(
            "restart-outlasts-session",
            "replicas-at-minimum",
            "client-defect",
            "unclean-election",
            "broker-settings",
            "offset-before-start",
        ),
    }
