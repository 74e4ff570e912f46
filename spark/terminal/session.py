"""The session of a command, and the one of a notebook."""

import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

from py4j.protocol import Py4JJavaError
from pyspark import SparkConf, SparkContext, accumulators
from pyspark.sql import SparkSession

from spark.errors import InputError, RunError, first_line, unreadable_file
from spark.memory_limits import usable_memory
from spark.startup import java_process
from spark.startup.class_archive import make_in_background
from spark.startup.java_process import JavaProcess, by_submit, keep_names, submission
from spark.startup.quick_start import SETTINGS, StoreSize, java_options
from spark.startup.worker_daemon import DAEMON, MODULE, start_early
from spark.terminal.ends import (
    handlers_kept,
    hold_signals,
    known_cause,
    may_come_of_javas_end,
    sentence_of,
    why_java_ended,
)
from spark.terminal.progress import busy, follow, session_followed

LOG_SETTINGS = Path(__file__).with_name("log4j2.properties")

LOCAL_DEFAULTS = {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}

LOG_LEVEL = "spark.log.level"

DEFAULTS = {
    "spark.app.name": "evenfleet",
    "spark.sql.session.timeZone": "UTC",
    # What went wrong is said in a sentence; all else hides it, and the result.
    LOG_LEVEL: "OFF",
    # The bar is drawn over what `busy` shows, and is left standing when a command ends early.
    "spark.ui.showConsoleProgress": "false",
    # Below any other limit than this one, Spark sums up what a batch takes after each row of it.
    "spark.sql.execution.arrow.maxBytesPerBatch": "2147483647",
    # One plan takes a hundred generated classes, all that Spark keeps by default.
    "spark.sql.codegen.cache.maxEntries": "1000",
    # Where a column was made is asked of the JVM for each of them; no message here tells it.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
}

SHOWING = (LOG_LEVEL, "spark.ui.showConsoleProgress")
"""Whoever sets one of these wants to see what Spark itself writes on standard error."""

MASTER = "spark.master"

TRIES = "4"
"""So often a task is tried, as on a cluster: Spark's default on one machine is once."""

GONE_WITHIN = 10.0
"""Seconds from a connection that breaks to the end of the process behind it, on a busy machine."""

_MASTER = re.compile(r"local(-cluster)?(\[.+\])?|yarn|(spark|k8s)://.+")
_ONE_TRY = re.compile(r"local(?:\[(\d+|\*)\])?")
_NO_JAVA = re.compile(r"JAVA_HOME is not set|/java: |UnsupportedClassVersionError")
_BESIDE_IT = re.compile(r"\s|$|WARNING: Using incubator|Using Spark's default log4j|Picked up ")

NO_JAVA = (
    "This command runs on Spark, which needs Java 17 or newer: install it, or set JAVA_HOME to its "
    "folder. Without Java there are config, snapshots, import-cli, collect, explain, frontier, "
    "simulate, export-plan, enforce and watch"
)

LEAST_MEMORY = 512
"""MiB; with less than 450 Spark doesn't start."""


@contextmanager
def session(
    master: str | None, conf: Mapping[str, str], size: StoreSize = StoreSize.UNSEEN
) -> Iterator[SparkSession]:
    """A session for one command, stopped when the command ends; for a store of this size.

    Under spark-submit the master is that of the submission; otherwise it is `master` or, by
    default, all cores of this machine. `conf` comes last and wins. A command that another one runs
    has that one's session. InputError if Spark doesn't start with these, RunError if its process
    ends before the command does.
    """
    check_master(master)
    if outer := session_followed():
        yield outer
        return
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with handlers_kept():
        of_spark = settings_of(master, conf, size)
        with busy("starting Spark"):
            started = _start(of_spark, shown=any(key in conf for key in SHOWING))
    if started.conf.get(DAEMON, "") == MODULE:
        start_early(started)
        make_in_background()
    java = java_process.running()
    ended = False
    try:
        with follow(started):
            yield started
    except Exception as error:
        may_be_over = may_come_of_javas_end(error)
        ended = java.has_ended(GONE_WITHIN if may_be_over else 0) or (may_be_over and by_submit())
        if ended:
            raise RunError(why_java_ended(java.status, java.last_words())) from error
        if isinstance(error, Py4JJavaError) and not unreadable_file(error):
            raise RunError(sentence_of(error)) from error  # while Java is there to tell it
        raise
    finally:
        if not (ended or java.is_ending):
            _stop(started)


def notebook_session(
    master: str | None = None, conf: Mapping[str, str] | None = None
) -> SparkSession:
    """The session of a notebook or script: in UTC, quiet, with this Python in its workers.

    One that runs already is taken. Else `master` is all cores of this machine by default, with the
    settings of a command; `conf` comes last and wins. InputError for what can't be a master.
    """
    check_master(master)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder
    if SparkSession.getActiveSession() is None:
        builder = builder.config(map={**settings_of(master, conf or {}, StoreSize.MEDIUM)})
    started = builder.getOrCreate()
    started.conf.set("spark.sql.session.timeZone", "UTC")
    return started


def check_master(master: str | None) -> None:
    """Raise InputError for what can't be a master of Spark's."""
    if master and not _MASTER.fullmatch(master):
        raise InputError(
            f"{master!r} is no master of Spark's: it is local[N], spark://HOST:PORT, yarn or k8s://…"
        )


def _stop(started: SparkSession) -> None:
    """Stop Spark; a process that is ending by itself, for want of memory say, can't any more."""
    with suppress(Exception), catch_warnings():
        simplefilter("ignore", RuntimeWarning)
        started.stop()


def settings_of(
    master: str | None, conf: Mapping[str, str], size: StoreSize = StoreSize.UNSEEN
) -> dict[str, str]:
    """Spark's settings for this command; what the user states comes last."""
    of_spark = dict(DEFAULTS)
    if by_submit():
        spec = dict(SparkConf(True, submission().jvm).getAll())
        of_spark |= {key: spec[key] for key in (MASTER, *SHOWING) if key in spec}
    else:
        of_spark[MASTER] = master or "local[*]"
        if of_spark[MASTER].startswith("local"):
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
            of_spark |= LOCAL_DEFAULTS | _sized_to_this_machine()
            of_spark |= SETTINGS[size]
            of_spark[DAEMON] = MODULE
        log = f"-Dlog4j2.configurationFile={LOG_SETTINGS.as_uri()}"
        of_spark["spark.driver.extraJavaOptions"] = " ".join([log, *java_options(size)])
    of_spark |= conf
    if one_try := _ONE_TRY.fullmatch(of_spark.get(MASTER, "")):
        tries = of_spark.get("spark.task.maxFailures", TRIES)
        of_spark[MASTER] = f"local[{one_try[1] or 1},{tries}]"
    return of_spark


def _start(of_spark: Mapping[str, str], shown: bool) -> SparkSession:
    try:
        if by_submit():
            gateway = submission()
        else:
            with hold_signals():
                gateway = java_process.launch(of_spark, shown)
        servers = (of for name, of in vars(accumulators).items() if name.endswith("Server"))
        leave_to_themselves(*servers)
        conf = SparkConf(True, gateway.jvm).setAll(list(of_spark.items()))
        SparkContext(conf=conf, gateway=gateway)
        builder = SparkSession.builder
        for key, value in of_spark.items():
            builder = builder.config(key, value)
        started = builder.getOrCreate()
        keep_names(gateway.jvm)
        for key in of_spark:
            started.conf.get(key)  # a wrong value shows when it is used
    except Exception as error:
        raise _why_not(error, java_process.running()) from error
    return started


def leave_to_themselves(*servers: Any) -> None:
    """Let servers of PySpark, whose threads end with this process, say nothing and delay nothing.

    They print a stack when the end of Java cuts a request short, and look but once a second whether
    they are to end.
    """
    for server in servers:
        server.handle_error = server.shutdown = lambda *_: None


def _why_not(error: Exception, java: JavaProcess) -> Exception:
    """Why Spark doesn't start: bad input, or, if its process was ended from outside, that."""
    text = [line.strip() for line in java.last_words().splitlines() if not _BESIDE_IT.match(line)]
    exited = "JAVA_GATEWAY_EXITED" in str(error)
    may_be_over = may_come_of_javas_end(error)
    if java.has_ended(GONE_WITHIN if may_be_over else 0) or (exited and not text):
        return RunError(why_java_ended(java.status, java.last_words()))
    if exited and _NO_JAVA.search(java.last_words()):
        return InputError(NO_JAVA)
    why = "; ".join(text[:2]) if exited else first_line(error)
    return InputError(
        f"Spark doesn't start: {(known_cause(chr(10).join(text)) or why).rstrip('.')}. Look at "
        "--master, --conf and the configuration file, and whether Java is 17 or newer"
    )


def _sized_to_this_machine() -> dict[str, str]:
    """Half of the memory for the JVM, for the Python workers need theirs; two tasks a core.

    The memory is what a container leaves us. Each task more reads its plan again, which takes
    longer than its share of a small fleet.
    """
    mebibytes = usable_memory() // 2**20
    return {
        "spark.driver.memory": f"{max(LEAST_MEMORY, mebibytes // 2)}m",
        "spark.sql.shuffle.partitions": str(2 * (os.cpu_count() or 1)),
    }
