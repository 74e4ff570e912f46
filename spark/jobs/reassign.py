"""`evenfleet reassign`: where a cluster's replicas and leaders go, for Kafka's own tools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from optimizer.replicas import BALANCE, BYTES, COPIES, TOPICS, ReplicaGoals, ReplicaGoalsError
from spark.errors import InputError
from spark.reassign import (
    Effects,
    Pace,
    Reassignment,
    StoppedError,
    Wanted,
    compared,
    consumers_of,
    differences,
    effects,
    execute as carried_out,
    facts_of,
    mark_done,
    mark_handed_over,
    reassign_cluster,
    reassign_fleet,
    sizes_in,
    write_batches,
    write_fleet,
)
from spark.settings import read_settings
from spark.terminal import (
    CHECK_FAILED,
    Bootstrap,
    Conf,
    Config,
    Form,
    Format,
    Master,
    Snapshot,
    Store,
    StoreTables,
    busy,
    clusters_in_json,
    clusters_named,
    explained,
    live,
    opened,
    opened_store,
    read_few,
    read_snapshot,
    say,
    say_clusters,
    show,
    store_in,
    tell,
)
from spark.wording import count_of, named

RATE, TOLD = 50_000_000, 20

SIZES = ("broker", "bytes", "planned_bytes", "led_bytes", "planned_led_bytes")


def reassign(
    *,
    store: Store = None,
    tables: StoreTables = None,
    cluster: Annotated[
        str | None, typer.Option(help="The cluster to plan.", show_default="the only one")
    ] = None,
    all_clusters: Annotated[
        bool, typer.Option("--all", help="Plan every cluster, each into a folder of its own.")
    ] = False,
    out: Annotated[
        Path, typer.Option(help="Folder for the files of all batches.", show_default=False)
    ],
    drain: Annotated[
        str | None,
        typer.Option(metavar="ID,ID", help="Brokers that end up empty.", show_default=False),
    ] = None,
    add: Annotated[
        str | None,
        typer.Option(
            metavar="ID,ID", help="Only these brokers receive replicas.", show_default=False
        ),
    ] = None,
    brokers: Annotated[
        str | None,
        typer.Option(metavar="ID,ID", help="Only these brokers are used.", show_default="all"),
    ] = None,
    topics: Annotated[
        list[str] | None,
        typer.Option(
            help="Only topics that fit: * is any text, ? one character; repeatable.",
            show_default="all",
        ),
    ] = None,
    replication_factor: Annotated[
        int | None, typer.Option(help="Replicas of each partition.", show_default="as now")
    ] = None,
    leaders_only: Annotated[
        bool, typer.Option("--leaders-only", help="Leave replicas where they are.")
    ] = False,
    spread_topics: Annotated[
        bool,
        typer.Option("--spread-topics", help="Spread each topic over brokers, before copies."),
    ] = False,
    log_dirs: Annotated[
        Path | None,
        typer.Option(
            help="What kafka-log-dirs --describe printed: the fewest bytes are copied.",
            show_default=False,
        ),
    ] = None,
    at_most_copies: Annotated[
        int | None,
        typer.Option(
            help="Copy so many replicas at most, as even as that allows.",
            show_default="any number",
        ),
    ] = None,
    batch_copies: Annotated[
        int | None, typer.Option(help="Replicas copied in one batch.", show_default="any number")
    ] = None,
    per_broker: Annotated[
        int | None,
        typer.Option(help="Copies into or out of a broker in a batch.", show_default="any number"),
    ] = None,
    execute: Annotated[
        bool, typer.Option("--execute", help="Hand batch after batch to the live cluster.")
    ] = False,
    bootstrap: Bootstrap = None,
    clusters: Annotated[
        Path | None,
        typer.Option(help="Clusters as in conf/clusters.toml.", show_default=False),
    ] = None,
    throttle: Annotated[
        int | None,
        typer.Option(
            help="Bytes a second that copies may take of a broker.", show_default="50000000"
        ),
    ] = None,
    apply: Annotated[
        bool,
        typer.Option("--apply", "--no-dry-run", help="Execute, not only print what would be done."),
    ] = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="Allow a replication factor as low as min.insync.replicas."),
    ] = False,
    snapshot: Snapshot = None,
    master: Master = None,
    conf: Conf = None,
    config: Config = None,
    form: Form = Format.TABLE,
) -> None:
    """Plan where a cluster's replicas and leaders go, and write it for Kafka's own tools."""
    if not execute and (bootstrap or clusters or throttle is not None or apply):
        raise InputError(
            "--bootstrap, --clusters, --throttle and --apply are for --execute, which hands "
            "the batches to the live cluster"
        )
    if execute and bool(bootstrap) == bool(clusters):
        raise InputError("--execute needs either --bootstrap HOST:PORT or --clusters FILE")
    if throttle is not None and throttle < 1:
        raise InputError(f"--throttle {throttle} lets nothing through: give bytes a second")
    if all_clusters and (cluster or drain or add or brokers or log_dirs or execute):
        raise InputError(
            "--all is for what can be wanted of every cluster: --cluster, --drain, --add, "
            "--brokers, --log-dirs and --execute are for one"
        )
    _refuse_replicas(
        leaders_only, (add, replication_factor, spread_topics, log_dirs, at_most_copies)
    )
    source = store_in(store, tables)
    settings = read_settings(config)
    levels = (BALANCE, *((TOPICS,) if spread_topics else ()), BYTES if log_dirs else COPIES)
    try:
        goals = ReplicaGoals(levels, leaders_only, most_copies=at_most_copies)
    except ReplicaGoalsError as error:
        raise InputError(f"these options don't fit each other: {error}") from None
    if all_clusters:
        wanted = Wanted(topics=topics or (), replication_factor=replication_factor, force=force)
        with opened(master, conf, settings, source, snapshot) as spark:
            whole = read_snapshot(spark, source, snapshot, "reassign", settings.max_age)
            with busy("planning replicas and leaders"):
                planned = reassign_fleet(whole, wanted, goals, batch_copies, per_broker)
                rows = planned.orderBy("cluster").collect()
        _show_all(rows, write_fleet(rows, out), form)
        say_clusters(whole)
        if any(row["reason"] for row in rows):
            raise typer.Exit(CHECK_FAILED)
        return
    with opened_store(source, master, conf, settings) as opener:
        fleet = read_few(opener, source, snapshot, "reassign", settings.max_age)
        wanted = Wanted(
            drain=_ids(drain, "--drain"),
            add=_ids(add, "--add"),
            brokers=_ids(brokers, "--brokers"),
            topics=topics or (),
            replication_factor=replication_factor,
            sizes=sizes_in(log_dirs, facts_of(fleet, cluster)) if log_dirs else {},
            force=force,
        )
        with busy("planning replicas and leaders"):
            found = reassign_cluster(fleet, cluster, wanted, goals, batch_copies, per_broker)
            done = effects(found, consumers_of(fleet, found.facts.cluster))
        written = write_batches(found, out)
    if form is Format.JSON:
        show(_tables(found, done, written) | clusters_in_json(form, fleet), form)
    else:
        _print(found, done, written)
    say_clusters(fleet)
    if found.shortfalls:
        if execute:
            say("Nothing is handed to the cluster: the plan isn't what was asked for.")
        raise typer.Exit(CHECK_FAILED)
    if execute and (found.batches.batches or found.elections):
        (target,) = clusters_named(bootstrap, [found.facts.cluster], clusters)
        _carry_out(found, target, out, throttle or RATE, dry_run=not apply)


def _refuse_replicas(leaders_only: bool, options: Sequence[object]) -> None:
    """InputError for options of replicas where these stay where they are."""
    if leaders_only and any(one is not None and one is not False for one in options):
        raise InputError(
            "--leaders-only moves no replicas: leave out --add, --replication-factor, "
            "--spread-topics, --log-dirs and --at-most-copies"
        )


def _show_all(rows: list[Any], written: list[Path], form: Format) -> None:
    """A row a cluster; sentences and files of each are for programs."""
    told = [{k: v for k, v in row.asDict(recursive=True).items() if k != "files"} for row in rows]
    if form is Format.JSON:
        show({"clusters": told, "files": [{"file": str(path)} for path in written]}, form)
        return
    shown = [
        {
            "cluster": row["cluster"],
            "plan": row["optimal"] or row["status"],
            "copies": row["copies"],
            "batches": row["batches"],
            "replicas": _from_to(row, "replicas"),
            "planned": _from_to(row, "planned"),
            "leaders": _from_to(row, "leaders"),
            "planned leaders": _from_to(row, "planned_leaders"),
        }
        for row in told
    ]
    show({"clusters": shown}, Format.TABLE)
    if short := [f"{row['cluster']}: {row['reason']}" for row in told if row["reason"]]:
        tell("not planned as asked", short)
    say(f"{len(written)} files, in a folder for each cluster.")


def _from_to(row: dict[str, Any], name: str) -> str | None:
    return None if row[f"{name}_min"] is None else f"{row[f'{name}_min']}-{row[f'{name}_max']}"


def _carry_out(found: Reassignment, target: Any, out: Path, rate: int, *, dry_run: bool) -> None:
    """Hand the batches to the cluster, or say what stands in the way of that."""
    count = len(found.batches.batches)
    rollbacks = [out / f"{number:02}-rollback.json" for number in range(1, count + 1)]
    with live("spark.enforce.moves").LiveReplicas(target) as brokers:
        try:
            if not dry_run:
                mark_handed_over(out)
                told = carried_out(found, brokers, rollbacks, Pace(rate))
                try:
                    for sentence in told:
                        say(f"{sentence[0].upper()}{sentence[1:]}.")
                except KeyboardInterrupt:  # as a sentence was printed
                    told.throw(KeyboardInterrupt())
                mark_done(out)
                return
            said = differences(found, brokers)
        except (StoppedError, ConnectionError) as stopped:
            said = [str(stopped)]
            if isinstance(stopped, StoppedError) and not stopped.handed_over:
                mark_done(out)
    explained()
    for sentence in said[:TOLD]:
        say(f"{sentence[0].upper()}{sentence[1:]}.")
    if said:
        raise typer.Exit(CHECK_FAILED)
    say(
        f"Cluster {target.name} is as it was when this was planned: --apply hands it "
        f"{count} {'batch' if count == 1 else 'batches'}, one after the other, at {rate} bytes "
        "a second."
    )


def _ids(text: str | None, option: str) -> list[int]:
    try:
        return [int(one) for one in text.split(",")] if text else []
    except ValueError:
        raise InputError(f"{option} {text!r} isn't a list of brokers' ids, such as 3,4") from None


def _tables(found: Reassignment, done: Effects, written: list[Path]) -> dict[str, Any]:
    return {
        "plan": [{"cluster": found.facts.cluster, "optimal": found.plan.optimal}],
        "brokers": found.brokers(),
        "compared": [asdict(one) for one in compared(found)],
        "batches": _batches(found),
        "groups": [done._asdict()],
        "sentences": [*found.sentences(), *_of_groups(done)],
        "files": [{"file": str(path)} for path in written],
    }


def _batches(found: Reassignment) -> list[dict[str, Any]]:
    return [
        {
            "batch": number,
            "partitions": len(batch),
            "copies": sum(step.target is not None for step in batch),
            "elections": sum(step.before[0] != step.after[0] for step in batch),
        }
        for number, batch in enumerate(found.batches.batches, 1)
    ]


def _of_groups(done: Effects) -> Iterator[str]:
    """What the plan does to those who read."""
    if done.reads:
        yield (
            f"Of {count_of(done.reads, 'read')} from leaders by members whose rack is known "
            f"{done.reads_across:,} go across racks now, {done.planned_reads_across:,} as "
            "planned."
        )
    if done.other_coordinator:
        yield (
            f"{named('group', done.other_coordinator)} of {done.groups} "
            f"{'gets' if len(done.other_coordinator) == 1 else 'get'} another coordinator."
        )


def _broker_row(row: dict[str, Any]) -> dict[str, Any]:
    return {
        **{name: row[name] for name in ("broker", "rack", "state", "replicas", "planned")},
        "leads now": row["leads_now"],
        "preferred": row["leaders"],
        "planned preferred": row["planned_leaders"],
        "copied in": row["copied_in"],
    }


def _print(found: Reassignment, done: Effects, written: list[Path]) -> None:
    brokers = found.brokers()
    show({"brokers": [_broker_row(row) for row in brokers]}, Format.TABLE)
    if found.wanted.sizes:
        sizes = [{name: row[name] for name in SIZES} for row in brokers]
        show({"bytes": sizes}, Format.TABLE)
    rows = [
        {
            "placement": one.placement,
            "copies": one.copies,
            "replicas": f"{one.replicas_min}-{one.replicas_max}",
            "leaders": f"{one.leaders_min}-{one.leaders_max}",
            "uneven racks": one.uneven_racks,
            **({} if one.bytes_max is None else {"bytes at most": one.bytes_max}),
            **({} if one.bytes_gap is None else {"over the bound": f"{one.bytes_gap:.1%}"}),
        }
        for one in compared(found)
    ]
    show({"compared": rows}, Format.TABLE)
    show({"batches": _batches(found)[:20]}, Format.TABLE)
    tell("plan", [*found.sentences(), *_of_groups(done)])
    if written:
        say(f"{len(written)} files are in {written[0].parent}. For each batch, one by one:")
        say("  kafka-reassign-partitions … --execute --reassignment-json-file NN-move.json")
        say("  kafka-leader-election … --election-type preferred --path-to-json-file NN-elect.json")
