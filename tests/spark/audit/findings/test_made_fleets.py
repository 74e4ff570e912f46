"""Made-up fleets: of a healthy one nothing is told, and of the demo's what was planted in it."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from spark.demo.fleet import MadeFleet, make_fleet
from spark.jobs.demo import SEED
from tests.spark.audit.findings.audited import Audited, Tables, audited
from tests.support.hour_before import hour_before
from tests.support.tiers import tiered
from tests.support.troubles import troubles_of


@dataclass(frozen=True)
class Both:
    """A fleet with troubles and a healthy one: one audit does for the clusters of both."""

    troubled: MadeFleet
    healthy: MadeFleet

    @cached_property
    def now(self) -> Tables:
        return _together(self.troubled.tables, self.healthy.tables)

    @cached_property
    def before(self) -> Tables:
        return _together(hour_before(self.troubled), hour_before(self.healthy))


def _together(troubled: Tables, healthy: Tables) -> Tables:
    """One fleet; clusters of the healthy one begin with its name."""
    tables = {}
    for name, table in healthy.items():
        at = table.schema.get_field_index("cluster")
        clusters = pa.array([f"healthy {cluster}" for cluster in table.column(at).to_pylist()])
        renamed = table.set_column(at, table.schema.field(at), clusters)
        tables[name] = pa.concat_tables([troubled[name], renamed])
    return tables


@pytest.fixture(scope="module", params=tiered([((120, 7), (200, 2)), ((300, SEED), (300, 1))], 1))
def both(request: pytest.FixtureRequest) -> Both:
    troubled, healthy = request.param
    return Both(make_fleet(*troubled, healthy=False), make_fleet(*healthy, healthy=True))


@pytest.fixture(scope="module")
def said(spark: SparkSession, both: Both, tmp_path_factory: pytest.TempPathFactory) -> Audited:
    return audited(spark, tmp_path_factory.mktemp("store"), both.now, both.before)


def test_the_planted_troubles_and_no_others(said: Audited, both: Both) -> None:
    """And of the healthy fleet nothing but for information."""
    planted = [tuple(trouble) for trouble in troubles_of(both.troubled)]
    columns = ("cluster", "group", "finding", "subject")
    found = [
        tuple(row[name] for name in columns) for row in said.findings if row["severity"] != "info"
    ]
    assert sorted(found, key=str) == sorted(planted, key=str)
    assert len(planted) > 30
    assert troubles_of(both.healthy) == []
    assert sum(row["cluster"].startswith("healthy") for row in said.findings) > 10


def test_each_topic_with_replicas_has_a_row_of_failures(said: Audited, both: Both) -> None:
    columns = (both.now["partitions"][key].to_pylist() for key in ("cluster", "topic", "replicas"))
    topics = Counter((cluster, topic) for cluster, topic, of in zip(*columns, strict=True) if of)
    rows = {(row["cluster"], row["topic"]): row["partitions"] for row in said.failures}
    assert rows == topics
