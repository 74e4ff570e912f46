"""Kafka's own classes in a Spark session's JVM, asked about many groups at a time."""

import json
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[2]
SOURCE = Path(__file__).with_name("KafkaAssignors.java")
PACKAGES = ("kafka-clients", "kafka-group-coordinator")


def add_jars(spark: SparkSession) -> None:
    """Let Spark's own resolver bring Kafka's jars into the session: any session will do."""
    coordinates = tomllib.loads((ROOT / "conf" / "packages.toml").read_text())["packages"]
    for package in PACKAGES:
        spark.sql(f"ADD JAR ivy://{coordinates[package]}")


class JavaAssignors:
    """Kafka's assignors behind KafkaAssignors.java, in a session that has the jars.

    Janino compiles it, which Spark brings along: no build tool and no JDK is needed.
    """

    def __init__(self, spark: SparkSession) -> None:
        jvm: Any = spark._jvm
        self.java_version = int(jvm.java.lang.Runtime.version().feature())
        compiler = jvm.org.codehaus.janino.SimpleCompiler()
        compiler.setParentClassLoader(spark._jsparkSession.sharedState().jarClassLoader())
        compiler.cook(SOURCE.read_text())
        compiled = compiler.getClassLoader().loadClass("KafkaAssignors")
        self._method = next(m for m in compiled.getMethods() if m.getName() == "answers")
        self._arguments = spark.sparkContext._gateway.new_array(jvm.java.lang.Object, 1)

    def answers(self, groups: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """What Kafka answers: {member: [[topic, partition]]}, or a text of what it throws.

        One dict a group, with an entry for each of the group's `strategies`.
        """
        self._arguments[0] = json.dumps(groups)
        answers: list[dict[str, Any]] = json.loads(self._method.invoke(None, self._arguments))
        return answers
