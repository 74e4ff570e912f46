"""The details of single groups in a report: of few, which are read once."""

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import DataFrame, functions as F

from optimizer.figures import plural
from optimizer.scenarios import Crash, Scenario
from spark.explain import GroupExplanation, explain_rows, rows_of_groups
from spark.fleet import RECORDS_BEHIND, FleetFiles, FleetSnapshot, as_rows
from spark.frontier import GroupFrontier, frontiers_of_rows
from spark.groups import EncodedRow
from spark.report.material import Key
from spark.report.sums import of_groups
from spark.settings import Settings
from spark.simulate import GroupSimulation, sentences_of, simulate_rows
from spark.solve import LevelsOf
from spark.store import SNAPSHOT
from spark.text import shortened

LARGEST = 5_000
"""Partitions of a group, and LARGEST / 25 members, up to which that is worked out for a page."""


def detailed_groups(
    fleet: FleetSnapshot,
    wanted: Sequence[Key],
    settings: Settings,
    levels: LevelsOf,
    changes: DataFrame | None,
    files: FleetFiles | None = None,
) -> list[dict[str, Any]]:
    """Details of these groups in order; `fleet` has them alone, and the topics that they read.

    Groups by count are read from the fleet's `files`, where it is in some.
    """
    if not wanted:
        return []
    changed = as_rows(of_groups(changes, wanted).orderBy(SNAPSHOT)) if changes else []
    by_weight = bool(settings.goals.weights)
    encoded = rows_of_groups(fleet if by_weight or not files else files, wanted, settings.goals)
    lags = _lags(fleet, encoded)
    explained = explain_rows(encoded, settings.goals, levels)
    crashes = {
        _key(explanation): Scenario.of(Crash(_most_loaded(explanation)))
        for explanation in explained
        if _is_small(explanation)
    }
    simulated = simulate_rows(encoded, crashes, settings.consumers)
    small = [row for row in encoded if (row.cluster, row.group) in crashes]
    frontiers = frontiers_of_rows(small, settings.goals)
    return [
        _details_of(explanation, changed, simulated, frontiers, lags) for explanation in explained
    ]


def _key(explanation: GroupExplanation) -> Key:
    return explanation.cluster, explanation.group


def _is_small(explanation: GroupExplanation) -> bool:
    planned = sum(after for _, after in explanation.loads.values())
    return 0 < len(explanation.loads) <= LARGEST // 25 and planned <= LARGEST


def _most_loaded(explanation: GroupExplanation) -> str:
    return max(explanation.loads, key=lambda member: (explanation.loads[member][0], member))


def _lags(fleet: FleetSnapshot, encoded: Sequence[EncodedRow]) -> dict[Key, str]:
    """How late each group is, in a sentence: on the topics that it reads."""
    if "offsets" not in fleet.tables:
        return {}
    reads = {(row.cluster, row.group): {*row.topics} for row in encoded}
    by_topic = fleet.tables["offsets"].groupBy("cluster", "group", "topic")
    lags = by_topic.agg(F.expr(f"try_sum({RECORDS_BEHIND})").alias("lag"))
    sums: dict[Key, list[tuple[int, str]]] = {}
    for cluster, group, topic, lag in lags.where("lag is not null").collect():
        if topic in reads.get((cluster, group), ()):
            sums.setdefault((cluster, group), []).append((lag, topic))
    return {key: _lag_of(lags) for key, lags in sums.items()}


def _lag_of(lags: list[tuple[int, str]]) -> str:
    total, (most, topic) = sum(lag for lag, _ in lags), max(lags)
    where = f", {most:,} of them of {shortened(topic)}" if total and len(lags) > 1 else ""
    return f"Its lag is {plural(total, 'record')}{where}."


def hosts_sentence(hosts: Mapping[str, tuple[int, int]]) -> str:
    """Partitions of the fullest host, now and planned; nothing without hosts."""
    if not hosts:
        return ""
    name = max(hosts, key=lambda host: hosts[host][0])
    now, planned = hosts[name][0], max(after for _, after in hosts.values())
    return (
        f"The fullest of its {len(hosts)} hosts, {shortened(name)}, has {plural(now, 'partition')}"
        f"; with the plan the fullest has {planned}."
    )


def _details_of(
    explanation: GroupExplanation,
    changes: list[dict[str, Any]],
    simulated: Mapping[Key, GroupSimulation],
    frontiers: Mapping[Key, GroupFrontier],
    lags: Mapping[Key, str],
) -> dict[str, Any]:
    """Why each partition moves, and what moves and a crash do; what isn't known is empty.

    `cells` has a row a member and topic with the partitions `current` and `planned`, `crash`
    sentences about the crash of the most loaded member, `frontier_points` the fewest `moves` for
    each `max_load`, `hosts` a sentence on the fullest host, `advice` what to do.
    """
    crash, frontier = simulated.get(_key(explanation)), frontiers.get(_key(explanation))
    begun = [f"{_most_loaded(explanation)} crashes."] if crash else []
    of_group = "cluster", "group", "status", "reason", "cells", "moves", "bounds"
    return {
        **{name: getattr(explanation, name) for name in of_group},
        "changes": [row for row in changes if (row["cluster"], row["group"]) == _key(explanation)],
        "advice": explanation.advised.advice or "",
        "lag": lags.get(_key(explanation), ""),
        "hosts": hosts_sentence(explanation.hosts),
        "crash": [*begun, *sentences_of(crash.timeline, explanation.group)] if crash else [],
        "frontier": (frontier.sentence or "") if frontier else "",
        "frontier_points": frontier.rows if frontier else [],
    }
