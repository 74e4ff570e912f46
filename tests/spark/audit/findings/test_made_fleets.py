"""Made-up fleets: an audit tells what was planted in them, and nothing else."""

from collections import Counter
from dataclasses import dataclass

import pytest
from pyspark.sql import SparkSession

from optimizer.model import BY_COUNT
from spark.audit import AuditSettings
from spark.demo import make_history
from spark.demo.history import MadeHistory
from spark.jobs.demo import SEED
from spark.settings import FleetGoals
from tests.spark.audit.findings.audited import Audited, Tables, audited
from tests.support.troubles import troubles_of

pytestmark = pytest.mark.wide


@dataclass(frozen=True)
class Made:
    """A history with the audit of its newest snapshot and the one before."""

    history: MadeHistory
    now: Tables
    audited: Audited


SETTINGS = AuditSettings(goals=FleetGoals(BY_COUNT))
"""What is planted is by count; by weight many groups are uneven as well."""


@pytest.fixture(scope="module", params=[(120, 7), (300, SEED)])
def made(
    request: pytest.FixtureRequest, spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> Made:
    history = make_history(*request.param)
    before, now = (history.tables(history.hours - at) for at in (2, 1))
    return Made(
        history, now, audited(spark, tmp_path_factory.mktemp("store"), now, before, SETTINGS)
    )


def test_the_planted_troubles_and_no_others(made: Made) -> None:
    """But for information."""
    planted = [tuple(trouble) for trouble in troubles_of(made.history.fleet)]
    columns = ("cluster", "group", "finding", "subject")
    found = [
        tuple(row[name] for name in columns)
        for row in made.audited.findings
        if row["severity"] != "info"
    ]
    assert sorted(found, key=str) == sorted(planted, key=str)
    assert {trouble[2] for trouble in planted} == {
        *("unbalanced", "range-skew", "idle-members", "spare-members", "restarting-members"),
        *("lag-on-few-partitions", "lag-on-one-member", "stalled-partitions", "claimed-twice"),
        *("owner-gone", "leader-skew"),
    }
    assert sum(row["severity"] == "info" for row in made.audited.findings) > 10


def test_each_topic_with_replicas_has_a_row_of_failures(made: Made) -> None:
    columns = (made.now["partitions"][key].to_pylist() for key in ("cluster", "topic", "replicas"))
    topics = Counter((cluster, topic) for cluster, topic, of in zip(*columns, strict=True) if of)
    rows = {(row["cluster"], row["topic"]): row["partitions"] for row in made.audited.failures}
    assert rows == topics
