"""Kafka's own classes in a Spark session's JVM, asked about many groups at a time."""

import base64
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from spark.graph.fleet_graph import coordinate
from tests.support.locks import resolving

PACKAGES = ("kafka-clients", "kafka-group-coordinator")
CONNECT_PACKAGES = ("kafka-clients", "connect-api", "connect-runtime")


def add_jars(spark: SparkSession, packages: Sequence[str] = PACKAGES) -> None:
    """Let Spark's own resolver bring Kafka's jars into the session: any session will do."""
    with resolving():
        for package in packages:
            spark.sql(f"ADD JAR ivy://{coordinate(package)}")


class JavaAssignors:
    """Assignors behind a Java source of this folder, in a session that has the jars.

    Janino compiles it, which Spark brings along: no build tool and no JDK is needed.
    """

    def __init__(self, spark: SparkSession, name: str = "KafkaAssignors") -> None:
        jvm: Any = spark._jvm
        self.java_version = int(jvm.java.lang.Runtime.version().feature())
        compiler = jvm.org.codehaus.janino.SimpleCompiler()
        compiler.setParentClassLoader(spark._jsparkSession.sharedState().jarClassLoader())
        compiler.cook(Path(__file__).with_name(f"{name}.java").read_text())
        compiled = compiler.getClassLoader().loadClass(name)
        self._methods = {method.getName(): method for method in compiled.getMethods()}
        self._arguments = spark.sparkContext._gateway.new_array(jvm.java.lang.Object, 1)

    def answers(self, groups: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """What Kafka answers, one dict a group.

        KafkaAssignors: {member: [[topic, partition]]}, or a text of what it throws, for each of the
        group's `strategies`. ConnectAssignors: tasks by worker, eagerly (`eager`) and after each
        cooperative rebalance (`rounds`).
        """
        answers: list[dict[str, Any]] = self._call("answers", groups)
        return answers

    def uniform(self, group: dict[str, Any]) -> dict[str, Any]:
        """How long the coordinator's uniform assignor takes (`nanos`), and what it comes to."""
        answer: dict[str, Any] = self._call("uniform", group)
        return answer

    def _call(self, method: str, argument: Any) -> Any:
        self._arguments[0] = json.dumps(argument)
        return json.loads(self._methods[method].invoke(None, self._arguments))


def assignors_or_skip(spark: SparkSession, packages: Sequence[str], name: str) -> JavaAssignors:
    try:
        add_jars(spark, packages)
    except (Py4JError, PySparkException):
        pytest.skip("Spark can't resolve Kafka's jars here; conf/packages.toml names them")
    return JavaAssignors(spark, name)


def kafka_id(uuid: tuple[int, int]) -> str:
    """A topic id as Kafka writes it."""
    halves = b"".join(half.to_bytes(8, "big", signed=True) for half in uuid)
    return base64.urlsafe_b64encode(halves).decode().rstrip("=")
