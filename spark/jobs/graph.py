"""`evenfleet graph`: questions to the graph of a fleet."""

from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from pyspark.sql import SparkSession

from spark import InputError, terminal
from spark.fleet import as_rows
from spark.graph import (
    Grain,
    Question,
    answers,
    coordinate,
    fleet_graph,
    has_graphframes,
    sentence_of,
)
from spark.terminal import ROWS_SHOWN, Table, busy, option, say, say_answer, show

OPTIONS = {
    Question.COUPLED_GROUPS: ("hub",),
    Question.REACH: ("broker", "rack", "topic", "cluster", "depth"),
    Question.COMPETITORS: ("cluster", "group", "member"),
    Question.COMPONENTS: ("cluster", "group"),
}
"""Options that a question may have."""

REQUIRED = {Question.COMPETITORS: ("group", "member"), Question.COMPONENTS: ("group",)}


@dataclass(frozen=True, kw_only=True)
class QuestionOptions:
    """Options of questions."""

    hub: Annotated[
        int | None,
        option(
            "coupled-groups: ignore topics that more groups read than this.",
            shown="all topics couple",
            min=1,
        ),
    ] = None
    broker: Annotated[int | None, option("reach: the broker that fails.")] = None
    rack: Annotated[str | None, option("reach: the rack that fails.")] = None
    topic: Annotated[str | None, option("reach: the topic that fails.")] = None
    depth: Annotated[int | None, option("reach: how far.", shown="to any depth", min=0)] = None
    cluster: Annotated[str | None, option("Name of the cluster.", shown="the one that fits")] = None
    group: Annotated[str | None, option("competitors, components: the group.")] = None
    member: Annotated[str | None, option("competitors: the member's id.")] = None

    def options_for(self, question: Question) -> dict[str, Any]:
        """Options that are given; InputError if the question doesn't have one, or lacks one."""
        options = {name: value for name, value in asdict(self).items() if value is not None}
        unknown = [name for name in options if name not in OPTIONS[question]]
        if unknown:
            raise InputError(f"--{unknown[0]} doesn't apply to --question {question}")
        lacking = [f"--{name}" for name in REQUIRED.get(question, ()) if name not in options]
        if lacking:
            raise InputError(f"--question {question} needs {' and '.join(lacking)}")
        return options


def graph(
    source: terminal.SnapshotOptions,
    asked: QuestionOptions,
    question: Annotated[Question, option("What to ask.")] = Question.COUPLED_GROUPS,
) -> None:
    """Query the fleet as a graph: coupled groups, reach of a failure, competitors, components."""
    options = asked.options_for(question)
    with source.session(source.snapshot) as spark:
        fleet = source.fleet(spark)
        bring_graphframes(spark)
        grain: Grain = "partition" if question is Question.REACH else "topic"
        with busy(f"asking for {question}"), fleet_graph(fleet, grain) as whole:
            tables = {
                name: as_rows(table) for name, table in answers(whole, question, options).items()
            }
    say_answer(sentence_of(question, options, tables))
    first = next(iter(tables))
    shown = {
        name: Table(rows, is_detail=name != first, most=ROWS_SHOWN) for name, rows in tables.items()
    }
    show(shown | terminal.clusters_read(fleet))
    if question is Question.COUPLED_GROUPS and asked.hub is None and tables["topics"]:
        say("Topics that everybody reads couple all groups: --hub 20 ignores those with over 20.")
    terminal.say_clusters(fleet)


def bring_graphframes(session: SparkSession) -> None:
    """Let Spark's resolver bring the jar; where it can't, the graph says what to do."""
    if not has_graphframes(session):
        with busy("bringing GraphFrames' jar"), suppress(Exception):
            session.sql(f"ADD JAR ivy://{coordinate('graphframes')}")
