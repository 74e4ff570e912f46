"""`evenfleet import-cli`: from the text of Kafka's own tools to a store."""

import shlex
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import pyarrow.compute as pc
import typer

from optimizer.figures import plural
from spark import terminal
from spark.fleet import snapshot_id, store_to_write, write_store
from spark.sources.kafka_text import read_cli_text
from spark.terminal import CHECK_FAILED, Table, busy, option, say, say_all, show, snapshot_option


class Inference(StrEnum):
    """How subscriptions are guessed where no file tells them."""

    UNION = "union"
    OWNED = "owned"


def import_cli(
    cluster: Annotated[str, option("Name of the cluster.")],
    topics: Annotated[list[Path], option("Text of kafka-topics --describe; repeatable.")],
    out: Annotated[str, option("The store: a folder, also of an object store.")],
    groups: Annotated[
        list[Path] | None,
        option("Text of kafka-consumer-groups; repeatable. Without, the cluster has no groups."),
    ] = None,
    snapshot: Annotated[str | None, snapshot_option("now, in UTC")] = None,
    brokers: Annotated[
        list[Path] | None, option("Text of kafka-broker-api-versions, for racks; repeatable.")
    ] = None,
    configs: Annotated[
        list[Path] | None,
        option("Text of kafka-configs --describe of topics or brokers; repeatable."),
    ] = None,
    connect: Annotated[
        list[Path] | None,
        option(
            "JSON of GET /connectors?expand=status; repeatable. A file GROUP.json is of the "
            "Connect cluster whose group.id is GROUP."
        ),
    ] = None,
    infer: Annotated[
        Inference,
        option("Subscriptions of a member: all topics of its group, or only those it owns."),
    ] = Inference.UNION,
    subscriptions: Annotated[
        Path | None, option("CSV with the columns group, member_id or client_id, topic.")
    ] = None,
) -> None:
    """Import the output of Kafka's own command-line tools into a store.

    Exit code 1 if of a kind of lines none could be read; the rest is stored then.

    With an existing `--snapshot`, adds this cluster to it.
    """
    place = store_to_write(out)
    choice = snapshot_id(snapshot)
    lists = (groups or [], brokers or [], configs or [], connect or [])
    with busy(f"reading {len(lists[0])} texts of groups and {len(topics)} of topics"):
        text = read_cli_text(cluster, topics, *lists, subscriptions, infer.value)
    with busy(f"writing snapshot {choice}"):
        write_store(text.tables, place, choice)
    counts = [{"table": name, "rows": len(table)} for name, table in text.tables.items()]
    lost = f"{text.lost_lines:,} lines could not be read" if text.lost_lines else "All lines read"
    read = text.tables.get("groups")
    inferred = (read and pc.sum(read["subscriptions_inferred"]).as_py()) or 0
    answer = f"{lost}. Snapshot {choice} has {plural(len(read or ()), 'group')} of {cluster}."
    if inferred:
        whose = "its group owns" if infer is Inference.UNION else "it owns"
        answer += (
            f" Subscriptions of {inferred:,} were inferred: each member reads the topics of which "
            f"{whose} partitions. --subscriptions FILE states them."
        )
    terminal.say_answer(answer)
    show({"tables": Table(counts, is_detail=True)})
    say_all([*text.notes, *text.left_out])
    if text.unread:
        say(f"It is incomplete: no line could be read of {', '.join(text.unread)}.")
    terminal.say_next(f"{terminal.program()} {shlex.join(['plan', out, '--out', 'plan'])}")
    if text.unread:
        raise typer.Exit(CHECK_FAILED)
