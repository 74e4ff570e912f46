"""Names on the driver, found by their hashes."""

import pytest
from pyspark.sql import SparkSession

from spark import InputError
from spark.graph import reaching
from tests.support.graph_fleets import random_fleet


def test_two_names_of_one_hash_are_told(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """None has been seen yet, so the hash is made a poor one."""
    tables = random_fleet(clusters=1, seed=1).snapshot(spark).tables
    monkeypatch.setattr(reaching, "TOPIC_HASH", "bigint(length(topic))")
    with pytest.raises(InputError, match=r"'topic-.' have one 64-bit hash: rename one of them"):
        reaching.topic_names(tables, "topic")
