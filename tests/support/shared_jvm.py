"""One JVM for all processes of a run: what one has made it load and compile, the others find.

The process that needs Spark first starts it. It ends with the last process of the run, as its
standard input is a FIFO that each of them keeps open.
"""

import contextlib
import os
import subprocess
from pathlib import Path
from time import sleep

import pyspark
from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.serializers import UTF8Deserializer, read_int
from pyspark.sql import SparkSession

from spark.startup.java_process import keep_names
from tests.support.locks import locked


class SharedJvm:
    """The JVM of a run, whose files are in `folder`; each process of the run makes one of these."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._fifo = folder / "jvm-lives"
        with contextlib.suppress(FileExistsError):
            os.mkfifo(self._fifo)
        # not closed by hand: the end of this process closes it, however it comes about
        self._open = os.open(self._fifo, os.O_RDWR)

    def session(self, settings: dict[str, str]) -> SparkSession:
        """A session of this process alone, in the one SparkContext; the first has its settings."""
        with locked(self._folder / "jvm-lock"):
            if is_first := not self._address.is_file():
                self._start(settings)
            context = self._context(settings)
            if is_first:
                _without_hadoop_defaults(context)
        _without_call_sites(context)
        keep_names(context._jvm)
        java = context._jvm.org.apache.spark.sql.classic.SparkSession  # type: ignore[union-attr]
        return SparkSession(context, java.builder().getOrCreate().newSession())

    @property
    def _address(self) -> Path:
        return self._folder / "jvm-address"

    def _start(self, settings: dict[str, str]) -> None:
        submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
        options = [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
        with self._fifo.open("rb", buffering=0) as alive:
            java = subprocess.Popen(
                [submit, *options, "pyspark-shell"],
                stdin=alive,
                env=os.environ | {"_PYSPARK_DRIVER_CONN_INFO_PATH": str(self._address)},
                start_new_session=True,  # Ctrl-C is for the tests
            )
        while not self._address.is_file():
            assert java.poll() is None, "Java ended before it told its port"
            sleep(0.05)

    def _context(self, settings: dict[str, str]) -> SparkContext:
        with self._address.open("rb") as file:
            port, secret = read_int(file), UTF8Deserializer().loads(file)
        address = {"PYSPARK_GATEWAY_PORT": str(port), "PYSPARK_GATEWAY_SECRET": secret}
        os.environ.update(address)
        try:
            gateway = launch_gateway()
        finally:
            for name in address:  # commands that tests start have a JVM of their own
                del os.environ[name]
        SparkContext._ensure_initialized(gateway=gateway)
        conf = SparkConf(_jvm=gateway.jvm)
        for key, value in settings.items():
            conf.set(key, value)
        running = gateway.jvm.org.apache.spark.SparkContext.getOrCreate(conf._jconf)
        java = gateway.jvm.JavaSparkContext.fromSparkContext(running)
        return SparkContext(conf=conf, gateway=gateway, jsc=java)


HADOOP_DEFAULTS = (
    "fs.AbstractFileSystem.file.impl",
    "io.file.buffer.size",
    "mapreduce.fileoutputcommitter.algorithm.version",
)
"""Those that Spark reads and writes local files by."""


def _without_hadoop_defaults(context: SparkContext) -> None:
    """Leave out most of Hadoop's 1,100 defaults, which each scan compresses and sends to tasks."""
    conf = context._jsc.hadoopConfiguration()
    kept = {name: conf.get(name) for name in HADOOP_DEFAULTS}
    conf.clear()
    for name, value in kept.items():
        conf.set(name, value)


def _without_call_sites(context: SparkContext) -> None:
    """Name no line of Java's for each RDD and query: finding it walks the whole stack."""
    for form in ("short", "long"):
        context.setLocalProperty(f"callSite.{form}", "tests")
