"""Options of what a cluster's brokers are to hold, and of handing that to the live cluster."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from optimizer.replicas import BALANCE, BYTES, COPIES, TOPICS, ReplicaGoals, ReplicaGoalsError
from spark.errors import InputError
from spark.reassign import ReassignRequest, ReplicaFacts, sizes_in, topics_in
from spark.terminal import Bootstrap, SnapshotOptions, option

RATE = 50_000_000
"""Bytes a second that copies take of a broker unless another rate is given."""


def _ids(text: str, shown: str | None = None) -> object:
    return option(text, metavar="ID,ID", shown=shown)


@dataclass(frozen=True, kw_only=True)
class StoreUnlessUndo(SnapshotOptions):
    """The fleet to plan; `--undo` needs none."""

    def __post_init__(self) -> None:
        """A store is asked for where it is read."""


@dataclass(frozen=True, kw_only=True)
class ReplicaOptions:
    """Options of what the brokers of a cluster, or of every cluster, are to hold."""

    cluster: Annotated[str | None, option("The cluster to plan.", shown="the only one")] = None
    all_clusters: Annotated[
        bool, option("Plan every cluster, each into a folder of its own.", "--all")
    ] = False
    drain: Annotated[str | None, _ids("Brokers to empty.")] = None
    add: Annotated[str | None, _ids("Only these brokers receive replicas.")] = None
    brokers: Annotated[str | None, _ids("Only these brokers are used.", "all")] = None
    topics: Annotated[
        list[str] | None,
        option("Only topics that match a pattern (`*`, `?`); repeatable.", shown="all"),
    ] = None
    topics_to_move: Annotated[
        Path | None, option("Only topics of a file for kafka-reassign-partitions --generate.")
    ] = None
    create: Annotated[
        list[str] | None,
        option(
            "Place a topic that doesn't exist yet, and move nothing; repeatable.",
            metavar="TOPIC:PARTITIONS:REPLICAS",
        ),
    ] = None
    replication_factor: Annotated[
        int | None, option("Replicas of each partition.", shown="as now")
    ] = None
    leaders_only: Annotated[bool, option("Leave replicas where they are.")] = False
    spread_topics: Annotated[
        bool, option("Spread each topic evenly over brokers, even if that copies more.")
    ] = False
    log_dirs: Annotated[
        Path | None, option("Output of kafka-log-dirs --describe: copy as few bytes as possible.")
    ] = None
    at_most_copies: Annotated[
        int | None, option("Maximum number of replicas to copy.", shown="any number")
    ] = None
    force: Annotated[bool, option("Allow a replication factor of min.insync.replicas or less.")] = (
        False
    )
    out: Annotated[Path | None, option("Folder for the files of all batches.")] = None
    batch_copies: Annotated[
        int | None, option("Replicas copied in one batch.", shown="any number")
    ] = None
    per_broker: Annotated[
        int | None, option("Copies into or out of a broker in a batch.", shown="any number")
    ] = None

    @property
    def of_one_cluster(self) -> bool:
        """Whether an option is stated that can't be for every cluster."""
        return bool(self.cluster or self.drain or self.add or self.brokers or self.log_dirs)

    def of_moves(self) -> list[str]:
        """The options that are stated and are about partitions that exist."""
        names = (
            *("all_clusters", "topics", "topics_to_move", "replication_factor", "leaders_only"),
            *("spread_topics", "log_dirs", "at_most_copies"),
        )
        options = {name: getattr(self, name) for name in names}
        given_options = [name for name, of in options.items() if of is not None and of is not False]
        return [f"--{name.removesuffix('_clusters').replace('_', '-')}" for name in given_options]

    def check(self) -> None:
        """Raise InputError for options of replicas where these stay where they are."""
        moving = (self.add, self.replication_factor, self.log_dirs, self.at_most_copies)
        if self.leaders_only and (self.spread_topics or any(moved is not None for moved in moving)):
            raise InputError(
                "--leaders-only moves no replicas: leave out --add, --replication-factor, "
                "--spread-topics, --log-dirs and --at-most-copies"
            )
        _ = self.goals

    @property
    def goals(self) -> ReplicaGoals:
        """The goals in their order; InputError for options that don't fit each other."""
        topics, costs = (TOPICS,) if self.spread_topics else (), BYTES if self.log_dirs else COPIES
        levels = (BALANCE, *topics, costs)
        try:
            return ReplicaGoals(levels, self.leaders_only, most_copies=self.at_most_copies)
        except ReplicaGoalsError as error:
            raise InputError(f"these options contradict each other: {error}") from None

    def request(self, current: ReplicaFacts | None = None) -> ReassignRequest:
        """The request for one cluster, or for every cluster."""
        return ReassignRequest(
            drain=_ids_in(self.drain, "--drain"),
            add=_ids_in(self.add, "--add"),
            brokers=_ids_in(self.brokers, "--brokers"),
            topics=self.topics or (topics_in(self.topics_to_move) if self.topics_to_move else ()),
            replication_factor=self.replication_factor,
            sizes=sizes_in(self.log_dirs, current) if self.log_dirs and current else {},
            force=self.force,
            goals=self.goals,
            batch_copies=self.batch_copies,
            per_broker=self.per_broker,
        )


def _ids_in(text: str | None, name: str) -> list[int]:
    try:
        return [int(broker) for broker in text.split(",")] if text else []
    except ValueError:
        raise InputError(f"{name} {text!r} is not a list of broker ids such as 3,4") from None


@dataclass(frozen=True, kw_only=True)
class ExecuteOptions:
    """How a plan is handed to the live cluster, if it is."""

    execute: Annotated[bool, option("Execute batch after batch on the live cluster.")] = False
    undo: Annotated[
        Path | None,
        option("Take back what was executed of the plan in this folder.", metavar="DIR"),
    ] = None
    bootstrap: Bootstrap = None
    clusters: Annotated[Path | None, option("Clusters as in conf/clusters.toml.")] = None
    throttle: Annotated[
        int | None, option("Limit of copies at each broker, bytes a second.", shown=str(RATE))
    ] = None
    apply: Annotated[
        bool,
        option("Execute it; otherwise only print what would be done.", "--apply", "--no-dry-run"),
    ] = False

    @property
    def rate(self) -> int:
        """Bytes a second."""
        return self.throttle or RATE

    def check(self) -> None:
        """Raise InputError for options that say nothing together."""
        others = self.bootstrap or self.clusters or self.throttle is not None or self.apply
        live = "--execute" if self.execute else "--undo" if self.undo else None
        if others and live is None:
            raise InputError(
                "--bootstrap, --clusters, --throttle and --apply need --execute or --undo, which "
                "change the live cluster"
            )
        if self.execute and self.undo:
            raise InputError("--execute and --undo contradict each other: give one of them")
        if live and bool(self.bootstrap) == bool(self.clusters):
            raise InputError(f"{live} needs either --bootstrap HOST:PORT or --clusters FILE")
        if self.throttle is not None and self.throttle < 1:
            raise InputError(f"--throttle {self.throttle} is too low: give bytes a second, above 0")
