"""Java's names are asked for once a session."""

import pytest
from py4j.clientserver import JavaClient
from pyspark.sql import SparkSession, functions as F

LOOKUP = "r\n"
"""How Py4J's calls begin that look for a class or a member of one."""


def test_a_name_is_looked_up_once(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    _ = F.col("id") + F.lit(1)
    sent = []
    send = JavaClient.send_command

    def noted(client: JavaClient, command: str, *args: object, **named: object) -> object:
        sent.append(command)
        return send(client, command, *args, **named)

    monkeypatch.setattr(JavaClient, "send_command", noted)
    rows = spark.range(3).select((F.col("id") + F.lit(1)).alias("more")).collect()
    assert [row.more for row in rows] == [1, 2, 3]
    assert not [
        command for command in sent if command.startswith(LOOKUP) and "functions" in command
    ]
    assert len(sent) > 3
