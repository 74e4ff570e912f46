"""Java's names that PySpark asks for with each expression, looked up once.

Each lookup is a call into Java, which searches all jars for the packages that it tries first.
"""

from typing import Any

from py4j.java_gateway import JavaClass, JavaMember, JVMView

NAMES = (
    *("functions", "org.apache.spark.sql.functions", "PythonUtils", "PythonSQLUtils"),
    *("org.apache.spark.sql.classic.SparkSession", "org.apache.spark.sql.expressions.Window"),
)
"""Names of classes, as PySpark spells them."""


class KeptClass(JavaClass):  # type: ignore[misc]
    """A class of Java's whose static methods are looked up once."""

    def __getattr__(self, name: str) -> Any:
        member = super().__getattr__(name)
        if isinstance(member, JavaMember):
            self.__dict__[name] = member
        return member


def keep_names(jvm: JVMView) -> None:
    """Let `jvm` find these names by itself from now on."""
    for name in NAMES:
        setattr(jvm, name, KeptClass(getattr(jvm, name)._fqn, jvm._gateway_client))
